//! `matrix.yaml`: the closed lists of agents, gateways, cases and dialect scenarios.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::rule::CorpusRule;
use crate::canon::yaml;
use crate::vocab::{AgentId, Case, Finding, Gateway, Place, word_enum};

/// The embedded matrix.
const EMBEDDED: &str = include_str!("../../matrix.yaml");

/// The closed lists (criterion .17).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// Path of the file, for findings.
    pub file: String,
    /// Agents, in the order of the file.
    pub agents: Vec<AgentRow>,
    /// Gateways, in the order of the file; `None` when they are open: a foreign corpus without a matrix of its own.
    pub gateways: Option<Vec<GatewayRow>>,
    /// Cases, in the order of the file.
    pub cases: Vec<CaseRow>,
    /// Dialect scenarios, in the order of the file.
    pub scenarios: Vec<ScenarioRow>,
    text: String,
}

/// One agent identity.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRow {
    /// The identity that fixtures declare.
    pub id: AgentId,
    /// What the agent calls itself in `agentInfo.name`.
    pub names: Vec<String>,
}

/// One gateway.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatewayRow {
    /// Label of the envelope shape.
    pub id: Gateway,
    /// Whether the catalogue classifies its failures.
    pub classifying: bool,
}

/// One case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseRow {
    /// The case.
    pub id: Case,
    /// Who needs it.
    pub required: Required,
}

word_enum! {
    /// Which gateways need a case.
    pub enum Required("requirement") {
        /// Every gateway.
        All = "all",
        /// Classifying gateways only.
        Classifying = "classifying",
    }
}

/// One dialect scenario.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioRow {
    /// Whose dialect.
    pub agent: AgentId,
    /// Its name.
    pub id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    agents: Vec<AgentRow>,
    gateways: Vec<GatewayRow>,
    cases: Vec<CaseRow>,
    #[serde(default)]
    scenarios: Vec<ScenarioRow>,
}

impl Matrix {
    /// The matrix of this project. A test holds that it parses.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static MATRIX: LazyLock<Matrix> = LazyLock::new(|| {
            Matrix::parse("matrix.yaml", EMBEDDED).unwrap_or_else(|_| Matrix {
                file: "matrix.yaml".to_owned(),
                agents: Vec::new(),
                gateways: None,
                cases: Vec::new(),
                scenarios: Vec::new(),
                text: String::new(),
            })
        });
        &MATRIX
    }

    /// Reads a matrix.
    ///
    /// # Errors
    /// When the text is no matrix (the first problem only), or names one thing twice (all of them).
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let written: Written = yaml::parse(text).map_err(|error| {
            let place = Place { file: file.to_owned(), line: error.line, column: error.column, span: None };
            vec![finding(CorpusRule::MatrixSyntax, place, error.message)]
        })?;
        let matrix = Self {
            file: file.to_owned(),
            agents: written.agents,
            gateways: Some(written.gateways),
            cases: written.cases,
            scenarios: written.scenarios,
            text: text.to_owned(),
        };
        let findings = matrix.contradictions();
        if findings.is_empty() { Ok(matrix) } else { Err(findings) }
    }

    /// The matrix for a foreign corpus that has none: agents and cases stay closed, gateways are open, each fixture's
    /// own `classifying` is believed, and no cell is required.
    #[must_use]
    pub fn for_foreign_corpus(&self) -> Self {
        Self { gateways: None, scenarios: Vec::new(), ..self.clone() }
    }

    /// Every required cell, by gateway, then by case, in the order of the file.
    pub fn required(&self) -> impl Iterator<Item = (&GatewayRow, Case)> {
        self.gateways.iter().flatten().flat_map(|gateway| {
            let needed = |case: &&CaseRow| case.required == Required::All || gateway.classifying;
            self.cases.iter().filter(needed).map(move |case| (gateway, case.id))
        })
    }

    /// The row of a gateway.
    #[must_use]
    pub fn gateway(&self, id: &Gateway) -> Option<&GatewayRow> {
        self.gateways.iter().flatten().find(|row| row.id == *id)
    }

    /// The agent identity that announces itself with this `agentInfo.name`.
    #[must_use]
    pub fn agent_named(&self, name: &str) -> Option<&AgentId> {
        self.agents.iter().find(|row| row.names.iter().any(|known| known == name)).map(|row| &row.id)
    }

    /// Where the file names an entry of a section; the whole file when it does not.
    pub(super) fn place(&self, section: &str, id: &str) -> Place {
        self.nth_place(section, id, 0)
    }

    /// Where the file names an entry for the `skip + 1`th time.
    fn nth_place(&self, section: &str, id: &str, mut skip: usize) -> Place {
        let (mut offset, mut inside) = (0, false);
        for line in self.text.split_inclusive('\n') {
            if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
                inside = line.trim_end().starts_with(section);
            }
            if let Some(column) = inside.then(|| entry(line, id)).flatten() {
                if skip == 0 {
                    return Place::span(&self.file, &self.text, offset + column, id.len());
                }
                skip -= 1;
            }
            offset += line.len();
        }
        Place::file(&self.file)
    }

    fn contradictions(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let sections: [(&str, Vec<&str>); 3] = [
            ("agents", self.agents.iter().map(|row| row.id.as_str()).collect()),
            ("gateways", self.gateways.iter().flatten().map(|row| row.id.as_str()).collect()),
            ("cases", self.cases.iter().map(|row| row.id.as_str()).collect()),
        ];
        for (section, ids) in sections {
            let mut seen = BTreeSet::new();
            for id in ids.into_iter().filter(|id| !seen.insert(*id)) {
                let place = self.nth_place(section, id, 1);
                findings.push(finding(CorpusRule::MatrixDuplicate, place, format!("`{id}` is listed before")));
            }
        }
        if self.required().next().is_none() {
            let message = "no cell is required: the lists of gateways and cases need entries";
            findings.push(finding(CorpusRule::MatrixSyntax, Place::file(&self.file), message));
        }
        let mut names = BTreeSet::new();
        for (row, name) in self.agents.iter().flat_map(|row| row.names.iter().map(move |name| (row, name))) {
            if !names.insert(name) {
                let message = format!("`{name}` already names another agent");
                findings.push(finding(CorpusRule::MatrixDuplicate, self.place("agents", row.id.as_str()), message));
            }
        }
        let mut scenarios = BTreeSet::new();
        for row in &self.scenarios {
            let place = || self.place("scenarios", &row.id);
            if !scenarios.insert(row) {
                findings.push(finding(CorpusRule::MatrixDuplicate, place(), format!("`{}` is listed before", row.id)));
            }
            if !self.agents.iter().any(|agent| agent.id == row.agent) {
                findings.push(finding(CorpusRule::MatrixAgent, place(), format!("no agent `{}` is listed", row.agent)));
            }
        }
        findings.sort();
        findings
    }
}

/// The byte column of the id in a line that says `id: <id>`, in block or flow style.
fn entry(line: &str, id: &str) -> Option<usize> {
    let start = line.find("id:")? + "id:".len();
    let rest = &line[start..];
    let value = rest.trim_start().trim_start_matches(['"', '\'']);
    let ends = value.strip_prefix(id)?.chars().next().is_none_or(|c| !(c.is_alphanumeric() || "-_.@/".contains(c)));
    ends.then_some(start + rest.len() - value.len())
}

pub(super) fn finding(rule: CorpusRule, place: Place, message: impl Into<String>) -> Finding {
    Finding::error(rule.code(), place, message).help(rule.help())
}
