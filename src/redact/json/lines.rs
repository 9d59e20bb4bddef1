//! JSON Lines as a stream: each line is rewritten as soon as the message that it is a piece of has ended.
//!
//! Invariant: lines leave in the order they came; what is held back is bounded.
//!
//! Must not know: files.

use std::collections::VecDeque;
use std::marker::PhantomData;

use super::memo::{Memo, Said};
use super::tokens::{Item, Mark, StreamId, Tokens};
use crate::redact::clean::TierMark;
use crate::redact::detect::Spelling;
use crate::redact::plan::Span;
use crate::redact::redactor::{Hit, Redactor};
use crate::redact::scanner::key_name::KeyName;
use crate::redact::scope::{self, Engine};
use crate::redact::shape::Profile;

/// Bytes of lines that wait for the end of a message before the longest open message is closed.
const HELD_BYTES: usize = 256 << 10;

/// Rewrites JSON Lines of any length in bounded memory. Push every line, then finish.
#[derive(Debug)]
pub struct Lines<T> {
    rewriter: Rewriter,
    tier: PhantomData<T>,
}

impl<T: TierMark> Lines<T> {
    /// Values repeat across lines under the same placeholder.
    #[must_use]
    pub fn new(redactor: &Redactor, profile: Profile) -> Self {
        let mut engine = Engine::new(redactor, T::TIER, profile);
        engine.seeks_repeats = false;
        Self { rewriter: Rewriter::new(engine), tier: PhantomData }
    }

    /// Takes the next line, without its line feed, and appends every line that is finished, with line feeds.
    pub fn push(&mut self, line: &str, out: &mut String) {
        self.rewriter.push(line);
        self.rewriter.leave(out, true);
    }

    /// Appends what is still held back. The last line ends with a line feed.
    pub fn finish(&mut self, out: &mut String) {
        self.rewriter.finish();
        self.rewriter.leave(out, true);
    }

    /// From here on, what is found is kept for [`Lines::take_hits`].
    pub fn record_hits(&mut self) {
        self.rewriter.record_hits();
    }

    /// What was found in the lines that left, by byte in the pushed text as if a line feed followed each line. Empties the
    /// list; the order is that of the text.
    pub fn take_hits(&mut self) -> Vec<Hit> {
        self.rewriter.take_hits()
    }
}

/// Most used-up lines whose memory is kept for the next ones, and the longest of them in bytes.
const SPARE: usize = 32;
const SPARE_BYTES: usize = 16 << 10;

/// A line that waits, with the changes that are known already.
#[derive(Debug, Default)]
struct Held {
    line: String,
    /// Offset of the line in the whole text.
    base: usize,
    edits: Vec<(usize, usize, String)>,
    /// Pieces of messages that have not ended.
    open: usize,
}

/// A message that has not ended.
#[derive(Debug)]
struct Stream {
    id: StreamId,
    /// Number of the line and range of the content in it.
    pieces: Vec<(u64, usize, usize)>,
}

/// The machinery, without the tier in its type.
#[derive(Debug)]
pub(in crate::redact) struct Rewriter {
    pub(in crate::redact) engine: Engine,
    tokens: Tokens,
    held: VecDeque<Held>,
    held_bytes: usize,
    /// Lines that left: their memory is used again.
    spare: Vec<Held>,
    /// Number of the first held line.
    first: u64,
    streams: Vec<Stream>,
    memo: Memo,
    /// The engine's epoch that the memo belongs to.
    epoch: u64,
    offset: usize,
    hits: Vec<Hit>,
    records_hits: bool,
}

impl Rewriter {
    pub(in crate::redact) fn new(engine: Engine) -> Self {
        Self {
            engine,
            tokens: Tokens::default(),
            held: VecDeque::new(),
            held_bytes: 0,
            spare: Vec::new(),
            first: 0,
            streams: Vec::new(),
            memo: Memo::default(),
            epoch: 0,
            offset: 0,
            hits: Vec::new(),
            records_hits: false,
        }
    }

    /// From here on hits are kept.
    pub(in crate::redact) fn record_hits(&mut self) {
        self.records_hits = true;
    }

    pub(in crate::redact) fn take_hits(&mut self) -> Vec<Hit> {
        self.hits.sort_by_key(|hit| hit.start);
        std::mem::take(&mut self.hits)
    }

    /// Takes a line, or a whole document.
    pub(in crate::redact) fn push(&mut self, line: &str) {
        let base = self.offset;
        self.offset += line.len() + 1;
        // A piece of a message is rewritten later than it is read: its placeholders are taken before that.
        self.engine.reserve(line);
        let mut held = Held { base, ..self.spare.pop().unwrap_or_default() };
        held.line.push_str(line);
        let mut tokens = std::mem::take(&mut self.tokens);
        if tokens.read(line) {
            for item in tokens.items.iter().filter(|item| !item.piece) {
                self.item(item, &mut held);
            }
            self.held_bytes += line.len();
            self.held.push_back(held);
            for mark in &tokens.marks {
                self.mark(mark, &tokens.items);
            }
        } else {
            self.text(line, &mut held);
            self.held_bytes += line.len();
            self.held.push_back(held);
        }
        self.tokens = tokens;
        while self.held_bytes > HELD_BYTES && !self.streams.is_empty() {
            let longest = (0..self.streams.len()).max_by_key(|&index| self.streams[index].pieces.len()).unwrap_or(0);
            self.close(longest);
            if self.streams.is_empty() {
                break;
            }
        }
    }

    /// A line that is no JSON.
    fn text(&mut self, line: &str, held: &mut Held) {
        let spans = self.engine.found(line, Spelling::Plain, &[]);
        self.record(&spans, held.base);
        let mut pieces = self.engine.rewrite_found(line.to_owned(), Vec::new(), spans, Spelling::Plain);
        let text = pieces.pop().unwrap_or_default();
        if text != line {
            held.edits.push((0, line.len(), text));
        }
    }

