//! E-mail addresses.
//!
//! Invariant: a package version (`name@1.2.3`), a decorator and a file name with `@2x` are none.
//!
//! Must not know: other shapes.

use super::{Extent, Text};

/// Endings that are files or release channels, not domains.
const NO_DOMAINS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "cjs", "ts", "tsx", "jsx", "css", "scss", "html",
    "json", "yaml", "yml", "toml", "lock", "tgz", "gz", "next", "beta", "alpha", "canary", "latest", "rc", "nightly",
];

/// The address around the `@` at `at`.
pub(in crate::redact) fn address(text: &Text<'_>, at: usize) -> Option<Extent> {
    let start = text.run_back(at, is_local);
    let start = start + text.slice(start, at).iter().take_while(|byte| matches!(byte, b'.' | b'\'' | b'/')).count();
    let end = domain_end(text, at + 1)?;
    if start == at {
        return None;
    }
    Extent::new(start, end)
}

const fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-' | b'\'' | b'&' | b'~')
        || byte >= 0x80
}

const fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte >= 0x80
}

/// The end of the longest domain at `from`: labels, then a top-level domain of letters.
fn domain_end(text: &Text<'_>, from: usize) -> Option<usize> {
    let (mut at, mut labels, mut end) = (from, 0, None);
    loop {
        let label_end = text.run(at, is_label);
        let label = text.slice(at, label_end);
        if label.is_empty() || label.len() > 63 || label[0] == b'-' {
            break;
        }
        labels += 1;
        if labels == 2 && label[0].is_ascii_digit() && text.byte(from).is_ascii_digit() {
            // `name@4.0.0-beta.next`
            return None;
        }
        if labels > 1 && is_top_level(label) {
            end = Some(label_end);
        }
        if labels == 9 || text.byte(label_end) != b'.' {
            break;
        }
        at = label_end + 1;
    }
    end
}

fn is_top_level(label: &[u8]) -> bool {
    let letters = label.iter().all(|&byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let known_other = || NO_DOMAINS.iter().any(|other| label.eq_ignore_ascii_case(other.as_bytes()));
    (label.len() >= 2 && letters || label.starts_with(b"xn--")) && !known_other()
}
