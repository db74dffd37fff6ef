//! A stop of the main thread: the gate.

use serde_json::json;

use crate::core::contract::digest_start;
use crate::core::event::{Background, Reply, StopCall};
use crate::core::gate::{self, Behind, Facts, Verdict, Work};
use crate::core::inject;
use crate::core::next;
use crate::core::plan::Status;
use crate::core::text::flatten;
use crate::core::view::PhaseView;
use crate::hook::scene::{Scene, record};
use crate::hook::{context, progress};
use crate::store::session::LastStop;
use crate::store::{Snapshot, wakes};

/// How many phases the user's line names.
const NAMED: usize = 8;

pub(super) fn answer(scene: &mut Scene<'_, '_>, call: &StopCall) -> Reply {
    // The host sets its flag after a hook that woke the session, too, and that was no hold.
    let woken = std::mem::take(&mut scene.session.woken);
    let mut snapshot = scene.snapshot();
    if progress::take_over(scene, &snapshot) {
        snapshot.look_again(&scene.desk.run);
    }
    if !progress::awaken(scene, &snapshot).is_empty() {
        snapshot = scene.snapshot();
    }
    if progress::open_next(scene, &snapshot) {
        snapshot = scene.snapshot();
    }
    let blocks = scene.desk.blocks();
    let facts = Facts { active: call.active && !woken, ..facts(scene, &snapshot, call, blocks) };
    let again = is_again(scene, call) && gate::decide(&Facts { progressed: true, ..facts }) == Verdict::Hold;
    if again && !scene.session.last_stop.replayed {
        return replay(scene);
    }
    let mut verdict = if again { Verdict::Duplicate } else { gate::decide(&facts) };
    if call.errored && verdict == Verdict::Hold {
        verdict = Verdict::Error;
    }
    if verdict == Verdict::Background {
        scene.desk.run.deferred = deferred(&call.background);
    }
    // Persist the count first, block second.
    if verdict == Verdict::Hold && scene.desk.set_blocks(blocks.unwrap_or(0).saturating_add(1)).is_err() {
        verdict = Verdict::Error;
    }
    let reply = if verdict == Verdict::Hold {
        hold(scene, &snapshot, facts.work)
    } else {
        let_go(scene, &snapshot, verdict, call)
    };
    scene.session.last_stop = LastStop {
        payload: scene.call.payload.clone(),
        verdict: verdict.word().to_owned(),
        said: reply.hold.clone().or_else(|| reply.notice.clone()).unwrap_or_default(),
        replayed: false,
    };
    reply
}

/// The very same payload once more. After a hold a host sets its flag, so an equal payload without it, with nothing between,
/// is the same stop delivered twice.
fn is_again(scene: &Scene<'_, '_>, call: &StopCall) -> bool {
    let last = &scene.session.last_stop;
    !call.active && last.payload == scene.call.payload && last.verdict == Verdict::Hold.word()
}

/// The same answer, once, where all that the hold stood on still stands. It is no new block, but it takes its place in the
/// limit of this turn, so that no host can be kept in a loop by it.
fn replay(scene: &mut Scene<'_, '_>) -> Reply {
    scene.session.turn_holds += 1;
    let last = &mut scene.session.last_stop;
    last.replayed = true;
    Reply { hold: Some(last.said.clone()), ..Reply::default() }
}

fn facts(scene: &Scene<'_, '_>, snapshot: &Snapshot, call: &StopCall, blocks: Option<u32>) -> Facts {
    let event = scene.call.event;
    let head = snapshot.head.as_ref();
    let attends = event.attended != Some(false);
    let cap = scene.call.world.var("PWF_GATE_CAP").and_then(|v| v.parse().ok()).unwrap_or(gate::DEFAULT_CAP);
    let run = &scene.desk.run;
    Facts {
        gated: snapshot.gated(),
        paused: run.paused,
        attached: true,
        work: if snapshot.contract.is_none() {
            Work::Open
        } else {
            next::work(&snapshot.view, next::stale(&snapshot.view, run))
        },
        active: call.active,
        hold: head.and_then(|h| h.gate.hold).unwrap_or(event.attended == Some(false)),
        behind: behind(&call.background, &run.deferred),
        asks: attends && gate::asks(&call.last_message),
        blocks,
        cap,
        turn_holds: scene.session.turn_holds,
        held_before: scene.session.mark_at_hold.is_some(),
        progressed: scene.session.mark_at_hold.is_some_and(|old| run.mark.exceeds(old)),
    }
}

fn behind(background: &Background, known: &str) -> Behind {
    if !background.subagents.is_empty() {
        Behind::Subagent
    } else if background.shells.is_empty() {
        Behind::Nothing
    } else if deferred(background) == known {
        Behind::OldShell
    } else {
        Behind::Shell
    }
}

fn deferred(background: &Background) -> String {
    let mut ids = background.shells.clone();
    ids.sort();
    digest_start(ids.join("\n").as_bytes(), 8)
}

