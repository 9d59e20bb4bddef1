//! The text behind a disguise: JSON escapes, ANSI codes, invisible characters, full-width letters, percent-encoding.
//! A view is built only when such bytes exist, and every place in it maps back to the bytes it came from.
//!
//! Invariant: what maps back covers whole escapes and whole characters of the original.
//!
//! Must not know: shapes.

use super::search;

/// A place where a view differs from its original; between such places both hold the same bytes.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Where it begins in the view.
    at: usize,
    /// Where it begins in the original.
    raw: usize,
    /// Its length in the view; 0 for what was left out.
    length: usize,
    /// Its length in the original.
    raw_length: usize,
}

/// A text derived from another one, with the way back.
#[derive(Debug, Default)]
pub(super) struct View {
    text: String,
    changes: Vec<Change>,
    /// Places in the view where something was left out or two pieces meet: a token may begin there.
    gaps: Vec<usize>,
}

impl View {
    /// The derived text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Places at which a token may begin although a letter stands before.
    pub(super) fn gaps(&self) -> &[usize] {
        &self.gaps
    }

    /// The bytes of the original that `start..end` of this view came from.
    pub(super) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let (from, _) = self.origin(start);
        let last = end.saturating_sub(1);
        let (to, whole) = self.origin(last);
        (from, (to + if whole > 0 { whole } else { end - last }).max(from))
    }

    /// Where the byte at `at` came from, and the length of the escape there, 0 outside of escapes.
    fn origin(&self, at: usize) -> (usize, usize) {
        let index = self.changes.partition_point(|change| change.at <= at);
        match index.checked_sub(1).map(|index| self.changes[index]) {
            None => (at, 0),
            Some(change) if at < change.at + change.length => (change.raw, change.raw_length),
            Some(change) => (change.raw + change.raw_length + (at - change.at - change.length), 0),
        }
    }
}

/// Builds a view from left to right.
struct Builder<'t> {
    source: &'t str,
    source_gaps: &'t [usize],
    view: View,
    /// First byte of the source that was not looked at yet.
    done: usize,
}

impl<'t> Builder<'t> {
    fn new(source: &'t str, source_gaps: &'t [usize]) -> Self {
        Self { source, source_gaps, view: View::default(), done: 0 }
    }

    /// Copies up to `at`.
    fn copy_to(&mut self, at: usize) {
        if at > self.done {
            if !self.source_gaps.is_empty() {
                let start = self.view.text.len();
                let first = self.source_gaps.partition_point(|&gap| gap < self.done);
                for &gap in self.source_gaps[first..].iter().take_while(|&&gap| gap < at) {
                    self.view.gaps.push(start + (gap - self.done));
                }
            }
            self.view.text.push_str(&self.source[self.done..at]);
            self.done = at;
        }
    }

    /// Replaces the source from here to `end` by one character.
    fn escape(&mut self, start: usize, end: usize, meaning: char) {
        self.copy_to(start);
        if !self.source_gaps.is_empty() && self.source_gaps.binary_search(&start).is_ok() {
            self.view.gaps.push(self.view.text.len());
        }
        let at = self.view.text.len();
        self.view.changes.push(Change { at, raw: start, length: meaning.len_utf8(), raw_length: end - start });
        self.view.text.push(meaning);
        self.done = end;
    }

    /// Leaves the source from `start` to `end` out.
    fn leave_out(&mut self, start: usize, end: usize) {
        self.copy_to(start);
        let at = self.view.text.len();
        self.view.gaps.push(at);
        self.view.changes.push(Change { at, raw: start, length: 0, raw_length: end - start });
        self.done = end;
    }

    fn finish(mut self) -> View {
        self.copy_to(self.source.len());
        self.view
    }
}

/// The content of a JSON string literal, decoded; escapes of what nobody sees are left out, as [`visible`] does. `raw` is
/// what stands between the quotes; `None` when it has no escape. A lone surrogate becomes U+FFFD; an escape that JSON does
/// not know stays as it is.
pub(super) fn json(raw: &str, gaps: &[usize]) -> Option<View> {
    let bytes = raw.as_bytes();
    memchr::memchr(b'\\', bytes)?;
    let mut builder = Builder::new(raw, gaps);
    builder.view.text.reserve(raw.len());
    builder.view.changes.reserve(raw.len() / 32);
    let mut from = 0;
    while let Some(at) = search::first_of::<b'\\', b'\\'>(bytes, from) {
        from = match escape_at(bytes, at) {
            Some(('\u{1b}', length)) => {
                // Only what needs no further escape to be understood.
                let end =
                    if bytes.get(at + length) == Some(&b'[') { csi_end(bytes, at + length + 1) } else { at + length };
                builder.leave_out(at, end);
                end
            }
            Some((meaning, length)) if is_invisible(meaning) => {
                builder.leave_out(at, at + length);
                at + length
            }
            Some((meaning, length)) => {
                builder.escape(at, at + length, folded(meaning));
                at + length
            }
            None => at + 1,
        };
    }
    Some(builder.finish())
}

