//! An explanation for a person and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::classification;
use super::style::{DIM, STRONG, one_line, paint};
use crate::catalogue::Rule;
use crate::explain::{Explanation, Nearest};
use crate::replay::TurnLine;
use crate::vocab::{AutoRetry, Class, Code, Confidence, RuleId};

/// Most steps of unwrapping that are shown.
const STEPS: usize = 6;

/// The explanation of one text, at most `width` characters a line where the text allows it.
#[must_use]
pub fn human(explanation: &Explanation, width: usize) -> String {
    let mut text = classification::headline(&explanation.classification);
    underlined(&mut text, explanation, width);
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "  {} {value}", paint(DIM, &format!("{name:<11}")));
    };
    for (number, (what, after)) in explanation.steps.iter().take(STEPS).enumerate() {
        let name = if number == 0 { "unwrapped" } else { "" };
        row(name, &format!("{what}: {}", one_line(after.as_str(), width.saturating_sub(18 + what.len()))));
    }
    for (number, (rule, why)) in explanation.others.iter().enumerate() {
        row(if number == 0 { "also" } else { "" }, &format!("{rule}   {why}"));
    }
    if explanation.others.is_empty() && explanation.classification.rule.is_some() {
        row("also", "no other rule matched");
    }
    match explanation.classification.hint {
        Some(hint) => row("hint", &format!("{} ms, at {}", hint.retry_after_ms, hint.reset_at)),
        None => row("hint", "none that could be validated"),
    }
    if let Some(remediation) = &explanation.classification.remediation {
        row("to do", remediation);
    }
    for (number, nearest) in explanation.nearest.iter().enumerate() {
        row(if number == 0 { "nearest" } else { "" }, &near(nearest));
    }
    for (number, needed) in explanation.needed.iter().enumerate() {
        row(if number == 0 { "retry needs" } else { "" }, needed);
    }
    if explanation.classification.rule.is_none() {
        row("next", "`refrain explain --new-rule TEXT` prints a rule file to start from, `--write` puts it in place");
    }
    super::style::guarded(text)
}

fn near(nearest: &Nearest) -> String {
    format!("{}   {} (shares {})", nearest.rule, nearest.missed.words(), one_line(&nearest.shared.join(", "), 60))
}

/// The text with the matched span underlined and the rule's title below it.
fn underlined(text: &mut String, explanation: &Explanation, width: usize) {
    let Some(seen) = &explanation.text else { return };
    let seen = one_line(seen.as_str(), 4_000);
    let span = explanation.matched.as_ref().map(|matched| one_line(matched, 4_000));
    let start = span.as_ref().and_then(|span| seen.find(span.as_str()));
    let (Some(start), Some(span)) = (start, span) else {
        let _ = writeln!(text, "  {}", one_line(&seen, width.saturating_sub(2)));
        return;
    };
    let before = seen[..start].chars().count();
    let length = span.chars().count();
    let room = width.saturating_sub(4).max(20);
    // Enough of what stands before the span to know where it is.
    let skip = if before + length > room { before.saturating_sub(room / 3) } else { 0 };
    let shown: String = seen.chars().skip(skip).take(room).collect();
    let column = before - skip;
    let marked = length.clamp(1, room.saturating_sub(column).max(1));
    let middle = marked / 2;
    let _ = writeln!(text, "  {}{shown}", if skip > 0 { "…" } else { "" });
    let indent = " ".repeat(column + 2 + usize::from(skip > 0));
    let _ = writeln!(text, "{indent}{}┬{}", "─".repeat(middle), "─".repeat(marked - middle - 1));
    let title = explanation.title.as_deref().unwrap_or_default();
    let _ = writeln!(text, "{indent}{}╰ {title}", " ".repeat(middle));
}

/// The same facts as data.
#[derive(Debug, Serialize)]
pub struct Document<'e> {
    code: Code,
    class: Class,
    confidence: Confidence,
    rule: Option<&'e RuleId>,
    title: Option<&'e str>,
    text: Option<&'e str>,
    matched: Option<&'e str>,
    steps: Vec<StepJson<'e>>,
    others: Vec<OtherJson<'e>>,
    nearest: Vec<NearestJson<'e>>,
    auto_retry: bool,
    needed: &'e [&'static str],
}

#[derive(Debug, Serialize)]
struct StepJson<'e> {
    step: &'e str,
    text: &'e str,
}

#[derive(Debug, Serialize)]
struct OtherJson<'e> {
    rule: &'e RuleId,
    why: &'e str,
}

#[derive(Debug, Serialize)]
struct NearestJson<'e> {
    rule: &'e RuleId,
    missed: &'e str,
    shared: &'e [String],
}