    /// A string that is read alone.
    fn item(&mut self, item: &Item, held: &mut Held) {
        let content = &held.line[item.start..item.end];
        let remembers = item.name == KeyName::Plain && !self.engine.seeks_repeats && !self.records_hits;
        if remembers {
            if self.epoch != self.engine.epoch() {
                (self.memo, self.epoch) = (Memo::default(), self.engine.epoch());
            }
            match self.memo.look_up(content.as_bytes()) {
                Some(Said::Quiet) => return,
                Some(Said::Becomes(text)) => return held.edits.push((item.start, item.end, text.clone())),
                None => {}
            }
        }
        let spans = self.engine.found_in_json(content, item.name);
        if spans.is_empty() && !self.engine.seeks_repeats {
            if remembers {
                self.memo.remember(content.as_bytes(), Said::Quiet);
            }
            return;
        }
        self.record(&spans, held.base + item.start);
        self.engine.takes_literally = item.key;
        let mut pieces = self.engine.rewrite_found(content.to_owned(), Vec::new(), spans, Spelling::Json);
        self.engine.takes_literally = false;
        let text = pieces.pop().unwrap_or_default();
        if text != content {
            if remembers {
                self.memo.remember(content.as_bytes(), Said::Becomes(text.clone()));
            }
            let text = if item.number { format!("\"{text}\"") } else { text };
            held.edits.push((item.start, item.end, text));
        }
    }

    fn record(&mut self, spans: &[Span], base: usize) {
        if self.records_hits {
            for &span in spans {
                let hit = self.engine.hit(span);
                self.hits.push(Hit { start: base + hit.start, end: base + hit.end, ..hit });
            }
        }
    }

    fn mark(&mut self, mark: &Mark, items: &[Item]) {
        let Mark::Piece { item, stream } = mark else {
            while !self.streams.is_empty() {
                self.close(0);
            }
            return;
        };
        let line = self.first + self.held.len() as u64 - 1;
        // Another message of the same session ends the one before; stderr goes on beside every message.
        let ended = |open: &Stream| {
            open.id.session == stream.session && open.id.update != stream.update && !open.id.beside && !stream.beside
        };
        while let Some(index) = self.streams.iter().position(ended) {
            self.close(index);
        }
        let item = &items[*item];
        let piece = (line, item.start, item.end);
        match self.streams.iter_mut().find(|open| open.id == *stream) {
            Some(open) => open.pieces.push(piece),
            None => self.streams.push(Stream { id: *stream, pieces: vec![piece] }),
        }
        if let Some(held) = self.held.back_mut() {
            held.open += 1;
        }
    }

    /// A message has ended: its pieces are read together.
    fn close(&mut self, index: usize) {
        let stream = self.streams.remove(index);
        let at = |line: u64| usize::try_from(line - self.first).unwrap_or(usize::MAX);
        let contents: Vec<&str> =
            stream.pieces.iter().map(|&(line, start, end)| &self.held[at(line)].line[start..end]).collect();
        let (raw, seams) = scope::joined(&contents);
        let spans = self.engine.found(&raw, Spelling::Json, &seams);
        if self.records_hits {
            self.record_pieces(&stream, &spans, &seams);
        }
        let rewritten = if spans.is_empty() && !self.engine.seeks_repeats {
            Vec::new()
        } else {
            self.engine.rewrite_found(raw, seams, spans, Spelling::Json)
        };
        for (&(line, start, end), text) in
            stream.pieces.iter().zip(rewritten.into_iter().map(Some).chain(std::iter::repeat(None)))
        {
            let index = usize::try_from(line - self.first).unwrap_or(usize::MAX);
            let held = &mut self.held[index];
            held.open -= 1;
            if let Some(text) = text.filter(|text| held.line[start..end] != **text) {
                held.edits.push((start, end, text));
            }
        }
    }

    /// A value over several pieces is one hit in each.
    fn record_pieces(&mut self, stream: &Stream, spans: &[Span], seams: &[usize]) {
        for &span in spans {
            for (number, &(line, start, end)) in stream.pieces.iter().enumerate() {
                let from = if number == 0 { 0 } else { seams[number - 1] };
                let to = from + (end - start);
                let (first, last) = (span.start.max(from), span.end.min(to));
                if first < last {
                    let base = self.held[usize::try_from(line - self.first).unwrap_or(usize::MAX)].base + start;
                    let hit = self.engine.hit(span);
                    self.hits.push(Hit { start: base + first - from, end: base + last - from, ..hit });
                }
            }
        }
    }

    pub(in crate::redact) fn finish(&mut self) {
        while !self.streams.is_empty() {
            self.close(0);
        }
    }

    /// Appends the lines that wait for nothing.
    pub(in crate::redact) fn leave(&mut self, out: &mut String, line_feed: bool) {
        while self.held.front().is_some_and(|held| held.open == 0) {
            let Some(mut held) = self.held.pop_front() else { return };
            self.first += 1;
            self.held_bytes -= held.line.len();
            held.edits.sort_unstable_by_key(|edit| edit.0);
            let mut done = 0;
            for (start, end, text) in &held.edits {
                out.push_str(&held.line[done..*start]);
                out.push_str(text);
                done = *end;
            }
            out.push_str(&held.line[done..]);
            if line_feed {
                out.push('\n');
            }
            if self.spare.len() < SPARE && held.line.capacity() <= SPARE_BYTES {
                held.line.clear();
                held.edits.clear();
                self.spare.push(held);
            }
        }
    }
}
