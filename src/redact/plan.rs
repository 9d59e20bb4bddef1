//! What one tier and profile look for, compiled: the filter, the anchors, the long-run rule.
//!
//! Invariant: spans come out sorted, without overlap; the earliest wins, then the longest.
//!
//! Must not know: JSON, placeholders.

use super::filter::Filter;
use super::scanner::{
    Extent, Text, address, assignment, email, header, host, is_token, path, pem, prose, run, url, value,
};
use super::shape::{Boundary, Profile, Scanner, Shape, ShapeClass, Validator};
use super::shapes::{Compiled, Shapes};
use crate::redact::placeholder;
use crate::vocab::Tier;

/// Most bytes that a pattern sees after its anchor. Values may be longer: they are consumed afterwards.
const DECISION_BYTES: usize = 1024;

/// A value found by shape number `shape`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shape: u16,
}

struct Anchor {
    literal: String,
    shapes: Vec<u16>,
}

/// Everything that one tier and profile look for.
pub(super) struct Plan {
    filter: Filter,
    anchors: Vec<Anchor>,
    /// Shapes of long runs, each with its least length.
    runs: Vec<(u16, usize)>,
}

impl Plan {
    /// The plan for `tier` and `profile`.
    pub(super) fn new(shapes: &Shapes, tier: Tier, profile: Profile) -> Self {
        let (mut anchors, mut runs) = (Vec::<Anchor>::new(), Vec::new());
        for (number, compiled) in (0u16..).zip(shapes.compiled()) {
            let shape = &compiled.shape;
            let strict_only = shape.class == ShapeClass::Strict && profile != Profile::Strict;
            if strict_only || !shape.tiers.contains(&tier) {
                continue;
            }
            if shape.scanner == Scanner::Run {
                runs.push((number, least_length(shape)));
            }
            for literal in &shape.anchors {
                match anchors.iter_mut().find(|anchor| anchor.literal == *literal) {
                    Some(anchor) => anchor.shapes.push(number),
                    None => anchors.push(Anchor { literal: literal.clone(), shapes: vec![number] }),
                }
            }
        }
        let filter = Filter::new(anchors.iter().map(|anchor| anchor.literal.as_str()));
        Self { filter, anchors, runs }
    }

    /// Appends what is found in `text`.
    pub(super) fn find(&self, shapes: &[Compiled], text: Text<'_>, spans: &mut Vec<Span>) {
        let first = spans.len();
        let (mut from, mut done, mut places) = (0, 0, self.filter.places(text.bytes));
        while let Some((at, entries)) = places.next(from) {
            from = at + 1;
            let mut best: Option<Span> = None;
            for entry in entries {
                let anchor = &self.anchors[entry.anchor as usize];
                let Some(place) = at.checked_add_signed(-isize::from(entry.offset)) else { continue };
                if place < done || !text.has(place, anchor.literal.as_bytes()) {
                    continue;
                }
                for &number in &anchor.shapes {
                    let Some(found) = extent(&shapes[number as usize], &text, place, anchor.literal.len()) else {
                        continue;
                    };
                    let span = Span { start: found.start.max(done), end: found.end, shape: number };
                    let longer = best.is_none_or(|best| span.end - span.start > best.end - best.start);
                    if span.end > span.start && longer {
                        best = Some(span);
                    }
                }
            }
            if let Some(span) = best {
                spans.push(span);
                done = span.end;
                from = from.max(done.saturating_sub(1));
            }
        }
        if !self.runs.is_empty() {
            self.find_runs(shapes, &text, first, spans);
        }
    }

    /// Long runs in the gaps between what was found: a rejected run can not hide what is inside it.
    fn find_runs(&self, shapes: &[Compiled], text: &Text<'_>, first: usize, spans: &mut Vec<Span>) {
        let known = spans.len();
        let mut from = 0;
        for index in first..=known {
            let (to, next) = spans[..known].get(index).map_or((text.bytes.len(), 0), |span| (span.start, span.end));
            for &(number, least) in &self.runs {
                let mut at = from;
                while let Some(found) = run::next(text, at, to, least) {
                    at = found.end;
                    if is_valid(&shapes[number as usize].shape, text.slice(found.start, found.end)) {
                        spans.push(Span { start: found.start, end: found.end, shape: number });
                    }
                }
            }
            from = next;
        }
        if spans.len() > known {
            spans[first..].sort_unstable_by_key(|span| span.start);
        }
    }
}

