//! Whether the frames of a cell are what its case claims. Pure: what a replay observed comes in as [`Facts`].

use super::rule::CorpusRule;
use super::table::{GatewayRow, Matrix, finding};
use crate::classify::{Classification, Classifier};
use crate::fixture::{Cell, Fixture, FixtureFile, Frame, Origin, Role};
use crate::text::contains_normalized;
use crate::vocab::{Case, Class, Code, Confidence, Finding};

/// What a replay observed about one fixture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// One entry for each `message_chunk` frame, in order.
    pub chunks: Vec<ChunkFacts>,
    /// What the terminal classifies to, with high confidence and a class other than unclassified; else `None`.
    pub terminal: Option<Code>,
}

/// What a replay observed about one message chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChunkFacts {
    /// The code of the marker that its event carried.
    pub marked: Option<Code>,
    /// What its text alone would be a candidate for, whoever wrote it.
    pub candidate: Option<Code>,
}

impl Facts {
    /// The facts of one replay: the code of each message chunk's marker, in order, and what the terminal classifies to.
    #[must_use]
    pub fn observed(
        fixture: &Fixture,
        marks: &[Option<Code>],
        terminal: Option<&Classification>,
        classifier: &Classifier,
    ) -> Self {
        let candidate = |frame: &Frame| match frame {
            Frame::MessageChunk { text, .. } => Some(classifier.candidate(text, Some(&fixture.agent))),
            _ => None,
        };
        let mut marks = marks.iter().copied();
        let chunks = fixture.frames.iter().filter_map(candidate);
        let chunks = chunks.map(|candidate| ChunkFacts { marked: marks.next().flatten(), candidate }).collect();
        let sure =
            |seen: &&Classification| seen.confidence == Confidence::High && seen.code.class() != Class::Unclassified;
        Self { chunks, terminal: terminal.filter(sure).map(|seen| seen.code) }
    }
}

/// Checks the shape of one matrix cell; dialect scenarios have none. The matrix says whether the gateway classifies, so
/// that a document which declares it wrongly gets that one finding; a corpus with open gateways believes the document.
#[must_use]
pub fn shape(matrix: &Matrix, file: &FixtureFile, facts: &Facts) -> Option<Finding> {
    let Cell::Matrix { gateway, case, classifying } = &file.fixture.cell else { return None };
    let told = Told::new(&file.fixture, facts);
    let classifying = matrix.gateway(gateway).map_or(*classifying, |row| row.classifying);
    let broken = if classifying { told.classifying(*case) } else { told.opaque(*case) };
    broken.err().map(|Broken { frame, message }| {
        let place = file.place(&format!("/frames/{frame}"));
        finding(CorpusRule::CaseShape, place, format!("this is no `{case}`: {message}"))
    })
}

/// Checks that a gateway is declared classifying if and only if the catalogue classifies the terminal of its matched
/// cell. `terminal` as in [`Facts::terminal`].
#[must_use]
pub fn classifying_holds(matrix: &Matrix, gateway: &GatewayRow, terminal: Option<Code>) -> Option<Finding> {
    if gateway.classifying == terminal.is_some() {
        return None;
    }
    let place = matrix.place("gateways", gateway.id.as_str());
    let message = match terminal {
        Some(code) => format!("{} is declared not classifying, its matched terminal is {code}", gateway.id),
        None => format!("{} is declared classifying, its matched terminal classifies to nothing", gateway.id),
    };
    Some(finding(CorpusRule::ClassifyingUntrue, place, message))
}

struct Broken {
    frame: usize,
    message: String,
}

fn broken<T>(frame: usize, message: impl Into<String>) -> Result<T, Broken> {
    Err(Broken { frame, message: message.into() })
}

#[derive(Clone, Copy)]
enum Step<'f> {
    /// An assistant chunk.
    Chunk {
        text: &'f str,
        origin: Option<Origin>,
        facts: ChunkFacts,
    },
    Thought,
    /// A tool call or its update.
    Tool,
}

impl Step<'_> {
    /// Whether it is ordinary output of the model. The agent's own diagnostic never is, marked or not.
    const fn is_ordinary(&self) -> bool {
        match self {
            Self::Chunk { origin, facts, .. } => facts.marked.is_none() && !matches!(origin, Some(Origin::Agent)),
            Self::Thought => true,
            Self::Tool => false,
        }
    }
}

/// The steps before the terminal, with their frame's index, and the terminal.
struct Told<'f> {
    steps: Vec<(usize, Step<'f>)>,
    message: &'f str,
    terminal: Option<Code>,
    /// Index of the terminal frame.
    end: usize,
}

impl<'f> Told<'f> {
    fn new(fixture: &'f Fixture, facts: &Facts) -> Self {
        let mut chunks = facts.chunks.iter().copied();
        let mut told = Self {
            steps: Vec::new(),
            message: "",
            terminal: facts.terminal,
            end: fixture.frames.len().saturating_sub(1),
        };
        for (index, frame) in fixture.frames.iter().enumerate() {
            let step = match frame {
                Frame::MessageChunk { role, text, origin } => {
                    let facts = chunks.next().unwrap_or_default();
                    (*role == Role::Assistant).then_some(Step::Chunk { text, origin: *origin, facts })
                }
                Frame::ThoughtChunk { .. } => Some(Step::Thought),
                Frame::ToolCall { .. } | Frame::ToolUpdate { .. } => Some(Step::Tool),
                Frame::PromptError { message, .. } => {
                    told.message = message;
                    None
                }
                _ => None,
            };
            told.steps.extend(step.map(|step| (index, step)));
        }
        told
    }

