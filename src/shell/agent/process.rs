//! One child process with a group of its own, its end, and the certainty that nothing of it stays behind.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use crate::shell::threads::{self, Ended};

/// The variable whose value marks every process of one run, also one that left the process group.
#[cfg(target_os = "linux")]
const MARK: &str = "REFRAIN_RUN";

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables that are set; an absent value removes the variable.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Whether only [`Launch::environment`] is passed on, nothing of our own.
    pub isolated: bool,
    /// The folder it runs in; ours when absent.
    pub folder: Option<PathBuf>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Exit code; absent when a signal ended it.
    pub code: Option<i32>,
    /// Signal number.
    pub signal: Option<i32>,
}

impl Exit {
    /// The code a shell would give: the exit code, or 128 and the signal's number.
    #[must_use]
    pub fn shell_code(self) -> u8 {
        let code = self.code.unwrap_or_else(|| 128 + self.signal.unwrap_or(0));
        u8::try_from(code & 0xff).unwrap_or(u8::MAX)
    }
}

/// A running child.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    pid: Pid,
    ended: Ended,
    mark: Option<String>,
}

impl Process {
    /// Starts the command in a process group of its own. With a mark, every descendant can be found at the end.
    ///
    /// # Errors
    /// When it can not be started.
    pub(super) fn start(launch: &Launch, mark: Option<String>) -> io::Result<Self> {
        let (program, arguments) =
            launch.command.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no command"))?;
        #[expect(clippy::disallowed_methods, reason = "this is where a child process is started")]
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if launch.isolated {
            command.env_clear();
        }
        for (name, value) in &launch.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        #[cfg(target_os = "linux")]
        if let Some(mark) = &mark {
            command.env(MARK, mark);
        }
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            let _ = child.kill();
            return Err(io::Error::other("the process has no usable number"));
        };
        // The end is observed without reaping: until `finish` the number of the group can not belong to anybody else.
        let ended = threads::awaited("agent-exit", move || {
            while matches!(
                waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT),
                Err(rustix::io::Errno::INTR)
            ) {}
        })?;
        Ok(Self { child, pid, ended, mark })
    }

    /// The streams; each can be taken once.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the end, at most this long; whether it came.
    pub(super) fn ended_within(&self, limit: Duration) -> bool {
        self.ended.within(limit)
    }

    /// What sends a signal to this process or to its whole group.
    pub(super) const fn target(&self) -> Target {
        Target(self.pid)
    }

    /// Kills what is left of the group and of everything that carries the mark, and reaps the child. The number of
    /// marked processes that had left the group.
    pub(super) fn finish(mut self) -> io::Result<(Exit, usize)> {
        // A group whose members are all gone is what is wanted.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let status = self.child.wait()?;
        let strays = self.mark.as_deref().map_or(0, kill_marked);
        Ok((Exit { code: status.code(), signal: status.signal() }, strays))
    }

    /// Reaps the child and leaves its group alone, as a tee must.
    pub(super) fn reap(mut self) -> io::Result<Exit> {
        let status = self.child.wait()?;
        Ok(Exit { code: status.code(), signal: status.signal() })
    }
}

/// Where signals go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target(Pid);

impl Target {
    /// To every process of the group.
    pub(super) fn group(self, signal: Signal) {
        let _ = kill_process_group(self.0, signal);
    }

    /// To the child alone.
    pub(super) fn process(self, signal: Signal) {
        let _ = kill_process(self.0, signal);
    }
}

/// Kills every process whose environment carries the mark, until a pass finds none (at most 20 passes).
#[cfg(target_os = "linux")]
fn kill_marked(mark: &str) -> usize {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let mut killed = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let found = marked(&wanted);
        if found.is_empty() {
            break;
        }
        killed.extend(found);
        threads::pause(Duration::from_millis(5));
    }
    killed.len()
}

/// One pass. The handle is opened before the environment is read, so the signal reaches the process that was looked at.
#[cfg(target_os = "linux")]
fn marked(wanted: &[u8]) -> Vec<i32> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|number| {
            let Some(pid) = Pid::from_raw(*number) else { return false };
            let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
            let environment = crate::shell::disk::read(std::path::Path::new(&format!("/proc/{number}/environ")));
            let carries =
                environment.is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|variable| variable == wanted));
            carries && pidfd_send_signal(&handle, Signal::KILL).is_ok()
        })
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn kill_marked(_mark: &str) -> usize {
    0
}