fn hold(scene: &mut Scene<'_, '_>, snapshot: &Snapshot, work: Work) -> Reply {
    let run = &mut scene.desk.run;
    run.holds = run.holds.saturating_add(1);
    if work == Work::Stale {
        run.asked_tick = run.edit_tick.max(1);
    }
    scene.session.mark_at_hold = Some(run.mark);
    scene.session.turn_holds += 1;
    let next = next::next(&snapshot.view);
    let reason = match &snapshot.head {
        Some(head) if snapshot.contract.is_none() => inject::draft_reason(&head.goal, &scene.desk.place.file()),
        _ => inject::reason(&snapshot.view, &next, work),
    };
    let phase = next.phase.and_then(|i| snapshot.view.phases.get(i)).map(|p| p.id.clone()).unwrap_or_default();
    let mut block = record(scene.call, "gate_block", "stop held");
    block.phase = phase;
    block.data = json!({ "blocks": scene.desk.run.blocks });
    scene.records.push(block);
    Reply { hold: Some(reason), ..Reply::default() }
}

fn let_go(scene: &mut Scene<'_, '_>, snapshot: &Snapshot, verdict: Verdict, call: &StopCall) -> Reply {
    let mut reply = Reply { notice: context::news(scene, snapshot), ..Reply::default() };
    if verdict == Verdict::NotGated {
        return reply;
    }
    let mut allow = record(scene.call, "gate_allow", "stop let go");
    allow.data = json!({ "verdict": verdict.word() });
    scene.records.push(allow);
    let total = snapshot.view.phases.len();
    let open = snapshot.view.phases.iter().filter(|p| !p.settled()).count();
    let run = format!("steadfast run {}", scene.call.host.program);
    let go_on = match verdict {
        Verdict::Paused => "steadfast resume",
        // Who sits there goes on in the chat itself.
        _ if scene.call.event.attended == Some(true) => "type continue",
        _ => &run,
    };
    let text = match verdict {
        Verdict::NeedsYou => Some(needs_you(snapshot)),
        Verdict::Waiting => Some(waits(scene, snapshot, call, &run)),
        _ => inject::let_go(verdict, open, total, go_on),
    };
    if let Some(mut text) = text {
        let run = &scene.desk.run;
        if run.proposed > run.looked {
            let look = if scene.call.event.attended == Some(true) { "type approve plan" } else { "steadfast status" };
            text = format!("{text} A proposal waits for you: {look}");
        }
        reply.notice = Some(match reply.notice {
            Some(news) => format!("{text}\n{news}"),
            None => text,
        });
    }
    reply
}

/// What the run waits for, and who wakes it.
fn waits(scene: &Scene<'_, '_>, snapshot: &Snapshot, call: &StopCall, run: &str) -> String {
    let waiting = snapshot.view.phases.iter().filter(|p| p.status == Status::Waiting);
    let named: Vec<String> = waiting.take(NAMED).map(|p| format!("{} waits {}", p.id, p.waits)).collect();
    let who = if call.background.shells.is_empty() {
        let now = scene.call.now();
        wakes::who(&scene.call.state, scene.session.sleeps && snapshot.waits_in_sight(now), now)
    } else {
        "a background task of this session"
    };
    let attended = scene.call.event.attended == Some(true);
    let go_on = if attended { "type continue" } else { run };
    let approve = wants_a_word(snapshot).map_or_else(String::new, |id| {
        let how = if attended { "type approve phase" } else { "steadfast approve" };
        format!(" Your word on {id}: {how} {id}.")
    });
    flatten(&format!(
        "steadfast let the run end: waiting. {}.{approve} Woken by: {who}. To go on before: {go_on}",
        named.join("; ")
    ))
}

/// The first phase that waits for a person's word on it.
fn wants_a_word(snapshot: &Snapshot) -> Option<&str> {
    let (contract, head) = (snapshot.contract.as_ref()?, snapshot.head.as_ref()?);
    let wants = |p: &&PhaseView| contract.phase(&p.id).is_some_and(|c| c.asks_a_person() && !head.is_given(c));
    snapshot.view.phases.iter().filter(|p| p.status == Status::Waiting).find(wants).map(|p| p.id.as_str())
}

/// Which phases need a person, and why. What a person parked is settled.
fn needs_you(snapshot: &Snapshot) -> String {
    let needy: Vec<&PhaseView> =
        snapshot.view.phases.iter().filter(|p| !p.settled() || next::parked_by_agent(p)).collect();
    let mut named: Vec<String> = needy
        .iter()
        .take(NAMED)
        .map(|p| format!("{} ({})", p.id, if p.run.why.is_empty() { p.status.word() } else { &p.run.why }))
        .collect();
    if needy.len() > NAMED {
        named.push(format!("and {} more", needy.len() - NAMED));
    }
    let first = needy.first().map_or("PHASE", |p| p.id.as_str());
    flatten(&format!(
        "steadfast let the run end: needs you. Not done: {}. To take one up again: steadfast start {first}",
        named.join("; ")
    ))
}
