//! Does redaction keep what correlation needs: that a diagnostic is contained in its terminal message, or is not (.23)?
//!
//! Invariant: the answer names the two texts by their labels, never by their content.
//!
//! Must not know: fixtures.

use std::fmt;

use crate::text;

/// A diagnostic and the terminal message it is compared with, before and after redaction.
#[derive(Debug, Clone, Copy)]
pub struct Correlation<'t> {
    /// Where the diagnostic is, for people: a JSON pointer or a frame number.
    pub diagnostic_at: &'t str,
    /// Where the terminal message is.
    pub terminal_at: &'t str,
    /// Diagnostic and terminal message as observed.
    pub raw: (&'t str, &'t str),
    /// The same after redaction.
    pub clean: (&'t str, &'t str),
}

/// Redaction changed the verdict of a containment check. Neither text is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenContainment {
    /// Where the diagnostic is.
    pub diagnostic_at: String,
    /// Where the terminal message is.
    pub terminal_at: String,
    /// The verdict before redaction; after it, it is the other one.
    pub was_contained: bool,
}

impl fmt::Display for BrokenContainment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = if self.was_contained { ("is", "is not") } else { ("is not", "is") };
        write!(
            f,
            "keep containment: {} {before} contained in {} as observed and {after} once redacted",
            self.diagnostic_at, self.terminal_at
        )
    }
}

impl std::error::Error for BrokenContainment {}

impl Correlation<'_> {
    /// Compares the verdicts before and after.
    ///
    /// # Errors
    /// When they differ.
    pub fn is_kept(&self) -> Result<(), BrokenContainment> {
        let was_contained = text::contains_normalized(self.raw.1, self.raw.0);
        if was_contained == text::contains_normalized(self.clean.1, self.clean.0) {
            return Ok(());
        }
        let (diagnostic_at, terminal_at) = (self.diagnostic_at.to_owned(), self.terminal_at.to_owned());
        Err(BrokenContainment { diagnostic_at, terminal_at, was_contained })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_verdict_is_refused_and_shows_no_text() {
        let broken =
            |raw, clean| Correlation { diagnostic_at: "/frames/0", terminal_at: "/frames/1", raw, clean }.is_kept();
        assert_eq!(broken(("a b", "x a  b y"), ("m", "x m y")), Ok(()));
        assert_eq!(broken(("a", "b"), ("m", "n")), Ok(()));
        let error = broken(("secret one", "x secret one"), ("m", "x n")).unwrap_err();
        assert!(error.was_contained && !error.to_string().contains("secret"), "{error}");
        assert!(!broken(("a", "b"), ("***", "***")).unwrap_err().was_contained);
    }
}
