//! `refrain explain`: why a text, a fixture, a transcript, a rule or a code is what it is.

mod new_rule;

use std::path::Path;

use super::arguments::{ExplainArguments, PlainFormat, TextSource};
use super::classify::looks_like_a_path;
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::acp::session::Knowledge;
use crate::check::cell_name;
use crate::evidence::{Evidence, Signal};
use crate::explain::{Explanation, explain};
use crate::fixture::{FixtureFile, Frame, Strictness};
use crate::matrix::Matrix;
use crate::recording::{self, Recording};
use crate::replay::{Setting, turns};
use crate::report;
use crate::shell::tree::Tree;
use crate::shell::{clock, disk};
use crate::text::closest;
use crate::vocab::{AgentId, Channel, Code, Phase, RuleId};

/// Explains one subject.
pub(super) fn run(arguments: &ExplainArguments, output: &mut Output) -> Result<Exit, Failure> {
    let tree = project::tree(arguments.root.as_deref())?;
    output.detail(|| project::origins(&tree));
    let loaded = Loaded::new(&tree)?;
    let agent = arguments.provider.as_deref().map(AgentId::new).transpose();
    let agent =
        agent.map_err(|error| Failure::usage("refrain::explain::provider", format!("use --provider: {error}")))?;
    let subject = arguments.subject.trim();
    if subject.is_empty() {
        let failure = Failure::usage("refrain::explain::nothing", "explain an empty text");
        return Err(failure.exit(Exit::NothingSelected));
    }
    if arguments.new_rule {
        // No rules are needed for a draft: the shell may just have emptied the file that it goes into.
        return new_rule::run(arguments, &loaded, agent.as_ref(), output);
    }
    let knowledge = loaded.judging()?;
    let explainer = Explainer { knowledge, tree: &tree, agent, arguments };
    if let Ok(id) = RuleId::new(subject)
        && let Some(rule) = knowledge.classifier.catalogue().rule(&id)
    {
        let decided = explainer.decided_by(&id);
        output.result(&match arguments.format {
            PlainFormat::Json => report::explain::rule_json(rule, &decided),
            PlainFormat::Human => output.fitted(report::explain::rule(rule, &decided, output.width())),
        });
        return Ok(Exit::Clean);
    }
    if let Ok(code) = subject.parse::<Code>() {
        let rules = knowledge.classifier.catalogue().rules().iter().filter(|rule| rule.code() == code);
        let rules: Vec<&RuleId> = rules.map(|rule| rule.id()).collect();
        output.result(&match arguments.format {
            PlainFormat::Json => report::explain::code_json(code, &rules),
            PlainFormat::Human => output.fitted(report::explain::code(code, &rules, output.width())),
        });
        return Ok(Exit::Clean);
    }
    if subject == "-" {
        return explainer.content("-", &disk::read_stdin_text()?, output);
    }
    if Path::new(subject).is_file() {
        return explainer.file(subject, output);
    }
    if let Some(file) = explainer.cell(subject) {
        return explainer.fixture(&file, output);
    }
    explainer.mistyped(subject)?;
    explainer.text(subject, output);
    Ok(Exit::Clean)
}

/// The channel of a text.
const fn channel(source: TextSource) -> Channel {
    match source {
        TextSource::PromptError => Channel::PromptError,
        TextSource::MessageChunk => Channel::MessageChunk,
        TextSource::Stderr => Channel::Stderr,
    }
}

struct Explainer<'e> {
    knowledge: Knowledge<'e>,
    tree: &'e Tree,
    agent: Option<AgentId>,
    arguments: &'e ExplainArguments,
}

