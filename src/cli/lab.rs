//! `refrain lab`: the fault server on its own, and the choice of a fault for `capture`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::redact::{Payload, Raw, Redactor};
use crate::report::check::count;
use crate::report::style::{STRONG, one_line, pad, paint};
use crate::shell::lab::{Lab, LabData, LabEvent, LabOptions};
use crate::shell::threads::pause;
use crate::text::closest;

/// Longest text of an agent that the log shows, in characters.
const TEXT_CHARACTERS: usize = 80;

/// Arguments of `lab`.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// What goes wrong; without it, the list of faults and envelopes.
    #[arg(long, value_name = "FAULT")]
    pub fault: Option<String>,
    /// Whose spelling of an error is used; that of the API's own provider when absent.
    #[arg(long, value_name = "ENVELOPE")]
    pub envelope: Option<String>,
    /// Let only so many model requests fail.
    #[arg(long, value_name = "N")]
    pub fail_first: Option<usize>,
    /// What the model says; `{host}` is the lab's host and port.
    #[arg(long, value_name = "TEXT")]
    pub model_text: Option<String>,
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

/// Serves until it is interrupted; the address is the first line on stdout.
pub(super) fn run(arguments: &LabArguments, output: &mut Output) -> Result<Exit, Failure> {
    let Some(fault) = &arguments.fault else {
        output.result(&output.fitted(catalogue()?));
        return Ok(Exit::Clean);
    };
    let interrupted = super::capture::interruption()?;
    let choice = LabChoice {
        fault,
        envelope: arguments.envelope.as_deref(),
        gateway: None,
        fail_first: arguments.fail_first,
        text: arguments.model_text.as_deref(),
        port: arguments.port,
    };
    let lab = choice.start()?;
    output.result(&format!("http://{}\n", lab.address()));
    while !interrupted.load(Ordering::Relaxed) {
        show_events(&lab, output);
        pause(Duration::from_millis(100));
    }
    show_events(&lab, output);
    Ok(Exit::Interrupted)
}

/// Which fault, in whose words.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabChoice<'a> {
    pub(super) fault: &'a str,
    pub(super) envelope: Option<&'a str>,
    /// A gateway whose envelope is taken when none is named and there is one of its name.
    pub(super) gateway: Option<&'a str>,
    pub(super) fail_first: Option<usize>,
    pub(super) text: Option<&'a str>,
    pub(super) port: u16,
}

impl LabChoice<'_> {
    /// Starts the lab.
    pub(super) fn start(self) -> Result<Lab, Failure> {
        let data = data()?;
        let known = |ids: Vec<&String>| ids.into_iter().cloned().collect::<Vec<_>>().join(", ");
        let fault = data.faults.get(self.fault).cloned().ok_or_else(|| {
            let near = closest(self.fault, data.faults.keys().map(String::as_str), 2);
            let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            Failure::usage("refrain::lab::unknown_fault", format!("find the fault `{}`", self.fault))
                .help(format!("{near}known are {}", known(data.faults.keys().collect())))
        })?;
        let envelope = match self.envelope {
            Some(id) => Some(data.envelopes.get(id).cloned().ok_or_else(|| {
                Failure::usage("refrain::lab::unknown_envelope", format!("speak as `{id}`: there is no such envelope"))
                    .help(format!("known are {}", known(data.envelopes.keys().collect())))
            })?),
            None => self.gateway.and_then(|gateway| data.envelopes.get(gateway)).cloned(),
        };
        let text = self.text.map(str::to_owned);
        let options = LabOptions { fault, envelope, fail_first: self.fail_first, text, port: self.port };
        Lab::start(options, data).map_err(|error| {
            Failure::usage("refrain::lab::bind", format!("listen on 127.0.0.1 port {}: {error}", self.port))
        })
    }
}

fn data() -> Result<LabData, Failure> {
    LabData::embedded().map_err(|error| Failure::usage("refrain::lab::data", error.to_string()))
}

fn catalogue() -> Result<String, Failure> {
    let data = data()?;
    let mut text = format!("{}\n", paint(STRONG, "faults"));
    for fault in data.faults.values() {
        text.push_str(&format!("  {}  {}\n", pad(&fault.id, 18), fault.title));
    }
    text.push_str(&format!("{}\n", paint(STRONG, "envelopes")));
    for envelope in data.envelopes.values() {
        text.push_str(&format!("  {}  {}\n", pad(&envelope.id, 18), envelope.title));
    }
    Ok(text)
}

/// Writes what the lab saw since the last call, redacted. Tunnels of one call are one line.
pub(super) fn show_events(lab: &Lab, output: &mut Output) {
    let events = lab.take_events();
    if output.quiet() {
        return;
    }
    let (tunnels, requests): (Vec<_>, Vec<_>) = events.iter().partition(|event| event.method == "CONNECT");
    if let Some(first) = tunnels.first() {
        let host = clean(&first.path);
        let count = count(tunnels.len(), "connection");
        output.message(&format!("lab: kept {count} of the agent on this machine, the first to {host}"));
    }
    for event in requests {
        output.message(&line(event));
    }
}

fn clean(raw: &Raw<String>) -> String {
    let clean = Redactor::embedded().clean::<Payload>(Raw::new(raw.as_inner().as_str()));
    one_line(clean.as_str(), TEXT_CHARACTERS)
}

fn line(event: &LabEvent) -> String {
    let tools = match (event.tools, event.tool_result) {
        (0, _) => String::new(),
        (count, false) => format!(", {count} tools"),
        (count, true) => format!(", {count} tools and a result"),
    };
    format!(
        "lab: {} ({} {}, model {}, credential {}, {} bytes{tools}) \"{}\" → {}",
        event.purpose,
        one_line(&event.method, 10),
        clean(&event.path),
        clean(&event.model),
        event.credential,
        event.body_bytes,
        clean(&event.last_text),
        event.reply,
    )
}
