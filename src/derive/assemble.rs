//! The whole way: select, frame, redact, replay through both layers, find out which case it is.

use super::cleaning;
use super::frames::frames;
use super::refusal::Refusal;
use super::select::{Dialogue, Terminal, select};
use crate::fixture::{Cell, Expect, Fixture, FixtureFile, Frame, Origin, Provenance, Recorded, Strictness};
use crate::matrix::{Facts, Matrix, shape};
use crate::recording::Recording;
use crate::replay::{Exchange, Replayed, Setting, replay};
use crate::vocab::{AgentId, Case, ExecutionId, Gateway, Generation, Invocation, SessionId, ShapeId};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Label of the envelope shape.
    pub gateway: Gateway,
    /// The case; the one that the frames are, when absent.
    pub case: Option<Case>,
    /// The agent, when it does not say who it is.
    pub agent: Option<AgentId>,
    /// The prompt, from 1; the last one that failed, when absent.
    pub turn: Option<usize>,
    /// Where the frames come from; its source is redacted here.
    pub provenance: Provenance,
}

/// A fixture with everything a reviewer wants to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The fixture.
    pub fixture: Fixture,
    /// What replaying it gives.
    pub replayed: Replayed,
    /// Every case that the frames are.
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
    let raw = frames(prompt, turn)?;
    let redactor = setting.knowledge.redactor;
    let redacted = cleaning::tally(&raw, redactor);
    let frames = cleaning::clean(raw, redactor)?;
    let draft = Draft { wanted, matrix, agent, frames, turn, classifying: classifying(matrix, wanted) };

    let mut refused = Vec::new();
    let mut fits = Vec::new();
    for &case in Case::ALL {
        match draft.as_case(case, exchange, setting)? {
            Ok(found) => fits.push((case, found)),
            Err(why) => refused.push((case, why)),
        }
    }
    let why =
        |case: Case| refused.iter().find(|(other, _)| *other == case).map(|(_, why)| why.clone()).unwrap_or_default();
    let cases: Vec<Case> = fits.iter().map(|(case, _)| *case).collect();
    let chosen = match wanted.case {
        Some(case) if cases.contains(&case) => case,
        Some(case) => return Err(Refusal::WrongCase { wanted: case, why: why(case), fits: cases }),
        None => *cases.first().ok_or_else(|| Refusal::NoCase { why: why(nearest(&draft.frames)) })?,
    };
    let found = fits.into_iter().find(|(case, _)| *case == chosen);
    let (fixture, replayed) = found.ok_or_else(|| Refusal::NoCase { why: why(chosen) })?.1;
    Ok(Derived { fixture, replayed, fits: cases, turn, overlapped: prompt.overlapped, redacted })
}

/// The case whose reason says most about frames that are none of them.
fn nearest(frames: &[Frame]) -> Case {
    let first = frames.iter().find_map(|frame| match frame {
        Frame::MessageChunk { origin, .. } => Some(*origin),
        _ => None,
    });
    if first == Some(Some(Origin::Model)) { Case::ProseMatched } else { Case::Matched }
}

fn turn(dialogue: &Dialogue, wanted: &Wanted) -> Result<usize, Refusal> {
    let count = dialogue.prompts.len();
    if count == 0 {
        let instead = dialogue.instead.clone().unwrap_or_else(|| "the transcript ends first".to_owned());
        return Err(Refusal::NoPrompt { instead });
    }
    match wanted.turn {
        Some(asked) if asked == 0 || asked > count => Err(Refusal::NoSuchTurn { asked, count }),
        Some(asked) => Ok(asked),
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

fn classifying(matrix: &Matrix, wanted: &Wanted) -> bool {
    matrix.gateway(&wanted.gateway).is_none_or(|row| row.classifying)
}

struct Draft<'w> {
    wanted: &'w Wanted,
    matrix: &'w Matrix,
    agent: AgentId,
    frames: Vec<Frame>,
    turn: usize,
    classifying: bool,
}

impl Draft<'_> {
    /// The fixture as this case with what replaying it gives, or why the frames are not this case.
    fn as_case(
        &self,
        case: Case,
        exchange: &impl Exchange,
        setting: Setting<'_>,
    ) -> Result<Result<(Fixture, Replayed), String>, Refusal> {
        let what = || Refusal::Unrepresentable { turn: self.turn, what: "a gateway whose name is too long".into() };
        let mut fixture = self.fixture(case, setting).ok_or_else(what)?;
        let first = replay(&fixture, exchange, setting).map_err(Refusal::Replay)?;
        fixture.expect = first.as_expectation(&fixture);
        let replayed = replay(&fixture, exchange, setting).map_err(Refusal::Replay)?;
        let path = format!("fixtures/{}/{case}.json", self.wanted.gateway);
        let file =
            FixtureFile::read(&path, fixture.on_disk().as_bytes(), Strictness::Strict).map_err(Refusal::Invalid)?;
        let facts =
            Facts::observed(&fixture, &replayed.marks, replayed.classification.as_ref(), setting.knowledge.classifier);
        Ok(match shape(self.matrix, &file, &facts) {
            Some(finding) => Err(reason(&finding.message)),
            None => Ok((fixture, replayed)),
        })
    }

    fn fixture(&self, case: Case, setting: Setting<'_>) -> Option<Fixture> {
        let gateway = self.wanted.gateway.clone();
        let source = cleaning::provenance(self.wanted.provenance.source(), setting.knowledge.redactor);
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
        Some(Fixture {
            identity: identity(&gateway, case, self.turn)?,
            cell: Cell::Matrix { gateway, case, classifying: self.classifying },
            agent: self.agent.clone(),
            provenance,
            frames: self.frames.clone(),
            expect: nothing,
        })
    }
}

/// Unique in the corpus, because a cell is. `None` for a gateway whose name leaves no room.
fn identity(gateway: &Gateway, case: Case, turn: usize) -> Option<Invocation> {
    Some(Invocation {
        session: SessionId::new(&format!("{gateway}-{case}")).ok()?,
        execution: ExecutionId::new(&format!("exec-{gateway}-{case}")).ok()?,
        generation: Generation::new(u64::try_from(turn).ok()?)?,
    })
}

/// The part of a finding about a case that says why.
fn reason(message: &str) -> String {
    message.split_once(": ").map_or(message, |(_, why)| why).to_owned()
}
