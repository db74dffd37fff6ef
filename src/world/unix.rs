//! What Unix does of the world: processes, signals, waiting for a byte.
#![expect(clippy::disallowed_methods, reason = "/proc is asked about processes, and the shell is started from here")]

use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

/// See [`super::SEES_PROCESSES`].
pub(super) const SEES_PROCESSES: bool = true;
/// The variable that names the home directory.
pub(super) const HOME: &str = "HOME";
/// The signals by which a person or the system asks a program to stop.
pub(super) const STOPS: [i32; 3] =
    [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];

/// The process that started this one.
pub fn parent_pid() -> Option<u32> {
    rustix::process::getppid().and_then(|p| u32::try_from(p.as_raw_nonzero().get()).ok())
}

/// The process that started the session (`setsid`) this one belongs to, whatever shells stand between. Where the system does
/// not say, the parent: the one who leads it may be gone, or out of sight in a container that was entered from outside (0).
pub fn session_starter() -> Option<u32> {
    // Not getsid(): its answer in such a container is no process id that rustix has a value for.
    let own = std::process::id();
    let leader = process(stat(own, 3));
    if leader == Some(own) {
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
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    match rustix::process::test_kill_process(raw) {
        Ok(()) => started.is_none() || start_time(pid).is_none_or(|s| Some(s) == started),
        Err(error) => error == Errno::PERM,
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

/// The shell that runs the checks of a plan, in a process group of its own.
pub(super) fn shell() -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.process_group(0);
    shell
}

/// Asks everything in the process group of a [`shell`] to end. Whether that can be asked.
pub(super) fn ask_to_end(pid: u32) -> bool {
    signal(pid, Signal::TERM);
    true
}

/// Ends everything in the process group of a [`shell`].
pub(super) fn end(pid: u32) {
    signal(pid, Signal::KILL);
}

/// Ends what a [`shell`] that is over left in its process group.
pub(super) fn end_left_behind(pid: u32) {
    end(pid);
}

fn signal(pid: u32, signal: Signal) {
    if let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // The group may be gone already.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// The signal that ended a process.
pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// A path as another program prints it.
pub(super) fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

/// Standard input, byte by byte as it comes.
pub(super) struct Input {
    timeout: Timespec,
}

impl Input {
    /// Standard input, with how long a next byte is waited for.
    pub(super) fn new(patience: Duration) -> Self {
        // Seconds of a patience fit.
        let tv_sec = i64::try_from(patience.as_secs()).unwrap_or(i64::MAX);
        Self { timeout: Timespec { tv_sec, tv_nsec: patience.subsec_nanos().into() } }
    }

    /// Reads what is there, at least a byte. `None` at the end, and where none came in time.
    pub(super) fn read(&mut self, room: &mut [u8]) -> Option<usize> {
        let input = rustix::stdio::stdin();
        loop {
            match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&self.timeout)) {
                Ok(0) => return None,
                Err(Errno::INTR) => continue,
                Err(_) => return None,
                Ok(_) => {}
            }
            match rustix::io::read(input, &mut *room) {
                Ok(0) => return None,
                Ok(n) => return Some(n),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => return None,
            }
        }
    }
}

/// Writes to standard output without a buffer.
///
/// # Errors
/// The system's.
pub(super) fn write_out(bytes: &[u8]) -> io::Result<usize> {
    Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
}
