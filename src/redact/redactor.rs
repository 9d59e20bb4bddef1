//! The redactor: a set of shapes, and what each tier and profile makes of it.
//!
//! Invariant: lint ([`Redactor::scan`]) and rewrite ([`Redactor::clean`]) are one engine: what was rewritten scans clean.
//!
//! Must not know: files, processes.

use std::sync::{Arc, OnceLock};

use super::clean::{Clean, Raw, TierMark};
use super::detect::{self, Spelling};
use super::json::{Lines, Rewriter};
use super::plan::Plan;
use super::scope::{self, Engine, Scope};
use super::shape::{Profile, Scanner, ShapeClass};
use super::shapes::Shapes;
use crate::vocab::{Finding, ShapeId, Tier};

/// A forbidden value in a text. Says where, never what.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Hit {
    /// Which shape.
    pub shape: ShapeId,
    /// First byte in the scanned text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// A forbidden value in one of several pieces of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceHit {
    /// Which shape.
    pub shape: ShapeId,
    /// Piece and byte in it at which the value begins.
    pub start: (usize, usize),
    /// Piece and byte in it at which the value ends.
    pub end: (usize, usize),
}

/// Finds and rewrites. Cheap to share; build one and keep it.
#[derive(Debug, Clone)]
pub struct Redactor {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    shapes: Shapes,
    /// By tier and profile, made on first use.
    plans: [OnceLock<Box<Plan>>; 8],
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Plan")
    }
}

