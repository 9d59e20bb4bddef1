//! A transcript of agent sessions that no agent ever wrote: the mix of message pieces, tool output, images, plans and stderr
//! that real ones have, with credentials built from parts at the rate they leak.
//!
//! Invariant: the same bytes on every machine, for the same size.
//!
//! Must not know: how it is measured.

use std::fmt::Write as _;

/// Words of prose and code.
const WORDS: &[&str] = &[
    "the",
    "model",
    "failed",
    "to",
    "read",
    "file",
    "because",
    "provider",
    "returned",
    "an",
    "overloaded",
    "error",
    "and",
    "we",
    "retry",
    "after",
    "waiting",
    "for",
    "capacity",
    "while",
    "updating",
    "tests",
    "in",
    "parser",
    "module",
    "so",
    "that",
    "token",
    "counts",
    "match",
    "expected",
    "output",
    "please",
    "check",
    "build",
    "log",
    "session",
    "state",
    "recovery",
    "classify",
    "rule",
    "fixture",
    "gateway",
    "frame",
    "chunk",
    "prompt",
    "agent",
    "client",
    "server",
    "message",
    "code",
    "value",
    "index",
    "buffer",
    "stream",
    "close",
    "reset",
    "timeout",
    "limit",
    "quota",
    "account",
    "plan",
    "usage",
    "request",
    "response",
    "header",
    "body",
    "json",
    "crate",
    "function",
    "struct",
    "enum",
];
const NAMES: &[&str] = &["alice", "bob", "carol", "dmitri", "erin", "lena", "kofi", "mei"];
const PATHS: &[&str] =
    &["src/main.rs", "crates/core/src/lib.rs", "apps/backend/agent/runtime.go", "tests/case.json", "web/src/App.tsx"];
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Numbers that look drawn at random (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True in `part` of a thousand cases.
    fn permille(&mut self, part: u64) -> bool {
        self.below(1000) < part
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[(self.next() % from.len() as u64) as usize]
    }

    fn words(&mut self, least: u64, most: u64) -> String {
        let count = least + self.below(most - least);
        let words: Vec<_> = (0..count).map(|_| self.pick(WORDS)).collect();
        words.join(" ")
    }

    /// `length` letters and digits; with `+` and `/` when `wide`.
    fn letters(&mut self, length: u64, wide: bool) -> String {
        let alphabet = if wide { LETTERS } else { &LETTERS[..62] };
        (0..length).map(|_| char::from(alphabet[(self.next() % alphabet.len() as u64) as usize])).collect()
    }

    fn hex(&mut self, length: u64) -> String {
        (0..length).map(|_| char::from(b"0123456789abcdef"[(self.next() & 15) as usize])).collect()
    }

    fn uuid(&mut self) -> String {
        format!("{}-{}-4{}-a{}-{}", self.hex(8), self.hex(4), self.hex(3), self.hex(3), self.hex(12))
    }

    fn path(&mut self) -> String {
        let file = self.pick(PATHS);
        match self.below(4) {
            0 => format!("/home/{}/work/repo/{file}", self.pick(NAMES)),
            1 => format!("/Users/{}/Code/project/{file}", self.pick(NAMES)),
            2 => format!("/usr/lib/node_modules/x/{file}"),
            _ => file.to_owned(),
        }
    }

    /// A credential that opens nothing.
    fn credential(&mut self) -> String {
        match self.below(6) {
            0 => format!("{}ant-api03-{}AA", "sk-", self.letters(93, false)),
            1 => format!("{}_{}", "ghp", self.letters(36, false)),
            2 => format!("{} {}", "Bearer", self.letters(40, false)),
            3 => format!("{}IzaSy{}", "A", self.letters(33, false)),
            4 => format!("ANTHROPIC_AUTH_{}={}", "TOKEN", self.letters(32, false)),
            _ => format!("{}hbGciOiJIUzI1NiJ9.eyJ{}.{}", "eyJ", self.letters(60, false), self.letters(43, false)),
        }
    }

    /// One line of what tools print.
    fn printed(&mut self) -> String {
        match self.below(100) {
            0..25 => format!(
                "    let {}_{} = {}::{}({});",
                self.pick(WORDS),
                self.pick(WORDS),
                self.pick(WORDS),
                self.pick(WORDS),
                self.below(9999)
            ),
            25..40 => format!("\t// {}", self.words(8, 9)),
            40..50 => format!("\u{1b}[{}m{}\u{1b}[0m {}", 31 + self.below(3), self.pick(WORDS), self.words(6, 7)),
            50..58 => format!("commit {}", self.hex(40)),
            58..66 => format!("{} {} ({}m ago)", self.hex(7), self.words(5, 6), self.below(60)),
            66..74 => format!("  at {} ({}:{}:{})", self.pick(WORDS), self.path(), self.below(900), self.below(80)),
            74..78 => {
                let name = self.pick(WORDS);
                format!("fetching https://registry.example.org/{name}/-/{name}-{}.2.0.tgz", self.below(9))
            }
            78..80 => format!("Author: {} <{}@example.com>", self.pick(NAMES), self.pick(NAMES)),
            _ => format!("  \"{}\": \"{}\", \"max_tokens\": {},", self.pick(WORDS), self.words(4, 5), self.below(8192)),
        }
    }

    fn tool_output(&mut self) -> String {
        let count = 5 + self.below(85);
        let mut lines: Vec<_> = (0..count).map(|_| self.printed()).collect();
        if self.permille(40) {
            lines.push(self.credential());
        }
        format!("```\n{}\n```", lines.join("\n"))
    }
}

