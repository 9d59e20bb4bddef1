//! Drives an agent as an ACP client: `initialize`, `session/new`, `session/prompt`, then listens on for a while.

use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::policy::{Body, Policy};
use super::process::{Exit, Launch, Process};
use super::recorder::{Recorder, RecorderError};
use super::stream::{Then, for_each_line};
use crate::recording::write::Direction;
use crate::shell::clock::{self, Stopwatch};
use crate::shell::threads::{self, Ended};

/// How often a waiting driver looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(100);
/// How long an agent that did its work may take to end, after its stdin was closed and once more after SIGTERM.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// Most lines that wait between the reader and the driver; then the agent waits.
const WAITING_LINES: usize = 4;
/// Most answers that wait for an agent that does not read; then answers are left out.
const WAITING_ANSWERS: usize = 256;

/// What a capture does.
#[derive(Debug)]
pub struct Plan {
    /// The agent.
    pub launch: Launch,
    /// The folder that the session gets.
    pub folder: PathBuf,
    /// The prompts, one after the other.
    pub prompts: Vec<String>,
    /// A session mode to set first, when the agent offers it.
    pub mode: Option<String>,
    /// The whole time, ending the process included.
    pub deadline: Duration,
    /// How long to listen on after the last answer.
    pub linger: Duration,
    /// Whether permission and file requests are granted.
    pub allow_tools: bool,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
}

/// What just happened, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The process runs.
    Started,
    /// The agent answered `initialize` with its name and version.
    Initialized(String, String),
    /// A session exists.
    SessionOpened,
    /// A prompt was sent.
    PromptSent,
    /// The policy refused a request of this method.
    Denied(String),
    /// The prompt failed after so many milliseconds.
    Failed(u64),
    /// The prompt ended with this stop reason after so many milliseconds.
    Answered(String, u64),
}

/// Why a capture ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Everything that was planned was done.
    Done,
    /// The deadline passed.
    Deadline,
    /// The agent closed its output before it answered.
    AgentClosed,
    /// `initialize` or `session/new` was refused.
    NoSession,
    /// The transcript reached its limit.
    Flooded,
    /// Somebody interrupted it.
    Interrupted,
}

impl Why {
    /// The word that the transcript uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Deadline => "deadline",
            Self::AgentClosed => "agent_closed",
            Self::NoSession => "no_session",
            Self::Flooded => "flooded",
            Self::Interrupted => "interrupted",
        }
    }
}

/// How the process was brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Exit code or signal.
    pub exit: Exit,
    /// `self_exit`, `stdin_closed`, `sigterm` or `sigkill`.
    pub how: &'static str,
    /// Processes of the run that had left its process group and were killed.
    pub strays: usize,
}

/// How one prompt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptEnd {
    /// A JSON-RPC error after so many milliseconds.
    Failed(u64),
    /// A result with this stop reason after so many milliseconds.
    Answered(String, u64),
    /// No answer.
    Unanswered,
}

/// What a capture saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub why: Why,
    /// How the process ended.
    pub ending: Ending,
    /// Name and version that the agent gave.
    pub agent: Option<(String, String)>,
    /// How each prompt that was sent ended.
    pub prompts: Vec<PromptEnd>,
    /// Requests that the policy refused.
    pub denied: usize,
}

