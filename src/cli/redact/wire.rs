//! The machine interface: one JSON object a line in, the redacted text and its hits out.

use std::io::BufReader;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rewrite::{Kind, Rewriting};
use crate::cli::arguments::RedactArguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::Output;
use crate::redact::Hit;
use crate::shell::disk;
use crate::shell::lines::{self, Line};

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    id: Value,
    text: String,
    #[serde(rename = "as", default)]
    kind: Option<AskedKind>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AskedKind {
    Text,
    Json,
    Jsonl,
}

impl From<AskedKind> for Kind {
    fn from(kind: AskedKind) -> Self {
        match kind {
            AskedKind::Text => Self::Text,
            AskedKind::Json => Self::Json,
            AskedKind::Jsonl => Self::Jsonl,
        }
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a Value,
    text: String,
    hits: Vec<Hit>,
}

#[derive(Serialize)]
struct Refused {
    id: Value,
    error: Problem,
}

#[derive(Serialize)]
struct Problem {
    code: &'static str,
    message: String,
}

/// Answers every line.
pub(super) fn run(arguments: &RedactArguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.check || arguments.diff || arguments.output.is_some() || arguments.paths.len() > 1 {
        return Err(Failure::usage("refrain::redact::usage", "use `--format jsonl` with anything but one file or `-`"));
    }
    match arguments.paths.first().map(String::as_str) {
        None | Some("-") => answer_all(lines::reader(std::io::stdin()), arguments, output),
        Some(path) => answer_all(lines::reader(disk::open(Path::new(path))?), arguments, output),
    }
}

fn answer_all(
    mut input: BufReader<impl std::io::Read>,
    arguments: &RedactArguments,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let rewriting = Rewriting::new(arguments)?;
    let failed = |error| Failure::usage("refrain::disk::unreadable", format!("read the input: {error}"));
    let mut refused = false;
    loop {
        let batch = lines::batch(&mut input).map_err(failed)?;
        if batch.is_empty() || output.is_closed() {
            return Ok(if refused { Exit::Findings } else { Exit::Clean });
        }
        let mut answers = Vec::new();
        for line in batch {
            let (mut answer, valid) = answer(&line, &rewriting);
            if !answer.is_empty() {
                answer.push(b'\n');
            }
            refused |= !valid;
            answers.extend_from_slice(&answer);
        }
        output.data(&answers);
    }
}

fn answer(line: &Line, rewriting: &Rewriting) -> (Vec<u8>, bool) {
    let bytes = match line {
        Line::Bytes(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => return (Vec::new(), true),
        Line::Bytes(bytes) => bytes,
        Line::TooLong => {
            let message = format!("the line is over {} MiB", lines::LINE_LIMIT_BYTES >> 20);
            return (json(&refusal(Value::Null, "refrain::redact::line_too_long", message)), false);
        }
    };
    let asked: Asked = match serde_json::from_slice(bytes) {
        Ok(asked) => asked,
        Err(error) => {
            let id = serde_json::from_slice::<Value>(bytes).ok().and_then(|value| value.get("id").cloned());
            let message = error.classify();
            let message = format!("the line is no request: {message:?} error at column {}", error.column());
            return (json(&refusal(id.unwrap_or_default(), "refrain::redact::request", message.to_lowercase())), false);
        }
    };
    let kind = asked.kind.map_or(Kind::Text, Kind::from);
    let hits = rewriting.hits(kind, &asked.text);
    let text = if hits.is_empty() && !rewriting.is_bounded() { asked.text } else { rewriting.clean(kind, &asked.text) };
    (json(&Answer { id: &asked.id, text, hits }), true)
}

const fn refusal(id: Value, code: &'static str, message: String) -> Refused {
    Refused { id, error: Problem { code, message } }
}

/// These types have no way to fail when they are written into memory.
fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