/// The JSON escape at `at`: what it means and how long it is.
fn escape_at(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let simple = match bytes.get(at + 1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(bytes, at),
        _ => return None,
    };
    Some((simple, 2))
}

fn unicode_escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = hex(bytes, at + 2, 4)?;
    if !(0xd800..0xe000).contains(&unit) {
        return Some((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6));
    }
    let paired = bytes.get(at + 6..at + 8) == Some(b"\\u");
    let low = if paired && unit < 0xdc00 { hex(bytes, at + 8, 4) } else { None };
    match low {
        Some(low) if (0xdc00..0xe000).contains(&low) => {
            let scalar = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            Some((char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 12))
        }
        _ => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

fn hex(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let digits = bytes.get(at..at + count)?;
    digits.iter().try_fold(0, |value, &byte| Some(value << 4 | char::from(byte).to_digit(16)?))
}

/// Whether any byte is a control character other than line breaks and tabs, or not ASCII. Written so that it vectorises.
fn has_unusual(bytes: &[u8]) -> bool {
    bytes.chunks(64).any(|chunk| {
        chunk.iter().fold(0u8, |seen, &byte| {
            let control =
                u8::from(byte < 0x20) & u8::from(byte != b'\n') & u8::from(byte != b'\t') & u8::from(byte != b'\r');
            seen | control | u8::from(byte >= 0x7f)
        }) != 0
    })
}

/// The first unusual byte at or after `from`: whole blocks are skipped at once.
fn next_unusual(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let block = &bytes[from..bytes.len().min(from + 64)];
        if block.is_empty() {
            return None;
        }
        match if has_unusual(block) { block.iter().position(|&byte| is_unusual(byte)) } else { None } {
            Some(found) => return Some(from + found),
            None => from += block.len(),
        }
    }
}

/// The text without what a terminal or a reader does not see: ANSI sequences, control and invisible characters; full-width
/// forms are folded to ASCII. `None` when nothing of the kind is there.
pub(super) fn visible(raw: &str, gaps: &[usize]) -> Option<View> {
    if !has_unusual(raw.as_bytes()) {
        return None;
    }
    let mut builder = Builder::new(raw, gaps);
    let mut at = 0;
    let bytes = raw.as_bytes();
    while let Some(found) = next_unusual(bytes, at) {
        at = found;
        if bytes[at] == 0x1b {
            let end = ansi_end(bytes, at);
            builder.leave_out(at, end);
            at = end;
            continue;
        }
        let Some(character) = raw[at..].chars().next() else { break };
        let end = at + character.len_utf8();
        match character {
            c if is_invisible(c) => builder.leave_out(at, end),
            c if folded(c) != c => builder.escape(at, end, folded(c)),
            _ => {}
        }
        at = end;
    }
    (!builder.view.changes.is_empty()).then(|| builder.finish())
}

/// The ASCII character of a full-width form.
const fn folded(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => match char::from_u32(c as u32 - 0xfee0) {
            Some(ascii) => ascii,
            None => c,
        },
        _ => c,
    }
}

const fn is_unusual(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t' && byte != b'\r') || byte == 0x7f || byte >= 0xc2
}

const fn is_invisible(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}'
        | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Where the ANSI sequence at `at` ends: CSI, a string that BEL or ST closes on its line, or two bytes.
fn ansi_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at + 1) {
        Some(b'[') => csi_end(bytes, at + 2),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let rest = &bytes[at + 2..];
            match rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b | b'\n')) {
                Some(close) if rest[close] == 0x07 => at + 3 + close,
                Some(close) if rest[close..].starts_with(b"\x1b\\") => at + 4 + close,
                _ => at + 2,
            }
        }
        Some(byte) if byte.is_ascii_graphic() => at + 2,
        _ => at + 1,
    }
}

