//! The transcript on disk: private, numbered, written before anything is passed on.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::process::Exit;
use crate::recording::write::{Direction, Stamp, exit_line, frame_line, header_line, stderr_line};
use crate::shell::clock::Stopwatch;

/// Largest transcript; a flood beyond it ends a capture, and a tee goes on without a log.
pub const TRANSCRIPT_LIMIT_BYTES: u64 = 192 << 20;

/// Why nothing was recorded.
#[derive(Debug)]
pub enum RecorderError {
    /// The file could not be made or written.
    Write(PathBuf, io::Error),
    /// The transcript reached [`TRANSCRIPT_LIMIT_BYTES`].
    Full,
}

impl fmt::Display for RecorderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(path, error) => write!(f, "write the transcript {}: {error}", path.display()),
            Self::Full => write!(f, "record more than {} MiB", TRANSCRIPT_LIMIT_BYTES >> 20),
        }
    }
}

impl std::error::Error for RecorderError {}

/// Makes the private folder that transcripts live in: mode 0700, with a `.gitignore` of its own that ignores all of it.
///
/// # Errors
/// When it can not be made.
pub fn private_folder(folder: &Path) -> Result<(), RecorderError> {
    let failed = |error| RecorderError::Write(folder.to_owned(), error);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        crate::shell::disk::replace(&ignore, b"*\n")
            .map_err(|error| RecorderError::Write(ignore.clone(), io::Error::other(error.to_string())))?;
    }
    Ok(())
}

/// Writes one transcript. Clones share the file, the numbers and the clock.
#[derive(Debug, Clone)]
pub struct Recorder(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: File,
    watch: Stopwatch,
    seq: u64,
    written: u64,
}

impl Recorder {
    /// Makes the file, mode 0600, never over an existing one, and writes the header.
    ///
    /// # Errors
    /// When the file exists or can not be written.
    pub fn create(path: &Path, facts: &[(&str, Value)]) -> Result<Self, RecorderError> {
        let failed = |error| RecorderError::Write(path.to_owned(), error);
        let mut file =
            std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        let header = header_line(facts);
        file.write_all(header.as_bytes()).map_err(failed)?;
        let written = header.len() as u64;
        Ok(Self(Arc::new(Mutex::new(Inner {
            path: path.to_owned(),
            file,
            watch: Stopwatch::start(),
            seq: 0,
            written,
        }))))
    }

    /// Records one line of a stream.
    ///
    /// # Errors
    /// When writing fails or the transcript is full.
    pub fn line(&self, direction: Direction, bytes: &[u8]) -> Result<(), RecorderError> {
        self.write(|stamp| frame_line(stamp, direction, bytes))
    }

    /// Records one line of stderr.
    ///
    /// # Errors
    /// When writing fails or the transcript is full.
    pub fn stderr(&self, bytes: &[u8]) -> Result<(), RecorderError> {
        self.write(|stamp| stderr_line(stamp, bytes))
    }

    /// Records the end of the process. There is always room for it.
    ///
    /// # Errors
    /// When writing fails.
    pub fn exit(&self, exit: Exit, how: &str, facts: &[(&str, Value)]) -> Result<(), RecorderError> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = inner.next();
        inner.put(&exit_line(stamp, exit.code, exit.signal, how, facts))
    }

    /// Milliseconds since the recording began.
    #[must_use]
    pub fn milliseconds(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).watch.milliseconds()
    }

    fn write(&self, line: impl FnOnce(Stamp) -> String) -> Result<(), RecorderError> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.written >= TRANSCRIPT_LIMIT_BYTES {
            return Err(RecorderError::Full);
        }
        let stamp = inner.next();
        inner.put(&line(stamp))
    }
}

impl Inner {
    fn next(&mut self) -> Stamp {
        self.seq += 1;
        Stamp { t_ms: self.watch.milliseconds(), seq: self.seq }
    }

    fn put(&mut self, line: &str) -> Result<(), RecorderError> {
        self.written += line.len() as u64;
        self.file.write_all(line.as_bytes()).map_err(|error| RecorderError::Write(self.path.clone(), error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn transcripts_are_private_ignored_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let private = folder.path().join(".refrain");
        private_folder(&private).unwrap();
        private_folder(&private).unwrap();
        assert_eq!(crate::shell::disk::read_text(&private.join(".gitignore")).unwrap(), "*\n");
        let path = private.join("a.jsonl");
        let recorder = Recorder::create(&path, &[("agent", Value::from("claude-acp"))]).unwrap();
        recorder.line(Direction::ToAgent, b"{}\n").unwrap();
        recorder.exit(Exit { code: Some(0), signal: None }, "self_exit", &[]).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&private)), (0o600, 0o700));
        assert!(Recorder::create(&path, &[]).unwrap_err().to_string().contains("exists"));
        let recording = crate::recording::Recording::parse(&crate::shell::disk::read_text(&path).unwrap()).unwrap();
        assert_eq!(recording.entries.iter().filter_map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2]);
    }
}
