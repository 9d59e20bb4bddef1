//! Hints in response headers. Names are compared in lower case.

use jiff::Timestamp;

use super::{Said, duration, epoch};

/// The hint of the headers: `retry-after` in its spellings first, then the latest of the rate-limit resets.
pub(crate) fn find(headers: &[(String, String)], now: Timestamp) -> Option<Said> {
    let value =
        |name: &str| headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
    let millis = ["retry-after-ms", "x-ms-retry-after-ms"]
        .iter()
        .find_map(|name| value(name))
        .and_then(|text| text.parse::<f64>().ok())
        .and_then(|number| span(number, 1.0));
    millis
        .or_else(|| {
            ["retry-after", "x-retry-after", "llm_provider-retry-after"]
                .iter()
                .find_map(|name| value(name))
                .and_then(retry_after)
        })
        .or_else(|| value("anthropic-ratelimit-unified-reset").and_then(reset))
        .or_else(|| latest(headers, now))
}

/// Seconds or an HTTP date.
fn retry_after(text: &str) -> Option<Said> {
    if let Ok(seconds) = text.parse::<f64>() {
        return span(seconds, 1_000.0);
    }
    if let Some((millis, taken)) = duration::leading(text) {
        return (taken == text.len()).then_some(Said::After(millis));
    }
    jiff::fmt::rfc2822::parse(text)
        .map(|zoned| Said::At(zoned.timestamp()))
        .ok()
        .or_else(|| text.parse::<Timestamp>().ok().map(Said::At))
}

fn span(number: f64, unit: f64) -> Option<Said> {
    let millis = (number * unit).ceil();
    // NaN fails the comparison.
    if !(0.0..1e15).contains(&millis) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "bounded to 1e15 above")]
    Some(Said::After(millis as i64))
}

/// The latest reset of all exhausted windows, because the shorter ones do not help; all windows when none says.
fn latest(headers: &[(String, String)], now: Timestamp) -> Option<Said> {
    headers
        .iter()
        .filter(|(name, _)| {
            let name = name.to_ascii_lowercase();
            name.contains("ratelimit") && name.contains("reset") && !name.contains("unified")
        })
        .filter(|(name, _)| !has_rest(headers, name))
        .filter_map(|(_, value)| reset(value.trim()))
        .max_by_key(|said| match said {
            Said::After(millis) => i128::from(*millis),
            Said::At(instant) => instant.duration_since(now).as_millis(),
        })
}

/// Whether the window of a reset header says that something of it remains.
fn has_rest(headers: &[(String, String)], reset_name: &str) -> bool {
    let remaining = reset_name.to_ascii_lowercase().replace("reset", "remaining");
    headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(&remaining))
        .is_some_and(|(_, value)| value.trim().parse::<f64>().is_ok_and(|rest| rest > 0.0))
}

/// An instant, an epoch, seconds, or a span.
fn reset(text: &str) -> Option<Said> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(Said::At(instant));
    }
    if let Ok(number) = text.parse::<f64>() {
        #[expect(clippy::cast_possible_truncation, reason = "an epoch fits; `epoch` checks the range")]
        return epoch(number as i64).map(Said::At).or_else(|| span(number, 1_000.0));
    }
    let (millis, taken) = duration::leading(text)?;
    (taken == text.len()).then_some(Said::After(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_spelling() {
        let now: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
        let at = |text: &str| Some(Said::At(text.parse().unwrap()));
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<Said>);
        let rows: &[Row<'_>] = &[
            (&[("retry-after", "20")], Some(Said::After(20_000))),
            (&[("Retry-After", "1.5")], Some(Said::After(1_500))),
            (&[("retry-after-ms", "250"), ("retry-after", "1")], Some(Said::After(250))),
            (&[("retry-after", "Thu, 15 Jan 2026 12:00:30 GMT")], at("2026-01-15T12:00:30Z")),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-5")], None),
            (&[("x-ratelimit-reset-tokens", "6m0s"), ("x-ratelimit-reset-requests", "1s")], Some(Said::After(360_000))),
            (
                &[
                    ("x-ratelimit-reset-tokens", "6m0s"),
                    ("x-ratelimit-remaining-tokens", "10"),
                    ("x-ratelimit-reset-requests", "1s"),
                ],
                Some(Said::After(1_000)),
            ),
            (&[("x-ratelimit-reset", "1768478460")], at("2026-01-15T12:01:00Z")),
            (&[("x-ratelimit-reset", "1768478460000")], at("2026-01-15T12:01:00Z")),
            (&[("anthropic-ratelimit-requests-reset", "2026-01-15T12:00:10Z")], at("2026-01-15T12:00:10Z")),
            (&[("anthropic-ratelimit-unified-reset", "1768482000")], at("2026-01-15T13:00:00Z")),
            (&[("ratelimit-reset", "30")], Some(Said::After(30_000))),
        ];
        let mut wrong = Vec::new();
        for (headers, expected) in rows {
            let owned: Vec<(String, String)> =
                headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let got = find(&owned, now);
            if got != *expected {
                wrong.push(format!("{headers:?}: {got:?}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
