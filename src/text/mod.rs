//! Text without meaning: trimming, byte bounds on character boundaries, white-space normalisation, containment, control
//! sequences.
//!
//! Invariant: nothing here splits a character, and every bound is in bytes.
//!
//! Must not know: what a text means.

mod closest;
pub(crate) mod literals;

use std::borrow::Cow;

pub use closest::closest;

/// The longest prefix of `text` of at most `limit` bytes that does not split a character.
#[must_use]
pub fn head(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest suffix of `text` of at most `limit` bytes that does not split a character.
#[must_use]
pub fn tail(text: &str, limit: usize) -> &str {
    let mut start = text.len() - limit.min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Trims and collapses every run of white space to one space (criterion .23).
#[must_use]
pub fn normalized(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !result.is_empty() {
            result.push(' ');
        }
        result.push_str(word);
    }
    result
}

/// Whether the normalized `part` is contained in the normalized `whole`; case-sensitive, and empty never is (.23).
#[must_use]
pub fn contains_normalized(whole: &str, part: &str) -> bool {
    let part = normalized(part);
    !part.is_empty() && normalized(whole).contains(&part)
}

/// Removes ANSI control sequences (CSI, OSC and two-byte escapes) and every other control character except `\n` and
/// `\t`. Borrows when there is nothing to remove.
#[must_use]
pub fn without_control(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => result.push(c),
        }
    }
    Cow::Owned(result)
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string_sequence(chars),
        Some(c) if c.is_ascii_graphic() => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_csi(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(&c) = chars.peek() {
        if !(' '..='~').contains(&c) {
            return;
        }
        chars.next();
        if ('@'..='~').contains(&c) {
            return;
        }
    }
}

/// A sequence that ends with BEL or ST. An unterminated one ends at the line, so that it can not swallow a message.
fn skip_string_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    chars.next();
    while let Some(&c) = chars.peek() {
        if c == '\n' {
            return;
        }
        chars.next();
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                if chars.peek() == Some(&'\\') {
                    chars.next();
                }
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bounds_fall_on_character_boundaries() {
        for (limit, first, last) in [(0, "", ""), (1, "a", "b"), (2, "a", "b"), (3, "aü", "üb"), (9, "aüb", "aüb")]
        {
            assert_eq!((head("aüb", limit), tail("aüb", limit)), (first, last), "limit {limit}");
        }
    }

    #[test]
    fn containment_ignores_white_space_and_nothing_else() {
        for (whole, part, expected) in [
            ("Internal error:  API\nError", " API Error ", true),
            ("API Error", "api error", false),
            ("API Error", "  ", false),
            ("", "", false),
        ] {
            assert_eq!(contains_normalized(whole, part), expected, "{part:?} in {whole:?}");
        }
    }

    #[test]
    fn control_sequences_disappear_and_text_stays() {
        for (input, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("a\u{1b}]8;;x\u{1b}\\b", "ab"),
            ("a\u{1b}]never closed\nb", "a\nb"),
            ("bell\u{7} nul\0 tab\t", "bell nul tab\t"),
            ("plain ü", "plain ü"),
            ("\u{1b}", ""),
        ] {
            assert_eq!(without_control(input), expected, "{input:?}");
        }
    }

    proptest! {
        #[test]
        fn normalizing_and_stripping_are_idempotent(text in "\\PC*|[\\x00-\\x7f]*") {
            let once = normalized(&text);
            prop_assert_eq!(normalized(&once), once.clone());
            let clean = without_control(&text).into_owned();
            prop_assert_eq!(without_control(&clean).into_owned(), clean.clone());
            prop_assert!(head(&text, 7).len() <= 7 && tail(&text, 7).len() <= 7);
        }
    }
}
