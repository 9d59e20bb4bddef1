//! Bytes to frames. Decoding never fails: what is no JSON-RPC message is a frame of its own kind, because a broken line
//! is evidence too.
//!
//! Invariant: `decode` is total; it neither panics nor loses that there was a line.
//!
//! Must not know: what a method means, sessions, fences.

mod strict;

use serde_json::{Map, Value};

use crate::text;

/// Largest line that is decoded, in bytes; a longer one is [`Defect::TooLarge`].
pub const SIZE_LIMIT_BYTES: usize = 64 << 20;
/// Deepest nesting of arrays and objects; anything deeper is [`Defect::TooDeep`].
pub const DEPTH_LIMIT: usize = 120;
/// Longest text id or method name, in bytes.
const NAME_LIMIT_BYTES: usize = 1_024;

/// Id of a request, as JSON-RPC allows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestId {
    /// `null`, which only an answer to an unreadable request should carry.
    Null,
    /// An integer.
    Number(i64),
    /// A text of at most 1,024 bytes.
    Text(String),
}

/// The error object of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// JSON-RPC code.
    pub code: i32,
    /// Message, as sent.
    pub message: String,
    /// Raw data. It ends here: nothing above the conversion boundary sees more than `errorKind` of it (.22).
    pub data: Option<Value>,
}

/// One line of an ACP connection.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// A request: something wants an answer.
    Request {
        /// Id that the answer repeats.
        id: RequestId,
        /// Method.
        method: String,
        /// Parameters, `null` when absent.
        params: Value,
    },
    /// A notification.
    Notification {
        /// Method.
        method: String,
        /// Parameters, `null` when absent.
        params: Value,
    },
    /// An answer.
    Response {
        /// Id of the request.
        id: RequestId,
        /// Result or error.
        outcome: Result<Value, RpcError>,
    },
    /// A line that is no JSON-RPC message.
    Malformed(Defect),
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// Nothing but white space.
    Blank,
    /// Over [`SIZE_LIMIT_BYTES`].
    TooLarge,
    /// No UTF-8, or an escape that is no character (a lone surrogate).
    NotUtf8,
    /// Nested over [`DEPTH_LIMIT`].
    TooDeep,
    /// No JSON: log output on stdout, a cut line, a number no JSON reader takes.
    NotJson,
    /// The same key twice in one object, so that two readers may see two messages.
    DuplicateKey,
    /// An array: ACP has no batches.
    Batch,
    /// JSON, but no object.
    NotAnObject,
    /// An object that is neither request, notification nor response.
    NotJsonRpc,
    /// An id that is no integer, text or `null`.
    BadId,
    /// A method that is no text, or an overlong one.
    BadMethod,
    /// A response with both a result and an error.
    TwoOutcomes,
    /// An error whose code is no 32-bit integer or whose message is no text.
    BadError,
}

impl Defect {
    /// Every defect, in declared order.
    pub const ALL: &'static [Self] = &[
        Self::Blank,
        Self::TooLarge,
        Self::NotUtf8,
        Self::TooDeep,
        Self::NotJson,
        Self::DuplicateKey,
        Self::Batch,
        Self::NotAnObject,
        Self::NotJsonRpc,
        Self::BadId,
        Self::BadMethod,
        Self::TwoOutcomes,
        Self::BadError,
    ];

    /// One word for reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::TooLarge => "too_large",
            Self::NotUtf8 => "not_utf8",
            Self::TooDeep => "too_deep",
            Self::NotJson => "not_json",
            Self::DuplicateKey => "duplicate_key",
            Self::Batch => "batch",
            Self::NotAnObject => "not_an_object",
            Self::NotJsonRpc => "not_json_rpc",
            Self::BadId => "bad_id",
            Self::BadMethod => "bad_method",
            Self::TwoOutcomes => "two_outcomes",
            Self::BadError => "bad_error",
        }
    }

    /// Whether the line may have carried output or tool activity that can not be read. Blank lines and stray log output
    /// can not; a message with two spellings, a batch or an overlong line can.
    #[must_use]
    pub const fn hides_evidence(self) -> bool {
        !matches!(self, Self::Blank | Self::NotJson | Self::NotUtf8 | Self::NotAnObject)
    }
}

