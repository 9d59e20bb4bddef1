//! A loaded rule: its document and what it compiled to.

use crate::vocab::{AgentId, Channel, Code, Confidence, RuleId, Scope};

use super::document::{RuleDocument, Sample, Samples};
use super::frame;
use super::pattern::Patterns;
use super::view::View;
use super::word::{Authority, ChunkUse, Shape};
use super::wrapper;

/// One rule of a catalogue.
#[derive(Debug)]
pub struct Rule {
    document: RuleDocument,
    search: Patterns,
    whole: Patterns,
    requires: Vec<Patterns>,
    unless: Patterns,
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
            search: Patterns::search(&document.search),
            whole: Patterns::whole(&document.whole),
            requires: document.requires.iter().map(|one| Patterns::search(std::slice::from_ref(one))).collect(),
            unless: Patterns::search(&document.unless),
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
    pub const fn is_textual(&self) -> bool {
        self.search.is_some() || self.whole.is_some() || self.document.shape.is_some()
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

    /// Where the rule matches `view`, as a byte range of [`View::flat`] (of [`View::lines`] for a rule over lines).
    ///
    /// In prose (a chunk that is not dressed as a diagnostic) a whole message is the whole chunk, never a part of it.
    #[must_use]
    pub fn find(&self, raw: &str, view: &View<'_>, prose: bool) -> Option<(usize, usize)> {
        let text = if self.document.lines { view.lines() } else { view.flat() };
        let found = self.find_own(raw, text, view, prose)?;
        let required = self.requires.iter().all(|pattern| pattern.is_match(text));
        (required && !self.unless.is_match(text)).then_some(found)
    }

    fn find_own(&self, raw: &str, text: &str, view: &View<'_>, prose: bool) -> Option<(usize, usize)> {
        if self.document.shape == Some(Shape::RetriableFrame) {
            frame::retriable_suffix(wrapper::without_internal_error(raw)).map(|_| (0, text.len()))
        } else {
            self.search.find(text).or_else(|| self.find_whole(view, prose))
        }
    }

    fn find_whole(&self, view: &View<'_>, prose: bool) -> Option<(usize, usize)> {
        if !self.whole.is_some() {
            return None;
        }
        let message = if prose {
            Some(view.core()).filter(|message| self.whole.is_match(message))?
        } else {
            view.messages().find(|message| self.whole.is_match(message))?
        };
        let start = message.as_ptr() as usize - view.flat().as_ptr() as usize;
        Some((start, start + message.len()))
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
