//! Templates of samples: a secret that is written in parts trips no scanner of committed files, a template less so.
//!
//! Invariant: the same template and seed give the same text on every machine.
//!
//! Must not know: shapes.

/// The alphabets of templates, for messages.
pub(super) const ALPHABETS: &str =
    "b62, b64, b64url, hex, upper-hex, digit, base32, upper, lower, alnum; and `{{uuid}}`";

/// Replaces every `{{alphabet:length}}` of `template` by drawn characters and every `{{lit:text}}` by the text.
/// Alphabets: `b62 hex upper-hex digit b64 b64url base32 upper lower alnum` and `{{uuid}}`. Anything else stays as it is.
/// `seed` tells samples apart.
#[must_use]
pub fn expand(template: &str, seed: &str) -> String {
    let mut draw = Draw::new(seed);
    let (mut text, mut rest) = (String::with_capacity(template.len()), template);
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        match after.split_once("}}").and_then(|(inside, more)| Some((draw.fill(inside)?, more))) {
            Some((filled, more)) => {
                text.push_str(&filled);
                rest = more;
            }
            None => {
                text.push_str("{{");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// A small generator of numbers (SplitMix64): quality does not matter, sameness does.
struct Draw {
    state: u64,
}

impl Draw {
    fn new(seed: &str) -> Self {
        let state = seed
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Self { state }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.state;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn fill(&mut self, inside: &str) -> Option<String> {
        if let Some(literal) = inside.strip_prefix("lit:") {
            return Some(literal.to_owned());
        }
        if inside == "uuid" {
            let parts = [
                self.drawn(b"0123456789abcdef", 8),
                self.drawn(b"0123456789abcdef", 4),
                self.drawn(b"0123456789abcdef", 3),
            ];
            let [first, second, third] = parts;
            let last = self.drawn(b"0123456789abcdef", 12);
            return Some(format!("{first}-{second}-4{third}-8{}-{last}", self.drawn(b"0123456789abcdef", 3)));
        }
        let (alphabet, length) = inside.split_once(':')?;
        let length = length.parse().ok().filter(|length| *length <= 4096)?;
        let letters: &[u8] = match alphabet {
            "b62" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "b64" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            "b64url" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
            "hex" => b"0123456789abcdef",
            "upper-hex" => b"0123456789ABCDEF",
            "digit" => b"123456789",
            "base32" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "upper" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "lower" => b"abcdefghijklmnopqrstuvwxyz",
            "alnum" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            _ => return None,
        };
        Some(self.drawn(letters, length))
    }

    /// `length` characters. The first three of a mixed alphabet are a lower-case letter, a digit and an upper-case letter, so
    /// that no short sample comes out as a word.
    fn drawn(&mut self, alphabet: &[u8], length: usize) -> String {
        let of = |wanted: fn(&u8) -> bool| alphabet.iter().copied().filter(wanted).collect::<Vec<u8>>();
        let leads = [of(u8::is_ascii_lowercase), of(u8::is_ascii_digit), of(u8::is_ascii_uppercase)];
        (0..length)
            .map(|index| {
                let letters = leads.get(index).filter(|lead| !lead.is_empty()).map_or(alphabet, Vec::as_slice);
                let pick = self.next() % letters.len().max(1) as u64;
                char::from(letters[usize::try_from(pick).unwrap_or(0)])
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alphabet_that_a_message_names_is_one() {
        let (names, _) = ALPHABETS.split_once(';').unwrap();
        let wrong: Vec<_> =
            names.split(", ").filter(|name| expand(&format!("{{{{{name}:9}}}}"), "x").len() != 9).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn templates_expand_the_same_way_every_time() {
        let first = expand("a {{b62:12}} {{digit:4}} {{lit:x}} {{uuid}} {{no}} {{", "seed");
        assert_eq!(first, expand("a {{b62:12}} {{digit:4}} {{lit:x}} {{uuid}} {{no}} {{", "seed"));
        assert_ne!(first, expand("a {{b62:12}} {{digit:4}} {{lit:x}} {{uuid}} {{no}} {{", "other"));
        let parts: Vec<_> = first.split(' ').collect();
        assert_eq!(
            (parts[1].len(), parts[2].len(), parts[3], parts[4].len(), parts[5]),
            (12, 4, "x", 36, "{{no}}"),
            "{first}"
        );
    }
}
