//! Several ways through the same text, timed in turns, so that what else the machine does hits all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// What is done to a text; gives a number that depends on every byte of it.
pub(crate) type Pass = fn(&str) -> usize;

/// The best time of each pass.
pub(crate) fn best_of(rounds: usize, passes: &[(&str, Pass)], text: &str) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; passes.len()];
    for _ in 0..rounds {
        for ((_, pass), best) in passes.iter().zip(&mut best) {
            let start = Instant::now();
            black_box(pass(black_box(text)));
            *best = start.elapsed().min(*best);
        }
    }
    best
}
