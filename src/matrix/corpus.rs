//! Judging a corpus: each file against the lists, the files against each other, the lists against the files.

use std::collections::{BTreeMap, BTreeSet};

use super::path::{named_cell, names_cell, names_scenario};
use super::rule::CorpusRule;
use super::table::{Matrix, finding};
use crate::fixture::{Cell, FixtureFile};
use crate::text::closest;
use crate::vocab::{Case, CellName, Finding, Gateway};

/// Judges a corpus by its matrix. `unread` are the paths of fixture files that could not be read: they have their own
/// findings, so the cell that such a path names is not reported as missing as well.
///
/// Findings are sorted by place; every break gives one.
#[must_use]
pub fn judge(matrix: &Matrix, files: &[FixtureFile], unread: &[String]) -> Vec<Finding> {
    let mut sorted: Vec<&FixtureFile> = files.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut corpus = Corpus { matrix, findings: Vec::new(), cells: BTreeMap::new(), scenarios: BTreeMap::new() };
    let placed = corpus.place_all(&sorted);
    for (file, placed) in sorted.iter().zip(&placed) {
        corpus.lists(file, *placed);
    }
    corpus.sessions(&sorted, &placed);
    corpus.frames(&sorted, &placed);
    corpus.missing(unread);
    corpus.findings.sort();
    corpus.findings
}

/// How a file's path stands to what it declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placed {
    /// The path says the same.
    Agrees,
    /// The path says something else.
    Disagrees,
    /// Another file already fills the cell.
    Duplicate,
}

struct Corpus<'c> {
    matrix: &'c Matrix,
    findings: Vec<Finding>,
    /// Which file fills a cell.
    cells: BTreeMap<(Gateway, Case), &'c str>,
    /// Which file fills a scenario, by agent and name.
    scenarios: BTreeMap<(&'c str, &'c str), &'c str>,
}

impl<'c> Corpus<'c> {
    fn report(&mut self, rule: CorpusRule, file: &FixtureFile, pointer: &str, message: impl Into<String>) {
        self.findings.push(finding(rule, file.place(pointer), message));
    }

    /// Two files that exclude each other; the finding is in the later one.
    fn clash(&mut self, rule: CorpusRule, file: &FixtureFile, pointer: &str, other: &str, message: &str) {
        self.findings.push(finding(rule, file.place(pointer), format!("{message} {other}")).rival(other));
    }

