//! Wrappers that agents and gateways put around a provider's message, and the dress of a diagnostic chunk.
//!
//! Invariant: every list here is of spellings that carry no cause of their own.

use super::pattern::Pattern;

/// Leading words that say only who speaks. Matched without regard to case, repeatedly.
const PREFIXES: &[&str] = &[
    "internal error: ",
    "api error: ",
    "api error (",
    "[api error: ",
    "agent error: ",
    "codex error: ",
    "llm provider error: ",
    "provider error: ",
    "anthropic api error: ",
    "openai api error: ",
    "error: ",
    "error ",
    "ai_apicallerror: ",
    "ai_retryerror: ",
    "apierror: ",
    "uncaught exception: ",
    "unhandled exception: ",
    "exception: ",
    "stream error: ",
    "message: ",
    "prompt failed: ",
    "request failed: ",
    "model call failed: ",
    "-32603 ",
    "-32603: ",
    "-32000: ",
];

/// The text without its leading wrappers, quotes and trailing brackets.
#[must_use]
pub(crate) fn core(flat: &str) -> &str {
    let mut text = flat.trim();
    for _ in 0..8 {
        let shorter = without_prefix(text);
        if shorter.len() == text.len() {
            break;
        }
        text = shorter.trim();
    }
    let text = text.trim_matches(|c| matches!(c, '"' | '\'' | '`' | ' '));
    if text.starts_with('[') { text } else { text.trim_end_matches(']') }
}

/// The text without one leading `Internal error: `, which the ACP error envelope puts there.
#[must_use]
pub(crate) fn without_internal_error(text: &str) -> &str {
    text.trim_start().strip_prefix("Internal error: ").unwrap_or(text)
}

fn without_prefix(text: &str) -> &str {
    for prefix in PREFIXES {
        if text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix)) {
            return &text[prefix.len()..];
        }
    }
    if let Some(rest) = numbered(text).or_else(|| given_up(text)) {
        return rest;
    }
    python_exception(text).unwrap_or(text)
}

/// `HTTP 503: rest`, `Error code: 429 - rest`, `503 rest`: the rest, when a word follows.
fn numbered(text: &str) -> Option<&str> {
    let mut rest = text;
    for lead in ["http ", "code: ", "code ", "status ", "unexpected status ", "("] {
        if rest.get(..lead.len()).is_some_and(|head| head.eq_ignore_ascii_case(lead)) {
            rest = &rest[lead.len()..];
        }
    }
    let digits = rest.get(..3)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.as_bytes()[0], b'4' | b'5') {
        return None;
    }
    let rest = rest[3..].trim_start_matches([')', ':', ' ', '-', ',']);
    (rest.len() + 3 < text.len() && rest.starts_with(|c: char| c.is_alphabetic() || c == '{' || c == '"'))
        .then_some(rest)
}

/// `Failed after 3 attempts. Last error: rest`, `exceeded retry limit, last status: rest`: the rest.
fn given_up(text: &str) -> Option<&str> {
    let heads = ["failed after ", "all ", "exceeded retry limit", "retried ", "max retries exceeded"];
    let led = heads.iter().any(|head| text.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head)));
    let lower = led.then(|| text.to_ascii_lowercase())?;
    let at = ["last error: ", "last status: "].iter().find_map(|mark| lower.find(mark).map(|at| at + mark.len()))?;
    text.get(at..)
}

/// `litellm.RateLimitError: RateLimitError: OpenAIException - rest` loses one name.
fn python_exception(text: &str) -> Option<&str> {
    let end = text.find([':', ' '])?;
    let name = &text[..end];
    let named = name.starts_with("litellm.") || name.ends_with("Error") || name.ends_with("Exception");
    if !named || name.len() > 64 || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_') {
        return None;
    }
    let rest = &text[end..];
    rest.strip_prefix(": ").or_else(|| rest.strip_prefix(" - "))
}

