//! The one place that reads the system clock.

/// The time of the machine, read once by a command and handed down.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// A running stopwatch: elapsed time for display, offsets of a recording, and the deadline of a child process.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts counting.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "elapsed time of the machine room")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(self) -> std::time::Duration {
        self.0.elapsed()
    }

    /// Whole milliseconds since the start.
    #[must_use]
    pub fn milliseconds(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// What is left until `limit` after the start; zero when it passed.
    #[must_use]
    pub fn left(self, limit: std::time::Duration) -> std::time::Duration {
        limit.saturating_sub(self.0.elapsed())
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
