//! A scope: several texts that are read together, so that the same value is the same placeholder in all of them.
//!
//! Invariant: a text is contained in another after redaction exactly when it was before; rewriting twice changes nothing.
//!
//! Must not know: JSON documents, transcripts.

use std::marker::PhantomData;

use super::clean::{Clean, Raw, TierMark};
use super::detect::{self, Spelling};
use super::interner::{Interner, LEAST_PREFIX};
use super::json::{self, Rewriter};
use super::plan::Span;
use super::redactor::{Hit, Redactor};
use super::repeats::Repeats;
use super::scanner::key_name::KeyName;
use super::scanner::{assignment, prose};
use super::shape::{Kind, Profile, Replacement};
use crate::text;
use crate::vocab::Tier;

/// Longest diagnostic, in bytes.
pub const DIAGNOSTIC_BYTES: usize = 4096;
/// Rounds of rewriting before what is still found is masked as a whole.
const ROUNDS: usize = 8;
/// Shortest value that is looked for where no shape shows it, in bytes.
const LEAST_REPEAT: usize = 8;
/// Most values that are looked for where no shape shows them.
const MOST_REPEATS: usize = 4096;
/// How far around a placeholder is looked again, in bytes.
const NEAR: usize = 48;
/// Names the spans that no shape of the catalogue found: repeats and cut-off beginnings of known values.
const REPEAT: u16 = u16::MAX;

/// Texts that are read together. Made by [`Redactor::scope`].
#[derive(Debug)]
pub struct Scope<T> {
    pub(super) engine: Engine,
    tier: PhantomData<T>,
}

impl<T: TierMark> Scope<T> {
    pub(super) fn new(redactor: &Redactor, profile: Profile) -> Self {
        Self { engine: Engine::new(redactor, T::TIER, profile), tier: PhantomData }
    }

    /// Learns the values of texts before any of them is rewritten, so that repeats without context and beginnings that were
    /// cut off are known wherever they stand. Each group holds the pieces of one message.
    pub fn learn<'t>(&mut self, groups: impl IntoIterator<Item = &'t [Raw<&'t str>]>) {
        let groups: Vec<Vec<&str>> =
            groups.into_iter().map(|group| group.iter().map(|raw| *raw.as_inner()).collect()).collect();
        let groups: Vec<(&[&str], Spelling)> = groups.iter().map(|group| (group.as_slice(), Spelling::Plain)).collect();
        self.engine.learn(&groups);
    }

    /// Rewrites one text.
    pub fn clean(&mut self, raw: Raw<&str>) -> Clean<T> {
        let mut pieces = self.engine.rewrite(&[*raw.as_inner()], Spelling::Plain);
        Clean::new(bounded::<T>(pieces.pop().unwrap_or_default()))
    }

    /// Rewrites one text in which `spans` were found.
    pub(super) fn clean_found(&mut self, text: &str, spans: Vec<Span>) -> Clean<T> {
        self.engine.reserve(text);
        let mut pieces = self.engine.rewrite_found(text.to_owned(), Vec::new(), spans, Spelling::Plain);
        Clean::new(bounded::<T>(pieces.pop().unwrap_or_default()))
    }

    /// Rewrites one JSON document in place; text that is no JSON is rewritten as text.
    pub fn clean_json(&mut self, raw: Raw<&str>) -> Clean<T> {
        let text = *raw.as_inner();
        let engine = Engine::new(&self.engine.redactor, self.engine.tier, self.engine.profile);
        let mut rewriter = Rewriter::new(std::mem::replace(&mut self.engine, engine));
        rewriter.engine.reserve(text);
        json::learn(&mut rewriter.engine, text);
        rewriter.push(text);
        rewriter.finish();
        let mut out = String::with_capacity(text.len());
        rewriter.leave(&mut out, false);
        self.engine = rewriter.engine;
        Clean::new(out)
    }

    /// Rewrites JSON Lines in place. Unlike [`super::Lines`] it has the whole text, so a value that is recognised in one
    /// line is replaced in every other line too, also where nothing would give it away there.
    pub fn clean_jsonl(&mut self, raw: Raw<&str>) -> Clean<T> {
        let text = *raw.as_inner();
        let engine = Engine::new(&self.engine.redactor, self.engine.tier, self.engine.profile);
        let mut rewriter = Rewriter::new(std::mem::replace(&mut self.engine, engine));
        rewriter.engine.reserve(text);
        let body = text.strip_suffix('\n').unwrap_or(text);
        body.split('\n').for_each(|line| json::learn(&mut rewriter.engine, line));
        body.split('\n').for_each(|line| rewriter.push(line));
        rewriter.finish();
        let mut out = String::with_capacity(text.len());
        rewriter.leave(&mut out, true);
        if !text.ends_with('\n') {
            out.pop();
        }
        self.engine = rewriter.engine;
        Clean::new(out)
    }

