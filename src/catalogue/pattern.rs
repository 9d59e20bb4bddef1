//! Patterns: linear time, bytes, ASCII case folding, compiled when first needed.
//!
//! Invariant: a pattern that a loaded catalogue holds compiles.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// Largest compiled size of one pattern, in bytes.
const SIZE_LIMIT: usize = 1 << 20;
/// What `{status:...}` stands for: a number in a place where only a status stands. Never inside ids, ports or ranges.
const STATUS_LEAD: &str = concat!(
    r#"(?:^|\berror(?: code)?:? ?\(?|\brejected \(|\bhttp(?:/[0-9.]+)? ?(?:status|error|code)?:? ?|"#,
    r#"\bstatus(?:[ _]?code)?["']? ?[:=(]? ?["']?|\bcode["']? ?[:=] ?["']?|\(code |\(|\breturned )"#
);
const STATUS_TAIL: &str = r"(?:[^0-9A-Za-z_.%-]|$|\. |: )";

/// One written pattern, compiled on first use: a process that classifies one text compiles what its text asks for.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that is searched.
    pub(crate) fn search(pattern: &str) -> Self {
        Self { source: expanded(pattern), compiled: OnceLock::new() }
    }

    /// A pattern that must cover the whole message, a final stop aside.
    pub(crate) fn whole(pattern: &str) -> Self {
        Self { source: format!(r"^(?:{})[.!]?$", expanded(pattern)), compiled: OnceLock::new() }
    }

    /// The first match in `text`, as a byte range.
    pub(crate) fn find(&self, text: &str) -> Option<(usize, usize)> {
        self.regex()?.find(text.as_bytes()).map(|found| (found.start(), found.end()))
    }

    /// Whether `text` matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.source).ok()).as_ref()
    }
}

/// Replaces `{status:...}` by its pattern.
pub(crate) fn expanded(pattern: &str) -> String {
    let mut result = String::new();
    let mut rest = pattern;
    while let Some(start) = rest.find("{status:") {
        let Some(length) = rest[start..].find('}') else { break };
        result.push_str(&rest[..start]);
        let numbers = &rest[start + 8..start + length];
        result.push_str(&format!("(?:{STATUS_LEAD}(?:{numbers}){STATUS_TAIL})"));
        rest = &rest[start + length + 1..];
    }
    result.push_str(rest);
    result
}

/// Compiles one pattern the way rules use it.
///
/// # Errors
/// What is wrong with the pattern, one line.
pub(crate) fn compile(source: &str) -> Result<Regex, String> {
    RegexBuilder::new(source)
        .case_insensitive(true)
        .unicode(false)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| error.to_string().lines().last().unwrap_or("invalid pattern").trim().to_owned())
}

/// Checks one written pattern.
///
/// # Errors
/// What is wrong with the pattern, one line.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    compile(&expanded(pattern)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_number_where_a_status_stands() {
        let pattern = Pattern::search("{status:429|529}");
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("429 Too Many Requests", true),
            ("API Error: 429 {", true),
            ("API Error (529 {", true),
            ("Request rejected (429) x", true),
            ("unexpected status 429 Too", true),
            ("last status: 429 Too", true),
            ("(status code 429)", true),
            ("{\"code\":\"429\",", true),
            ("{'code': 429}", true),
            ("HTTP/1.1 429", true),
            ("error on line 529", false),
            ("spec.rb:418-429 for", false),
            ("req_429abc", false),
            ("usage 1429 tokens", false),
            ("429ms", false),
            ("status 4290", false),
            ("429.5 tokens", false),
        ] {
            if pattern.is_match(text) != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
