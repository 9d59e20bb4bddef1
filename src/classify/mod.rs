//! Evidence in, one classification out.
//!
//! Invariant: same evidence and `now`, same answer, byte for byte.
//!
//! Must not know: provider branches, any time but `now`.

mod classification;
mod classifier;
mod excerpt;
mod hint;
mod logline;
mod self_test;
mod speaker;
mod telemetry;
pub mod wire;

pub use classification::{Classification, TimingHint};
pub use classifier::{Classifier, Trace, TraceHit};