    /// Rewrites the pieces of one message: what straddles two of them is found, its placeholder stands in the piece where it
    /// begins. Gives as many pieces as it got.
    pub fn clean_pieces(&mut self, pieces: &[Raw<&str>]) -> Vec<Clean<T>> {
        let pieces: Vec<&str> = pieces.iter().map(|raw| *raw.as_inner()).collect();
        self.engine.rewrite(&pieces, Spelling::Plain).into_iter().map(|text| Clean::new(bounded::<T>(text))).collect()
    }
}

/// The diagnostic tier is cut after redaction, never inside a placeholder or a character.
pub(super) fn bounded<T: TierMark>(mut text: String) -> String {
    if T::TIER == Tier::Diagnostic && text.len() > DIAGNOSTIC_BYTES {
        let cut = super::placeholder::cut_by(text.as_bytes(), DIAGNOSTIC_BYTES).unwrap_or(DIAGNOSTIC_BYTES);
        text.truncate(text::head(&text, cut).len());
    }
    text
}

/// The rewriting itself, without the tier in its type.
pub(super) struct Engine {
    redactor: Redactor,
    tier: Tier,
    profile: Profile,
    interner: Interner,
    /// Finds known values literally, with the generation of the interner that it was built from.
    repeats: Option<(u64, Repeats)>,
    /// Whether repeats are looked for; a stream of unknown length does not.
    pub(super) seeks_repeats: bool,
    /// Whether values are compared as they are written. Keys are, so that two keys of one object stay two.
    pub(super) takes_literally: bool,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("tier", &self.tier).field("values", &self.interner.generation()).finish()
    }
}

impl Engine {
    pub(super) fn new(redactor: &Redactor, tier: Tier, profile: Profile) -> Self {
        Self {
            redactor: redactor.clone(),
            tier,
            profile,
            interner: Interner::default(),
            repeats: None,
            seeks_repeats: true,
            takes_literally: false,
        }
    }

    pub(super) fn hit(&self, span: Span) -> Hit {
        self.redactor.hit(span)
    }

    /// What is found in the content of a JSON string whose key says `name`: under the name of a secret, all of it.
    pub(super) fn found_in_json(&self, content: &str, name: KeyName) -> Vec<Span> {
        if name != KeyName::Plain
            && self.masks_assignments()
            && assignment::is_secret(detect::reading(content, Spelling::Json).as_bytes(), name)
        {
            let shape = self.redactor.assignment().unwrap_or(REPEAT);
            return vec![Span { start: 0, end: content.len(), shape }];
        }
        self.found(content, Spelling::Json, &[])
    }

    /// What is found in the pieces of a streamed message.
    pub(super) fn found_pieces(&self, raw: &str, seams: &[usize]) -> Vec<Span> {
        self.found(raw, Spelling::Json, seams)
    }

    fn masks_assignments(&self) -> bool {
        let shape = self.redactor.assignment().and_then(|shape| self.redactor.shapes().compiled().get(shape as usize));
        shape.is_some_and(|compiled| compiled.shape.tiers.contains(&self.tier))
    }

    pub(super) fn found(&self, raw: &str, spelling: Spelling, seams: &[usize]) -> Vec<Span> {
        let plan = self.redactor.plan(self.tier, self.profile);
        detect::spans(plan, self.redactor.shapes().compiled(), raw, spelling, seams)
    }

    fn kind(&self, span: Span) -> Kind {
        self.redactor.shapes().compiled().get(span.shape as usize).map_or(Kind::Run, |compiled| compiled.shape.kind)
    }

    /// Grows whenever placeholders that were given are forgotten.
    pub(super) const fn epoch(&self) -> u64 {
        self.interner.epoch()
    }

    /// Takes note of the placeholders in `text`.
    pub(super) fn reserve(&mut self, text: &str) {
        self.interner.reserve(text);
    }

    /// Learns the values of groups of pieces.
    pub(super) fn learn(&mut self, groups: &[(&[&str], Spelling)]) {
        for (pieces, _) in groups {
            pieces.iter().for_each(|piece| self.interner.reserve(piece));
        }
        let found: Vec<_> = groups
            .iter()
            .map(|(pieces, spelling)| {
                let (raw, seams) = joined(pieces);
                let spans = self.found(&raw, *spelling, &seams);
                (raw, spans)
            })
            .collect();
        self.learn_found(found.into_iter(), Spelling::Plain);
    }

