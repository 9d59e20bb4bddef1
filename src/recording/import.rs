//! Files of other recorders: newline-delimited JSON-RPC, bare or each message inside of a record of its own.
//!
//! Who sent a message follows from what it is: ACP gives every method to one side, and an answer goes to whoever asked.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Entry, Observed, Recording, RecordingError, is_recording};

/// Fields under which other recorders keep a message.
const PAYLOADS: &[&str] = &["message", "frame", "payload", "msg", "raw", "data", "json"];

impl Recording {
    /// Reads a transcript, or the file of another recorder.
    ///
    /// # Errors
    /// As [`Recording::parse`]; and when a line holds no JSON-RPC message.
    pub fn read(text: &str) -> Result<Self, RecordingError> {
        let first = text.lines().find(|line| !line.trim().is_empty()).ok_or(RecordingError::Empty)?;
        let foreign = serde_json::from_str::<Value>(first).ok().is_some_and(|line| message(&line).is_some());
        if is_recording(first) || !foreign {
            return Self::parse(text);
        }
        let mut sides = Sides::default();
        let mut recording = Self { header: None, entries: Vec::new(), truncated: false };
        let count = text.lines().count();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let record = match serde_json::from_str::<Value>(line) {
                Ok(record) => record,
                Err(error) if error.is_eof() && index + 1 == count && !text.ends_with('\n') => {
                    recording.truncated = true;
                    break;
                }
                Err(error) => return Err(RecordingError::Line(index + 1, super::without_place(&error))),
            };
            // Records about the recording itself hold no message.
            let Some(message) = message(&record) else { continue };
            let what =
                if sides.goes_to_agent(&message) { Observed::ToAgent(message) } else { Observed::ToClient(message) };
            recording.entries.push(Entry { t_ms: 0, seq: None, what });
        }
        Ok(recording)
    }
}

/// The JSON-RPC message of a record: the record itself, one of its fields, or JSON in the text of one.
fn message(record: &Value) -> Option<Value> {
    let is_message = |value: &Value| {
        value.as_object().is_some_and(|map: &Map<String, Value>| {
            map.contains_key("jsonrpc")
                || (map.contains_key("id") && (map.contains_key("result") || map.contains_key("error")))
        })
    };
    if is_message(record) {
        return Some(record.clone());
    }
    PAYLOADS.iter().filter_map(|key| record.get(*key)).find_map(|value| match value {
        Value::String(text) => serde_json::from_str(text).ok().filter(is_message),
        value => Some(value.clone()).filter(is_message),
    })
}

/// Who waits for which answer.
#[derive(Debug, Default)]
struct Sides {
    client_asked: BTreeSet<String>,
    agent_asked: BTreeSet<String>,
}

impl Sides {
    /// Whether a message goes to the agent.
    fn goes_to_agent(&mut self, message: &Value) -> bool {
        let id = message.get("id").map(Value::to_string);
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // Both sides count their requests; the client's are the ones that matter.
            let id = id.unwrap_or_default();
            return !self.client_asked.remove(&id) && self.agent_asked.remove(&id);
        };
        let to_agent = matches!(method, "initialize" | "authenticate" | "logout")
            || (method.starts_with("session/") && !matches!(method, "session/update" | "session/request_permission"));
        if let Some(id) = id {
            if to_agent {
                self.client_asked.insert(id)
            } else {
                self.agent_asked.insert(id)
            };
        }
        to_agent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(text: &str) -> String {
        let recording = Recording::read(text).unwrap();
        recording
            .entries
            .iter()
            .map(|entry| if matches!(entry.what, Observed::ToAgent(_)) { '>' } else { '<' })
            .collect()
    }

    #[test]
    fn other_recorders_are_read_and_sides_follow_from_the_messages() {
        let bare = [
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"p","result":{"outcome":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}"#,
        ];
        assert_eq!(sides(&bare.join("\n")), "><><<><");
        let wrapped: Vec<String> =
            bare.iter().map(|line| format!(r#"{{"timestamp":1,"direction":"?","message":{line}}}"#)).collect();
        assert_eq!(sides(&wrapped.join("\n")), "><><<><");
        let quoted: Vec<String> = bare.iter().map(|line| format!(r#"{{"raw":{}}}"#, Value::from(*line))).collect();
        assert_eq!(sides(&(quoted.join("\n") + "\n{\"note\":\"end\"}\n")), "><><<><");
    }

    #[test]
    fn our_own_transcripts_and_damaged_files_are_as_before() {
        assert_eq!(sides("{\"dir\":\"client_to_agent\",\"frame\":{}}\n"), ">");
        assert_eq!(Recording::read(""), Err(RecordingError::Empty));
        assert!(matches!(Recording::read("hello\n"), Err(RecordingError::Line(1, _))));
        let cut = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n{\"jsonrpc\":\"2.";
        assert!(Recording::read(cut).unwrap().truncated);
    }
}
