//! A project's own redaction shapes.

use super::exit::Failure;
use super::project::texts;
use crate::redact::{Redactor, ShapeClass, self_test};
use crate::shell::tree::Part;
use crate::vocab::{Finding, Place};

/// Shapes of a tree that are not the built-in ones, and what is wrong with them.
#[derive(Default)]
pub(super) struct Own {
    /// `None` when the built-in shapes are enforced: the tree has none, the same, or none that load.
    pub(super) redactor: Option<Redactor>,
    /// Load errors, and enforced shapes that are missing.
    pub(super) findings: Vec<Finding>,
}

impl Own {
    /// Loads the shapes of a tree.
    ///
    /// # Errors
    /// When one of the files is no text.
    pub(super) fn load(part: &Part) -> Result<Self, Failure> {
        let Part::Files(files) = part else { return Ok(Self::default()) };
        if files.is_empty() {
            return Ok(Self::default());
        }
        let texts = texts(files)?;
        match Redactor::load(texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))) {
            Err(findings) => Ok(Self { redactor: None, findings }),
            Ok(own) if own.shapes().to_embedded() == Redactor::embedded().shapes().to_embedded() => Ok(Self::default()),
            Ok(own) => Ok(Self { findings: missing(&own), redactor: Some(own) }),
        }
    }

    /// What the samples of the own shapes say. Those of the built-in ones are held by a test.
    pub(super) fn self_test(&self) -> Vec<Finding> {
        self.redactor.as_ref().map(self_test).unwrap_or_default()
    }

    /// The shapes that are enforced.
    pub(super) fn enforced(&self) -> &Redactor {
        self.redactor.as_ref().unwrap_or_else(|| Redactor::embedded())
    }
}

/// The requirement's own list can be added to and not taken from.
fn missing(own: &Redactor) -> Vec<Finding> {
    let enforced = Redactor::embedded().shapes().iter().filter(|shape| shape.class == ShapeClass::Enforced);
    let lost = enforced
        .filter(|shape| !own.shapes().iter().any(|other| other.id == shape.id && other.class == ShapeClass::Enforced));
    let finding = |shape: &crate::redact::Shape| {
        let place = Place::file(&format!("catalogue/shapes/{}.yaml", shape.id));
        Finding::error(
            "refrain::redact::enforced_missing",
            place,
            format!("the enforced shape `{}` is missing", shape.id),
        )
        .help("`refrain init` in an empty folder writes the built-in shapes: copy the file")
    };
    lost.map(finding).collect()
}
