//! Stands between an editor and an agent: both directions pass byte for byte, each line recorded before it is passed on.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::client::CaptureError;
use super::process::{Exit, Launch, Process, Target};
use super::recorder::Recorder;
use super::stream::{Then, for_each_line};
use crate::recording::write::Direction;
use crate::shell::threads;

/// How long the tee waits for output that a descendant still holds after the agent ended.
const DRAIN: Duration = Duration::from_secs(2);

/// What a tee saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeeOutcome {
    /// How the agent ended; pass it on.
    pub exit: Exit,
    /// Whether everything that passed is in the transcript.
    pub complete: bool,
}

/// Runs the agent and passes on stdin, stdout, stderr and signals until it ends. A transcript that can not be written
/// any more never stops the traffic.
///
/// # Errors
/// When the command can not be started.
pub fn tee(
    launch: &Launch,
    recorder: &Recorder,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    errors: impl Write + Send + 'static,
) -> Result<TeeOutcome, CaptureError> {
    let program = launch.command.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
    let failed = |error| CaptureError::Start(program.clone(), error);
    let missing = || failed(io::Error::other("a stream of the process is missing"));
    let mut process = Process::start(launch, None).map_err(failed)?;
    let child = process.child();
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let stderr = child.stderr.take().ok_or_else(missing)?;
    let incomplete = Arc::new(AtomicBool::new(false));
    let tap = |recorder: &Recorder, stream| Tap { recorder: recorder.clone(), stream, incomplete: incomplete.clone() };
    let (to_agent, to_client, to_errors) =
        (tap(recorder, Some(Direction::ToAgent)), tap(recorder, Some(Direction::ToClient)), tap(recorder, None));
    forward_signals(process.target()).map_err(failed)?;
    threads::detached("tee-stdin", move || pass(input, stdin, &to_agent)).map_err(failed)?;
    let readers = [
        threads::awaited("tee-stdout", move || pass(stdout, output, &to_client)).map_err(failed)?,
        threads::awaited("tee-stderr", move || pass(stderr, errors, &to_errors)).map_err(failed)?,
    ];
    while !process.ended_within(Duration::from_secs(3_600)) {}
    let drained = readers.iter().filter(|reader| reader.within(DRAIN)).count() == readers.len();
    let exit = process.reap().map_err(failed)?;
    let complete = drained && !incomplete.load(Ordering::Relaxed);
    // The traffic is over: a transcript that lost its end is said in the outcome.
    let recorded = recorder.exit(exit, "self_exit", &[("complete", Value::from(complete))]).is_ok();
    Ok(TeeOutcome { exit, complete: complete && recorded })
}

struct Tap {
    recorder: Recorder,
    stream: Option<Direction>,
    incomplete: Arc<AtomicBool>,
}

impl Tap {
    fn record(&self, line: &[u8]) {
        let recorded = match self.stream {
            Some(direction) => self.recorder.line(direction, line),
            None => self.recorder.stderr(line),
        };
        if recorded.is_err() {
            self.incomplete.store(true, Ordering::Relaxed);
        }
    }
}

/// Dropping both ends at the end of the stream is how a close travels on, in either direction.
fn pass(from: impl Read, mut to: impl Write, tap: &Tap) {
    let _ = for_each_line(from, |line| {
        tap.record(line);
        let passed = to.write_all(line).and_then(|()| to.flush());
        if passed.is_ok() { Then::GoOn } else { Then::Stop }
    });
}

/// Signals that end or inform a program go to the agent; the tee itself ends when the agent does. What a terminal sends
/// to a whole group goes to the agent's group.
fn forward_signals(target: Target) -> io::Result<()> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH])?;
    threads::detached("tee-signals", move || {
        for number in &mut signals {
            match number {
                SIGHUP => target.group(Signal::HUP),
                SIGINT => target.group(Signal::INT),
                SIGQUIT => target.group(Signal::QUIT),
                SIGTERM => target.process(Signal::TERM),
                SIGUSR1 => target.process(Signal::USR1),
                SIGUSR2 => target.process(Signal::USR2),
                SIGCONT => target.process(Signal::CONT),
                _ => target.process(Signal::WINCH),
            }
        }
    })
}
