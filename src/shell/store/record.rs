//! A notice as the bytes of one JSON document.

use serde::{Deserialize, Serialize};

use crate::recovery::notice::{Notice, NoticeFacts, NoticeState};
use crate::redact::{Raw, Redactor};
use crate::vocab::{AgentId, Code, SessionId};

/// The stored form. Unknown fields are refused: a notice of a newer program is not half understood.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    round: u64,
    code: Code,
    reason: Option<String>,
    provider: AgentId,
    attempt: u8,
    max_attempts: u8,
    deadline: String,
    state: String,
}

pub(super) fn encode(notice: &Notice) -> Vec<u8> {
    let document = Document {
        round: notice.round,
        code: notice.code,
        reason: notice.reason.as_ref().map(|text| text.as_str().to_owned()),
        provider: notice.provider.clone(),
        attempt: notice.attempt,
        max_attempts: notice.max_attempts,
        deadline: notice.deadline.to_string(),
        state: notice.state.as_str().to_owned(),
    };
    // A flat structure of texts and numbers has a JSON form; were it otherwise, the notice would be unreadable, not lost.
    serde_json::to_vec(&document).unwrap_or_default()
}

pub(super) fn decode(bytes: &[u8], session: &SessionId) -> Result<Notice, &'static str> {
    let document: Document = serde_json::from_slice(bytes).map_err(|_| "the stored notice is damaged")?;
    let deadline = document.deadline.parse().map_err(|_| "the stored deadline is no instant")?;
    let state = NoticeState::parse(&document.state).ok_or("the stored state is no known word")?;
    let facts = NoticeFacts {
        session: session.clone(),
        round: document.round,
        code: document.code,
        provider: document.provider,
        attempt: document.attempt,
        max_attempts: document.max_attempts,
        deadline,
    };
    // Whatever a file holds, only clean text comes out of it (.29).
    let reason = document.reason.map(|text| Redactor::embedded().clean(Raw::new(&text)));
    Ok(Notice::new(facts, reason, state))
}
