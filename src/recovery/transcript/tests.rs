//! Every short sequence of changes against a model that knows nothing but the rules.

use std::collections::BTreeSet;

use super::*;
use crate::vocab::{ExecutionId, Generation, SessionId};

fn invocation(generation: u64) -> Invocation {
    Invocation {
        session: SessionId::new("s").unwrap(),
        execution: ExecutionId::new("e").unwrap(),
        generation: Generation::new(generation).unwrap(),
    }
}

fn chunk(generation: u64, part: Part, id: Option<&str>, text: &str) -> Change {
    let (message_id, text) = (id.map(str::to_owned), text.to_owned());
    Change::Chunk { invocation: invocation(generation), part, message_id, text }
}

fn commit(cause: Commit) -> Change {
    Change::Commit { invocation: invocation(1), cause }
}

fn boundary() -> Change {
    Change::Boundary(invocation(1))
}

/// Plays the changes; gives the effects, spelled briefly, and what is stored at the end.
fn play(changes: Vec<Change>, records: &mut MemoryRecords) -> (Vec<String>, Vec<String>) {
    let mut transcript = Transcript::default();
    let mut said = Vec::new();
    for change in [Change::PromptStarted(invocation(1))].into_iter().chain(changes).chain([Change::Flush]) {
        said.extend(transcript.on(change, records).iter().map(brief));
    }
    let stored = records.records.values().map(|r| format!("{}:{}", r.id.number(), r.text)).collect();
    (said, stored)
}

fn brief(effect: &TranscriptEffect) -> String {
    match effect {
        TranscriptEffect::Show { record, text, .. } => format!("show {} {text}", record.number()),
        TranscriptEffect::Remove(record) => format!("remove {}", record.number()),
        TranscriptEffect::History { record, text } => format!("history {} {text}", record.number()),
        TranscriptEffect::StorageFailed { record, removal, .. } => format!("failed {} {removal}", record.number()),
    }
}

