//! Offsets from the start of a scenario, as people write them: `0`, `250 ms`, `1.5 s`, `2 m`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Longest offset: a week.
const LIMIT_MS: u64 = 7 * 24 * 3_600 * 1_000;

/// Milliseconds since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Offset(pub(super) u64);

impl Offset {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "0" {
            return Some(Self(0));
        }
        let split = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(split);
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        let number = number.trim_end();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) || number.ends_with('.') {
            return None;
        }
        let scale = 10u64.pow(u32::try_from(fraction.len()).ok()?);
        let part = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()?.checked_mul(unit_ms)? / scale };
        let ms = whole.parse::<u64>().ok()?.checked_mul(unit_ms)?.checked_add(part)?;
        (ms <= LIMIT_MS).then_some(Self(ms))
    }
}

impl<'de> Deserialize<'de> for Offset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom("an offset is a text such as '0', '250 ms', '1.5 s' or '2 m', of at most a week")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let rows = [
            ("0", Some(0)),
            ("250 ms", Some(250)),
            ("1.5 s", Some(1_500)),
            ("1.5s", Some(1_500)),
            (" 2 m ", Some(120_000)),
            ("168 h", Some(604_800_000)),
            ("169 h", None),
            ("-1 s", None),
            ("1", None),
            ("s", None),
            ("1. s", None),
            (".5 s", None),
            ("1 d", None),
            ("1 s 2", None),
            ("999999999999999999999 s", None),
            ("1.99999999999999999999 s", None),
        ];
        let wrong: Vec<_> = rows.iter().filter(|(text, ms)| Offset::parse(text).map(|o| o.0) != *ms).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
