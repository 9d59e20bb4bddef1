//! What a scenario says about its own timeline.

use serde::Deserialize;

use super::timeline::Timeline;
use crate::text;

/// Lines that must come, in this order, and lines that must not. A line matches when it contains the text, white space
/// apart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Parts of lines that come in this order, others between them.
    #[serde(default)]
    pub sequence: Vec<String>,
    /// Parts of lines that never come.
    #[serde(default)]
    pub never: Vec<String>,
}

impl Expectation {
    /// Everything that is not as expected, a sentence each.
    #[must_use]
    pub fn unmet(&self, timeline: &Timeline) -> Vec<String> {
        let lines: Vec<_> = timeline.entries().iter().map(ToString::to_string).collect();
        let mut from = 0;
        let mut unmet = Vec::new();
        for part in &self.sequence {
            match lines[from..].iter().position(|line| text::contains_normalized(line, part)) {
                Some(index) => from += index + 1,
                None => unmet.push(format!("`{part}` does not come{}", after(&lines, from))),
            }
        }
        for part in &self.never {
            if let Some(line) = lines.iter().find(|line| text::contains_normalized(line, part)) {
                unmet.push(format!("`{part}` comes: {}", text::normalized(line)));
            }
        }
        unmet
    }
}

fn after(lines: &[String], from: usize) -> String {
    let last = from.checked_sub(1).and_then(|last| lines.get(last));
    last.map_or_else(String::new, |line| format!(" after `{}`", text::normalized(line)))
}
