//! The client at a terminal, with somebody in front of it: the test types.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};

use crate::client::offline;
use crate::project::Project;

/// A client with a pseudo-terminal.
pub struct Terminal {
    child: Child,
    keys: std::fs::File,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Starts the client in a project, past its questions for a newcomer, and waits until it takes input.
    #[track_caller]
    pub fn open(project: &Project, args: &[&str]) -> Self {
        acquaint(project);
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let side = || rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let input = side();
        tcsetwinsize(&input, Winsize { ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let mut command: Command = project.command(&project.client.program);
        offline(&mut command, &project.server.url());
        command
            .args(["--permission-mode", "acceptEdits"])
            .args(args)
            .env("TERM", "xterm-256color")
            .stdin(input)
            .stdout(side())
            .stderr(side())
            .process_group(0);
        let child = command.spawn().unwrap();
        drop(command);
        let keys = std::fs::File::from(master.as_fd().try_clone_to_owned().unwrap());
        let mut output = std::fs::File::from(master);
        let screen = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The other side closes when the client ends.
            while let Ok(n) = output.read(&mut bytes) {
                if n == 0 {
                    break;
                }
                shown.lock().unwrap().extend_from_slice(&bytes[..n]);
            }
        });
        let terminal = Self { child, keys, screen };
        terminal.wait_until("it takes input", || terminal.screen().contains('❯'));
        std::thread::sleep(Duration::from_millis(500));
        terminal
    }

    /// Everything shown so far, without the control sequences.
    pub fn screen(&self) -> String {
        let bytes = self.screen.lock().unwrap().clone();
        let text = String::from_utf8_lossy(&bytes);
        let mut plain = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '\u{1b}' {
                plain.push(c);
                continue;
            }
            match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
                _ => {}
            }
            plain.push(' ');
        }
        plain
    }

    /// Types a line and presses Enter.
    pub fn enter(&mut self, line: &str) {
        // 2.1.332 puts a prompt that a hook answered back into the input line; Ctrl-U takes it out.
        std::thread::sleep(Duration::from_millis(500));
        self.keys.write_all(b"\x15").unwrap();
        std::thread::sleep(Duration::from_millis(100));
        self.keys.write_all(line.as_bytes()).unwrap();
        // Otherwise it would be taken for a paste with a line break in it.
        std::thread::sleep(Duration::from_millis(400));
        self.keys.write_all(b"\r").unwrap();
    }

    /// Waits for something that the client does.
    #[track_caller]
    pub fn wait_until(&self, what: &str, happened: impl Fn() -> bool) {
        let since = Instant::now();
        while !happened() {
            assert!(since.elapsed() < Duration::from_secs(60), "not within a minute: {what}\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Leaves the client as a person does.
    #[track_caller]
    pub fn leave(mut self) {
        self.enter("/exit");
        let since = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(since.elapsed() < Duration::from_secs(30), "it does not leave\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Answers the questions for a newcomer beforehand. A headless session may have been here.
fn acquaint(project: &Project) {
    let file = project.home().join(".claude.json");
    let mut settings: Value =
        std::fs::read(&file).map_or_else(|_| json!({}), |bytes| serde_json::from_slice(&bytes).unwrap());
    settings["hasCompletedOnboarding"] = json!(true);
    settings["theme"] = json!("dark");
    settings["customApiKeyResponses"] = json!({ "approved": ["dummy"], "rejected": [] });
    settings["projects"][project.dir.to_str().unwrap()]["hasTrustDialogAccepted"] = json!(true);
    std::fs::write(file, settings.to_string()).unwrap();
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Gone already, in the good case.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}
