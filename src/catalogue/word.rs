//! Closed words of the rule format.

use crate::vocab::word_enum;

word_enum! {
    /// Order of authority between rules, strongest first (criterion .5).
    pub enum Authority("tier") {
        /// A status, an exit code, a stop reason.
        Structured = "structured",
        /// A signature that a vendor or an agent documents or always spells the same.
        Exact = "exact",
        /// A wording that only counts for named agents.
        Provider = "provider",
        /// A wording that counts for every agent.
        Neutral = "neutral",
        /// The local environment: shell, npm, files.
        Local = "local",
        /// Words that go together in failures, without a known wording: heard only when nothing else matched, and never
        /// sure.
        Guess = "guess",
    }
}

word_enum! {
    /// What a rule may do with an assistant message chunk, which may be the model's own prose.
    pub enum ChunkUse("chunk use") {
        /// Match only in a chunk that is dressed as an agent's diagnostic (`API Error: ...`).
        Framed = "framed",
        /// Match in any chunk: the patterns themselves are exact or anchored enough.
        Anywhere = "anywhere",
        /// Never match in a chunk.
        Never = "never",
    }
}

impl ChunkUse {
    /// Whether this is what an absent key means.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::Framed
    }
}

#[expect(clippy::derivable_impls, reason = "the word list macro has no default")]
impl Default for ChunkUse {
    fn default() -> Self {
        Self::Framed
    }
}

word_enum! {
    /// A matcher defined in code because another layer shares it.
    pub enum Shape("shape") {
        /// Cursor's control frame `Error: RetriableError: ...` (criteria .12 and .14).
        RetriableFrame = "retriable_frame",
    }
}
