//! One JSON document: all of its values are known before the first is rewritten, in an order that does not depend on the
//! order of its keys.
//!
//! Invariant: two spellings of one document give the same placeholders.
//!
//! Must not know: what the document is.

use std::collections::HashMap;

use serde_json::Value;

use super::tokens::{Mark, Tokens};
use crate::redact::detect::{self, Spelling};
use crate::redact::plan::Span;
use crate::redact::scope::{self, Engine};

/// Strings that are read together, with what was found in them.
struct Group {
    rank: usize,
    raw: String,
    spans: Vec<Span>,
}

/// Learns the values of `text`, when it is JSON.
pub(in crate::redact) fn learn(engine: &mut Engine, text: &str) {
    let mut tokens = Tokens::default();
    if !tokens.read(text) {
        return;
    }
    let ranks = ranks(text);
    let rank = |content: &str| ranks.get(detect::decoded(content).as_ref()).copied().unwrap_or(usize::MAX);
    let mut groups = Vec::new();
    for item in tokens.items.iter().filter(|item| !item.piece) {
        let content = &text[item.start..item.end];
        let spans = engine.found_in_json(content, item.name);
        groups.push(Group { rank: rank(content), raw: content.to_owned(), spans });
    }
    for pieces in messages(&tokens) {
        let contents: Vec<&str> =
            pieces.iter().map(|&item| &text[tokens.items[item].start..tokens.items[item].end]).collect();
        let (raw, seams) = scope::joined(&contents);
        let spans = engine.found_pieces(&raw, &seams);
        groups.push(Group { rank: rank(contents[0]), raw, spans });
    }
    groups.sort_by_key(|group| group.rank);
    engine.learn_found(groups.into_iter().map(|group| (group.raw, group.spans)), Spelling::Json);
}

/// The pieces of each message: neighbours of one stream.
fn messages(tokens: &Tokens) -> Vec<Vec<usize>> {
    let mut messages: Vec<Vec<usize>> = Vec::new();
    let mut open = None;
    for mark in &tokens.marks {
        match (mark, messages.last_mut()) {
            (Mark::Piece { item, stream }, Some(message)) if open == Some(*stream) => message.push(*item),
            (Mark::Piece { item, stream }, _) => {
                messages.push(vec![*item]);
                open = Some(*stream);
            }
            (Mark::Break, _) => open = None,
        }
    }
    messages
}

/// The place of each string in a walk over the document with sorted keys.
fn ranks(text: &str) -> HashMap<String, usize> {
    let mut ranks = HashMap::new();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        walk(&value, &mut ranks);
    }
    ranks
}

/// Recursion is bounded by the parser's own limit of 128 levels.
fn walk(value: &Value, ranks: &mut HashMap<String, usize>) {
    let next = ranks.len();
    match value {
        Value::String(text) => {
            ranks.entry(text.clone()).or_insert(next);
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, ranks)),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| key.as_str());
            for (key, member) in members {
                let next = ranks.len();
                ranks.entry(key.clone()).or_insert(next);
                walk(member, ranks);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
