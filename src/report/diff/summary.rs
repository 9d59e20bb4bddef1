//! The comparison in the terms that the review formats share.

use super::{sides, verdict};
use crate::diff::{Change, Diff, Edit, Group, InputKind};
use crate::report::check::count;
use crate::report::summary::{Case, Entry, Field, Level, Note, Section, Summary, Table};
use crate::vocab::Place;

/// Most changes in the table of a comment; the rest is in the list below it.
const TABLE_ROWS: usize = 30;

/// The comparison for a review format. `ok` is what the command decided.
#[must_use]
pub fn summary(diff: &Diff, ok: bool) -> Summary {
    let rows = diff.changes.iter().take(TABLE_ROWS).map(|change| {
        let (before, after) = sides(change);
        vec![
            Field::Words(change.group.as_str().replace('_', " ")),
            Field::Code(change.input.name.clone()),
            Field::Code(before),
            Field::Code(after),
        ]
    });
    Summary {
        command: "diff",
        ok,
        verdict: verdict(diff),
        table: Table {
            headers: ["change", "input", "before", "after"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        sections: sections(diff),
        notes: notes(diff),
        cases: diff.changes.iter().map(case).collect(),
    }
}

fn sections(diff: &Diff) -> Vec<Section> {
    let catalogue = &diff.catalogue;
    let mut sections = Vec::new();
    for (what, listed) in [("rule", &catalogue.rules), ("shape", &catalogue.shapes)] {
        for (names, word) in [(&listed.added, "added"), (&listed.removed, "removed"), (&listed.changed, "changed")] {
            let entries = names.iter().map(|name| Entry { name: name.clone(), body: String::new() }).collect();
            sections.push(Section { title: format!("{} {word}", count(names.len(), what)), entries });
        }
    }
    for (title, findings) in [
        ("new collisions", &catalogue.collisions),
        ("rules that never decide", &catalogue.shadowed),
        ("other new problems", &catalogue.problems),
    ] {
        let entries = findings.iter().map(|finding| Note::from(finding).entry()).collect();
        sections.push(Section { title: format!("{} {title}", findings.len()), entries });
    }
    let edits = diff.edits.iter().map(|edit| Entry { name: edit.file.clone(), body: edit_line(edit) });
    let title = format!("{} edited in the same change", count(diff.edits.len(), "expectation"));
    sections.push(Section { title, entries: edits.collect() });
    for (title, inputs) in [("only in one of the two", &diff.unpaired), ("that can not be played", &diff.unplayable)] {
        let entries = inputs.iter().map(|input| Entry { name: input.name.clone(), body: String::new() }).collect();
        sections.push(Section { title: format!("{} {title}", count(inputs.len(), "input")), entries });
    }
    let changes = diff.changes.iter().map(|change| Entry { name: change.input.name.clone(), body: line(change) });
    let title = format!("All {}", count(diff.changes.len(), "change"));
    sections.push(Section { title, entries: changes.collect() });
    sections
}

fn edit_line(edit: &Edit) -> String {
    format!("{}: {} → {}", edit.field, edit.before, edit.after.as_deref().unwrap_or("gone"))
}

fn line(change: &Change) -> String {
    let (before, after) = sides(change);
    format!("{}: {before} → {after}", change.group)
}

/// Changes point at their fixture or at the rule that gives the new answer, edits at their file.
fn notes(diff: &Diff) -> Vec<Note> {
    let catalogue = &diff.catalogue;
    let findings = catalogue.collisions.iter().chain(&catalogue.problems).chain(&catalogue.shadowed);
    let mut notes: Vec<Note> = findings.map(Note::from).collect();
    notes.extend(diff.changes.iter().map(note));
    notes.extend(diff.edits.iter().map(|edit| Note {
        level: Level::Warning,
        code: "refrain::diff::expectation",
        place: Place::file(&edit.file),
        message: edit_line(edit),
        help: Some("an expectation that changes together with a rule proves nothing about the rule".to_owned()),
    }));
    notes.sort_by_key(|note| note.level);
    notes
}

fn note(change: &Change) -> Note {
    let name = change.input.name.trim_end_matches("@base");
    let place = match (change.input.kind, &change.after.rule) {
        (InputKind::Fixture, _) => Place::file(name),
        (_, Some(rule)) => Place::file(&format!("{}/{rule}.yaml", crate::catalogue::RULES_FOLDER)),
        _ => Place::default(),
    };
    Note {
        level: level(change.group),
        code: code(change.group),
        place,
        message: format!("{} {}: {}", change.input.kind, change.input.name, line(change)),
        help: None,
    }
}

const fn level(group: Group) -> Level {
    match group {
        Group::Widened => Level::Error,
        Group::Narrowed | Group::ClassFlip | Group::Code | Group::LostCoverage | Group::Disposition => Level::Warning,
        _ => Level::Notice,
    }
}

const fn code(group: Group) -> &'static str {
    match group {
        Group::Widened => "refrain::diff::widened",
        Group::Narrowed => "refrain::diff::narrowed",
        Group::ClassFlip => "refrain::diff::class",
        Group::Code => "refrain::diff::code",
        Group::LostCoverage => "refrain::diff::lost_coverage",
        Group::NewCoverage => "refrain::diff::new_coverage",
        Group::Disposition => "refrain::diff::disposition",
        Group::Confidence => "refrain::diff::confidence",
        _ => "refrain::diff::rule",
    }
}

fn case(change: &Change) -> Case {
    Case { suite: change.group.to_string(), name: change.input.name.clone(), failures: vec![note(change)] }
}
