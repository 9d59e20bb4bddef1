//! Where a thread of its own is started: streams of a child process and connections of the fault server.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Starts a named thread that nobody joins; it ends with its stream.
///
/// # Errors
/// When the machine has no thread left.
pub(crate) fn detached(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Starts a named thread whose end can be waited for.
///
/// # Errors
/// When the machine has no thread left.
pub(crate) fn awaited(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<Ended> {
    let (sender, receiver) = channel::<()>();
    detached(name, move || {
        // Dropped when the work is over, also by a panic: that is the message.
        let _sender = sender;
        work();
    })?;
    Ok(Ended(receiver))
}

/// The end of a thread.
#[derive(Debug)]
pub(crate) struct Ended(Receiver<()>);

impl Ended {
    /// Waits for the end, at most this long; whether it came.
    pub(crate) fn within(&self, limit: Duration) -> bool {
        matches!(self.0.recv_timeout(limit), Err(RecvTimeoutError::Disconnected))
    }
}

/// Lets time pass. Only the machine room waits for the wall clock.
pub(crate) fn pause(duration: Duration) {
    std::thread::park_timeout(duration);
}
