//! However long a text is and whatever it holds, the bytes looked at grow with its length and no faster.

use super::counted;
use crate::core::contract::{Contract, GateOptions, Mode};
use crate::core::inject::{self, Block};
use crate::core::next::next;
use crate::core::plan::{Plan, Status, StepState};
use crate::core::run::Run;
use crate::core::view::View;
use crate::core::{attest, candidate, ledger, plan_edit, plan_read};

/// A text that goes on as long as asked: its beginning, and the nth piece of the rest.
type Text = (&'static str, &'static str, fn(usize) -> String);

/// Plans that a reader with a second look at something would read for ever.
const PLANS: [Text; 44] = [
    ("headings", "", |n| format!("### Phase {n}: a\n")),
    ("one heading again and again", "", |_| "### Phase 1: a\n".to_owned()),
    ("headings without a phase word", "", |n| format!("## a {n}\n")),
    ("empty headings", "", |_| "#\n".to_owned()),
    ("headings under phases", "## Phases\n", |n| format!("### a {n}\n- **Status:** pending\n")),
    ("headings of every level", "", |n| format!("{} Phase {n}: a\n", "#".repeat(2 + n % 5))),
    ("goals", "", |_| "## Goal\na\n".to_owned()),
    ("archives", "# a\n", |_| "### Archived\n".to_owned()),
    ("numbers that restart", "", |n| format!("### Phase {}: a{n}\n", n % 3)),
    ("ids that collide", "", |n| format!("### Phase {n}: a {{#x}}\n")),
    ("titles that make one id", "", |n| format!("### Phase {n}: Same title!\n")),
    ("dependencies", "", |n| {
        format!("### Phase {n}: a {{#p{n}}}\n- **DependsOn:** {}, p{}, 1\n", n / 2, n.saturating_sub(1))
    }),
    ("a long list of dependencies", "### Phase 1: a\n### Phase 2: b\n- **DependsOn:** ", |n| format!("1, x{n}, ")),
    ("status lines", "### Phase 1: a\n", |n| format!("- **Status:** complete {n}\n")),
    ("status words nobody knows", "", |n| format!("### Phase {n}: a\n- **Status:** odd\n")),
    ("checks", "### Phase 1: a\n### Phase 2: b\n", |n| format!("- **Check:** `test {n}`\n")),
    ("boxes", "### Phase 1: a\n### Phase 2: b\n", |n| format!("- [ ] s{n}\n")),
    ("equal boxes", "### Phase 1: a\n### Phase 2: b\n", |_| "- [ ] s\n".to_owned()),
    ("a list of boxes", "## Phases\n", |n| format!("- [ ] s{n}\n")),
    ("a list of phases", "", |n| format!("- [x] Phase {n}: a\n")),
    ("a list of bracketed words", "", |n| format!("- [pending] {n}. a\n")),
    ("lists with one item each", "", |n| format!("## s {n}\n- [ ] Phase 1: a\n")),
    ("items with text below", "## Phases\n", |n| format!("- [ ] s{n}\n\n  a\n\n  b\n")),
    ("nested lists", "### Phase 1: a\n", |n| format!("{}- [ ] a\n", "  ".repeat(n % 60))),
    ("deep items and blank lines", "- [ ] Phase 1: a\n- [ ] Phase 2: b\n", |_| "     - x\n\n".to_owned()),
    ("a table", "| Phase | Status |\n|---|---|\n", |n| format!("| {n} | done |\n")),
    ("tables", "", |n| format!("| Phase | Status |\n|---|---|\n| {n} | done |\n\n")),
    ("a wide table", "| Phase | Status |\n|---|---|\n| 1 |", |_| " done |".to_owned()),
    ("open fences", "", |_| "```\n".to_owned()),
    ("fences of every length", "", |n| format!("{}\n", "`".repeat(3 + n % 90))),
    ("fences in items", "", |_| "- ```\na\n".to_owned()),
    ("open comments", "", |_| "a <!-- b\n".to_owned()),
    ("open comments, a paragraph each", "", |_| "a <!-- b\n\n".to_owned()),
    ("comments on one line", "a ", |_| "<!-- a --> `b` ".to_owned()),
    ("open comments on one line", "a ", |_| "<!-- ` ".to_owned()),
    ("backticks of every length on one line", "a <!-- ", |n| format!("{} ", "`".repeat(n % 90))),
    ("raw HTML", "<pre>\n", |_| "</pr </ </prex\n".to_owned()),
    ("conflict markers", "", |_| "<<<<<<< a\n=======\n".to_owned()),
    ("a long line", "", |_| "a".to_owned()),
    ("a long heading", "### Phase 1: a\n### Phase 2: ", |_| "*b* - {#c} `d` (e) ".to_owned()),
    ("a long status", "### Phase 1: a\n- **Status:** ", |_| "✅ [x] **".to_owned()),
    ("a long label", "### Phase 1: a\n", |_| "**- ".to_owned()),
    ("bytes that are no text", "### Phase 1: a\n", |_| "- [ ] \u{FFFD}\n".to_owned()),
    ("carriage returns", "### Phase 1: a\r", |_| "\r- [ ] b\r\n".to_owned()),
];