type Row = (&'static str, Vec<Change>, &'static [&'static str], &'static [&'static str]);

#[test]
fn rows() {
    use Part::{Assistant, Thought};
    let a = |text| chunk(1, Assistant, Some("m"), text);
    let rows: Vec<Row> = vec![
        (
            "one id is one record; another part of the same id is another",
            vec![a("x"), chunk(1, Thought, Some("m"), "t"), a("y")],
            &["show 1 x", "show 2 t", "show 1 y"],
            &["1:xy", "2:t"],
        ),
        (
            "without ids, a change of part starts a record",
            vec![chunk(1, Assistant, None, "x"), chunk(1, Thought, None, "t"), chunk(1, Assistant, None, "y")],
            &["show 1 x", "show 2 t", "show 3 y"],
            &["1:x", "2:t", "3:y"],
        ),
        (
            "a boundary removes before the replacement is shown, pending text is never written",
            vec![a("x"), boundary(), a("y")],
            &["show 1 x", "remove 1", "show 2 y"],
            &["2:y"],
        ),
        (
            "a written record is durably removed",
            vec![a("x"), Change::Flush, boundary()],
            &["show 1 x", "remove 1"],
            &[],
        ),
        (
            "a boundary with nothing new is a no-op",
            vec![a("x"), boundary(), boundary()],
            &["show 1 x", "remove 1"],
            &[],
        ),
        (
            "a tool call commits, also against the same id; history gets the committed text only",
            vec![a("x"), commit(Commit::ToolCall), a("y"), boundary()],
            &["show 1 x", "history 1 x", "show 2 y", "remove 2"],
            &["1:x"],
        ),
        (
            "each boundary reaches back to the one before",
            vec![a("x"), boundary(), a("y"), commit(Commit::HandOff), a("z"), boundary()],
            &["show 1 x", "remove 1", "show 2 y", "history 2 y", "show 3 z", "remove 3"],
            &["2:y"],
        ),
        (
            "nothing is retracted after the end, late text included",
            vec![a("x"), commit(Commit::Completion), a("late"), boundary()],
            &["show 1 x", "history 1 x", "show 2 late", "history 2 late"],
            &["1:x", "2:late"],
        ),
        (
            "a stale prompt changes nothing",
            vec![a("x"), chunk(2, Assistant, Some("m"), "old"), Change::Boundary(invocation(2))],
            &["show 1 x"],
            &["1:x"],
        ),
        (
            "thoughts are retracted and are no history",
            vec![chunk(1, Thought, None, "t"), commit(Commit::Teardown)],
            &["show 1 t"],
            &["1:t"],
        ),
        ("empty text makes no record", vec![a(""), commit(Commit::Cancellation)], &[], &[]),
    ];
    let mut wrong = Vec::new();
    for (name, changes, said, stored) in rows {
        let got = play(changes, &mut MemoryRecords::default());
        let expected =
            (said.iter().map(|s| (*s).to_owned()).collect(), stored.iter().map(|s| (*s).to_owned()).collect());
        if got != expected {
            wrong.push(format!("{name}:\n  expected {expected:?}\n  got      {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_failed_deletion_stops_no_other_and_is_made_good() {
    let mut records = MemoryRecords { fail_delete_of: [RecordId::new(1)].into(), ..MemoryRecords::default() };
    let mut transcript = Transcript::default();
    let start = [
        Change::PromptStarted(invocation(1)),
        chunk(1, Part::Assistant, Some("a"), "x"),
        chunk(1, Part::Assistant, Some("b"), "y"),
        Change::Flush,
    ];
    for change in start {
        transcript.on(change, &mut records);
    }
    let said: Vec<_> = transcript.on(boundary(), &mut records).iter().map(brief).collect();
    assert_eq!(said, ["failed 1 true", "remove 1", "remove 2"]);
    assert_eq!(records.records.keys().copied().collect::<Vec<_>>(), [RecordId::new(1)]);
    assert!(!transcript.is_settled());
    records.fail_delete_of.clear();
    transcript.on(Change::Flush, &mut records);
    assert!(transcript.is_settled() && records.records.is_empty());
}

#[test]
fn what_belongs_to_no_open_attempt_is_counted_and_ignored() {
    let mut transcript = Transcript::default();
    let mut records = MemoryRecords::default();
    let changes = [
        (boundary(), 1),
        (Change::PromptStarted(invocation(1)), 1),
        (boundary(), 1),
        (Change::Boundary(invocation(2)), 2),
        (chunk(2, Part::Assistant, None, "stale"), 3),
        (commit(Commit::Completion), 3),
        (boundary(), 4),
    ];
    let mut wrong = Vec::new();
    for (change, expected) in changes {
        let effects = transcript.on(change.clone(), &mut records);
        if transcript.ignored() != expected || !effects.is_empty() {
            wrong.push(format!("{change:?}: expected {expected}, got {}, {effects:?}", transcript.ignored()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_failed_write_is_made_good_even_after_the_commit() {
    let mut records = MemoryRecords { fail_write: true, ..MemoryRecords::default() };
    let mut transcript = Transcript::default();
    for change in [Change::PromptStarted(invocation(1)), chunk(1, Part::Assistant, None, "x"), commit(Commit::ToolCall)]
    {
        transcript.on(change, &mut records);
    }
    records.fail_write = false;
    transcript.on(boundary(), &mut records);
    assert!(transcript.is_settled());
    assert_eq!(records.records[&RecordId::new(1)].text, "x", "committed text is not lost and not retracted");
}

/// The model: allocation order, and for every shown record whether it was committed.
#[derive(Clone, Default)]
struct Model {
    shown: Vec<RecordId>,
    committed: BTreeSet<RecordId>,
    removed: BTreeSet<RecordId>,
}

impl Model {
    fn check(&mut self, change: &Change, effects: &[TranscriptEffect], trail: &[Change]) {
        let mut shown_now = false;
        for effect in effects {
            match effect {
                TranscriptEffect::Show { record, .. } => {
                    assert!(!self.removed.contains(record), "a removed record speaks again: {trail:?}");
                    assert!(!self.committed.contains(record), "a committed record is open again: {trail:?}");
                    shown_now = true;
                    if !self.shown.contains(record) {
                        assert!(self.shown.last() < Some(record), "allocation order: {trail:?}");
                        self.shown.push(*record);
                    }
                }
                TranscriptEffect::Remove(record) => {
                    assert!(matches!(change, Change::Boundary(i) if *i == invocation(1)), "removed by {change:?}");
                    assert!(!shown_now, "a replacement before its removal: {trail:?}");
                    assert!(!self.committed.contains(record), "a committed record was removed: {trail:?}");
                    assert!(self.removed.insert(*record), "removed twice: {trail:?}");
                }
                TranscriptEffect::History { record, .. } => {
                    assert!(!self.removed.contains(record), "abandoned text became history: {trail:?}");
                }
                TranscriptEffect::StorageFailed { .. } => {}
            }
        }
        let ours = match change {
            Change::Commit { invocation: of, .. } => *of == invocation(1),
            Change::PromptStarted(_) => true,
            _ => false,
        };
        if ours {
            self.committed.extend(self.shown.iter().filter(|record| !self.removed.contains(record)));
        }
    }
}

fn alphabet() -> Vec<Change> {
    vec![
        chunk(1, Part::Assistant, Some("m"), "a"),
        chunk(1, Part::Assistant, Some("n"), "b"),
        chunk(1, Part::Thought, None, "t"),
        chunk(2, Part::Assistant, Some("m"), "stale"),
        Change::Flush,
        commit(Commit::ToolCall),
        commit(Commit::Completion),
        boundary(),
        Change::Boundary(invocation(2)),
        Change::PromptStarted(invocation(1)),
    ]
}

fn every(transcript: &Transcript, records: &MemoryRecords, model: &Model, trail: &mut Vec<Change>, left: usize) -> u64 {
    if left == 0 {
        return 0;
    }
    let mut count = 0;
    for change in alphabet() {
        for broken in [false, true] {
            let (mut transcript, mut records, mut model) = (transcript.clone(), records.clone(), model.clone());
            (records.fail_delete, records.fail_write) = (broken, broken);
            trail.push(change.clone());
            let effects = transcript.on(change.clone(), &mut records);
            model.check(&change, &effects, trail);
            // Once storage works, what viewers see is what a reload shows.
            let (mut settled, mut healed) = (transcript.clone(), records.clone());
            (healed.fail_delete, healed.fail_write) = (false, false);
            settled.on(Change::Flush, &mut healed);
            let seen: Vec<_> = model.shown.iter().copied().filter(|r| !model.removed.contains(r)).collect();
            assert_eq!(healed.records.keys().copied().collect::<Vec<_>>(), seen, "{trail:?}");
            count += 1 + every(&transcript, &records, &model, trail, left - 1);
            trail.pop();
        }
    }
    count
}

#[test]
fn retraction_touches_the_current_attempt_only_over_every_short_sequence() {
    let said = || chunk(1, Part::Assistant, Some("m"), "a");
    // Where exploring begins, so that short sequences reach deep states.
    let prefixes = [
        vec![],
        vec![said(), Change::Flush, chunk(1, Part::Thought, None, "t")],
        vec![said(), commit(Commit::ToolCall), said()],
        vec![said(), boundary(), said(), Change::Flush],
    ];
    let mut count = 0;
    for prefix in prefixes {
        let (mut transcript, mut records) = (Transcript::default(), MemoryRecords::default());
        let mut model = Model::default();
        let mut trail = Vec::new();
        for change in [Change::PromptStarted(invocation(1))].into_iter().chain(prefix) {
            trail.push(change.clone());
            let effects = transcript.on(change.clone(), &mut records);
            model.check(&change, &effects, &trail);
        }
        count += every(&transcript, &records, &model, &mut trail, 4);
    }
    assert_eq!(count, 4 * (20 + 400 + 8_000 + 160_000), "sequences were left out");
}
