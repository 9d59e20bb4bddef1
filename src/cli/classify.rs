//! `refrain classify`: a text, a transcript, or JSON Lines of evidence as a stream.

use std::fs::File;
use std::io::{BufReader, IsTerminal as _, Read, Seek as _, Stdin};
use std::path::Path;

use jiff::Timestamp;

use super::arguments::{ClassifyArguments, ClassifyFormat, TextSource};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::acp::session::Knowledge;
use crate::classify::wire;
use crate::evidence::wire::{self as evidence_wire, LineError};
use crate::matrix::Matrix;
use crate::recording::{self, Recording};
use crate::replay::{Setting, turns};
use crate::report;
use crate::shell::lines::{self, Line};
use crate::shell::{clock, disk, jobs};
use crate::vocab::AgentId;

/// Classifies every input in turn.
pub(super) fn run(arguments: &ClassifyArguments, output: &mut Output) -> Result<Exit, Failure> {
    let provider = provider(arguments)?;
    let tree = project::tree(arguments.root.as_deref())?;
    output.detail(|| project::origins(&tree));
    let loaded = Loaded::new(&tree)?;
    let knowledge = loaded.judging()?;
    let matrix = Matrix::parse(&tree.matrix.path, tree.matrix.text()?)
        .map_err(|_| Failure::usage("refrain::matrix::broken", "read matrix.yaml").help("`refrain check` says why"))?;
    let mut run = Run {
        knowledge,
        matrix: &matrix,
        provider,
        now: arguments.now.unwrap_or_else(clock::now),
        format: arguments.format.unwrap_or(ClassifyFormat::Human),
        jobs: arguments.jobs,
        output,
        invalid: false,
    };
    if arguments.inputs.is_empty() {
        if std::io::stdin().is_terminal() {
            return Err(Failure::usage("refrain::classify::nothing", "find anything to classify")
                .help("give a text, a file, or pipe JSON Lines of evidence in")
                .exit(Exit::NothingSelected));
        }
        run.stream(Input::Stdin(lines::reader(std::io::stdin())))?;
    }
    for input in &arguments.inputs {
        match input.as_str() {
            "-" => run.stream(Input::Stdin(lines::reader(std::io::stdin())))?,
            name if Path::new(name).is_file() => run.file(name)?,
            name if looks_like_a_path(name) => {
                return Err(disk::missing(Path::new(name)).into());
            }
            text => run.text(text, arguments.source),
        }
    }
    Ok(if run.invalid { Exit::Findings } else { Exit::Clean })
}

fn provider(arguments: &ClassifyArguments) -> Result<Option<AgentId>, Failure> {
    let checked = |name: &String| {
        AgentId::new(name)
            .map_err(|error| Failure::usage("refrain::classify::provider", format!("use --provider: {error}")))
    };
    arguments.provider.as_ref().map(checked).transpose()
}

/// A mistyped path must not be classified as a text: no white space, and a folder or a known ending in it.
pub(super) fn looks_like_a_path(name: &str) -> bool {
    let ending = [".json", ".jsonl", ".txt", ".log"].iter().any(|ending| name.ends_with(ending));
    !name.contains(char::is_whitespace)
        && (ending || Path::new(name).is_dir() || name.starts_with("./") || name.starts_with('/'))
}

/// A stream of lines.
enum Input {
    Stdin(BufReader<Stdin>),
    File(BufReader<File>),
}

impl Input {
    fn batch(&mut self) -> std::io::Result<Vec<Line>> {
        match self {
            Self::Stdin(reader) => lines::batch(reader),
            Self::File(reader) => lines::batch(reader),
        }
    }

    fn rest(self) -> Result<Vec<u8>, Failure> {
        let path = Path::new("the transcript");
        Ok(match self {
            Self::Stdin(reader) => disk::whole(reader, path)?,
            Self::File(reader) => disk::whole(reader, path)?,
        })
    }
}

struct Run<'r> {
    knowledge: Knowledge<'r>,
    matrix: &'r Matrix,
    provider: Option<AgentId>,
    now: Timestamp,
    format: ClassifyFormat,
    jobs: usize,
    output: &'r mut Output,
    invalid: bool,
}

