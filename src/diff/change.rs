//! One input that the two sides judge differently, and how much a reviewer has to care.

use serde::Serialize;

use super::input::Input;
use super::verdict::Verdict;
use crate::vocab::{Disposition, word_enum};

word_enum! {
    /// What a change does, in the words of the machine interface. The first that applies, in this order.
    pub enum Effect("effect") {
        /// A person was needed before; now a client acts by itself.
        Widened = "widened",
        /// A client acted by itself before; now a person is needed.
        Narrowed = "narrowed",
        /// Another class, with the same consequence.
        Class = "class",
        /// Another code of the same class.
        Code = "code",
        /// What happens next, or when, under the same code.
        Disposition = "disposition",
        /// How sure the same answer is.
        Confidence = "confidence",
        /// Another rule gives the same answer.
        Rule = "rule",
    }
}

word_enum! {
    /// The order in which changes are read, worst first.
    pub enum Group("group") {
        /// [`Effect::Widened`].
        Widened = "widened",
        /// [`Effect::Narrowed`] between two classified answers.
        Narrowed = "narrowed",
        /// Transient becomes hard or the other way round, with the same consequence.
        ClassFlip = "class",
        /// [`Effect::Code`].
        Code = "code",
        /// What was classified is not any more.
        LostCoverage = "lost_coverage",
        /// What was not classified is now, without anything acting by itself.
        NewCoverage = "new_coverage",
        /// [`Effect::Disposition`].
        Disposition = "disposition",
        /// [`Effect::Confidence`].
        Confidence = "confidence",
        /// [`Effect::Rule`].
        Rule = "rule",
    }
}

/// One input that the two sides judge differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The input.
    #[serde(flatten)]
    pub input: Input,
    /// What the base says.
    pub before: Verdict,
    /// What the head says.
    pub after: Verdict,
    /// What the change does.
    #[serde(rename = "severity")]
    pub effect: Effect,
    /// Where it is listed.
    pub group: Group,
}

impl Change {
    /// The change between two answers, when there is one.
    #[must_use]
    pub fn between(input: Input, before: Verdict, after: Verdict) -> Option<Self> {
        let effect = effect(&before, &after)?;
        let group = group(effect, &before, &after);
        Some(Self { input, before, after, effect, group })
    }

    /// What changes are sorted by: worst first, then by kind and name of the input.
    pub(super) fn rank(&self) -> (Group, &Input) {
        (self.group, &self.input)
    }
}

fn effect(before: &Verdict, after: &Verdict) -> Option<Effect> {
    let retries = |verdict: &Verdict| verdict.disposition == Some(Disposition::AutomaticRetry);
    let widened = (before.needs_a_person() && !after.needs_a_person()) || (!retries(before) && retries(after));
    let narrowed = (!before.needs_a_person() && after.needs_a_person()) || (retries(before) && !retries(after));
    let next = (before.disposition, before.retry_after_ms) != (after.disposition, after.retry_after_ms);
    let effects = [
        (widened, Effect::Widened),
        (narrowed, Effect::Narrowed),
        (before.class != after.class, Effect::Class),
        (before.code != after.code, Effect::Code),
        (next, Effect::Disposition),
        (before.confidence != after.confidence, Effect::Confidence),
        (before.rule != after.rule, Effect::Rule),
    ];
    effects.into_iter().find(|(applies, _)| *applies).map(|(_, effect)| effect)
}

const fn group(effect: Effect, before: &Verdict, after: &Verdict) -> Group {
    match (effect, before.is_classified(), after.is_classified()) {
        (Effect::Widened, ..) => Group::Widened,
        (Effect::Narrowed | Effect::Class, true, false) => Group::LostCoverage,
        (Effect::Class, false, true) => Group::NewCoverage,
        (Effect::Narrowed, ..) => Group::Narrowed,
        (Effect::Class, ..) => Group::ClassFlip,
        (Effect::Code, ..) => Group::Code,
        (Effect::Disposition, ..) => Group::Disposition,
        (Effect::Confidence, ..) => Group::Confidence,
        (Effect::Rule, ..) => Group::Rule,
    }
}
