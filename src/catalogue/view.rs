//! What patterns see of a text: unwrapped, without control sequences, with one kind of space and quote.
//!
//! Invariant: every step is linear in the text and never grows it by more than a constant factor.

use std::borrow::Cow;

use crate::text;

use super::wrapper;

/// How often escaped JSON inside a string is unescaped again.
const UNESCAPE_DEPTH: usize = 4;
/// Most `message` values that are looked at as whole messages.
const MESSAGE_LIMIT: usize = 6;

/// One text as the patterns see it.
#[derive(Debug, Clone)]
pub struct View<'a> {
    flat: Cow<'a, str>,
    lines: Option<String>,
}

/// One step of unwrapping, for explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub what: &'static str,
    /// The text after it.
    pub text: String,
}

impl<'a> View<'a> {
    /// Unwraps `raw`.
    #[must_use]
    pub fn of(raw: &'a str) -> Self {
        let raw = raw.trim();
        if is_plain(raw) {
            return Self { flat: Cow::Borrowed(raw), lines: None };
        }
        let text = unwrapped(raw, &mut |_, _| {});
        let lines = tidy_lines(&text);
        let flat = if lines.contains('\n') { lines.replace('\n', " ") } else { lines.clone() };
        Self { flat: Cow::Owned(flat), lines: Some(lines) }
    }

    /// The text as one line with single spaces.
    #[must_use]
    pub fn flat(&self) -> &str {
        &self.flat
    }

    /// The text with its line breaks, single spaces otherwise.
    #[must_use]
    pub fn lines(&self) -> &str {
        self.lines.as_deref().unwrap_or(&self.flat)
    }

    /// The whole text without its wrappers.
    #[must_use]
    pub fn core(&self) -> &str {
        wrapper::core(self.flat())
    }

    /// The messages in it: the text without its wrappers first, then the values of `message` keys.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        let flat = self.flat();
        std::iter::once(wrapper::core(flat)).chain(wrapper::message_values(flat).take(MESSAGE_LIMIT).map(wrapper::core))
    }
}

/// The steps that change `raw`, each with the text after it.
#[must_use]
pub fn steps(raw: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let text = unwrapped(raw.trim(), &mut |what, text: &str| steps.push(Step { what, text: text.to_owned() }));
    let tidy = tidy_lines(&text).replace('\n', " ");
    if tidy != text {
        steps.push(Step { what: "white space joined", text: tidy.clone() });
    }
    let core = wrapper::core(&tidy);
    if core != tidy {
        steps.push(Step { what: "wrappers removed", text: core.to_owned() });
    }
    steps.extend(
        wrapper::message_values(&tidy)
            .take(MESSAGE_LIMIT)
            .map(|message| Step { what: "message inside", text: message.to_owned() }),
    );
    steps
}

/// Whether nothing needs to be unwrapped: printable ASCII with single spaces, without escapes and markup.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Written so that both vectorise: every text comes through here.
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) & (byte != b'\\') & (byte != b'<');
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().fold(true, |all, &byte| all & plain(byte))
        && !bytes.iter().zip(next).fold(false, |any, (&one, &other)| any | ((one == b' ') & (other == b' ')))
}

fn unwrapped<'a>(raw: &'a str, seen: &mut dyn FnMut(&'static str, &str)) -> Cow<'a, str> {
    let mut text = text::without_control(raw);
    if text != raw {
        seen("control sequences removed", &text);
    }
    for _ in 0..UNESCAPE_DEPTH {
        let Some(next) = unescaped(&text) else { break };
        seen("string escapes resolved", &next);
        text = Cow::Owned(next);
    }
    if let Some(next) = straight(&text) {
        text = Cow::Owned(next);
    }
    if let Some(next) = without_markup(&text) {
        seen("markup removed", &next);
        text = Cow::Owned(next);
    }
    text
}

/// One round of JSON string unescaping over the whole text; `None` when there is nothing to resolve.
fn unescaped(text: &str) -> Option<String> {
    let first = text.find('\\')?;
    let mut result = String::with_capacity(text.len());
    result.push_str(&text[..first]);
    let mut rest = &text[first..];
    let mut changed = false;
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        let (replacement, taken) = escape(&rest[at..]);
        match replacement {
            Some(c) => {
                result.push(c);
                changed = true;
            }
            None => result.push('\\'),
        }
        rest = &rest[at + taken..];
    }
    result.push_str(rest);
    changed.then_some(result)
}

