//! Colours, widths and safe text. Everything is written with colour; the stream removes it where it is not wanted.

use anstyle::{AnsiColor, Style};

use crate::text;

/// Good news.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Bad news.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Something to look at.
pub const WARN: Style = AnsiColor::Yellow.on_default();
/// Background information.
pub const DIM: Style = Style::new().dimmed();
/// What matters most in a line.
pub const STRONG: Style = Style::new().bold();

/// `text` in a style.
#[must_use]
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Untrusted text on one line: no control or direction-changing characters, white space collapsed, at most `limit`
/// characters with `…` for the rest.
#[must_use]
pub fn one_line(untrusted: &str, limit: usize) -> String {
    let bounded = text::head(untrusted, limit.saturating_mul(8).max(64));
    let clean = text::normalized(&text::without_control(bounded));
    let clean = without_commands(&clean.chars().filter(|c| !changes_direction(*c)).collect::<String>());
    if clean.chars().count() <= limit && bounded.len() == untrusted.len() {
        return clean;
    }
    let mut cut: String = clean.chars().take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Text in which nothing is a command of a build log: some services act on `##[word]` and its like anywhere in a line.
#[must_use]
pub fn without_commands(text: &str) -> String {
    text.replace("##", "# ")
}

/// Untrusted lines for people: no control or direction-changing characters and no command; line feeds and spaces stay.
#[must_use]
pub fn plain_lines(untrusted: &str) -> String {
    let visible = text::without_control(untrusted);
    guarded(without_commands(&visible.chars().filter(|c| !changes_direction(*c)).collect::<String>()))
}

/// What is written for people, with no line that a build log would obey: some services act on a line that begins with
/// `::`, whatever white space or colour stands before it.
#[must_use]
pub fn guarded(text: String) -> String {
    if !text.contains("::") {
        return text;
    }
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let visible = text::without_control(line);
        if visible.trim_start().starts_with("::") {
            safe.push_str("│ ");
        }
        safe.push_str(line);
    }
    safe
}

/// Text of which no line is wider than `width`, as far as words allow it; what goes on is indented below its beginning.
/// Colours take no room.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> String {
    let mut fitted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n');
        if textwrap::core::display_width(body) <= width {
            fitted.push_str(line);
            continue;
        }
        let indent = " ".repeat((body.len() - body.trim_start_matches(' ').len() + 4).min(width / 3));
        let options = textwrap::Options::new(width).subsequent_indent(&indent).break_words(false);
        fitted.push_str(&textwrap::wrap(body, options).join("\n"));
        fitted.push_str(&line[body.len()..]);
    }
    guarded(fitted)
}

/// Characters that reorder or hide what a person sees: bidirectional controls, zero-width characters, line separators.
#[must_use]
pub const fn changes_direction(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Text padded with spaces to `width` characters.
#[must_use]
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_becomes_one_harmless_line() {
        for (input, limit, expected) in [
            ("a\nb\u{1b}[31mc", 10, "a bc"),
            ("abcdef", 4, "abc…"),
            ("right\u{202e}left", 20, "rightleft"),
            ("", 4, ""),
            ("a\n##[error]b ##vso[x]", 40, "a # [error]b # vso[x]"),
        ] {
            assert_eq!(one_line(input, limit), expected, "{input:?}");
        }
        assert!(one_line(&"x".repeat(1_000_000), 10).chars().count() == 10);
    }

    #[test]
    fn no_line_begins_like_a_command() {
        for (input, expected) in [
            ("a ::b\n", "a ::b\n"),
            ("a\n::error::b\n  ::c\n", "a\n│ ::error::b\n│   ::c\n"),
            ("\u{1b}[31m::stop-commands::x\u{1b}[0m", "│ \u{1b}[31m::stop-commands::x\u{1b}[0m"),
        ] {
            assert_eq!(guarded(input.to_owned()), expected, "{input:?}");
        }
    }
}
