//! What a fixture says about its origin: the command, without anything private.

use super::arguments::CaptureArguments;

/// Longest argument of the agent's command that is kept whole, in bytes.
const ARGUMENT_BYTES: usize = 60;

/// The command as a person would type it again, and what the agent talked to.
pub(super) fn origin(arguments: &CaptureArguments, envelope: Option<&str>) -> String {
    let provider = match (&arguments.provider, &arguments.fault, envelope) {
        (Some(provider), _, _) => provider.clone(),
        (None, Some(_), Some(envelope)) => format!("the fault lab, envelope {envelope}"),
        (None, Some(_), None) => "the fault lab, the envelope of each API".to_owned(),
        (None, None, _) => return command(arguments),
    };
    format!("{}; provider: {provider}", command(arguments))
}

/// Values of variables, texts and addresses are left out.
fn command(arguments: &CaptureArguments) -> String {
    let mut words = vec!["refrain".to_owned(), "capture".to_owned()];
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push(format!("--{name}"));
            words.push(quoted(&value));
        }
    };
    option("gateway", arguments.gateway.as_ref().map(ToString::to_string));
    option("case", arguments.case.map(|case| case.to_string()));
    option("scenario", arguments.scenario.clone());
    option("preset", arguments.preset.clone());
    option("fault", arguments.fault.clone());
    option("envelope", arguments.envelope.clone());
    option("fail-first", arguments.fail_first.map(|count| count.to_string()));
    option("model-text", arguments.model_text.as_ref().map(|_| "…".to_owned()));
    option("base-url", arguments.base_url.as_ref().map(|_| "…".to_owned()));
    for variable in &arguments.env {
        option("env", variable.split_once('=').map(|(name, _)| format!("{name}=…")));
    }
    if arguments.allow_tools {
        words.push("--allow-tools".to_owned());
    }
    if let Some((program, rest)) = arguments.command.split_first() {
        words.push("--".to_owned());
        let program = program.to_string_lossy();
        words.push(quoted(program.rsplit('/').next().unwrap_or_default()));
        words.extend(rest.iter().map(|word| shortened(&word.to_string_lossy())));
    }
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:@,…".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A whole script as an argument says nothing about the origin that its first line does not.
fn shortened(word: &str) -> String {
    let line = word.trim().lines().next().unwrap_or_default();
    let head = crate::text::head(line, ARGUMENT_BYTES);
    if head.len() == word.len() { quoted(word) } else { quoted(&format!("{head}…")) }
}
