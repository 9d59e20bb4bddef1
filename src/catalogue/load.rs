//! From rule files to a catalogue, or every reason why not, with file, line and column.

use std::collections::BTreeMap;

use crate::canon::yaml;
use crate::vocab::{Channel, Confidence, Finding, Place};

use super::document::RuleDocument;
use super::literal;
use super::pattern;
use super::word::{Authority, ChunkUse};
use super::{Catalogue, RULES_FOLDER};

/// Keys that no rule may have, and why.
const REFUSED_KEYS: &[(&str, &str)] = &[
    ("error_kind", "the structured error kind is shown and never decides: it says the same for unlike failures"),
    ("errorKind", "the structured error kind is shown and never decides: it says the same for unlike failures"),
    ("rpc_code", "the JSON-RPC code is shown and never decides: agents use one code for everything"),
    ("rpcCode", "the JSON-RPC code is shown and never decides: agents use one code for everything"),
    ("priority", "an integer priority is a hidden total order: use `outranks`"),
    ("class", "the class follows from the code"),
];

/// Shortest literal that the prefilter may look for, in bytes.
const LITERAL_LENGTH: usize = 3;
/// Longest literal that the prefilter looks for, in bytes.
const LITERAL_LIMIT: usize = 12;

/// A rule file that was read.
pub(crate) struct Source<'a> {
    /// Its path.
    pub(crate) path: &'a str,
    /// Its text.
    pub(crate) text: &'a str,
}

impl Source<'_> {
    /// The place of a top-level key, or the whole file.
    pub(crate) fn key(&self, key: &str) -> Place {
        let mut offset = 0;
        for line in self.text.split_inclusive('\n') {
            if line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')) {
                return Place::span(self.path, self.text, offset, key.len());
            }
            offset += line.len();
        }
        Place::file(self.path)
    }

    /// The place of a text that the file holds, or of the key it belongs to.
    pub(crate) fn quote(&self, key: &str, part: &str) -> Place {
        let written = part.replace('\'', "''");
        match self.text.find(&written) {
            Some(at) if !written.is_empty() => Place::span(self.path, self.text, at, written.len()),
            _ => self.key(key),
        }
    }
}

impl Catalogue {
    /// Loads rule files, given as paths (with `/`) and texts.
    ///
    /// # Errors
    /// Every problem of every file in one list: malformed, unknown or refused keys, duplicate ids, an id that is not the
    /// file's name, patterns that do not compile, rules without samples or literals, unknown or circular `outranks`,
    /// samples that do not behave and rules that contradict each other (criterion .5).
    pub fn load<P: AsRef<str>, T: AsRef<str>>(files: impl IntoIterator<Item = (P, T)>) -> Result<Self, Vec<Finding>> {
        let (catalogue, findings) = Self::examine(files);
        if findings.iter().any(|finding| finding.severity == crate::vocab::Severity::Error) {
            Err(findings)
        } else {
            Ok(catalogue)
        }
    }

    /// What can be loaded of rule files, and everything that is wrong with them, warnings included. For those who show
    /// what a change does even when it is not right yet; whoever decides anything uses [`Catalogue::load`].
    #[must_use]
    pub fn examine<P: AsRef<str>, T: AsRef<str>>(files: impl IntoIterator<Item = (P, T)>) -> (Self, Vec<Finding>) {
        let files: Vec<(P, T)> = files.into_iter().collect();
        let mut sources: Vec<Source<'_>> =
            files.iter().map(|(path, text)| Source { path: path.as_ref(), text: text.as_ref() }).collect();
        sources.sort_by(|one, other| one.path.cmp(other.path));
        let mut findings = Vec::new();
        let mut documents: BTreeMap<String, (usize, RuleDocument)> = BTreeMap::new();
        for (index, source) in sources.iter().enumerate() {
            let Some(document) = read(source, &mut findings) else { continue };
            match documents.get(document.id.as_str()) {
                Some((first, _)) => findings.push(
                    Finding::error(
                        "refrain::catalogue::duplicate_id",
                        source.key("id"),
                        format!("rule `{}` is also declared in {}", document.id, sources[*first].path),
                    )
                    .help("give one of them another id and file name"),
                ),
                None => {
                    documents.insert(document.id.as_str().to_owned(), (index, document));
                }
            }
        }
        if sources.is_empty() {
            findings.push(Finding::error(
                "refrain::catalogue::empty",
                Place::file(RULES_FOLDER),
                "there is no rule file",
            ));
        }
        let origin: BTreeMap<&str, &Source<'_>> =
            documents.iter().map(|(id, (index, _))| (id.as_str(), &sources[*index])).collect();
        super::check::references(documents.values().map(|(_, document)| document), &origin, &mut findings);
        let catalogue = Self::from_documents(documents.values().map(|(_, document)| document.clone()).collect());
        super::check::behaviour(&catalogue, &origin, &mut findings);
        findings.sort();
        (catalogue, findings)
    }
}

