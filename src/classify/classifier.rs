//! The classifier: one prefilter pass over the text that speaks, then the order of authority.

use std::sync::OnceLock;

use jiff::Timestamp;

use crate::catalogue::{Authority, Catalogue, Hit, Origin, Rule, View, decide, is_framed, vetoes};
use crate::evidence::Evidence;
use crate::vocab::{AgentId, Channel, Class, Code, Confidence, Phase, RuleId};

use super::classification::{Classification, TimingHint};
use super::speaker::Speaker;
use super::{excerpt, hint, telemetry};

/// From this many milliseconds on, a reset is hours away: the limit is an allowance, not a throttle.
const LONG_RESET_MS: u64 = 3_600_000;

/// A catalogue that classifies.
#[derive(Debug)]
pub struct Classifier {
    catalogue: Catalogue,
}

/// How one evidence was judged, for explanation.
#[derive(Debug)]
pub struct Trace<'a> {
    /// The channel of the text that spoke.
    pub channel: Channel,
    /// The text that spoke, as it was observed.
    pub raw: Option<String>,
    /// The same text as the patterns saw it, on one line.
    pub flat: String,
    /// The same with its line breaks.
    pub lines: String,
    /// Every textual rule that matched.
    pub hits: Vec<TraceHit<'a>>,
    /// The structured rule that matched.
    pub structured: Option<&'a Rule>,
    /// The verdict.
    pub classification: Classification,
}

/// One textual match of a [`Trace`].
#[derive(Debug)]
pub struct TraceHit<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Byte range in `flat`, or in `lines` for a rule over lines.
    pub span: (usize, usize),
    /// Whether the text vetoed it.
    pub vetoed: bool,
}

/// What the rules said about one speaker.
struct Verdict<'a> {
    winner: Option<&'a Rule>,
    conflict: bool,
    structured: Option<&'a Rule>,
    hits: Vec<Hit>,
}

impl Classifier {
    /// A classifier over a catalogue.
    #[must_use]
    pub const fn new(catalogue: Catalogue) -> Self {
        Self { catalogue }
    }

