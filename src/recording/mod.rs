//! One raw transcript file: JSON Lines of everything an agent and its client said (section 5 of the fixtures page).
//!
//! Invariant: reading keeps order and loses nothing; a damaged line is an error with its number, only a last line that
//! was cut off in the middle is forgiven, and it is said.
//!
//! Must not know: how a transcript is replayed or produced.

mod correlated;
mod import;
pub mod write;

use std::fmt;

use serde_json::{Map, Value};

pub use correlated::Correlated;

/// A transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The header line, when the file has one.
    pub header: Option<Map<String, Value>>,
    /// Every entry, in the order of the file.
    pub entries: Vec<Entry>,
    /// Whether the last line was cut off and left out.
    pub truncated: bool,
}

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Milliseconds since the start, on a monotonic clock.
    pub t_ms: u64,
    /// Sequence number, when the recorder gave one.
    pub seq: Option<u64>,
    /// What was observed.
    pub what: Observed,
}

/// What a transcript line holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Observed {
    /// A frame from the client to the agent.
    ToAgent(Value),
    /// A frame from the agent to the client.
    ToClient(Value),
    /// A line that is no JSON.
    Unparsed {
        /// Whether the agent wrote it.
        from_agent: bool,
        /// The text.
        text: String,
    },
    /// A line of the agent's stderr.
    Stderr(String),
    /// The agent process ended.
    Exit {
        /// Exit code; absent when a signal ended it.
        code: Option<i32>,
        /// Signal number.
        signal: Option<i32>,
        /// How it came to that: `self_exit`, `stdin_closed`, `sigterm`, ...
        how: Option<String>,
    },
}

/// Why a file is no transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingError {
    /// A line that is no JSON object; its number from 1.
    Line(usize, String),
    /// A line whose `dir` is missing or unknown; its number from 1.
    Direction(usize),
    /// A line without the field that its `dir` needs; its number from 1 and the field.
    Field(usize, &'static str),
    /// No line at all.
    Empty,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line, error) => write!(f, "read transcript line {line}: {error}"),
            Self::Direction(line) => write!(
                f,
                "read transcript line {line}: `dir` is none of client_to_agent, agent_to_client, stderr, exit, unparsed, stdout_raw"
            ),
            Self::Field(line, field) => {
                write!(f, "read transcript line {line}: `{field}` is missing or of another type")
            }
            Self::Empty => f.write_str("read a transcript: the file is empty"),
        }
    }
}

impl std::error::Error for RecordingError {}

/// Whether a first line looks like a transcript's: its header, or an object with a `dir`.
#[must_use]
pub fn is_recording(first_line: &str) -> bool {
    let Ok(Value::Object(line)) = serde_json::from_str(first_line) else { return false };
    line.contains_key("dir") || is_header(&line)
}

fn is_header(line: &Map<String, Value>) -> bool {
    line.contains_key("transcript") && !line.contains_key("dir")
}

impl Recording {
    /// Reads a transcript.
    ///
    /// # Errors
    /// When a line other than a cut-off last one is no transcript line.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let lines: Vec<&str> = text.lines().collect();
        let complete = text.ends_with('\n');
        let mut recording = Self { header: None, entries: Vec::new(), truncated: false };
        for (index, line) in lines.iter().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let object = match serde_json::from_str::<Map<String, Value>>(line) {
                Ok(object) => object,
                Err(error) if error.is_eof() && index + 1 == lines.len() && !complete => {
                    recording.truncated = true;
                    break;
                }
                Err(error) => return Err(RecordingError::Line(index + 1, without_place(&error))),
            };
            if recording.header.is_none() && recording.entries.is_empty() && is_header(&object) {
                recording.header = Some(object);
            } else {
                recording.entries.push(entry(object, index + 1)?);
            }
        }
        if recording.header.is_none() && recording.entries.is_empty() {
            return Err(RecordingError::Empty);
        }
        Ok(recording)
    }
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn entry(mut object: Map<String, Value>, line: usize) -> Result<Entry, RecordingError> {
    let t_ms = match object.get("t_ms") {
        None => 0,
        Some(value) => whole_milliseconds(value).ok_or(RecordingError::Field(line, "t_ms"))?,
    };
    let seq = object.get("seq").and_then(Value::as_u64);
    let frame = |object: &mut Map<String, Value>| object.remove("frame").ok_or(RecordingError::Field(line, "frame"));
    let what = match object.get("dir").and_then(Value::as_str) {
        Some("client_to_agent") => Observed::ToAgent(frame(&mut object)?),
        Some("agent_to_client") => Observed::ToClient(frame(&mut object)?),
        Some("stderr") => Observed::Stderr(text(&object, line)?),
        // `stdout_raw` is what older recorders call a line of the agent that is no JSON.
        Some("unparsed" | "stdout_raw") => Observed::Unparsed {
            from_agent: object.get("from").and_then(Value::as_str) != Some("client"),
            text: text(&object, line)?,
        },
        Some("exit") => exit(&object),
        _ => return Err(RecordingError::Direction(line)),
    };
    Ok(Entry { t_ms, seq, what })
}

