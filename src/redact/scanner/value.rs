//! What an assigned value is when it is no secret: a literal, a reference to a variable, code, a mask, a placeholder.
//!
//! Invariant: a function of the bytes alone.
//!
//! Must not know: which name the value was assigned to.

use crate::redact::placeholder;

/// Words that stand for a kind of value or for its absence.
const LITERALS: &[&str] = &[
    "true",
    "false",
    "null",
    "nil",
    "none",
    "undefined",
    "unset",
    "empty",
    "required",
    "optional",
    "string",
    "str",
    "number",
    "boolean",
    "bool",
    "integer",
    "int",
    "object",
    "array",
    "any",
    "unknown",
    "never",
    "void",
    "bytes",
    "redacted",
    "hidden",
    "masked",
    "omitted",
    "missing",
    "invalid",
    "expired",
    "disabled",
    "enabled",
    "yes",
    "no",
    "n/a",
    "...",
    "…",
    "<none>",
    "todo",
];

/// Beginnings of references to a value that lives elsewhere.
const REFERENCES: &[&str] = &[
    "process.env",
    "os.environ",
    "os.getenv",
    "import.meta.env",
    "std::env",
    "env.",
    "env!(",
    "env(",
    "getenv(",
    "secrets.",
    "vault:",
    "op://",
    "file(",
    "deno.env",
    "{{",
    "${",
    "$(",
    "%{",
    "<%",
    "#{",
    "your-",
    "your_",
    "<your",
    "my-api",
    "example-",
    "arn:aws:secrets",
];

/// Whether `value` is no secret whoever it was assigned to.
pub(in crate::redact) fn is_quiet(value: &[u8]) -> bool {
    let inner = trim(value);
    inner.is_empty()
        || placeholder::prefix_length(inner) == inner.len()
        || is_mask(inner)
        || LITERALS.iter().any(|word| inner.eq_ignore_ascii_case(word.as_bytes()))
        || is_reference(inner)
}

/// Without quotes, brackets and sentence marks around it.
fn trim(value: &[u8]) -> &[u8] {
    let is_edge = |byte: &u8| b"\"'`,;".contains(byte);
    let start = value.iter().position(|byte| !is_edge(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_edge(byte)).map_or(start, |last| last + 1);
    &value[start..end]
}

/// `***`, `xxxx`, `••••`, and such with a word in angle brackets.
fn is_mask(value: &[u8]) -> bool {
    let bullets =
        value.iter().all(|byte| b"*.#-_ ".contains(byte)) || value.chunks(3).all(|three| three == "•".as_bytes());
    let crosses = value.len() >= 3 && value.iter().all(|byte| matches!(byte, b'x' | b'X'));
    let named = value.starts_with(b"<") && value.ends_with(b">") && !value.iter().any(u8::is_ascii_digit);
    let text = String::from_utf8_lossy(value);
    let left_out = text.strip_suffix('…').or_else(|| text.strip_suffix("...")).is_some_and(|lead| lead.len() <= 8);
    bullets || crosses || named || left_out && !value.iter().any(u8::is_ascii_digit)
}

/// References to variables of shells, templates and languages.
fn is_reference(value: &[u8]) -> bool {
    let starts = |word: &&str| value.get(..word.len()).is_some_and(|lead| lead.eq_ignore_ascii_case(word.as_bytes()));
    if REFERENCES.iter().any(starts) {
        return true;
    }
    let is_name = |name: &[u8]| {
        let letters = name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let shouted = name.iter().all(|byte| !byte.is_ascii_lowercase());
        !name.is_empty() && letters && (shouted || !name.iter().any(u8::is_ascii_digit))
    };
    match value {
        [b'$', name @ ..] => is_name(name),
        [b'%', name @ .., b'%'] => is_name(name),
        _ => false,
    }
}

/// Whether an unquoted `value` is code: a call, a type, an index, or a path of names.
pub(in crate::redact) fn is_code(value: &[u8]) -> bool {
    let value = trim(value);
    let has = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    let name_end = value
        .iter()
        .position(|&byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'&' | b'?' | b'!')));
    let names = &value[..name_end.unwrap_or(value.len())];
    let plain_names =
        names.iter().all(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b'&' | b'?' | b'!'));
    let call = name_end.is_some_and(|end| end > 0 && matches!(value[end], b'(' | b'[' | b'<'))
        && (plain_names || has(b")") || has(b"]"));
    let path = name_end.is_none() && plain_names && (has(b".") || has(b"::") || has(b"&") || has(b"?"));
    call || path
        || has(b"::") && plain_names
        || value.starts_with(b"{")
        || value.starts_with(b"(")
        || value.starts_with(b"=>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_values_and_code_are_no_secrets() {
        for (value, quiet, code) in [
            ("$DB_PASSWORD", true, false),
            ("${{", true, false),
            ("<token>", true, false),
            ("[redacted_key_1]", true, false),
            ("[redacted_key_1][redacted_key_2]", true, false),
            ("[redacted_key_1]x", false, false),
            ("process.env.SECRET;", true, true),
            ("parser.next_token();", false, true),
            ("string;", true, false),
            ("sk-…", true, false),
            ("hunter2", false, false),
            ("abc)def", false, false),
            ("abc,def", false, false),
            ("p@ss'word-tail", false, false),
            ("Option<String>", false, true),
        ] {
            assert_eq!((is_quiet(value.as_bytes()), is_code(value.as_bytes())), (quiet, code), "{value}");
        }
    }
}
