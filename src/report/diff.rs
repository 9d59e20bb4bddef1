//! What a change of the catalogue does, worst first: for a person, as JSON, and for review formats.

mod summary;

use std::fmt::Write as _;

use serde::Serialize;

use super::check::count;
use super::finding::FindingJson;
use super::style::{BAD, DIM, GOOD, STRONG, WARN, one_line, paint};
use crate::diff::{Change, Diff, Edit, Effect, Group, Input, Listed, Verdict};

pub use summary::summary;

/// Most changes of one group that are drawn; the rest is counted. JSON lists all of them.
const DRAWN_CHANGES: usize = 20;

#[derive(Serialize)]
struct Document<'d> {
    changes: &'d [Change],
    summary: Numbers<'d>,
    #[serde(flatten)]
    rest: Rest<'d>,
}

#[derive(Serialize)]
struct Numbers<'d> {
    base: &'d str,
    head: &'d str,
    inputs: usize,
    changes: usize,
    widened: usize,
    narrowed: usize,
    class: usize,
    code: usize,
    disposition: usize,
    confidence: usize,
    rule: usize,
    lost_coverage: usize,
    new_coverage: usize,
}

#[derive(Serialize)]
struct Rest<'d> {
    rules: &'d Listed,
    shapes: &'d Listed,
    collisions: Vec<FindingJson>,
    shadowed: Vec<FindingJson>,
    problems: Vec<FindingJson>,
    expectations: Vec<Edit>,
    unpaired: &'d [Input],
    unplayable: &'d [Input],
}

impl<'d> Numbers<'d> {
    fn of(diff: &'d Diff) -> Self {
        let effect = |effect: Effect| diff.changes.iter().filter(|change| change.effect == effect).count();
        Self {
            base: &diff.base,
            head: &diff.head,
            inputs: diff.inputs,
            changes: diff.changes.len(),
            widened: effect(Effect::Widened),
            narrowed: effect(Effect::Narrowed),
            class: effect(Effect::Class),
            code: effect(Effect::Code),
            disposition: effect(Effect::Disposition),
            confidence: effect(Effect::Confidence),
            rule: effect(Effect::Rule),
            lost_coverage: diff.count(Group::LostCoverage),
            new_coverage: diff.count(Group::NewCoverage),
        }
    }
}

impl<'d> Rest<'d> {
    fn of(diff: &'d Diff) -> Self {
        let findings = |list: &[crate::vocab::Finding]| list.iter().map(FindingJson::from).collect();
        Self {
            rules: &diff.catalogue.rules,
            shapes: &diff.catalogue.shapes,
            collisions: findings(&diff.catalogue.collisions),
            shadowed: findings(&diff.catalogue.shadowed),
            problems: findings(&diff.catalogue.problems),
            expectations: diff.edits.iter().map(clean_edit).collect(),
            unpaired: &diff.unpaired,
            unplayable: &diff.unplayable,
        }
    }
}

/// What was expected may quote a text of the input.
fn clean_edit(edit: &Edit) -> Edit {
    let clean = super::escape::harmless;
    Edit { before: clean(&edit.before), after: edit.after.as_deref().map(clean), ..edit.clone() }
}

/// The machine interface's document with a final line feed.
#[must_use]
pub fn json(diff: &Diff) -> String {
    super::json_document(&Document { changes: &diff.changes, summary: Numbers::of(diff), rest: Rest::of(diff) })
}

/// One line a change, then one line with everything else.
#[must_use]
pub fn jsonl(diff: &Diff) -> String {
    #[derive(Serialize)]
    struct Last<'d> {
        summary: Numbers<'d>,
        #[serde(flatten)]
        rest: Rest<'d>,
    }
    let mut text: String = diff.changes.iter().map(super::json_line).collect();
    text.push_str(&super::json_line(&Last { summary: Numbers::of(diff), rest: Rest::of(diff) }));
    text
}

/// The comparison for a person: at most `width` characters a line where names allow it.
#[must_use]
pub fn human(diff: &Diff, width: usize) -> String {
    let mut text = format!("{}\n", paint(STRONG, &verdict(diff)));
    let mut list = |title: &str, names: &[String]| {
        if !names.is_empty() {
            let _ = writeln!(text, "  {} {}", paint(DIM, &format!("{title:<15}")), names.join(", "));
        }
    };
    for (what, listed) in [("rules", &diff.catalogue.rules), ("shapes", &diff.catalogue.shapes)] {
        list(&format!("{what} added"), &listed.added);
        list(&format!("{what} removed"), &listed.removed);
        list(&format!("{what} changed"), &listed.changed);
    }
    for group in Group::ALL {
        let changes: Vec<&Change> = diff.changes.iter().filter(|change| change.group == *group).collect();
        group_of_changes(&mut text, *group, &changes, width);
    }
    for (title, findings) in [
        ("new collisions", &diff.catalogue.collisions),
        ("rules that never decide", &diff.catalogue.shadowed),
        ("other new problems", &diff.catalogue.problems),
    ] {
        if !findings.is_empty() {
            let _ = writeln!(text, "  {} {}", paint(BAD, title), findings.len());
            for finding in findings {
                let _ = writeln!(text, "    {}", super::finding::clean_message(&finding.message));
            }
        }
    }
    edits(&mut text, diff, width);
    for (title, inputs) in [("only in one output", &diff.unpaired), ("can not be played", &diff.unplayable)] {
        if !inputs.is_empty() {
            let names: Vec<String> = inputs.iter().take(DRAWN_CHANGES).map(|input| one_line(&input.name, 80)).collect();
            let _ = writeln!(text, "  {} {}: {}", paint(WARN, title), inputs.len(), names.join(", "));
        }
    }
    super::style::guarded(text)
}

