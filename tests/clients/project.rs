//! An archive with the hooks for Claude Code installed and the client to run in it.

use std::cell::Cell;
use std::ops::Deref;
use std::path::Path;

use crate::archive::Archive;
pub use crate::archive::{BLOCK, GATE};
use crate::client::{Client, Run, Running, offline};
use crate::server::{Script, Server};

/// The project.
pub struct Project {
    archive: Archive,
    /// The model of this test.
    pub server: Server,
    runs: Cell<usize>,
}

impl Deref for Project {
    type Target = Archive;

    fn deref(&self) -> &Archive {
        &self.archive
    }
}

impl Project {
    /// With hooks installed in the project's settings.
    pub fn new(client: &Client) -> Self {
        let project = Self::bare(client);
        project.steadfast(&["install", "claude-code", "--project", "--yes"]);
        project
    }

    /// Without hooks.
    pub fn bare(client: &Client) -> Self {
        Self { archive: Archive::new(client), server: Server::start(), runs: Cell::new(0) }
    }

    /// The client itself, such as `plugin validate`.
    pub fn claude(&self, args: &[&str]) -> std::process::Output {
        let mut command = self.command(&self.client.program);
        offline(&mut command, &self.server.url());
        command.args(args).output().unwrap()
    }

    /// A headless session with this prompt, while the model follows this script.
    pub fn session(&self, prompt: &str, script: Script) -> Run {
        self.session_with(prompt, &[], script)
    }

    /// The last session goes on with another prompt.
    pub fn go_on(&self, prompt: &str, script: Script) -> Run {
        self.session_with(prompt, &["--continue"], script)
    }

    /// A headless session with further arguments.
    pub fn session_with(&self, prompt: &str, args: &[&str], script: Script) -> Run {
        self.server.play(script);
        self.start(&self.server, &[], prompt, args, &[]).finish(|| self.server.requests())
    }

    /// A headless session with further environment variables.
    pub fn session_in(&self, prompt: &str, env: &[(&str, &str)], script: Script) -> Run {
        self.server.play(script);
        self.start(&self.server, &[], prompt, &[], env).finish(|| self.server.requests())
    }

    /// A headless session started by `steadfast run`.
    pub fn run_verb(&self, prompt: &str, script: Script) -> Run {
        self.server.play(script);
        let steadfast = env!("CARGO_BIN_EXE_steadfast");
        self.start(&self.server, &[steadfast, "run", "claude"], prompt, &[], &[]).finish(|| self.server.requests())
    }

    /// Starts a session that talks to `server`, and does not wait for it. `through` stands in the place of the client.
    pub fn start(
        &self,
        server: &Server,
        through: &[&str],
        prompt: &str,
        args: &[&str],
        env: &[(&str, &str)],
    ) -> Running {
        let run = self.runs.get() + 1;
        self.runs.set(run);
        let mut command = match through {
            [] => self.command(&self.client.program),
            [program, rest @ ..] => {
                let mut command = self.command(Path::new(program));
                command.args(rest);
                command
            }
        };
        offline(&mut command, &server.url());
        command
            .args(["-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events"])
            .args(args)
            .envs(env.iter().copied());
        if !args.contains(&"--permission-mode") {
            command.arg("--dangerously-skip-permissions");
        }
        Running::start(&mut command, self.logs(), &format!("run-{run}"))
    }
}
