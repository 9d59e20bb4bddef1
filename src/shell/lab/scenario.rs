//! Faults and envelopes as data: `catalogue/lab/faults/<id>.yaml` says what goes wrong, `catalogue/lab/envelopes/<id>.yaml`
//! how a provider spells each error.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// The files that the binary carries.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_lab.rs"));

/// One way to fail on purpose.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Its id, which is the name of its file.
    pub id: String,
    /// What happens, in one line.
    pub title: String,
    /// What the model requests get, in order; the last one repeats.
    pub replies: Vec<Reply>,
    /// What the model says where a reply has `{text}`, when nobody gives another text.
    #[serde(default)]
    pub text: Option<String>,
}

/// What one model request gets. Exactly one of the fields is given.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// An error of the envelope, by its id.
    #[serde(default)]
    pub error: Option<String>,
    /// A response that is no provider's: a proxy's page.
    #[serde(default)]
    pub page: Option<Page>,
    /// The connection ends before the first byte.
    #[serde(default)]
    pub close: Option<Close>,
    /// Nothing comes, until the client gives up or the lab ends.
    #[serde(default)]
    pub stall: bool,
    /// The model speaks.
    #[serde(default)]
    pub say: Option<Say>,
}

/// A response with a body that is not the provider's.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// HTTP status.
    pub status: u16,
    /// Its content type.
    pub content_type: String,
    /// Its body.
    pub body: String,
}

/// How a connection ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Close {
    /// With a reset.
    Reset,
    /// In order, but without a response.
    Orderly,
}

/// What the model says, and how the response ends.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Say {
    /// One content block each.
    pub texts: Vec<String>,
    /// Bytes of one delta; a whole text in one delta when absent.
    #[serde(default)]
    pub delta_bytes: Option<usize>,
    /// Whether a harmless tool is called after the texts.
    #[serde(default)]
    pub tool: bool,
    /// An error event after what was said, by the id of the error.
    #[serde(default)]
    pub then_error: Option<String>,
    /// The connection ends after what was said.
    #[serde(default)]
    pub then_close: Option<Close>,
    /// Nothing more comes after what was said.
    #[serde(default)]
    pub then_stall: bool,
}

/// How one provider spells its errors.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Its id, which is the name of its file.
    pub id: String,
    /// Whose wording it is and where it comes from.
    pub title: String,
    /// Headers of every response.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Errors by id.
    pub errors: BTreeMap<String, ErrorReply>,
}

/// One error of an envelope.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorReply {
    /// HTTP status.
    pub status: u16,
    /// More headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The JSON body.
    pub body: Value,
}

/// Why lab data was refused: the file and what is wrong in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabDataError {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for LabDataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "read {}: {}", self.file, self.message)
    }
}

impl std::error::Error for LabDataError {}

/// Every fault and every envelope, by id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabData {
    /// Faults.
    pub faults: BTreeMap<String, Fault>,
    /// Envelopes.
    pub envelopes: BTreeMap<String, Envelope>,
}

impl LabData {
    /// The data that the binary carries.
    ///
    /// # Errors
    /// Never in a build whose tests passed.
    pub fn embedded() -> Result<Self, LabDataError> {
        Self::load(EMBEDDED.iter().copied().filter(|(path, _)| path.starts_with("catalogue/lab/")))
    }

    /// Reads files given as path and text.
    ///
    /// # Errors
    /// When a file is no fault and no envelope, or a fault names an error that an envelope does not have.
    pub fn load<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, LabDataError> {
        let mut data = Self::default();
        for (path, text) in files {
            let wrong = |message: String| LabDataError { file: path.to_owned(), message };
            let parsed =
                |error: crate::canon::yaml::YamlError| wrong(format!("line {}: {}", error.line, error.message));
            let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".yaml");
            let id = if path.contains("/faults/") {
                let fault: Fault = crate::canon::yaml::parse(text).map_err(parsed)?;
                fault.check().map_err(wrong)?;
                let id = fault.id.clone();
                data.faults.insert(id.clone(), fault);
                id
            } else {
                let envelope: Envelope = crate::canon::yaml::parse(text).map_err(parsed)?;
                let id = envelope.id.clone();
                data.envelopes.insert(id.clone(), envelope);
                id
            };
            if id != stem {
                return Err(wrong(format!("`id` is {id}, the file's name says {stem}")));
            }
        }
        data.check()?;
        Ok(data)
    }

    fn check(&self) -> Result<(), LabDataError> {
        for fault in self.faults.values() {
            for error in fault.errors() {
                if let Some(envelope) = self.envelopes.values().find(|envelope| !envelope.errors.contains_key(error)) {
                    let message = format!("the envelope {} has no error {error}", envelope.id);
                    return Err(LabDataError { file: format!("catalogue/lab/faults/{}.yaml", fault.id), message });
                }
            }
        }
        Ok(())
    }
}

impl Fault {
    fn check(&self) -> Result<(), String> {
        if self.replies.is_empty() {
            return Err("`replies` is empty".into());
        }
        for reply in &self.replies {
            let given =
                [reply.error.is_some(), reply.page.is_some(), reply.close.is_some(), reply.stall, reply.say.is_some()];
            if given.iter().filter(|given| **given).count() != 1 {
                return Err("a reply needs exactly one of error, page, close, stall, say".into());
            }
            let Some(say) = &reply.say else { continue };
            let ends = [say.then_error.is_some(), say.then_close.is_some(), say.then_stall];
            if ends.iter().filter(|end| **end).count() > 1 {
                return Err("a `say` ends in one way only".into());
            }
        }
        Ok(())
    }

