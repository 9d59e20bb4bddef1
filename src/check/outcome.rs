//! What one run of the gate found, as values.

use crate::vocab::{CaptureMode, Case, Finding, Severity};

/// The result of one run of the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The catalogue that judged.
    pub catalogue: CatalogueSummary,
    /// The matrix, one row a gateway, in the order of `matrix.yaml`.
    pub grid: Vec<Row>,
    /// The dialect scenarios, each required, in the order of `matrix.yaml`.
    pub scenarios: Vec<ScenarioState>,
    /// Every finding, ordered by place and code.
    pub findings: Vec<Finding>,
    /// What the run was narrowed to; `None` when it was about everything.
    pub narrowed: Option<Narrowed>,
}

/// The part of a corpus that a narrowed run was about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Narrowed {
    /// Selected cells of the matrix: gateway, case and state.
    pub cells: Vec<(String, Case, CellState)>,
    /// Selected dialect scenarios.
    pub scenarios: Vec<ScenarioState>,
}

/// What is known of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogueSummary {
    /// `provider-errors.v1+<hash>`; empty when it did not load.
    pub version: String,
    /// Number of rules.
    pub rules: usize,
    /// Number of redaction shapes.
    pub shapes: usize,
    /// Whether it loaded and every sample behaves.
    pub sound: bool,
}

/// One gateway's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The gateway.
    pub gateway: String,
    /// One state for every case, in the order of [`Case::ALL`].
    pub cells: Vec<(Case, CellState)>,
}

/// One dialect scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioState {
    /// Its name, such as `dialects/cursor-acp/control-frame`.
    pub name: String,
    /// Its state.
    pub state: CellState,
}

/// The state of one cell or scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellState {
    /// Not required for this gateway and not there.
    NotRequired,
    /// Required and not there.
    Missing,
    /// There, and nothing is wrong with it.
    Fine(CaptureMode),
    /// There, and something is wrong with it.
    Failing(CaptureMode),
    /// There, but the run was narrowed to other cells.
    NotSelected(CaptureMode),
    /// There, but it could not be read as a fixture.
    Unreadable,
}

impl CellState {
    /// Whether something is there, and wrong.
    #[must_use]
    pub const fn is_failing(self) -> bool {
        matches!(self, Self::Failing(_) | Self::Unreadable)
    }

    /// Whether a fixture for this cell was read.
    #[must_use]
    pub const fn capture(self) -> Option<CaptureMode> {
        match self {
            Self::Fine(mode) | Self::Failing(mode) | Self::NotSelected(mode) => Some(mode),
            Self::NotRequired | Self::Missing | Self::Unreadable => None,
        }
    }
}

/// How many of something must exist and do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Presence {
    /// How many must exist.
    pub required: usize,
    /// How many of those exist.
    pub present: usize,
}

/// The matrix in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatrixSummary {
    /// Required cells.
    pub required: usize,
    /// Required cells that have a fixture.
    pub present: usize,
    /// Required cells that have none, as `gateway/case`.
    pub missing: Vec<String>,
    /// Cells recorded from a real agent.
    pub recorded: usize,
    /// Cells written from a cited contract.
    pub reconstructed: usize,
}

impl Outcome {
    /// Whether the gate is green.
    #[must_use]
    pub fn ok(&self) -> bool {
        !self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The matrix in numbers.
    #[must_use]
    pub fn matrix(&self) -> MatrixSummary {
        let mut summary = MatrixSummary::default();
        for row in &self.grid {
            for (case, state) in &row.cells {
                summary.add(&row.gateway, *case, *state);
            }
        }
        summary
    }

    /// The dialect scenarios in numbers.
    #[must_use]
    pub fn scenario_presence(&self) -> Presence {
        let present = self.scenarios.iter().filter(|scenario| scenario.state.capture().is_some()).count();
        Presence { required: self.scenarios.len(), present }
    }

    /// How many cells have something wrong with them.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.grid.iter().flat_map(|row| &row.cells).filter(|(_, state)| state.is_failing()).count()
    }
}

impl Narrowed {
    /// The selected cells in numbers.
    #[must_use]
    pub fn matrix(&self) -> MatrixSummary {
        let mut summary = MatrixSummary::default();
        for (gateway, case, state) in &self.cells {
            summary.add(gateway, *case, *state);
        }
        summary
    }

    /// How many selected cells and scenarios have something wrong with them.
    #[must_use]
    pub fn failing(&self) -> (usize, usize) {
        let cells = self.cells.iter().filter(|(_, _, state)| state.is_failing()).count();
        (cells, self.scenarios.iter().filter(|row| row.state.is_failing()).count())
    }
}

impl MatrixSummary {
    fn add(&mut self, gateway: &str, case: Case, state: CellState) {
        match state {
            CellState::NotRequired => return,
            CellState::Missing => self.missing.push(format!("{gateway}/{case}")),
            _ => self.present += 1,
        }
        self.required += 1;
        match state.capture() {
            Some(CaptureMode::Recorded) => self.recorded += 1,
            Some(CaptureMode::Reconstructed) => self.reconstructed += 1,
            None => {}
        }
    }
}
