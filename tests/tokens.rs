//! What the texts for the model cost, counted with the `o200k` vocabulary on fixed plans.

use steadfast::core::contract::Mode;
use steadfast::core::gate::Work;
use steadfast::core::inject::{Block, Check, Last, MAX_CHARS, anchor, draft, full, legacy, reason, short, subagent};
use steadfast::core::next::{Next, next, work};
use steadfast::core::plan::{Phase, Plan, Status, StepState};
use steadfast::core::run::{PhaseRun, Proof};
use steadfast::core::text::cost;
use steadfast::core::view::{PhaseView, View};

const DIGEST: &str = "3fa9c17b2e";

const ENGLISH: [&str; 7] = [
    "Survey the callers",
    "Build the tokenizer",
    "Port the grammar tables",
    "Wire up the command line",
    "Measure the speed",
    "Write the documentation",
    "Release",
];

const CHINESE: [&str; 7] = [
    "调查所有调用方",
    "编写词法分析器",
    "移植语法表",
    "接入命令行",
    "测量性能并记录结果",
    "撰写用户文档",
    "发布新版本",
];

/// Sentences of exactly 80 characters.
fn long(base: &str, number: usize) -> String {
    let text: String = format!("{number} {base}").chars().cycle().take(80).collect();
    assert_eq!(text.chars().count(), 80);
    text
}

const LONG_ENGLISH: &str =
    "Rewrite the incremental synchronisation of remote configuration without dropping any update ";
const LONG_CHINESE: &str = "重写远程配置的增量同步流程，保证在网络中断、进程崩溃以及多个代理同时写入时都不会丢失任何更新，并补充回归测试与迁移说明文档、";

struct Fixture {
    name: String,
    view: View,
    next: Next,
}

fn fixture(name: &str, goal: &str, titles: &[String], steps: &[String], at: usize) -> Fixture {
    let phases = titles
        .iter()
        .enumerate()
        .map(|(i, title)| PhaseView {
            // The id that `attest` makes of a title.
            id: title.to_lowercase().replace([' ', '、', '，'], "-"),
            number: i + 1,
            title: title.clone(),
            status: match i.cmp(&at) {
                std::cmp::Ordering::Less => Status::Complete,
                std::cmp::Ordering::Equal => Status::InProgress,
                std::cmp::Ordering::Greater => Status::Pending,
            },
            steps: steps.iter().map(|step| (step.clone(), StepState::Open)).collect(),
            needs_proof: true,
            run: PhaseRun { proof: Proof::Failed, exit: Some(101), tries: 2, ..PhaseRun::default() },
            ..PhaseView::default()
        })
        .collect();
    let view = View { goal: goal.to_owned(), phases };
    let next = next(&view);
    Fixture { name: name.to_owned(), view, next }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn longs(base: &str, count: usize) -> Vec<String> {
    (1..=count).map(|number| long(base, number)).collect()
}

fn sevens() -> Vec<Fixture> {
    let goal = "Replace the hand-written parser without breaking the command line";
    let steps = ["Tokenizer reads every operator", "Tables are generated", "Errors name the line", "Fuzz it", "Docs"];
    let chinese_steps = ["支持所有运算符", "自动生成语法表", "错误信息包含行号", "模糊测试", "文档"];
    vec![
        fixture("english", goal, &owned(&ENGLISH), &owned(&steps), 1),
        fixture("chinese", "在不破坏命令行的前提下替换手写的解析器", &owned(&CHINESE), &owned(&chinese_steps), 1),
        fixture("long english", &long(LONG_ENGLISH, 0), &longs(LONG_ENGLISH, 7), &longs(LONG_ENGLISH, 5), 2),
        fixture("long chinese", &long(LONG_CHINESE, 0), &longs(LONG_CHINESE, 7), &longs(LONG_CHINESE, 5), 2),
    ]
}

fn sixties() -> Vec<Fixture> {
    vec![
        fixture("60 english", &long(LONG_ENGLISH, 0), &longs(LONG_ENGLISH, 60), &longs(LONG_ENGLISH, 30), 30),
        fixture("60 chinese", &long(LONG_CHINESE, 0), &longs(LONG_CHINESE, 60), &longs(LONG_CHINESE, 30), 59),
    ]
}

fn block(fixture: &Fixture) -> Block<'_> {
    Block {
        view: &fixture.view,
        next: &fixture.next,
        digest: DIGEST,
        mode: Mode::Gate,
        agents: vec![
            Last { agent: "main".to_owned(), event: "proof build".to_owned(), tick: 1041 },
            Last { agent: "docs".to_owned(), event: "edit docs".to_owned(), tick: 1038 },
        ],
        tick: 1041,
        check: Some(Check { passed: false, exit: Some(101), tries: 2 }),
    }
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_with_special_tokens(text).len()
}

