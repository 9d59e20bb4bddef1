//! The schema of a replay fixture.

use serde_json::{Value, json};

use super::{described, filled, identifier, list, object, word};
use crate::fixture::{FrameKind, Origin, Role};
use crate::vocab::{Case, Code, ErrorSource, Token, ToolStatus};

pub(super) fn schema() -> Value {
    let source = "The capture command of a recorded fixture, the cited document of a reconstructed one.";
    let common = [
        ("agentId", identifier()),
        ("source", described(filled(), source)),
        ("identity", identity()),
        ("expect", expect()),
    ];
    let frames = |kinds: &dyn Fn(FrameKind) -> bool| {
        let kinds: Vec<Value> = FrameKind::ALL.iter().filter(|kind| kinds(**kind)).map(|kind| frame(*kind)).collect();
        let mut schema = list(&json!({"oneOf": kinds}));
        schema["minItems"] = json!(1);
        described(schema, "What the agent sends, in order; exactly the last frame ends the prompt.")
    };
    let cell = [
        ("gateway", identifier()),
        ("classifying", json!({"type": "boolean"})),
        ("case", word(Case::WORDS)),
        ("frames", frames(&|kind| !kind.is_for_dialects())),
    ];
    let scenario = [("scenario", filled()), ("frames", frames(&|_| true))];
    let mut alternatives = Vec::new();
    for (title, own) in [("A cell of the matrix", &cell[..]), ("A dialect scenario", &scenario[..])] {
        for (capture, date) in captures() {
            let required: Vec<_> = own.iter().chain(&common).cloned().chain([("capture", capture)]).collect();
            let (required, optional) = match date {
                Date::Required(date) => ([required, vec![("capturedAt", date)]].concat(), vec![]),
                Date::Empty(date) => (required, vec![("capturedAt", date)]),
            };
            alternatives.push(object(title, &required, &optional));
        }
    }
    json!({"title": "A replay fixture", "oneOf": alternatives})
}

/// A key and the schema of its value.
type Key = (&'static str, Value);

enum Date {
    Required(Value),
    Empty(Value),
}

fn captures() -> [(Value, Date); 2] {
    let date = json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9:.+Zz-]+)?$"});
    [
        (
            json!({"const": "recorded"}),
            Date::Required(described(date, "The day or the moment, YYYY-MM-DD or RFC 3339.")),
        ),
        (json!({"const": "reconstructed"}), Date::Empty(json!({"const": ""}))),
    ]
}

fn identity() -> Value {
    let fields = [
        ("sessionId", described(identifier(), "Unique in the corpus.")),
        ("executionId", identifier()),
        ("promptGeneration", json!({"type": "integer", "minimum": 1})),
    ];
    object("What the frames belong to", &fields, &[])
}

/// A JSON-RPC code: 32 bits, not 0.
fn rpc_code() -> Value {
    json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX, "not": {"const": 0}})
}

fn frame(kind: FrameKind) -> Value {
    let status = || word(ToolStatus::WORDS);
    let text = || json!({"type": "string"});
    let (required, optional): (Vec<Key>, Vec<Key>) = match kind {
        FrameKind::MessageChunk => {
            (vec![("text", filled())], vec![("role", word(Role::WORDS)), ("origin", word(Origin::WORDS))])
        }
        FrameKind::ThoughtChunk => (vec![("text", filled())], vec![]),
        FrameKind::ToolCall => (vec![("toolCallId", filled())], vec![("title", text()), ("status", status())]),
        FrameKind::ToolUpdate => (vec![("toolCallId", filled()), ("status", status())], vec![]),
        FrameKind::ModelSettled | FrameKind::ModelUsage => (vec![("modelId", filled())], vec![]),
        FrameKind::SessionInfo => (vec![("meta", json!({"type": "object"}))], vec![]),
        FrameKind::PromptError => (vec![("code", rpc_code()), ("message", filled())], vec![("data", json!(true))]),
        FrameKind::PromptResult => (vec![("stopReason", filled())], vec![("meta", json!({"type": "object"}))]),
        FrameKind::Exit => return exit(),
        _ => (vec![], vec![]),
    };
    let required: Vec<_> = [("kind", json!({"const": kind.as_str()}))].into_iter().chain(required).collect();
    object(kind.as_str(), &required, &optional)
}

/// Either a code or a signal.
fn exit() -> Value {
    let one = |key: &'static str, number: Value| {
        let required = [("kind", json!({"const": FrameKind::Exit.as_str()})), (key, number)];
        object("exit", &required, &[("stderr", json!({"type": "string"}))])
    };
    let code = one("code", json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX}));
    let signal = one("signal", json!({"type": "integer", "minimum": 1, "maximum": i32::MAX}));
    json!({"oneOf": [code, signal]})
}

fn expect() -> Value {
    let code = || {
        let words: Vec<&str> = Code::WORDS.iter().copied().chain([""]).collect();
        word(&words)
    };
    let error = object(
        "The sanitized projection; an absent errorKind or modelId asserts absence",
        &[("source", word(ErrorSource::WORDS)), ("providerId", identifier())],
        &[("rpcCode", rpc_code()), ("errorKind", json!({"type": "string"})), ("modelId", json!({"type": "string"}))],
    );
    let required = [
        ("events", described(list(&word(Token::WORDS)), "The observed steps: exact, ordered, complete.")),
        ("diagnosticCode", described(code(), "What the terminal classifies to.")),
        ("recordedDiagnosticCode", described(code(), "What is still recorded when the terminal arrives.")),
        ("preResultSafe", json!({"type": "boolean"})),
    ];
    object("What a replay has to observe", &required, &[("providerError", error)])
}
