//! What is refused before a JSON parser sees the bytes, and what a refusal looks like.

use std::fmt;

/// Largest document, in bytes.
pub const SIZE_LIMIT_BYTES: usize = 16 << 20;
/// Deepest nesting of arrays and objects.
pub const NESTING_LIMIT: usize = 100;

/// Why a JSON document was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonProblem {
    /// More than [`SIZE_LIMIT_BYTES`].
    TooLarge,
    /// A byte sequence that is no UTF-8.
    InvalidUtf8,
    /// A byte order mark at the start.
    ByteOrderMark,
    /// A NUL byte.
    Nul,
    /// Nested deeper than [`NESTING_LIMIT`].
    TooDeep,
    /// No JSON.
    Syntax,
    /// One object names a key twice.
    DuplicateKey,
    /// A number beyond 2^53, which can not be told from its neighbours.
    NumberOutOfRange,
}

impl JsonProblem {
    /// The stable code of a finding.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooLarge => "refrain::canon::too_large",
            Self::InvalidUtf8 => "refrain::canon::invalid_utf8",
            Self::ByteOrderMark => "refrain::canon::byte_order_mark",
            Self::Nul => "refrain::canon::nul",
            Self::TooDeep => "refrain::canon::too_deep",
            Self::Syntax => "refrain::canon::syntax",
            Self::DuplicateKey => "refrain::canon::duplicate_key",
            Self::NumberOutOfRange => "refrain::canon::number_out_of_range",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::TooLarge => "cut the document to the parts that matter; the limit is 16 MiB",
            Self::InvalidUtf8 => "save the file as UTF-8",
            Self::ByteOrderMark => "save the file as UTF-8 without a byte order mark",
            Self::Nul => "remove the NUL byte",
            Self::TooDeep => "flatten the document; the limit is 100 levels",
            Self::Syntax => "repair the JSON here; comments and trailing commas are not JSON",
            Self::DuplicateKey => "keep one of the two; which one a reader takes would be a guess",
            Self::NumberOutOfRange => "write it as a string, or stay within 9007199254740992",
        }
    }
}

/// One reason why a document was refused, and where. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// What kind.
    pub problem: JsonProblem,
    /// What is wrong, without a final stop and without content of the document.
    pub message: String,
    /// Byte offset.
    pub start: usize,
    /// Length in bytes.
    pub length: usize,
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl JsonError {
    pub(super) fn at(
        problem: JsonProblem,
        source: &[u8],
        start: usize,
        length: usize,
        message: impl Into<String>,
    ) -> Self {
        let start = start.min(source.len());
        let before = &source[..start];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        Self {
            problem,
            message: message.into(),
            start,
            length: length.min(source.len() - start),
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            // A continuation byte is no character of its own.
            column: before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count() + 1,
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}

/// The bytes as text, when they can be a document at all.
///
/// # Errors
/// When the bytes are over [`SIZE_LIMIT_BYTES`], start with a byte order mark, hold a NUL, or are no UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str, JsonError> {
    if bytes.len() > SIZE_LIMIT_BYTES {
        return Err(JsonError::at(JsonProblem::TooLarge, bytes, 0, 0, "the document is over 16 MiB"));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(JsonError::at(
            JsonProblem::ByteOrderMark,
            bytes,
            0,
            3,
            "the document starts with a byte order mark",
        ));
    }
    if let Some(start) = bytes.iter().position(|&byte| byte == 0) {
        return Err(JsonError::at(JsonProblem::Nul, bytes, start, 1, "the document holds a NUL byte"));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let length = error.error_len().unwrap_or(1);
        JsonError::at(JsonProblem::InvalidUtf8, bytes, error.valid_up_to(), length, "these bytes are no UTF-8")
    })
}

/// Refuses nesting that a recursive reader would follow too far. Brackets inside strings do not count.
pub(super) fn nesting(text: &str) -> Result<(), JsonError> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (offset, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING_LIMIT {
            let source = text.as_bytes();
            return Err(JsonError::at(JsonProblem::TooDeep, source, offset, 1, "nested over 100 levels deep"));
        }
    }
    Ok(())
}