/// `text` as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// JSON Lines of at least `bytes` bytes.
pub(crate) fn transcript(bytes: usize) -> String {
    let mut numbers = Numbers(7);
    let mut out = String::with_capacity(bytes + (64 << 10));
    while out.len() < bytes {
        let session = numbers.uuid();
        let folder = quoted(&format!("/home/{}/work", numbers.pick(NAMES)));
        line(&mut out, "out", &format!(r#""id":1,"method":"session/new","params":{{"cwd":{folder},"mcpServers":[]}}"#));
        for turn in 0..4 {
            let prompt = quoted(&numbers.words(10, 120));
            let ask = format!(
                r#""id":{},"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[{{"type":"text","text":{prompt}}}]}}"#,
                turn + 2
            );
            line(&mut out, "out", &ask);
            (0..70).for_each(|_| update(&mut numbers, &mut out, &session));
            let answer = format!(
                r#""id":{},"result":{{"stopReason":"end_turn","usage":{{"inputTokens":{},"outputTokens":77}}}}"#,
                turn + 2,
                numbers.below(99_999)
            );
            line(&mut out, "in", &answer);
        }
    }
    out
}

fn line(out: &mut String, direction: &str, frame: &str) {
    let at = 1_759_500_000_000_u64 + out.len() as u64;
    let _ = writeln!(out, r#"{{"ts":{at},"dir":"{direction}","frame":{{"jsonrpc":"2.0",{frame}}}}}"#);
}

/// One update of a session, or one line of stderr.
fn update(numbers: &mut Numbers, out: &mut String, session: &str) {
    let text = |kind: &str, text: &str| {
        format!(r#""sessionUpdate":"{kind}","content":{{"type":"text","text":{}}}"#, quoted(text))
    };
    let content = |id: &str, content: &str| {
        format!(
            r#""sessionUpdate":"tool_call_update","toolCallId":"toolu_01{id}","status":"completed","content":[{{"type":"content","content":{content}}}]"#
        )
    };
    let update = match numbers.below(1000) {
        0..620 => text("agent_message_chunk", &(numbers.words(1, 9) + " ")),
        620..740 => text("agent_thought_chunk", &numbers.words(2, 14)),
        740..840 => {
            let (id, path) = (numbers.letters(22, false), numbers.path());
            let call = format!(
                r#""sessionUpdate":"tool_call","toolCallId":"toolu_01{id}","title":"Read {path}","kind":"read","status":"pending","locations":[{{"path":"{path}","line":{}}}]"#,
                numbers.below(500)
            );
            send(out, session, &call);
            content(&id, &format!(r#"{{"type":"text","text":{}}}"#, quoted(&numbers.tool_output())))
        }
        840..845 => {
            let (id, length) = (numbers.letters(22, false), 4000 + numbers.below(36_000));
            let data = numbers.letters(length, true);
            content(&id, &format!(r#"{{"type":"image","mimeType":"image/png","data":"{data}"}}"#))
        }
        845..900 => {
            let entry = |words: String| format!(r#"{{"content":"{words}","priority":"medium","status":"pending"}}"#);
            let entries: Vec<_> = (0..5).map(|_| entry(numbers.words(8, 9))).collect();
            format!(r#""sessionUpdate":"plan","entries":[{}]"#, entries.join(","))
        }
        900..930 => {
            let id = numbers.letters(20, false);
            text("agent_message_chunk", &format!("API Error: 529 {} request_id: req_011C{id}", numbers.words(6, 7)))
        }
        _ => {
            let said = quoted(&format!("[warn] {} {}", numbers.words(9, 10), numbers.path()));
            let _ = writeln!(out, r#"{{"ts":{},"dir":"stderr","text":{said}}}"#, out.len());
            return;
        }
    };
    send(out, session, &update);
}

fn send(out: &mut String, session: &str, update: &str) {
    line(
        out,
        "in",
        &format!(r#""method":"session/update","params":{{"sessionId":"{session}","update":{{{update}}}}}"#),
    );
}
