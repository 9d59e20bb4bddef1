//! Documents and route cycles.

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::classify::{Classification, TimingHint};
use crate::recovery::Refusal;
use crate::recovery::retry::Failure;
use crate::recovery::retry::samples::{NOW, candidate, classified, hinted, invocation};
use crate::vocab::{Code, Disposition};

fn document(text: &str) -> Result<Policies, Vec<Refused>> {
    Policies::from_document(&serde_json::from_str(text).unwrap())
}

fn class(text: &str) -> Result<Policies, Vec<Refused>> {
    document(&format!(r#"{{"candidates": [{{"candidate": "a", "transient": {text}}}]}}"#))
}

#[test]
fn everything_that_is_wrong_is_told_with_its_address() {
    let rows: &[(&str, &[&str])] = &[
        ("[]", &["the document is a list, expected a map"]),
        ("{}", &["candidates is missing"]),
        (r#"{"candidates": 3}"#, &["candidates is a whole number, expected a list"]),
        (r#"{"candidate": [], "candidates": []}"#, &["candidate is unknown, known are candidates"]),
        (
            r#"{"candidates": [7, {"transient": null}, {"candidate": ""}, {"candidate": 1.5}]}"#,
            &[
                "candidates[0] is a whole number, expected a map",
                "candidates[1].transient is nothing, expected a map",
                "candidates[1].candidate is missing",
                "candidates[2].candidate is no name: an identifier is empty",
                "candidates[3].candidate is a fraction, expected a text",
            ],
        ),
        (
            r#"{"candidates": [{"candidate": "a"}, {"candidate": "a"}]}"#,
            &["candidates[1].candidate names a candidate that was named before"],
        ),
        (
            r#"{"candidates": [{"candidate": "a", "unclassified": {"retry": {"enabled": true}}}]}"#,
            &["candidates[0].unclassified can not be configured: an unclassified failure always waits for a person"],
        ),
        (
            r#"{"candidates": [{"candidate": "a",
                "transient": {"retry": {"enabled": true}, "on_exhausted": "retry"},
                "hard": {"retry": {"enabled": "yes", "max_retries": 11, "initial_interval_seconds": 0},
                         "wait_for_reset": {"enabled": true, "max_wait_seconds": 604801}, "on_exhausted": 4}}]}"#,
            &[
                "candidates[0].transient.retry.max_retries is missing and needed when enabled",
                "candidates[0].transient.retry.initial_interval_seconds is missing and needed when enabled",
                "candidates[0].transient.on_exhausted is no known word, expected skip or stop",
                "candidates[0].hard.retry.enabled is a text, expected true or false",
                "candidates[0].hard.retry.max_retries is 11, expected 1 to 10",
                "candidates[0].hard.retry.initial_interval_seconds is 0, expected 1 to 3600",
                "candidates[0].hard.wait_for_reset.max_wait_seconds is 604801, expected 1 to 604800",
                "candidates[0].hard.on_exhausted is a whole number, expected skip or stop",
            ],
        ),
        (
            r#"{"candidates": [{"candidate": "a", "hard": {"retry": {"enabled": false, "enabled": true, "max_retries": -1,
                "initial_interval_seconds": 1.5, "steps": []}}}]}"#,
            &[
                "candidates[0].hard.retry.enabled is given twice",
                "candidates[0].hard.retry.steps is unknown, known are enabled, max_retries, initial_interval_seconds",
                "candidates[0].hard.retry.max_retries is -1, expected 1 to 10",
                "candidates[0].hard.retry.initial_interval_seconds is a fraction, expected a whole number from 1 to 3600",
            ],
        ),
        (
            r#"{"candidates": [{"candidate": "a", "hard": {"retry": {"max_retries": 18446744073709551615}}}]}"#,
            &["candidates[0].hard.retry.max_retries is 18446744073709551615, expected 1 to 10"],
        ),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let got: Vec<_> = document(text).err().unwrap_or_default().iter().map(ToString::to_string).collect();
        if got != *expected {
            wrong.push(format!("{text}\n  expected {expected:#?}\n  got {got:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bounds_are_inclusive_and_the_default_is_off() {
    for (most, first, longest) in [(1, 1, 1), (10, 3_600, 604_800)] {
        let text = format!(
            r#"{{"retry": {{"enabled": true, "max_retries": {most}, "initial_interval_seconds": {first}}},
                 "wait_for_reset": {{"enabled": true, "max_wait_seconds": {longest}}}, "on_exhausted": "stop"}}"#
        );
        let policy = class(&text).unwrap().of(&candidate("a"), Class::Transient);
        assert_eq!(i64::from(policy.retry.max_retries), most);
        assert_eq!(policy.retry.initial_interval, SignedDuration::from_secs(first));
        assert_eq!(policy.wait_for_reset.max_wait, SignedDuration::from_secs(longest));
        assert_eq!(policy.on_exhausted, OnExhausted::Stop);
    }
    let policies = class("{}").unwrap();
    for (name, class) in
        [("a", Class::Transient), ("a", Class::Hard), ("b", Class::Transient), ("a", Class::Unclassified)]
    {
        assert_eq!(policies.of(&candidate(name), class), ClassPolicy::OFF, "{name} {class}");
    }
}