impl Redactor {
    /// The shapes that were built in. Made on first use, about a millisecond.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static EMBEDDED: OnceLock<Redactor> = OnceLock::new();
        EMBEDDED.get_or_init(|| Self::new(Shapes::embedded()))
    }

    /// A redactor of these shapes.
    #[must_use]
    pub fn new(shapes: Shapes) -> Self {
        Self { shared: Arc::new(Shared { shapes, plans: Default::default() }) }
    }

    /// Reads shape files, given as path and text.
    ///
    /// # Errors
    /// Every problem of every file.
    pub fn load<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Self, Vec<Finding>> {
        Shapes::load(files).map(Self::new)
    }

    /// The shapes.
    #[must_use]
    pub fn shapes(&self) -> &Shapes {
        &self.shared.shapes
    }

    pub(super) fn plan(&self, tier: Tier, profile: Profile) -> &Plan {
        let row = match tier {
            Tier::Payload => 0,
            Tier::Provenance => 1,
            Tier::Diagnostic => 2,
            Tier::CredentialOnly => 3,
        };
        let column = usize::from(profile == Profile::Strict);
        self.shared.plans[row * 2 + column].get_or_init(|| Box::new(Plan::new(self.shapes(), tier, profile)))
    }

    /// Rewrites one text on its own.
    #[must_use]
    pub fn clean<T: TierMark>(&self, raw: Raw<&str>) -> Clean<T> {
        let text = *raw.as_inner();
        let plan = self.plan(T::TIER, Profile::Standard);
        let spans = detect::spans(plan, self.shapes().compiled(), text, Spelling::Plain, &[]);
        // Most texts hold nothing: they need no scope.
        if spans.is_empty() {
            Clean::new(scope::bounded::<T>(text.to_owned()))
        } else {
            self.scope().clean_found(text, spans)
        }
    }

    /// A scope: several texts in which the same value becomes the same placeholder.
    #[must_use]
    pub fn scope<T: TierMark>(&self) -> Scope<T> {
        Scope::new(self, Profile::Standard)
    }

    /// A scope under another profile.
    #[must_use]
    pub fn scope_with<T: TierMark>(&self, profile: Profile) -> Scope<T> {
        Scope::new(self, profile)
    }

    /// What is forbidden in `text`: sorted, not overlapping, in bytes of `text`.
    #[must_use]
    pub fn scan(&self, tier: Tier, profile: Profile, text: &str) -> Vec<Hit> {
        let spans = detect::spans(self.plan(tier, profile), self.shapes().compiled(), text, Spelling::Plain, &[]);
        spans.into_iter().map(|span| self.hit(span)).collect()
    }

    pub(super) fn hit(&self, span: super::plan::Span) -> Hit {
        Hit { shape: self.shapes().compiled()[span.shape as usize].id.clone(), start: span.start, end: span.end }
    }

    /// The shape that whole values under the name of a secret belong to.
    pub(super) fn assignment(&self) -> Option<u16> {
        let at = self.shapes().compiled().iter().position(|compiled| compiled.shape.scanner == Scanner::Assignment)?;
        u16::try_from(at).ok()
    }

    /// Rewrites one JSON document in place; text that is no JSON is rewritten as text.
    #[must_use]
    pub fn clean_json<T: TierMark>(&self, raw: Raw<&str>) -> Clean<T> {
        self.scope().clean_json(raw)
    }

    /// Rewrites JSON Lines in place, each line a document; pieces of one streamed message are read together.
    #[must_use]
    pub fn clean_jsonl<T: TierMark>(&self, raw: Raw<&str>) -> Clean<T> {
        let (text, _) = self.json_lines::<T>(raw.as_inner(), Profile::Standard, false);
        Clean::new(text)
    }

    /// What is forbidden in a JSON document, in bytes of `text`.
    #[must_use]
    pub fn scan_json(&self, tier: Tier, profile: Profile, text: &str) -> Vec<Hit> {
        let mut rewriter = Rewriter::new(Engine::new(self, tier, profile));
        rewriter.record_hits();
        rewriter.push(text);
        rewriter.finish();
        rewriter.take_hits()
    }

    /// What is forbidden in JSON Lines, in bytes of `text`.
    #[must_use]
    pub fn scan_jsonl(&self, tier: Tier, profile: Profile, text: &str) -> Vec<Hit> {
        let mut rewriter = Rewriter::new(Engine::new(self, tier, profile));
        rewriter.record_hits();
        text.split('\n').for_each(|line| rewriter.push(line));
        rewriter.finish();
        rewriter.take_hits()
    }

    /// Rewrites JSON Lines held in memory, with what was found.
    fn json_lines<T: TierMark>(&self, text: &str, profile: Profile, hits: bool) -> (String, Vec<Hit>) {
        let mut lines = Lines::<T>::new(self, profile);
        if hits {
            lines.record_hits();
        }
        let mut out = String::with_capacity(text.len());
        let body = text.strip_suffix('\n').unwrap_or(text);
        if !text.is_empty() {
            body.split('\n').for_each(|line| lines.push(line, &mut out));
        }
        lines.finish(&mut out);
        if !text.ends_with('\n') {
            out.pop();
        }
        (out, lines.take_hits())
    }

    /// What is forbidden in the pieces of one message, read together.
    #[must_use]
    pub fn scan_pieces(&self, tier: Tier, profile: Profile, pieces: &[&str]) -> Vec<PieceHit> {
        let (raw, seams) = scope::joined(pieces);
        let spans = detect::spans(self.plan(tier, profile), self.shapes().compiled(), &raw, Spelling::Plain, &seams);
        let place = |at: usize| {
            let piece = seams.partition_point(|&seam| seam <= at);
            (piece, at - if piece == 0 { 0 } else { seams[piece - 1] })
        };
        let hits = spans.into_iter().map(|span| {
            let (last, offset) = place(span.end - 1);
            let shape = self.shapes().compiled()[span.shape as usize].id.clone();
            PieceHit { shape, start: place(span.start), end: (last, offset + 1) }
        });
        hits.collect()
    }

    /// Whether `shape` is on the requirement's own list, which nothing may be excepted from.
    #[must_use]
    pub fn is_enforced(&self, shape: &ShapeId) -> bool {
        self.shapes().iter().any(|known| known.id == shape.as_str() && known.class == ShapeClass::Enforced)
    }
}
