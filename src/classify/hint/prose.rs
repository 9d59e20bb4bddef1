//! Hints in text: fields of an error body first, then words.

use std::sync::OnceLock;

use jiff::Timestamp;
use regex::{Captures, Regex, RegexBuilder};

use super::{Said, clock, duration, epoch};
use crate::catalogue::Pattern;
use crate::text::literals::Literals;

/// How one kind of hint is read out of its match.
type Reader = fn(&Captures<'_>, &str, Timestamp) -> Option<Said>;

/// Words without which a kind can not be there: one bit each, several words may share one.
const TRIGGERS: [(&str, u16); 23] = [
    ("reset", RESET),
    ("retry", RETRY),
    ("again", AGAIN),
    ("in_seconds", SECONDS),
    ("delay", DELAY),
    ("at 2", YEAR),
    ("on 2", YEAR),
    ("until 2", YEAR),
    ("after 2", YEAR),
    ("reset 2", YEAR),
    ("resets 2", YEAR),
    ("access 2", YEAR),
    ("utc", UTC),
    ("available", OTHER),
    ("until", OTHER),
    ("back", OTHER),
    ("wait", OTHER),
    ("refresh", OTHER),
    ("renew", OTHER),
    ("unlock", OTHER),
    ("access", OTHER),
    ("replenish", OTHER),
    ("perminute", MINUTE),
];
const RESET: u16 = 1;
const RETRY: u16 = 1 << 1;
const AGAIN: u16 = 1 << 2;
const SECONDS: u16 = 1 << 3;
const DELAY: u16 = 1 << 4;
const PIPE: u16 = 1 << 5;
const YEAR: u16 = 1 << 6;
const UTC: u16 = 1 << 7;
const OTHER: u16 = 1 << 8;
const MINUTE: u16 = 1 << 9;

/// The triggers in a text, found in one pass.
fn triggers(flat: &str) -> u16 {
    static WORDS: OnceLock<Literals> = OnceLock::new();
    let mut bits = if memchr::memchr(b'|', flat.as_bytes()).is_some() { PIPE } else { 0 };
    let words = WORDS.get_or_init(|| Literals::new(TRIGGERS.map(|(word, _)| word)));
    words.each(flat, |number| bits |= TRIGGERS[number].1);
    bits
}

/// One kind: the triggers of which it needs one, its pattern, its reader. Earlier kinds win.
struct Kind {
    needs: u16,
    pattern: &'static str,
    read: Reader,
    /// Whether it is there at all is a cheaper question than where its parts are.
    test: Pattern,
    parts: OnceLock<Option<Regex>>,
}

impl Kind {
    const fn new(needs: u16, pattern: &'static str, read: Reader) -> Self {
        Self { needs, pattern, read, test: Pattern::fixed(pattern), parts: OnceLock::new() }
    }

    fn find(&self, flat: &str, triggers: u16, now: Timestamp) -> Option<Said> {
        if triggers & self.needs == 0 || !self.test.is_match(flat) {
            return None;
        }
        let parts = self
            .parts
            .get_or_init(|| RegexBuilder::new(self.pattern).case_insensitive(true).unicode(false).build().ok())
            .as_ref()?;
        parts.captures_iter(flat).find_map(|found| (self.read)(&found, flat, now))
    }
}

static FIELDS: [Kind; 5] = [
    Kind::new(RESET, r#"\bresets?_?at["']? ?[:=] ?["']?(\d{10,13})\b"#, epoch_field),
    Kind::new(
        RESET,
        r#"\b(?:resets?_?at|resets?)["']? ?[:=] ?["'](\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d))"#,
        instant_field,
    ),
    Kind::new(SECONDS, r#"\b(?:resets?|retry|available)_in_seconds["']? ?[:=] ?["']?(\d+(?:\.\d+)?)"#, seconds_field),
    Kind::new(DELAY, r#"\bretry_?delay["']? ?[:=] ?["']?([0-9.]+ ?m?s)\b"#, span_field),
    Kind::new(
        RETRY,
        r#"\bretry[-_]?after(?P<unit>[-_]?(?:ms|millis(?:econds)?|s|sec(?:ond)?s?))?["']? ?[:=] ?["']?(?P<n>\d+(?:\.\d+)?)["']?(?P<tail>[a-z]*)"#,
        retry_after_field,
    ),
];

static WORDS: [Kind; 10] = [
    Kind::new(PIPE, r"\|(\d{10}|\d{13})\b", epoch_field),
    Kind::new(
        YEAR,
        r"\b(?:at|on|until|after|resets?|access) (\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|UTC|[+-]\d\d:?\d\d))",
        instant_field,
    ),
    Kind::new(UTC, r"\b(\d{4})-(\d\d)-(\d\d) at (\d\d):(\d\d) UTC\b", utc_clock),
    Kind::new(
        RESET,
        r"\bresets?(?: on)? (?P<month>[a-z]{3})[a-z]* (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:, (?P<year>\d{4}))?(?:,| at|, at)? (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>[ap]m) \((?P<zone>[A-Za-z_/+-]+)\)",
        dated,
    ),
    Kind::new(
        RESET,
        r"\bresets?(?: at)? (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>[ap]m) \((?P<zone>[A-Za-z_/+-]+)\)",
        zoned_clock,
    ),
    Kind::new(
        AGAIN | RESET | OTHER,
        r"\b(?:again|available|resets?|until|back)(?: at| on)? (?P<month>[a-z]{3})[a-z]* (?P<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?P<year>\d{4}),?)?(?: at)? (?P<hour>\d{1,2}):(?P<minute>\d{2}) ?(?P<half>[ap]m)?,? ?\(?(?P<zone>UTC(?:[+-]\d{1,2})?|[+-]\d\d:\d\d|[A-Z][A-Za-z_]+/[A-Za-z_/]+)\)?",
        dated,
    ),
    Kind::new(
        AGAIN | RETRY | RESET | OTHER,
        r"\b(?:try(?:ing)? again|retry(?: again)?|retry your request|available(?: again)?|resets?|be reset|refresh(?:es)?|wait|back|renews?|unlocks?)(?: after| in| for)? (?P<span>\d[0-9.]* ?[a-z]+)",
        words_span,
    ),
    Kind::new(
        UTC,
        r"\b(?:again|available|resets?|until|back|replenished)(?: again)?(?: at| on)? (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>[ap]m)? ?\(?UTC\)?(?:[.,;)]|$| [a-z])",
        utc_time,
    ),
    Kind::new(
        RESET | AGAIN | RETRY | OTHER,
        r"\b(?:again|retry|available|resets?|replenished|refresh(?:es|ed)?|renews?) (?:in|after) (\d{1,3}):([0-5]\d):([0-5]\d)\b",
        countdown,
    ),
    Kind::new(RESET, r"\breset(?:s)? (?:at|on) (\d{4})-(\d\d)-(\d\d)(?:[.,;)]|$| [a-z])", date_only),
];

/// The hint in a text; `flat` has single spaces.
pub(crate) fn find(flat: &str, now: Timestamp) -> Option<Said> {
    let triggers = triggers(flat);
    if triggers == 0 || (triggers & MINUTE == 0 && !flat.bytes().any(|byte| byte.is_ascii_digit())) {
        return None;
    }
    FIELDS
        .iter()
        .chain(&WORDS)
        .find_map(|kind| kind.find(flat, triggers, now))
        // Google names the window of a quota only in its id.
        .or((triggers & MINUTE != 0).then_some(Said::After(60_000)))
}

fn epoch_field(found: &Captures<'_>, _: &str, now: Timestamp) -> Option<Said> {
    // An epoch that has passed must not hide a later, valid hint.
    epoch(found[1].parse().ok()?).filter(|instant| *instant > now).map(Said::At)
}

fn instant_field(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    let mut text = found[1].replacen(' ', "T", 1).replace(" UTC", "Z").replace("UTC", "Z").replace(' ', "");
    if text.len() == "2026-01-15T12:00Z".len() && text.ends_with('Z') {
        text.insert_str(16, ":00");
    }
    text.parse::<Timestamp>().ok().map(Said::At)
}

fn seconds_field(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    duration::leading(&format!("{}s", &found[1])).map(|(millis, _)| Said::After(millis))
}

fn span_field(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    duration::leading(&found[1]).map(|(millis, _)| Said::After(millis))
}

fn retry_after_field(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    let unit = match (found.name("unit").map(|unit| unit.as_str().to_ascii_lowercase()), &found["tail"]) {
        (Some(unit), _) if unit.contains('m') => "ms",
        (_, "ms") => "ms",
        (_, tail) if duration::leading(&format!("1{tail}")).is_some() => tail,
        _ => "s",
    };
    duration::leading(&format!("{}{unit}", &found["n"])).map(|(millis, _)| Said::After(millis))
}

fn utc_clock(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    let time = clock::time(&found[4], Some(&found[5]), None)?;
    let day = clock::midnight(&found[1], &found[2], &found[3])?;
    clock::instant(day.date().to_datetime(time), &jiff::tz::TimeZone::UTC).map(Said::At)
}

/// A clock in UTC. The clock of a weekly or monthly limit says the hour, not the day.
fn utc_time(found: &Captures<'_>, flat: &str, now: Timestamp) -> Option<Said> {
    if names_a_long_window(flat) {
        return None;
    }
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    let time = clock::time(part("hour")?, part("minute"), part("half"))?;
    clock::next(time, &jiff::tz::TimeZone::UTC, now).map(Said::At)
}

/// `02:14:55` after "in": hours, minutes and seconds from now.
fn countdown(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    duration::leading(&format!("{}h{}m{}s", &found[1], &found[2], &found[3])).map(|(millis, _)| Said::After(millis))
}

fn names_a_long_window(flat: &str) -> bool {
    let lower = flat.to_ascii_lowercase();
    ["weekly", "monthly", "7-day", "30-day"].iter().any(|word| lower.contains(word))
}

fn zoned_clock(found: &Captures<'_>, flat: &str, now: Timestamp) -> Option<Said> {
    // The clock of a weekly or monthly limit says the hour, not the day.
    if names_a_long_window(flat) {
        return None;
    }
    let time = clock::time(&found["hour"], found.name("minute").map(|m| m.as_str()), Some(&found["half"]))?;
    clock::next(time, &clock::zone(&found["zone"])?, now).map(Said::At)
}

fn dated(found: &Captures<'_>, _: &str, now: Timestamp) -> Option<Said> {
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    let time = clock::time(part("hour")?, part("minute"), part("half"))?;
    let zone = clock::zone(part("zone")?)?;
    clock::named_date(part("month")?, part("day")?, part("year"), time, &zone, now).map(Said::At)
}

fn words_span(found: &Captures<'_>, flat: &str, _: Timestamp) -> Option<Said> {
    let start = found.name("span")?.start();
    duration::leading(&flat[start..]).map(|(millis, _)| Said::After(millis))
}

fn date_only(found: &Captures<'_>, _: &str, _: Timestamp) -> Option<Said> {
    let day = clock::midnight(&found[1], &found[2], &found[3])?;
    clock::instant(day, &jiff::tz::TimeZone::UTC).map(Said::At)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_in_text() {
        let now: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("Please try again in 11.054s.", "11.054"),
            ("Please try again in 28ms.", "0.028"),
            ("Try again in 35 seconds.", "35"),
            ("limit reached|1768478460", "2026-01-15T12:01:00Z"),
            ("limit reached|1700000000", ""),
            ("resets 7pm (America/New_York)", "2026-01-16T00:00:00Z"),
            ("resets 12:50am (America/New_York)", "2026-01-16T05:50:00Z"),
            ("resets 7pm", ""),
            ("resets 7pm (EST)", ""),
            ("resets 13pm (America/New_York)", ""),
            ("Weekly limit reached · resets 7pm (America/New_York)", ""),
            ("resets Jan 20, 7pm (America/New_York)", "2026-01-21T00:00:00Z"),
            ("try again at Oct 7th, 2026 3:05 PM UTC", "2026-10-07T15:05:00Z"),
            ("try again at Oct 7th, 2026 3:05 PM", ""),
            ("resets at 2026-08-24T10:00:00Z", "2026-08-24T10:00:00Z"),
            ("resets at 2026-08-24 10:00:00", ""),
            ("regain access on 2026-12-01 at 00:00 UTC", "2026-12-01T00:00:00Z"),
            ("It will reset at 2026-07-28.", "2026-07-28T00:00:00Z"),
            ("{\"retryDelay\":\"13s\"}", "13"),
            ("{\"resets_at\":1768478460,\"resets_in_seconds\":99}", "2026-01-15T12:01:00Z"),
            ("{\"resets_at\":1700000000,\"resets_in_seconds\":99}", "99"),
            ("retry-after: 20", "20"),
            ("retry_after_ms=250", "0.25"),
            ("Your quota will reset after 0s..", "0"),
            ("Resets at 14:30 UTC.", "2026-01-15T14:30:00Z"),
            ("Weekly limit. Resets at 14:30 UTC.", ""),
            ("resets 9 UTC items", ""),
            ("Quota will be replenished in 02:14:55.", "8095"),
            ("Retrying in 2892 seconds", ""),
            ("[retrying in ~2 weeks attempt #1]", ""),
            ("quotaId: RequestsPerMinute-limit", "60"),
            ("port 443 after 12", ""),
        ] {
            let got = match find(text, now) {
                None => String::new(),
                #[expect(clippy::cast_precision_loss, reason = "small numbers in a test")]
                Some(Said::After(millis)) => format!("{}", millis as f64 / 1000.0),
                Some(Said::At(instant)) => instant.to_string(),
            };
            if got != expected {
                wrong.push(format!("{text:?}: {got:?}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