#[test]
fn a_route_has_at_most_64_candidates() {
    for (count, accepted) in [(64, true), (65, false), (66, false)] {
        let names: Vec<_> = (0..count).map(|number| format!(r#"{{"candidate": "c{number}"}}"#)).collect();
        let read = document(&format!(r#"{{"candidates": [{}]}}"#, names.join(",")));
        assert_eq!(read.is_ok(), accepted, "{count}: {read:?}");
    }
}

/// Retry twice after 30 s, wait at most an hour, then skip to `b`.
fn route() -> Policies {
    let class = r#"{"retry": {"enabled": true, "max_retries": 2, "initial_interval_seconds": 30},
                    "wait_for_reset": {"enabled": true, "max_wait_seconds": 3600}}"#;
    document(&format!(
        r#"{{"candidates": [{{"candidate": "a", "transient": {class}, "hard": {class}}}, {{"candidate": "b"}}]}}"#
    ))
    .unwrap()
}

fn said(step: &PolicyStep) -> String {
    match step {
        PolicyStep::WaitUntil(at) => format!("wait {}", at.as_second()),
        PolicyStep::RetryAt(at) => format!("retry {}", at.as_second()),
        PolicyStep::Fallback(next) => format!("fallback {next}"),
        PolicyStep::Manual(reason) => format!("manual {reason:?}"),
    }
}

#[test]
fn the_order_is_gate_wait_retry_end() {
    use Refusal::{NoAutomaticRetry, NoShortHint, NotConfident, Output, StaleTerminal, Unclassified, Vetoed};
    let hour = 3_600_000;
    type Row = (&'static str, Classification, &'static [Refusal], &'static [&'static str]);
    let rows: Vec<Row> = vec![
        (
            "retries double, then the next",
            classified(Code::ProviderOverloaded),
            &[],
            &["retry 30", "retry 60", "fallback b"],
        ),
        (
            "a reset is waited for once, at no cost",
            hinted(Code::ProviderOverloaded, 90_000),
            &[],
            &["wait 90", "retry 90", "retry 90", "fallback b"],
        ),
        (
            "a reset too far away is not shortened",
            hinted(Code::QuotaLimited, hour + 1),
            &[NoAutomaticRetry],
            &["fallback b"],
        ),
        (
            "a reset at the limit is waited for",
            hinted(Code::QuotaLimited, hour),
            &[NoAutomaticRetry],
            &["wait 3600", "fallback b"],
        ),
        ("a past reset is none", hinted(Code::QuotaLimited, 0), &[NoAutomaticRetry], &["fallback b"]),
        (
            "a policy can not retry what the code forbids",
            classified(Code::AuthRequired),
            &[NoAutomaticRetry],
            &["fallback b"],
        ),
        (
            "a rate limit without its hint is not retried",
            classified(Code::RateLimited),
            &[NoShortHint],
            &["fallback b"],
        ),
        (
            "a lost transport belongs to this provider",
            classified(Code::AgentTransportLost),
            &[],
            &["retry 30", "retry 60", "manual CodeForbidsFallback"],
        ),
        ("output", hinted(Code::ProviderOverloaded, 90_000), &[Output], &["manual Gate", "manual Gate"]),
        ("a veto", hinted(Code::ProviderOverloaded, 90_000), &[Vetoed], &["manual Gate"]),
        ("no confidence", hinted(Code::QuotaLimited, 90_000), &[NotConfident, NoAutomaticRetry], &["manual Gate"]),
        ("no class", classified(Code::UnknownProviderError), &[Unclassified, NoAutomaticRetry], &["manual Gate"]),
        ("a terminal of another prompt", classified(Code::ProviderOverloaded), &[StaleTerminal], &["manual Gate"]),
    ];
    let mut wrong = Vec::new();
    for (name, classification, refusals, expected) in rows {
        let mut ledger = Ledger::default();
        let failure = Failure::new(invocation(1), classification, refusals.to_vec());
        let decide =
            |_: &&str| said(&ledger.decide(&route(), &candidate("a"), &failure, Some(&invocation(1)), NOW).step);
        let got: Vec<_> = expected.iter().map(decide).collect();
        if got != expected {
            wrong.push(format!("{name}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stale_failure_authorizes_nothing_and_uses_nothing_up() {
    let failure = Failure::new(invocation(1), hinted(Code::ProviderOverloaded, 60_000), Vec::new());
    let mut ledger = Ledger::default();
    for current in [None, Some(invocation(2))] {
        let decision = ledger.decide(&route(), &candidate("a"), &failure, current.as_ref(), NOW);
        assert_eq!(decision.step, PolicyStep::Manual(PolicyReason::Stale));
    }
    assert_eq!(ledger, Ledger::default());
}

#[test]
fn classes_and_candidates_are_counted_apart_and_no_candidate_comes_twice() {
    let mut ledger = Ledger::default();
    let mut decide = |name: &str, code| {
        let refusals = if code == Code::AuthRequired { vec![Refusal::NoAutomaticRetry] } else { Vec::new() };
        let failure = Failure::new(invocation(1), classified(code), refusals);
        said(&ledger.decide(&route(), &candidate(name), &failure, Some(&invocation(1)), NOW).step)
    };
    assert_eq!(decide("a", Code::ProviderOverloaded), "retry 30");
    assert_eq!(decide("a", Code::AuthRequired), "fallback b", "the hard class has its own budget");
    assert_eq!(decide("b", Code::ProviderOverloaded), "manual NoCandidateLeft", "`a` was given up, `b` is off");
}

#[test]
fn intervals_are_capped_and_nothing_overflows() {
    let text = r#"{"retry": {"enabled": true, "max_retries": 10, "initial_interval_seconds": 3600}}"#;
    let policies = class(text).unwrap();
    let failure = Failure::new(invocation(1), classified(Code::ProviderOverloaded), Vec::new());
    let decide =
        |ledger: &mut Ledger, now| ledger.decide(&policies, &candidate("a"), &failure, Some(&invocation(1)), now);
    let mut ledger = Ledger::default();
    let hours: Vec<_> = (0..10).map(|_| said(&decide(&mut ledger, NOW).step)).collect();
    let expected = [1, 2, 4, 8, 16, 24, 24, 24, 24, 24].map(|hours| format!("retry {}", hours * 3_600));
    assert_eq!(hours, expected);
    let last = decide(&mut Ledger::default(), Timestamp::MAX);
    assert_eq!(last.step, PolicyStep::Manual(PolicyReason::NoCandidateLeft), "past the end of time");
}

#[test]
fn a_decision_carries_what_it_was_made_under() {
    let failure = Failure::new(invocation(1), classified(Code::ProviderOverloaded), Vec::new());
    let mut policies = route();
    let decision = Ledger::default().decide(&policies, &candidate("a"), &failure, Some(&invocation(1)), NOW);
    let snapshot = policies.of(&candidate("a"), Class::Transient);
    policies = Policies::default();
    assert_eq!(policies.of(&candidate("a"), Class::Transient), ClassPolicy::OFF);
    assert_eq!(decision.policy, snapshot);
    assert_eq!((decision.catalogue.as_str(), decision.retries_used), ("provider-errors.v1+00000000", 1));
    assert_eq!(decision.disposition(), Disposition::AutomaticRetry);
}

#[test]
fn a_long_hint_is_never_shortened_by_a_retry() {
    let hint = TimingHint { retry_after_ms: 45_000, reset_at: NOW + SignedDuration::from_secs(45) };
    let classification = Classification { hint: Some(hint), ..classified(Code::RateLimited) };
    let failure = Failure::new(invocation(1), classification, Vec::new());
    let text = r#"{"retry": {"enabled": true, "max_retries": 1, "initial_interval_seconds": 1}}"#;
    let decision =
        Ledger::default().decide(&class(text).unwrap(), &candidate("a"), &failure, Some(&invocation(1)), NOW);
    assert_eq!(said(&decision.step), "retry 45");
}
