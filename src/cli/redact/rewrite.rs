//! One text through the redactor, whatever its tier, profile and kind.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::arguments::RedactArguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::Output;
use crate::cli::shapes::Own;
use crate::redact::{CredentialOnly, Diagnostic, Hit, Lines, Payload, Profile, Provenance, Raw, Redactor, TierMark};
use crate::shell::tree::{self, root_above};
use crate::vocab::Tier;

/// How much is read at once, and most output that is kept back before it is written.
const BUFFER_BYTES: usize = 64 * 1024;

/// Longest JSON Lines, in bytes, that are read twice: once to learn every value, once to replace it everywhere.
const WHOLE_BYTES: usize = 16 << 20;

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Plain text.
    Text,
    /// One JSON document.
    Json,
    /// JSON Lines, such as a transcript.
    Jsonl,
}

impl Kind {
    /// What a file's name and its first character say.
    pub(super) fn of(path: &str, text: &str) -> Self {
        let name = path.to_ascii_lowercase();
        if name.ends_with(".jsonl") || name.ends_with(".ndjson") {
            return Self::Jsonl;
        }
        if name.ends_with(".json") {
            return Self::Json;
        }
        match text.trim_start().as_bytes().first() {
            Some(b'{' | b'[') if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => Self::Json,
            Some(b'{') if text.lines().next().is_some_and(|line| line.trim_end().ends_with('}')) => Self::Jsonl,
            _ => Self::Text,
        }
    }
}

/// How texts are rewritten.
pub(super) struct Rewriting {
    shapes: Own,
    tier: Tier,
    profile: Profile,
}

impl Rewriting {
    /// With the shapes of the project, as its gate enforces them.
    pub(super) fn new(arguments: &RedactArguments) -> Result<Self, Failure> {
        let root = arguments.root.clone().or_else(root_above).unwrap_or_else(|| PathBuf::from("."));
        let shapes = Own::load(&tree::shapes(&root)?)?;
        if let Some(first) = shapes.findings.first() {
            let message = format!("load the shapes: {} ({})", first.message, first.place.file);
            return Err(Failure::usage("refrain::redact::shapes", message).help("`refrain check` shows every problem"));
        }
        Ok(Self { shapes, tier: arguments.tier.into(), profile: arguments.profile.into() })
    }

    /// Whether the tier cuts a text to a length, so that one without any hit may still change.
    pub(super) const fn is_bounded(&self) -> bool {
        matches!(self.tier, Tier::Diagnostic)
    }

    /// Whether nothing can except a value from this shape.
    pub(super) fn is_enforced(hit: &Hit) -> bool {
        Redactor::embedded().is_enforced(&hit.shape)
    }

    pub(super) fn redactor(&self) -> &Redactor {
        self.shapes.enforced()
    }

    /// What is forbidden in a text, in bytes of it.
    pub(super) fn hits(&self, kind: Kind, text: &str) -> Vec<Hit> {
        match kind {
            Kind::Text => self.redactor().scan(self.tier, self.profile, text),
            Kind::Json => self.redactor().scan_json(self.tier, self.profile, text),
            Kind::Jsonl => self.redactor().scan_jsonl(self.tier, self.profile, text),
        }
    }

    /// The text without it.
    pub(super) fn clean(&self, kind: Kind, text: &str) -> String {
        match self.tier {
            Tier::Provenance => self.clean_as::<Provenance>(kind, text),
            Tier::Diagnostic => self.clean_as::<Diagnostic>(kind, text),
            Tier::CredentialOnly => self.clean_as::<CredentialOnly>(kind, text),
            _ => self.clean_as::<Payload>(kind, text),
        }
    }

    fn clean_as<T: TierMark>(&self, kind: Kind, text: &str) -> String {
        match kind {
            Kind::Text => self.redactor().scope_with::<T>(self.profile).clean(Raw::new(text)).into_string(),
            Kind::Json => self.redactor().scope_with::<T>(self.profile).clean_json(Raw::new(text)).into_string(),
            Kind::Jsonl if text.len() <= WHOLE_BYTES => {
                self.redactor().scope_with::<T>(self.profile).clean_jsonl(Raw::new(text)).into_string()
            }
            Kind::Jsonl => {
                let mut lines = Lines::<T>::new(self.redactor(), self.profile);
                let mut clean = String::with_capacity(text.len());
                for line in text.split_inclusive('\n') {
                    lines.push(line.strip_suffix('\n').unwrap_or(line), &mut clean);
                }
                lines.finish(&mut clean);
                if !text.ends_with('\n') && clean.ends_with('\n') {
                    clean.pop();
                }
                clean
            }
        }
    }

    /// JSON Lines of any length in constant memory.
    pub(super) fn lines(&self, input: impl Read, output: &mut Output) -> Result<Exit, Failure> {
        match self.tier {
            Tier::Provenance => self.lines_as::<Provenance>(input, output),
            Tier::Diagnostic => self.lines_as::<Diagnostic>(input, output),
            Tier::CredentialOnly => self.lines_as::<CredentialOnly>(input, output),
            _ => self.lines_as::<Payload>(input, output),
        }
    }

    fn lines_as<T: TierMark>(&self, input: impl Read, output: &mut Output) -> Result<Exit, Failure> {
        let failed = |error| Failure::usage("refrain::disk::unreadable", format!("read standard input: {error}"));
        let mut lines = Lines::<T>::new(self.redactor(), self.profile);
        let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
        let (mut line, mut ready, mut ended) = (Vec::new(), String::new(), true);
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line).map_err(failed)? == 0 || output.is_closed() {
                break;
            }
            ended = line.ends_with(b"\n");
            let bytes = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
            lines.push(&text, &mut ready);
            if ready.len() >= BUFFER_BYTES {
                output.data(ready.as_bytes());
                ready.clear();
            }
        }
        lines.finish(&mut ready);
        if !ended && ready.ends_with('\n') {
            ready.pop();
        }
        output.data(ready.as_bytes());
        Ok(Exit::Clean)
    }
}
