//! Value scanners: where a value begins and ends once an anchor was seen.
//!
//! Invariant: each scanner is linear, looks back at most [`LOOK_BACK`] bytes and never splits a character.
//!
//! Must not know: tiers, placeholders, JSON.

pub(super) mod address;
pub(super) mod assignment;
pub(super) mod email;
pub(super) mod header;
pub(super) mod host;
pub(super) mod key_name;
pub(super) mod path;
pub(super) mod pem;
pub(super) mod prose;
pub(super) mod run;
pub(super) mod url;
pub(super) mod value;

/// How far a scanner looks back from its anchor, in bytes.
pub(super) const LOOK_BACK: usize = 320;

/// The bytes under a scan, and the places where a token may begin although a letter stands before.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    /// Valid UTF-8.
    pub(super) bytes: &'t [u8],
    /// Sorted.
    pub(super) gaps: &'t [usize],
}

/// A value that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// First byte of the value.
    pub(super) start: usize,
    /// Byte after the value.
    pub(super) end: usize,
}

impl Extent {
    /// `None` when there is nothing between.
    pub(super) fn new(start: usize, end: usize) -> Option<Self> {
        (start < end).then_some(Self { start, end })
    }
}

impl<'t> Text<'t> {
    /// Plain bytes.
    #[cfg(test)]
    pub(super) const fn plain(bytes: &'t [u8]) -> Self {
        Self { bytes, gaps: &[] }
    }

    /// The byte at `at`, 0 past the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The byte before `at`, 0 at the start.
    pub(super) fn before(&self, at: usize) -> u8 {
        if at == 0 { 0 } else { self.byte(at - 1) }
    }

    /// Whether a word may begin at `at`.
    pub(super) fn begins_word(&self, at: usize) -> bool {
        !self.before(at).is_ascii_alphanumeric() || self.has_gap(at)
    }

    /// Whether something was left out before `at`, or two pieces meet there.
    pub(super) fn has_gap(&self, at: usize) -> bool {
        self.gaps.binary_search(&at).is_ok()
    }

    /// Whether `literal` stands at `at`, without regard to letter case.
    pub(super) fn has(&self, at: usize, literal: &[u8]) -> bool {
        self.bytes.get(at..at + literal.len()).is_some_and(|found| {
            // Most places fail at the first byte.
            found.first().map(u8::to_ascii_lowercase) == literal.first().map(u8::to_ascii_lowercase)
                && found.eq_ignore_ascii_case(literal)
        })
    }

    /// The end of the run of bytes from `at` that satisfy `wanted`.
    pub(super) fn run(&self, at: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len())
    }

    /// The start of the run of bytes before `at` that satisfy `wanted`, at most [`LOOK_BACK`] bytes away.
    pub(super) fn run_back(&self, at: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let floor = at.saturating_sub(LOOK_BACK);
        let before = &self.bytes[floor..at];
        floor + before.iter().rposition(|&byte| !wanted(byte)).map_or(0, |last| last + 1)
    }

    /// The bytes between, empty when out of range.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }
}

/// Letters, digits, `_` and `-`.
pub(super) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// White space that a message may be broken at.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Moves `end` back over closing punctuation; the bracket of a placeholder stays.
pub(super) fn trim_closers(bytes: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && b".,;:!?)]}>'\"`*".contains(&bytes[end - 1]) {
        if bytes[end - 1] == b']' && super::placeholder::cut_by(bytes, end - 1).is_some() {
            return end;
        }
        end -= 1;
    }
    end
}
