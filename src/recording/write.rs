//! How one transcript line is written, and how the bytes of a stream are rebuilt from the lines.
//!
//! A JSON line is kept as it was sent: the text of the frame stands unchanged at the end of its record. Whatever a record
//! can not spell that way (no JSON, invalid UTF-8, white space around it, another line end) carries what is needed to
//! give the same bytes back: `end` for another line end than `\n`, `hex` for the exact bytes.

use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;

use super::RecordingError;

/// Which way bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to the agent.
    ToAgent,
    /// From the agent to the client.
    ToClient,
}

impl Direction {
    const fn word(self) -> &'static str {
        match self {
            Self::ToAgent => "client_to_agent",
            Self::ToClient => "agent_to_client",
        }
    }

    const fn from(self) -> &'static str {
        match self {
            Self::ToAgent => "client",
            Self::ToClient => "agent",
        }
    }
}

/// When and in which order something was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Milliseconds since the start, on a monotonic clock.
    pub t_ms: u64,
    /// Number of the record, from 1; given before the bytes are passed on.
    pub seq: u64,
}

/// The header line of a transcript: format 1, who wrote it, and the facts of the run, in the order given.
#[must_use]
pub fn header_line(facts: &[(&str, Value)]) -> String {
    let mut line = format!("{{\"transcript\":1,\"tool\":\"refrain {}\"", env!("CARGO_PKG_VERSION"));
    for (key, value) in facts {
        let _ = write!(line, ",{}:{value}", Value::from(*key));
    }
    line.push_str("}\n");
    line
}

/// The record of one line of a stream, its line end included.
#[must_use]
pub fn frame_line(stamp: Stamp, direction: Direction, bytes: &[u8]) -> String {
    let (content, end) = without_line_end(bytes);
    let exact_end = if end == "\n" { String::new() } else { format!(",\"end\":{}", Value::from(end)) };
    let text = std::str::from_utf8(content);
    match text {
        // Parsed as a value, not only scanned: what a reader could not hold (a lone surrogate, a number without an end,
        // nesting over 128) is no frame of this format.
        Ok(text) if serde_json::from_str::<Value>(text).is_ok() => {
            let bare = text.trim_matches([' ', '\t', '\r', '\n']);
            let hex = if bare.len() == text.len() { String::new() } else { format!(",\"hex\":\"{}\"", hex(bytes)) };
            format!("{}{exact_end}{hex},\"frame\":{bare}}}\n", start(stamp, direction.word()))
        }
        _ => {
            let hex = if text.is_ok() { String::new() } else { format!(",\"hex\":\"{}\"", hex(bytes)) };
            let text = Value::from(String::from_utf8_lossy(content));
            let start = start(stamp, "unparsed");
            format!("{start},\"from\":\"{}\"{exact_end}{hex},\"text\":{text}}}\n", direction.from())
        }
    }
}

/// The record of one line of stderr.
#[must_use]
pub fn stderr_line(stamp: Stamp, bytes: &[u8]) -> String {
    let text = Value::from(String::from_utf8_lossy(without_line_end(bytes).0));
    format!("{},\"text\":{text}}}\n", start(stamp, "stderr"))
}

/// The record of the end of the agent's process.
#[must_use]
pub fn exit_line(stamp: Stamp, code: Option<i32>, signal: Option<i32>, how: &str, facts: &[(&str, Value)]) -> String {
    let mut line = start(stamp, "exit");
    let _ = match (code, signal) {
        (Some(code), _) => write!(line, ",\"code\":{code}"),
        (None, Some(signal)) => write!(line, ",\"code\":{},\"signal\":{signal}", -signal),
        (None, None) => Ok(()),
    };
    let _ = write!(line, ",\"how\":{}", Value::from(how));
    for (key, value) in facts {
        let _ = write!(line, ",{}:{value}", Value::from(*key));
    }
    line.push_str("}\n");
    line
}

fn start(stamp: Stamp, direction: &str) -> String {
    format!("{{\"t_ms\":{},\"seq\":{},\"dir\":\"{direction}\"", stamp.t_ms, stamp.seq)
}