/// Parses one file and checks what can be checked alone.
fn read(source: &Source<'_>, findings: &mut Vec<Finding>) -> Option<RuleDocument> {
    let refused = refused_keys(source, findings);
    let document = match yaml::parse::<RuleDocument>(source.text) {
        Ok(document) => document,
        Err(_) if refused => return None,
        Err(error) => {
            findings.push(malformed(source, &error));
            return None;
        }
    };
    let before = findings.len();
    path_is_id(source, &document, findings);
    patterns_compile(source, &document, findings);
    parts_are_there(source, &document, findings);
    let mut document = document;
    document.literals = literals(source, &document, findings);
    document.second_literals = second_literals(&document);
    document.condition_literals = condition_literals(&document);
    (findings[before..].iter().all(|finding| finding.severity != crate::vocab::Severity::Error)).then_some(document)
}

/// The literals of every way to match, without those that a shorter one covers.
fn literals(source: &Source<'_>, document: &RuleDocument, findings: &mut Vec<Finding>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    if document.shape.is_some() {
        all.push(vec![super::RETRIABLE_PREFIX.to_owned()]);
    }
    for (key, patterns) in [("match", &document.search), ("whole", &document.whole)] {
        for one in patterns {
            match literal::required(&pattern::expanded(one)) {
                Some(set) if literal::strength(&set) >= LITERAL_LENGTH => all.push(shortest(set)),
                // A pattern that does not compile has its own finding.
                _ if pattern::check(one).is_err() => {}
                _ => findings.push(
                    Finding::error(
                        "refrain::catalogue::literals",
                        source.quote(key, one),
                        "this pattern has no distinctive literal for the prefilter",
                    )
                    .help("anchor it at a word of at least three letters that every match holds"),
                ),
            }
        }
    }
    all
}

/// For every way to match literals at a second place. All sets are empty where the prefilter's one line is not what the
/// patterns see.
fn second_literals(document: &RuleDocument) -> Vec<Vec<String>> {
    let second = |one: &String| {
        let pattern = pattern::expanded(one);
        literal::required(&pattern)
            .and_then(|first| literal::required_besides(&pattern, &first))
            .filter(|set| !document.lines && literal::strength(set) >= LITERAL_LENGTH)
            .map(shortest)
            .unwrap_or_default()
    };
    let shape = document.shape.map(|_| Vec::new());
    shape.into_iter().chain(document.search.iter().chain(&document.whole).map(second)).collect()
}

/// The literals of every condition. The prefilter looks at one line, so conditions over several have none.
fn condition_literals(document: &RuleDocument) -> Vec<Vec<String>> {
    let set = |one: &String| {
        literal::required(&pattern::expanded(one))
            .filter(|set| !document.lines && literal::strength(set) >= LITERAL_LENGTH)
            .map(shortest)
            .unwrap_or_default()
    };
    document.requires.iter().chain(&document.unless).map(set).collect()
}

/// Without literals that a shorter one covers. Long ones are cut: the prefilter is built at every start.
fn shortest(set: Vec<String>) -> Vec<String> {
    let mut set: Vec<String> = set.iter().map(|one| crate::text::head(one, LITERAL_LIMIT).to_owned()).collect();
    set.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    let mut kept: Vec<String> = Vec::new();
    for literal in set {
        if !kept.iter().any(|short| literal.contains(short.as_str())) {
            kept.push(literal);
        }
    }
    kept.sort();
    kept
}

fn refused_keys(source: &Source<'_>, findings: &mut Vec<Finding>) -> bool {
    let before = findings.len();
    let mut offset = 0;
    for line in source.text.split_inclusive('\n') {
        let key = line.split(':').next().unwrap_or_default().trim();
        if let Some((_, why)) = REFUSED_KEYS.iter().find(|(name, _)| *name == key && line.contains(':')) {
            let start = offset + line.find(key).unwrap_or(0);
            findings.push(
                Finding::error(
                    "refrain::catalogue::refused_key",
                    Place::span(source.path, source.text, start, key.len()),
                    format!("a rule may not use `{key}`: {why}"),
                )
                .help("match the text of the message instead"),
            );
        }
        offset += line.len();
    }
    findings.len() > before
}

fn malformed(source: &Source<'_>, error: &yaml::YamlError) -> Finding {
    let start = source.text.split_inclusive('\n').take(error.line.saturating_sub(1)).map(str::len).sum::<usize>();
    let line = source.text[start.min(source.text.len())..].lines().next().unwrap_or_default();
    let column = line.char_indices().nth(error.column.saturating_sub(1)).map_or(0, |(at, _)| at);
    let place = if let Some(place) = unknown_word(source, &error.message) {
        place
    } else if error.line == 0 {
        Place::file(source.path)
    } else {
        Place::span(source.path, source.text, start + column, line.len().saturating_sub(column).max(1))
    };
    if source.text.trim().is_empty() {
        let place = Place::span(source.path, source.text, 0, 0);
        return Finding::error("refrain::catalogue::malformed", place, "this is no rule: the file is empty")
            .help("`refrain explain --new-rule --write TEXT` writes one to start from");
    }
    Finding::error("refrain::catalogue::malformed", place, format!("this is no rule: {}", error.message))
        .help("`refrain schema rule` prints the format")
}

