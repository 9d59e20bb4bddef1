//! The server: accepts on 127.0.0.1, counts the turns, keeps a log.

use std::io::{self, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::call::{Api, Call, Purpose};
use super::http::{Request, read_request};
use super::scenario::{Envelope, Facts, Fault, LabData};
use super::wire::{Context, Next, nothing_here, perform, side};
use crate::redact::Raw;
use crate::shell::clock::{self, Stopwatch};
use crate::shell::threads;

/// Most connections at a time; more are closed at once.
const CONNECTIONS: usize = 64;
/// Longest wait for the rest of a request that began.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How often an idle connection looks whether the lab ended.
const LOOK: Duration = Duration::from_millis(200);
/// Longest life of an idle connection.
const IDLE: Duration = Duration::from_secs(300);
/// Most events that are kept.
const EVENTS: usize = 10_000;

/// What a lab does.
#[derive(Debug, Clone)]
pub struct LabOptions {
    /// The fault.
    pub fault: Fault,
    /// The envelope of every error; each API's own provider when absent.
    pub envelope: Option<Envelope>,
    /// Only so many model requests get the fault, later ones succeed.
    pub fail_first: Option<usize>,
    /// What the model says where the fault has `{text}`.
    pub text: Option<String>,
    /// The port; 0 takes a free one.
    pub port: u16,
}

/// One request that the lab saw. What the agent wrote is raw: redact it before it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct LabEvent {
    /// Milliseconds since the lab began.
    pub t_ms: u64,
    /// `POST`, ...
    pub method: String,
    /// The path without its query.
    pub path: Raw<String>,
    /// Which API.
    pub api: Option<&'static str>,
    /// `turn 1`, `side request: title`, `unknown`.
    pub purpose: String,
    /// The model it names.
    pub model: Raw<String>,
    /// How many tools were offered.
    pub tools: usize,
    /// Whether the conversation holds a tool's result.
    pub tool_result: bool,
    /// How the agent authenticated: `x-api-key`, `bearer`, `x-goog-api-key`, `none`.
    pub credential: &'static str,
    /// Bytes of the body.
    pub body_bytes: usize,
    /// The last text of the conversation.
    pub last_text: Raw<String>,
    /// What the lab did.
    pub reply: String,
}

/// A running fault server. Dropping it ends it.
#[derive(Debug)]
pub struct Lab {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: LabOptions,
    data: LabData,
    address: SocketAddr,
    stop: AtomicBool,
    turns: AtomicUsize,
    connections: AtomicUsize,
    watch: Stopwatch,
    events: Mutex<Vec<LabEvent>>,
}

