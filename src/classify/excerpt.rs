//! The safe excerpt of a text (criterion .29: failure reasons use the diagnostic tier).

use crate::redact::{Clean, Diagnostic, Raw, Redactor};

/// The redacted, bounded excerpt of `text`.
pub(crate) fn safe_excerpt(text: &str) -> Option<Clean<Diagnostic>> {
    (!text.trim().is_empty()).then(|| Redactor::embedded().clean(Raw::new(text.trim())))
}
