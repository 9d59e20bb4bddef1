//! Lines of an agent's log that do not speak about the prompt: information, and requests in the background.

use std::borrow::Cow;

/// `stderr` without the lines that say themselves that they are no failure of the prompt. Borrows when all lines count.
#[must_use]
pub(crate) fn relevant(stderr: &str) -> Cow<'_, str> {
    if stderr.lines().all(is_relevant) {
        return Cow::Borrowed(stderr);
    }
    Cow::Owned(stderr.lines().filter(|line| is_relevant(line)).collect::<Vec<_>>().join("\n"))
}

fn is_relevant(line: &str) -> bool {
    let calm = [
        "level=INFO",
        "level=DEBUG",
        "level=TRACE",
        "level=info",
        "level=debug",
        "level=trace",
        "level=WARN",
        "level=warn",
        "\"level\":\"info\"",
        "\"level\":\"debug\"",
    ];
    let background = ["small=true", "agent=title", "agent=summary"];
    // Helpers of the agent: a turn goes on without them.
    let helpers = [
        "telemetry",
        "[mcp]",
        "MCP server",
        "mcp server",
        "mcp_server",
        "opentelemetry",
        "otlp",
        "[otel]",
        "exporter",
        "language server",
    ];
    let leading = line
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '-' | ':' | '.' | 'T' | 'Z' | ' '));
    let calm_word =
        ["INFO ", "DEBUG ", "TRACE ", "info: ", "debug: ", "npm warn ", "npm notice ", "WARN ", "warn: ", "warning: "]
            .iter()
            .any(|word| leading.starts_with(word));
    // SDKs echo a payload that they could not parse: it is somebody else's text.
    let echo = line.contains("failed to parse incoming message");
    !calm_word && !echo && !calm.iter().chain(&background).chain(&helpers).any(|mark| line.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::relevant;

    #[test]
    fn information_and_background_requests_are_dropped() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("level=ERROR agent=build error=x", "level=ERROR agent=build error=x"),
            ("level=INFO message=\"rate limit plugin loaded\"", ""),
            ("a\nlevel=ERROR small=true agent=title error=x\nb", "a\nb"),
            ("2026-01-01T00:00:00Z INFO started\nfailed", "failed"),
            ("WARN  telemetry export failed: connection refused", ""),
            ("MCP server \"x\" failed to connect\nfailed", "failed"),
        ] {
            if relevant(text) != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
