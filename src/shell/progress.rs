//! How far a long piece of work has come, on a terminal only: nothing in the first second, one line that is redrawn, and
//! nothing left of it at the end.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::clock::Stopwatch;

/// Work that takes no longer shows no progress, in milliseconds.
const SILENT_MS: u64 = 1_000;
/// Shortest time between two drawings, in milliseconds.
const PAUSE_MS: u64 = 100;
/// Characters of the bar.
const BAR: usize = 24;

/// Counts finished items from any thread and draws now and then.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    noun: &'static str,
    watch: Stopwatch,
    done: AtomicUsize,
    /// When it was drawn last, in milliseconds; 0 for never.
    drawn: AtomicU64,
    shown: bool,
}

impl Progress {
    /// Progress over `total` items, drawn when `wanted` and the messages go to a terminal.
    #[must_use]
    pub fn new(total: usize, noun: &'static str, wanted: bool) -> Self {
        Self {
            total,
            noun,
            watch: Stopwatch::start(),
            done: AtomicUsize::new(0),
            drawn: AtomicU64::new(0),
            shown: wanted && io::stderr().is_terminal(),
        }
    }

    /// One more item is finished.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.shown {
            return;
        }
        let now = (self.watch.seconds() * 1_000.0) as u64;
        let last = self.drawn.load(Ordering::Relaxed);
        if is_due(now, last) && self.drawn.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            // A terminal that went away needs no progress.
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K{}", line(done, self.total, self.noun));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.load(Ordering::Relaxed) > 0 {
            let _ = write!(io::stderr().lock(), "\r\u{1b}[2K");
        }
    }
}

const fn is_due(now: u64, last: u64) -> bool {
    now >= SILENT_MS && now >= last + PAUSE_MS
}

/// The line, short enough for a narrow terminal. The numbers say everything; the bar only repeats them.
fn line(done: usize, total: usize, noun: &str) -> String {
    let full = (done * BAR).checked_div(total).unwrap_or(BAR).min(BAR);
    format!("  {}{} {done} of {total} {noun}", "█".repeat(full), "░".repeat(BAR - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_due_in_the_first_second_and_then_ten_times_a_second() {
        for (now, last, expected) in
            [(0, 0, false), (999, 0, false), (1_000, 0, true), (1_050, 1_000, false), (1_100, 1_000, true)]
        {
            assert_eq!(is_due(now, last), expected, "{now} after {last}");
        }
    }

    #[test]
    fn the_line_fits_a_narrow_terminal_and_never_overflows() {
        for (done, total) in [(0, 1), (1, 1), (5, 3), (0, 0), (123_456, 1_000_000)] {
            let line = line(done, total, "fixtures");
            assert!(line.chars().count() <= 60, "{line}");
            assert!(line.contains(&format!("{done} of {total}")), "{line}");
        }
    }

    #[test]
    fn work_that_no_terminal_sees_draws_nothing() {
        let progress = Progress::new(2, "items", true);
        progress.step();
        progress.step();
        assert_eq!(progress.drawn.load(Ordering::Relaxed), 0);
    }
}
