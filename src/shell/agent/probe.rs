//! What a program says about itself.

use std::ffi::OsString;
use std::io::Read as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::process::{Launch, Process};
use crate::shell::threads;

/// Most output that is looked at.
const OUTPUT_BYTES: u64 = 4_096;

/// Runs `program --version` for at most five seconds; the first line it prints.
#[must_use]
pub fn version_of(program: &std::path::Path, path: &OsString) -> Option<String> {
    let launch = Launch {
        command: vec![program.into(), "--version".into()],
        environment: vec![("PATH".into(), Some(path.clone()))],
        ..Launch::default()
    };
    let mut process = Process::start(&launch, None).ok()?;
    drop(process.child().stdin.take());
    let stdout = process.child().stdout.take()?;
    let (sender, receiver) = channel();
    let started = threads::detached("version", move || {
        let mut text = Vec::new();
        // Whatever was read until it failed is what there is.
        let _ = stdout.take(OUTPUT_BYTES).read_to_end(&mut text);
        let _ = sender.send(text);
    });
    let text = started.ok().and_then(|()| receiver.recv_timeout(Duration::from_secs(5)).ok());
    // Whether it ended or not, nothing stays behind.
    let _ = process.finish();
    let text = String::from_utf8_lossy(&text?).into_owned();
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}
