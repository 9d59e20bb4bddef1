//! The matrix of a new project: the agents and cases of an existing one, some of its gateways, no scenarios.

use std::fmt::Write as _;

use super::table::Matrix;
use crate::vocab::Gateway;

impl Matrix {
    /// The text of a `matrix.yaml` with only these gateways. It reads back as what it says.
    #[must_use]
    pub fn starter(&self, gateways: &[Gateway]) -> String {
        let mut text =
            String::from("# Which replay fixtures must exist. A required cell without a file fails `refrain check`.\n");
        text.push_str("\n# Agent identities, and the names with which the agents announce themselves.\nagents:\n");
        for agent in &self.agents {
            let names: Vec<String> = agent.names.iter().map(|name| quoted(name)).collect();
            let _ = writeln!(text, "  - id: {}\n    names: [{}]", quoted(agent.id.as_str()), names.join(", "));
        }
        text.push_str(
            "\n# Labels of envelope shapes. `classifying`: the catalogue classifies what its failures look like.\n",
        );
        text.push_str("gateways:\n");
        for row in self.gateways.iter().flatten().filter(|row| gateways.contains(&row.id)) {
            let _ = writeln!(text, "  - id: {}\n    classifying: {}", quoted(row.id.as_str()), row.classifying);
        }
        text.push_str("\n# Correlation cases, required by all gateways or by the classifying ones only.\ncases:\n");
        for case in &self.cases {
            let _ = writeln!(text, "  - id: {}\n    required: {}", case.id, case.required);
        }
        text.push_str("\n# Dialect scenarios: fixtures/dialects/<agent>/<id>.json, each required.\nscenarios: []\n");
        text
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_starter_reads_back_with_its_gateways_only() {
        let matrix = Matrix::embedded();
        let gateway = matrix.gateways.as_ref().unwrap()[1].clone();
        let read = Matrix::parse("matrix.yaml", &matrix.starter(std::slice::from_ref(&gateway.id))).unwrap();
        assert_eq!((read.agents, read.cases), (matrix.agents.clone(), matrix.cases.clone()));
        assert_eq!(read.gateways, Some(vec![gateway]));
    }
}
