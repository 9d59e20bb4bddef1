//! How long to wait. The figures are facts of the interactive owner, not settings.

use jiff::{SignedDuration, Timestamp};

use crate::classify::TimingHint;
use crate::recovery::Means;
use crate::vocab::AutoRetry;

/// Most automatic attempts of one loop.
pub const MAX_ATTEMPTS: u8 = Means::INTERACTIVE_ATTEMPTS as u8;

/// Waiting time before each attempt, in milliseconds.
pub const STEPS_MS: [u64; MAX_ATTEMPTS as usize] = [5_000, 10_000, 20_000, 40_000, 60_000];

/// A share by which a wait is lengthened, so that many clients do not come back together. An argument, so that a replay
/// is exact; never shortens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Jitter(u16);

impl Jitter {
    /// No jitter.
    pub const NONE: Self = Self(0);
    /// The largest share, in thousandths.
    pub const LIMIT_PERMILLE: u16 = 250;

    /// A share in thousandths of the wait; more than [`Self::LIMIT_PERMILLE`] counts as that.
    #[must_use]
    pub const fn permille(share: u16) -> Self {
        Self(if share > Self::LIMIT_PERMILLE { Self::LIMIT_PERMILLE } else { share })
    }
}

/// When attempt `attempt` (from 1) is due; `None` past the last attempt or past the end of time.
///
/// A validated hint of more than 0 and at most 60 s replaces the ladder's step.
pub(super) fn due(attempt: u8, hint: Option<TimingHint>, jitter: Jitter, now: Timestamp) -> Option<Timestamp> {
    let step = *STEPS_MS.get(usize::from(attempt.checked_sub(1)?))?;
    let hinted = hint.map(|hint| hint.retry_after_ms).filter(|ms| (1..=AutoRetry::HINT_LIMIT_MS).contains(ms));
    let wait = hinted.unwrap_or(step);
    let wait = wait + wait * u64::from(jitter.0) / 1_000;
    now.checked_add(SignedDuration::from_millis(i64::try_from(wait).ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn hint(ms: u64) -> Option<TimingHint> {
        Some(TimingHint { retry_after_ms: ms, reset_at: NOW })
    }

    #[test]
    fn the_ladder_its_hint_rule_and_its_ends() {
        let rows: &[(u8, Option<u64>, u16, Option<i64>)] = &[
            (1, None, 0, Some(5_000)),
            (2, None, 0, Some(10_000)),
            (3, None, 0, Some(20_000)),
            (4, None, 0, Some(40_000)),
            (5, None, 0, Some(60_000)),
            (6, None, 0, None),
            (0, None, 0, None),
            (1, Some(0), 0, Some(5_000)),
            (1, Some(1), 0, Some(1)),
            (5, Some(13_000), 0, Some(13_000)),
            (1, Some(60_000), 0, Some(60_000)),
            (1, Some(60_001), 0, Some(5_000)),
            (1, None, 100, Some(5_500)),
            (1, None, 999, Some(6_250)),
            (1, Some(20_000), 250, Some(25_000)),
        ];
        let wrong: Vec<_> = rows
            .iter()
            .map(|row| (row, due(row.0, row.1.and_then(hint), Jitter::permille(row.2), NOW)))
            .filter(|(row, got)| got.map(Timestamp::as_millisecond) != row.3)
            .collect();
        assert!(wrong.is_empty(), "(attempt, hint ms, jitter, expected ms), got: {wrong:#?}");
        assert_eq!(due(1, None, Jitter::NONE, Timestamp::MAX), None, "past the end of time");
    }
}