/// Where the unknown word of a message stands: the parser only knows where its document starts.
fn unknown_word(source: &Source<'_>, message: &str) -> Option<Place> {
    let word = message.split_once("unknown ")?.1.split('`').nth(1)?;
    let at = source.text.match_indices(word).find(|(at, _)| {
        let before = source.text[..*at].trim_end_matches([' ', '\'', '"']);
        before.ends_with([':', '-', '[', ','])
    });
    at.map(|(at, _)| Place::span(source.path, source.text, at, word.len()))
}

fn path_is_id(source: &Source<'_>, document: &RuleDocument, findings: &mut Vec<Finding>) {
    let name = source.path.rsplit('/').next().unwrap_or(source.path);
    let stem = name.strip_suffix(".yaml").unwrap_or(name);
    if stem != document.id.as_str() {
        findings.push(
            Finding::error(
                "refrain::catalogue::path",
                source.key("id"),
                format!("rule `{}` is in a file named `{name}`", document.id),
            )
            .help(format!("rename the file to `{}.yaml`", document.id)),
        );
    }
    let versioned = document.id.as_str().rsplit_once(".v").is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    if !versioned {
        findings.push(Finding::error(
            "refrain::catalogue::id",
            source.key("id"),
            format!("rule id `{}` does not end in a version such as `.v1`", document.id),
        ));
    }
}

fn patterns_compile(source: &Source<'_>, document: &RuleDocument, findings: &mut Vec<Finding>) {
    let fields = [
        ("match", &document.search),
        ("whole", &document.whole),
        ("requires", &document.requires),
        ("unless", &document.unless),
    ];
    for (key, patterns) in fields {
        for one in patterns {
            if let Err(message) = pattern::check(one) {
                findings.push(
                    Finding::error("refrain::catalogue::pattern", source.quote(key, one), message)
                        .help("write patterns in single quotes; look-around and back references do not exist"),
                );
            }
        }
        if source.text.contains(&format!("\n{key}: [\"")) || double_quoted(source.text, key) {
            findings.push(
                Finding::error(
                    "refrain::catalogue::quotes",
                    source.key(key),
                    "a pattern in double quotes changes its backslashes",
                )
                .help("use single quotes"),
            );
        }
    }
}

/// Whether a list item under `key` starts with a double quote.
fn double_quoted(text: &str, key: &str) -> bool {
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with(key) && line[key.len()..].trim_start().starts_with(':') {
            inside = true;
        } else if inside && line.trim_start().starts_with("- \"") {
            return true;
        } else if !line.starts_with([' ', '-', '#']) {
            inside = false;
        }
    }
    false
}

fn parts_are_there(source: &Source<'_>, document: &RuleDocument, findings: &mut Vec<Finding>) {
    let textual = !document.search.is_empty() || !document.whole.is_empty() || document.shape.is_some();
    let structured = !document.status.is_empty()
        || !document.exit.is_empty()
        || !document.stop_reason.is_empty()
        || document.long_reset_of.is_some();
    let mut say = |code, key: &str, message: String| findings.push(Finding::error(code, source.key(key), message));
    if textual == structured {
        say(
            "refrain::catalogue::matcher",
            "tier",
            "a rule matches either text (`match`, `whole`) or a structured value (`status`, `exit`, `stop_reason`)"
                .into(),
        );
    }
    if structured != (document.tier == Authority::Structured) {
        say(
            "refrain::catalogue::tier",
            "tier",
            "tier `structured` is for statuses, exit codes and stop reasons, and they have no other".into(),
        );
    }
    if document.tier == Authority::Guess
        && (document.confidence == Confidence::High || document.chunk != ChunkUse::Never)
    {
        say(
            "refrain::catalogue::guess",
            "tier",
            "a guess is never of high confidence and never reads a chunk: `confidence: medium` and `chunk: never`"
                .into(),
        );
    }
    for (key, given) in [
        ("literals", &document.literals),
        ("second_literals", &document.second_literals),
        ("condition_literals", &document.condition_literals),
    ] {
        if !given.is_empty() {
            let message = format!("`{key}` is computed from the patterns: remove the key");
            say("refrain::catalogue::literals", key, message);
        }
    }
    if document.samples.positive.is_empty() || document.samples.negative.is_empty() {
        say(
            "refrain::catalogue::samples",
            "samples",
            "a rule needs a sample that fires and a near miss that stays silent".into(),
        );
    }
    for sample in document.samples.negative.iter().filter(|sample| sample.reason.is_none()) {
        findings.push(Finding::error(
            "refrain::catalogue::reason",
            source.quote("samples", &sample.text),
            "a near miss says in `reason` why it must stay silent",
        ));
    }
    if document.channels.iter().any(|channel| matches!(channel, Channel::Exit | Channel::Http)) && textual {
        findings.push(Finding::error(
            "refrain::catalogue::channels",
            source.key("channels"),
            "channels `exit` and `http` carry no text",
        ));
    }
}