impl Run<'_> {
    fn text(&mut self, text: &str, source: TextSource) {
        let provider = self.provider.as_ref().map(AgentId::as_str);
        let signal = match source {
            TextSource::PromptError => serde_json::json!({"kind": "prompt_error", "message": text}),
            TextSource::MessageChunk => serde_json::json!({"kind": "message_chunk", "text": text}),
            TextSource::Stderr => serde_json::json!({"kind": "stderr", "text": text}),
        };
        let line = serde_json::json!({"signals": [signal], "provider": provider}).to_string();
        let answers = answers(&[Line::Bytes(line.into_bytes())], self.setting(), self.format, self.output.width());
        self.put(&answers);
    }

    /// A transcript is read whole; everything else is a stream of evidence.
    fn file(&mut self, name: &str) -> Result<(), Failure> {
        let mut file = disk::open(Path::new(name))?;
        let mut start = vec![0; 64 * 1024];
        let failed = |error| Failure::from(disk::DiskError::Read(name.into(), error));
        let length = file.read(&mut start).map_err(failed)?;
        file.rewind().map_err(failed)?;
        let first = start[..length].split(|byte| *byte == b'\n').next().unwrap_or_default();
        if length == start.len() && first.len() == length || recording_line(first) {
            let bytes = disk::read(Path::new(name))?;
            let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            if recording_line(first) {
                return self.transcript(name, bytes);
            }
        }
        self.stream(Input::File(lines::reader(file)))
    }

    fn transcript(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), Failure> {
        let text = String::from_utf8(bytes)
            .map_err(|error| Failure::from(disk::DiskError::NotUtf8(name.into(), error.utf8_error().valid_up_to())))?;
        let recording = Recording::parse(&text)
            .map_err(|error| Failure::usage("refrain::recording::damaged", format!("{error} ({name})")))?;
        let names = |name: &str| self.matrix.agent_named(name).cloned();
        let turns = turns(&recording, self.provider.clone(), &names, self.setting());
        let mut text = String::new();
        for turn in &turns {
            match self.format {
                ClassifyFormat::Jsonl => text.push_str(&report::turn::json(&turn.line(name))),
                ClassifyFormat::Human => {
                    text.push_str(&self.output.fitted(report::turn::human(turn, name, self.output.width())));
                }
            }
        }
        self.output.result(&text);
        Ok(())
    }

    fn stream(&mut self, mut input: Input) -> Result<(), Failure> {
        let failed = |error| Failure::usage("refrain::disk::unreadable", format!("read the input: {error}"));
        let mut first = true;
        loop {
            let batch = input.batch().map_err(failed)?;
            if batch.is_empty() || self.output.is_closed() {
                return Ok(());
            }
            if std::mem::take(&mut first) && matches!(&batch[0], Line::Bytes(line) if recording_line(line)) {
                let mut bytes: Vec<u8> = batch.iter().filter_map(bytes_of).flatten().copied().collect();
                bytes.extend(input.rest()?);
                return self.transcript("-", bytes);
            }
            let (setting, format, width) = (self.setting(), self.format, self.output.width());
            // A few parts for each job: enough for an even load, few enough to be cheap.
            let parts: Vec<&[Line]> = batch.chunks(batch.len().div_ceil(4 * self.jobs.max(1))).collect();
            for answer in jobs::map(&parts, self.jobs, |part| answers(part, setting, format, width)) {
                self.put(&answer);
            }
        }
    }

    const fn setting(&self) -> Setting<'_> {
        Setting { knowledge: self.knowledge, now: self.now }
    }

    fn put(&mut self, answers: &Answers) {
        self.invalid |= answers.invalid;
        match self.format {
            ClassifyFormat::Jsonl => self.output.data(&answers.text),
            ClassifyFormat::Human => {
                let text = self.output.fitted(String::from_utf8_lossy(&answers.text).into_owned());
                self.output.result(&text);
            }
        }
    }
}

/// The line's bytes with the line feed that the batch took off.
fn bytes_of(line: &Line) -> Option<impl Iterator<Item = &u8>> {
    match line {
        Line::Bytes(bytes) => Some(bytes.iter().chain(std::iter::once(&b'\n'))),
        Line::TooLong => None,
    }
}

fn recording_line(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(recording::is_recording)
}

/// Room for a usual answer.
const ANSWER_BYTES: usize = 640;

/// The answers to some lines, in their order.
struct Answers {
    text: Vec<u8>,
    invalid: bool,
}

fn answers(lines: &[Line], setting: Setting<'_>, format: ClassifyFormat, width: usize) -> Answers {
    let mut answers = Answers { text: Vec::with_capacity(lines.len() * ANSWER_BYTES), invalid: false };
    for line in lines {
        match parsed(line) {
            None => {}
            Some(Ok(line)) => {
                let now = line.now.unwrap_or(setting.now);
                let classification = setting.knowledge.classifier.classify(&line.evidence, now);
                match format {
                    ClassifyFormat::Jsonl => {
                        let start = answers.text.len();
                        wire::write(&mut answers.text, line.id.as_ref(), &classification);
                        report::spell_harmlessly(&mut answers.text, start);
                    }
                    ClassifyFormat::Human => {
                        answers.text.extend(report::classification::human(&classification, width).into_bytes());
                    }
                }
            }
            Some(Err(error)) => {
                answers.invalid = true;
                match format {
                    ClassifyFormat::Jsonl => {
                        let start = answers.text.len();
                        wire::write_error(&mut answers.text, &error);
                        report::spell_harmlessly(&mut answers.text, start);
                    }
                    ClassifyFormat::Human => {
                        let text = format!("failed to read evidence: {error} [{}]\n", error.code);
                        answers.text.extend(text.into_bytes());
                    }
                }
            }
        }
    }
    answers
}

/// `None` for an empty line.
fn parsed(line: &Line) -> Option<Result<evidence_wire::Line, LineError>> {
    let refused = |code, message| Some(Err(LineError { id: None, code, message }));
    match line {
        Line::TooLong => refused(
            "refrain::evidence::line_too_long",
            format!("the line is over {} MiB", lines::LINE_LIMIT_BYTES >> 20),
        ),
        Line::Bytes(bytes) if bytes.trim_ascii().is_empty() => None,
        Line::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Some(evidence_wire::parse(text)),
            Err(error) => {
                refused("refrain::evidence::not_utf8", format!("the line is no UTF-8 at byte {}", error.valid_up_to()))
            }
        },
    }
}