fn whole_milliseconds(value: &Value) -> Option<u64> {
    let milliseconds =
        value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64));
    milliseconds.filter(|number| *number < 1 << 53)
}

fn text(object: &Map<String, Value>, line: usize) -> Result<String, RecordingError> {
    object.get("text").and_then(Value::as_str).map(str::to_owned).ok_or(RecordingError::Field(line, "text"))
}

/// A negative code is how some recorders spell a signal.
fn exit(object: &Map<String, Value>) -> Observed {
    let number = |key: &str| object.get(key).and_then(Value::as_i64).and_then(|value| i32::try_from(value).ok());
    let how = object.get("how").and_then(Value::as_str).map(str::to_owned);
    match number("code") {
        Some(code) if code < 0 => Observed::Exit { code: None, signal: code.checked_neg(), how },
        code => Observed::Exit { code, signal: number("signal"), how },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_is_read_in_order() {
        let text = concat!(
            "{\"transcript\":1,\"tool\":\"refrain\"}\n",
            "{\"t_ms\":1,\"seq\":1,\"dir\":\"client_to_agent\",\"frame\":{\"id\":0}}\n",
            "\n",
            "{\"t_ms\":2.5,\"seq\":2,\"dir\":\"agent_to_client\",\"frame\":[1]}\r\n",
            "{\"t_ms\":3,\"dir\":\"stderr\",\"text\":\"warn\"}\n",
            "{\"t_ms\":3,\"dir\":\"unparsed\",\"text\":\"hello\"}\n",
            "{\"t_ms\":4,\"dir\":\"exit\",\"code\":-15,\"how\":\"sigterm\"}\n",
        );
        let recording = Recording::parse(text).unwrap();
        assert!(recording.header.is_some() && !recording.truncated);
        let kinds: Vec<String> = recording.entries.iter().map(|entry| format!("{:?}", entry.what)).collect();
        assert_eq!(
            kinds,
            [
                "ToAgent(Object {\"id\": Number(0)})",
                "ToClient(Array [Number(1)])",
                "Stderr(\"warn\")",
                "Unparsed { from_agent: true, text: \"hello\" }",
                "Exit { code: None, signal: Some(15), how: Some(\"sigterm\") }",
            ]
        );
        assert_eq!(recording.entries[1].t_ms, 2);
    }

    #[test]
    fn damaged_lines_are_named_and_a_cut_last_line_is_forgiven() {
        let good = "{\"dir\":\"stderr\",\"text\":\"a\"}\n";
        for (text, expected) in [
            (format!("{good}nonsense\n"), Err(RecordingError::Line(2, "expected ident".into()))),
            (format!("{good}{{\"dir\":\"sideways\"}}\n"), Err(RecordingError::Direction(2))),
            (format!("{good}{{\"dir\":\"stderr\"}}\n"), Err(RecordingError::Field(2, "text"))),
            (format!("{good}{{\"dir\":\"exit\",\"t_ms\":-1}}\n"), Err(RecordingError::Field(2, "t_ms"))),
            (String::new(), Err(RecordingError::Empty)),
            (format!("{good}{{\"dir\":\"std"), Ok(true)),
            (format!("{good}{{\"dir\":\"std\n"), Err(RecordingError::Line(2, "EOF while parsing a string".into()))),
        ] {
            assert_eq!(Recording::parse(&text).map(|recording| recording.truncated), expected, "{text:?}");
        }
    }

    #[test]
    fn a_first_line_tells_a_transcript_from_evidence() {
        for (line, expected) in [
            ("{\"dir\":\"exit\"}", true),
            ("{\"transcript\":1}", true),
            ("{\"signals\":[]}", false),
            ("{\"text\":\"a\"}", false),
            ("plain text", false),
        ] {
            assert_eq!(is_recording(line), expected, "{line}");
        }
    }
}
