//! Playing a scenario.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::document::{Fail, Gone, NoticeFaults, Plant, Say, SessionInfo, Tool, Who, Word, Writer};
use super::scenario::Scenario;
use super::timeline::{Timeline, Voice};
use super::world::{World, chunk};
use crate::acp::frame::RpcError;
use crate::acp::session::{Knowledge, Outcome};
use crate::recovery::notice::{Notice, NoticeFacts, NoticeId, NoticeState};
use crate::recovery::retry::{Input, MAX_ATTEMPTS, Requester, TimerId};
use crate::recovery::transcript::RecordId;
use crate::vocab::{AgentId, Code, IdError, SessionId, TaskId};

/// A played scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// What happened and what was decided.
    pub timeline: Timeline,
    /// What the scenario expects and did not get, a sentence each.
    pub unmet: Vec<String>,
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timeline.fmt(f)?;
        self.unmet.iter().try_for_each(|problem| writeln!(f, "unmet: {problem}"))
    }
}

/// Plays a scenario with these rules and shapes.
///
/// # Errors
/// Never in practice: the scenario's own names are valid identifiers.
pub fn play(scenario: &Scenario, knowledge: Knowledge<'_>) -> Result<Played, IdError> {
    let names = (TaskId::new("task")?, SessionId::new("session")?, AgentId::new("unknown-agent")?);
    let mut world = World::new(knowledge, scenario.agent.clone(), names, scenario.start);
    for (at, word) in &scenario.steps {
        world.advance(at.0);
        step(&mut world, word, knowledge);
        world.look();
    }
    if let Some(until) = scenario.until {
        world.advance(until.0);
    }
    world.rest();
    let unmet = scenario.expect.unmet(&world.timeline);
    let unmet = unmet.iter().map(|problem| world.speaker.line(problem)).collect();
    Ok(Played { timeline: world.timeline, unmet })
}

fn step(world: &mut World<'_>, word: &Word, knowledge: Knowledge<'_>) {
    match word {
        Word::Prompt(text) => {
            let prompt = knowledge.redactor.clean(crate::redact::Raw::new(text));
            world.say(Voice::Client, "prompts");
            let target = world.target.clone();
            world.tell(Input::Prompt { prompt, target });
        }
        Word::Say(say) => spoken(world, "agent_message_chunk", "says", say),
        Word::Think(say) => spoken(world, "agent_thought_chunk", "thinks", say),
        Word::Echo(say) => spoken(world, "user_message_chunk", "echoes", say),
        Word::Tool(tool) => tooled(world, "tool_call", tool),
        Word::ToolUpdate(tool) => tooled(world, "tool_call_update", tool),
        Word::Model(model) => {
            world.say(Voice::Agent, format!("publishes model {}", model.id));
            world.update(None, &json!({"sessionUpdate": "current_model_update", "currentModelId": model.id}));
        }
        Word::Usage(model) => {
            world.say(Voice::Agent, format!("reports usage of {}", model.id));
            world.update(None, &json!({"sessionUpdate": "usage_update", "_meta": {"_claude/model": model.id}}));
        }
        Word::SessionInfo(info) => informed(world, info),
        Word::Request(request) => {
            world.quote("requests ", &request.method);
            world.agent_request(&request.method);
        }
        Word::Raw(raw) => {
            world.say(Voice::Agent, "sends an update");
            world.update(None, &raw.update);
        }
        Word::Fail(fail) => failed(world, fail),
        Word::End(end) => {
            world.quote("ends the turn with ", &end.stop_reason);
            let mut result = json!({"stopReason": end.stop_reason});
            if let Some(meta) = &end.meta {
                result["_meta"] = Value::Object(meta.clone());
            }
            world.settle(end.execution.as_ref(), end.generation, Outcome::Result(result), None);
        }
        Word::Gone(gone) => left(world, gone),
        _ => administered(world, word),
    }
}

fn spoken(world: &mut World<'_>, kind: &str, verb: &str, say: &Say) {
    world.quote(&format!("{verb} "), &say.text);
    let origin = match say.origin {
        Some(Writer::Model) => Some("msg_scenario"),
        Some(Writer::Agent) => Some("00000000-0000-4000-8000-000000000001"),
        None => None,
    };
    world.update(say.execution.as_ref(), &chunk(kind, &say.text, say.id.as_deref().or(origin)));
}

fn tooled(world: &mut World<'_>, kind: &str, tool: &Tool) {
    let mut update = json!({"sessionUpdate": kind, "toolCallId": tool.id});
    if let Some(title) = &tool.title {
        update["title"] = title.as_str().into();
    }
    if let Some(status) = tool.status {
        update["status"] = status.as_str().into();
    }
    world.quote(&format!("{kind} "), &tool.id);
    world.update(tool.execution.as_ref(), &update);
}

