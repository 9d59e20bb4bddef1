//! Arguments, wiring, exit codes; one file per subcommand.
//!
//! Invariant: machine output goes to stdout, messages to stderr; every way to end has a documented exit code.
//!
//! Must not know: rules of any kind.

mod arguments;
mod exit;
mod explain;
mod output;

mod canon;
#[cfg(unix)]
mod capture;
mod check;
mod classify;
#[cfg(unix)]
mod clean;
mod describe;
mod diff;
#[cfg(unix)]
mod doctor;
mod init;
#[cfg(unix)]
mod lab;
mod list;
mod project;
mod redact;
mod replay;
mod shapes;
mod simulate;

use clap::Parser as _;

pub use arguments::Arguments;
pub use exit::Exit;

use arguments::Command;
use output::Output;

/// Runs the tool with the process's arguments.
#[must_use]
pub fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let usage = error.use_stderr();
            // A closed pipe is no reason to complain about the complaint.
            let _ = error.print();
            return if usage { Exit::Usage } else { Exit::Clean };
        }
    };
    let watch = crate::shell::clock::Stopwatch::start();
    let mut output = Output::new(&arguments.global);
    let result = match arguments.command {
        Command::Check(check) => check::run(&check, &mut output),
        Command::Replay(replay) => replay::run(&replay, &mut output),
        Command::Classify(classify) => classify::run(&classify, &mut output),
        Command::Explain(explain) => explain::run(&explain, &mut output),
        Command::Redact(redact) => redact::run(&redact, &mut output),
        Command::Canon(canon) => canon::run(&canon, &mut output),
        Command::Diff(diff) => diff::run(&diff, &mut output),
        Command::List(list) => list::run(&list, &mut output),
        Command::Init(init) => init::run(&init, &mut output),
        Command::Schema(schema) => Ok(describe::schemas(&schema, &mut output)),
        Command::Completions(completions) => Ok(describe::completions(&completions, &mut output)),
        Command::Man(man) => describe::man(&man, &mut output),
        Command::Simulate(simulate) => simulate::run(&simulate, &mut output),
        #[cfg(unix)]
        Command::Capture(capture) => capture::run(*capture, &mut output),
        #[cfg(unix)]
        Command::Lab(lab) => lab::run(&lab, &mut output),
        #[cfg(unix)]
        Command::Doctor(doctor) => doctor::run(&doctor, &mut output),
        #[cfg(unix)]
        Command::Clean(clean) => clean::run(&clean, &mut output),
    };
    output.detail(|| format!("time: {:.3} s", watch.seconds()));
    match result {
        Ok(exit) => output.end(exit),
        Err(failure) => output.failure(&failure),
    }
}
