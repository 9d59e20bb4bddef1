//! Timing hints: when a failure says itself that it will pass.
//!
//! Accepted only when there is one reading: a wall clock without a zone, a clock in a DST gap or overlap, an approximate
//! span and a time that has passed are no hints. What the agent plans itself ("Retrying in 4 seconds") is none either.
//!
//! Invariant: a hint is never before `now`, and both of its forms say the same.

mod clock;
mod duration;
mod header;
mod prose;

use jiff::{SignedDuration, Timestamp};

use super::classification::TimingHint;

/// A hint further away than this is taken for a mistake: 400 days.
const LONGEST_MS: i64 = 400 * 24 * 3_600_000;

/// What a text or header said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// A span from now, in milliseconds.
    After(i64),
    /// An instant.
    At(Timestamp),
}

/// The first valid hint: headers before text, fields before prose.
pub(crate) fn find(headers: &[(String, String)], flat: &str, now: Timestamp) -> Option<TimingHint> {
    header::find(headers, now)
        .and_then(|said| validated(said, now))
        .or_else(|| prose::find(flat, now).and_then(|said| validated(said, now)))
}

fn validated(said: Said, now: Timestamp) -> Option<TimingHint> {
    let millis = match said {
        Said::After(millis) => millis,
        Said::At(instant) => {
            let millis = instant.duration_since(now).as_millis();
            if millis <= 0 {
                return None;
            }
            i64::try_from(millis).ok()?
        }
    };
    if !(0..=LONGEST_MS).contains(&millis) {
        return None;
    }
    let reset_at = match said {
        Said::At(instant) => instant,
        Said::After(_) => now.checked_add(SignedDuration::from_millis(millis)).ok()?,
    };
    Some(TimingHint { retry_after_ms: u64::try_from(millis).ok()?, reset_at })
}

/// An epoch in seconds or milliseconds, told apart by its size; `None` outside of 2001 to 2100.
pub(crate) fn epoch(number: i64) -> Option<Timestamp> {
    match number {
        1_000_000_000..4_102_444_800 => Timestamp::from_second(number).ok(),
        1_000_000_000_000..4_102_444_800_000 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_in_the_future_and_bounded() {
        let now: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
        let at = |text: &str| Said::At(text.parse().unwrap());
        for (said, expected) in [
            (Said::After(0), Some(0)),
            (Said::After(5_000), Some(5_000)),
            (Said::After(-1), None),
            (Said::After(LONGEST_MS + 1), None),
            (at("2026-01-15T12:00:00Z"), None),
            (at("2026-01-15T11:00:00Z"), None),
            (at("2026-01-15T12:00:20Z"), Some(20_000)),
        ] {
            assert_eq!(validated(said, now).map(|hint| hint.retry_after_ms), expected, "{said:?}");
        }
    }
}
