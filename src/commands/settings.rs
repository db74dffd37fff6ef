//! The settings file of a host, as `install` and `uninstall` see it.

use std::path::{Path, PathBuf};

use crate::commands::ctx::Ctx;
use crate::core::json_edit::EditError;
use crate::error::{Failure, Result};
use crate::hosts;
use crate::hosts::claude_code_install::{self as claude_code, Scope};
use crate::store::disk::{self, Read};

/// The most of a settings file that is read, in bytes.
const MAX: u64 = 4 * 1024 * 1024;

/// A settings file and its text.
pub(super) struct Settings {
    pub(super) path: PathBuf,
    scope: Scope,
    /// `None`: the file is not there.
    pub(super) text: Option<String>,
}

/// The host and scope that a command line names. `verb` is the command, for the fix.
pub(super) fn scope(verb: &str, host: &str, user: bool, project: bool, local: bool) -> Result<Scope> {
    if !matches!(host, "claude-code" | "claude") {
        let by_hand =
            hosts::named(host).and_then(|host| Some(format!("its hooks are added by hand: {}", host.by_hand?)));
        let why = by_hand.unwrap_or_else(|| "hooks can be written into the settings of claude-code".to_owned());
        return Err(Failure::usage(format!("`{host}` is no host to {verb} for"), why, "steadfast hosts"));
    }
    match (user, project, local) {
        (true, _, _) => Ok(Scope::User),
        (_, true, _) => Ok(Scope::Project),
        (_, _, true) => Ok(Scope::Local),
        _ => Err(Failure::usage(
            "it is not said which settings are meant",
            "--user: yours, for all projects; --project: this project's, for everybody; --local: this project's, for you",
            format!("steadfast {verb} claude-code --user"),
        )),
    }
}

/// The flag of a scope.
pub(super) fn flag(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "--user",
        Scope::Project => "--project",
        Scope::Local => "--local",
    }
}

/// Where the settings of a scope are.
pub(super) fn path(ctx: &Ctx, scope: Scope) -> Result<PathBuf> {
    let project = project(ctx).unwrap_or_default();
    if scope != Scope::User && !project.is_absolute() {
        return Err(Failure::no(
            "there is no current directory",
            "it was deleted, or may not be read",
            "cd  # then to the project",
        ));
    }
    claude_code::settings(scope, &|name| ctx.world.var(name), &project).filter(|path| path.is_absolute()).ok_or_else(
        || {
            let why = "neither CLAUDE_CONFIG_DIR nor HOME names an absolute path";
            Failure::no("your settings cannot be found", why, "export HOME=\"$(cd ~ && pwd)\"")
        },
    )
}

/// The repository root, else the current directory: where a host is started.
fn project(ctx: &Ctx) -> Option<PathBuf> {
    let here = ctx.world.cwd()?;
    let home = ctx.world.home();
    let inside_home = |dir: &&Path| Some(*dir) != home.as_deref();
    let root = here.ancestors().take_while(inside_home).find(|dir| disk::is_repository(dir));
    Some(root.unwrap_or(&here).to_path_buf())
}

impl Settings {
    /// Reads the settings of a scope.
    pub(super) fn open(ctx: &Ctx, scope: Scope) -> Result<Self> {
        let path = path(ctx, scope)?;
        let folder = path.parent().and_then(disk::kind);
        if scope != Scope::User && folder.is_some_and(|kind| !kind.dir) {
            let why = ".claude is not a folder of this project but a link or a file";
            return Err(Failure::no(
                format!("{} is left alone", path.display()),
                why,
                "steadfast install claude-code --user",
            ));
        }
        let text = match disk::read(&path, MAX) {
            Read::Missing => None,
            Read::Bytes(bytes) => Some(String::from_utf8(bytes).map_err(|error| {
                let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
                let line = String::from_utf8_lossy(before).split('\n').count();
                Failure::no(
                    format!("{} is left alone", path.display()),
                    format!("line {line} is not valid UTF-8"),
                    format!("steadfast install claude-code {} --dry-run  # when the file is UTF-8", flag(scope)),
                )
            })?),
            other => {
                return Err(Failure::no(
                    format!("{} is left alone", path.display()),
                    format!("{}, and only a plain file is written", other.trouble().unwrap_or_default()),
                    format!(
                        "steadfast install claude-code {} --dry-run  # shows what to write where the file really is",
                        flag(scope)
                    ),
                ));
            }
        };
        Ok(Self { path, scope, text })
    }

    /// An edit that cannot be made.
    pub(super) fn refused(&self, error: &EditError) -> Failure {
        Failure::no(
            format!("{} is left alone", self.path.display()),
            error.to_string(),
            "steadfast doctor  # when that place is mended",
        )
    }

    /// Writes a new text, unless the file changed since it was read.
    pub(super) fn replace(&self, text: &str) -> Result<()> {
        self.unchanged()?;
        let readers = if self.scope == Scope::Project { disk::Readers::All } else { disk::Readers::User };
        let folder = self.path.parent().map_or(Ok(()), |folder| match disk::kind(folder) {
            Some(_) => Ok(()),
            None if self.scope == Scope::User => disk::make_private_dir(folder),
            None => disk::make_dir(folder),
        });
        folder.and_then(|()| disk::replace(&self.path, text.as_bytes(), readers)).map_err(|error| self.failed(&error))
    }

    /// Removes the file, unless it changed since it was read.
    pub(super) fn remove(&self) -> Result<()> {
        self.unchanged()?;
        disk::remove(&self.path).map_err(|error| self.failed(&error))
    }

    fn unchanged(&self) -> Result<()> {
        let same = match disk::read(&self.path, MAX) {
            Read::Missing => self.text.is_none(),
            Read::Bytes(bytes) => self.text.as_ref().is_some_and(|text| text.as_bytes() == bytes),
            _ => false,
        };
        if same {
            return Ok(());
        }
        Err(Failure::no(
            format!("{} is left alone", self.path.display()),
            "somebody else wrote it just now",
            format!("steadfast install claude-code {}", flag(self.scope)),
        ))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        let fix = format!("see that you may write there: ls -ld {0} {0}/..", self.path.display());
        Failure::fault(format!("{} could not be written", self.path.display()), error.to_string(), fix)
    }
}
