//! One classification for a person.

use std::fmt::Write as _;

use super::style::{BAD, DIM, GOOD, STRONG, WARN, one_line, paint};
use crate::classify::Classification;
use crate::vocab::{AutoRetry, Class};

/// A classification as a few lines of at most `width` characters.
#[must_use]
pub fn human(classification: &Classification, width: usize) -> String {
    let mut text = headline(classification);
    if let Some(excerpt) = &classification.safe_excerpt {
        let _ = writeln!(text, "  {}", one_line(excerpt.as_str(), width.saturating_sub(2)));
    }
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "  {} {value}", paint(DIM, &format!("{name:<10}")));
    };
    if !classification.outranked.is_empty() {
        row("outranked", &list(&classification.outranked));
    }
    if !classification.vetoed.is_empty() {
        row("vetoed", &list(&classification.vetoed));
    }
    if let Some(hint) = classification.hint {
        row("hint", &format!("{} s, at {}", milliseconds(hint.retry_after_ms), hint.reset_at));
    }
    if let Some(remediation) = &classification.remediation {
        row("to do", remediation);
    }
    let _ = writeln!(text, "  {}", permission(classification));
    if classification.rule.is_none() && classification.safe_excerpt.is_some() {
        let next = "`refrain explain TEXT` names the nearest rules, `--new-rule` drafts one";
        let _ = writeln!(text, "  {} {next}", paint(DIM, "next      "));
    }
    super::style::guarded(text)
}

pub(super) fn headline(classification: &Classification) -> String {
    let style = match classification.class() {
        Class::Transient => WARN,
        Class::Hard => BAD,
        Class::Unclassified => DIM,
    };
    let mut line = format!(
        "{}   {}   {}",
        paint(STRONG, classification.code.as_str()),
        paint(style, classification.class().as_str()),
        classification.confidence
    );
    if let Some(scope) = classification.scope {
        let _ = write!(line, "   scope {scope}");
    }
    match &classification.rule {
        Some(rule) => drop(write!(line, "   rule {rule}")),
        None => line.push_str("   no rule matched"),
    }
    line + "\n"
}

/// The code's own flag in words. What a client may really do needs the attempt's evidence as well.
fn permission(classification: &Classification) -> String {
    let flag = classification.code.policy().auto_retry;
    if !classification.observed && flag != AutoRetry::No {
        return paint(DIM, "a candidate only: nothing failed yet, so nothing may be retried because of it");
    }
    if classification.agent_retries {
        return paint(WARN, "is not retried by itself: the agent says that it tries again, and one owner is enough");
    }
    match (classification.auto_retry(), flag) {
        (true, _) => paint(GOOD, "may be retried by itself, when nothing was output and no tool ran"),
        (false, AutoRetry::WithShortHint) => paint(WARN, "is retried by itself only with a hint of at most 60 s"),
        (false, _) => match classification.class() {
            Class::Hard => paint(BAD, "is not retried by itself: a hard failure waits for a reset or for a person"),
            _ => paint(BAD, "is not retried by itself: a person decides"),
        },
    }
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn milliseconds(milliseconds: u64) -> String {
    if milliseconds.is_multiple_of(1_000) {
        (milliseconds / 1_000).to_string()
    } else {
        format!("{:.3}", milliseconds as f64 / 1_000.0)
    }
}
