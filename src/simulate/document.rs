//! The scenario file as people write it. A step has an offset and exactly one word.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::expect::Expectation;
use super::offset::Offset;
use crate::vocab::{AgentId, Code, Confidence, ExecutionId, ModelId, SessionId, TaskId, ToolStatus, word_enum};

word_enum! {
    /// Whether a scenario shows that something happens or that it does not.
    pub enum Kind("kind") {
        /// It happens.
        Positive = "positive",
        /// It does not.
        Negative = "negative",
    }
}

/// Who wrote a chunk.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Writer {
    Model,
    Agent,
}

/// What becomes of a client's try to get an execution ready: it works at once, it fails, or nothing is heard of it until
/// a `bind` step.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Launch {
    Works,
    Fails,
    Holds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) title: String,
    pub(super) criterion: String,
    pub(super) kind: Kind,
    pub(super) agent: Option<AgentId>,
    pub(super) start: Option<String>,
    pub(super) steps: Vec<Step>,
    pub(super) until: Option<Offset>,
    #[serde(default)]
    pub(super) expect: Expectation,
}

/// One step: exactly one of the words.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) at: Offset,
    prompt: Option<String>,
    say: Option<Say>,
    think: Option<Say>,
    echo: Option<Say>,
    tool: Option<Tool>,
    tool_update: Option<Tool>,
    model: Option<Model>,
    usage: Option<Model>,
    session_info: Option<SessionInfo>,
    request: Option<Request>,
    raw: Option<Raw>,
    fail: Option<Fail>,
    end: Option<End>,
    gone: Option<Gone>,
    cancel: Option<Who>,
    resume: Option<Who>,
    start_fresh: Option<Who>,
    stop: Option<Who>,
    sweep: Option<Who>,
    switch_model: Option<SwitchModel>,
    shutdown: Option<Nothing>,
    restart: Option<Nothing>,
    flush: Option<Nothing>,
    fire: Option<Fire>,
    launch: Option<Launch>,
    bind: Option<Bind>,
    notices: Option<NoticeFaults>,
    records: Option<RecordFaults>,
    plant: Option<Plant>,
}

/// What a step does.
pub(super) enum Word {
    Prompt(String),
    Say(Say),
    Think(Say),
    Echo(Say),
    Tool(Tool),
    ToolUpdate(Tool),
    Model(Model),
    Usage(Model),
    SessionInfo(SessionInfo),
    Request(Request),
    Raw(Raw),
    Fail(Fail),
    End(End),
    Gone(Gone),
    Cancel(Who),
    Resume(Who),
    StartFresh(Who),
    Stop(Who),
    Sweep(Who),
    SwitchModel(SwitchModel),
    Shutdown,
    Restart,
    Flush,
    Fire(Fire),
    Launch(Launch),
    Bind(Bind),
    Notices(NoticeFaults),
    Records(RecordFaults),
    Plant(Plant),
}

impl Step {
    /// The one word, or how many there are.
    pub(super) fn word(self) -> Result<Word, usize> {
        let mut words: Vec<Word> = [
            self.prompt.map(Word::Prompt),
            self.say.map(Word::Say),
            self.think.map(Word::Think),
            self.echo.map(Word::Echo),
            self.tool.map(Word::Tool),
            self.tool_update.map(Word::ToolUpdate),
            self.model.map(Word::Model),
            self.usage.map(Word::Usage),
            self.session_info.map(Word::SessionInfo),
            self.request.map(Word::Request),
            self.raw.map(Word::Raw),
            self.fail.map(Word::Fail),
            self.end.map(Word::End),
            self.gone.map(Word::Gone),
            self.cancel.map(Word::Cancel),
            self.resume.map(Word::Resume),
            self.start_fresh.map(Word::StartFresh),
            self.stop.map(Word::Stop),
            self.sweep.map(Word::Sweep),
            self.switch_model.map(Word::SwitchModel),
            self.shutdown.map(|_| Word::Shutdown),
            self.restart.map(|_| Word::Restart),
            self.flush.map(|_| Word::Flush),
            self.fire.map(Word::Fire),
            self.launch.map(Word::Launch),
            self.bind.map(Word::Bind),
            self.notices.map(Word::Notices),
            self.records.map(Word::Records),
            self.plant.map(Word::Plant),
        ]
        .into_iter()
        .flatten()
        .collect();
        match (words.len(), words.pop()) {
            (1, Some(word)) => Ok(word),
            (count, _) => Err(count),
        }
    }
}

/// No fields: `{}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// A chunk. `execution` names an earlier execution, whose prompt it then belongs to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Say {
    pub(super) text: String,
    pub(super) id: Option<String>,
    pub(super) origin: Option<Writer>,
    pub(super) execution: Option<ExecutionId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) status: Option<ToolStatus>,
    pub(super) execution: Option<ExecutionId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    pub(super) id: ModelId,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionInfo {
    pub(super) meta: Map<String, Value>,
    pub(super) title: Option<String>,
    pub(super) execution: Option<ExecutionId>,
}

/// A request of the agent to the client, such as `session/request_permission`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) method: String,
}

/// Any update as it goes over the wire.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    pub(super) update: Value,
}

/// Which prompt an answer is for; the last one when nothing is said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fail {
    pub(super) message: String,
    pub(super) code: Option<i32>,
    pub(super) data: Option<Value>,
    pub(super) generation: Option<u64>,
    pub(super) execution: Option<ExecutionId>,
    pub(super) verdict: Option<Verdict>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    #[serde(default = "end_turn")]
    pub(super) stop_reason: String,
    pub(super) meta: Option<Map<String, Value>>,
    pub(super) generation: Option<u64>,
    pub(super) execution: Option<ExecutionId>,
}

fn end_turn() -> String {
    "end_turn".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gone {
    pub(super) exit: Option<i32>,
    pub(super) stderr: Option<String>,
    pub(super) verdict: Option<Verdict>,
}

/// Stands in for the classifier, so that a scenario about the owner does not depend on the rules.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Verdict {
    pub(super) code: Code,
    pub(super) confidence: Option<Confidence>,
    pub(super) hint_seconds: Option<u32>,
    #[serde(default)]
    pub(super) vetoed: bool,
}

/// Who asks; the session's own task and a permitted person when nothing is said.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Who {
    pub(super) task: Option<TaskId>,
    pub(super) session: Option<SessionId>,
    pub(super) permitted: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchModel {
    pub(super) model: ModelId,
}

/// A timer that fires although nobody armed it any more, or once more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fire {
    pub(super) timer: u64,
}

/// Binds what was prepared last, or an earlier generation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bind {
    pub(super) execution: ExecutionId,
    pub(super) generation: Option<u64>,
}

/// What of the notice store is broken from now on; what is not named works.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoticeFaults {
    #[serde(default)]
    pub(super) list: bool,
    #[serde(default)]
    pub(super) write: bool,
    #[serde(default)]
    pub(super) delete: bool,
    #[serde(default)]
    pub(super) delete_of: Vec<u64>,
    #[serde(default)]
    pub(super) unreadable: Vec<u64>,
}

/// What of the transcript's store is broken from now on; what is not named works.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordFaults {
    #[serde(default)]
    pub(super) write: bool,
    #[serde(default)]
    pub(super) delete: bool,
    #[serde(default)]
    pub(super) delete_of: Vec<u64>,
}

/// A notice that an earlier program left in the store.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plant {
    pub(super) id: u64,
    pub(super) session: Option<SessionId>,
    #[serde(default = "one")]
    pub(super) attempt: u8,
}

fn one() -> u8 {
    1
}
