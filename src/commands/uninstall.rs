//! `uninstall`: take the hooks out of a host's settings again.

use serde_json::json;

use crate::commands::args::Uninstall;
use crate::commands::ctx::Ctx;
use crate::commands::settings::{self, Settings};
use crate::core::json_edit::{remove_hooks, remove_permissions};
use crate::error::Result;
use crate::hosts::{self, claude_code_install as claude_code};

pub(super) fn run(ctx: &Ctx, args: &Uninstall) -> Result<()> {
    let scope = settings::scope("uninstall", &args.host, args.user, args.project, args.local)?;
    // Without its hooks a session is held by nobody. A script of the person's, outside any host, may do it.
    if hosts::inside(&|name| ctx.world.var(name)) {
        return Err(super::pause::for_a_person(
            "uninstall",
            true,
            &format!("steadfast uninstall claude-code {}", settings::flag(scope)),
        ));
    }
    let settings = Settings::open(ctx, scope)?;
    let before = settings.text.as_deref().unwrap_or_default();
    let after = remove_permissions(before, &claude_code::rules())
        .and_then(|text| remove_hooks(&text))
        .map_err(|error| settings.refused(&error))?;
    let changed = after != before;
    let removed = changed && claude_code::is_new_file(before, &after);
    if removed {
        settings.remove()?;
    } else if changed {
        settings.replace(&after)?;
    }
    if ctx.out.json {
        ctx.out
            .value(&json!({ "host": "claude-code", "file": settings.path, "changed": changed, "permissions": false }));
        return Ok(());
    }
    let file = crate::output::clean(&settings.path.display().to_string());
    if !changed {
        ctx.out.line(&format!("nothing of steadfast is in {file}"));
        return Ok(());
    }
    ctx.out.line(&if removed {
        format!("{file} held nothing but the hooks of steadfast and is removed")
    } else {
        format!("the hooks of steadfast and their permission rules are out of {file}")
    });
    ctx.out.line("  sessions that are open now keep them until a restart; plans and approvals stay");
    Ok(())
}
