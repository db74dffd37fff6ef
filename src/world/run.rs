//! Starts programs: the checks of a plan and the host of `steadfast run`. Hooks never come here.
#![expect(clippy::disallowed_methods, reason = "this is the one place that starts programs")]

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::system;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed because its time was up.
    Timeout,
    /// It was killed because this process was asked to stop.
    Interrupted,
}

impl End {
    /// As one number: the exit code, 128 + signal, 124 for a timeout (as `timeout(1)`), 130 for an interruption.
    pub fn code(self) -> i32 {
        match self {
            Self::Exit(code) => code,
            Self::Signal(signal) => 128 + signal,
            Self::Timeout => 124,
            Self::Interrupted => 130,
        }
    }
}

/// What a command left.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub took: Duration,
    /// The last [`KEEP`] bytes of standard output and standard error, in the order they came.
    pub output: Vec<u8>,
    /// SHA-256 of all output, in hex.
    pub digest: String,
}

/// How much output is kept, in bytes.
pub const KEEP: usize = 256 * 1024;

/// Runs `sh -c command` in `dir`, in a process group of its own, for at most `limit`. Everything it prints is given to
/// `see` as it comes, with the time since it began; and nothing, time and again, while it prints nothing.
///
/// # Errors
/// Where the shell cannot be started.
pub fn shell(
    command: &str,
    dir: &Path,
    env: &[(&str, &str)],
    limit: Duration,
    see: &mut dyn FnMut(&[u8], Duration),
) -> io::Result<Outcome> {
    use sha2::Digest;
    let stop = Arc::new(AtomicBool::new(false));
    let handlers: Vec<_> = system::STOPS
        .into_iter()
        .filter_map(|signal| signal_hook::flag::register(signal, Arc::clone(&stop)).ok())
        .collect();
    let started = Instant::now();
    let (mut reader, writer) = io::pipe()?;
    let mut child = system::shell()
        .arg("-c")
        .arg(command)
        .current_dir(dir)
        .envs(env.iter().copied())
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()?;
    let (send, receive) = mpsc::channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(n) = reader.read(&mut buffer) {
            let Some(part) = buffer.get(..n).filter(|p| !p.is_empty()) else { break };
            if send.send(part.to_vec()).is_err() {
                break;
            }
        }
    });
    let mut output = Vec::new();
    let mut hash = sha2::Sha256::new();
    let mut take = |part: &[u8]| {
        hash.update(part);
        output.extend_from_slice(part);
        if output.len() > 2 * KEEP {
            output.drain(..output.len() - KEEP);
        }
        see(part, started.elapsed());
    };
    let mut forced = None;
    let status = loop {
        match receive.recv_timeout(Duration::from_millis(20)) {
            Ok(part) => take(&part),
            Err(mpsc::RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(2)),
            Err(mpsc::RecvTimeoutError::Timeout) => take(&[]),
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if forced.is_none() {
            forced = if stop.load(Ordering::Relaxed) {
                Some(End::Interrupted)
            } else if started.elapsed() >= limit {
                Some(End::Timeout)
            } else {
                None
            };
            if forced.is_some() {
                end_group(&mut child);
            }
        }
    };
    // What the command left behind in its group must not outlive it, and could keep the pipe open for ever.
    system::end_left_behind(child.id());
    let patience = Instant::now() + Duration::from_secs(1);
    while let Ok(part) = receive.recv_timeout(Duration::from_millis(100)) {
        take(&part);
        // What left the group may go on writing for ever.
        if Instant::now() >= patience || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    for handler in handlers {
        signal_hook::low_level::unregister(handler);
    }
    let surplus = output.len().saturating_sub(KEEP);
    output.drain(..surplus);
    let digest = hex::encode(hash.finalize());
    Ok(Outcome { end: forced.unwrap_or_else(|| ended(status)), took: started.elapsed(), output, digest })
}

fn ended(status: ExitStatus) -> End {
    status.code().map_or_else(|| End::Signal(system::signal_of(status).unwrap_or(0)), End::Exit)
}

fn end_group(child: &mut std::process::Child) {
    let asked = system::ask_to_end(child.id());
    let patience = Instant::now() + Duration::from_secs(2);
    while asked && Instant::now() < patience {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    system::end(child.id());
}

/// The files of a repository that git does not ignore, beneath a directory and relative to it. `None` outside a repository, and
/// where there is no git.
pub fn git_files(dir: &Path) -> Option<Vec<PathBuf>> {
    let output = Command::new("git")
        // A repository may name programs of its own for these.
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C"])
        .arg(dir)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = output.stdout.split(|b| *b == 0).filter(|name| !name.is_empty());
    names.map(system::path_of).collect()
}

/// A program as a hook is started by a host: payload on standard input, output kept.
///
/// # Errors
/// Where it cannot be started.
pub fn with_input(
    program: &Path,
    args: &[&str],
    dir: &Path,
    env: &[(&str, String)],
    input: &[u8],
) -> io::Result<(i32, Vec<u8>)> {
    use std::io::Write;
    let mut child = Command::new(program)
        .args(args)
        .current_dir(dir)
        .env_clear()
        .envs(env.iter().map(|(k, v)| (*k, v)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading is judged by its output.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output()?;
    Ok((ended(output.status).code(), output.stdout))
}

/// Hands the terminal to another program and waits for it.
///
/// # Errors
/// Where it cannot be started.
pub fn foreground(program: &str, args: &[String], dir: &Path, env: &[(&str, String)]) -> io::Result<i32> {
    let status = Command::new(program).args(args).current_dir(dir).envs(env.iter().map(|(k, v)| (*k, v))).status()?;
    Ok(ended(status).code())
}