/// Decodes one line, with or without its line end.
#[must_use]
pub fn decode(line: &[u8]) -> Frame {
    if line.len() > SIZE_LIMIT_BYTES {
        return Frame::Malformed(Defect::TooLarge);
    }
    let Ok(text) = std::str::from_utf8(line) else {
        return Frame::Malformed(Defect::NotUtf8);
    };
    if text.trim().is_empty() {
        return Frame::Malformed(Defect::Blank);
    }
    match strict::parse(text) {
        Ok(value) => from_value(value),
        Err(defect) => Frame::Malformed(defect),
    }
}

/// Reads a frame out of a JSON value, for transcripts that embed frames in their records.
#[must_use]
pub fn from_value(value: Value) -> Frame {
    match value {
        Value::Object(fields) => from_object(fields).unwrap_or_else(Frame::Malformed),
        Value::Array(_) => Frame::Malformed(Defect::Batch),
        _ => Frame::Malformed(Defect::NotAnObject),
    }
}

fn from_object(mut fields: Map<String, Value>) -> Result<Frame, Defect> {
    if fields.get("jsonrpc").is_some_and(|version| version != "2.0") {
        return Err(Defect::NotJsonRpc);
    }
    let id = fields.remove("id").map(request_id).transpose()?;
    match fields.remove("method") {
        Some(Value::String(method)) if method.len() <= NAME_LIMIT_BYTES => {
            let params = fields.remove("params").unwrap_or(Value::Null);
            Ok(match id {
                Some(id) => Frame::Request { id, method, params },
                None => Frame::Notification { method, params },
            })
        }
        Some(_) => Err(Defect::BadMethod),
        None => {
            let id = id.ok_or(Defect::NotJsonRpc)?;
            Ok(Frame::Response { id, outcome: outcome(&mut fields)? })
        }
    }
}

fn request_id(value: Value) -> Result<RequestId, Defect> {
    match value {
        Value::Null => Ok(RequestId::Null),
        Value::String(text) if text.len() <= NAME_LIMIT_BYTES => Ok(RequestId::Text(text)),
        Value::Number(number) => number.as_i64().map(RequestId::Number).ok_or(Defect::BadId),
        _ => Err(Defect::BadId),
    }
}

/// A `null` beside the other outcome counts as absent: some peers always write both keys.
fn outcome(fields: &mut Map<String, Value>) -> Result<Result<Value, RpcError>, Defect> {
    match (fields.remove("result"), fields.remove("error")) {
        (Some(result), None | Some(Value::Null)) => Ok(Ok(result)),
        (None | Some(Value::Null), Some(Value::Object(error))) => rpc_error(error).map(Err),
        (None, Some(_)) => Err(Defect::BadError),
        (Some(_), Some(_)) => Err(Defect::TwoOutcomes),
        (None, None) => Err(Defect::NotJsonRpc),
    }
}

fn rpc_error(mut error: Map<String, Value>) -> Result<RpcError, Defect> {
    let code = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    match (code, error.remove("message")) {
        (Some(code), Some(Value::String(message))) => Ok(RpcError { code, message, data: error.remove("data") }),
        _ => Err(Defect::BadError),
    }
}

/// Session id and update of a `session/update` notification's parameters, when both are readable.
#[must_use]
pub fn session_update(params: &Value) -> Option<(&str, &Value)> {
    let session = params.get("sessionId")?.as_str()?;
    let update = params.get("update").filter(|update| update.is_object())?;
    Some((text::head(session, NAME_LIMIT_BYTES), update))
}

#[cfg(test)]
mod tests;
