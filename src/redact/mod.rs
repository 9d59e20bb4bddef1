//! Shapes: what may not be in a text, found and rewritten by one engine.
//!
//! Invariant: rewriting is idempotent, and what was rewritten holds no shape.
//!
//! Must not know: ACP, fixtures, disk.

mod clean;
mod detect;
mod filter;
mod interner;
mod placeholder;
mod plan;
mod redactor;
mod scanner;
mod scope;
mod shape;
mod shapes;
mod view;

pub use clean::{Clean, CredentialOnly, Diagnostic, Payload, Provenance, Raw, TierMark};
pub use redactor::{Hit, PieceHit, Redactor};
pub use scope::{DIAGNOSTIC_BYTES, Scope};
pub use shape::{Boundary, Kind, Profile, Replacement, Scanner, Shape, ShapeClass, ShapeId, Validator};
pub use shapes::Shapes;
