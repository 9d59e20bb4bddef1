//! Does a value look like a word somebody wrote, or like something a machine drew?
//!
//! Invariant: a function of the bytes alone.
//!
//! Must not know: where the value stood.

/// Whether `value` is unlikely to be prose: it holds a digit, changes letter case inside a word, or has a run of letters
/// longer than words are.
pub(in crate::redact) fn is_not_prose(value: &[u8]) -> bool {
    has_digit(value) || has_mixed_case(value) || longest_word(value) >= 16 || is_shouted(value)
}

/// Whether any digit is in it.
pub(in crate::redact) fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// Whether a digit and a letter are in it.
pub(in crate::redact) fn has_digit_and_letter(value: &[u8]) -> bool {
    has_digit(value) && value.iter().any(u8::is_ascii_alphabetic)
}

/// An upper-case letter right after a lower-case one that the camel case of an identifier does not explain: twice at
/// least, or both directions within short words.
pub(in crate::redact) fn has_mixed_case(value: &[u8]) -> bool {
    let ups = value.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    ups >= 2 && ups * 5 >= letters || ups >= 1 && ups * 4 >= letters
}

/// Letters in the longest word; a word ends where the letter case goes up.
fn longest_word(value: &[u8]) -> usize {
    let (mut longest, mut length, mut before) = (0, 0, 0u8);
    for &byte in value {
        let hump = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        length = if !byte.is_ascii_alphabetic() {
            0
        } else if hump {
            1
        } else {
            length + 1
        };
        longest = longest.max(length);
        before = byte;
    }
    longest
}

/// A chain of words holds none this long; `agentclientprotocol`, 19 letters, is the longest that agents print.
const LONGEST_WORD: usize = 20;

/// Whether `value` is a chain of words and short numbers, as model names and relative paths are.
pub(in crate::redact) fn is_slug(value: &[u8]) -> bool {
    value.split(|byte| !byte.is_ascii_alphanumeric()).all(|part| {
        let letters = part.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let digits = part.len() - letters;
        match (letters, digits) {
            (_, 0) => longest_word(part) < LONGEST_WORD && !has_mixed_case(part),
            (0, _) => digits <= 8,
            _ => part.len() <= 4,
        }
    })
}

/// Twelve upper-case letters in one word.
fn is_shouted(value: &[u8]) -> bool {
    value
        .split(|byte| !byte.is_ascii_alphabetic())
        .any(|word| word.len() >= 12 && word.iter().all(u8::is_ascii_uppercase))
}

/// Whether `value` looks drawn at random from letters of both cases and digits.
pub(in crate::redact) fn is_random(value: &[u8]) -> bool {
    let sample = &value[..value.len().min(512)];
    let mut counts = [0u32; 256];
    for &byte in sample {
        counts[byte as usize] += 1;
    }
    let of = |range: std::ops::RangeInclusive<u8>| range.map(|byte| counts[byte as usize]).sum::<u32>();
    let (lower, upper, digits) = (of(b'a'..=b'z'), of(b'A'..=b'Z'), of(b'0'..=b'9'));
    if lower == 0 || upper == 0 || digits < 2 {
        return false;
    }
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = sample.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let different = counts.iter().filter(|&&count| count > 0).count();
    changes * 100 >= sample.len() * 33 && different * 100 >= sample.len().min(64) * 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_prose_and_drawn_values_are_not() {
        for (value, expected) in [
            ("learn", false),
            ("wide-rate-limits", false),
            ("mode", false),
            ("Mode", false),
            ("camelCase", false),
            ("abcdef123456", true),
            ("abcdefghijklmnop", true),
            ("qWeRtZ", true),
            ("ABCDEFGHIJKL", true),
        ] {
            assert_eq!(is_not_prose(value.as_bytes()), expected, "{value}");
        }
    }
}
