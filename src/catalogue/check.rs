//! What a catalogue must hold as a whole: references, order, samples, collisions, coverage.

use std::collections::{BTreeMap, BTreeSet};

use crate::vocab::{Channel, Class, Finding, Place, RuleId};

use super::Catalogue;
use super::document::{RuleDocument, Sample};
use super::load::Source;
use super::order;
use super::rule::{Origin, Rule};
use super::view::View;
use super::word::Authority;
use super::wrapper::is_framed;

/// What marks the open decisions of a drafted rule.
const OPEN: &str = "EDIT";
/// How much of a sample a message repeats, in bytes.
const SEEN_BYTES: usize = 120;

/// Where each rule was written; empty for the embedded catalogue.
type Origins<'a> = BTreeMap<&'a str, &'a Source<'a>>;

fn place(origins: &Origins<'_>, id: &RuleId, key: &str, part: &str) -> Place {
    match origins.get(id.as_str()) {
        Some(source) if part.is_empty() => source.key(key),
        Some(source) => source.quote(key, part),
        None => Place::file(&format!("{}/{id}.yaml", super::RULES_FOLDER)),
    }
}

/// `outranks` names rules that exist, of the same tier, without circles.
pub(crate) fn references<'a>(
    documents: impl Iterator<Item = &'a RuleDocument>,
    origins: &Origins<'_>,
    findings: &mut Vec<Finding>,
) {
    let known: BTreeMap<&str, &RuleDocument> = documents.map(|document| (document.id.as_str(), document)).collect();
    for document in known.values() {
        for other in &document.outranks {
            let message = match known.get(other.as_str()) {
                None => format!("`{}` outranks `{other}`, which does not exist", document.id),
                Some(rule) if rule.tier != document.tier && rule.tier != Authority::Structured => {
                    format!("`{}` outranks `{other}`, which is of another tier: the tier already decides", document.id)
                }
                Some(_) => continue,
            };
            findings.push(Finding::error(
                "refrain::catalogue::outranks",
                place(origins, &document.id, "outranks", other.as_str()),
                message,
            ));
        }
        if let Some(circle) = circle_from(document, &known) {
            findings.push(Finding::error(
                "refrain::catalogue::unordered",
                place(origins, &document.id, "outranks", ""),
                format!("`outranks` runs in a circle: {}", circle.join(" > ")),
            ));
        }
    }
}

/// The circle of `outranks` that leads back to `start`, when it is the first of its members.
fn circle_from(start: &RuleDocument, known: &BTreeMap<&str, &RuleDocument>) -> Option<Vec<String>> {
    let mut path = vec![start.id.as_str()];
    let mut seen = BTreeSet::new();
    if !walk(start.id.as_str(), known, &mut path, &mut seen) {
        return None;
    }
    let first = path.iter().min().copied();
    path.push(start.id.as_str());
    (first == Some(start.id.as_str())).then(|| path.into_iter().map(str::to_owned).collect())
}

fn walk<'a>(
    start: &str,
    known: &BTreeMap<&str, &'a RuleDocument>,
    path: &mut Vec<&'a str>,
    seen: &mut BTreeSet<&'a str>,
) -> bool {
    let Some(document) = path.last().and_then(|last| known.get(last)) else { return false };
    for other in &document.outranks {
        if other.as_str() == start {
            return true;
        }
        if seen.insert(other.as_str()) {
            path.push(other.as_str());
            if walk(start, known, path, seen) {
                return true;
            }
            path.pop();
        }
    }
    false
}

/// Every sample behaves, and no two rules contradict each other on a sample.
pub(crate) fn behaviour(catalogue: &Catalogue, origins: &Origins<'_>, findings: &mut Vec<Finding>) {
    let mut collisions = BTreeSet::new();
    for rule in catalogue.rules() {
        draft(rule, origins, findings);
        // A rule over time needs a clock: the classifier's own self-test judges its samples.
        if rule.document().long_reset_of.is_some() {
            continue;
        }
        for sample in &rule.samples().positive {
            positive(catalogue, rule, sample, origins, findings);
            if rule.is_textual() {
                collide(catalogue, rule, sample, origins, &mut collisions, findings);
            }
        }
        for sample in &rule.samples().negative {
            negative(catalogue, rule, sample, origins, findings);
        }
        if rule.is_textual() && !rule.samples().positive.is_empty() && never_first(catalogue, rule) {
            findings.push(
                Finding::warning(
                    "refrain::catalogue::shadowed",
                    place(origins, rule.id(), "samples", ""),
                    format!("rule `{}` decides none of its own samples", rule.id()),
                )
                .help("another rule always outranks it: remove it or give it a sample of its own"),
            );
        }
    }
}

