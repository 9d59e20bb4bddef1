//! The literals of which every match of a pattern holds at least one, computed from the pattern itself.
//!
//! The prefilter looks for them in one pass, so a literal that is missing would silence a rule. That is why nobody writes
//! them by hand.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most spellings that one part of a pattern may have to count as a finite choice.
const CHOICE_LIMIT: usize = 8;
/// Longest literal, in bytes; more would not tell more.
const LENGTH_LIMIT: usize = 24;

/// A set of literals: every match holds one of them. Lower case.
pub(crate) type Literals = Vec<String>;

/// The best literals of `pattern`, or nothing when it can match without any.
pub(crate) fn required(pattern: &str) -> Option<Literals> {
    parsed(pattern)?.best().map(spelled)
}

/// The best literals of which every match holds one besides one of `first`.
pub(crate) fn required_besides(pattern: &str, first: &Literals) -> Option<Literals> {
    let others = parsed(pattern)?.every.into_iter().map(spelled).filter(|other| other != first);
    others.fold(None, |best, other| stronger(best, Some(other)))
}

fn parsed(pattern: &str) -> Option<Part> {
    ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern).ok().map(|hir| walk(&hir))
}

fn spelled(mut literals: Literals) -> Literals {
    literals.iter_mut().for_each(|literal| *literal = literal.to_ascii_lowercase());
    literals.sort();
    literals.dedup();
    literals
}

/// The length of the shortest literal: how much the set tells.
pub(crate) fn strength(literals: &[String]) -> usize {
    literals.iter().map(String::len).min().unwrap_or(0)
}

/// What is known about a part of a pattern.
struct Part {
    /// All its spellings, when they are few.
    all: Option<Vec<String>>,
    /// Literals of which every match holds one.
    some: Option<Literals>,
    /// Sets of which every match holds one literal each, in different places.
    every: Vec<Literals>,
}

impl Part {
    fn empty() -> Self {
        Self { all: Some(vec![String::new()]), some: None, every: Vec::new() }
    }

    const fn unknown() -> Self {
        Self { all: None, some: None, every: Vec::new() }
    }

    fn best(self) -> Option<Literals> {
        stronger(self.all, self.some).filter(|literals| strength(literals) > 0)
    }
}

/// The set that tells more: the one with the longer shortest literal, then the smaller one.
fn stronger(one: Option<Literals>, other: Option<Literals>) -> Option<Literals> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let key = |set: &Literals| (strength(set).min(6), std::cmp::Reverse(set.len()), strength(set));
            Some(if key(&one) >= key(&other) { one } else { other })
        }
        (one, other) => one.or(other),
    }
}

fn walk(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::empty(),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Part { all: Some(vec![text.to_owned()]), some: None, every: Vec::new() },
            Err(_) => Part::unknown(),
        },
        HirKind::Class(class) => choices(class),
        HirKind::Capture(capture) => walk(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition.min, repetition.max, walk(&repetition.sub)),
        HirKind::Concat(parts) => joined(parts),
        HirKind::Alternation(parts) => either(parts),
    }
}

fn choices(class: &Class) -> Part {
    let Class::Bytes(bytes) = class else { return Part::unknown() };
    let mut all = Vec::new();
    for range in bytes.ranges() {
        for byte in range.start()..=range.end() {
            if !byte.is_ascii() || all.len() >= 4 {
                return Part::unknown();
            }
            all.push(char::from(byte).to_string());
        }
    }
    Part { all: Some(all), some: None, every: Vec::new() }
}

fn repeated(min: u32, max: Option<u32>, part: Part) -> Part {
    match (min, max) {
        (0, Some(1)) => Part {
            all: part.all.map(|mut all| {
                all.push(String::new());
                all
            }),
            some: None,
            every: Vec::new(),
        },
        (0, _) => Part::unknown(),
        (1, Some(1)) => part,
        _ => Part { all: None, every: part.every.clone(), some: part.best() },
    }
}

fn joined(parts: &[Hir]) -> Part {
    let mut best: Option<Literals> = None;
    let mut every = Vec::new();
    let mut run = vec![String::new()];
    let mut whole = true;
    for hir in parts {
        let part = walk(hir);
        let product = part.all.as_ref().and_then(|all| product(&run, all));
        match product {
            Some(product) => run = product,
            None => {
                let fresh = part.all.clone().filter(|all| all.len() <= CHOICE_LIMIT);
                every.extend(part.every.iter().cloned());
                // What begins a new run stands at one place with it.
                let own = part.best();
                every.extend(own.clone().filter(|_| fresh.is_none()));
                let closed = closed(run);
                every.extend(closed.clone());
                best = stronger(stronger(best.take(), closed), own);
                run = fresh.unwrap_or_else(|| vec![String::new()]);
                whole = false;
            }
        }
    }
    if whole {
        return Part { all: Some(run), some: None, every };
    }
    let last = closed(run);
    every.extend(last.clone());
    Part { all: None, some: stronger(best, last), every }
}

/// A finished run as a set, when it tells anything.
fn closed(run: Vec<String>) -> Option<Literals> {
    (strength(&run) > 0).then_some(run)
}

fn product(run: &[String], all: &[String]) -> Option<Vec<String>> {
    let longest = run.iter().map(String::len).max().unwrap_or(0);
    if run.len() * all.len() > CHOICE_LIMIT || longest > LENGTH_LIMIT {
        return None;
    }
    Some(run.iter().flat_map(|head| all.iter().map(move |tail| format!("{head}{tail}"))).collect())
}

fn either(parts: &[Hir]) -> Part {
    let (mut all, mut some): (Option<Vec<String>>, Option<Literals>) = (Some(Vec::new()), Some(Vec::new()));
    for hir in parts {
        let part = walk(hir);
        all = match (all, &part.all) {
            (Some(mut all), Some(more)) if all.len() + more.len() <= CHOICE_LIMIT => {
                all.extend(more.iter().cloned());
                Some(all)
            }
            _ => None,
        };
        some = match (some, part.best()) {
            (Some(mut some), Some(more)) => {
                some.extend(more);
                Some(some)
            }
            _ => None,
        };
    }
    Part { all, some, every: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_literal_stands_elsewhere() {
        let mut wrong = Vec::new();
        for (pattern, expected) in [
            (r"\bquota\b.*\bexceeded\b", &["quota"][..]),
            (r"\b(?:one|two)\b.*\blimits?\b", &["one", "two"]),
            (r"(?:alpha.*beta|gamma)", &[]),
            ("only one", &[]),
            (r"(?:first.*)?second", &[]),
        ] {
            let first = required(pattern).unwrap_or_default();
            let got = required_besides(pattern, &first).unwrap_or_default();
            if got != expected {
                wrong.push(format!("{pattern}: {got:?} besides {first:?}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_match_holds_a_literal() {
        let mut wrong = Vec::new();
        for (pattern, expected) in [
            (r"\brate[- ]limit\b", &["rate limit", "rate-limit"][..]),
            (r"(?:Alpha|beta) gamma", &["alpha gamma", "beta gamma"]),
            (r"a{2,}long tail", &["long tail"]),
            (r"(?:one|two).*", &["one", "two"]),
            (r"\d+ items? left", &[" item left", " items left"]),
            (r"x.{0,9}", &["x"]),
            (r"(?:optional)?", &[]),
            (r"[a-z]+", &[]),
            ("余额(?:已)?不足", &["余额不足", "余额已不足"]),
        ] {
            let got = required(pattern).unwrap_or_default();
            if got != expected {
                wrong.push(format!("{pattern}: {got:?}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
