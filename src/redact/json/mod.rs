//! JSON documents and JSON Lines, rewritten in place: only the contents of strings change, everything else stays byte for
//! byte. Patterns never see serialized JSON.
//!
//! Invariant: what parsed before parses after, with the same structure; a line that does not parse is redacted as text.
//!
//! Must not know: what a frame means beyond "this is a piece of a streamed message".

mod document;
mod lines;
mod memo;
mod tokens;

pub(super) use document::learn;
pub use lines::Lines;
pub(super) use lines::Rewriter;
