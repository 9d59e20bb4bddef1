//! The turns of a transcript.

use std::fmt::Write as _;

use super::style::{BAD, DIM, GOOD, STRONG, one_line, paint};
use crate::replay::{Turn, TurnLine};
use crate::vocab::Disposition;

/// One line of the machine interface.
#[must_use]
pub fn json(line: &TurnLine<'_>) -> String {
    // Words of closed lists, numbers and the path that the user typed: nothing of the transcript's text is in it.
    serde_json::to_string(line).unwrap_or_default() + "\n"
}

/// One turn for a person.
#[must_use]
pub fn human(turn: &Turn, file: &str, width: usize) -> String {
    let line = turn.line(file);
    let mut text = format!("{} turn {}", paint(DIM, file), line.turn);
    let Some(code) = line.code else {
        let _ = writeln!(text, "   {}   {}", paint(GOOD, "did not fail"), line.terminal);
        return text;
    };
    let _ = write!(text, "   {}", paint(STRONG, code.as_str()));
    if let (Some(class), Some(confidence)) = (line.class, line.confidence) {
        let _ = write!(text, "   {class}   {confidence}");
    }
    match line.rule {
        Some(rule) => drop(writeln!(text, "   rule {rule}")),
        None => text.push_str("   no rule matched\n"),
    }
    let excerpt = turn.classification.as_ref().and_then(|classification| classification.safe_excerpt.as_ref());
    if let Some(excerpt) = excerpt {
        let _ = writeln!(text, "  {} \"{}\"", line.terminal, one_line(excerpt.as_str(), width.saturating_sub(18)));
    }
    let reasons: Vec<&str> = line.reasons.iter().map(|reason| reason.as_str()).collect();
    let next = match line.disposition {
        Some(Disposition::AutomaticRetry) => paint(GOOD, "automatic retry"),
        Some(other) => paint(BAD, &other.as_str().replace('_', " ")),
        None => String::new(),
    };
    let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    let safe = if line.pre_result_safe { "pre-result safe" } else { "not pre-result safe" };
    let _ = writeln!(text, "  → {safe} → {next}{why}");
    super::style::guarded(text)
}
