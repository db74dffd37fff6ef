//! A bound session starts or goes on.

use crate::core::event::{Reply, Source};
use crate::hook::context;
use crate::hook::scene::Scene;
use crate::world::{hostname_token, start_time};

pub(super) fn answer(scene: &mut Scene<'_, '_>, source: Source) -> Reply {
    if scene.call.event.agent.is_some() {
        return Reply::default();
    }
    let word = match source {
        Source::Startup => "startup",
        Source::Resume => "resume",
        Source::Clear => "clear",
        Source::Compact => "compact",
        Source::Fork => "fork",
    };
    let back = scene.session.ended || scene.session.started != word;
    // Some hosts start a session for every message: only news is recorded.
    if back {
        word.clone_into(&mut scene.session.started);
        scene.session.ended = false;
        scene.record("session_start", "", word);
    }
    host_process(scene);
    context::full(scene)
}

/// Keeps the host process of the session: a verb may not have known it, and a resumed session has another.
pub(super) fn host_process(scene: &mut Scene<'_, '_>) {
    let who = scene.call.who();
    if who.pid.is_some() && who.pid != scene.session.pid {
        scene.session.pid = who.pid;
        scene.session.pid_start = who.pid.and_then(start_time);
        scene.session.boot = hostname_token();
    }
}
