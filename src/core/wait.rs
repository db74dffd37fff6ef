//! Waits: a phase handed off to a time, a file, a command or a person. In a plan (`**WaitsFor:**`) and by the verb.

use serde::{Deserialize, Serialize};

use crate::core::ledger::rfc3339;
use crate::core::run::{PhaseRun, Proof};
use crate::core::text::is_beneath;

/// The longest wait an agent may set, in seconds.
pub const AGENTS: u64 = 24 * 60 * 60;

/// What a phase waits for that lacks nothing but a person's word on what it came to.
pub const TO_APPROVE: &str = "to approve its result";

/// What is said of a phase's proof to a person who is to give their word: where that alone is missing, all else holds.
pub fn shown_proof(run: &PhaseRun) -> &'static str {
    if run.wait.is_some() && run.why == TO_APPROVE { Proof::Passed.word() } else { run.proof.word() }
}

/// What an agent asks a person by `wait --human`.
pub fn question(run: &PhaseRun) -> Option<&str> {
    let asks = run.wait.as_ref().is_some_and(|wait| wait.human) && run.why != TO_APPROVE;
    asks.then_some(run.why.as_str()).filter(|why| !why.is_empty())
}

/// What a phase waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A time, in seconds since 1970.
    Until(u64),
    /// A file beneath the project root that is there.
    File(String),
    /// A person's word on a question.
    Human(String),
    /// A command that exits 0. Only `wake` runs it.
    Command(String),
}

/// A wait that a verb recorded, or that a routine begins when it was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wait {
    /// When it ends whatever else is so, in seconds since 1970; 0: never.
    #[serde(rename = "u", skip_serializing_if = "is_zero")]
    pub until: u64,
    /// The file, if it is one.
    #[serde(rename = "f", skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// A person has to answer.
    #[serde(rename = "h", skip_serializing_if = "std::ops::Not::not")]
    pub human: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Wait {
    /// Why it is over now, in words; `None` while it goes on. `there`: whether a file beneath the project root is there.
    pub fn over(&self, now: u64, there: &dyn Fn(&str) -> bool) -> Option<String> {
        if !self.file.is_empty() && there(&self.file) {
            return Some(format!("the file {} is there", self.file));
        }
        let plain = self.file.is_empty() && !self.human;
        (self.until > 0 && now >= self.until).then(|| {
            let time = rfc3339(self.until);
            if plain { format!("it is {time}") } else { format!("it waited until {time}, in vain") }
        })
    }

    /// Whether somebody who looks for a day, runs nothing and asks nobody can see its end.
    pub fn in_sight(&self, now: u64) -> bool {
        let soon = self.until > 0 && self.until <= now.saturating_add(AGENTS);
        !self.file.is_empty() || (soon && !self.human)
    }

    /// What it waits for, in words.
    pub fn words(&self) -> String {
        let until = if self.until == 0 { String::new() } else { format!("until {}", rfc3339(self.until)) };
        let what = if self.file.is_empty() {
            if self.human { "for the user".to_owned() } else { return until }
        } else {
            format!("for the file {}", self.file)
        };
        if until.is_empty() { what } else { format!("{what}, {until} at most") }
    }
}

impl Condition {
    /// Reads the value of `WaitsFor`: `until 2026-03-05T09:00Z`, `file out/report.csv`, `human Which one?`, `cmd make ready`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim().trim_matches('`').trim();
        if rest.is_empty() {
            return Err(format!("`{text}` does not say what it waits for"));
        }
        match word.trim_end_matches(':') {
            "until" => time(rest).map(Self::Until).ok_or_else(|| format!("`{rest}` is no time")),
            "file" if !is_beneath(rest) => Err(format!("`{rest}` does not lie beneath the project root")),
            "file" => Ok(Self::File(rest.to_owned())),
            "human" => Ok(Self::Human(rest.to_owned())),
            "cmd" => Ok(Self::Command(rest.to_owned())),
            other => Err(format!("`{other}` is none of until, file, human, cmd")),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::Until(secs) => format!("until {}", rfc3339(*secs)),
            Self::File(path) => format!("for the file {path}"),
            Self::Human(question) => format!("for the user: {question}"),
            Self::Command(command) => format!("for `{command}`"),
        }
    }

    /// As [`Wait::in_sight`]. `given`: whether the person's word is there.
    pub fn in_sight(&self, now: u64, given: bool) -> bool {
        match self {
            Self::Until(secs) => *secs <= now.saturating_add(AGENTS),
            Self::File(_) => true,
            Self::Human(_) => given,
            Self::Command(_) => false,
        }
    }

    /// Whether it is met, as far as a hook can tell: it runs nothing and asks nobody.
    pub fn met(&self, now: u64, there: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Until(secs) => now >= *secs,
            Self::File(path) => there(path),
            Self::Human(_) | Self::Command(_) => false,
        }
    }
}

