//! Spans of time as people and programs write them: `1m30s`, `2 days 3 hours`, `28ms`, `4hr 19min`.

/// The span at the start of `text` in milliseconds, rounded up, and how many bytes it took. Units run from long to short;
/// a bare number is none.
pub(crate) fn leading(text: &str) -> Option<(i64, usize)> {
    let mut total = 0.0_f64;
    let mut taken = 0;
    let mut smallest = f64::INFINITY;
    loop {
        let rest = &text[taken..];
        let skipped = if taken == 0 { 0 } else { separator(rest) };
        let Some((value, unit, length)) = part(&rest[skipped..]) else { break };
        if unit >= smallest {
            break;
        }
        total += value * unit;
        smallest = unit;
        taken += skipped + length;
    }
    if taken == 0 || total > 1e15 {
        return None;
    }
    // Bounded above, never negative: the cast is exact enough for milliseconds.
    #[expect(clippy::cast_possible_truncation, reason = "bounded to 1e15 above")]
    Some((total.ceil() as i64, taken))
}

/// Blanks, commas and `and` between two parts.
fn separator(text: &str) -> usize {
    let trimmed = text.trim_start_matches([' ', ',']);
    let trimmed = trimmed.strip_prefix("and ").unwrap_or(trimmed);
    text.len() - trimmed.len()
}

fn part(text: &str) -> Option<(f64, f64, usize)> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let number = text[..digits].trim_end_matches('.');
    let value: f64 = number.parse().ok()?;
    if number.len() != digits || number.is_empty() {
        return None;
    }
    let rest = &text[digits..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '-']).len();
    if blanks > 1 {
        return None;
    }
    let word: String = rest[blanks..].bytes().take_while(u8::is_ascii_alphabetic).map(char::from).collect();
    let unit = unit(&word.to_ascii_lowercase())?;
    Some((value, unit, digits + blanks + word.len()))
}

/// A unit in milliseconds.
fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" | "millis" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000.0,
        "d" | "day" | "days" => 86_400_000.0,
        "w" | "week" | "weeks" => 604_800_000.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_every_spelling() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("11.054s.", Some(11_054)),
            ("28ms", Some(28)),
            ("35 seconds", Some(35_000)),
            ("1m30s", Some(90_000)),
            ("23h 59m", Some(86_340_000)),
            ("4hr 19min.", Some(15_540_000)),
            ("2 days 3 hours", Some(183_600_000)),
            ("2 days, 3 hours and 5 minutes", Some(183_900_000)),
            ("44.097740004s", Some(44_098)),
            ("5s..", Some(5_000)),
            ("0s", Some(0)),
            ("16 days", Some(1_382_400_000)),
            ("5-hour", Some(18_000_000)),
            ("1 s 2 s", Some(1_000)),
            ("42", None),
            ("42 apples", None),
            ("~2 weeks", None),
            ("", None),
            ("1.2.3s", None),
        ] {
            let got = leading(text).map(|(millis, _)| millis);
            if got != expected {
                wrong.push(format!("{text:?}: {got:?}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
