//! Any agent without a file of its own: text alone.
//!
//! Invariant: nothing is suppressed and nothing is projected.
//!
//! Must not know: any agent.

use serde_json::Value;

use super::{Dialect, Projected, Reading};
use crate::acp::convert::Update;

#[derive(Debug)]
pub(super) struct Neutral;

impl Dialect for Neutral {
    fn begin(&mut self) {}

    fn read(&mut self, _update: &Update<'_>, _active: bool) -> Reading {
        Reading::Ordinary
    }

    fn settle(&mut self, _result: &Value) -> Option<Projected> {
        None
    }
}