    /// Files whose path agrees come first, so that the copy is reported and not the original.
    fn place_all(&mut self, files: &[&'c FixtureFile]) -> Vec<Placed> {
        let mut placed = vec![Placed::Disagrees; files.len()];
        for agreeing in [true, false] {
            for (file, placed) in files.iter().zip(&mut placed).filter(|(file, _)| agrees(file) == agreeing) {
                *placed = match &file.fixture.cell {
                    Cell::Matrix { gateway, case, .. } => self.place_cell(file, gateway, *case, agreeing),
                    Cell::Dialect { scenario } => self.place_scenario(file, scenario, agreeing),
                };
            }
        }
        placed
    }

    fn place_cell(&mut self, file: &'c FixtureFile, gateway: &Gateway, case: Case, agrees: bool) -> Placed {
        let declared = (gateway.clone(), case);
        let named = named_cell(&file.path, self.matrix).filter(|named| *named != declared);
        if !agrees && let Some(named) = named {
            if self.unlisted(gateway) {
                self.cells.entry(named).or_insert(&file.path);
                return Placed::Disagrees;
            }
            let message = format!("the path says {}/{}, the document says {gateway}/{case}", named.0, named.1);
            self.report(CorpusRule::PathDisagrees, file, "/case", message);
            self.cells.entry(named).or_insert(&file.path);
            return Placed::Disagrees;
        }
        if let Some(&other) = self.cells.get(&declared) {
            let message = format!("{gateway}/{case} is already declared by");
            self.clash(CorpusRule::DuplicateCell, file, "/case", other, &message);
            return Placed::Duplicate;
        }
        self.cells.insert(declared, &file.path);
        if agrees {
            return Placed::Agrees;
        }
        let message = format!("the path names no cell, the document says {gateway}/{case}");
        self.report(CorpusRule::PathDisagrees, file, "/case", message);
        Placed::Disagrees
    }

    fn unlisted(&self, gateway: &Gateway) -> bool {
        self.matrix.gateways.is_some() && self.matrix.gateway(gateway).is_none()
    }

    fn place_scenario(&mut self, file: &'c FixtureFile, scenario: &'c str, agrees: bool) -> Placed {
        let agent = file.fixture.agent.as_str();
        if let Some(&other) = self.scenarios.get(&(agent, scenario)) {
            let message = format!("{agent}/{scenario} is already declared by");
            self.clash(CorpusRule::DuplicateCell, file, "/scenario", other, &message);
            return Placed::Duplicate;
        }
        self.scenarios.insert((agent, scenario), &file.path);
        if agrees {
            return Placed::Agrees;
        }
        let message = format!("the path does not say {agent}/{scenario}, the document does");
        self.report(CorpusRule::PathDisagrees, file, "/scenario", message);
        Placed::Disagrees
    }

    /// One file against the closed lists. What a wrong label brings with it is not reported again.
    fn lists(&mut self, file: &FixtureFile, placed: Placed) {
        let fixture = &file.fixture;
        if !self.matrix.agents.iter().any(|row| row.id == fixture.agent) {
            let known: Vec<&str> = self.matrix.agents.iter().map(|row| row.id.as_str()).collect();
            let message = unknown("agent", fixture.agent.as_str(), &known);
            self.report(CorpusRule::UnknownAgent, file, "/agentId", message);
        }
        match &fixture.cell {
            Cell::Matrix { gateway, case, classifying } => {
                if !self.matrix.cases.iter().any(|row| row.id == *case) {
                    self.report(CorpusRule::UnknownCase, file, "/case", format!("the matrix has no case `{case}`"));
                }
                self.gateway(file, gateway, (placed != Placed::Disagrees).then_some(*classifying));
            }
            Cell::Dialect { scenario } => {
                let listed = |row: &super::ScenarioRow| row.agent == fixture.agent && row.id == *scenario;
                // Scenarios are open where gateways are: in a foreign corpus.
                if self.matrix.gateways.is_some() && !self.matrix.scenarios.iter().any(listed) {
                    let message = format!("the matrix lists no such scenario of {}", fixture.agent);
                    self.report(CorpusRule::UnknownScenario, file, "/scenario", message);
                }
            }
        }
    }

    fn gateway(&mut self, file: &FixtureFile, gateway: &Gateway, classifying: Option<bool>) {
        let Some(rows) = &self.matrix.gateways else { return };
        match rows.iter().find(|row| row.id == *gateway) {
            None => {
                let known: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
                let message = unknown("gateway", gateway.as_str(), &known);
                self.report(CorpusRule::UnknownGateway, file, "/gateway", message);
            }
            Some(row) if classifying.is_some_and(|declared| row.classifying != declared) => {
                let message = format!("{} says that {gateway} is classifying: {}", self.matrix.file, row.classifying);
                self.report(CorpusRule::ClassifyingDisagrees, file, "/classifying", message);
            }
            Some(_) => {}
        }
    }

    /// Session ids are unique. A second file of one cell is already reported as that.
    fn sessions(&mut self, files: &[&FixtureFile], placed: &[Placed]) {
        let mut seen = BTreeMap::new();
        for (file, _) in files.iter().zip(placed).filter(|(_, placed)| **placed != Placed::Duplicate) {
            if let Some(other) = seen.insert(file.fixture.identity.session.as_str(), *file) {
                let message = "this session id is also that of";
                self.clash(CorpusRule::DuplicateSession, file, "/identity/sessionId", &other.path, message);
            }
        }
    }

    /// No two fixtures of one case replay the same.
    fn frames(&mut self, files: &[&FixtureFile], placed: &[Placed]) {
        let mut seen = BTreeMap::new();
        for (file, placed) in files.iter().zip(placed) {
            let Some(case) = file.fixture.cell.case() else { continue };
            let misplaced = *placed == Placed::Disagrees && named_cell(&file.path, self.matrix).is_some();
            if *placed == Placed::Duplicate || misplaced {
                continue;
            }
            if let Some(other) = seen.insert((case, file.fixture.canonical_frames()), *file) {
                self.clash(CorpusRule::EqualFrames, file, "/frames", &other.path, "these frames are equal to those of");
            }
        }
    }

    fn missing(&mut self, unread: &[String]) {
        let broken: BTreeSet<_> = unread.iter().filter_map(|path| named_cell(path, self.matrix)).collect();
        for (gateway, case) in self.matrix.required() {
            let cell = (gateway.id.clone(), case);
            if !self.cells.contains_key(&cell) && !broken.contains(&cell) {
                let place = self.matrix.place("gateways", gateway.id.as_str());
                let name = CellName::Matrix { gateway: gateway.id.clone(), case };
                let message = format!("{name} is required and has no file");
                let help = format!(
                    "`refrain capture --preset PRESET --fault FAULT --gateway {} --case {case}` records it; `refrain \
                     doctor` lists the presets, `refrain lab` the faults",
                    gateway.id
                );
                self.findings.push(finding(CorpusRule::MissingCell, place, message).help(help).absent(name));
            }
        }
        for row in &self.matrix.scenarios {
            let agent = row.agent.as_str();
            let broken = unread.iter().any(|path| names_scenario(path, agent, &row.id));
            if !broken && !self.scenarios.contains_key(&(agent, row.id.as_str())) {
                let place = self.matrix.place("scenarios", &row.id);
                let name = CellName::Scenario { agent: row.agent.clone(), scenario: row.id.clone() };
                let message = format!("{name} is listed and has no file");
                self.findings.push(finding(CorpusRule::MissingScenario, place, message).absent(name));
            }
        }
    }
}

fn agrees(file: &FixtureFile) -> bool {
    match &file.fixture.cell {
        Cell::Matrix { gateway, case, .. } => names_cell(&file.path, gateway, *case),
        Cell::Dialect { scenario } => names_scenario(&file.path, file.fixture.agent.as_str(), scenario),
    }
}

/// The word itself is not repeated: it could be anything.
fn unknown(kind: &str, word: &str, known: &[&str]) -> String {
    match closest(word, known.iter().copied(), 2) {
        Some(near) => format!("unknown {kind}, did you mean `{near}`? Known are {}", known.join(", ")),
        None => format!("unknown {kind}, known are {}", known.join(", ")),
    }
}
