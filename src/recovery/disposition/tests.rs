//! Every road to each disposition.

use super::*;
use crate::acp::event::{Event, EventKind};
use crate::classify::TimingHint;
use crate::recovery::samples::{classified, failure, invocation};
use crate::vocab::{Code, RuleId};

const NOW: i64 = 1_000_000;

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap()
}

fn hinted(code: Code, milliseconds: i64) -> Classification {
    let hint = TimingHint { retry_after_ms: milliseconds.unsigned_abs(), reset_at: at(NOW + milliseconds) };
    Classification { hint: Some(hint), ..classified(code, Confidence::High) }
}

fn vetoed(code: Code) -> Classification {
    Classification { vetoed: vec![RuleId::new("a.rule.v1").unwrap()], ..classified(code, Confidence::High) }
}

#[test]
fn every_road_to_each_disposition() {
    let high = |code| classified(code, Confidence::High);
    let ladder = Means::interactive(0);
    let all = Means { attempts_left: 0, longest_wait_ms: Some(3_600_000), another_candidate: true };
    let last = Means { another_candidate: false, ..all };
    use Disposition::{AutomaticRetry, Fallback, ManualRecovery, WaitForReset};
    let rows = [
        (high(Code::ProviderOverloaded), ladder, AutomaticRetry, vec![]),
        (high(Code::AgentTransportLost), ladder, AutomaticRetry, vec![]),
        (hinted(Code::RateLimited, 60_000), ladder, AutomaticRetry, vec![]),
        (hinted(Code::RateLimited, 60_001), ladder, ManualRecovery, vec![Refusal::NoShortHint]),
        (high(Code::RateLimited), ladder, ManualRecovery, vec![Refusal::NoShortHint]),
        (high(Code::QuotaLimited), ladder, ManualRecovery, vec![Refusal::NoAutomaticRetry]),
        (high(Code::ProviderOverloaded), Means::interactive(4), AutomaticRetry, vec![]),
        (high(Code::ProviderOverloaded), Means::interactive(5), ManualRecovery, vec![Refusal::AttemptsExhausted]),
        (high(Code::ProviderOverloaded), Means::interactive(9), ManualRecovery, vec![Refusal::AttemptsExhausted]),
        (classified(Code::ProviderOverloaded, Confidence::Medium), all, ManualRecovery, vec![Refusal::NotConfident]),
        (
            classified(Code::AgentRuntimeError, Confidence::Low),
            all,
            ManualRecovery,
            vec![Refusal::Unclassified, Refusal::NotConfident],
        ),
        (high(Code::ResumeCorrupted), all, ManualRecovery, vec![Refusal::Unclassified]),
        (vetoed(Code::ProviderOverloaded), all, ManualRecovery, vec![Refusal::Vetoed]),
        (
            hinted(Code::QuotaLimited, 3_600_000),
            all,
            WaitForReset,
            vec![Refusal::NoAutomaticRetry, Refusal::AttemptsExhausted],
        ),
        (
            hinted(Code::QuotaLimited, 3_600_001),
            all,
            Fallback,
            vec![Refusal::NoAutomaticRetry, Refusal::AttemptsExhausted],
        ),
        (
            hinted(Code::QuotaLimited, 0),
            last,
            ManualRecovery,
            vec![Refusal::NoAutomaticRetry, Refusal::AttemptsExhausted],
        ),
        (high(Code::AuthRequired), all, Fallback, vec![Refusal::NoAutomaticRetry, Refusal::AttemptsExhausted]),
        (high(Code::AuthRequired), last, ManualRecovery, vec![Refusal::NoAutomaticRetry, Refusal::AttemptsExhausted]),
        (high(Code::AgentTransportLost), all, ManualRecovery, vec![Refusal::AttemptsExhausted]),
    ];
    let event = failure(invocation(7), "boom");
    let attempt = Attempt::begin(invocation(7));
    let mut wrong = Vec::new();
    for (number, (classification, means, disposition_expected, refusals)) in rows.into_iter().enumerate() {
        let expected = Decision { disposition: disposition_expected, refusals };
        let got = disposition(&Terminal::new(&event, &classification).unwrap(), &attempt, means, at(NOW));
        if got != expected {
            wrong.push(format!("row {number} ({}): expected {expected:?}, got {got:?}", classification.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_policy_overrides_the_safety_gate() {
    let event = failure(invocation(7), "boom");
    let mut attempt = Attempt::begin(invocation(7));
    attempt.observe(&Event {
        invocation: Some(invocation(7)),
        kind: EventKind::ToolUpdate { id: String::new(), status: None },
    });
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        for confidence in [Confidence::High, Confidence::Medium, Confidence::Low] {
            for (attempts_left, longest_wait_ms, another_candidate) in
                [(0, None, false), (5, None, false), (5, Some(u64::MAX), true), (0, Some(u64::MAX), true)]
            {
                let classification = Classification { confidence, ..hinted(code, 1_000) };
                let means = Means { attempts_left, longest_wait_ms, another_candidate };
                let terminal = Terminal::new(&event, &classification).unwrap();
                let got = disposition(&terminal, &attempt, means, at(NOW));
                if got.disposition != Disposition::ManualRecovery || !got.refusals.contains(&Refusal::Effect) {
                    wrong.push(format!("{code} {confidence} {means:?}: {got:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
