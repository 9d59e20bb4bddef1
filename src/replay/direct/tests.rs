//! Laws of every script, whatever is in it.

use proptest::prelude::*;

use super::*;
use crate::acp::event::EventKind;
use crate::replay::Ending;
use crate::replay::samples::{OVERLOADED, any_script, error, knowledge, said, script};
use crate::vocab::Token;

#[test]
fn a_script_gives_its_events_and_then_its_terminal() {
    let played = Direct.play(&script("some-agent", vec![said("Hello")], error(OVERLOADED)), knowledge()).unwrap();
    let tokens: Vec<_> = played.events.iter().chain(&played.terminal).filter_map(|event| event.token()).collect();
    assert_eq!(tokens, [Token::MessageChunk, Token::Error]);
}

proptest! {
    #[test]
    fn every_script_ends_as_it_says_and_plays_the_same_twice(script in any_script()) {
        let played = Direct.play(&script, knowledge());
        prop_assert_eq!(&played, &Direct.play(&script, knowledge()));
        let played = played.unwrap();
        prop_assert_eq!(played.terminal.is_none(), script.ending == Ending::Stall);
        let foreign = played.events.iter().chain(&played.terminal).any(|event| event.invocation.as_ref() != Some(&script.invocation));
        prop_assert!(!foreign, "{:?}", played);
        let early = played.events.iter().any(|event| matches!(event.kind, EventKind::Failure(_) | EventKind::Complete { .. }));
        prop_assert!(!early, "{:?}", played);
        let token = played.terminal.as_ref().and_then(|event| event.token());
        prop_assert!(matches!(token, None | Some(Token::Error | Token::Complete)), "{:?}", token);
    }
}
