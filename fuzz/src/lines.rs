//! What arrives line by line or over a connection.

use refrain::acp::frame::{self, Frame};
use refrain::recording::{Recording, write};
use refrain::redact::{Payload, Raw, Redactor};
use refrain::replay::{Setting, turns};
use refrain::{classify, evidence};
use serde_json::Value;

/// Evidence in, one line of JSON out with the same id, whatever the line is.
pub(super) fn evidence_line(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut answer = Vec::new();
    let id = match evidence::wire::parse(text) {
        Ok(line) => {
            let classifier = classify::Classifier::embedded();
            let now = line.now.unwrap_or_else(super::now);
            let classification = classifier.classify(&line.evidence, now);
            assert_eq!(classification, classifier.trace(&line.evidence, now).classification, "another explanation");
            assert!(line.evidence.signals().len() <= evidence::Evidence::SIGNAL_LIMIT);
            classify::wire::write(&mut answer, line.id.as_ref(), &classification);
            line.id
        }
        Err(error) => {
            classify::wire::write_error(&mut answer, &error);
            error.id
        }
    };
    let answer = String::from_utf8(answer).expect("UTF-8");
    assert_eq!(answer.matches('\n').count(), 1, "not one line: {answer:?}");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer.get("id").filter(|id| !id.is_null()), id.as_ref().filter(|id| !id.is_null()), "another id");
}

/// Decoding is total, does not see line ends, and reads what a value says.
pub(super) fn json_rpc(data: &[u8]) {
    let decoded = frame::decode(data);
    if !data.ends_with(b"\n") {
        let ended = [data, b"\n"].concat();
        assert_eq!(frame::decode(&ended), decoded, "the line end matters");
    }
    if let Frame::Notification { params, .. } = &decoded {
        let _ = frame::session_update(params);
    }
    if let Frame::Malformed(defect) = &decoded {
        assert!(!defect.word().is_empty());
    }
}

/// A transcript, ours or another client's: its prompts are judged, and redacting it keeps its lines.
pub(super) fn recording(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(recording) = Recording::read(text) else { return };
    let setting = Setting { knowledge: super::knowledge(), now: super::now() };
    for turn in turns(&recording, None, &|_| None, setting) {
        let line = serde_json::to_string(&turn.line("a.jsonl")).expect("plain data");
        assert!(!line.contains('\n'), "{line}");
    }
    for direction in [write::Direction::ToAgent, write::Direction::ToClient] {
        let _ = write::rebuild(text, direction);
    }
    if Recording::parse(text).is_ok_and(|recording| !recording.truncated) {
        let clean = Redactor::embedded().clean_jsonl::<Payload>(Raw::new(text)).into_string();
        let again =
            Recording::parse(&clean).unwrap_or_else(|error| panic!("redacted, it is unreadable: {error}\n{clean}"));
        assert_eq!(again.entries.len(), recording.entries.len(), "redaction loses entries\n{clean}");
    }
}

/// An HTTP request of a client of the lab: read or refused, with bodies of the bytes that are there.
#[cfg(all(feature = "cli", unix))]
pub(super) fn lab_request(data: &[u8]) {
    let mut stream = Wire { input: data, answered: 0 };
    let mut whole = 0;
    for request in refrain::shell::lab::requests(&mut stream) {
        whole += request.map_or(0, |request| request.body.len());
    }
    assert!(whole <= data.len(), "{whole} bytes out of {}", data.len());
}

/// A connection in memory.
#[cfg(all(feature = "cli", unix))]
struct Wire<'d> {
    input: &'d [u8],
    answered: usize,
}

#[cfg(all(feature = "cli", unix))]
impl std::io::Read for Wire<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        std::io::Read::read(&mut self.input, into)
    }
}

#[cfg(all(feature = "cli", unix))]
impl std::io::Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.answered += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