    /// First the values that texts end with, then all values in the order given, then the beginnings of values that texts
    /// end with.
    pub(super) fn learn_found(&mut self, texts: impl Iterator<Item = (String, Vec<Span>)>, spelling: Spelling) {
        let texts: Vec<_> = texts.collect();
        let value = |raw: &str, span: Span| detect::reading(&raw[span.start..span.end], spelling).into_owned();
        for (raw, spans) in &texts {
            for &span in spans.iter().filter(|span| is_end(raw, span.end)) {
                self.interner.note_end(&value(raw, span));
            }
        }
        let mut ignored = String::new();
        for (raw, spans) in &texts {
            for &span in spans {
                ignored.clear();
                self.interner.push(&mut ignored, self.kind(span), &value(raw, span), false);
            }
        }
    }

    /// Rewrites the pieces of one message.
    pub(super) fn rewrite(&mut self, pieces: &[&str], spelling: Spelling) -> Vec<String> {
        let (raw, seams) = joined(pieces);
        self.interner.reserve(&raw);
        let spans = self.found(&raw, spelling, &seams);
        self.rewrite_found(raw, seams, spans, spelling)
    }

    /// Rewrites what `spans` say and then what is found in the result, until nothing is.
    pub(super) fn rewrite_found(
        &mut self,
        mut raw: String,
        mut seams: Vec<usize>,
        mut spans: Vec<Span>,
        spelling: Spelling,
    ) -> Vec<String> {
        for _ in 0..ROUNDS {
            self.add_known(&raw, spelling, &mut spans);
            if spans.is_empty() {
                return split(&raw, &seams);
            }
            let (rewritten, places) = self.replace(&raw, &spans, spelling, &mut seams);
            raw = rewritten;
            spans = self.found_near(&raw, spelling, &seams, &places);
        }
        // Nothing is known that comes here; if something does, it goes as a whole.
        let mut text = String::new();
        self.interner.push(&mut text, Kind::Run, &raw, false);
        let mut pieces = vec![String::new(); seams.len() + 1];
        pieces[0] = text;
        pieces
    }

    /// Looks again where something was replaced: what is new can only be around it. Windows begin and end at spaces, which no
    /// token and no escape holds.
    fn found_near(&self, raw: &str, spelling: Spelling, seams: &[usize], places: &[usize]) -> Vec<Span> {
        if raw.len() < 5 * NEAR {
            return self.found(raw, spelling, seams);
        }
        let bytes = raw.as_bytes();
        let (mut spans, mut done) = (Vec::new(), 0);
        let mut places = places.iter().copied().peekable();
        while let Some(place) = places.next() {
            let start =
                memchr::memrchr(b' ', &bytes[..place.saturating_sub(NEAR)]).map_or(0, |space| space + 1).max(done);
            let mut end = window_end(bytes, place);
            while let Some(next) = places.next_if(|next| *next < end + NEAR) {
                end = window_end(bytes, next);
            }
            let first = seams.partition_point(|&seam| seam < start);
            let inside: Vec<usize> =
                seams[first..].iter().take_while(|&&seam| seam < end).map(|seam| seam - start).collect();
            let shifted = |span: Span| Span { start: span.start + start, end: span.end + start, ..span };
            spans.extend(self.found(&raw[start..end], spelling, &inside).into_iter().map(shifted));
            done = end;
        }
        spans
    }

    /// One round: each span becomes its placeholder; seams move with the text around them. Gives the places of the
    /// placeholders too.
    fn replace(&mut self, raw: &str, spans: &[Span], spelling: Spelling, seams: &mut [usize]) -> (String, Vec<usize>) {
        let mut text = String::with_capacity(raw.len());
        let mut places = Vec::with_capacity(spans.len());
        let (mut done, mut seam) = (0, 0);
        for &span in spans {
            let joined = self.redactor.shapes().compiled().get(span.shape as usize);
            let joined = joined.is_some_and(|compiled| compiled.shape.replace == Replacement::Joined);
            let cut = if joined { before_space(raw, done, span.start, spelling) } else { span.start };
            move_seams(seams, &mut seam, cut, done, &mut text, raw);
            let written = &raw[span.start..span.end];
            let value = if self.takes_literally { written.into() } else { detect::reading(written, spelling) };
            let at = text.len();
            places.push(at);
            self.interner.push(&mut text, self.kind(span), &value, is_end(raw, span.end));
            // A seam right before the value keeps its place; a seam inside goes behind the placeholder.
            while seams.get(seam).is_some_and(|&place| place <= span.end) {
                seams[seam] = if seams[seam] <= span.start { at } else { text.len() };
                seam += 1;
            }
            done = span.end;
        }
        move_seams(seams, &mut seam, raw.len(), done, &mut text, raw);
        (text, places)
    }

    /// Adds repeats of known values and a cut-off beginning of one at the end.
    fn add_known(&mut self, raw: &str, spelling: Spelling, spans: &mut Vec<Span>) {
        if !self.seeks_repeats || self.interner.generation() == 0 {
            return;
        }
        let before = spans.len();
        self.add_repeats(raw, spans);
        if let Some(start) = self.cut_off_start(raw, spelling, spans) {
            spans.push(Span { start, end: raw.trim_end().len(), shape: REPEAT });
        }
        if spans.len() > before {
            detect::tidy(raw, spans);
        }
    }

