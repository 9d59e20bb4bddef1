//! A loaded rule: its document and what it compiled to.

use crate::vocab::{AgentId, Channel, Code, Confidence, RuleId, Scope};

use super::document::{RuleDocument, Sample, Samples};
use super::frame;
use super::pattern::Pattern;
use super::view::View;
use super::word::{Authority, ChunkUse, Shape};
use super::wrapper;

/// One rule of a catalogue.
#[derive(Debug)]
pub struct Rule {
    document: RuleDocument,
    search: Vec<Pattern>,
    whole: Vec<Pattern>,
    requires: Vec<Pattern>,
    unless: Vec<Pattern>,
}

/// Where a text comes from, for the question whether a rule may look at it.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The channel.
    pub channel: Channel,
    /// The negotiated agent.
    pub provider: Option<&'a AgentId>,
}

impl Rule {
    /// Compiles a document lazily.
    #[must_use]
    pub(crate) fn new(document: RuleDocument) -> Self {
        Self {
            search: document.search.iter().map(|one| Pattern::search(one)).collect(),
            whole: document.whole.iter().map(|one| Pattern::whole(one)).collect(),
            requires: document.requires.iter().map(|one| Pattern::search(one)).collect(),
            unless: document.unless.iter().map(|one| Pattern::search(one)).collect(),
            document,
        }
    }

    /// The rule as written.
    #[must_use]
    pub const fn document(&self) -> &RuleDocument {
        &self.document
    }

    /// The id.
    #[must_use]
    pub const fn id(&self) -> &RuleId {
        &self.document.id
    }

    /// The code.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.document.code
    }

    /// How sure a match is.
    #[must_use]
    pub const fn confidence(&self) -> Confidence {
        self.document.confidence
    }

    /// The authority.
    #[must_use]
    pub const fn authority(&self) -> Authority {
        self.document.tier
    }

    /// What the failure is about.
    #[must_use]
    pub const fn scope(&self) -> Option<Scope> {
        self.document.scope
    }

    /// The samples.
    #[must_use]
    pub const fn samples(&self) -> &Samples {
        &self.document.samples
    }

    /// Whether the rule looks at text.
    #[must_use]
    pub fn is_textual(&self) -> bool {
        self.alternatives() > 0
    }

    /// How many ways to match the rule has: its shape, then its `match` patterns, then its `whole` patterns.
    #[must_use]
    pub(crate) fn alternatives(&self) -> usize {
        usize::from(self.is_frame()) + self.search.len() + self.whole.len()
    }

    /// Whether the rule may look at a text of this origin. `framed` tells whether a chunk is dressed as a diagnostic.
    #[must_use]
    pub fn admits(&self, origin: Origin<'_>, framed: bool) -> bool {
        let document = &self.document;
        let agent = document.providers.is_empty()
            || origin.provider.is_some_and(|provider| document.providers.contains(provider));
        let channel = document.channels.contains(&origin.channel);
        let chunk = origin.channel != Channel::MessageChunk
            || match document.chunk {
                ChunkUse::Anywhere => true,
                ChunkUse::Never => false,
                _ => framed,
            };
        agent && channel && chunk
    }

    /// Whether the rule matches `view`.
    ///
    /// In prose (a chunk that is not dressed as a diagnostic) a whole message is the whole chunk, never a part of it.
    #[must_use]
    pub fn is_match(&self, raw: &str, view: &View<'_>, prose: bool) -> bool {
        (0..self.alternatives()).any(|alternative| self.alternative_matches(alternative, raw, view, prose))
            && self.is_open(view, |_| true)
    }

    /// Whether one of its patterns is found, whatever the rule requires besides and whatever silences it.
    #[must_use]
    pub fn matches_without_conditions(&self, raw: &str, view: &View<'_>) -> bool {
        (0..self.alternatives()).any(|alternative| self.alternative_matches(alternative, raw, view, false))
    }

    /// Whether one way to match does; the rule itself also asks [`Rule::is_open`].
    pub(crate) fn alternative_matches(&self, alternative: usize, raw: &str, view: &View<'_>, prose: bool) -> bool {
        if self.is_frame() && alternative == 0 {
            return is_retriable(raw);
        }
        let alternative = alternative - usize::from(self.is_frame());
        match self.search.get(alternative) {
            Some(pattern) => pattern.is_match(self.text_of(view)),
            None => self
                .whole
                .get(alternative - self.search.len())
                .is_some_and(|pattern| whole_message(pattern, view, prose).is_some()),
        }
    }

    /// Whether what the rule requires is there and nothing silences it. `possible` tells for a condition, numbered with
    /// `requires` first, whether it can be there at all.
    pub(crate) fn is_open(&self, view: &View<'_>, possible: impl Fn(usize) -> bool) -> bool {
        let text = self.text_of(view);
        let found = |number: usize, pattern: &Pattern| possible(number) && pattern.is_match(text);
        let required = self.requires.len();
        self.requires.iter().enumerate().all(|(number, pattern)| found(number, pattern))
            && !self.unless.iter().enumerate().any(|(number, pattern)| found(required + number, pattern))
    }

    /// Where the rule matches `view`, as a byte range of [`View::flat`] (of [`View::lines`] for a rule over lines).
    #[must_use]
    pub fn find(&self, raw: &str, view: &View<'_>, prose: bool) -> Option<(usize, usize)> {
        if !self.is_match(raw, view, prose) {
            return None;
        }
        let text = self.text_of(view);
        if self.is_frame() {
            return Some((0, text.len()));
        }
        self.search.iter().find_map(|pattern| pattern.find(text)).or_else(|| {
            let message = self.whole.iter().find_map(|pattern| whole_message(pattern, view, prose))?;
            let start = message.as_ptr() as usize - view.flat().as_ptr() as usize;
            Some((start, start + message.len()))
        })
    }

    fn text_of<'a>(&self, view: &'a View<'_>) -> &'a str {
        if self.document.lines { view.lines() } else { view.flat() }
    }

    fn is_frame(&self) -> bool {
        self.document.shape == Some(Shape::RetriableFrame)
    }

    /// Whether the rule beats `other`, a rule of the same tier.
    #[must_use]
    pub fn outranks(&self, other: &Self) -> bool {
        self.document.outranks.contains(other.id())
            || (self.document.outranks_codes.contains(&other.code()) && !other.document.outranks.contains(self.id()))
    }

    /// The agent a sample is about.
    #[must_use]
    pub fn sample_provider<'a>(&'a self, sample: &'a Sample) -> Option<&'a AgentId> {
        sample.provider.as_ref().or(self.document.providers.first())
    }
}

/// Whether `raw` is Cursor's control frame, under the wrapper of the error envelope or without it.
fn is_retriable(raw: &str) -> bool {
    frame::retriable_suffix(wrapper::without_internal_error(raw)).is_some()
}

fn whole_message<'a>(pattern: &Pattern, view: &'a View<'_>, prose: bool) -> Option<&'a str> {
    if prose {
        // Who quotes a sentence did not fail with it.
        let quoted = view.flat().starts_with(['"', '\'', '`']);
        return Some(view.core()).filter(|message| !quoted && pattern.is_match(message));
    }
    view.messages().find(|message| pattern.is_match(message))
}