/// The least length in the pattern of a run, `{32,}`.
fn least_length(shape: &Shape) -> usize {
    let digits = shape.pattern.rsplit('{').next().and_then(|tail| tail.strip_suffix(",}"));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(32).max(2)
}

/// The value of `compiled` at the anchor, `length` bytes long, at `at`.
fn extent(compiled: &Compiled, text: &Text<'_>, at: usize, length: usize) -> Option<Extent> {
    let shape = &compiled.shape;
    let open = match shape.boundary {
        Boundary::Word => text.begins_word(at),
        Boundary::Slash => matches!(text.before(at), b'/' | b'\\'),
        Boundary::Any => true,
    };
    if !open {
        return None;
    }
    let end = at + length;
    let found = match shape.scanner {
        Scanner::Token | Scanner::Exact => matched(compiled, text, at)?,
        Scanner::Pem => pem::block(text, at, matched(compiled, text, at)?.end)?,
        Scanner::Bearer => header::bearer(text, end)?,
        Scanner::Authorization => header::authorization(text, end)?,
        Scanner::Basic => header::basic(text, end)?,
        Scanner::Cookie => header::cookie(text, end)?,
        Scanner::Assignment => assignment::assigned(text, at, end)?,
        Scanner::Url => url::whole(text, at)?,
        Scanner::UrlRest => url::rest(text, at)?,
        Scanner::UserInfo => url::user_info(text, at)?,
        Scanner::PrivateUrl => host::private_url(text, at)?,
        Scanner::PrivateHost => host::private(text, at)?,
        Scanner::HostPort => host::with_port(text, at)?,
        Scanner::HomePath => path::home(text, at, end)?,
        Scanner::WindowsPath => path::windows(text, at + usize::from(text.byte(at) == b':'), end)?,
        Scanner::AnyPath if length == 1 => path::any(text, at)?,
        Scanner::AnyPath => path::drive(text, at)?,
        Scanner::Email => email::address(text, at)?,
        Scanner::Uuid => address::uuid(text, at)?,
        Scanner::Ipv4 => address::ipv4(text, at)?,
        Scanner::Ipv6 => address::ipv6(text, at)?,
        Scanner::Run => return None,
    };
    let value = text.slice(found.start, found.end);
    (is_valid(shape, value) && placeholder::prefix_length(value) < value.len()).then_some(found)
}

/// The match of the pattern at `at`, or of its group `value`; a token goes on as long as token characters do.
fn matched(compiled: &Compiled, text: &Text<'_>, at: usize) -> Option<Extent> {
    let pattern = compiled.pattern()?;
    let window = text.slice(at, text.bytes.len().min(at + DECISION_BYTES));
    let named = pattern.captures_len() > 1;
    let range = if named { pattern.captures(window)?.name("value")?.range() } else { pattern.find(window)?.range() };
    let (start, mut end) = (at + range.start, at + range.end);
    if compiled.shape.scanner == Scanner::Token {
        end = header::wrapped_end(text, start, text.run(end, is_token));
    }
    let value = text.slice(start, end);
    if named && value::is_quiet(value) {
        return None;
    }
    Extent::new(start, end)
}

fn is_valid(shape: &Shape, value: &[u8]) -> bool {
    shape.validate.iter().all(|validator| match validator {
        Validator::NotProse => prose::is_not_prose(after_prefix(value)),
        Validator::Digit => prose::has_digit(value),
        Validator::DigitAndLetter => prose::has_digit_and_letter(value),
        Validator::NotSlug => !prose::is_slug(value),
        Validator::Entropy => prose::is_random(value),
    })
}

/// What follows a prefix such as `sk-` or `ses_`.
fn after_prefix(value: &[u8]) -> &[u8] {
    let prefix = value.iter().take(6).position(|byte| matches!(byte, b'-' | b'_')).map_or(0, |at| at + 1);
    &value[prefix..]
}