fn informed(world: &mut World<'_>, info: &SessionInfo) {
    let mut update = json!({"sessionUpdate": "session_info_update", "_meta": info.meta});
    if let Some(title) = &info.title {
        update["title"] = title.as_str().into();
    }
    world.say(Voice::Agent, "updates session information");
    world.update(info.execution.as_ref(), &update);
}

fn failed(world: &mut World<'_>, fail: &Fail) {
    world.quote("fails with ", &fail.message);
    let error = RpcError { code: fail.code.unwrap_or(-32603), message: fail.message.clone(), data: fail.data.clone() };
    world.settle(fail.execution.as_ref(), fail.generation, Outcome::Error(error), fail.verdict.as_ref());
}

fn left(world: &mut World<'_>, gone: &Gone) {
    world.say(Voice::Agent, "is gone");
    let outcome = Outcome::Gone { code: gone.exit, signal: None, stderr: gone.stderr.clone() };
    world.settle(None, None, outcome, gone.verdict.as_ref());
    world.lose_execution();
}

fn administered(world: &mut World<'_>, word: &Word) {
    match word {
        Word::Cancel(who) => ask(world, "cancels", who, Input::Cancel),
        Word::Resume(who) => ask(world, "resumes", who, Input::Resume),
        Word::StartFresh(who) => ask(world, "starts fresh", who, Input::StartFresh),
        Word::Stop(who) => ask(world, "stops", who, Input::Stop),
        Word::Sweep(who) => ask(world, "opens the session", who, Input::Sweep),
        Word::SwitchModel(switch) => {
            let input =
                |requester| Input::SwitchModel { requester, model: switch.model.clone(), nothing_happened: false };
            ask(world, "selects another model", &Who::default(), input);
        }
        Word::Shutdown => {
            world.say(Voice::Client, "shuts down");
            world.tell(Input::Shutdown);
        }
        Word::Restart => {
            world.say(Voice::Client, "is killed and starts again");
            world.restart();
        }
        Word::Flush => {
            world.say(Voice::Client, "flushes");
            world.flush();
        }
        Word::Fire(fire) => world.fire(TimerId::numbered(fire.timer)),
        Word::Launch(launch) => world.launch = *launch,
        Word::Bind(bind) => {
            world.say(Voice::Client, format!("binds {}", bind.execution));
            world.bind(bind.generation, bind.execution.clone());
        }
        Word::Notices(faults) => break_notices(world, faults),
        Word::Records(faults) => {
            world.say(Voice::Client, "the transcript store changes");
            world.records.fail_write = faults.write;
            world.records.fail_delete = faults.delete;
            world.records.fail_delete_of = faults.delete_of.iter().map(|id| RecordId::new(*id)).collect();
        }
        Word::Plant(plant) => planted(world, plant),
        _ => {}
    }
}

fn ask(world: &mut World<'_>, verb: &str, who: &Who, input: impl FnOnce(Requester) -> Input) {
    let requester = Requester {
        task: who.task.clone().unwrap_or_else(|| world.task.clone()),
        session: who.session.clone().unwrap_or_else(|| world.session.clone()),
        permitted: who.permitted.unwrap_or(true),
    };
    let foreign = if requester.permitted { "" } else { " without permission" };
    world.say(Voice::Client, format!("{verb}{foreign} ({}, {})", requester.task, requester.session));
    world.tell(input(requester));
}

fn break_notices(world: &mut World<'_>, faults: &NoticeFaults) {
    world.say(Voice::Client, "the notice store changes");
    let now = &mut world.notices.faults;
    (now.list, now.write, now.delete) = (faults.list, faults.write, faults.delete);
    now.delete_of = faults.delete_of.iter().map(|id| NoticeId::new(*id)).collect();
    for id in &faults.unreadable {
        world.notices.spoil(&world.session.clone(), NoticeId::new(*id));
    }
}

fn planted(world: &mut World<'_>, plant: &Plant) {
    let session = plant.session.clone().unwrap_or_else(|| world.session.clone());
    world.say(Voice::Client, format!("finds notice {} of {session} in the store", plant.id));
    let facts = NoticeFacts {
        session,
        round: 0,
        code: Code::ProviderOverloaded,
        provider: world.target.provider.clone(),
        attempt: plant.attempt,
        max_attempts: MAX_ATTEMPTS,
        deadline: Timestamp::UNIX_EPOCH,
    };
    world.notices.plant(NoticeId::new(plant.id), Notice::new(facts, None, NoticeState::Waiting));
}
