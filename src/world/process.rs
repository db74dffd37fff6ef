//! Process ids and whether they still mean the same process.
#![expect(clippy::disallowed_methods, reason = "/proc is asked about processes, not about files")]

use std::io::Read;

/// This process.
pub fn own_pid() -> u32 {
    std::process::id()
}

/// The process that started this one.
pub fn parent_pid() -> Option<u32> {
    rustix::process::getppid().and_then(|p| u32::try_from(p.as_raw_nonzero().get()).ok())
}

/// The process that started the session (`setsid`) this one belongs to, whatever shells stand between. Where the system does
/// not say, the parent: the one who leads it may be gone, or out of sight in a container that was entered from outside (0).
pub fn session_starter() -> Option<u32> {
    // Not getsid(): its answer in such a container is no process id that rustix has a value for.
    let leader = process(stat(own_pid(), 3));
    if leader == Some(own_pid()) {
        return parent_pid();
    }
    leader.and_then(|leader| process(stat(leader, 1))).or_else(parent_pid)
}

/// A number of `/proc` as the id of a process. 0 stands for none that can be seen from here.
fn process(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok()).filter(|pid| *pid != 0)
}

/// When a process started, in clock ticks since boot: together with its id it names one process for good.
/// `None` where it is gone or the system does not say.
pub fn start_time(pid: u32) -> Option<u64> {
    stat(pid, 19)
}

/// A number of `/proc/PID/stat`, counted from the state.
fn stat(pid: u32, nth: usize) -> Option<u64> {
    let mut text = String::new();
    std::fs::File::open(format!("/proc/{pid}/stat")).ok()?.take(1024).read_to_string(&mut text).ok()?;
    // The name in parentheses may hold anything; what follows the last one is fixed: 0 the state, 1 the parent,
    // 3 the session, 19 the start.
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(nth)?.parse().ok()
}

/// Whether the process with this id, started at this time, still runs. Without a start time the id alone is asked.
pub fn alive(pid: u32, started: Option<u64>) -> bool {
    if let (Some(started), Some(now)) = (started, start_time(pid)) {
        return started == now;
    }
    let Some(raw) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    match rustix::process::test_kill_process(raw) {
        Ok(()) => started.is_none() || start_time(pid).is_none_or(|s| Some(s) == started),
        Err(error) => error == rustix::io::Errno::PERM,
    }
}

/// A token that names this boot, so that a process id of another machine or boot is never taken for one of ours.
pub fn hostname_token() -> String {
    let mut text = String::new();
    let read =
        std::fs::File::open("/proc/sys/kernel/random/boot_id").and_then(|f| f.take(64).read_to_string(&mut text));
    if read.is_err() {
        return String::new();
    }
    text.trim().chars().take(8).collect()
}
