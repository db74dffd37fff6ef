//! `install`: write the hooks into a host's settings.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::commands::args::Install;
use crate::commands::ctx::Ctx;
use crate::commands::settings::{self, Settings};
use crate::core::json_edit::{OurHook, lacking, merge_hooks, merge_permissions, our_hooks};
use crate::error::{Failure, Result};
use crate::hosts::claude_code_install::{self as claude_code, Scope};
use crate::store::disk;

pub(super) fn run(ctx: &Ctx, args: &Install) -> Result<()> {
    let scope = settings::scope("install", &args.host, args.user, args.project, args.local)?;
    let program = program(ctx)?;
    let entries = claude_code::entries(&program);
    if args.dry_run {
        return dry_run(ctx, scope, &program);
    }
    let settings = Settings::open(ctx, scope)?;
    let refused = |error| settings.refused(&error);
    let hooked = match &settings.text {
        Some(text) => merge_hooks(text, &entries),
        None => claude_code::new_file(&entries),
    };
    let hooked = hooked.map_err(refused)?;
    let ruled = merge_permissions(&hooked, &claude_code::rules()).map_err(refused)?;
    let allow = ruled == hooked || args.yes || wanted(ctx);
    let text = if allow { ruled } else { hooked };
    let changed = settings.text.as_ref() != Some(&text);
    if changed {
        settings.replace(&text)?;
    }
    report(ctx, scope, &settings.path, changed, allow);
    if program.contains("/target/debug/") || program.contains("/target/release/") {
        ctx.out.aside(&format!(
            "note: the hooks start {program}, which `cargo clean` removes; better: cargo install --path ."
        ));
    }
    Ok(())
}

