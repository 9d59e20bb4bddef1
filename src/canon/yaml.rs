//! Bounded YAML reading: the parser is slow on deep nesting and silent on duplicate map keys, so both are checked first.

use std::fmt;

use serde::de::DeserializeOwned;

/// Largest document, in bytes.
pub const SIZE_LIMIT_BYTES: usize = 1 << 20;
/// Deepest flow nesting (`[` and `{`).
pub const DEPTH_LIMIT: usize = 64;

/// Most opening brackets. The parser's time grows with their number times their depth, and closing brackets inside
/// quotes hide the depth: only their number can not be disguised.
pub const BRACKET_LIMIT: usize = 25_000;

/// Why a YAML document was refused, with line and column from 1 (0 when unknown).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for YamlError {}

/// Parses one document into a typed value. Use structs with `deny_unknown_fields`: they also refuse duplicate keys.
///
/// # Errors
/// When the document is over 1 MiB, has over 25,000 opening brackets or 64 of them open, is no YAML, or not of the type.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    bounded(text)?;
    serde_yaml::from_str(text).map_err(|error| {
        let (line, column) = error.location().map_or((0, 0), |place| (place.line(), place.column()));
        let message = error.to_string();
        let message = match message.rfind(" at line ") {
            Some(end) => message[..end].to_owned(),
            None => message,
        };
        YamlError { line, column, message }
    })
}

fn bounded(text: &str) -> Result<(), YamlError> {
    if text.len() > SIZE_LIMIT_BYTES {
        return Err(YamlError { line: 0, column: 0, message: "the document is over 1 MiB".into() });
    }
    let (mut depth, mut opened, mut line, mut column) = (0usize, 0, 1, 0);
    for byte in text.bytes() {
        column += 1;
        match byte {
            b'\n' => (line, column) = (line + 1, 0),
            b'[' | b'{' => (depth, opened) = (depth + 1, opened + 1),
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_LIMIT {
            return Err(YamlError { line, column, message: "nested over 64 brackets deep".into() });
        }
        if opened > BRACKET_LIMIT {
            return Err(YamlError { line, column, message: "over 25,000 opening brackets".into() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        a: u8,
    }

    #[test]
    fn refusals_name_line_and_column() {
        for (text, line, part) in [
            ("a: 1\na: 2\n", 1, "duplicate"),
            ("a: 1\nb: 2\n", 2, "unknown field `b`"),
            ("a: x\n", 1, "invalid type"),
            ("a: [\n", 2, ""),
        ] {
            let error = parse::<Sample>(text).unwrap_err();
            assert!(error.message.contains(part), "{text:?}: {error:?}");
            assert!(error.line >= 1 && error.line <= line.max(2), "{text:?}: {error:?}");
        }
        assert_eq!(parse::<Sample>(&"[".repeat(80_000)).unwrap_err().column, 65);
        // Closing brackets in quotes: the parser nests, a count does not.
        let hidden = parse::<Sample>(&"[\"]\",".repeat(80_000)).unwrap_err();
        assert!(hidden.message.contains("25,000"), "{hidden:?}");
        assert_eq!(parse::<Sample>("a: 1"), Ok(Sample { a: 1 }));
    }
}
