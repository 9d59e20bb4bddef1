//! Rules as data: parse, compile, order, self-test.
//!
//! Invariant: a catalogue that loads has no two rules of one tier that contradict each other on a sample.
//!
//! Must not know: disk, sessions, recovery.

mod check;
mod document;
mod frame;
mod literal;
mod load;
mod matcher;
mod observed;
mod order;
mod page;
mod pattern;
mod rule;
mod veto;
mod view;
mod word;
mod wrapper;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

pub use document::{RuleDocument, Sample, Samples};
pub use frame::{RETRIABLE_PREFIX, RETRIABLE_SUFFIX_BYTES, retriable_suffix};
pub use matcher::Hit;
pub use order::{Decision, decide};
pub use page::{codes_page, rules_page};
pub(crate) use pattern::Pattern;
pub use rule::{Origin, Rule};
pub use veto::{cancels, vetoes};
pub use view::{Step, View, steps};
pub use word::{Authority, ChunkUse, Shape};
pub(crate) use wrapper::core as without_wrappers;
pub use wrapper::is_framed;

use crate::vocab::RuleId;

/// The embedded catalogue as JSON, generated from `catalogue/rules` and held by a test.
const EMBEDDED: &str = include_str!("embedded.json");

/// Where rule files live, relative to the root of a project.
pub const RULES_FOLDER: &str = "catalogue/rules";

/// What is embedded: the rules in order of their ids and the version that was computed over them.
#[derive(Debug, Serialize, Deserialize)]
struct Embedded {
    version: String,
    rules: Vec<RuleDocument>,
}

/// A checked, ordered set of rules.
#[derive(Debug)]
pub struct Catalogue {
    version: Arc<str>,
    rules: Vec<Rule>,
    matcher: matcher::Matcher,
}

impl Catalogue {
    /// The catalogue that ships with this version.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| Self::from_embedded(EMBEDDED))
    }

    /// A fresh copy of the catalogue that ships with this version.
    #[must_use]
    pub fn embedded_copy() -> Self {
        Self::from_embedded(EMBEDDED)
    }

    fn from_embedded(json: &str) -> Self {
        match serde_json::from_str::<Embedded>(json) {
            Ok(embedded) => Self::with_version(embedded.version, embedded.rules),
            // The generated file is held by a test; an empty catalogue classifies nothing, which is the safe answer.
            Err(_) => Self::with_version(String::new(), Vec::new()),
        }
    }

    fn with_version(version: String, documents: Vec<RuleDocument>) -> Self {
        let rules: Vec<Rule> = documents.into_iter().map(Rule::new).collect();
        let matcher = matcher::Matcher::new(&rules);
        Self { version: version.into(), rules, matcher }
    }

    /// A catalogue of checked documents, sorted by id.
    fn from_documents(mut documents: Vec<RuleDocument>) -> Self {
        documents.sort_by(|one, other| one.id.cmp(&other.id));
        Self::with_version(version_of(&documents), documents)
    }

    /// `provider-errors.v1+<first 8 hex digits of the canonical rules' SHA-256>`: it changes whenever a rule does.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The version, to be kept.
    pub(crate) fn shared_version(&self) -> Arc<str> {
        Arc::clone(&self.version)
    }

    /// The rules, in order of their ids.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The structured rules, in order of their ids.
    pub fn structured(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| rule.authority() == Authority::Structured)
    }

    /// One rule.
    #[must_use]
    pub fn rule(&self, id: &RuleId) -> Option<&Rule> {
        self.rules.binary_search_by(|rule| rule.id().cmp(id)).ok().map(|index| &self.rules[index])
    }

    /// Every textual rule that matches a text of this origin, in order of the rules.
    #[must_use]
    pub fn hits(&self, raw: &str, view: &View<'_>, origin: Origin<'_>) -> Vec<Hit> {
        self.matcher.hits(&self.rules, raw, view, origin)
    }

    /// What is embedded into the program: JSON with a final newline.
    #[must_use]
    pub fn to_embedded_json(&self) -> String {
        let rules = self.rules.iter().map(|rule| rule.document().clone()).collect();
        let embedded = Embedded { version: self.version.as_ref().to_owned(), rules };
        serde_json::to_string(&embedded).map(|json| json + "\n").unwrap_or_default()
    }
}

fn version_of(documents: &[RuleDocument]) -> String {
    let canonical = serde_json_canonicalizer::to_vec(&documents).unwrap_or_default();
    let digest = hmac_sha256::Hash::hash(&canonical);
    let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("provider-errors.v1+{hex}")
}
