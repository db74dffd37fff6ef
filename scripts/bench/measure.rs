//! One call of a program, measured: wall time, processor time, page faults, system calls, opened files, peak memory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// A program with everything it is started with.
pub(crate) struct Call {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) dir: PathBuf,
    pub(crate) input: PathBuf,
}

/// What one run took.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    /// User and system time together, in nanoseconds, as the scheduler counted it.
    pub(crate) cpu: Option<u64>,
    pub(crate) faults: Option<u64>,
}

/// What strace saw.
#[derive(Clone, Copy)]
pub(crate) struct Traced {
    pub(crate) calls: usize,
    /// Processes, itself included.
    pub(crate) processes: usize,
    pub(crate) opened: usize,
    /// Peak resident memory in KiB.
    pub(crate) peak: Option<u64>,
}

impl Call {
    fn command_of(&self, program: &Path, before: &[String]) -> Command {
        let mut command = Command::new(program);
        command.args(before).args(&self.args).env_clear().envs(self.env.iter().map(|(k, v)| (k, v)));
        command.current_dir(&self.dir).stdin(File::open(&self.input).unwrap());
        command
    }

    /// Runs it once and gives what it printed.
    pub(crate) fn said(&self) -> String {
        let output = self.command_of(&self.program, &[]).output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", self.program.display());
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs it once against the clock, from before it is started until it is gone.
    pub(crate) fn took(&self) -> Took {
        let mut command = self.command_of(&self.program, &[]);
        let nowhere = File::options().write(true).open("/dev/null").unwrap();
        command.stdout(nowhere.try_clone().unwrap()).stderr(nowhere);
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        let pid = Pid::from_child(&child);
        // Left as a zombie, so that the kernel's account of it can still be read.
        while waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).is_err() {}
        let wall = started.elapsed();
        let about = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", child.id())).ok();
        let cpu = about("schedstat").and_then(|t| t.split_whitespace().next()?.parse().ok());
        // The name in parentheses may hold anything; field 10 counts the minor faults.
        let faults = about("stat").and_then(|t| t.rsplit_once(')')?.1.split_whitespace().nth(7)?.parse().ok());
        assert!(child.wait().unwrap().success(), "{}", self.program.display());
        Took { wall, cpu, faults }
    }

    fn strace(&self, log: &Path, options: &[&str]) -> Command {
        let mut before: Vec<String> = ["-f", "-qq", "-o"].map(str::to_owned).to_vec();
        before.push(log.display().to_string());
        before.extend(options.iter().map(|o| (*o).to_owned()));
        before.push(self.program.display().to_string());
        let mut command = self.command_of(Path::new("strace"), &before);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Counts the system calls, and the files opened that are no directories.
    pub(crate) fn traced(&self, scratch: &Path, reset: &dyn Fn()) -> Option<Traced> {
        let log = scratch.join("trace");
        if !self.strace(&log, &[]).status().ok()?.success() {
            return None;
        }
        reset();
        let text = fs::read_to_string(&log).unwrap();
        let lines = || text.lines().filter(|l| l.contains('(') && !l.contains("resumed>"));
        let opened = |l: &&str| {
            let call = l.split_once(' ').map_or(*l, |(_, rest)| rest.trim_start());
            call.starts_with("open") && !l.contains("= -1") && !l.contains("O_DIRECTORY")
        };
        let processes: std::collections::BTreeSet<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
        let traced = Traced {
            calls: lines().count(),
            processes: processes.len(),
            opened: lines().filter(opened).count(),
            peak: self.peak(&log),
        };
        reset();
        Some(traced)
    }

    /// The high-water mark of the memory of the program itself, read while strace keeps it at its last call. `ru_maxrss`
    /// would count the memory of whoever forked it.
    fn peak(&self, log: &Path) -> Option<u64> {
        let options = ["-e", "trace=exit_group", "-e", "inject=exit_group:delay_enter=200000"];
        let mut tracer = self.strace(log, &options).spawn().ok()?;
        let id = tracer.id();
        let patience = Instant::now() + Duration::from_secs(5);
        let mut peak = None;
        while peak.is_none() && Instant::now() < patience && matches!(tracer.try_wait(), Ok(None)) {
            peak = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok().and_then(|children| {
                let child = children.split_whitespace().next()?;
                let call = fs::read_to_string(format!("/proc/{child}/syscall")).ok()?;
                // exit_group on x86_64 and on aarch64.
                let last = call.starts_with("231 ") || call.starts_with("94 ");
                let status = fs::read_to_string(format!("/proc/{child}/status")).ok().filter(|_| last)?;
                status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
            });
            std::thread::sleep(Duration::from_millis(1));
        }
        // Its end is of no interest.
        let _ = tracer.wait();
        peak
    }
}