    fn add_repeats(&mut self, raw: &str, spans: &mut Vec<Span>) {
        let generation = self.interner.generation();
        if self.repeats.as_ref().is_none_or(|(built, _)| *built != generation) {
            let is_told_apart = |value: &&str| value.len() >= LEAST_REPEAT && prose::is_not_prose(value.as_bytes());
            let values = self.interner.values().filter(is_told_apart).take(MOST_REPEATS);
            self.repeats = Some((generation, Repeats::new(values)));
        }
        let Some((_, repeats)) = &self.repeats else { return };
        let bytes = raw.as_bytes();
        repeats.each(raw, |start, end| {
            let word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
            let inside = start > 0 && word(start - 1) || word(end);
            let covered = spans.iter().any(|span| span.start < end && start < span.end);
            if !inside && !covered {
                spans.push(Span { start, end, shape: REPEAT });
            }
        });
    }

    /// Where the beginning of a known value starts that `raw` ends with.
    fn cut_off_start(&self, raw: &str, spelling: Spelling, spans: &[Span]) -> Option<usize> {
        let end = raw.trim_end().len();
        let covered = spans.iter().map(|span| span.end).max().unwrap_or(0);
        let from = covered.max(end - text::tail(&raw[..end], 256).len()).min(end);
        let last = raw[from..end].rfind(|c: char| c.is_whitespace() || "\"'`<>\\".contains(c)).map_or(from, |at| {
            let at = from + at;
            at + raw[at..].chars().next().map_or(1, char::len_utf8)
        });
        let begins = |at: &usize| *at == last || !raw.as_bytes()[at - 1].is_ascii_alphanumeric();
        (last..end.saturating_sub(LEAST_PREFIX - 1)).filter(|&at| raw.is_char_boundary(at)).filter(begins).find(|&at| {
            let beginning = detect::reading(&raw[at..end], spelling);
            let told_apart =
                prose::is_not_prose(beginning.as_bytes()) || beginning.bytes().any(|byte| b"@./:_".contains(&byte));
            told_apart && self.interner.longer(&beginning).is_some()
        })
    }
}

/// The end of the window around `place`: the first space some way behind it.
fn window_end(bytes: &[u8], place: usize) -> usize {
    let from = (place + NEAR).min(bytes.len());
    memchr::memchr(b' ', &bytes[from..]).map_or(bytes.len(), |space| from + space)
}

/// Copies `raw[done..cut]` and moves the seams that fall into it.
fn move_seams(seams: &mut [usize], seam: &mut usize, cut: usize, done: usize, text: &mut String, raw: &str) {
    let at = text.len();
    while seams.get(*seam).is_some_and(|&place| place < cut || place == raw.len() && cut == raw.len()) {
        seams[*seam] = at + seams[*seam].saturating_sub(done);
        *seam += 1;
    }
    text.push_str(&raw[done..cut]);
}

/// The start of the white space before `start`, however it is spelled, not before `done`.
fn before_space(raw: &str, done: usize, start: usize, spelling: Spelling) -> usize {
    let mut at = start;
    loop {
        let rest = &raw[done..at];
        let mut shorter = rest.trim_end_matches([' ', '\t', '\n', '\r']);
        if spelling == Spelling::Json {
            for escape in ["\\n", "\\t", "\\r", "\\u0020", "\\u0009", "\\u000a", "\\u000d"] {
                let lead = shorter.strip_suffix(escape);
                // A backslash that is escaped itself begins no escape.
                let slashes = lead.map_or(1, |lead| lead.len() - lead.trim_end_matches('\\').len());
                shorter = lead.filter(|_| slashes % 2 == 0).unwrap_or(shorter);
            }
        }
        if shorter.len() == rest.len() {
            return at;
        }
        at = done + shorter.len();
    }
}

/// Whether nothing but white space follows.
fn is_end(raw: &str, end: usize) -> bool {
    raw[end..].trim_end().is_empty()
}

/// The pieces as one text, and where they meet.
pub(super) fn joined(pieces: &[&str]) -> (String, Vec<usize>) {
    let mut seams = Vec::with_capacity(pieces.len().saturating_sub(1));
    let mut raw = String::with_capacity(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        if !std::ptr::eq(piece, &pieces[0]) {
            seams.push(raw.len());
        }
        raw.push_str(piece);
    }
    (raw, seams)
}

fn split(raw: &str, seams: &[usize]) -> Vec<String> {
    let ends = seams.iter().copied().chain([raw.len()]);
    let mut from = 0;
    ends.map(|end| raw[std::mem::replace(&mut from, end)..end].to_owned()).collect()
}
