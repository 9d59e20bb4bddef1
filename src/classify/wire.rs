//! One classification as one line of JSON, in the field order that other programs rely on.
//!
//! Invariant: the line holds nothing of the input but the redacted excerpt and the id.
//!
//! Must not know: where the line goes.

use serde::Serialize;
use serde_json::Value;

use crate::evidence::wire::LineError;
use crate::vocab::{Class, Code, Confidence, RuleId, Scope};

use super::Classification;

#[derive(Serialize)]
struct Output<'a> {
    id: Option<&'a Value>,
    code: Code,
    class: Class,
    confidence: Confidence,
    scope: Option<Scope>,
    rule: Option<&'a RuleId>,
    catalogue: &'a str,
    auto_retry: bool,
    fallback: bool,
    user_action: bool,
    retry_after_ms: Option<u64>,
    reset_at: Option<String>,
    remediation: Option<&'a str>,
    safe_excerpt: Option<&'a str>,
    outranked: &'a [RuleId],
    vetoed: &'a [RuleId],
}

#[derive(Serialize)]
struct Failed<'a> {
    id: Option<&'a Value>,
    error: FailedError<'a>,
}

#[derive(Serialize)]
struct FailedError<'a> {
    code: &'a str,
    message: &'a str,
}

/// Appends the line of a classification, with its line feed.
pub fn write(into: &mut Vec<u8>, id: Option<&Value>, classification: &Classification) {
    let policy = classification.code.policy();
    let output = Output {
        id,
        code: classification.code,
        class: policy.class,
        confidence: classification.confidence,
        scope: classification.scope,
        rule: classification.rule.as_ref(),
        catalogue: &classification.catalogue,
        auto_retry: classification.auto_retry(),
        fallback: policy.fallback,
        user_action: policy.user_action,
        retry_after_ms: classification.hint.map(|hint| hint.retry_after_ms),
        reset_at: classification.hint.map(|hint| hint.reset_at.to_string()),
        remediation: classification.remediation.as_deref(),
        safe_excerpt: classification.safe_excerpt.as_ref().map(crate::redact::Clean::as_str),
        outranked: &classification.outranked,
        vetoed: &classification.vetoed,
    };
    append(into, &output);
}

/// Appends the line that stands in for a line that was not valid.
pub fn write_error(into: &mut Vec<u8>, error: &LineError) {
    append(into, &Failed { id: error.id.as_ref(), error: FailedError { code: error.code, message: &error.message } });
}

fn append(into: &mut Vec<u8>, value: &impl Serialize) {
    let start = into.len();
    // Writing these types into memory has no way to fail; a half-written line would be worse than none.
    if serde_json::to_writer(&mut *into, value).is_err() {
        into.truncate(start);
        return;
    }
    into.push(b'\n');
}