/// The comparison in one line.
fn verdict(diff: &Diff) -> String {
    let Listed { added, removed, changed } = &diff.catalogue.rules;
    let mut rules: Vec<String> = Vec::new();
    for (names, word) in [(added, "added"), (removed, "removed"), (changed, "changed")] {
        if !names.is_empty() {
            let number = names.len();
            rules.push(if rules.is_empty() {
                format!("{} {word}", count(number, "rule"))
            } else {
                format!("{number} {word}")
            });
        }
    }
    let rules = if rules.is_empty() { "no rule differs".to_owned() } else { rules.join(", ") };
    let rules = if diff.head.is_empty() || diff.base == diff.head && diff.catalogue == Default::default() {
        String::new()
    } else {
        format!("{rules}: ")
    };
    let inputs = count(diff.inputs, "input");
    let judged = match diff.changes.len() {
        0 => format!("none of {inputs} is judged differently"),
        1 => format!("1 of {inputs} is judged differently"),
        changes => format!("{changes} of {inputs} are judged differently"),
    };
    let widened = match diff.count(Group::Widened) {
        0 => String::new(),
        widened => format!(", {widened} WIDENED"),
    };
    format!("{rules}{judged}{widened}")
}

/// Title of a group, and whether it is bad news.
const fn group_words(group: Group) -> (&'static str, anstyle::Style) {
    match group {
        Group::Widened => ("WIDENED     a person was needed, now retried by itself", BAD),
        Group::Narrowed => ("narrowed    retried by itself, now a person is needed", WARN),
        Group::ClassFlip => ("class       transient and hard change places", WARN),
        Group::Code => ("code        another code of the same class", WARN),
        Group::LostCoverage => ("lost cover  classified before, not any more", WARN),
        Group::NewCoverage => ("new cover   not classified before, now a person knows why", GOOD),
        Group::Disposition => ("next step   the same code, another step or time", WARN),
        Group::Confidence => ("confidence  the same answer, more or less sure", DIM),
        _ => ("rule        the same answer by another rule", DIM),
    }
}

fn group_of_changes(text: &mut String, group: Group, changes: &[&Change], width: usize) {
    if changes.is_empty() {
        return;
    }
    let (title, style) = group_words(group);
    let look = if group == Group::Widened { "   ← look here first" } else { "" };
    let _ = writeln!(text, "  {} {}{look}", paint(style, &format!("{title:<62}")), changes.len());
    for change in changes.iter().take(DRAWN_CHANGES) {
        let (before, after) = sides(change);
        let name = one_line(&change.input.name, width.saturating_sub(16).max(24));
        let _ = writeln!(text, "    {} {name}", paint(DIM, change.input.kind.as_str()));
        let _ = writeln!(text, "      {before} → {}", paint(STRONG, &after));
    }
    if let Some(rest) = changes.len().checked_sub(DRAWN_CHANGES).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "    … and {rest} more; `--format json` lists all of them");
    }
}

/// Both answers in words; what is the same on both sides is said once, on the right.
pub(super) fn sides(change: &Change) -> (String, String) {
    let code = |verdict: &Verdict| verdict.code.map_or("no failure", |code| code.as_str()).to_owned();
    let (before, after) = (&change.before, &change.after);
    let (mut left, mut right) = (vec![code(before)], vec![code(after)]);
    let word = |word: Option<&str>| word.unwrap_or("none").replace('_', " ");
    if before.confidence != after.confidence {
        left.push(format!("({})", word(before.confidence.map(|confidence| confidence.as_str()))));
    }
    right.push(format!("({})", word(after.confidence.map(|confidence| confidence.as_str()))));
    if before.disposition != after.disposition {
        left.push(format!("[{}]", word(before.disposition.map(|next| next.as_str()))));
        right.push(format!("[{}]", word(after.disposition.map(|next| next.as_str()))));
    }
    if before.retry_after_ms != after.retry_after_ms {
        let hint = |hint: Option<u64>| hint.map_or_else(|| "no hint".to_owned(), |hint| format!("{hint} ms"));
        left.push(hint(before.retry_after_ms));
        right.push(hint(after.retry_after_ms));
    }
    let rule =
        |verdict: &Verdict| verdict.rule.as_ref().map_or_else(|| "no rule".to_owned(), |rule| format!("rule {rule}"));
    if before.rule != after.rule && before.code == after.code {
        left.push(rule(before));
    }
    right.push(rule(after));
    (left.join(" "), right.join(" "))
}

fn edits(text: &mut String, diff: &Diff, width: usize) {
    if diff.edits.is_empty() {
        if !diff.catalogue.rules.is_empty() {
            let _ = writeln!(text, "{}", paint(GOOD, "no expectation was edited together with the rules"));
        }
        return;
    }
    let together = if diff.catalogue.rules.is_empty() { "" } else { " together with the rules" };
    let title = format!("{} edited{together}", count(diff.edits.len(), "expectation"));
    let _ = writeln!(text, "  {}", paint(WARN, &title));
    for edit in diff.edits.iter().take(DRAWN_CHANGES) {
        let room = width.saturating_sub(14).max(24) / 2;
        let shown = |value: &str| super::escape::line(value, room);
        let after = edit.after.as_deref().map_or_else(|| "gone".to_owned(), shown);
        let _ = writeln!(text, "    {}  {}", super::escape::path(&edit.file), edit.field);
        let _ = writeln!(text, "      {} → {after}", shown(&edit.before));
    }
    if let Some(rest) = diff.edits.len().checked_sub(DRAWN_CHANGES).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "    … and {rest} more; `--format json` lists all of them");
    }
}
