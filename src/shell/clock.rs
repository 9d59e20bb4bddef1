//! The one place that reads the system clock.

/// The time of the machine, read once by a command and handed down.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// A running stopwatch for the elapsed time that a person is shown; no decision depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts counting.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "elapsed time for display only")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