/// The values of `"message": "..."` keys, in the order they appear. Quotes inside end a value early: good enough to look
/// at whole messages, never used for anything else.
pub(crate) fn message_values(flat: &str) -> impl Iterator<Item = &str> {
    let mut rest = flat;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find("essage")?;
            rest = rest[at + 6..].trim_start_matches(['"', '\'', ' ']);
            let Some(value) = rest.strip_prefix([':', '=']) else { continue };
            let value = value.trim_start();
            let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
            let value = &value[1..];
            let Some(end) = value.find(quote) else { continue };
            rest = &value[end..];
            return Some(&value[..end]);
        }
    })
}

/// Heads of chunks that agents write themselves. Anchored: prose that quotes one in the middle is prose.
const FRAMES: &str = concat!(
    r"^(?:",
    r"\[?api error(?::| \()",
    r"|(?:llm provider error: )?error code: [45]\d\d - ",
    r"|[45]\d\d \{",
    r"|failed to authenticate\. ",
    r"|unexpected status [45]\d\d ",
    r"|stream disconnected before completion: ",
    r"|exceeded retry limit, last status: ",
    r"|ai_[a-z]*error: ",
    r"|litellm\.[a-z]*(?:error|exception|timeout): ",
    r"|network error: stream ",
    r"|too many requests: .{0,200}\[retrying",
    r")"
);

/// Words of somebody who talks about a diagnostic that stands at the head of the chunk.
const TALK: &str = concat!(
    r"\b(?:happens|occurs|appears|shows up|is (?:thrown|raised|returned|printed|logged|shown)) ",
    r"(?:when|if|in|after|because|by|on|for)\b|\bwe (?:now |then )?(?:retry|treat|handle|map|log|show|catch|ignore)\b",
    r"|\bi (?:added|fixed|changed|have|will|think|saw)\b|\bi'll\b| (?:->|=>) "
);

/// Whether a chunk is dressed as an agent's diagnostic.
#[must_use]
pub fn is_framed(flat: &str) -> bool {
    static HEADS: Pattern = Pattern::fixed(FRAMES);
    static WORDS: Pattern = Pattern::fixed(TALK);
    HEADS.is_match(flat) && !WORDS.is_match(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_go_and_messages_stay() {
        let mut wrong = Vec::new();
        for (flat, expected) in [
            ("Internal error: API Error: 529 Overloaded", "Overloaded"),
            ("[API Error: No capacity]", "No capacity"),
            ("502 Bad Gateway", "Bad Gateway"),
            ("HTTP 503: Inference is down", "Inference is down"),
            ("litellm.APIError: APIError: Payment required", "Payment required"),
            ("Error code: 429 - {\"error\": 1}", "{\"error\": 1}"),
            ("529", "529"),
            ("429 14 times", "429 14 times"),
            ("AI_RetryError: Failed after 3 attempts. Last error: Overloaded", "Overloaded"),
            ("Failed after 3 attempts", "Failed after 3 attempts"),
            ("Overloaded", "Overloaded"),
        ] {
            if core(flat) != expected {
                wrong.push(format!("{flat:?}: {:?}, expected {expected:?}", core(flat)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn message_values_are_found_in_json_and_python() {
        let flat = r#"{"error": {"message": "one", 'message': 'two'}} message="three" message four"#;
        assert_eq!(message_values(flat).collect::<Vec<_>>(), ["one", "two", "three"]);
    }

    #[test]
    fn only_dressed_chunks_are_framed() {
        let mut wrong = Vec::new();
        for (flat, expected) in [
            ("API Error: 500 x", true),
            ("[API Error: x]", true),
            ("API Error (529 {", true),
            ("{\"type\":\"error\",\"error\":{\"type\":\"x\"", false),
            ("429 {\"error\"", true),
            ("The API Error: 500 is thrown", false),
            ("API Errors are described here", false),
            ("Status 429 appears 14 times", false),
            ("Error: connect ECONNREFUSED", false),
            ("API Error: Connection error. happens when the proxy is off", false),
            ("exceeded retry limit, last status: 503 -> we retry", false),
        ] {
            if is_framed(flat) != expected {
                wrong.push(flat);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
