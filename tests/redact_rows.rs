//! Rows: a secret in its surroundings, per tier and kind of text. The secret must go, the surroundings must stay, the result
//! must be quiet and stable.

use refrain::redact::{
    Correlation, CredentialOnly, Diagnostic, Payload, Profile, Provenance, Raw, Redactor, TierMark, expand_sample,
};
use refrain::vocab::Tier;

/// Tier, kind of text, text with one `<secret>` between `⟦` and `⟧`, and parts that must stay.
type Row = (Tier, As, &'static str, &'static [&'static str]);

#[derive(Debug, Clone, Copy, PartialEq)]
enum As {
    Text,
    Json,
    Jsonl,
}

use As::{Json, Jsonl, Text};
use Tier::{CredentialOnly as C, Diagnostic as D, Payload as P, Provenance as V};

const GONE: &[Row] = &[
    (P, Json, r#"{"text":"mail ops⟦\u0040example⟧.com now"}"#, &["mail", "now"]),
    (P, Json, r#"{"cwd":"\/Users\/⟦erin⟧\/code"}"#, &["cwd"]),
    (P, Json, r#"{"text":"Bearer\u0020⟦{{b62:32}}⟧"}"#, &["text"]),
    (P, Json, r#"{"text":"{\"a\":\"{\\\"api_key\\\":\\\"⟦{{b62:20}}⟧\\\"}\"}"}"#, &["text", "api_key"]),
    (P, Json, r#"{"users":{"⟦nils⟧@example.com":{"role":"admin"}}}"#, &["role", "admin", "users"]),
    (P, Json, r#"{"env":[{"name":"OPENAI_API_KEY","value":"⟦{{b62:24}}⟧"}]}"#, &["OPENAI_API_KEY"]),
    (P, Json, r#"{"env":[{"value":"⟦{{b62:24}}⟧","name":"GITHUB_TOKEN"}]}"#, &["GITHUB_TOKEN"]),
    (P, Json, r#"{"args":["--api-key","⟦plain-{{lower:6}}⟧","--verbose"]}"#, &["--api-key", "--verbose"]),
    (P, Json, r#"{"password": ⟦123456⟧, "n": 1}"#, &["password", r#""n": 1"#]),
    (P, Json, r#"{"secret":["⟦{{b62:24}}⟧"], "kept": "kept"}"#, &["secret", "kept"]),
    (P, Json, r#"{"text":"\u001b[31mghp_⟦{{b62:36}}⟧\u001b[0m bad"}"#, &["bad"]),
    (P, Json, "{\"text\":\"ghp_{{b62:9}}\u{200b}⟦{{b62:27}}⟧ ok\"}", &["ok"]),
    (P, Json, r#"{"text":"file %2Fhome%2F⟦kofi⟧%2F.ssh"}"#, &["file"]),
    (P, Json, r#"{"text":"token: ghp_{{b62:16}}\n⟦{{b62:20}}⟧"}"#, &["token"]),
    (P, Json, "{\"text\":\"ｓｋ-⟦{{b62:22}}⟧ ü\"}", &["ü"]),
    (P, Jsonl, "{\"text\":\"ghp_⟦{{b62:36}}⟧\", broken", &["broken"]),
    (P, Text, "line one\r\nkey\0 sk-⟦{{alnum:20}}⟧\r\nline two", &["line one", "line two", "\r\n"]),
    (P, Text, r#"psql "host=db password=⟦{{b62:12}}⟧ sslmode=require""#, &["host=db", "sslmode=require"]),
    (P, Text, "token=⟦hunter2⟧}", &["token=", "}"]),
    (P, Text, r#"{"password":"abc\"⟦{{upper:9}}⟧"}"#, &["password"]),
    (P, Text, "x-request-id: ⟦{{hex:32}}⟧", &["x-request-id"]),
    (P, Text, "refused (localhost:⟦37516⟧)", &["refused"]),
    (
        P,
        Text,
        "Incorrect API key provided: sk-proj-***************⟦{{b62:4}}⟧. See",
        &["Incorrect API key provided", "See"],
    ),
    (P, Text, "-----BEGIN RSA {{lit:PRIVATE}} KEY-----\n⟦{{b64:64}}⟧\n{{b64:64}}", &[]),
    (V, Text, "https://⟦user:{{b62:8}}⟧@example.com/docs", &[]),
    (V, Text, "http://⟦2130706433⟧/", &[]),
    (V, Text, "scripts/probe --token ⟦{{b62:24}}⟧", &["scripts/probe"]),
    (D, Text, "https://api.example.com/⟦v1/messages?beta=true⟧ retry", &["https://api.example.com/", "retry"]),
    (D, Text, "cannot read ⟦/workspace/.env⟧ while", &["cannot read", "while"]),
    (D, Text, "account ⟦kofi⟧@example.com is out of credits", &["account", "is out of credits"]),
    (C, Text, "clone https://⟦alice:{{b62:12}}⟧@example.test/api at {{hex:40}}", &["@example.test/api", "https://"]),
    (C, Text, "use AKIA⟦{{base32:16}}⟧ for /home/bob/x {{uuid}}", &["/home/bob/x", "use", "for"]),
    (C, Text, "AWS_SECRET_ACCESS_KEY=⟦{{b64:40}}⟧\nAWS_REGION=eu-west-1", &["AWS_REGION=eu-west-1"]),
];

const KEPT: &[(Tier, &str)] = &[
    (P, "org-wide rate limits of the sk-learn model"),
    (P, "Bearer authentication required"),
    (P, "max_tokens=4096, input_tokens: 12000, tokens: 500 remaining"),
    (P, "model anthropic/claude-3.5-haiku-20241022:beta is overloaded at 2026-09-04T12:34:56.789Z"),
    (P, "Error: RetriableError: [unavailable] PING timed out"),
    (P, "API Error: Repeated 529 Overloaded errors. The API is at capacity."),
    (P, "exec /usr/bin/node failed in ./users/list.ts"),
    (P, "see toolu_01{{b62:22}} and commit {{hex:40}}"),
    (P, "npm ERR! notarget No matching version for @zed-industries/claude-code-acp@0.16.3"),
    (P, "[redacted_key_2] and [redacted_url_1], sk-***"),
    (V, "https://docs.example.com/local/internal?page=2"),
    (V, "refrain capture --gateway litellm --case matched -- agent"),
    (D, "input_tokens=12000 output_tokens=900 total cost 0.12"),
    (D, "GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
    (D, "You've hit your session limit · resets 3pm (Europe/Lisbon)"),
    (C, "sha256:{{hex:64}} {{uuid}} /Users/alice/x https://example.com/a?tab=files ses_{{b62:20}} alice@example.com"),
    (C, "const secret = process.env.SECRET; let token = parser.next_token();"),
    (C, "api_key: ${{ secrets.API_KEY }}"),
    (C, "Authorization: the design must describe who may retry"),
];

fn clean(tier: Tier, kind: As, text: &str) -> String {
    match tier {
        Tier::Payload => as_tier::<Payload>(kind, text),
        Tier::Provenance => as_tier::<Provenance>(kind, text),
        Tier::Diagnostic => as_tier::<Diagnostic>(kind, text),
        Tier::CredentialOnly => as_tier::<CredentialOnly>(kind, text),
        other => unreachable!("no such tier: {other}"),
    }
}

fn as_tier<T: TierMark>(kind: As, text: &str) -> String {
    let redactor = Redactor::embedded();
    match kind {
        Text => redactor.clean::<T>(Raw::new(text)).into_string(),
        Json => redactor.clean_json::<T>(Raw::new(text)).into_string(),
        Jsonl => redactor.clean_jsonl::<T>(Raw::new(text)).into_string(),
    }
}

fn quiet(tier: Tier, kind: As, text: &str) -> bool {
    let redactor = Redactor::embedded();
    match kind {
        Text => redactor.scan(tier, Profile::Standard, text).is_empty(),
        Json => redactor.scan_json(tier, Profile::Standard, text).is_empty(),
        Jsonl => redactor.scan_jsonl(tier, Profile::Standard, text).is_empty(),
    }
}

#[test]
fn secrets_go_and_their_surroundings_stay() {
    let mut wrong = Vec::new();
    for (number, &(tier, kind, template, kept)) in GONE.iter().enumerate() {
        let marked = expand_sample(template, &number.to_string());
        let (before, rest) = marked.split_once('⟦').expect("a secret");
        let (secret, after) = rest.split_once('⟧').expect("its end");
        let text = format!("{before}{secret}{after}");
        let out = clean(tier, kind, &text);
        let mut problems = Vec::new();
        if out.contains(secret) {
            problems.push("the secret is still there".to_owned());
        }
        problems.extend(kept.iter().filter(|part| !out.contains(**part)).map(|part| format!("`{part}` is gone")));
        if quiet(tier, kind, &text) {
            problems.push("scanned quiet".into());
        }
        if !quiet(tier, kind, &out) || clean(tier, kind, &out) != out {
            problems.push("not stable".into());
        }
        if kind == Json && serde_json::from_str::<serde_json::Value>(&out).is_err() {
            problems.push("no JSON any more".into());
        }
        if !problems.is_empty() {
            wrong.push(format!(
                "{tier} `{template}`: {}; got `{}`",
                problems.join(", "),
                out.replace(secret, "<secret>")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn look_alikes_stay_byte_for_byte() {
    let wrong: Vec<_> = KEPT
        .iter()
        .map(|&(tier, template)| (tier, expand_sample(template, template)))
        .map(|(tier, text)| (tier, clean(tier, Text, &text), text))
        .filter(|(_, out, text)| out != text)
        .map(|(tier, out, text)| format!("{tier} `{text}`: got `{out}`"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn secrets_that_straddle_pieces_of_one_message_are_found() {
    let line = |text: &str| {
        format!(
            r#"{{"method":"session/update","params":{{"sessionId":"s1","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
        )
    };
    let usage =
        r#"{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"usage_update","used":1}}}"#;
    let mut wrong = Vec::new();
    for (number, (template, kept)) in [
        ("key: sk-ant-api03|-{{b62:40}} done", "key: "),
        ("failed for ghp_{{b62:6}}|{{b62:30}} denied", "denied"),
        ("at /home/len|a/src/app.ts:10:2", "at "),
        ("see https://relay|.example.net/v1/|messages for", "see "),
        ("password|={{b62:24}} ok", " ok"),
        ("Authorization: Bea|rer {{b62:30}}", "Authorization: "),
    ]
    .iter()
    .enumerate()
    {
        let whole = expand_sample(template, &number.to_string());
        let pieces: Vec<_> = whole.split('|').map(line).collect();
        let text = format!("{}\n{usage}\n{}\n", pieces[0], pieces[1..].join("\n"));
        let out = clean(P, Jsonl, &text);
        let second = whole.split('|').nth(1).expect("a second piece");
        let secret = second.split(|c: char| !c.is_alphanumeric()).max_by_key(|word| word.len()).unwrap_or_default();
        let same_shape = out.lines().count() == text.lines().count()
            && out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok());
        let stable = clean(P, Jsonl, &out) == out && quiet(P, Jsonl, &out);
        let hidden = secret.len() < 4 || !out.contains(secret);
        if !(same_shape && stable && hidden && out.contains(kept) && out.contains("[redacted_") && out.contains(usage))
        {
            wrong.push(format!("`{template}`: got\n{out}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_diagnostic_is_cut_after_redaction_and_never_inside_a_placeholder() {
    for lead in 4060..4110 {
        let text = format!("{}{} tail", "ä ".repeat(lead / 3), expand_sample("sk-{{b62:40}} sk-{{b62:41}}", "cut"));
        let out = clean(D, Text, &text);
        assert!(out.len() <= 4096, "{} bytes", out.len());
        let last = out.rfind("[red").map_or("", |at| &out[at..]);
        assert!(last.is_empty() || last.contains(']'), "lead {lead}: ends with `{last}`");
        assert!(!out.contains("sk-"), "lead {lead}");
    }
}

#[test]
fn values_share_placeholders_within_a_scope_and_containment_survives() {
    let mut wrong = Vec::new();
    for (chunk, terminal, contained) in [
        ("529 for req_011C{{b62:20}}", "Internal error: 529 for req_011C{{b62:20}}. Try again.", true),
        ("mail Ops@example.com now", "mail ops@example.com now", false),
        ("[redacted_email_1] suspended", "error: ops@example.com suspended", false),
        ("see https://relay.example.net/a?x=1", "see https://relay.example.net/a?x=1&y=2 now", true),
        ("at /home/lena/app", "crash at /home/lena/app/src/x.ts:10", true),
        ("account {{uuid}}", "account {{uuid}} suspended", true),
        ("request 4b1f6f1a-4a2b", "request 4b1f6f1a-4a2b-4c3d-8e9f-0123456789ab", true),
        ("{{b62:18}} rejected", "login password={{b62:18}} rejected", true),
        ("key *** bad", "key sk-{{b62:20}} bad", false),
    ] {
        let (chunk, terminal) = (expand_sample(chunk, "one"), expand_sample(terminal, "one"));
        let mut scope = Redactor::embedded().scope::<Payload>();
        scope.learn([&[Raw::new(chunk.as_str())][..], &[Raw::new(terminal.as_str())]]);
        let clean = (scope.clean(Raw::new(&chunk)), scope.clean(Raw::new(&terminal)));
        let correlation = Correlation {
            diagnostic_at: "chunk",
            terminal_at: "terminal",
            raw: (&chunk, &terminal),
            clean: (clean.0.as_str(), clean.1.as_str()),
        };
        if correlation.is_kept().is_err() || refrain::text::contains_normalized(&terminal, &chunk) != contained {
            wrong.push(format!("`{chunk}` in `{terminal}`: `{}` in `{}`", clean.0, clean.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_order_of_keys_does_not_change_the_numbers() {
    let one = r#"{"a":"ops@example.com","b":{"x":"dev@example.com","y":["ops@example.com"]}}"#;
    let other = r#"{"b":{"y":["ops@example.com"],"x":"dev@example.com"},"a":"ops@example.com"}"#;
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(&clean(P, Json, text)).expect("JSON");
    assert_eq!(parsed(one), parsed(other));
    assert_eq!(parsed(one)["a"], "[redacted_email_1]");
}

#[test]
fn the_strict_profile_refuses_prose_with_a_prefix_too() {
    for text in ["Bearer authentication required", "org-wide rate limits", "sk-learn", "wrk_dir"] {
        let hits = |profile| Redactor::embedded().scan(P, profile, text).len();
        assert_eq!((hits(Profile::Standard), hits(Profile::Strict)), (0, 1), "{text}");
    }
    let secret = expand_sample("Authorization: Bearer {{b62:30}}", "strict");
    let out = clean(P, Text, &secret);
    assert!(Redactor::embedded().scan(P, Profile::Strict, &out).is_empty(), "{out}");
}
