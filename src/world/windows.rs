//! What Windows does of the world. Which process lives is not asked: the standard library does not tell, and `unsafe` is
//! forbidden. What follows from that is in `docs/platforms.md`.
#![expect(clippy::disallowed_methods, reason = "the shell is started from here")]

use std::io::{self, Read, Write};
use std::os::windows::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// See [`super::SEES_PROCESSES`].
pub(super) const SEES_PROCESSES: bool = false;
/// The variable that names the home directory. Not `HOME`, which a Unix shell sets and no other: an approval has to be found from
/// all of them.
pub(super) const HOME: &str = "USERPROFILE";
/// The signals by which a person asks a program to stop.
pub(super) const STOPS: [i32; 2] = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

/// `CREATE_NEW_PROCESS_GROUP`: a Ctrl-C is for us, who ends the others.
const OWN_GROUP: u32 = 0x0000_0200;

/// The process that started this one: nobody says.
pub fn parent_pid() -> Option<u32> {
    None
}

/// As [`parent_pid`].
pub fn session_starter() -> Option<u32> {
    None
}

/// When a process started: nobody says.
pub fn start_time(_: u32) -> Option<u64> {
    None
}

/// Whether a process is known to run: none is.
pub fn alive(_: u32, _: Option<u64>) -> bool {
    false
}

/// A token that names this boot: there is none.
pub fn hostname_token() -> String {
    String::new()
}

/// The shell that runs the checks of a plan: the `sh` on the PATH, as Git for Windows brings one.
pub(super) fn shell() -> Command {
    let mut shell = Command::new("sh");
    shell.creation_flags(OWN_GROUP);
    shell
}

/// Nothing can be asked to end here.
pub(super) fn ask_to_end(_: u32) -> bool {
    false
}

/// What a shell that is over left behind is not known.
pub(super) fn end_left_behind(_: u32) {}

/// Ends a process with everything that it started and that was started by those, as long as they live.
pub(super) fn end(pid: u32) {
    let root = std::env::var_os("SystemRoot").map_or_else(|| PathBuf::from(r"C:\Windows"), PathBuf::from);
    // It may be gone already.
    let _ = Command::new(root.join(r"System32\taskkill.exe"))
        .args(["/F", "/T", "/PID", &pid.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

/// The signal that ended a process: there are none.
pub(super) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// A path as another program prints it.
pub(super) fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(std::str::from_utf8(bytes).ok()?))
}

/// Standard input, part by part as it comes. A pipe cannot be asked whether it has something, so a thread waits for it; it ends
/// with the process.
pub(super) struct Input {
    patience: Duration,
    parts: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Input {
    /// Standard input, with how long a next byte is waited for.
    pub(super) fn new(patience: Duration) -> Self {
        let (send, parts) = sync_channel(4);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(n) = io::stdin().lock().read(&mut buffer) {
                let Some(part) = buffer.get(..n).filter(|part| !part.is_empty()) else { break };
                if send.send(part.to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { patience, parts, rest: Vec::new() }
    }

    /// Reads what is there, at least a byte. `None` at the end, and where none came in time.
    pub(super) fn read(&mut self, room: &mut [u8]) -> Option<usize> {
        if self.rest.is_empty() {
            self.rest = self.parts.recv_timeout(self.patience).ok()?;
        }
        let n = self.rest.len().min(room.len());
        room.get_mut(..n)?.copy_from_slice(self.rest.get(..n)?);
        self.rest.drain(..n);
        Some(n)
    }
}

/// Writes to standard output without a buffer.
///
/// # Errors
/// The system's.
pub(super) fn write_out(bytes: &[u8]) -> io::Result<usize> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(bytes.len())
}
