//! refrain decides, the same way every time, what an agent client may do after its model provider failed.
//!
//! The library is sans-I/O: bytes, the time (`now`) and storage come in as arguments or traits, effects go out as
//! values. Modules are floors; imports go down only (see `docs/ARCHITECTURE.md`).

/// The instants of the public interface come from this crate: `refrain::jiff::Timestamp`.
pub use jiff;

pub mod acp;
pub mod canon;
pub mod catalogue;
pub mod check;
pub mod classify;
#[cfg(feature = "cli")]
pub mod cli;
pub mod derive;
pub mod diff;
pub mod evidence;
pub mod explain;
pub mod fixture;
pub mod matrix;
pub mod recording;
pub mod recovery;
pub mod redact;
pub mod replay;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(any(feature = "acp", feature = "store"))]
pub mod shell;
pub mod simulate;
pub mod text;
pub mod vocab;

/// The code of the embedding page is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../docs/EMBEDDING.md")]
pub struct EmbeddingPage;
