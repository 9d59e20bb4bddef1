//! Running an agent: against the lab, a proxy or whatever it is configured for.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;

use super::arguments::CaptureArguments;
use super::source;
use crate::cli::exit::Failure;
use crate::cli::lab::{LabChoice, show_events};
use crate::cli::output::Output;
use crate::report::style::{BAD, GOOD, STRONG, one_line, paint};
use crate::shell::agent::{
    CaptureError, Home, Launch, Outcome, Plan, Preset, Recorder, Route, Step, Why, capture, find_program, new_name,
    preset, search_path, transcripts,
};
use crate::shell::clock;
use crate::shell::lab::Lab;

/// A finished recording.
pub(super) struct Recorded {
    pub(super) path: PathBuf,
    pub(super) why: Why,
}

/// Variables for the agent: name, and value or removal.
type Environment = Vec<(OsString, Option<OsString>)>;

/// Records one run.
pub(super) fn run(arguments: &CaptureArguments, output: &mut Output) -> Result<Recorded, Failure> {
    let preset = arguments.preset.as_deref().map(preset).transpose().map_err(unusable)?;
    let lab = lab(arguments)?;
    let envelope = lab.as_ref().and_then(Lab::envelope).map(str::to_owned);
    let home = Home::create().map_err(unusable)?;
    let launch = launch(arguments, preset.as_ref(), lab.as_ref(), &home)?;
    let now = clock::now();
    let about = [preset.as_ref().map(|preset| preset.id.clone()), arguments.fault.clone()];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join("-");
    let about = if about.is_empty() { "agent".to_owned() } else { about };
    let facts = [
        ("mode", Value::from("client")),
        ("started", Value::from(now.to_string())),
        ("source", Value::from(source::origin(arguments, envelope.as_deref()))),
    ];
    let (path, recorder) = record_into(arguments, now, &about, &facts)?;
    let plan = Plan {
        folder: if launch.isolated { home.work() } else { here()? },
        launch,
        prompts: arguments.prompt.clone(),
        mode: preset.as_ref().and_then(|preset| preset.mode.clone()),
        deadline: Duration::from_secs(arguments.deadline),
        linger: Duration::from_millis(arguments.linger),
        allow_tools: arguments.allow_tools,
        interrupted: interruption()?,
    };
    let mut say = |step: Step| {
        if !output.quiet() {
            output.message(&describe(&step));
        }
    };
    let outcome = capture(&plan, &recorder, &mut say).map_err(|error| failed(&error, preset.as_ref()))?;
    if let Some(lab) = &lab {
        show_events(lab, output);
    }
    if !output.quiet() {
        output.message(&ended(&outcome));
    }
    Ok(Recorded { path, why: outcome.why })
}

/// The recorder of a new transcript, and its path.
pub(super) fn record_into(
    arguments: &CaptureArguments,
    now: jiff::Timestamp,
    about: &str,
    facts: &[(&str, Value)],
) -> Result<(PathBuf, Recorder), Failure> {
    let unwritable = |error: crate::shell::agent::RecorderError| {
        Failure::usage("refrain::capture::transcript", error.to_string())
            .help("`--transcript FILE` puts it elsewhere; an existing file is never written over")
    };
    let path = match &arguments.transcript {
        Some(path) => path.clone(),
        None => {
            let folder = transcripts(&arguments.root).map_err(unwritable)?;
            let folder = folder.strip_prefix(".").map(std::path::Path::to_path_buf).unwrap_or(folder);
            new_name(&folder, now, about)
        }
    };
    let recorder = Recorder::create(&path, facts).map_err(unwritable)?;
    Ok((path, recorder))
}

/// The variables of `--env`.
pub(super) fn environment(arguments: &CaptureArguments) -> Result<Environment, Failure> {
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((OsString::from(name), Some(OsString::from(value)))),
        _ => Err(Failure::usage("refrain::capture::env", "read `--env`: it is spelled NAME=VALUE")),
    };
    arguments.env.iter().map(pair).collect()
}

fn lab(arguments: &CaptureArguments) -> Result<Option<Lab>, Failure> {
    let Some(fault) = &arguments.fault else { return Ok(None) };
    let choice = LabChoice {
        fault,
        envelope: arguments.envelope.as_deref(),
        gateway: arguments.gateway.as_ref().map(crate::vocab::Gateway::as_str),
        fail_first: arguments.fail_first,
        text: arguments.model_text.as_deref(),
        port: 0,
    };
    choice.start().map(Some)
}

