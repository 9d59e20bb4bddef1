//! Patterns: linear time, bytes, ASCII case folding, compiled when first needed.
//!
//! Invariant: a pattern that a loaded catalogue holds compiles.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::hybrid::dfa::{self, Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

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
    source: Cow<'static, str>,
    test: OnceLock<Option<Test>>,
    search: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that is searched.
    pub(crate) fn search(pattern: &str) -> Self {
        Self::of(Cow::Owned(expanded(pattern)))
    }

    /// A pattern that must cover the whole message, a final stop aside.
    pub(crate) fn whole(pattern: &str) -> Self {
        Self::of(Cow::Owned(format!(r"^(?:{})[.!]?$", expanded(pattern))))
    }

    /// A pattern of the program itself.
    pub(crate) const fn fixed(pattern: &'static str) -> Self {
        Self::of(Cow::Borrowed(pattern))
    }

    const fn of(source: Cow<'static, str>) -> Self {
        Self { source, test: OnceLock::new(), search: OnceLock::new() }
    }

    /// The first match in `text`, as a byte range.
    pub(crate) fn find(&self, text: &str) -> Option<(usize, usize)> {
        self.regex()?.find(text.as_bytes()).map(|found| (found.start(), found.end()))
    }

    /// Whether `text` matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        let test = self.test.get_or_init(|| Test::new(&self.source)).as_ref();
        // An automaton that gave up says nothing; the slower search always answers.
        test.and_then(|test| test.answer(text))
            .unwrap_or_else(|| self.regex().is_some_and(|regex| regex.is_match(text.as_bytes())))
    }

    fn regex(&self) -> Option<&Regex> {
        self.search.get_or_init(|| compile(&self.source).ok()).as_ref()
    }
}

/// Answers whether, not where. Texts that come here passed the catalogue's prefilter: a second one in each pattern would
/// only cost time, at the first use as well as at every other.
struct Test {
    automaton: DFA,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>>,
}

impl std::fmt::Debug for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Test")
    }
}

impl Test {
    fn new(source: &str) -> Option<Self> {
        let automaton = automaton(source)?;
        let caches = {
            let automaton = automaton.clone();
            Pool::new(Box::new(move || automaton.create_cache()) as Box<_>)
        };
        Some(Self { automaton, caches })
    }

    /// `None` when the automaton gave up.
    fn answer(&self, text: &str) -> Option<bool> {
        let input = Input::new(text.as_bytes()).anchored(Anchored::No).earliest(true);
        self.automaton.try_search_fwd(&mut self.caches.get(), &input).ok().map(|found| found.is_some())
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
    let source = expanded(pattern);
    // The whole of a search is built only to word what is wrong.
    if automaton(&source).is_some() { Ok(()) } else { compile(&source).map(|_| ()) }
}

/// The automaton that says whether a text matches.
fn automaton(source: &str) -> Option<DFA> {
    let spelling = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
    let nfa = thompson::Config::new().utf8(false).which_captures(WhichCaptures::None).nfa_size_limit(Some(SIZE_LIMIT));
    dfa::Builder::new().syntax(spelling).thompson(nfa).build(source).ok()
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
