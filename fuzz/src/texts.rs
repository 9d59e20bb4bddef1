//! Texts: what a provider says, with whatever is in it.

use refrain::catalogue::{View, steps};
use refrain::classify::Classifier;
use refrain::evidence::{Evidence, Signal};
use refrain::redact::{CredentialOnly, Diagnostic, Lines, Payload, Profile, Provenance, Raw, Redactor, TierMark};
use refrain::vocab::{Phase, Tier};
use serde_json::{Value, json};

/// Unwrapping never grows a text, and every channel of it is judged the same way twice.
pub(super) fn classify(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let view = View::of(text);
    assert!(view.flat().len() <= 4 * text.len() + 64, "{} bytes of {}", view.flat().len(), text.len());
    assert!(!view.flat().contains('\n'), "flat is one line");
    assert!(view.messages().count() > 0 && view.core().len() <= view.flat().len());
    let _ = steps(text);
    let classifier = Classifier::embedded();
    let _ = classifier.candidate(text, None);
    for signal in [
        Signal::PromptError { rpc_code: None, message: text.to_owned(), error_kind: None },
        Signal::MessageChunk { text: text.to_owned() },
        Signal::Stderr { text: text.to_owned() },
    ] {
        let mut evidence = Evidence::new(Phase::PromptSend);
        evidence.push(signal);
        let one = classifier.classify(&evidence, super::now());
        assert_eq!(one, classifier.trace(&evidence, super::now()).classification, "another explanation");
    }
}

/// A hint is in the future and finite, wherever it is said.
pub(super) fn hints(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (name, value) = text.split_once('\n').unwrap_or(("retry-after", text));
    let line = json!({"signals": [
        {"kind": "http", "status": 429, "headers": {name: value, "retry-after": value, "x-ratelimit-reset": value}},
        {"kind": "prompt_error", "message": "API Error: 429 rate limited"}]});
    let said = format!("API Error: 429 Too Many Requests. Rate limit reached, try again in {text}");
    let limit = format!("You've hit your session limit · resets {text}");
    let texts = [said, limit].map(|text| json!({"text": text}));
    for line in texts.into_iter().chain([line]) {
        let Ok(line) = refrain::evidence::wire::parse(&line.to_string()) else { continue };
        for seconds in [0, 1_796_000_000, 253_402_207_200] {
            let now = jiff::Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(seconds);
            let classification = Classifier::embedded().classify(&line.evidence, now);
            let mut answer = Vec::new();
            refrain::classify::wire::write(&mut answer, None, &classification);
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            let after = answer["retry_after_ms"].as_i64();
            assert!(answer["retry_after_ms"].is_null() || after.is_some_and(|after| after >= 0), "{answer}");
        }
    }
}

/// Redaction is stable, leaves nothing, and keeps what stands around.
pub(super) fn redact(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    tier::<Payload>(text);
    tier::<Provenance>(text);
    tier::<CredentialOnly>(text);
    let clean = tier::<Diagnostic>(text);
    assert!(clean.len() <= refrain::redact::DIAGNOSTIC_BYTES, "{} bytes", clean.len());
}

fn tier<T: TierMark>(text: &str) -> String {
    let redactor = Redactor::embedded();
    let once = redactor.clean::<T>(Raw::new(text)).into_string();
    let twice = redactor.clean::<T>(Raw::new(&once)).into_string();
    assert_eq!(twice, once, "{} is not stable", T::TIER);
    let left = redactor.scan(T::TIER, Profile::Standard, &once);
    assert!(left.is_empty(), "{} left {left:?} in {once:?}", T::TIER);
    let hits = redactor.scan(T::TIER, Profile::Standard, text);
    assert!(hits.windows(2).all(|pair| pair[0].end <= pair[1].start), "{hits:?} overlap");
    for hit in &hits {
        assert!(text.get(hit.start..hit.end).is_some_and(|value| !value.is_empty()), "{hit:?}");
    }
    once
}

/// The same through JSON: a document stays one with its structure, a stream of lines loses none, and a diagnostic that
/// was in its terminal message still is.
pub(super) fn redact_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let redactor = Redactor::embedded();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let once = redactor.clean_json::<Payload>(Raw::new(text)).into_string();
        let parsed: Value = serde_json::from_str(&once).unwrap_or_else(|error| panic!("{error}: {once}"));
        assert_eq!(shape(&parsed), shape(&value), "{once}");
        assert_eq!(redactor.clean_json::<Payload>(Raw::new(&once)).into_string(), once, "not stable");
        let left = redactor.scan_json(Tier::Payload, Profile::Standard, &once);
        assert!(left.is_empty(), "left {left:?} in {once}");
    }
    let mut lines = Lines::<Payload>::new(redactor, Profile::Standard);
    let mut out = String::new();
    let pushed = text.lines().inspect(|line| lines.push(line, &mut out)).count();
    lines.finish(&mut out);
    assert_eq!(out.matches('\n').count(), pushed, "lines are lost or made");
    let (diagnostic, terminal) = (text.to_owned(), format!("Internal error: {text}"));
    let mut scope = redactor.scope::<Payload>();
    let clean = [&diagnostic, &terminal].map(|text| scope.clean(Raw::new(text.as_str())).into_string());
    let correlation = refrain::redact::Correlation {
        diagnostic_at: "diagnostic",
        terminal_at: "terminal",
        raw: (&diagnostic, &terminal),
        clean: (&clean[0], &clean[1]),
    };
    // It may be refused; the verdict must not show the text.
    if let Err(broken) = correlation.is_kept() {
        assert!(broken.to_string().len() < 200, "{broken}");
    }
}

/// Arrays, numbers of members and leaves; which key is which is the redactor's.
fn shape(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(shape).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<_> = members.values().map(shape).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::Null => "null".into(),
        _ => "leaf".into(),
    }
}
