//! The connection against its reference, and the barrier against its absence.

use proptest::prelude::*;

use super::*;
use crate::acp::event::{Event, EventKind};
use crate::replay::samples::{OVERLOADED, any_script, error, knowledge, said, script};
use crate::replay::{Direct, Message};
use crate::vocab::Token;

fn queued() -> Script {
    Script { held: true, ..script("claude-acp", vec![said(OVERLOADED)], error(OVERLOADED)) }
}

#[test]
fn a_held_script_never_flakes() {
    let expected = Direct.play(&queued(), knowledge());
    assert!(matches!(&expected, Ok(played) if played.events.len() == 1 && played.terminal.is_some()), "{expected:?}");
    let wrong: Vec<_> = (0..1_000)
        .map(|run| (run, Link::default().play(&queued(), knowledge())))
        .filter(|(_, played)| *played != expected)
        .collect();
    assert!(wrong.is_empty(), "{} of 1000 runs differ, first {:?}", wrong.len(), wrong.first());
}

#[test]
fn without_the_barrier_a_held_script_fails_every_time() {
    let expected = Err(ExchangeError::ReturnedBeforeDrained { late: 0 });
    let passed = (0..1_000).filter(|_| Link::without_barrier().play(&queued(), knowledge()) != expected).count();
    assert_eq!(passed, 0, "of 1000 runs without the barrier");
}

#[test]
fn a_prompt_that_is_never_answered_never_settles() {
    let stalled = script("some-agent", vec![said("a"), Message::Thought { text: "b".into() }], Ending::Stall);
    for held in [false, true] {
        let played = Link::default().play(&Script { held, ..stalled.clone() }, knowledge()).unwrap();
        assert_eq!(played.terminal, None, "held: {held}");
        let tokens: Vec<_> = played.events.iter().filter_map(Event::token).collect();
        assert_eq!(tokens, [Token::MessageChunk, Token::ThoughtChunk], "held: {held}");
    }
}

#[test]
fn an_agent_that_goes_away_is_a_failure_of_the_connection() {
    for ending in [Ending::Disconnect, Ending::Exit { code: None, signal: Some(9), stderr: Some("killed".into()) }] {
        let gone = script("some-agent", vec![said("a")], ending.clone());
        let played = Link::default().play(&gone, knowledge()).unwrap();
        let failed = matches!(&played.terminal, Some(Event { kind: EventKind::Failure(_), .. }));
        assert!(failed && played.events.len() == 1, "{ending:?}: {played:?}");
    }
}

#[test]
fn a_script_that_is_not_played_exactly_once_is_an_error() {
    let script = script("some-agent", vec![said("a")], error("m"));
    let prompts = |times: usize| {
        let player = Player::new(&script);
        let (ours, theirs) = wire::pair();
        let prompting = agent_client_protocol::Client.v1().connect_with(ours.into_lines(), async |agent| {
            for _ in 0..times {
                let prompt = agent_client_protocol::UntypedMessage::new("session/prompt", serde_json::json!({}))?;
                let _ = agent.send_request(prompt).block_task().await;
            }
            Ok(())
        });
        let mut tasks = Tasks::default();
        tasks.add(player.serve(theirs).boxed_local());
        tasks.add(prompting.map(|_| Ok(())).boxed_local());
        tasks.run().and_then(|()| player.consumed())
    };
    let expected = [Err(ExchangeError::Unconsumed { left: 2 }), Ok(()), Err(ExchangeError::OverConsumed)];
    assert_eq!([prompts(0), prompts(1), prompts(2)], expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The real connection adds nothing and loses nothing.
    #[test]
    fn the_connection_observes_what_the_direct_exchange_does(script in any_script()) {
        let reference = Direct.play(&script, knowledge());
        prop_assert_eq!(Link::default().play(&script, knowledge()), reference);
    }
}
