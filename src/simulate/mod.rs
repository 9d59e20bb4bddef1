//! Scenarios: what happens to a session, with offsets; what the core decides, in simulated time.
//!
//! Invariant: a run depends on the scenario, the rules and the shapes alone; a second of a scenario costs nothing.
//!
//! Must not know: the machine, any time but the scenario's.

mod document;
mod expect;
mod offset;
mod play;
mod scenario;
mod speak;
mod timeline;
mod world;

#[cfg(test)]
mod tests;

pub use expect::Expectation;
pub use play::{Played, play};
pub use scenario::{Kind, Scenario};
pub use timeline::{Entry, Timeline, Voice};