    /// The classifier over the embedded catalogue.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static CLASSIFIER: OnceLock<Classifier> = OnceLock::new();
        CLASSIFIER.get_or_init(|| Self::new(Catalogue::embedded_copy()))
    }

    /// The catalogue.
    #[must_use]
    pub const fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Classifies evidence at `now` (criteria .3 to .7).
    #[must_use]
    pub fn classify(&self, evidence: &Evidence, now: Timestamp) -> Classification {
        let speaker = Speaker::of(evidence);
        let raw = speaker.text.as_deref().unwrap_or_default();
        let view = View::of(raw);
        let verdict = self.verdict(&speaker, raw, &view, evidence.provider());
        self.conclude(evidence, &speaker, &view, &verdict, now)
    }

    /// Classifies and keeps everything that an explanation shows.
    #[must_use]
    pub fn trace(&self, evidence: &Evidence, now: Timestamp) -> Trace<'_> {
        let speaker = Speaker::of(evidence);
        let raw = speaker.text.as_deref().unwrap_or_default();
        let view = View::of(raw);
        let verdict = self.verdict(&speaker, raw, &view, evidence.provider());
        let classification = self.conclude(evidence, &speaker, &view, &verdict, now);
        let prose = speaker.channel == Channel::MessageChunk && !is_framed(view.flat());
        let hits = verdict
            .hits
            .iter()
            .filter_map(|hit| {
                let rule = &self.catalogue.rules()[hit.rule];
                rule.find(raw, &view, prose).map(|span| TraceHit { rule, span, vetoed: hit.vetoed })
            })
            .collect();
        Trace {
            channel: speaker.channel,
            raw: speaker.text.as_deref().map(str::to_owned),
            flat: view.flat().to_owned(),
            lines: view.lines().to_owned(),
            hits,
            structured: verdict.structured,
            classification,
        }
    }

    /// The marker question (criteria .16, .20): the code, if this chunk text classifies with high confidence to a
    /// fallback-eligible code for this agent.
    #[must_use]
    pub fn candidate(&self, text: &str, provider: Option<&AgentId>) -> Option<Code> {
        let view = View::of(text);
        if telemetry::announces_retry(view.flat()) {
            return None;
        }
        let hits = self.catalogue.hits(text, &view, Origin { channel: Channel::MessageChunk, provider });
        let decision = decide(&self.open(&hits))?;
        let rule = decision.rule;
        let sure = rule.confidence() == Confidence::High && !decision.conflict;
        (sure && rule.code().fallback_eligible()).then(|| rule.code())
    }

    /// The rules that matched and were not vetoed.
    fn open(&self, hits: &[Hit]) -> Vec<&Rule> {
        hits.iter().filter(|hit| !hit.vetoed).map(|hit| &self.catalogue.rules()[hit.rule]).collect()
    }

    fn verdict<'a>(
        &'a self,
        speaker: &Speaker<'_>,
        raw: &str,
        view: &View<'_>,
        provider: Option<&AgentId>,
    ) -> Verdict<'a> {
        let hits = self.catalogue.hits(raw, view, Origin { channel: speaker.channel, provider });
        let structured = self.structured(speaker, provider).filter(|rule| {
            // A status says nothing about a request that somebody stopped, or about somebody else's request.
            rule.code().class() != Class::Transient || !vetoes(view.flat())
        });
        let text = if hits.is_empty() { None } else { decide(&self.open(&hits)) };
        let (winner, conflict) = match (structured, text) {
            (Some(status), Some(text)) if refines(status, text.rule) => (Some(text.rule), text.conflict),
            (Some(status), _) => (Some(status), false),
            (None, Some(text)) => (Some(text.rule), text.conflict),
            (None, None) => (None, false),
        };
        Verdict { winner, conflict, structured, hits }
    }

    /// The structured rule of the speaker: its http status, exit code or stop reason.
    fn structured(&self, speaker: &Speaker<'_>, provider: Option<&AgentId>) -> Option<&Rule> {
        if speaker.http.is_none() && speaker.exit.is_none() && speaker.stop_reason.is_none() {
            return None;
        }
        self.catalogue.structured().find(|rule| {
            let document = rule.document();
            let agent =
                document.providers.is_empty() || provider.is_some_and(|provider| document.providers.contains(provider));
            agent
                && (speaker.http.is_some_and(|(status, _)| document.status.contains(&status))
                    || speaker.exit.is_some_and(|code| document.exit.contains(&code))
                    || speaker.stop_reason.is_some_and(|reason| document.stop_reason.iter().any(|one| one == reason)))
        })
    }

    fn conclude<'a>(
        &'a self,
        evidence: &Evidence,
        speaker: &Speaker<'_>,
        view: &View<'_>,
        verdict: &Verdict<'a>,
        now: Timestamp,
    ) -> Classification {
        let headers = speaker.http.map_or(&[][..], |(_, headers)| headers);
        let agent_retries = verdict.winner.is_some() && telemetry::announces_retry(view.flat());
        let hint = verdict
            .winner
            .filter(|rule| rule.code().policy().takes_hint)
            .and_then(|_| hint::find(headers, view.flat(), now));
        let winner = verdict.winner.map(|rule| self.with_long_reset(rule, hint));
        let confidence = winner.map_or(Confidence::Low, |rule| confidence(rule, verdict.conflict || agent_retries));
        let code = winner.map_or_else(|| fallback(evidence.phase()), Rule::code);
        let policy = code.policy();
        let remediation = winner.and_then(|rule| rule.document().remediation.as_deref()).or(policy.remediation);
        Classification {
            code,
            confidence,
            scope: winner.and_then(Rule::scope),
            rule: winner.map(|rule| rule.id().clone()),
            catalogue: self.catalogue.shared_version(),
            provider: evidence.provider().cloned(),
            model: evidence.model().cloned(),
            phase: evidence.phase(),
            hint,
            remediation: remediation.map(str::to_owned),
            safe_excerpt: speaker.text.as_deref().and_then(excerpt::safe_excerpt),
            outranked: self.outranked(verdict, winner),
            vetoed: self.named(verdict, true).map(|rule| rule.id().clone()).collect(),
            observed: speaker.observed,
            agent_retries,
        }
    }

    fn with_long_reset<'a>(&'a self, rule: &'a Rule, hint: Option<TimingHint>) -> &'a Rule {
        let long = hint.is_some_and(|hint| hint.retry_after_ms >= LONG_RESET_MS);
        if !long {
            return rule;
        }
        self.catalogue.structured().find(|other| other.document().long_reset_of == Some(rule.code())).unwrap_or(rule)
    }

    fn named<'a>(&'a self, verdict: &Verdict<'a>, vetoed: bool) -> impl Iterator<Item = &'a Rule> {
        verdict.hits.iter().filter(move |hit| hit.vetoed == vetoed).map(|hit| &self.catalogue.rules()[hit.rule])
    }

    fn outranked<'a>(&'a self, verdict: &Verdict<'a>, winner: Option<&Rule>) -> Vec<RuleId> {
        let mut rules: Vec<_> = self
            .named(verdict, false)
            .chain(verdict.structured)
            .chain(verdict.winner)
            .filter(|rule| winner.is_none_or(|winner| winner.id() != rule.id()))
            .map(|rule| rule.id().clone())
            .collect();
        rules.sort();
        rules.dedup();
        rules
    }
}

/// Whether a text's rule may speak instead of the status: another code that the status leaves open, or something that a
/// retry can not cure.
fn refines(status: &Rule, text: &Rule) -> bool {
    if text.authority() == Authority::Guess {
        return false;
    }
    if text.document().outranks.contains(status.id()) {
        return true;
    }
    if status.code() == text.code() {
        return false;
    }
    let cure = status.code().class() == Class::Transient && text.code().class() != Class::Transient;
    cure || status.document().refined_by.contains(&text.code())
}

/// A rule's confidence, at most medium when the evidence is in conflict with itself or no failure yet.
fn confidence(rule: &Rule, doubtful: bool) -> Confidence {
    match rule.confidence() {
        Confidence::High if doubtful => Confidence::Medium,
        confidence => confidence,
    }
}

/// What nothing classified: unknown before the prompt was sent, a runtime error of the agent later.
const fn fallback(phase: Phase) -> Code {
    if phase.is_before_prompt() { Code::UnknownProviderError } else { Code::AgentRuntimeError }
}
