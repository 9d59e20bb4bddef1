//! Why a failure is not retried by itself: one word per reason.
//!
//! Invariant: every way to refuse has its own word.
//!
//! Must not know: how the reasons are shown.

use crate::vocab::word_enum;

word_enum! {
    /// One reason against an automatic recovery. The first group says that the attempt is not pre-result safe.
    pub enum Refusal("refusal") {
        /// Something happened that carried no identity: what the attempt did is not known.
        EvidenceUnknown = "evidence_unknown",
        /// The terminal failure belongs to another prompt, execution or session.
        StaleTerminal = "stale_terminal",
        /// Assistant output was seen.
        Output = "output",
        /// Tool activity was seen.
        Effect = "effect",
        /// Two prompts of the session were unanswered at once.
        OverlappingPrompts = "overlapping_prompts",
        /// The failure arrived as a normal end of turn.
        ArrivedAsSuccess = "arrived_as_success",
        /// A diagnostic is recorded and the terminal classifies to another code.
        DiagnosticCodeDiffers = "diagnostic_code_differs",
        /// A diagnostic is recorded and the terminal's code can not be trusted to be the same.
        DiagnosticNotCorroborated = "diagnostic_not_corroborated",
        /// A diagnostic is recorded and the terminal's message does not contain it.
        DiagnosticNotContained = "diagnostic_not_contained",
        /// The failure is of class `unclassified`.
        Unclassified = "unclassified",
        /// The classification is of medium or low confidence.
        NotConfident = "not_confident",
        /// A veto fired: somebody stopped the request.
        Vetoed = "vetoed",
        /// The code is never retried by itself.
        NoAutomaticRetry = "no_automatic_retry",
        /// The code is retried only with a validated hint of at most a minute, and there is none.
        NoShortHint = "no_short_hint",
        /// The client cancelled the prompt before it was answered.
        CancelledByClient = "cancelled_by_client",
        /// No automatic attempt is left.
        AttemptsExhausted = "attempts_exhausted",
    }
}
