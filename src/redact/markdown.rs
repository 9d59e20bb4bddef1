//! The document of the shapes, generated from them.
//!
//! Invariant: a function of the shapes alone.
//!
//! Must not know: disk.

use std::fmt::Write as _;

use super::shape::{Shape, ShapeClass};
use super::shapes::Shapes;

const HEAD: &str = "# Shapes\n\n\
    Generated from `catalogue/shapes`; the files are the enforced definition, this page only shows it. Rewrite it with\n\
    `REFRAIN_UPDATE=1 cargo test --test redact_shapes`.\n\n\
    A shape is what may not be in a text. *Enforced* shapes are the requirement's own list: nothing excepts a value from them.\n\
    *Extended* shapes are what recorded transcripts leak beyond it. *Strict* shapes apply under `--profile strict` only.\n\n\
    Equal values get the same placeholder, so that a text that was contained in another still is.\n";

impl Shapes {
    /// The document of these shapes: what `docs/SHAPES.md` must hold.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = String::from(HEAD);
        for (class, title) in
            [(ShapeClass::Enforced, "Enforced"), (ShapeClass::Extended, "Extended"), (ShapeClass::Strict, "Strict")]
        {
            let _ = write!(
                text,
                "\n## {title}\n\n| shape | finds | tiers | becomes | fires on | stays silent on |\n|---|---|---|---|---|---|\n"
            );
            for shape in self.iter().filter(|shape| shape.class == class) {
                row(&mut text, shape);
            }
        }
        text
    }
}

fn row(text: &mut String, shape: &Shape) {
    let tiers: Vec<_> = shape.tiers.iter().map(|tier| tier.as_str()).collect();
    let sample = |samples: &[String]| samples.first().map(|sample| cell(sample)).unwrap_or_default();
    let _ = writeln!(
        text,
        "| `{}` | {} | {} | `[redacted_{}_n]` | {} | {} |",
        shape.id,
        shape.title.replace('|', "\\|"),
        tiers.join(", "),
        shape.kind,
        sample(&shape.positive),
        sample(&shape.negative),
    );
}

/// A sample as code in a table cell, on one line.
fn cell(sample: &str) -> String {
    let line = sample.replace('\n', "\\n").replace('\t', "\\t").replace('|', "\\|").replace('`', "'");
    let short = crate::text::head(&line, 72);
    format!("`{short}{}`", if short.len() < line.len() { "..." } else { "" })
}
