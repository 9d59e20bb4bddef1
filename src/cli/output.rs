//! Where output goes and how it looks: stdout for results, stderr for messages, colour and width decided once.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};

use super::arguments::{Color, Global};
use super::exit::{Exit, Failure};
use crate::report::finding::clean_message;
use crate::report::style::{BAD, DIM, guarded, paint, wrapped};
use crate::shell::disk::plain;

/// The two streams of one run.
pub(super) struct Output {
    stdout: AutoStream<io::Stdout>,
    stderr: AutoStream<io::Stderr>,
    width: usize,
    limited: bool,
    quiet: bool,
    verbose: bool,
    closed: bool,
    lost: Option<io::Error>,
    pending: Vec<u8>,
}

impl Output {
    /// Decides colour and width from the arguments and the terminal.
    pub(super) fn new(global: &Global) -> Self {
        let choice = match global.color {
            Color::Auto => None,
            Color::Always => Some(ColorChoice::AlwaysAnsi),
            Color::Never => Some(ColorChoice::Never),
        };
        let stdout = match choice {
            Some(choice) => AutoStream::new(io::stdout(), choice),
            None => AutoStream::auto(io::stdout()),
        };
        let stderr = match choice {
            Some(choice) => AutoStream::new(io::stderr(), choice),
            None => AutoStream::auto(io::stderr()),
        };
        let limit = width();
        Self {
            stdout,
            stderr,
            width: limit.unwrap_or(100).clamp(40, 200),
            limited: limit.is_some(),
            quiet: global.quiet,
            verbose: global.verbose,
            closed: false,
            lost: None,
            pending: Vec::new(),
        }
    }

    /// Characters a line may have.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// Characters a line may have on a terminal or by `COLUMNS`; `None` when nobody limits them.
    pub(super) const fn terminal_width(&self) -> Option<usize> {
        if self.limited { Some(self.width) } else { None }
    }

    /// Text for people, wrapped where somebody limits the width.
    pub(super) fn fitted(&self, text: String) -> String {
        match self.terminal_width() {
            Some(width) => wrapped(&text, width),
            None => text,
        }
    }

    /// Whether only what is wrong is said.
    pub(super) const fn quiet(&self) -> bool {
        self.quiet
    }

    /// Writes results at once. After the reader went away, nothing more is written.
    pub(super) fn result(&mut self, text: &str) {
        self.buffer(text.as_bytes());
        self.flush();
    }

    /// Writes the user's own bytes at once and as they are: whatever looks like colour in them belongs to them.
    pub(super) fn data(&mut self, bytes: &[u8]) {
        self.flush();
        if !self.closed {
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
            drop(stdout);
            self.written(written);
        }
    }

    /// Keeps results back until [`Output::flush`].
    pub(super) fn buffer(&mut self, text: &[u8]) {
        self.pending.extend_from_slice(text);
    }

    /// Writes everything that was kept back.
    pub(super) fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if self.closed || pending.is_empty() {
            return;
        }
        let written = self.stdout.write_all(&pending).and_then(|()| self.stdout.flush());
        self.written(written);
    }

    fn written(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.closed = true;
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.lost = Some(error);
            }
        }
    }

    /// How a run really ends: a result that could not be written is no result, whatever it was.
    pub(super) fn end(&mut self, exit: Exit) -> Exit {
        let Some(error) = self.lost.take() else { return exit };
        self.failure(&Failure::usage("refrain::disk::unwritable", format!("write the result: {}", plain(&error))))
    }

    /// Whether the reader of the results went away.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes a message for a person.
    pub(super) fn message(&mut self, text: &str) {
        // There is nowhere left to say that stderr is closed.
        let _ = writeln!(self.stderr, "{}", guarded(text.to_owned()));
    }

    /// Writes a message for a person who asked for more.
    pub(super) fn detail(&mut self, text: impl FnOnce() -> String) {
        if self.verbose {
            let text = text();
            self.message(&paint(DIM, &text));
        }
    }

    /// Says why a command could not do its work.
    pub(super) fn failure(&mut self, failure: &Failure) -> Exit {
        self.message(&format!("{} {}", paint(BAD, "error:"), failed(failure)));
        if let Some(help) = &failure.help {
            self.message(&format!("  {} {help}", paint(DIM, "help:")));
        }
        failure.exit
    }
}

fn failed(failure: &Failure) -> String {
    let message = clean_message(&failure.message);
    format!("failed to {message} {}", paint(DIM, &format!("[{}]", failure.code)))
}

/// The terminal's width, else `COLUMNS`.
fn width() -> Option<usize> {
    let terminal = io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    #[expect(clippy::disallowed_methods, reason = "the environment is read in cli")]
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    terminal.map(|(width, _)| usize::from(width.0)).or_else(columns)
}