/// A rule that nobody has finished: it says so itself.
fn draft(rule: &Rule, origins: &Origins<'_>, findings: &mut Vec<Finding>) {
    let document = rule.document();
    let negative = rule.samples().negative.iter().map(|sample| &sample.text);
    let Some(open) =
        [&document.title, &document.source].into_iter().chain(negative).find(|text| text.starts_with(OPEN))
    else {
        return;
    };
    let key = if *open == document.title { "title" } else { "samples" };
    findings.push(
        Finding::warning(
            "refrain::catalogue::draft",
            place(origins, rule.id(), key, if key == "title" { "" } else { open }),
            format!("rule `{}` is a draft: it still says `{OPEN}`", rule.id()),
        )
        .help("decide every line that says so, then remove the word"),
    );
}

fn positive(catalogue: &Catalogue, rule: &Rule, sample: &Sample, origins: &Origins<'_>, findings: &mut Vec<Finding>) {
    if fires(catalogue, rule, sample) {
        return;
    }
    let (why, help) = silence(rule, sample);
    findings.push(
        Finding::error(
            "refrain::catalogue::silent_sample",
            place(origins, rule.id(), "samples", &sample.text),
            format!("rule `{}` does not match its own sample: {why}", rule.id()),
        )
        .help(help),
    );
}

fn negative(catalogue: &Catalogue, rule: &Rule, sample: &Sample, origins: &Origins<'_>, findings: &mut Vec<Finding>) {
    if fires(catalogue, rule, sample) {
        findings.push(
            Finding::error(
                "refrain::catalogue::firing_near_miss",
                place(origins, rule.id(), "samples", &sample.text),
                format!("rule `{}` matches a sample that must stay silent", rule.id()),
            )
            .help("make the pattern narrower, or silence it with an `unless` pattern"),
        );
    }
}

fn origin_of<'a>(rule: &'a Rule, sample: &'a Sample) -> Origin<'a> {
    Origin { channel: sample.channel.unwrap_or(Channel::PromptError), provider: rule.sample_provider(sample) }
}

/// Whether the rule matches the sample, unvetoed.
fn fires(catalogue: &Catalogue, rule: &Rule, sample: &Sample) -> bool {
    let document = rule.document();
    if !rule.is_textual() {
        return sample.status.is_some_and(|status| document.status.contains(&status))
            || sample.exit.is_some_and(|code| document.exit.contains(&code))
            || sample.stop_reason.as_ref().is_some_and(|reason| document.stop_reason.contains(reason));
    }
    let view = View::of(&sample.text);
    catalogue
        .hits(&sample.text, &view, origin_of(rule, sample))
        .iter()
        .any(|hit| catalogue.rules()[hit.rule].id() == rule.id() && !hit.vetoed)
}

