//! The whole way: select, frame, redact, replay through both layers, find out which case it is.

use super::cleaning;
use super::frames::{Format, frames};
use super::refusal::Refusal;
use super::select::{Dialogue, Terminal, select};
use crate::fixture::{Cell, Expect, Fixture, FixtureFile, Frame, Origin, Provenance, Recorded, Strictness};
use crate::matrix::{Facts, Matrix, shape};
use crate::recording::Recording;
use crate::replay::{EvidenceLayer, Exchange, Replayed, Setting, replay};
use crate::vocab::{
    AgentId, Case, Code, Disposition, ExecutionId, Gateway, Generation, Invocation, SessionId, ShapeId,
};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Which place the fixture is to fill.
    pub sought: Sought,
    /// The agent, when it does not say who it is.
    pub agent: Option<AgentId>,
    /// The prompt, from 1; the last one that failed, when absent.
    pub turn: Option<usize>,
    /// Where the frames come from; its source is redacted here.
    pub provenance: Provenance,
}

/// Which place a fixture is to fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// A cell of the matrix: the prompt has to end in an error.
    Cell {
        /// Label of the envelope shape.
        gateway: Gateway,
        /// The case; the one that the frames are, when absent.
        case: Option<Case>,
    },
    /// A scenario of the agent's dialect, by its name: the prompt may end in any way.
    Scenario(String),
}

/// A fixture with everything a reviewer wants to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The fixture.
    pub fixture: Fixture,
    /// What replaying it gives.
    pub replayed: Replayed,
    /// Every case that the frames are; none for a scenario.
    pub fits: Vec<Case>,
    /// The prompt it comes from, from 1.
    pub turn: usize,
    /// Whether another prompt was in flight at the same time.
    pub overlapped: bool,
    /// What was redacted: shape and count, never a value.
    pub redacted: Vec<(ShapeId, usize)>,
}

/// Derives a fixture from a transcript.
///
/// # Errors
/// When the transcript holds no fixture, or another case than the wanted one.
pub fn derive(
    recording: &Recording,
    wanted: &Wanted,
    matrix: &Matrix,
    exchange: &impl Exchange,
    setting: Setting<'_>,
) -> Result<Derived, Refusal> {
    let dialogue = select(recording);
    let (turn, agent) = (turn(&dialogue, wanted)?, agent(&dialogue, wanted, matrix)?);
    let prompt = dialogue.prompts.get(turn - 1).ok_or(Refusal::NoSuchTurn { asked: turn, count: 0 })?;
    let format = match &wanted.sought {
        Sought::Cell { .. } => Format::Cell,
        Sought::Scenario(_) => Format::Scenario,
    };
    let raw = frames(prompt, turn, format)?;
    let redactor = setting.knowledge.redactor;
    let redacted = cleaning::tally(&raw, redactor);
    let frames = cleaning::clean(raw.clone(), redactor)?;
    let draft = Draft { wanted, agent, frames, turn, exchange, setting };
    draft.keeps_its_verdict(raw)?;
    let (fixture, replayed, fits) = match &wanted.sought {
        Sought::Cell { gateway, case } => draft.cell(gateway, *case, matrix)?,
        Sought::Scenario(scenario) => {
            let (file, replayed) = draft.played(Cell::Dialect { scenario: scenario.clone() })?;
            (file.fixture, replayed, Vec::new())
        }
    };
    Ok(Derived { fixture, replayed, fits, turn, overlapped: prompt.overlapped, redacted })
}

/// The case whose reason says most about frames that are none of them.
fn nearest(frames: &[Frame]) -> Case {
    let first = frames.iter().find_map(|frame| match frame {
        Frame::MessageChunk { origin, .. } => Some(*origin),
        _ => None,
    });
    if first == Some(Some(Origin::Model)) { Case::ProseMatched } else { Case::Matched }
}

/// A cell is about the last prompt that failed; a scenario about the last one, which may have failed as a success.
fn turn(dialogue: &Dialogue, wanted: &Wanted) -> Result<usize, Refusal> {
    let count = dialogue.prompts.len();
    if count == 0 {
        let instead = dialogue.instead.clone().unwrap_or_else(|| "the transcript ends first".to_owned());
        return Err(Refusal::NoPrompt { instead });
    }
    match wanted.turn {
        Some(asked) if asked == 0 || asked > count => Err(Refusal::NoSuchTurn { asked, count }),
        Some(asked) => Ok(asked),
        None if matches!(wanted.sought, Sought::Scenario(_)) => Ok(count),
        None => {
            let failed = dialogue.prompts.iter().rposition(|prompt| matches!(prompt.terminal, Terminal::Error(_)));
            Ok(failed.map_or(count, |index| index + 1))
        }
    }
}

fn agent(dialogue: &Dialogue, wanted: &Wanted, matrix: &Matrix) -> Result<AgentId, Refusal> {
    let name = dialogue.agent.as_deref();
    let named = name.and_then(|name| matrix.agent_named(name)).cloned();
    let found = named.or_else(|| wanted.agent.clone());
    found.ok_or_else(|| Refusal::UnknownAgent { name: name.map(str::to_owned) })
}

struct Draft<'w, 'k, E> {
    wanted: &'w Wanted,
    agent: AgentId,
    frames: Vec<Frame>,
    turn: usize,
    exchange: &'w E,
    setting: Setting<'k>,
}

