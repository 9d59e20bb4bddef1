//! The texts of a transcript that correlation compares: chunks, and the error message that ends their prompt (.23).
//!
//! Redaction must not change whether a chunk is contained in its message. Both versions of a transcript are walked side by
//! side, line by line, with as much memory as one prompt needs.

use std::collections::HashMap;

use serde_json::Value;

use crate::redact::{BrokenContainment, Correlation};

/// Most chunks of one prompt that are remembered; a real diagnostic is among the last.
const CHUNKS: usize = 64;
/// Longest chunk that is remembered, in bytes: a longer one is no diagnostic.
const CHUNK_LIMIT_BYTES: usize = 16 * 1024;

/// One text that takes part in correlation.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fact {
    Prompt(String),
    Chunk(String, String),
    Terminal(String),
}

/// Walks the raw and the redacted version of one transcript.
#[derive(Debug, Default)]
pub struct Correlated {
    /// Chunks since the last prompt, by session: line, raw text, clean text.
    open: HashMap<String, Vec<(usize, String, String)>>,
    line: usize,
}

impl Correlated {
    /// Takes the next line in both versions.
    ///
    /// # Errors
    /// When a chunk's containment in its terminal message is another one after redaction. Both are named by line.
    pub fn line(&mut self, raw: &str, clean: &str) -> Result<(), BrokenContainment> {
        self.line += 1;
        let (Some(raw), Some(clean)) = (fact(raw), fact(clean)) else { return Ok(()) };
        match (raw, clean) {
            (Fact::Prompt(session), _) => {
                self.open.remove(&session);
            }
            (Fact::Chunk(session, raw), Fact::Chunk(_, clean)) if raw.len() <= CHUNK_LIMIT_BYTES => {
                let chunks = self.open.entry(session).or_default();
                if chunks.len() == CHUNKS {
                    chunks.remove(0);
                }
                chunks.push((self.line, raw, clean));
            }
            (Fact::Terminal(raw), Fact::Terminal(clean)) => return self.terminal(&raw, &clean),
            _ => {}
        }
        Ok(())
    }

    /// An answer does not name its session, so it is compared with the open chunks of every session.
    fn terminal(&self, raw: &str, clean: &str) -> Result<(), BrokenContainment> {
        let terminal_at = format!("line {}", self.line);
        for (line, raw_chunk, clean_chunk) in self.open.values().flatten() {
            let diagnostic_at = format!("line {line}");
            let correlation = Correlation {
                diagnostic_at: &diagnostic_at,
                terminal_at: &terminal_at,
                raw: (raw_chunk, raw),
                clean: (clean_chunk, clean),
            };
            correlation.is_kept()?;
        }
        Ok(())
    }
}

/// Only lines with one of these words can hold a fact; parsing all others would be wasted.
fn fact(line: &str) -> Option<Fact> {
    let holds = |word: &str| memchr::memmem::find(line.as_bytes(), word.as_bytes()).is_some();
    if !(holds("agent_message_chunk") || holds("\"error\"") || holds("session/prompt")) {
        return None;
    }
    let value: Value = serde_json::from_str(line).ok()?;
    let frame = value.get("frame").unwrap_or(&value);
    let text = |pointer: &str| frame.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let session = || text("/params/sessionId").unwrap_or_default();
    if frame.get("method").and_then(Value::as_str) == Some("session/prompt") {
        return Some(Fact::Prompt(session()));
    }
    if text("/params/update/sessionUpdate").as_deref() == Some("agent_message_chunk") {
        return text("/params/update/content/text").map(|chunk| Fact::Chunk(session(), chunk));
    }
    text("/error/message").map(Fact::Terminal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(text: &str) -> String {
        let update =
            serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
        serde_json::json!({"dir": "agent_to_client", "frame": {"method": "session/update", "params": {"sessionId": "s", "update": update}}}).to_string()
    }

    fn error(text: &str) -> String {
        serde_json::json!({"dir": "agent_to_client", "frame": {"id": 1, "error": {"code": -32603, "message": text}}})
            .to_string()
    }

    fn prompt() -> String {
        serde_json::json!({"dir": "client_to_agent", "frame": {"method": "session/prompt", "params": {"sessionId": "s"}}}).to_string()
    }

    #[test]
    fn a_rewrite_that_breaks_or_makes_containment_is_refused_by_line() {
        for (name, pairs, expected) in [
            ("kept", vec![(chunk("a b"), chunk("m")), (error("x a b"), error("x m"))], None),
            ("broken", vec![(chunk("a b"), chunk("m")), (error("x a b"), error("x n"))], Some(true)),
            ("made", vec![(chunk("a"), chunk("m")), (error("b"), error("m"))], Some(false)),
            ("another prompt", vec![(chunk("a"), chunk("m")), (prompt(), prompt()), (error("b"), error("m"))], None),
        ] {
            let mut walk = Correlated::default();
            let broken = pairs.iter().find_map(|(raw, clean)| walk.line(raw, clean).err());
            assert_eq!(broken.as_ref().map(|broken| broken.was_contained), expected, "{name}");
            if let Some(broken) = broken {
                assert_eq!(
                    (broken.diagnostic_at.as_str(), broken.terminal_at.as_str()),
                    ("line 1", "line 2"),
                    "{name}"
                );
            }
        }
    }
}
