//! From raw text to spans of the raw text: takes disguises off first, then maps what was found back.
//!
//! Invariant: spans are sorted, do not overlap and fall on character boundaries of the raw text.
//!
//! Must not know: placeholders, what a JSON document is made of.

use std::borrow::Cow;

use super::plan::{Plan, Span};
use super::scanner::Text;
use super::shapes::Compiled;
use super::view::{self, View};

/// How a raw text spells its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As they are.
    Plain,
    /// As between the quotes of a JSON string.
    Json,
}

/// Finds everything in `raw`. `seams` are the places where pieces of one message meet.
pub(super) fn spans(plan: &Plan, shapes: &[Compiled], raw: &str, spelling: Spelling, seams: &[usize]) -> Vec<Span> {
    let mut found = Vec::new();
    let decoded = if spelling == Spelling::Json { view::json(raw, seams) } else { None };
    let (text, gaps) = shown(decoded.as_ref(), raw, seams);
    let visible = view::visible(text, gaps);
    let (text, gaps) = shown(visible.as_ref(), text, gaps);
    plan.find(shapes, Text { bytes: text.as_bytes(), gaps }, &mut found);
    let spelled_out = view::unescaped(text, gaps);
    if let Some(unescaped) = &spelled_out {
        let mut more = Vec::new();
        let inner = Text { bytes: unescaped.text().as_bytes(), gaps: unescaped.gaps() };
        plan.find(shapes, inner, &mut more);
        found.extend(more.into_iter().map(|span| back(unescaped, span)));
    }
    for view in [&visible, &decoded].into_iter().flatten() {
        found.iter_mut().for_each(|span| *span = back(view, *span));
    }
    tidy(raw, &mut found);
    found
}

fn shown<'v>(view: Option<&'v View>, raw: &'v str, gaps: &'v [usize]) -> (&'v str, &'v [usize]) {
    view.map_or((raw, gaps), |view| (view.text(), view.gaps()))
}

fn back(view: &View, span: Span) -> Span {
    let (start, end) = view.original(span.start, span.end);
    Span { start, end, ..span }
}

/// Sorts, joins what overlaps (the longer one names the shape), moves ends off the middle of characters.
pub(super) fn tidy(raw: &str, spans: &mut Vec<Span>) {
    for span in spans.iter_mut() {
        while !raw.is_char_boundary(span.start) {
            span.start -= 1;
        }
        while !raw.is_char_boundary(span.end) {
            span.end += 1;
        }
    }
    if spans.is_sorted_by(|a, b| a.end <= b.start) {
        return;
    }
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.shape));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for &span in spans.iter() {
        match joined.last_mut() {
            Some(last) if span.start < last.end => {
                if span.end - span.start > last.end - last.start {
                    last.shape = span.shape;
                }
                last.end = last.end.max(span.end);
            }
            _ => joined.push(span),
        }
    }
    *spans = joined;
}

/// The content of a JSON string, decoded.
pub(super) fn decoded(raw: &str) -> Cow<'_, str> {
    view::json(raw, &[]).map_or(Cow::Borrowed(raw), |view| Cow::Owned(view.text().to_owned()))
}

/// What a reader sees of `raw`, white space normalized: the value that two spellings of the same thing share.
pub(super) fn reading(raw: &str, spelling: Spelling) -> Cow<'_, str> {
    let plain = |byte: u8| (byte > b' ') & (byte < 0x7f) & (byte != b'\\');
    // Written so that it vectorises: a value may be an image.
    if raw.as_bytes().chunks(32).all(|chunk| chunk.iter().fold(true, |all, &byte| all & plain(byte))) {
        return Cow::Borrowed(raw);
    }
    let decoded = if spelling == Spelling::Json { view::json(raw, &[]) } else { None };
    let text = decoded.as_ref().map_or(raw, View::text);
    let visible = view::visible(text, &[]);
    Cow::Owned(crate::text::normalized(visible.as_ref().map_or(text, View::text)))
}