fn without_line_end(bytes: &[u8]) -> (&[u8], &'static str) {
    if let Some(content) = bytes.strip_suffix(b"\r\n") {
        (content, "\r\n")
    } else if let Some(content) = bytes.strip_suffix(b"\n") {
        (content, "\n")
    } else {
        (bytes, "")
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.bytes().map(|byte| char::from(byte).to_digit(16).map(|d| d as u8)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

#[derive(serde::Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    dir: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    from: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    end: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    hex: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    frame: Option<&'a RawValue>,
}

/// `null` is a frame, not an absent one.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}

/// The exact bytes that went one way, rebuilt from a transcript.
///
/// # Errors
/// When a line is no record of a transcript.
pub fn rebuild(transcript: &str, direction: Direction) -> Result<Vec<u8>, RecordingError> {
    let mut bytes = Vec::new();
    for (index, line) in transcript.lines().enumerate() {
        let record: Record<'_> =
            serde_json::from_str(line).map_err(|error| RecordingError::Line(index + 1, error.to_string()))?;
        let text = match record.dir.as_deref() {
            Some(dir) if dir == direction.word() => record.frame.map(RawValue::get),
            Some("unparsed") if record.from.as_deref() == Some(direction.from()) => record.text.as_deref(),
            _ => continue,
        };
        if let Some(hex) = &record.hex {
            bytes.extend(from_hex(hex).ok_or(RecordingError::Field(index + 1, "hex"))?);
            continue;
        }
        bytes.extend(text.ok_or(RecordingError::Field(index + 1, "frame"))?.as_bytes());
        bytes.extend(record.end.as_deref().unwrap_or("\n").as_bytes());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Observed, Recording};
    use proptest::prelude::*;

    /// The lines of a stream as a recorder cuts it.
    fn transcript(stream: &[u8]) -> String {
        let mut text = header_line(&[("agent", Value::from("claude-acp"))]);
        for (index, line) in stream.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let stamp = Stamp { t_ms: 1, seq: index as u64 + 1 };
            text.push_str(&frame_line(stamp, Direction::ToClient, line));
            text.push_str(&frame_line(stamp, Direction::ToAgent, b"{\"other\":1}\n"));
        }
        text
    }

    #[test]
    fn every_stream_is_rebuilt_byte_for_byte() {
        let cases: &[&[u8]] = &[
            b"{\"a\": 1}\n",
            b"{\"a\": 1}\r\n",
            b"{\"a\": 1}",
            b"  {\"a\": 1.0e0}\t\n",
            b"[{\"id\":1},{\"id\":2}]\n",
            b"plain text\nmore\r\n\n\r\n",
            b"\xff\xfe{}\n{\"\xc3\x28\":1}",
            b"{\"lone\":\"\\ud800\"}\n",
            b"{\"big\":1e999}\n",
            b"\xef\xbb\xbf{\"bom\":1}\n",
            b"\0\n",
            b"null\nnull",
            b"{\"a\":1}\r\r\n",
        ];
        let mut wrong = Vec::new();
        for case in cases {
            let text = transcript(case);
            let got = rebuild(&text, Direction::ToClient).unwrap();
            if got != *case {
                wrong.push(format!("{:?}: {:?}", String::from_utf8_lossy(case), String::from_utf8_lossy(&got)));
            }
            if let Err(error) = Recording::parse(&text) {
                wrong.push(format!("{:?}: {error}", String::from_utf8_lossy(case)));
            }
        }
        let deep = format!("{}{}\n", "[".repeat(300), "]".repeat(300));
        assert_eq!(rebuild(&transcript(deep.as_bytes()), Direction::ToClient).unwrap(), deep.as_bytes());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_reader_understands_every_record() {
        let stamp = Stamp { t_ms: 5, seq: 2 };
        let text = [
            header_line(&[]),
            frame_line(stamp, Direction::ToAgent, b"{\"id\":0}\n"),
            frame_line(stamp, Direction::ToAgent, b"oops\n"),
            stderr_line(stamp, b"warn\xff\n"),
            exit_line(stamp, None, Some(9), "deadline", &[("left", Value::from(0))]),
        ]
        .concat();
        let recording = Recording::parse(&text).unwrap();
        assert!(recording.header.is_some());
        let observed: Vec<&Observed> = recording.entries.iter().map(|entry| &entry.what).collect();
        assert_eq!(
            observed,
            [
                &Observed::ToAgent(serde_json::json!({"id": 0})),
                &Observed::Unparsed { from_agent: false, text: "oops".into() },
                &Observed::Stderr("warn\u{fffd}".into()),
                &Observed::Exit { code: None, signal: Some(9), how: Some("deadline".into()) },
            ]
        );
        assert_eq!(recording.entries[0].seq, Some(2));
    }

    proptest! {
        #[test]
        fn any_bytes_are_rebuilt(stream in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(rebuild(&transcript(&stream), Direction::ToClient).unwrap(), stream);
        }

        #[test]
        fn any_json_like_text_is_rebuilt(stream in "([ \\r\\n\\t]|\\{\"a\":[0-9]\\}|[a-z])*") {
            prop_assert_eq!(rebuild(&transcript(stream.as_bytes()), Direction::ToClient).unwrap(), stream.into_bytes());
        }
    }
}
