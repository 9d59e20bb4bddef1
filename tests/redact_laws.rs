//! Laws of the redactor over arbitrary text: stable, quiet afterwards, valid, bounded, structure kept.

use proptest::prelude::*;
use proptest::sample::select;
use refrain::redact::{CredentialOnly, Diagnostic, Lines, Payload, Profile, Provenance, Raw, Redactor, TierMark};

/// Words that shapes are made of, and what stands between them.
const PARTS: &[&str] = &[
    "\"",
    "'",
    ":",
    "=",
    " ",
    "\t",
    "\n",
    ",",
    "}",
    ")",
    "]",
    ">",
    ";",
    "\\",
    "password",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "max_tokens",
    "AWS_SECRET_ACCESS_KEY",
    "a",
    "1",
    "2",
    "_",
    "-",
    ".",
    "@",
    "hunter2",
    "x",
    "kid-1234",
    "Bearer ",
    "Authorization: ",
    "sk-",
    "ses_",
    "https://",
    "/home/",
    "example.com",
    "/",
    "%2F",
    "%40",
    "\u{1b}[31m",
    "\u{200b}",
    "\0",
    "\\u0040",
    "\\n",
    "ü",
    "ｓ",
    "4b1f6f1a-4a2b-4c3d-8e9f-0123456789ab",
    "10.1.2.3",
    "::1",
    "[redacted_key_1]",
    "[",
    "<",
    "&",
    "?",
    "#",
    "C:\\Users\\x",
    "--",
    "abcDEF123456",
    "-----BEGIN PRIVATE KEY-----",
    "eyJhbGciOiJIUzI1NiJ9",
    "{",
    "localhost:80",
    "A7b8C9d0E1f2G3h4I5j6K7l8M9n0",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(select(PARTS), 0..16).prop_map(|parts| parts.concat()),
        1 => ".{0,60}",
        1 => (prop::collection::vec(select(PARTS), 0..90), ".{0,20}").prop_map(|(parts, tail)| parts.join(" ") + &tail),
    ]
}

fn holds<T: TierMark>(text: &str) -> Result<(), TestCaseError> {
    let redactor = Redactor::embedded();
    let once = redactor.clean::<T>(Raw::new(text)).into_string();
    let twice = redactor.clean::<T>(Raw::new(&once)).into_string();
    prop_assert_eq!(&twice, &once, "{} is not stable", T::TIER);
    let left = redactor.scan(T::TIER, Profile::Standard, &once);
    prop_assert!(left.is_empty(), "{} left {left:?} in {once:?}", T::TIER);
    let hits = redactor.scan(T::TIER, Profile::Standard, text);
    for pair in hits.windows(2) {
        prop_assert!(pair[0].end <= pair[1].start, "{pair:?} overlap");
    }
    for hit in &hits {
        prop_assert!(text.get(hit.start..hit.end).is_some_and(|value| !value.is_empty()), "{hit:?}");
    }
    Ok(())
}

/// A JSON value with texts as keys and values.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        text().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The structure of a value: what remains when texts and numbers are left out.
fn structure(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Array(items) => format!("[{}]", items.iter().map(structure).collect::<Vec<_>>().join(",")),
        serde_json::Value::Object(members) => {
            let mut members: Vec<_> = members.values().map(structure).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        serde_json::Value::Null => "null".into(),
        _ => "leaf".into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tier_is_stable_and_quiet_afterwards(text in text()) {
        holds::<Payload>(&text)?;
        holds::<Provenance>(&text)?;
        holds::<Diagnostic>(&text)?;
        holds::<CredentialOnly>(&text)?;
    }

    #[test]
    fn diagnostics_are_bounded(text in text(), times in 1usize..60) {
        let text = text.repeat(times);
        let clean = Redactor::embedded().clean::<Diagnostic>(Raw::new(&text));
        prop_assert!(clean.as_str().len() <= 4096);
    }

    #[test]
    fn json_stays_json_with_the_same_structure(value in json()) {
        let redactor = Redactor::embedded();
        let text = value.to_string();
        let once = redactor.clean_json::<Payload>(Raw::new(&text)).into_string();
        let parsed: serde_json::Value = serde_json::from_str(&once).map_err(|error| TestCaseError::fail(format!("{error}: {once}")))?;
        // Two keys may become one only when they were equal before.
        prop_assert_eq!(structure(&parsed), structure(&value), "{}", once);
        prop_assert_eq!(redactor.clean_json::<Payload>(Raw::new(&once)).into_string(), once.clone());
        prop_assert!(redactor.scan_json(refrain::vocab::Tier::Payload, Profile::Standard, &once).is_empty());
    }

    #[test]
    fn pieces_are_as_safe_as_the_whole(text in text(), cuts in prop::collection::vec(0usize..200, 0..4)) {
        let mut cuts: Vec<_> = cuts.into_iter().filter(|&cut| cut < text.len() && text.is_char_boundary(cut)).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().chain([text.len()]) {
            pieces.push(&text[from..cut]);
            from = cut;
        }
        let redactor = Redactor::embedded();
        let raw: Vec<_> = pieces.iter().map(|piece| Raw::new(*piece)).collect();
        let clean = redactor.scope::<Payload>().clean_pieces(&raw);
        prop_assert_eq!(clean.len(), pieces.len());
        let parts: Vec<_> = clean.iter().map(|piece| piece.as_str()).collect();
        let left = redactor.scan_pieces(refrain::vocab::Tier::Payload, Profile::Standard, &parts);
        prop_assert!(left.is_empty(), "{left:?} left in {parts:?}");
    }

    #[test]
    fn a_stream_of_lines_loses_and_reorders_nothing(texts in prop::collection::vec(text(), 0..12)) {
        let mut lines = Lines::<Payload>::new(Redactor::embedded(), Profile::Standard);
        let (mut out, mut pushed) = (String::new(), 0);
        for (number, text) in texts.iter().enumerate() {
            let line = if number % 3 == 2 {
                text.replace('\n', " ")
            } else {
                let kind = if number % 2 == 0 { "agent_message_chunk" } else { "tool_call" };
                serde_json::json!({"n": number, "update": {"sessionUpdate": kind, "content": {"text": text}}}).to_string()
            };
            lines.push(&line, &mut out);
            pushed += 1;
        }
        lines.finish(&mut out);
        prop_assert_eq!(out.matches('\n').count(), pushed);
        let numbers: Vec<_> = out.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["n"].as_u64()).collect();
        prop_assert!(numbers.is_sorted(), "{numbers:?}");
    }
}
