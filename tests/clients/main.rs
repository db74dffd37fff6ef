//! Real clients against a scripted model, each scenario with every pinned release of its client.
//!
//! Runs where `STEADFAST_CLIENTS` names the folder that `scripts/install-clients.sh` filled, as in `.ci/run`; elsewhere each
//! test says that it is skipped, and passes. Nothing here needs an account or a network.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub
)]

mod archive;
mod client;
mod codex;
mod http;
mod project;
mod scenarios;
mod server;
mod terminal;

use std::io::Write;
use std::path::Path;
use std::sync::Once;

use crate::client::Client;

/// Makes one module per release with a test per scenario, so that the release stands in the test's name.
macro_rules! suite {
    ($releases:ident: $client:literal $program:literal, $($module:ident = $version:literal),+ => $scenarios:tt) => {
        /// The releases of this suite, held against `versions.env` by a test.
        const $releases: &[&str] = &[$($version),+];
        $(suite!(@release $client $program $module $version $scenarios);)+
    };
    (@release $client:literal $program:literal $module:ident $version:literal { $($group:ident: $($name:ident)+;)+ }) => {
        mod $module {
            $(mod $group {
                $(#[test]
                #[ignore = "starts a real client: .ci/run"]
                fn $name() {
                    crate::with($client, $program, $version, crate::scenarios::$group::$name);
                })+
            })+
        }
    };
}

suite! {
    CLAUDE_CODE: "claude-code" "claude", v2_1_332 = "2.1.332", v2_1_197 = "2.1.197" => {
        client:
            what_a_hook_is_told
            a_sleeping_hook_wakes_the_session;
        inject:
            the_first_session_after_init_carries_the_block
            every_prompt_carries_the_block
            the_context_is_whole_after_compaction
            the_context_is_whole_after_compaction_in_the_middle_of_a_turn
            a_session_attaches_by_a_verb_and_keeps_the_plan
            a_session_attaches_by_a_prompt_of_continue
            a_plan_made_by_the_agent_is_there_when_the_session_goes_on
            the_run_verb_attaches_the_session_it_starts;
        gate:
            a_premature_stop_is_held_and_the_model_reads_why
            an_unattended_run_goes_on_until_the_plan_is_done
            an_agent_that_only_says_done_is_let_go
            an_agent_that_writes_junk_is_let_go_at_the_limit
            an_agent_is_let_go_at_the_cap
            a_plan_without_hold_is_held_once
            a_session_in_a_subdirectory_keeps_its_plan
            a_deleted_plan_holds_nobody
            a_finished_plan_is_let_go
            a_subagent_is_never_held
            a_stop_beside_a_background_shell_is_let_go
            a_stop_beside_a_background_subagent_is_let_go
            a_failed_turn_leaves_nothing_stuck
            a_killed_client_leaves_nothing_stuck
            the_end_at_max_turns_leaves_nothing_stuck;
        quiet:
            no_plan_no_trace
            another_session_beside_an_ended_one
            another_session_beside_a_live_one
            a_review_that_the_agent_starts_itself_is_left_alone
            two_sessions_at_once_and_one_attaches
            switched_off_means_silent;
        contract:
            a_changed_contract_is_not_injected
            an_agent_extends_its_plan_and_cannot_weaken_it
            a_phase_taken_out_by_hand_is_still_held;
        guard:
            an_edit_that_weakens_is_refused_and_the_model_reads_why
            what_does_not_weaken_goes_through_and_the_hook_is_called_for_writing_tools_alone
            approvals_and_hooks_are_kept
            a_subagent_is_guarded_too
            a_phase_that_names_its_tools_is_done_with_them;
        install:
            installed_for_the_user_the_verbs_run_without_a_question
            uninstalled_means_silent;
        chat:
            the_status_is_given_without_the_model
            nobody_approves_where_nobody_attends
            a_person_approves_what_was_shown
            a_paused_run_holds_nobody;
        terminal:
            an_attended_stop_is_held_once
            a_question_to_the_user_is_let_go
            the_plan_survives_clear
            the_plan_survives_compact
            an_unfinished_plan_is_offered_and_nothing_more;
        wait:
            a_run_that_waits_for_a_time_is_woken
            a_run_that_waits_for_a_file_is_woken
            a_session_at_a_terminal_is_woken
            talk_in_between_does_not_keep_it_from_being_woken
            who_leaves_takes_the_hook_along
            a_run_that_does_not_wait_leaves_no_hook_behind;
        plugin:
            the_plugin_alone_is_enough
            plugin_and_installed_hooks_count_once
            the_plugin_installs_from_its_marketplace
            the_plugin_is_valid;
    }
}

suite! {
    CODEX: "codex" "codex", v0_171_0 = "0.171.0" => {
        codex:
            a_hook_and_a_shell_name_the_same_session
            the_sandbox_keeps_the_shell_out_of_the_state_directory
            the_block_reaches_the_model
            a_premature_stop_is_held_and_the_run_ends_when_the_plan_is_done
            a_run_with_verbs_ends_when_the_plan_is_done
            an_agent_that_never_finishes_is_let_go
            an_agent_that_nothing_is_known_of_is_held_once
            a_session_without_a_plan_leaves_no_trace
            another_session_is_left_alone
            the_run_verb_attaches_the_session_it_starts
            verbs_in_the_sandbox_hand_over_to_the_next_hook
            a_patch_that_weakens_the_plan_is_refused;
    }
}

/// Runs a scenario with a release, or says once that clients are skipped.
fn with(client: &str, program: &str, version: &'static str, scenario: fn(&Client)) {
    static SAID: Once = Once::new();
    match Client::find(client, program, version) {
        Some(client) => scenario(&client),
        // Written past the capture of the test harness: a skipped suite should not look like one that ran.
        None => SAID.call_once(|| {
            let _ =
                writeln!(std::io::stderr(), "skipped: no real client was started. To start them: .ci/run, or {FIX}");
        }),
    }
}

/// How the suite is run by hand.
const FIX: &str =
    "scripts/install-clients.sh && STEADFAST_CLIENTS=target/clients cargo test --test clients -- --include-ignored";

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_suite_runs_the_pinned_releases() {
    let pinned = |name: &str| {
        let line = include_str!("versions.env").lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        let line = line.unwrap_or_else(|| panic!("versions.env has no {name}"));
        line.trim_matches('"').split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(pinned("CLAUDE_CODE_VERSIONS"), CLAUDE_CODE, "tests/clients/main.rs and versions.env differ");
    assert_eq!(pinned("CODEX_VERSIONS"), CODEX, "tests/clients/main.rs and versions.env differ");
}