/// Where the control sequence ends whose parameters begin at `from`. A final backslash is left alone: it may begin an
/// escape.
fn csi_end(bytes: &[u8], from: usize) -> usize {
    let end = from + bytes[from..].iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    if matches!(bytes.get(end), Some(0x40..=0x7e)) && bytes[end] != b'\\' { end + 1 } else { end }
}

/// The text with escapes that were written out in it understood: JSON escapes, up to three layers of them, and
/// percent-encoding. Looked at besides the text itself, because a backslash may also be a backslash.
pub(super) fn unescaped(raw: &str, gaps: &[usize]) -> Option<View> {
    let bytes = raw.as_bytes();
    let backslash = memchr::memchr(b'\\', bytes).is_some();
    let percent = memchr::memchr_iter(b'%', bytes).any(|at| percent_at(bytes, at).is_some());
    if !backslash && !percent {
        return None;
    }
    let mut builder = Builder::new(raw, gaps);
    let mut from = 0;
    while let Some(found) = memchr::memchr2(b'\\', b'%', &bytes[from..]) {
        let at = from + found;
        let meaning = if bytes[at] == b'%' { percent_at(bytes, at) } else { layered_escape(bytes, at) };
        from = match meaning {
            Some((meaning, length)) => {
                builder.escape(at, at + length, meaning);
                at + length
            }
            None => at + 1,
        };
    }
    (!builder.view.changes.is_empty()).then(|| builder.finish())
}

/// A JSON escape behind any number of backslashes that doubling put there.
fn layered_escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let slashes = bytes[at..].iter().take(8).take_while(|&&byte| byte == b'\\').count();
    let (meaning, length) = escape_at(bytes, at + slashes - 1).or_else(|| (slashes > 1).then_some(('\\', 1)))?;
    Some((meaning, slashes - 1 + length))
}

/// `%40`, `%2540` and so on, when it stands for a printable ASCII character.
fn percent_at(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let layers = bytes[at + 1..].chunks(2).take(3).take_while(|pair| *pair == b"25").count();
    let value = hex(bytes, at + 1 + 2 * layers, 2)?;
    let meaning = char::from_u32(value).filter(char::is_ascii_graphic)?;
    Some((meaning, 3 + 2 * layers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(view: Option<View>) -> Option<String> {
        view.map(|view| view.text)
    }

    #[test]
    fn disguises_come_off() {
        for (input, expected) in [
            ("plain\ttext\r\n ü", None),
            ("\u{1b}[31mghp_x\u{1b}[0m", Some("ghp_x")),
            ("a\u{1b}]8;;u\u{1b}\\b", Some("ab")),
            ("\u{1b}]open\nb", Some("open\nb")),
            ("a\u{200b}b\u{ad}c\0d", Some("abcd")),
            ("ｓｋ-1", Some("sk-1")),
        ] {
            assert_eq!(shown(visible(input, &[])).as_deref(), expected, "{input:?}");
        }
        for (input, expected) in [
            (r"no escape", None),
            (r"a\u0040b\/c\n", Some("a@b/c\n")),
            (r"\ud83d\ude00 \ud83d", Some("😀 \u{fffd}")),
            (r"\x", Some(r"\x")),
        ] {
            assert_eq!(shown(json(input, &[])).as_deref(), expected, "{input:?}");
        }
        for (input, expected) in [
            (r"\\\u0040", Some("@")),
            ("%2Fhome%2fx %2540", Some("/home/x @")),
            ("100%", None),
            (r#"\\\"key\\\""#, Some("\"key\"")),
        ] {
            assert_eq!(shown(unescaped(input, &[])).as_deref(), expected, "{input:?}");
        }
    }

    #[test]
    fn places_map_back_to_whole_escapes() {
        let view = json(r"a\u0040b\/c", &[]).unwrap();
        for (start, end, expected) in
            [(0, 1, (0, 1)), (1, 2, (1, 7)), (0, 5, (0, 11)), (3, 4, (8, 10)), (4, 5, (10, 11))]
        {
            assert_eq!(view.original(start, end), expected, "{start}..{end}");
        }
        let view = visible("x\u{1b}[1mtoken\u{1b}[0m y", &[]).unwrap();
        assert_eq!(view.original(1, 6), (5, 10));
        assert_eq!(view.gaps(), &[1, 6]);
    }
}