/// Seconds of `30s`, `15m`, `2h`, `7d`, or several of them (`1h30m`). `None` for anything else, and for nothing at all.
pub fn duration(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut number = String::new();
    for c in text.trim().chars() {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    (number.is_empty() && total > 0).then_some(total)
}

/// Seconds since 1970 of `2026-03-05T09:00Z`, also with seconds, a blank for the `T`, an offset such as `+02:00`, or the date
/// alone (midnight, UTC). `None` for anything else: a time without an offset is nobody's.
pub fn time(text: &str) -> Option<u64> {
    let text = text.trim();
    let (day, rest) = (text.get(..10)?, text.get(10..)?);
    let mut parts = day.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if !(1970..=9999).contains(&year) || day == 0 || day > length {
        return None;
    }
    let days: u64 = (1970..year).map(|y| 365 + u64::from(leap(y))).sum::<u64>()
        + lengths.iter().take(usize::try_from(month).ok()? - 1).sum::<u64>()
        + day
        - 1;
    let midnight = days * 86_400;
    if rest.is_empty() {
        return Some(midnight);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(at);
    let mut parts = clock.split(':').map(number);
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    if hour > 23 || minute > 59 || second > 59 || parts.next().is_some() {
        return None;
    }
    let local = midnight + hour * 3_600 + minute * 60 + second;
    if matches!(zone, "Z" | "z") {
        return Some(local);
    }
    let (sign, offset) = zone.split_at(1);
    let (hours, minutes) = offset.split_once(':')?;
    let offset = number(hours)? * 3_600 + number(minutes)? * 60;
    if sign == "+" { local.checked_sub(offset) } else { local.checked_add(offset) }
}

fn number(text: &str) -> Option<u64> {
    (!text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_durations() {
        for (text, right) in [
            ("2026-03-01T12:00:00Z", Some(1_772_366_400)),
            ("2026-03-01T12:00Z", Some(1_772_366_400)),
            ("2026-03-01 14:00+02:00", Some(1_772_366_400)),
            ("2026-03-01T07:30:00-04:30", Some(1_772_366_400)),
            ("1970-01-01", Some(0)),
            ("2024-02-29", Some(1_709_164_800)),
            ("2025-02-29", None),
            ("2026-13-01", None),
            ("2026-00-01", None),
            ("2026-01-00", None),
            ("2026-03-01T12:00", None),
            ("2026-03-01T25:00Z", None),
            ("2026-03-01T12:00:00:00Z", None),
            ("2026-3-1", None),
            ("tomorrow", None),
            ("２０２６-03-01", None),
            ("", None),
        ] {
            assert_eq!(time(text), right, "{text}");
        }
        for secs in [0, 951_782_399, 951_782_400, 1_772_366_400, 4_102_444_800] {
            assert_eq!(time(&rfc3339(secs)), Some(secs));
        }
        for (text, right) in [
            ("30s", Some(30)),
            ("15m", Some(900)),
            ("2h", Some(7_200)),
            ("7d", Some(604_800)),
            ("1h30m", Some(5_400)),
            ("1w", Some(604_800)),
            ("0s", None),
            ("2", None),
            ("h", None),
            ("2 h", None),
            ("99999999999999999999d", None),
            ("", None),
        ] {
            assert_eq!(duration(text), right, "{text}");
        }
    }

    #[test]
    fn conditions_of_a_plan() {
        use Condition::{Command, File, Human, Until};
        for (text, right) in [
            ("until 2026-03-01T12:00Z", Ok(Until(1_772_366_400))),
            ("file out/report.csv", Ok(File("out/report.csv".into()))),
            ("file: `out/report.csv`", Ok(File("out/report.csv".into()))),
            ("human Which of the two?", Ok(Human("Which of the two?".into()))),
            ("cmd `test -f ready`", Ok(Command("test -f ready".into()))),
            ("until later", Err("`later` is no time")),
            ("file", Err("`file` does not say")),
            ("weather fine", Err("`weather` is none of")),
        ] {
            match (Condition::parse(text), right) {
                (Ok(found), Ok(right)) => assert_eq!(found, right, "{text}"),
                (Err(found), Err(right)) => assert!(found.starts_with(right), "{text}: {found}"),
                (found, right) => panic!("{text}: {found:?} {right:?}"),
            }
        }
    }

    #[test]
    fn whose_end_is_in_sight() {
        const DAY: u64 = 86_400;
        for (until, file, human, right) in [
            (100 + DAY, "", false, true),
            (101 + DAY, "", false, false),
            (99, "", false, true),
            (0, "", false, false),
            (0, "f", false, true),
            (101 + DAY, "f", false, true),
            (100, "", true, false),
            (0, "f", true, true),
        ] {
            let wait = Wait { until, file: file.into(), human };
            assert_eq!(wait.in_sight(100), right, "{wait:?}");
        }
        for (text, given, right) in [
            ("until 1970-01-02T00:01Z", false, true),
            ("until 1970-01-03", false, false),
            ("file x", false, true),
            ("human Which?", false, false),
            ("human Which?", true, true),
            ("cmd true", true, false),
        ] {
            assert_eq!(Condition::parse(text).unwrap().in_sight(100, given), right, "{text}");
        }
    }

    #[test]
    fn when_a_wait_is_over() {
        let there = |path: &str| path == "there";
        for (until, file, human, now, right) in [
            (100, "", false, 99, None),
            (100, "", false, 100, Some("it is 1970")),
            (100, "there", false, 1, Some("the file there is there")),
            (100, "missing", false, 99, None),
            (100, "missing", false, 100, Some("it waited until 1970")),
            (0, "missing", false, u64::MAX, None),
            (0, "", true, u64::MAX, None),
            (100, "", true, 101, Some("it waited until 1970")),
        ] {
            let wait = Wait { until, file: file.into(), human };
            match (wait.over(now, &there), right) {
                (Some(found), Some(right)) => assert!(found.starts_with(right), "{wait:?}: {found}"),
                (found, right) => assert_eq!(found.as_deref(), right, "{wait:?} at {now}"),
            }
        }
    }
}
