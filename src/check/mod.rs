//! One whole run of the gate: what is read, what is judged, what is found.
//!
//! Invariant: every problem is found in one run, the order of findings is that of their places, and no check is left out
//! because another one failed, except replay when there is no catalogue to replay with.
//!
//! Must not know: arguments, disk, how a result is shown, which connection replays.

mod outcome;
mod run;
mod scenarios;
mod selection;

pub use outcome::{CatalogueSummary, CellState, MatrixSummary, Narrowed, Outcome, Presence, Row, ScenarioState};
pub use run::{Inputs, Replays, mismatch_findings, run};
pub use selection::{Selection, UnknownCell, cell_name};
