//! Shapes: what may not be in a text, found and rewritten by one engine.
//!
//! Invariant: rewriting is idempotent, and what was rewritten holds no shape.
//!
//! Must not know: ACP, fixtures, disk.

mod allow;
mod clean;
mod containment;
mod detect;
mod filter;
mod interner;
mod json;
mod markdown;
mod placeholder;
mod plan;
mod redactor;
mod repeats;
mod sample;
mod scanner;
mod scope;
mod search;
mod self_test;
mod shape;
mod shapes;
mod view;

pub use allow::AllowList;
pub use clean::{Clean, CredentialOnly, Diagnostic, Payload, Provenance, Raw, TierMark};
pub use containment::{BrokenContainment, Correlation};
pub use json::Lines;
pub use placeholder::holds_placeholder;
pub use redactor::{Hit, PieceHit, Redactor};
pub use sample::expand as expand_sample;
pub use scope::{DIAGNOSTIC_BYTES, Scope};
pub use self_test::self_test;
pub use shape::{Boundary, Kind, Profile, Replacement, Scanner, Shape, ShapeClass, Validator};
pub use shapes::Shapes;