impl Explainer<'_> {
    /// The fixtures of the project that can be read.
    fn fixtures(&self) -> impl Iterator<Item = FixtureFile> {
        self.tree
            .fixtures
            .iter()
            .filter_map(|file| FixtureFile::read(&file.path, &file.bytes, Strictness::Lenient).ok())
    }

    /// The fixture of a cell.
    fn cell(&self, name: &str) -> Option<FixtureFile> {
        self.fixtures().find(|file| cell_name(&file.fixture) == name)
    }

    /// A slip in the name of a rule, a code, a cell or a file must not be explained as a text.
    fn mistyped(&self, subject: &str) -> Result<(), Failure> {
        if subject.contains(char::is_whitespace) {
            return Ok(());
        }
        let rules = self.knowledge.classifier.catalogue().rules().iter().map(|rule| rule.id().to_string());
        let named: Vec<String> = rules.chain(self.fixtures().map(|file| cell_name(&file.fixture))).collect();
        // Codes are near to words that providers use: `rate_limit` is a text.
        let near = closest(subject, named.iter().map(String::as_str), 3)
            .or_else(|| closest(subject, Code::WORDS.iter().copied(), 1));
        if near.is_none() && !is_versioned(subject) {
            return if looks_like_a_path(subject) { Err(disk::missing(Path::new(subject)).into()) } else { Ok(()) };
        }
        let failure = Failure::usage("refrain::explain::unknown", format!("find `{subject}`"));
        Err(match near {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure.help("`refrain list rules` shows the rules; a text is put in quotes"),
        })
    }

    fn text(&self, text: &str, output: &mut Output) {
        let mut evidence = Evidence::new(Phase::PromptSend).with_provider(self.agent.clone());
        let text = text.to_owned();
        evidence.push(match self.arguments.source {
            TextSource::PromptError => Signal::PromptError { rpc_code: None, message: text, error_kind: None },
            TextSource::MessageChunk => Signal::MessageChunk { text },
            TextSource::Stderr => Signal::Stderr { text },
        });
        self.evidence(&evidence, output);
    }

    fn explained(&self, evidence: &Evidence) -> Explanation {
        let now = self.arguments.now.unwrap_or_else(clock::now);
        explain(self.knowledge.classifier, self.knowledge.redactor, evidence, now)
    }

    fn evidence(&self, evidence: &Evidence, output: &mut Output) {
        let explanation = self.explained(evidence);
        output.result(&match self.arguments.format {
            PlainFormat::Json => report::explain::json(&explanation),
            PlainFormat::Human => output.fitted(report::explain::human(&explanation, output.width())),
        });
    }

    /// A fixture's terminal, each failed prompt of a transcript, or a file of text.
    fn file(&self, path: &str, output: &mut Output) -> Result<Exit, Failure> {
        self.content(path, &disk::read_text(Path::new(path))?, output)
    }

    fn content(&self, path: &str, text: &str, output: &mut Output) -> Result<Exit, Failure> {
        if let Ok(file) = FixtureFile::read(path, text.as_bytes(), Strictness::Lenient) {
            return self.fixture(&file, output);
        }
        if text.lines().next().is_some_and(recording::is_recording) {
            return self.transcript(path, text, output);
        }
        self.text(text.trim(), output);
        Ok(Exit::Clean)
    }

    fn fixture(&self, file: &FixtureFile, output: &mut Output) -> Result<Exit, Failure> {
        let cell = cell_name(&file.fixture);
        let Some(Frame::PromptError { message, .. }) = file.fixture.frames.last() else {
            return Err(Failure::usage(
                "refrain::explain::no_error",
                format!("explain {cell}: its last frame is no error"),
            )
            .help(format!("`refrain replay {cell}` shows its timeline")));
        };
        self.evidence(&self.terminal(message, Some(file.fixture.agent.clone())), output);
        Ok(Exit::Clean)
    }

    fn terminal(&self, message: &str, agent: Option<AgentId>) -> Evidence {
        let mut evidence = Evidence::new(Phase::PromptSend).with_provider(self.agent.clone().or(agent));
        evidence.push(Signal::PromptError { rpc_code: None, message: message.to_owned(), error_kind: None });
        evidence
    }

    fn transcript(&self, path: &str, text: &str, output: &mut Output) -> Result<Exit, Failure> {
        let recording = Recording::parse(text)
            .map_err(|error| Failure::usage("refrain::recording::damaged", format!("{error} ({path})")))?;
        let matrix = Matrix::parse(&self.tree.matrix.path, self.tree.matrix.text()?).map_err(|_| {
            Failure::usage("refrain::matrix::broken", "read matrix.yaml").help("`refrain check` says why")
        })?;
        let names = |name: &str| matrix.agent_named(name).cloned();
        let now = self.arguments.now.unwrap_or_else(clock::now);
        let setting = Setting { knowledge: self.knowledge, now };
        let turns = turns(&recording, self.agent.clone(), &names, setting);
        let explained = turns.iter().map(|turn| {
            let excerpt = turn.classification.as_ref().and_then(|verdict| verdict.safe_excerpt.as_ref());
            excerpt.map(|excerpt| self.explained(&self.terminal(excerpt.as_str(), turn.provider.clone())))
        });
        match self.arguments.format {
            PlainFormat::Json => {
                let turns: Vec<_> = turns.iter().map(|turn| turn.line(path)).zip(explained).collect();
                output.result(&report::explain::turns_json(&turns));
            }
            PlainFormat::Human => {
                for (turn, explanation) in turns.iter().zip(explained) {
                    output.result(&output.fitted(report::turn::human(turn, path, output.width())));
                    if let Some(explanation) = explanation {
                        output.result(&output.fitted(report::explain::human(&explanation, output.width())));
                    }
                }
            }
        }
        Ok(Exit::Clean)
    }

    /// The fixtures whose terminal this rule decides.
    fn decided_by(&self, id: &RuleId) -> Vec<String> {
        let decides = |file: &FixtureFile| {
            let Some(Frame::PromptError { message, .. }) = file.fixture.frames.last() else { return false };
            let mut evidence = Evidence::new(Phase::PromptSend).with_provider(Some(file.fixture.agent.clone()));
            evidence.push(Signal::PromptError { rpc_code: None, message: message.clone(), error_kind: None });
            let verdict = self.knowledge.classifier.classify(&evidence, jiff::Timestamp::UNIX_EPOCH);
            verdict.rule.as_ref() == Some(id)
        };
        self.fixtures().filter(decides).map(|file| cell_name(&file.fixture)).collect()
    }
}

/// Whether a word ends as the id of a rule does.
fn is_versioned(word: &str) -> bool {
    let version = word.rsplit_once(".v").map(|(_, version)| version);
    version.is_some_and(|version| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
}