/// Which part of the rule did not match, and what to do about it.
fn silence(rule: &Rule, sample: &Sample) -> (String, &'static str) {
    if !rule.is_textual() {
        return (
            "it has another status, exit code or stop reason".into(),
            "give the sample the one that the rule names",
        );
    }
    let view = View::of(&sample.text);
    let origin = origin_of(rule, sample);
    if !rule.matches_without_conditions(&sample.text, &view) {
        let seen = crate::text::head(view.flat(), SEEN_BYTES);
        return (format!("no pattern is found in what patterns see, `{seen}`"), "change the pattern or the sample");
    }
    if !rule.is_open(&view, |_| true) {
        let why = "a `requires` pattern is missing in it, or an `unless` pattern is there";
        return (why.into(), "change the condition or the sample");
    }
    if !rule.document().channels.contains(&origin.channel) {
        let why = format!("`channels` does not list {}", origin.channel);
        return (why, "list the channel, or remove the sample's `channel`");
    }
    if !rule.admits(origin, true) {
        let why = "the rule is for other agents, or `chunk: never` keeps it out of message chunks";
        return (why.into(), "give the sample a `provider` that the rule lists, or another channel");
    }
    if !rule.admits(origin, is_framed(view.flat())) {
        let why = "in a message chunk it is prose: it is not dressed as a diagnostic, such as `API Error: ...`";
        return (why.into(), "show the chunk as the agent really words it; ordinary prose must stay silent");
    }
    let why = "a cancellation in the text vetoes it, or a literal of the prefilter is missing";
    (why.into(), "`refrain explain` on the sample's text shows what happens to it")
}

fn matched<'a>(catalogue: &'a Catalogue, rule: &Rule, sample: &Sample) -> Vec<&'a Rule> {
    catalogue.open(&sample.text, origin_of(rule, sample))
}

fn collide(
    catalogue: &Catalogue,
    rule: &Rule,
    sample: &Sample,
    origins: &Origins<'_>,
    seen: &mut BTreeSet<(String, String)>,
    findings: &mut Vec<Finding>,
) {
    for (one, other) in catalogue.contradictions(&sample.text, origin_of(rule, sample)) {
        if seen.insert((one.id().to_string(), other.id().to_string())) {
            findings.push(collision(one, other, place(origins, rule.id(), "samples", &sample.text), "this sample"));
        }
    }
}

/// Two rules of different codes with an equal claim on `what`.
fn collision(one: &Rule, other: &Rule, place: Place, what: &str) -> Finding {
    let message =
        format!("rules `{}` ({}) and `{}` ({}) both match {what}", one.id(), one.code(), other.id(), other.code());
    Finding::error("refrain::catalogue::collision", place, message)
        .help("add one to the other's `outranks`, or narrow a pattern")
}

fn never_first(catalogue: &Catalogue, rule: &Rule) -> bool {
    !rule.samples().positive.iter().any(|sample| {
        order::decide(&matched(catalogue, rule, sample)).is_some_and(|decision| {
            decision.rule.id() == rule.id()
                || (decision.rule.code() == rule.code() && decision.rule.code().class() == Class::Unclassified)
        })
    })
}

impl Catalogue {
    /// The rules that match a text of this origin and that nothing vetoes.
    fn open(&self, text: &str, origin: Origin<'_>) -> Vec<&Rule> {
        let hits = self.hits(text, &View::of(text), origin);
        hits.iter().filter(|hit| !hit.vetoed).map(|hit| &self.rules()[hit.rule]).collect()
    }

    /// The pairs of rules with an equal claim on a text and different codes: nothing says which of the two decides.
    #[must_use]
    pub fn contradictions(&self, text: &str, origin: Origin<'_>) -> Vec<(&Rule, &Rule)> {
        let all = self.open(text, origin);
        let mut pairs = Vec::new();
        for (index, &one) in all.iter().enumerate() {
            for &other in &all[index + 1..] {
                let same = one.code() == other.code() || order::standing(one) != order::standing(other);
                if !same && !order::beats(one, other) && !order::beats(other, one) {
                    pairs.push((one, other));
                }
            }
        }
        pairs
    }

    /// A finding for each contradiction on a text that a person calls `what` and finds at `place`.
    #[must_use]
    pub fn collisions(&self, text: &str, origin: Origin<'_>, place: impl Fn() -> Place, what: &str) -> Vec<Finding> {
        let pairs = self.contradictions(text, origin);
        pairs.into_iter().map(|(one, other)| collision(one, other, place(), what)).collect()
    }

    /// Runs every sample against every rule again; empty when all is well. Loading does the same, so this is for the
    /// embedded catalogue.
    #[must_use]
    pub fn self_test(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let origins = Origins::new();
        references(self.rules().iter().map(Rule::document), &origins, &mut findings);
        behaviour(self, &origins, &mut findings);
        findings.sort();
        findings
    }
}
