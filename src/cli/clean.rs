//! `refrain clean`: removes raw transcripts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::report::check::count;
use crate::shell::agent::older_than;
use crate::shell::tree::root_above;

/// Arguments of `clean`.
#[derive(Debug, Args)]
pub struct CleanArguments {
    /// Only what was last written longer ago, such as `7d`, `12h`, `30m`; `0d` is everything.
    #[arg(long, value_name = "AGE", default_value = "7d", value_parser = age)]
    pub older_than: Duration,
    /// Say what would be removed, remove nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
}

/// Removes transcripts.
pub(super) fn run(arguments: &CleanArguments, output: &mut Output) -> Result<Exit, Failure> {
    let above = if arguments.root == Path::new(".") { root_above() } else { None };
    let old = older_than(above.as_ref().unwrap_or(&arguments.root), arguments.older_than)
        .map_err(|error| Failure::usage("refrain::clean::unreadable", error.to_string()))?;
    let (mut bytes, mut kept) = (0, None);
    for (path, size) in &old {
        if !arguments.dry_run
            && let Err(error) = std::fs::remove_file(path)
        {
            kept = Some(Failure::usage("refrain::clean::kept", format!("remove {}: {error}", path.display())));
            continue;
        }
        bytes += size;
        output.result(&format!("{}\n", path.display()));
    }
    if !output.quiet() {
        let done = if arguments.dry_run { "would be removed" } else { "removed" };
        let transcripts = count(old.len(), "transcript");
        output.message(&format!("{transcripts}, {} KiB {done}", bytes.div_ceil(1_024)));
    }
    kept.map_or(Ok(Exit::Clean), Err)
}

fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "an age is a number and one of s, m, h, d, such as 7d".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ages_are_numbers_with_a_unit() {
        for (text, expected) in [
            ("7d", Some(604_800)),
            ("0d", Some(0)),
            ("90m", Some(5_400)),
            ("7", None),
            ("", None),
            ("d", None),
            ("ü", None),
        ] {
            assert_eq!(super::age(text).ok().map(|age| age.as_secs()), expected, "{text}");
        }
    }
}