/// The character an escape at the start of `text` stands for, and how many bytes it takes.
fn escape(text: &str) -> (Option<char>, usize) {
    match text.as_bytes().get(1) {
        Some(b'n' | b'r') => (Some('\n'), 2),
        Some(b't') => (Some(' '), 2),
        Some(b'"') => (Some('"'), 2),
        Some(b'\'') => (Some('\''), 2),
        Some(b'/') => (Some('/'), 2),
        Some(b'\\') => (Some('\\'), 2),
        Some(b'u') => text
            .get(2..6)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .and_then(char::from_u32)
            .map_or((None, 1), |c| (Some(c), 6)),
        _ => (None, 1),
    }
}

/// Typographic quotes and spaces as their plain forms, invisible characters gone.
fn straight(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' | '\u{ff07}' => result.push('\''),
            '\u{201c}' | '\u{201d}' | '\u{ff02}' => result.push('"'),
            '\u{2010}'..='\u{2012}' => result.push('-'),
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
            c if c.is_whitespace() && c != '\n' => result.push(' '),
            c => result.push(c),
        }
    }
    Some(result)
}

/// An HTML page as its text. Only what looks like a page is touched.
fn without_markup(text: &str) -> Option<String> {
    if !["<html", "<!doctype", "<head", "<title", "<body", "<h1"].iter().any(|tag| contains_ignoring_case(text, tag)) {
        return None;
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        result.push_str(&rest[..open]);
        result.push(' ');
        rest = after_tag(&rest[open..]);
    }
    result.push_str(rest);
    Some(result)
}

/// What follows the tag at the start of `text`; scripts and styles go with their content.
fn after_tag(text: &str) -> &str {
    for (open, close) in [("<script", "</script"), ("<style", "</style"), ("<!--", "-->")] {
        if text.get(..open.len()).is_some_and(|head| head.eq_ignore_ascii_case(open))
            && let Some(end) = find_ignoring_case(text, close)
        {
            let end = end + close.len();
            return if close == "-->" { &text[end..] } else { after_bracket(&text[end..]) };
        }
    }
    after_bracket(&text[1..])
}

fn after_bracket(text: &str) -> &str {
    text.find('>').map_or("", |end| &text[end + 1..])
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    find_ignoring_case(text, part).is_some()
}

fn find_ignoring_case(text: &str, part: &str) -> Option<usize> {
    text.as_bytes().windows(part.len()).position(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Runs of blanks become one, lines are trimmed, empty lines go.
fn tidy_lines(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace().peekable();
        if words.peek().is_none() {
            continue;
        }
        if !result.is_empty() {
            result.push('\n');
        }
        let mut first = true;
        for word in words {
            if !first {
                result.push(' ');
            }
            first = false;
            result.push_str(word);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_unwrapped() {
        let mut wrong = Vec::new();
        for (raw, flat) in [
            ("plain text", "plain text"),
            ("  two\tblanks \r\n and lines ", "two blanks and lines"),
            ("You\u{2019}ve hit", "You've hit"),
            ("{\"a\":\"{\\\"b\\\":\\\"x\\\\\\\\ny\\\"}\"}", "{\"a\":\"{\"b\":\"x y\"}\"}"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("<html><head><title>503 Busy</title><style>a{}</style></head></html>", "503 Busy"),
            ("a < b and c", "a < b and c"),
            ("caf\\u00e9", "café"),
            ("bad \\u12", "bad \\u12"),
        ] {
            let view = View::of(raw);
            if view.flat() != flat {
                wrong.push(format!("{raw:?}: {:?}, expected {flat:?}", view.flat()));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn lines_survive_and_messages_lose_their_wrappers() {
        let view = View::of("Internal error: one\n\n two");
        assert_eq!((view.lines(), view.flat()), ("Internal error: one\ntwo", "Internal error: one two"));
        assert_eq!(view.messages().next(), Some("one two"));
    }

    proptest! {
        #[test]
        fn unwrapping_never_panics_and_stays_bounded(raw in "\\PC*|[\\x00-\\x7f]*|(\\\\[nu\"\\\\]|<html|[<>]|é)*") {
            let view = View::of(&raw);
            prop_assert!(view.flat().len() <= raw.len() + 8);
            prop_assert!(!view.flat().contains('\n'));
            let _ = (view.messages().count(), steps(&raw));
        }
    }
}
