//! Untrusted text inside other formats. Whatever goes in is first made harmless and bounded.

use std::fmt::Write as _;

use super::style::changes_direction;
use crate::redact::{Payload, Raw, Redactor};
use crate::text;

/// Most bytes of one text that any format shows.
const TEXT_BYTES: usize = 4_096;

/// Text of at most 4,096 bytes without shapes, control characters and characters that reorder; line feeds stay.
#[must_use]
pub fn harmless(untrusted: &str) -> String {
    let clean = Redactor::embedded().clean::<Payload>(Raw::new(text::head(untrusted, TEXT_BYTES)));
    let clean = text::without_control(clean.as_str());
    let mut harmless: String = clean.chars().filter(|c| !changes_direction(*c)).collect();
    if untrusted.len() > TEXT_BYTES {
        let _ = write!(harmless, "… ({} bytes in all)", untrusted.len());
    }
    super::style::without_commands(&harmless)
}

/// The same on one line of at most `limit` characters.
#[must_use]
pub fn line(untrusted: &str, limit: usize) -> String {
    super::style::one_line(&harmless(untrusted), limit)
}

/// For XML text and attribute values. Characters that XML can not hold are gone already.
#[must_use]
pub fn xml(untrusted: &str) -> String {
    let mut escaped = String::new();
    for c in harmless(untrusted).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\n' | '\t' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            '\u{fffe}' | '\u{ffff}' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// A path on one line. It is not redacted: a path that is not the file's own points nowhere.
#[must_use]
pub fn path(path: &str) -> String {
    super::style::one_line(path, 1_024)
}

/// The message of a workflow command.
#[must_use]
pub fn workflow_message(untrusted: &str) -> String {
    percent(&harmless(untrusted))
}

/// A property of a workflow command.
#[must_use]
pub fn workflow_property(untrusted: &str) -> String {
    percent(&path(untrusted)).replace(':', "%3A").replace(',', "%2C")
}

fn percent(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A path as a relative URI reference.
#[must_use]
pub fn uri(path: &str) -> String {
    let mut escaped = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                escaped.push(char::from(byte))
            }
            byte => {
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

/// A Markdown code span on one line; in a table, bars are escaped as well.
#[must_use]
pub fn code_span(untrusted: &str, limit: usize, in_table: bool) -> String {
    let text = line(untrusted, limit);
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if in_table { text.replace('|', "\\|") } else { text };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A fenced block whose fence is longer than any run of back-ticks inside.
#[must_use]
pub fn fenced(untrusted: &str) -> String {
    let text = harmless(untrusted);
    let fence = "`".repeat((longest_run(&text, '`') + 1).max(3));
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_holds_against_what_would_break_it() {
        let rows: [(&str, String, &str); 11] = [
            ("xml", xml("<a b=\"c\">&'\n\u{0}\u{1b}[31m]]>"), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;&#10;]]&gt;"),
            ("message", workflow_message("100%\n::error::x"), "100%25%0A::error::x"),
            ("message with a carriage return", workflow_message("a\r\nb"), "a%0Ab"),
            ("property", workflow_property("a,b:c\n%"), "a%2Cb%3Ac %25"),
            ("uri", uri("a b/ü#?.json"), "a%20b/%C3%BC%23%3F.json"),
            ("span", code_span("a", 9, false), "`a`"),
            ("span with back-ticks", code_span("`` x `", 9, false), "``` `` x ` ```"),
            ("span in a table", code_span("a|b\n|c", 9, true), "`a\\|b \\|c`"),
            ("block", fenced("a\n````\nb"), "`````text\na\n````\nb\n`````\n"),
            ("legacy command", harmless("x ##[add-mask]y"), "x # [add-mask]y"),
            ("direction", harmless("a\u{202e}b\u{200b}"), "ab"),
        ];
        let wrong: Vec<_> = rows.iter().filter(|(_, got, expected)| got != expected).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_megabyte_is_cut_and_says_so() {
        let text = harmless(&"x ".repeat(500_000));
        assert!(text.len() < TEXT_BYTES + 60 && text.ends_with("(1000000 bytes in all)"), "{}", text.len());
    }
}