    /// The ids of the errors that it uses.
    fn errors(&self) -> impl Iterator<Item = &String> {
        self.replies
            .iter()
            .flat_map(|reply| [reply.error.as_ref(), reply.say.as_ref().and_then(|say| say.then_error.as_ref())])
            .flatten()
    }
}

/// What the braces of a text stand for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facts<'a> {
    /// What the model says.
    pub(super) text: &'a str,
    /// Host and port of the lab.
    pub(super) host: &'a str,
    /// The model that was asked for.
    pub(super) model: &'a str,
    /// The time.
    pub(super) now: jiff::Timestamp,
}

impl Facts<'_> {
    /// Fills `{text}`, `{host}`, `{model}`, invented identifiers (`{request_id}`, `{organization}`, `{account}`) and times
    /// (`{epoch+60}`, `{epoch_ms+60}`, `{utc+60}`: so many seconds from now). Other braces stay.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut result = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            result.push_str(&rest[..open]);
            rest = &rest[open..];
            match rest.find('}').and_then(|close| Some((close, self.value(&rest[1..close])?))) {
                Some((close, value)) => {
                    result.push_str(&value);
                    rest = &rest[close + 1..];
                }
                None => {
                    result.push('{');
                    rest = &rest[1..];
                }
            }
        }
        result.push_str(rest);
        result
    }

    /// The same for every text of a JSON value.
    pub(super) fn fill_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::from(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_json(item)).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), self.fill_json(value))).collect(),
            other => other.clone(),
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        let later = |seconds: &str| {
            let seconds: i64 = seconds.parse().ok()?;
            self.now.checked_add(jiff::SignedDuration::from_secs(seconds)).ok()
        };
        Some(match name {
            "text" => self.text.to_owned(),
            "host" => self.host.to_owned(),
            "model" => self.model.to_owned(),
            // Built here so that no file holds anything that looks like a real identifier.
            "request_id" => format!("req_{}{}", "011C", "LabLabLabLabLabLab"),
            "organization" => format!("{}-1111-4222-8333-{}", "0".repeat(8), "4".repeat(12)),
            "openai_organization" => format!("org{}{}", '-', "LabLabLabLabLabLabLabLab"),
            "openrouter_user" => format!("user_2{}", "Lab".repeat(9)),
            "account" => format!("user1{}example.com", '@'),
            _ => match name.split_once('+')? {
                ("epoch", seconds) => later(seconds)?.as_second().to_string(),
                ("epoch_ms", seconds) => later(seconds)?.as_millisecond().to_string(),
                ("utc", seconds) => later(seconds)?.round(jiff::Unit::Second).ok()?.to_string(),
                _ => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_data_is_sound_and_holds_every_promised_fault() {
        let data = LabData::embedded().unwrap();
        let promised = [
            "400",
            "401",
            "402",
            "403",
            "404",
            "413",
            "429",
            "429-retry-after",
            "429-reset",
            "500",
            "502",
            "503-html",
            "504",
            "529",
            "200-html",
            "reset",
            "close-mid-stream",
            "error-first",
            "error-after-text",
            "tool-then-error",
            "fail-then-succeed",
            "stall",
            "ok",
            "prose-matched",
            "prose-tool",
            "prose-output",
        ];
        let missing: Vec<_> = promised.iter().filter(|id| !data.faults.contains_key(**id)).collect();
        assert!(missing.is_empty(), "no such fault: {missing:?}");
        for id in ["anthropic", "openrouter", "openai", "gemini", "teamclaude"] {
            assert!(data.envelopes.contains_key(id), "no envelope {id}");
        }
    }

    #[test]
    fn wrong_files_are_named() {
        let envelope = ("lab/envelopes/a.yaml", "id: a\ntitle: t\nerrors: {}\n");
        for (fault, part) in [
            ("id: x\ntitle: t\nreplies: []\n", "`replies` is empty"),
            ("id: x\ntitle: t\nreplies: [{}]\n", "exactly one of"),
            ("id: y\ntitle: t\nreplies: [{stall: true}]\n", "the file's name says x"),
            ("id: x\ntitle: t\nreplies: [{error: '529'}]\n", "the envelope a has no error 529"),
            ("id: x\ntitle: t\nsurprise: 1\nreplies: [{stall: true}]\n", "unknown field `surprise`"),
        ] {
            let error = LabData::load([envelope, ("lab/faults/x.yaml", fault)]).unwrap_err();
            assert!(error.to_string().contains(part) && error.file.ends_with("x.yaml"), "{fault}: {error}");
        }
    }

    #[test]
    fn braces_are_filled_and_unknown_ones_stay() {
        let facts = Facts { text: "T", host: "127.0.0.1:9", model: "m", now: "2026-01-01T00:00:00Z".parse().unwrap() };
        for (template, expected) in [
            ("{text} {host} {model}", "T 127.0.0.1:9 m"),
            ("{\"a\":{\"b\":1}} {text}", "{\"a\":{\"b\":1}} T"),
            ("{epoch+60}", "1767225660"),
            ("{utc+3600}", "2026-01-01T01:00:00Z"),
            ("{epoch+x} {", "{epoch+x} {"),
        ] {
            assert_eq!(facts.fill(template), expected, "{template}");
        }
    }
}
