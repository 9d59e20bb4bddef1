//! One fixture through both layers: the ACP transport, where events and the projected failure are observed, and the
//! recovery evidence, where the disposition is (.19).
//!
//! Invariant: a replay depends on the fixture, the rules, the shapes and `now` alone: no clock, no scheduling.
//!
//! A transcript goes through the same two layers, turn by turn.
//!
//! Must not know: processes, paths, which connection plays the script.

mod accept;
mod compare;
mod direct;
mod exchange;
mod fixture_script;
mod outcome;
mod run;
mod script;
mod timeline;
mod turns;

#[cfg(test)]
pub(crate) mod samples;

pub use compare::Mismatch;
pub use direct::Direct;
pub use exchange::{Exchange, ExchangeError, Observation};
pub use outcome::{EvidenceLayer, ObservedError, Replayed, TransportLayer};
pub use run::{Setting, replay};
pub use script::{Ending, Message, Origin, Script};
pub use timeline::Step;
pub use turns::{Turn, TurnEnd, TurnLine, turns};
