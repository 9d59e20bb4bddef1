//! Running tasks on this thread until everything is at rest.
//!
//! Invariant: `run` returns only when no task can go on; the number of steps is bounded, so it always returns.
//!
//! Must not know: what the tasks do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::StreamExt as _;
use futures::future::LocalBoxFuture;
use futures::stream::FuturesUnordered;

use crate::replay::ExchangeError;

/// Most polls of one run. A replay needs a few per message; a livelock would need this many.
const STEP_LIMIT: usize = 1_000_000;

/// Whether a task that is not being polled was woken.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// Tasks of one thread. Unlike an executor's pool they may borrow.
#[derive(Default)]
pub(super) struct Tasks<'t> {
    running: FuturesUnordered<LocalBoxFuture<'t, Result<(), ExchangeError>>>,
}

impl<'t> Tasks<'t> {
    pub(super) fn add(&mut self, task: LocalBoxFuture<'t, Result<(), ExchangeError>>) {
        self.running.push(task);
    }

    /// Runs until no task can go on by itself.
    ///
    /// # Errors
    /// The error of a task, or the deadline.
    pub(super) fn run(&mut self) -> Result<(), ExchangeError> {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        for _ in 0..STEP_LIMIT {
            woken.0.store(false, Ordering::Release);
            match self.running.poll_next_unpin(&mut context) {
                Poll::Ready(Some(finished)) => finished?,
                Poll::Ready(None) => return Ok(()),
                Poll::Pending if !woken.0.load(Ordering::Acquire) => return Ok(()),
                Poll::Pending => {}
            }
        }
        Err(ExchangeError::Deadline { steps: STEP_LIMIT })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;
    use futures::channel::oneshot;

    #[test]
    fn rest_is_when_nothing_can_go_on_and_a_livelock_ends() {
        let (sender, receiver) = oneshot::channel::<()>();
        let reached = std::cell::Cell::new(false);
        let mut tasks = Tasks::default();
        tasks.add(
            async { receiver.await.map_err(|_| ExchangeError::OverConsumed).map(|()| reached.set(true)) }.boxed_local(),
        );
        assert_eq!(tasks.run(), Ok(()));
        assert!(!reached.get(), "the task waits for what nobody has sent");
        sender.send(()).unwrap();
        assert_eq!(tasks.run(), Ok(()));
        assert!(reached.get());
        tasks.add(
            futures::future::poll_fn(|context| {
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .boxed_local(),
        );
        assert_eq!(tasks.run(), Err(ExchangeError::Deadline { steps: STEP_LIMIT }));
    }
}