/// Whether the person wants the permission rules. Where nobody can be asked, nobody does.
fn wanted(ctx: &Ctx) -> bool {
    if ctx.out.json || !ctx.world.can_ask() {
        return false;
    }
    let question = format!("let agents run these verbs without asking you: {}? [y/N] ", claude_code::harmless());
    ctx.world.ask(&question).is_some_and(|answer| matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn report(ctx: &Ctx, scope: Scope, path: &Path, changed: bool, allowed: bool) {
    if ctx.out.json {
        ctx.out.value(&json!({ "host": "claude-code", "file": path, "changed": changed, "permissions": allowed }));
        return;
    }
    let file = crate::output::clean(&path.display().to_string());
    if changed {
        ctx.out.line(&format!("the hooks of steadfast are in {file}"));
        ctx.out.line("  sessions that are open now need a restart");
        if scope == Scope::Project {
            ctx.out.line("  this file is shared, and names the program by its path on this machine; for yourself alone: --local or --user");
        }
    } else {
        ctx.out.line(&format!("the hooks of steadfast were in {file} already"));
    }
    if allowed {
        ctx.out.line(&format!("  an agent may run these verbs without asking: {}", claude_code::harmless()));
    } else {
        ctx.out.line("  the host asks before an agent runs a verb; to allow the harmless ones:");
        ctx.out.line(&format!("  steadfast install claude-code {} --yes", settings::flag(scope)));
    }
}

/// Shows what would be written, and nothing of what stands in the file: settings hold secrets.
fn dry_run(ctx: &Ctx, scope: Scope, program: &str) -> Result<()> {
    let entries = claude_code::entries(program);
    let path = settings::path(ctx, scope)?;
    let (changed, trouble) = match Settings::open(ctx, scope) {
        Err(failure) => (false, Some(failure)),
        Ok(settings) => match merge_hooks(settings.text.as_deref().unwrap_or_default(), &entries) {
            Err(error) => (false, Some(settings.refused(&error))),
            Ok(text) => (settings.text.as_ref() != Some(&text), None),
        },
    };
    if ctx.out.json {
        if let Some(failure) = trouble {
            return Err(failure);
        }
        ctx.out.value(&json!({
            "host": "claude-code", "file": path, "changed": changed, "permissions": false, "dry_run": true,
        }));
        return Ok(());
    }
    let file = crate::output::clean(&path.display().to_string());
    if let Ok(text) = merge_hooks("{}", &entries).and_then(|text| merge_permissions(&text, &claude_code::rules())) {
        ctx.out.line(&text);
    }
    if let Some(failure) = trouble {
        return Err(failure);
    }
    ctx.out.line(&if changed {
        format!("these hooks would go into {file}, and the permission rules where you say so; nothing was written")
    } else {
        format!("these hooks are in {file} already; nothing was written")
    });
    Ok(())
}

/// The path of this program that hooks should name: the one on PATH where that is this program, since it outlives an
/// update, else its own.
fn program(ctx: &Ctx) -> Result<String> {
    let exe = ctx.world.exe().and_then(|exe| disk::canonical(&exe).ok()).ok_or_else(|| {
        Failure::fault(
            "the hooks cannot name this program",
            "its own path is not known",
            "cargo install --path . --force",
        )
    })?;
    let name = format!("steadfast{}", std::env::consts::EXE_SUFFIX);
    let on_path = ctx.world.var("PATH").and_then(|path| {
        let candidates = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(&name));
        candidates.into_iter().find(|candidate| disk::canonical(candidate).is_ok_and(|real| real == exe))
    });
    let path = on_path.unwrap_or(exe);
    path.to_str().and_then(|text| claude_code::program(text, cfg!(windows))).ok_or_else(|| {
        Failure::no(
            "the hooks cannot name this program",
            format!("hooks are known again by the program's name, and this one is at {}", path.display()),
            "run the program under the name steadfast, from a path in UTF-8",
        )
    })
}

/// What `doctor` says about the hooks: whether it is good, what it is, and what to do.
pub(super) fn examine(ctx: &Ctx, say: &mut dyn FnMut(bool, String, String)) {
    let mut found = false;
    for scope in [Scope::User, Scope::Project, Scope::Local] {
        let fix = format!("steadfast install claude-code {}", settings::flag(scope));
        let Ok(settings) = Settings::open(ctx, scope) else { continue };
        let Some(text) = &settings.text else { continue };
        let file = settings.path.display();
        if has_plugin(text) {
            found = true;
            say(true, format!("the plugin is on in {file}"), String::new());
        }
        let hooks = match our_hooks(text) {
            Ok(hooks) if hooks.is_empty() => continue,
            Ok(hooks) => hooks,
            Err(error) => {
                say(false, format!("{file} cannot be read: {error}"), "mend that place".to_owned());
                continue;
            }
        };
        found = true;
        let missing = lacking(&hooks, &claude_code::entries(""));
        let gone = hooks.iter().find(|hook| !starts(&hook.command));
        match gone {
            Some(OurHook { event, command, .. }) => {
                say(false, format!("{file}: the hook of {event} starts {command}, which is not there"), fix);
            }
            None if missing > 0 => say(false, format!("{file} lacks {missing} of our hooks"), fix),
            None => say(true, format!("hooks in {file}"), String::new()),
        }
    }
    if !found {
        let what = "no hooks: neither the user's nor this project's settings of claude-code have them".to_owned();
        say(false, what, "steadfast install claude-code --user".to_owned());
    }
}

/// Whether a hook's command can be started, as far as that can be told: a shell command cannot.
fn starts(command: &str) -> bool {
    let path = PathBuf::from(command);
    if !path.is_absolute() || command.contains("steadfast hook") {
        return true;
    }
    disk::canonical(&path)
        .ok()
        .and_then(|real| disk::kind(&real))
        .is_some_and(|kind| kind.file && kind.can_be_run() != Some(false))
}

fn has_plugin(text: &str) -> bool {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let plugins = value.get("enabledPlugins").and_then(serde_json::Value::as_object);
    plugins.is_some_and(|plugins| plugins.iter().any(|(id, on)| id.starts_with("steadfast@") && *on == true))
}