    fn classifying(&self, case: Case) -> Result<(), Broken> {
        match case {
            Case::Matched | Case::Queued => {
                let (frame, code, contained) = self.only_marked()?;
                if self.terminal != Some(code) {
                    return broken(self.end, format!("the chunk is {code}, the terminal is {}", self.terminal_name()));
                }
                if contained { Ok(()) } else { broken(frame, "the terminal does not contain the chunk") }
            }
            Case::Mismatched => {
                let (frame, code, contained) = self.only_marked()?;
                let refused = self.terminal != Some(code) || !contained;
                if refused { Ok(()) } else { broken(frame, "correlation would accept this chunk") }
            }
            Case::LaterOutput => {
                self.marked(self.first()?)?;
                let later = |step: &Step<'_>| step.is_ordinary() || matches!(step, Step::Tool);
                if self.rest().any(|(_, step)| later(step)) {
                    return Ok(());
                }
                broken(self.end, "no unmarked chunk and no tool call follows the marked one")
            }
            Case::ProseMatched => self.prose(false, false),
            Case::ProseTool => self.prose(true, false),
            Case::ProseOutput => self.prose(false, true),
        }
    }

    /// An envelope that classifies to nothing: only the kinds of the frames can be looked at.
    fn opaque(&self, case: Case) -> Result<(), Broken> {
        for (frame, step) in &self.steps {
            if matches!(step, Step::Chunk { facts, .. } if facts.marked.is_some()) {
                return broken(*frame, "the gateway is declared not classifying, this chunk is marked");
            }
        }
        if let Some(code) = self.terminal {
            return broken(self.end, format!("the gateway is declared not classifying, the terminal is {code}"));
        }
        let (frame, Step::Chunk { .. }) = self.first()? else {
            return broken(self.steps[0].0, "a message chunk comes first");
        };
        let tool = self.rest().any(|(_, step)| matches!(step, Step::Tool));
        match case {
            Case::Matched | Case::Mismatched | Case::Queued | Case::ProseMatched if self.steps.len() > 1 => {
                broken(self.steps[1].0, "one message chunk, then the terminal: nothing between")
            }
            Case::LaterOutput | Case::ProseOutput if self.steps.len() < 2 => broken(frame, "nothing follows the chunk"),
            Case::ProseTool if !tool => broken(self.end, "no tool call between the chunk and the terminal"),
            _ => Ok(()),
        }
    }

    /// First a chunk of model text that would classify to the terminal's code; then what the case says.
    fn prose(&self, tool: bool, output: bool) -> Result<(), Broken> {
        let (frame, step) = self.first()?;
        let Step::Chunk { text, origin, facts } = step else { return broken(frame, "a message chunk comes first") };
        if origin == Some(Origin::Agent) {
            return broken(frame, "the first chunk is the agent's own, not the model's");
        }
        let (Some(code), true) = (self.terminal, facts.candidate == self.terminal) else {
            return broken(frame, format!("the prose does not classify as the terminal ({})", self.terminal_name()));
        };
        if origin != Some(Origin::Model) && contains_normalized(self.message, text) {
            return broken(frame, format!("the terminal contains the prose, so it is a matched {code}"));
        }
        for (kind, wanted, found) in [
            ("a tool call", tool, self.rest().find(|(_, step)| matches!(step, Step::Tool))),
            ("an ordinary chunk", output, self.rest().find(|(_, step)| step.is_ordinary())),
        ] {
            match found {
                Some((frame, _)) if !wanted => return broken(*frame, format!("{kind} follows the prose")),
                None if wanted => {
                    return broken(
                        self.end,
                        format!("no {} follows the prose", kind.trim_start_matches("an ").trim_start_matches("a ")),
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn first(&self) -> Result<(usize, Step<'f>), Broken> {
        self.steps.first().copied().map_or_else(|| broken(self.end, "nothing comes before the terminal"), Ok)
    }

    fn rest(&self) -> impl Iterator<Item = &(usize, Step<'f>)> {
        self.steps.iter().skip(1)
    }

    /// Frame, code and containment of the only step, which is marked.
    fn only_marked(&self) -> Result<(usize, Code, bool), Broken> {
        let first = self.first()?;
        let (code, text) = self.marked(first)?;
        if let Some((frame, _)) = self.rest().next() {
            return broken(*frame, "one marked chunk, then the terminal: nothing between");
        }
        Ok((first.0, code, contains_normalized(self.message, text)))
    }

    fn marked(&self, (frame, step): (usize, Step<'f>)) -> Result<(Code, &'f str), Broken> {
        match step {
            Step::Chunk { text, facts: ChunkFacts { marked: Some(code), .. }, .. } => Ok((code, text)),
            Step::Chunk { .. } => broken(frame, "the first chunk carries no diagnostic marker"),
            Step::Thought | Step::Tool => broken(frame, "a marked message chunk comes first"),
        }
    }

    fn terminal_name(&self) -> &'static str {
        self.terminal.map_or("unclassified", Code::as_str)
    }
}