/// Lines of a ledger.
const LEDGERS: [Text; 6] = [
    ("records", "", |n| format!("{{\"tick\":{n},\"event\":\"step\",\"phase\":\"p{n}\",\"summary\":\"s\"}}\n")),
    ("records of one tick", "", |_| "{\"tick\":1,\"event\":\"note\"}\n".to_owned()),
    ("receipts", "", |n| format!("{{\"tick\":{n},\"event\":\"receipt\",\"data\":{{\"key\":\"k{n}\"}}}}\n")),
    ("bad lines", "", |_| "{\"tick\":1\n".to_owned()),
    ("a torn end", "{\"tick\":1,\"event\":\"", |_| "a".to_owned()),
    ("blank lines", "", |_| " \n".to_owned()),
];

fn text((_, begin, piece): &Text, length: usize) -> Vec<u8> {
    let mut text = (*begin).to_owned();
    for n in 1.. {
        if text.len() >= length {
            break;
        }
        text.push_str(&piece(n));
    }
    text.into_bytes()
}

/// Eight times the text, at most eight times the looks; a tenth is left for what comes once, and for numbers that get longer.
#[track_caller]
fn grows_no_faster<T>(texts: &[Text], from: usize, most: u64, work: impl Fn(&[u8]) -> T) {
    for family in texts {
        let count = |length| {
            let bytes = text(family, length);
            let scanned = counted(|| work(&bytes)).1;
            assert!(scanned <= most * bytes.len() as u64, "{}: {scanned} for {} bytes", family.0, bytes.len());
            scanned
        };
        let (short, long) = (count(from), count(8 * from));
        assert!(long * 10 <= short * 88, "{}: {short}, then {long}", family.0);
    }
}

#[test]
fn reading_a_plan() {
    grows_no_faster(&PLANS, 2 * 1024, 150, plan_read::read);
}

#[test]
fn editing_a_plan() {
    grows_no_faster(&PLANS, 1024, 700, |bytes| {
        let plan = plan_read::read(bytes);
        let Some(last) = plan.phases.len().checked_sub(1) else { return };
        let _ = plan_edit::set_status(bytes, &plan, last, Status::Failed);
        let _ = plan_edit::set_step(bytes, &plan, 0, 0, StepState::Done);
    });
}

#[test]
fn writing_the_ids_of_a_plan() {
    let ids = |bytes: &[u8]| attest::missing_ids(&plan_read::read(bytes));
    grows_no_faster(&PLANS, 1024, 500, |bytes| plan_edit::set_ids(bytes, &ids(bytes)));
    // Nor where one of them cannot be written.
    let spoilt = |bytes: &[u8]| [bytes, b"\n### Phase 77777: \xD2\n"].concat();
    grows_no_faster(&PLANS, 1024, 500, |bytes| plan_edit::set_ids(&spoilt(bytes), &ids(&spoilt(bytes))));
}

#[test]
fn judging_a_plan() {
    grows_no_faster(&PLANS, 1024, 700, |bytes| candidate::strict(bytes, Mode::Gate, GateOptions::default()));
}

/// A run of a plan as it is, without asking whether it could be approved.
fn shown(plan: &Plan) -> usize {
    let view = View { goal: plan.title.clone(), phases: View::unapproved(plan).phases };
    let run = Run::default();
    let next = next(&view);
    let block = Block::new(&view, &next, "3fa9c1", Mode::Gate, &run);
    let texts =
        [inject::full(&block), inject::short(&block), inject::anchor(&block, 40), inject::legacy(plan, "task_plan.md")];
    texts.iter().map(String::len).sum()
}

#[test]
fn fitting_a_block() {
    grows_no_faster(&PLANS, 1024, 400, |bytes| shown(&plan_read::read(bytes)));
}

#[test]
fn a_block_looks_at_no_more_of_a_long_title_than_it_shows() {
    let count = |length: usize| {
        let title = "a title ".repeat(length);
        let mut contract = Contract { v: 1, goal: title.clone(), ..Contract::default() };
        contract.phases.push(crate::core::contract::ContractPhase { id: "a".to_owned(), title, ..Default::default() });
        let view = View::new(&contract, None, &Run::default());
        let next = next(&view);
        counted(|| inject::full(&Block::new(&view, &next, "3fa9c1", Mode::Gate, &Run::default()))).1
    };
    assert_eq!(count(1000), count(100_000));
}

#[test]
fn folding_a_ledger() {
    grows_no_faster(&LEDGERS, 2 * 1024, 8, |bytes| ledger::fold([("main", bytes)]));
}