fn launch(
    arguments: &CaptureArguments,
    preset: Option<&Preset>,
    lab: Option<&Lab>,
    home: &Home,
) -> Result<Launch, Failure> {
    let own = environment(arguments)?;
    #[expect(clippy::disallowed_methods, reason = "the environment is read in cli")]
    let path = search_path(&absolute(&arguments.agents)?, std::env::var_os("PATH"));
    let base = lab.map(|lab| format!("http://{}", lab.address())).or_else(|| arguments.base_url.clone());
    let Some(preset) = preset else {
        if arguments.command.is_empty() {
            return Err(Failure::usage(
                "refrain::capture::no_command",
                "start an agent: no command and no preset is given",
            )
            .help("`refrain capture --preset claude --fault 529`, or `refrain capture -- <agent command>`"));
        }
        let mut environment: Environment =
            base.map(|base| ("REFRAIN_LAB".into(), Some(base.into()))).into_iter().collect();
        environment.extend(own);
        return Ok(Launch { command: arguments.command.clone(), environment, ..Launch::default() });
    };
    let Some(base) = base else {
        return Err(Failure::usage(
            "refrain::capture::no_provider",
            "use a preset: nothing says which provider it talks to",
        )
        .help("`--fault NAME` starts the lab, `--base-url URL` names a proxy"));
    };
    let gateway = arguments.gateway.as_ref().map_or("default", crate::vocab::Gateway::as_str);
    let mut launch = preset.launch(home, Route { gateway, base: &base }, path.clone()).map_err(unusable)?;
    if !arguments.command.is_empty() {
        launch.command.clone_from(&arguments.command);
    }
    let program = launch.command[0].to_string_lossy().into_owned();
    launch.command[0] = find_program(&program, &path).ok_or_else(|| missing(preset, arguments))?.into();
    launch.environment.extend(own);
    Ok(launch)
}

fn absolute(path: &std::path::Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::usage("refrain::capture::agents", error.to_string()))
}

fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::usage("refrain::capture::folder", error.to_string()))
}

/// Set by Ctrl-C and by a polite request to end.
pub(in crate::cli) fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, flag.clone())
            .map_err(|error| Failure::usage("refrain::capture::signals", format!("listen for signals: {error}")))?;
    }
    Ok(flag)
}

fn unusable(error: crate::shell::agent::PresetError) -> Failure {
    Failure::usage("refrain::capture::preset", error.to_string())
}

fn missing(preset: &Preset, arguments: &CaptureArguments) -> Failure {
    Failure::usage("refrain::capture::not_installed", format!("start `{}`: it is not installed", preset.command[0]))
        .help(super::super::doctor::install_line(preset, &arguments.agents))
}

fn failed(error: &CaptureError, preset: Option<&Preset>) -> Failure {
    let failure = Failure::usage("refrain::capture::failed", error.to_string());
    match (error, preset) {
        (CaptureError::Start(..), None) => failure.help("`refrain doctor` says which agents are installed"),
        _ => failure,
    }
}

fn describe(step: &Step) -> String {
    let seconds = |ms: u64| format!("{}.{} s", ms / 1_000, ms % 1_000 / 100);
    match step {
        Step::Started => "starting the agent".to_owned(),
        Step::Initialized(name, version) => {
            format!("initialized {} {}", paint(STRONG, &one_line(name, 80)), one_line(version, 40))
        }
        Step::SessionOpened => "session opened".to_owned(),
        Step::PromptSent => "prompt sent".to_owned(),
        Step::Denied(method) => format!("denied {}", one_line(method, 60)),
        Step::Failed(after) => format!("{} after {}", paint(BAD, "failed"), seconds(*after)),
        Step::Answered(reason, after) => {
            format!("{} with {} after {}", paint(GOOD, "answered"), one_line(reason, 40), seconds(*after))
        }
    }
}

fn ended(outcome: &Outcome) -> String {
    let exit = match (outcome.ending.exit.code, outcome.ending.exit.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown end".to_owned(),
    };
    let strays = match outcome.ending.strays {
        0 => String::new(),
        count => format!(", {count} of its processes killed"),
    };
    let why = match outcome.why {
        Why::Done => "",
        Why::Deadline => "the deadline passed; ",
        Why::AgentClosed => "the agent closed its output; ",
        Why::NoSession => "no session was opened; ",
        Why::Flooded => "the transcript is full; ",
        Why::Interrupted => "interrupted; ",
    };
    format!("{why}agent ended ({}, {exit}{strays})", outcome.ending.how)
}
