//! Kills a process between every two calls of the durable notice store, and in the middle of calls, and reopens the file.
//!
//! Its own `main`, because this program is also the process that is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::time::Duration;

use refrain::recovery::notice::{MemoryStore, Notice, NoticeFacts, NoticeId, NoticeState, NoticeStore};
use refrain::recovery::retry::{Input, Requester, RetryOwner};
use refrain::redact::{Raw, Redactor};
use refrain::shell::store::{DurableStore, OpenError};
use refrain::vocab::{AgentId, Code, SessionId, TaskId};

const AS_CHILD: &str = "--as-child";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    if let [_, flag, path] = arguments.as_slice()
        && flag == AS_CHILD
    {
        child(Path::new(path));
        return ExitCode::SUCCESS;
    }
    let mut wrong = Vec::new();
    let mut kills = 0;
    for confirmed in 0..=CALLS {
        kills += 1;
        wrong.extend(killed_after(confirmed));
    }
    // In the middle of each call, sooner and later.
    for number in 0..CALLS {
        for microseconds in [0, 50, 200, 500, 1_000, 2_000] {
            kills += 1;
            wrong.extend(killed_during(number, Duration::from_micros(microseconds)));
        }
    }
    println!("{kills} kills, {} wrong", wrong.len());
    for problem in &wrong {
        println!("{problem}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Number of calls that the child makes.
const CALLS: usize = 9;

fn session(name: &str) -> SessionId {
    SessionId::new(name).expect("a session")
}

fn notice(name: &str, attempt: u8, state: NoticeState) -> Notice {
    let facts = NoticeFacts {
        session: session(name),
        round: 1,
        code: Code::ProviderOverloaded,
        provider: AgentId::new("some-agent").expect("an agent"),
        attempt,
        max_attempts: 5,
        deadline: jiff::Timestamp::from_second(1_800_000_000 + i64::from(attempt)).expect("an instant"),
    };
    let reason = Redactor::embedded().clean(Raw::new(&format!("reason of attempt {attempt}")));
    Notice::new(facts, Some(reason), state)
}

/// A loop of three attempts with a duplicate that is consolidated, next to another session.
fn call(store: &mut dyn NoticeStore, number: usize) {
    let (one, two) = (NoticeId::new(1), NoticeId::new(2));
    let done = match number {
        0 => store.write(one, &notice("other", 1, NoticeState::Waiting)),
        1 => store.write(two, &notice("own", 1, NoticeState::Waiting)),
        2 => store.write(one, &notice("own", 1, NoticeState::Waiting)),
        3 => store.write(one, &notice("own", 1, NoticeState::Retrying)),
        4 => store.write(one, &notice("own", 2, NoticeState::Waiting)),
        5 => store.delete(&session("own"), two),
        6 => store.write(one, &notice("own", 2, NoticeState::Retrying)),
        7 => store.write(one, &notice("own", 3, NoticeState::Waiting)),
        _ => store.delete(&session("own"), one),
    };
    done.expect("a working store");
}

/// What the law promises after that many confirmed calls.
fn promised(calls: usize) -> String {
    let mut model = MemoryStore::default();
    (0..calls).for_each(|number| call(&mut model, number));
    content(&mut model)
}

fn content(store: &mut dyn NoticeStore) -> String {
    ["own", "other"].map(|name| format!("{:?}", store.list(&session(name)))).join("\n")
}

/// Makes each call when a line comes, and confirms it with a line.
fn child(path: &Path) {
    let mut store = DurableStore::open(path).expect("the child's store");
    let mut lines = std::io::stdin().lines();
    say("open");
    for number in 0..CALLS {
        if lines.next().is_none() {
            return;
        }
        call(&mut store, number);
        say("done");
    }
    // Stays until it is killed.
    let _ = lines.next();
}

fn say(word: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{word}").and_then(|()| out.flush());
}

struct Started {
    child: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Started {
    #[expect(clippy::disallowed_methods, reason = "the test is about processes")]
    fn new(path: &Path) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .arg(AS_CHILD)
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let input = child.stdin.take().expect("its stdin");
        let output = BufReader::new(child.stdout.take().expect("its stdout"));
        let mut started = Self { child, input, output };
        started.hear("open");
        started
    }

    fn ask(&mut self) {
        self.input.write_all(b"\n").and_then(|()| self.input.flush()).expect("a child that reads");
    }

    fn hear(&mut self, expected: &str) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a child that speaks");
        assert_eq!(line.trim_end(), expected);
    }

    fn step(&mut self) {
        self.ask();
        self.hear("done");
    }

    fn kill(mut self) {
        self.child.kill().expect("a child to kill");
        self.child.wait().expect("a dead child");
    }
}

fn killed_after(confirmed: usize) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notices");
    let mut started = Started::new(&path);
    (0..confirmed).for_each(|_| started.step());
    if !matches!(DurableStore::open(&path), Err(OpenError::Locked)) {
        return Some(format!("after {confirmed} calls: the file of a living process could be opened"));
    }
    started.kill();
    reopened(&path, &[promised(confirmed)], &format!("after {confirmed} calls"))
}

#[expect(clippy::disallowed_methods, reason = "the moment of the kill has to lie inside a call")]
fn killed_during(number: usize, delay: Duration) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notices");
    let mut started = Started::new(&path);
    (0..number).for_each(|_| started.step());
    started.ask();
    std::thread::sleep(delay);
    started.kill();
    reopened(&path, &[promised(number), promised(number + 1)], &format!("{delay:?} into call {number}"))
}

/// Reopening gives what was promised; a new owner then leaves nothing of its session and everything of the other.
fn reopened(path: &Path, promised: &[String], when: &str) -> Option<String> {
    let mut store = match DurableStore::open(path) {
        Ok(store) => store,
        Err(error) => return Some(format!("{when}: failed to {error}")),
    };
    let got = content(&mut store);
    if !promised.contains(&got) {
        return Some(format!("{when}: expected one of {promised:#?}, got {got}"));
    }
    let other = store.list(&session("other"));
    let task = TaskId::new("task").expect("a task");
    let requester = Requester { task: task.clone(), session: session("own"), permitted: true };
    RetryOwner::new(task, session("own")).on(Input::Sweep(requester), jiff::Timestamp::UNIX_EPOCH, &mut store);
    let own = store.list(&session("own"));
    if own != Ok(Vec::new()) || store.list(&session("other")) != other {
        return Some(format!("{when}: after the sweep of a new owner: {own:?}, {other:?}"));
    }
    None
}
