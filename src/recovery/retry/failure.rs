//! A terminal failure together with what its attempt proves.

use super::ManualReason;
use crate::classify::Classification;
use crate::vocab::{Class, Confidence, Invocation};

/// A terminal failure of one prompt, judged by that prompt's evidence.
///
/// There is no way to claim safety: the judgement is the attempt's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    invocation: Invocation,
    classification: Classification,
    pre_result_safe: bool,
}

impl Failure {
    pub(in crate::recovery) const fn new(
        invocation: Invocation,
        classification: Classification,
        pre_result_safe: bool,
    ) -> Self {
        Self { invocation, classification, pre_result_safe }
    }

    /// The prompt that failed.
    #[must_use]
    pub const fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// What failed.
    #[must_use]
    pub const fn classification(&self) -> &Classification {
        &self.classification
    }

    /// Why the owner may not send the prompt again by itself; `None` when it may (.8, .15).
    #[must_use]
    pub fn refusal(&self) -> Option<ManualReason> {
        if !self.pre_result_safe {
            Some(ManualReason::NotPreResultSafe)
        } else if self.classification.class() == Class::Unclassified {
            Some(ManualReason::Unclassified)
        } else if self.classification.confidence != Confidence::High {
            Some(ManualReason::LowConfidence)
        } else if !self.classification.auto_retry() {
            Some(ManualReason::CodeForbidsRetry)
        } else {
            None
        }
    }
}
