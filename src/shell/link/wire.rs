//! A pipe of lines in memory: what one end writes as a line of JSON, the other end reads and parses.
//!
//! Invariant: lines arrive in order and whole; hanging up loses none that was written before.
//!
//! Must not know: JSON-RPC.

use std::io;

use agent_client_protocol::Lines;
use futures::channel::mpsc::{SendError, UnboundedReceiver, UnboundedSender, unbounded};
use futures::sink::SinkMapErr;
use futures::stream::Map;
use futures::{SinkExt as _, StreamExt as _};

/// What the SDK writes to.
type Writer = SinkMapErr<UnboundedSender<String>, fn(SendError) -> io::Error>;
/// What the SDK reads from.
type Reader = Map<UnboundedReceiver<String>, fn(String) -> io::Result<String>>;

/// One end of the pipe.
pub(super) struct End {
    outgoing: UnboundedSender<String>,
    incoming: UnboundedReceiver<String>,
}

/// Ends the connection of one end, as its process would.
pub(super) struct HangUp(UnboundedSender<String>);

/// Two connected ends.
pub(super) fn pair() -> (End, End) {
    let (to_second, from_first) = unbounded();
    let (to_first, from_second) = unbounded();
    (End { outgoing: to_second, incoming: from_second }, End { outgoing: to_first, incoming: from_first })
}

impl End {
    /// A handle that ends what this end writes.
    pub(super) fn hang_up(&self) -> HangUp {
        HangUp(self.outgoing.clone())
    }

    /// The end as a transport of the SDK.
    pub(super) fn into_lines(self) -> Lines<Writer, Reader> {
        let closed: fn(SendError) -> io::Error = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        Lines::new(self.outgoing.sink_map_err(closed), self.incoming.map(Ok as fn(String) -> io::Result<String>))
    }
}

impl HangUp {
    pub(super) fn now(&self) {
        self.0.close_channel();
    }
}
