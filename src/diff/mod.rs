//! Two catalogues over one corpus: which inputs are judged differently, worst first, and what else a reviewer must see.
//!
//! Invariant: both sides judge the very same inputs at the same `now`, and a change that lets a client act where a
//! person was needed before is always listed first.
//!
//! Must not know: processes, paths, version control, how a result is shown.

mod change;
mod expectation;
mod input;
mod outputs;
mod rules;
mod run;
mod verdict;

#[cfg(test)]
mod tests;

pub use change::{Change, Effect, Group};
pub use expectation::Edit;
pub use input::{EvidenceSource, Input, InputKind};
pub use outputs::{OutputError, Outputs};
pub use rules::{Listed, RuleChanges};
pub use run::{Diff, Side, diff, diff_outputs};
pub use verdict::Verdict;