impl<E: Exchange> Draft<'_, '_, E> {
    /// The fixture of the wanted case, or of the first one that the frames are, with every case that they are.
    fn cell(
        &self,
        gateway: &Gateway,
        wanted: Option<Case>,
        matrix: &Matrix,
    ) -> Result<(Fixture, Replayed, Vec<Case>), Refusal> {
        let classifying = matrix.gateway(gateway).is_none_or(|row| row.classifying);
        let (mut fits, mut refused) = (Vec::new(), Vec::new());
        for &case in Case::ALL {
            let (file, replayed) = self.played(Cell::Matrix { gateway: gateway.clone(), case, classifying })?;
            let verdict = replayed.classification.as_ref();
            let facts = Facts::observed(&file.fixture, &replayed.marks, verdict, self.setting.knowledge.classifier);
            match shape(matrix, &file, &facts) {
                Some(finding) => refused.push((case, reason(&finding.message))),
                None => fits.push((case, file.fixture, replayed)),
            }
        }
        let why = |case: Case| {
            refused.iter().find(|(other, _)| *other == case).map(|(_, why)| why.clone()).unwrap_or_default()
        };
        let cases: Vec<Case> = fits.iter().map(|(case, ..)| *case).collect();
        let chosen = match wanted {
            Some(case) if cases.contains(&case) => case,
            Some(case) => return Err(Refusal::WrongCase { wanted: case, why: why(case), fits: cases }),
            None => *cases.first().ok_or_else(|| Refusal::NoCase { why: why(nearest(&self.frames)) })?,
        };
        let found = fits.into_iter().find(|(case, ..)| *case == chosen);
        let (_, fixture, replayed) = found.ok_or_else(|| Refusal::NoCase { why: why(chosen) })?;
        Ok((fixture, replayed, cases))
    }

    /// The fixture for this place, with the expectation that replaying it gives.
    fn played(&self, cell: Cell) -> Result<(FixtureFile, Replayed), Refusal> {
        let mut fixture = self.fixture(cell, self.frames.clone())?;
        let first = replay(&fixture, self.exchange, self.setting).map_err(Refusal::Replay)?;
        fixture.expect = first.as_expectation(&fixture);
        let replayed = replay(&fixture, self.exchange, self.setting).map_err(Refusal::Replay)?;
        let path = format!("fixtures/{}.json", fixture.name());
        let file =
            FixtureFile::read(&path, fixture.on_disk().as_bytes(), Strictness::Strict).map_err(Refusal::Invalid)?;
        Ok((file, replayed))
    }

    /// A fixture tells what happened only when its clean frames are judged as the raw ones were.
    fn keeps_its_verdict(&self, raw: Vec<Frame>) -> Result<(), Refusal> {
        let verdict = |frames: Vec<Frame>| {
            let fixture = self.fixture(Cell::Dialect { scenario: "draft".to_owned() }, frames)?;
            let replayed = replay(&fixture, self.exchange, self.setting).map_err(Refusal::Replay)?;
            Ok((replayed.transport.diagnostic_code, replayed.evidence))
        };
        let (raw, clean) = (verdict(raw)?, verdict(self.frames.clone())?);
        if raw == clean {
            return Ok(());
        }
        let told = |(code, evidence): (Option<Code>, EvidenceLayer)| {
            let code = code.map_or("no failure", Code::as_str);
            let recorded = evidence.recorded_diagnostic_code.map_or("nothing", Code::as_str);
            let next = evidence.disposition.map_or("nothing to do", Disposition::as_str);
            format!("{code} after {recorded} ({next})")
        };
        Err(Refusal::Judgement { raw: told(raw), redacted: told(clean) })
    }

    fn fixture(&self, cell: Cell, frames: Vec<Frame>) -> Result<Fixture, Refusal> {
        let source = cleaning::provenance(self.wanted.provenance.source(), self.setting.knowledge.redactor);
        let provenance = match &self.wanted.provenance {
            Provenance::Recorded { captured_at, .. } => {
                Provenance::Recorded { source, captured_at: captured_at.clone() }
            }
            Provenance::Reconstructed { .. } => Provenance::Reconstructed { source },
        };
        let nothing = Expect {
            events: Vec::new(),
            provider_error: None,
            diagnostic_code: None,
            recorded: Recorded::Nothing,
            pre_result_safe: false,
        };
        let what = || Refusal::Unrepresentable { turn: self.turn, what: "a place whose name is too long".into() };
        Ok(Fixture {
            identity: identity(&self.agent, &cell, self.turn).ok_or_else(what)?,
            cell,
            agent: self.agent.clone(),
            provenance,
            frames,
            expect: nothing,
        })
    }
}

/// Unique in the corpus, because a place is. `None` for a name that leaves no room.
fn identity(agent: &AgentId, cell: &Cell, turn: usize) -> Option<Invocation> {
    let name = match cell {
        Cell::Matrix { gateway, case, .. } => format!("{gateway}-{case}"),
        Cell::Dialect { scenario } => format!("{agent}-{scenario}"),
    };
    Some(Invocation {
        session: SessionId::new(&name).ok()?,
        execution: ExecutionId::new(&format!("exec-{name}")).ok()?,
        generation: Generation::new(u64::try_from(turn).ok()?)?,
    })
}

/// The part of a finding about a case that says why.
fn reason(message: &str) -> String {
    message.split_once(": ").map_or(message, |(_, why)| why).to_owned()
}
