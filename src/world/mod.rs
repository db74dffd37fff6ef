//! The only door to the world outside the disk: environment, cwd, clock, standard input, processes.
#![expect(clippy::disallowed_methods, reason = "this room is the door the lint points to")]

pub mod run;
pub mod stdin;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{alive, hostname_token, parent_pid, session_starter, start_time};

/// Whether this system says which process is whose child, and whether one still runs.
pub const SEES_PROCESSES: bool = system::SEES_PROCESSES;

/// This process.
pub fn own_pid() -> u32 {
    std::process::id()
}

/// What a run of this program may know about its surroundings.
#[derive(Clone, Copy, Debug, Default)]
pub struct World;

impl World {
    /// The words after the program's name; bytes that are no UTF-8 are replaced.
    pub fn args(self) -> Vec<String> {
        std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect()
    }

    /// An environment variable, where it is set, not empty and valid UTF-8. `HOME` is the home directory whatever this system
    /// calls it.
    pub fn var(self, name: &str) -> Option<String> {
        let name = if name == "HOME" { system::HOME } else { name };
        std::env::var(name).ok().filter(|v| !v.is_empty())
    }

    /// Whether the user wants every record on the disk before it is acknowledged (`STEADFAST_SYNC=1`).
    pub fn syncs(self) -> bool {
        self.var("STEADFAST_SYNC").as_deref() == Some("1")
    }

    /// Where this process works. `None` where the directory is gone.
    pub fn cwd(self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    /// The clock as `STEADFAST_NOW` fixes it for tests. Not in a program as it is released: by it an agent could wait for years.
    fn fixed(self) -> Option<u64> {
        if cfg!(debug_assertions) { self.var("STEADFAST_NOW").and_then(|v| v.parse().ok()) } else { None }
    }

    /// Seconds since 1970.
    pub fn now(self) -> u64 {
        if let Some(fixed) = self.fixed() {
            return fixed;
        }
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
    }

    /// Nanoseconds of the clock, for names that must differ.
    pub fn nanos(self) -> u128 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos())
    }

    /// A point in time to measure from.
    pub fn instant(self) -> Instant {
        Instant::now()
    }

    /// Sleeps. Where the clock is fixed only for a hundredth of it: nothing but other processes can change then.
    pub fn pause(self, time: Duration) {
        let fixed = self.fixed().is_some();
        std::thread::sleep(if fixed { time / 100 } else { time });
    }

    /// The absolute path of this program.
    pub fn exe(self) -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    /// The home directory.
    pub fn home(self) -> Option<PathBuf> {
        self.var("HOME").map(PathBuf::from).filter(|p| p.is_absolute())
    }

    /// Where temporary files go.
    pub fn temp(self) -> PathBuf {
        std::env::temp_dir()
    }

    /// Standard input, at most `max` bytes of it.
    ///
    /// # Errors
    /// The system's.
    pub fn input(self, max: u64) -> std::io::Result<Vec<u8>> {
        use std::io::Read;
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Somebody can be asked: standard input and standard error are terminals.
    pub fn can_ask(self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Writes to standard output without a buffer. How many bytes went.
    ///
    /// # Errors
    /// The system's.
    pub fn write_out(self, bytes: &[u8]) -> std::io::Result<usize> {
        system::write_out(bytes)
    }

    /// One line typed by the person, without its line ending.
    pub fn ask(self, question: &str) -> Option<String> {
        use std::io::Write;
        let mut err = std::io::stderr().lock();
        write!(err, "{question}").and_then(|()| err.flush()).ok()?;
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(n) if n > 0 => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
            _ => None,
        }
    }
}
