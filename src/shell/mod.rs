//! The machine: files, the clock, threads, the real ACP connection.
//!
//! Invariant: this is the only room that touches the machine; everything it learns it hands down as a value.
//!
//! Must not know: what anything means.

#[cfg(all(feature = "cli", unix))]
pub mod agent;
#[cfg(feature = "cli")]
pub mod clock;
#[cfg(feature = "cli")]
pub mod disk;
#[cfg(feature = "cli")]
pub mod git;
#[cfg(feature = "cli")]
pub mod jobs;
#[cfg(all(feature = "cli", unix))]
pub mod lab;
#[cfg(feature = "cli")]
pub mod lines;
#[cfg(feature = "acp")]
pub mod link;
#[cfg(feature = "cli")]
pub mod progress;
#[cfg(feature = "store")]
pub mod store;
#[cfg(all(feature = "cli", unix))]
pub(crate) mod threads;
#[cfg(feature = "cli")]
pub mod tree;