/// Why a capture could not be made.
#[derive(Debug)]
pub enum CaptureError {
    /// The command could not be started.
    Start(String, io::Error),
    /// Nothing could be recorded.
    Record(RecorderError),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(program, error) => write!(f, "start `{program}`: {error}"),
            Self::Record(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CaptureError {}

impl From<RecorderError> for CaptureError {
    fn from(error: RecorderError) -> Self {
        Self::Record(error)
    }
}

/// Runs the plan and records everything. The process and all of its descendants are gone when it returns.
///
/// # Errors
/// When the command can not be started or the transcript can not be written.
pub fn capture(plan: &Plan, recorder: &Recorder, on_step: &mut dyn FnMut(Step)) -> Result<Outcome, CaptureError> {
    let watch = Stopwatch::start();
    let program = plan.launch.command.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
    let failed = |error| CaptureError::Start(program.clone(), error);
    let mut process = Process::start(&plan.launch, Some(new_mark())).map_err(failed)?;
    let streams = Streams::connect(&mut process, recorder).map_err(failed)?;
    on_step(Step::Started);
    // What is left after the driver's limit is for ending the process: a third, or as much as that ever takes.
    let reserve = (plan.deadline / 3).min(Duration::from_millis(1_500));
    let mut driver = Driver {
        plan,
        policy: Policy { folder: plan.folder.clone(), allow: plan.allow_tools },
        incoming: streams.incoming,
        outgoing: Some(streams.outgoing),
        watch,
        limit: plan.deadline - reserve,
        next_id: 0,
        session: None,
        agent: None,
        prompts: Vec::new(),
        denied: 0,
        on_step,
    };
    let stop = driver.run();
    let Driver { incoming, mut outgoing, prompts, denied, agent, session, .. } = driver;
    let (why, error) = match stop {
        Ok(()) => (Why::Done, None),
        Err(Stop::Why(why)) => (why, None),
        Err(Stop::Record(RecorderError::Full)) => (Why::Flooded, None),
        Err(Stop::Record(error)) => (Why::Flooded, Some(error)),
    };
    let hurry = why != Why::Done;
    if hurry && let (Some(PromptEnd::Unanswered), Some(session), Some(out)) = (prompts.last(), &session, &outgoing) {
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
        let _ = out.try_send(line_of(&cancel));
        wait_for_answer(&incoming, reserve / 4);
    }
    drop(outgoing.take());
    // From here on the reader only records.
    drop(incoming);
    let patience = if hurry { reserve / 6 } else { PATIENCE };
    let (exit, how, strays) = end(process, patience).map_err(failed)?;
    let readers_done = streams.readers.iter().filter(|reader| reader.within(reserve / 6)).count();
    let facts = [
        ("why", Value::from(why.as_str())),
        ("strays", Value::from(strays)),
        ("complete", Value::from(readers_done == streams.readers.len())),
    ];
    recorder.exit(exit, how, &facts)?;
    match error {
        Some(error) => Err(error.into()),
        None => Ok(Outcome { why, ending: Ending { exit, how, strays }, agent, prompts, denied }),
    }
}

/// Different for every run of every process of this machine.
fn new_mark() -> String {
    static RUN: AtomicU64 = AtomicU64::new(0);
    let run = RUN.fetch_add(1, Ordering::Relaxed);
    format!("{}-{run}-{}", std::process::id(), clock::now().as_nanosecond())
}

/// Asks more and more firmly: closed stdin, SIGTERM, SIGKILL.
fn end(process: Process, patience: Duration) -> io::Result<(Exit, &'static str, usize)> {
    let how = if process.ended_within(Duration::ZERO) {
        "self_exit"
    } else if process.ended_within(patience) {
        "stdin_closed"
    } else {
        process.target().group(Signal::TERM);
        if process.ended_within(patience) { "sigterm" } else { "sigkill" }
    };
    let (exit, strays) = process.finish()?;
    Ok((exit, how, strays))
}

fn wait_for_answer(incoming: &Receiver<Incoming>, limit: Duration) {
    let watch = Stopwatch::start();
    while let Ok(message) = incoming.recv_timeout(watch.left(limit)) {
        if matches!(&message, Incoming::Message(value) if value.get("method").is_none()) {
            return;
        }
    }
}

fn line_of(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// What the reader of the agent's stdout passes on.
enum Incoming {
    /// A JSON object.
    Message(Value),
    /// A line that asks for nothing.
    Other,
    /// The agent closed its stdout.
    Closed,
    /// The transcript could not be written.
    Failed(RecorderError),
}

struct Streams {
    incoming: Receiver<Incoming>,
    outgoing: SyncSender<Vec<u8>>,
    readers: Vec<Ended>,
}

impl Streams {
    fn connect(process: &mut Process, recorder: &Recorder) -> io::Result<Self> {
        let child = process.child();
        let missing = || io::Error::other("a stream of the process is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let (to_driver, incoming) = sync_channel(WAITING_LINES);
        let (outgoing, answers) = sync_channel::<Vec<u8>>(WAITING_ANSWERS);
        let (out, err, back) = (recorder.clone(), recorder.clone(), recorder.clone());
        threads::detached("agent-stdin", move || write_answers(stdin, &answers, &back))?;
        let readers = vec![
            threads::awaited("agent-stdout", move || read_stdout(stdout, &to_driver, &out))?,
            threads::awaited("agent-stderr", move || read_stderr(stderr, &err))?,
        ];
        Ok(Self { incoming, outgoing, readers })
    }
}

fn write_answers(mut stdin: ChildStdin, answers: &Receiver<Vec<u8>>, recorder: &Recorder) {
    while let Ok(line) = answers.recv() {
        // An agent that is gone, or a transcript that is full: the reader says so.
        if recorder.line(Direction::ToAgent, &line).is_err() || stdin.write_all(&line).is_err() {
            break;
        }
    }
}

fn read_stdout(stdout: ChildStdout, driver: &SyncSender<Incoming>, recorder: &Recorder) {
    let mut listening = true;
    // A read that fails is a stream that ended.
    let _ = for_each_line(stdout, |line| {
        if let Err(error) = recorder.line(Direction::ToClient, line) {
            let _ = driver.send(Incoming::Failed(error));
            return Then::Stop;
        }
        if listening {
            let message = serde_json::from_slice::<Value>(line).ok().filter(Value::is_object);
            listening = driver.send(message.map_or(Incoming::Other, Incoming::Message)).is_ok();
        }
        Then::GoOn
    });
    let _ = driver.send(Incoming::Closed);
}

fn read_stderr(stderr: ChildStderr, recorder: &Recorder) {
    let _ = for_each_line(stderr, |line| if recorder.stderr(line).is_ok() { Then::GoOn } else { Then::Stop });
}

enum Stop {
    Why(Why),
    Record(RecorderError),
}

struct Driver<'run> {
    plan: &'run Plan,
    policy: Policy,
    incoming: Receiver<Incoming>,
    outgoing: Option<SyncSender<Vec<u8>>>,
    watch: Stopwatch,
    limit: Duration,
    next_id: u64,
    session: Option<Value>,
    agent: Option<(String, String)>,
    prompts: Vec<PromptEnd>,
    denied: usize,
    on_step: &'run mut dyn FnMut(Step),
}

impl Driver<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        let client = json!({"name": "refrain", "version": env!("CARGO_PKG_VERSION")});
        let capabilities = self.policy.capabilities();
        let hello = json!({"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": client});
        let reply = self.call("initialize", &hello)?;
        let Some(hello) = reply.get("result") else { return self.no_session() };
        let named = |key: &str| hello.pointer(&format!("/agentInfo/{key}")).and_then(Value::as_str);
        let name = named("name").unwrap_or("an agent without a name").to_owned();
        let version = named("version").unwrap_or_default().to_owned();
        self.agent = Some((name.clone(), version.clone()));
        (self.on_step)(Step::Initialized(name, version));

        let folder = self.plan.folder.display().to_string();
        let reply = self.call("session/new", &json!({"cwd": folder, "mcpServers": []}))?;
        let Some(session) = reply.pointer("/result/sessionId").cloned() else { return self.no_session() };
        self.session = Some(session.clone());
        (self.on_step)(Step::SessionOpened);
        self.set_mode(&session, &reply)?;
        let plan = self.plan;
        for prompt in &plan.prompts {
            self.prompt(&session, prompt)?;
        }
        self.listen()
    }

    /// An agent that refuses a session may still print why: it is listened to.
    fn no_session(&mut self) -> Result<(), Stop> {
        self.listen()?;
        Err(Stop::Why(Why::NoSession))
    }

    fn set_mode(&mut self, session: &Value, opened: &Value) -> Result<(), Stop> {
        let plan = self.plan;
        let Some(mode) = &plan.mode else { return Ok(()) };
        let offered = opened.pointer("/result/modes/availableModes").and_then(Value::as_array);
        let known =
            offered.is_some_and(|modes| modes.iter().any(|offer| offer.get("id") == Some(&Value::from(&**mode))));
        if known {
            self.call("session/set_mode", &json!({"sessionId": session, "modeId": mode}))?;
        }
        Ok(())
    }

    fn prompt(&mut self, session: &Value, prompt: &str) -> Result<(), Stop> {
        let sent = self.watch.milliseconds();
        self.prompts.push(PromptEnd::Unanswered);
        let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": prompt}]});
        let id = self.send("session/prompt", &params);
        (self.on_step)(Step::PromptSent);
        let reply = self.reply_to(id)?;
        let after = self.watch.milliseconds() - sent;
        let (end, step) = if reply.get("error").is_some() {
            (PromptEnd::Failed(after), Step::Failed(after))
        } else {
            let reason = reply.pointer("/result/stopReason").and_then(Value::as_str).unwrap_or("none").to_owned();
            (PromptEnd::Answered(reason.clone(), after), Step::Answered(reason, after))
        };
        if let Some(last) = self.prompts.last_mut() {
            *last = end;
        }
        (self.on_step)(step);
        Ok(())
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Stop> {
        let id = self.send(method, params);
        self.reply_to(id)
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.pass_on(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// An agent that does not read gets nothing more; the deadline ends it.
    fn pass_on(&self, message: &Value) {
        if let Some(outgoing) = &self.outgoing {
            let _ = outgoing.try_send(line_of(message));
        }
    }

    fn reply_to(&mut self, id: u64) -> Result<Value, Stop> {
        loop {
            let wait = self.watch.left(self.limit);
            match self.next(wait)? {
                Some(message) if is_reply_to(&message, id) => return Ok(message),
                Some(message) => self.answer(&message),
                None if wait.is_zero() => return Err(Stop::Why(Why::Deadline)),
                None => {}
            }
        }
    }

    /// Listens on: text can come after the answer.
    fn listen(&mut self) -> Result<(), Stop> {
        let watch = Stopwatch::start();
        loop {
            let wait = watch.left(self.plan.linger).min(self.watch.left(self.limit));
            if wait.is_zero() {
                return Ok(());
            }
            match self.next(wait) {
                Ok(Some(message)) => self.answer(&message),
                Ok(None) => {}
                Err(Stop::Why(Why::AgentClosed)) => return Ok(()),
                Err(stop) => return Err(stop),
            }
        }
    }

    /// The next message, `None` when none came for a moment.
    fn next(&mut self, wait: Duration) -> Result<Option<Value>, Stop> {
        if self.plan.interrupted.load(Ordering::Relaxed) {
            return Err(Stop::Why(Why::Interrupted));
        }
        match self.incoming.recv_timeout(wait.min(LOOK)) {
            // A flood must not hide that the time is over.
            _ if wait.is_zero() => Ok(None),
            Ok(Incoming::Message(message)) => Ok(Some(message)),
            Ok(Incoming::Other) | Err(RecvTimeoutError::Timeout) => Ok(None),
            Ok(Incoming::Closed) | Err(RecvTimeoutError::Disconnected) => Err(Stop::Why(Why::AgentClosed)),
            Ok(Incoming::Failed(error)) => Err(Stop::Record(error)),
        }
    }

    fn answer(&mut self, message: &Value) {
        let (Some(method), Some(id)) = (message.get("method").and_then(Value::as_str), message.get("id")) else {
            return;
        };
        let answer = self.policy.answer(method, message.get("params").unwrap_or(&Value::Null));
        let reply = match answer.body {
            Body::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Body::Error(code, text) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}),
        };
        self.pass_on(&reply);
        if answer.denied {
            self.denied += 1;
            (self.on_step)(Step::Denied(method.to_owned()));
        }
    }
}

/// A response with our own id; anything else with an id is a request or an answer to somebody else.
fn is_reply_to(message: &Value, id: u64) -> bool {
    message.get("method").is_none()
        && message.get("id").and_then(Value::as_u64) == Some(id)
        && (message.get("result").is_some() || message.get("error").is_some())
}