/// The count, after a look at the estimate that the texts are fitted by: it must not be too low.
#[expect(clippy::print_stdout, reason = "`cargo test --test tokens -- --nocapture` shows the figures")]
#[track_caller]
fn counted(name: &str, form: &str, text: &str) -> usize {
    let (counted, estimated) = (tokens(text), cost(text));
    println!(
        "{name:>14} {form:<10} {counted:>4} tokens, estimated {estimated:>4}, {:>5} characters",
        text.chars().count()
    );
    assert!(counted <= estimated, "{counted} tokens, but {estimated} estimated:\n{text}");
    counted
}

#[test]
fn limits() {
    for fixture in sevens().iter().chain(&sixties()) {
        let (name, block) = (fixture.name.as_str(), block(fixture));
        for (form, text, limit) in [
            ("full", full(&block), 330),
            ("short", short(&block), 120),
            ("subagent", subagent(&block), 120),
            ("anchor", anchor(&block, 40), 80),
            ("reason", reason(&fixture.view, &fixture.next, work(&fixture.view, false)), 100),
            ("stale", reason(&fixture.view, &fixture.next, Work::Stale), 100),
            ("draft", draft(&fixture.view.goal, ".planning/2026-03-01-replace-the-parser/task_plan.md"), 200),
        ] {
            let count = counted(name, form, &text);
            assert!(count <= limit, "{name}, {form}: {count} tokens, {limit} allowed:\n{text}");
            assert!(text.chars().count() <= MAX_CHARS, "{name}, {form}");
        }
    }
}

#[test]
fn a_legacy_outline_is_small_too() {
    for fixture in sevens().iter().chain(&sixties()) {
        let phases = fixture.view.phases.iter();
        let phases = phases.map(|p| Phase { title: p.title.clone(), status: p.status, ..Phase::default() }).collect();
        let plan = Plan { goal: fixture.view.goal.clone(), phases, ..Plan::default() };
        let text = legacy(&plan, ".planning/2026-03-01-replace-the-parser/task_plan.md");
        let count = counted(&fixture.name, "legacy", &text);
        assert!(count <= 330, "{count} tokens:\n{text}");
    }
}

#[test]
fn the_estimate_is_not_too_low_in_other_scripts() {
    for text in [
        "Перенести таблицы грамматики без потери совместимости с прежними версиями",
        "نقل جداول القواعد دون فقدان التوافق مع الإصدارات السابقة",
        "पिछले संस्करणों के साथ संगतता खोए बिना व्याकरण तालिकाओं को स्थानांतरित करें",
        "以前のバージョンとの互換性を失わずに文法テーブルを移植する",
        "이전 버전과의 호환성을 잃지 않고 문법 테이블을 이식합니다",
        "ย้ายตารางไวยากรณ์โดยไม่สูญเสียความเข้ากันได้กับรุ่นก่อนหน้า",
        "Die Grammatiktabellen übernehmen, ohne die Verträglichkeit mit älteren Fassungen zu verlieren",
        "Μεταφορά των πινάκων γραμματικής χωρίς απώλεια συμβατότητας",
        "ქართული ენის ცხრილების გადატანა",
        "አማርኛ ሰንጠረዦች ማዛወር",
        "ខ្មែរ តារាង ផ្លាស់ប្តូរ",
        "မြန်မာ ဇယားများ ပြောင်းရွှေ့ရန်",
        "🚀 Ship it 🎉🎉 ✅ ❌",
        "src/core/plan_read/mod.rs::read_bytes(&[u8]) -> Result<Plan>",
        "a1b2c3d4e5f60718293a4b5c6d7e8f90",
        "https://example.com/a?b=c&d=e#f",
        "XMLHttpRequestFactoryBeanPostProcessor",
        "ZZXQ KJHG QWRT PLMK",
        "-----=====>>>>>",
        "！？。，、；：“”‘’（）【】",
        "𠀀𠀁𠀂",
        "½ ± ∑ ∫ √ π",
    ] {
        counted("script", "title", text);
    }
}
