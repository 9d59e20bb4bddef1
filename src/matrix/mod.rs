//! Which cells must exist, and whether a corpus of fixtures fills them with what they claim to be.
//!
//! Invariant: a required cell that no file fills is a finding; nothing can skip one. The findings of a corpus do not
//! depend on the order of its files.
//!
//! Must not know: processes, disk, how a fixture is replayed.

mod corpus;
mod grid;
mod path;
mod rule;
mod shape;
mod starter;
mod table;
#[cfg(test)]
mod tests;

pub use corpus::judge;
pub use grid::{Grid, GridCell, GridRow};
pub use path::names_scenario;
pub use rule::CorpusRule;
pub use shape::{ChunkFacts, Facts, classifying_holds, shape};
pub use table::{AgentRow, CaseRow, GatewayRow, Matrix, Required, ScenarioRow};
