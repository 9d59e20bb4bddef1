//! The names of the places that a fixture can fill.

use std::fmt;

use super::identity::{AgentId, Gateway};
use super::words::Case;

/// A place that a fixture can fill, as a person types it: `litellm/matched`, `dialects/cursor-acp/control-frame`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellName {
    /// A cell of the gateway x case matrix.
    Matrix {
        /// The gateway.
        gateway: Gateway,
        /// The case.
        case: Case,
    },
    /// A scenario of one agent's dialect.
    Scenario {
        /// The agent.
        agent: AgentId,
        /// Name of the scenario.
        scenario: String,
    },
}

impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix { gateway, case } => write!(f, "{gateway}/{case}"),
            Self::Scenario { agent, scenario } => write!(f, "dialects/{agent}/{scenario}"),
        }
    }
}