/// The same facts as one JSON document.
#[must_use]
pub fn json(explanation: &Explanation) -> String {
    super::json_document(&document(explanation))
}

/// The same facts as data.
#[must_use]
pub fn document(explanation: &Explanation) -> Document<'_> {
    let verdict = &explanation.classification;
    Document {
        code: verdict.code,
        class: verdict.class(),
        confidence: verdict.confidence,
        rule: verdict.rule.as_ref(),
        title: explanation.title.as_deref(),
        text: explanation.text.as_ref().map(crate::redact::Clean::as_str),
        matched: explanation.matched.as_deref(),
        steps: explanation.steps.iter().map(|(step, text)| StepJson { step, text: text.as_str() }).collect(),
        others: explanation.others.iter().map(|(rule, why)| OtherJson { rule, why }).collect(),
        nearest: explanation
            .nearest
            .iter()
            .map(|near| NearestJson { rule: &near.rule, missed: near.missed.words(), shared: &near.shared })
            .collect(),
        auto_retry: verdict.auto_retry(),
        needed: &explanation.needed,
    }
}

/// The explained prompts of a transcript as one JSON document.
#[must_use]
pub fn turns_json(turns: &[(TurnLine<'_>, Option<Explanation>)]) -> String {
    #[derive(Serialize)]
    struct TurnJson<'t> {
        #[serde(flatten)]
        turn: &'t TurnLine<'t>,
        explanation: Option<Document<'t>>,
    }
    let turns: Vec<TurnJson<'_>> =
        turns.iter().map(|(turn, found)| TurnJson { turn, explanation: found.as_ref().map(document) }).collect();
    super::json_document(&serde_json::json!({"turns": turns}))
}

/// A rule and the fixtures that it decides as one JSON document.
#[must_use]
pub fn rule_json(rule: &Rule, fixtures: &[String]) -> String {
    #[derive(Serialize)]
    struct RuleJson<'r> {
        #[serde(flatten)]
        rule: &'r crate::catalogue::RuleDocument,
        fixtures: &'r [String],
    }
    super::json_document(&RuleJson { rule: rule.document(), fixtures })
}

/// A code, what it permits and the rules that stand for it as one JSON document.
#[must_use]
pub fn code_json(code: Code, rules: &[&RuleId]) -> String {
    let mut document = super::list::code_row(code);
    document["rules"] = serde_json::json!(rules);
    super::json_document(&document)
}

/// A rule: what it stands for, its patterns, its samples and the fixtures it decides.
#[must_use]
pub fn rule(rule: &Rule, fixtures: &[String], width: usize) -> String {
    let document = rule.document();
    let mut text = format!("{}   {}\n", paint(STRONG, document.id.as_str()), one_line(&document.title, width));
    let _ = writeln!(text, "  {}   {}   tier {}", document.code, document.confidence, document.tier);
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "  {} {}", paint(DIM, &format!("{name:<9}")), one_line(value, width.saturating_sub(12)));
    };
    for (name, patterns) in [
        ("match", &document.search),
        ("whole", &document.whole),
        ("requires", &document.requires),
        ("unless", &document.unless),
    ] {
        patterns.iter().for_each(|pattern| row(name, pattern));
    }
    for sample in &document.samples.positive {
        row("fires", &super::clean(&sample.text));
    }
    for sample in &document.samples.negative {
        let reason = sample.reason.as_deref().unwrap_or_default();
        row("silent", &format!("{}   ({reason})", super::clean(&sample.text)));
    }
    let decided = if fixtures.is_empty() { "none".to_owned() } else { fixtures.join(", ") };
    row("fixtures", &decided);
    row("source", &document.source);
    super::style::guarded(text)
}

/// A code: its class, what it permits, and the rules that stand for it.
#[must_use]
pub fn code(code: Code, rules: &[&RuleId], width: usize) -> String {
    let policy = code.policy();
    let retry = match policy.auto_retry {
        AutoRetry::Yes => "yes, on the ladder, when nothing was output and no tool ran",
        AutoRetry::WithShortHint => "only with a validated hint of at most 60 s",
        AutoRetry::No => "no",
    };
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    let mut text = format!("{}   {}\n", paint(STRONG, code.as_str()), policy.class);
    for (name, value) in [
        ("retry by itself", retry),
        ("another provider", yes(policy.fallback)),
        ("a person must act", yes(policy.user_action)),
        ("to do", policy.remediation.unwrap_or("nothing that the code alone could say")),
    ] {
        let _ = writeln!(text, "  {} {value}", paint(DIM, &format!("{name:<18}")));
    }
    let list: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let _ = writeln!(text, "  {} {}", paint(DIM, &format!("{:<18}", "rules")), one_line(&list, width.max(60) * 6));
    text
}