impl Lab {
    /// Binds 127.0.0.1 and serves until it is dropped.
    ///
    /// # Errors
    /// When the port can not be bound.
    pub fn start(options: LabOptions, data: LabData) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            options,
            data,
            address,
            stop: AtomicBool::new(false),
            turns: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            watch: Stopwatch::start(),
            events: Mutex::new(Vec::new()),
        });
        let served = shared.clone();
        threads::detached("lab", move || accept(&listener, &served))?;
        Ok(Self { address, shared })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The envelope of every error, when one was chosen.
    #[must_use]
    pub fn envelope(&self) -> Option<&str> {
        self.shared.options.envelope.as_ref().map(|envelope| envelope.id.as_str())
    }

    /// Takes the events since the last call.
    #[must_use]
    pub fn take_events(&self) -> Vec<LabEvent> {
        std::mem::take(&mut *self.shared.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many model turns it served.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.shared.turns.load(Ordering::Relaxed)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            threads::pause(Duration::from_millis(10));
            continue;
        };
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let served = shared.clone();
        let started = threads::detached("lab-connection", move || {
            // A connection that broke is the client's business.
            let _ = served.connection(stream);
            served.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Shared {
    fn connection(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
        let mut reader = BufReader::new(stream);
        while self.waits_for_request(&mut reader)? {
            reader.get_ref().set_read_timeout(Some(REQUEST_TIMEOUT))?;
            let Some(request) = read_request(&mut reader)? else { break };
            reader.get_ref().set_read_timeout(Some(LOOK))?;
            if self.serve(reader.get_mut(), &request)? == Next::Close {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the first byte of a request; `false` when the connection is over.
    fn waits_for_request(&self, reader: &mut BufReader<TcpStream>) -> io::Result<bool> {
        let idle = Stopwatch::start();
        reader.get_ref().set_read_timeout(Some(LOOK))?;
        let mut byte = [0];
        while reader.buffer().is_empty() {
            if self.stop.load(Ordering::Relaxed) || idle.left(IDLE).is_zero() {
                return Ok(false);
            }
            match reader.get_ref().peek(&mut byte) {
                Ok(0) => return Ok(false),
                Ok(_) => return Ok(true),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn serve(&self, stream: &mut TcpStream, request: &Request) -> io::Result<Next> {
        let call = Call::of(request);
        let head_only = request.method == "HEAD";
        let t_ms = self.watch.milliseconds();
        let (purpose, done) = match call.purpose {
            Purpose::Turn => {
                let number = self.turns.fetch_add(1, Ordering::Relaxed);
                (format!("turn {}", number + 1), self.turn(stream, &call, number))
            }
            Purpose::Side(what) => {
                let done = side(stream, &call, request.path(), head_only);
                (format!("side request: {what}"), done.map(|()| (Next::KeepAlive, "answered".to_owned())))
            }
            Purpose::Unknown => {
                let done = nothing_here(stream, head_only);
                // A tunnel would need TLS, which the lab does not speak: a client that is to believe in a host of its own
                // choice gets the lab as its plain HTTP proxy.
                let next = if request.method == "CONNECT" { Next::Close } else { Next::KeepAlive };
                ("unknown".to_owned(), done.map(|()| (next, "HTTP 404".to_owned())))
            }
        };
        let reply = match &done {
            Ok((_, reply)) => reply.clone(),
            Err(_) => "the client was gone".into(),
        };
        self.note(LabEvent {
            t_ms,
            method: request.method.clone(),
            path: Raw::new(request.path().to_owned()),
            api: call.api.map(Api::as_str),
            purpose,
            model: Raw::new(call.model),
            tools: call.tools.len(),
            tool_result: call.tool_result,
            credential: credential(request),
            body_bytes: request.body.len(),
            last_text: Raw::new(call.last_text),
            reply,
        });
        done.map(|(next, _)| next)
    }

    fn turn(&self, stream: &mut TcpStream, call: &Call, number: usize) -> io::Result<(Next, String)> {
        let options = &self.options;
        let succeeds = options.fail_first.is_some_and(|count| number >= count);
        let fault = if succeeds { self.data.faults.get("ok").unwrap_or(&options.fault) } else { &options.fault };
        let reply = fault.replies.get(number).or_else(|| fault.replies.last());
        let own = call.api.map_or("anthropic", Api::own_envelope);
        let envelope = options.envelope.as_ref().or_else(|| self.data.envelopes.get(own));
        let (Some(reply), Some(envelope)) = (reply, envelope) else {
            return nothing_here(stream, false).map(|()| (Next::Close, "no such envelope".into()));
        };
        let host = self.address.to_string();
        let text = options.text.as_deref().or(fault.text.as_deref()).unwrap_or("Hello from the lab.");
        let unfilled = Facts { text, host: &host, model: &call.model, now: clock::now() };
        let text = unfilled.fill(text);
        let facts = Facts { text: &text, ..unfilled };
        perform(stream, call, reply, &Context { envelope, facts, number: number + 1, stop: &self.stop })
    }

    fn note(&self, event: LabEvent) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < EVENTS {
            events.push(event);
        }
    }
}

fn credential(request: &Request) -> &'static str {
    if request.header("x-api-key").is_some() {
        "x-api-key"
    } else if request.header("authorization").is_some() {
        "bearer"
    } else if request.header("x-goog-api-key").is_some() {
        "x-goog-api-key"
    } else {
        "none"
    }
}
