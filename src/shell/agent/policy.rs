//! What a capturing client answers when an agent asks it for something.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::shell::disk;

/// JSON-RPC: the method does not exist here.
const METHOD_NOT_FOUND: i32 = -32601;
/// JSON-RPC: the request was understood and not done.
const REFUSED: i32 = -32000;

/// An answer, and whether it refused something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// `result` or `error` of the response.
    pub(super) body: Body,
    /// Whether the policy refused it.
    pub(super) denied: bool,
}

/// The two forms of a response.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// A result.
    Result(Value),
    /// An error: code and message.
    Error(i32, String),
}

/// The client's side of permissions and files: deny, unless tools are allowed, and then files below one folder only.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    /// The folder whose files an allowed agent may read and write.
    pub(super) folder: PathBuf,
    /// Whether tools are allowed.
    pub(super) allow: bool,
}

impl Policy {
    /// The capabilities that the client declares; what would be denied is not offered.
    pub(super) fn capabilities(&self) -> Value {
        json!({"fs": {"readTextFile": self.allow, "writeTextFile": self.allow}})
    }

    /// Answers one request of the agent.
    pub(super) fn answer(&self, method: &str, params: &Value) -> Answer {
        match method {
            "session/request_permission" => self.permission(params),
            "fs/read_text_file" | "fs/write_text_file" if self.allow => {
                let done = if method.starts_with("fs/read") { self.read(params) } else { self.write(params) };
                match done {
                    Ok(result) => Answer { body: Body::Result(result), denied: false },
                    Err(message) => Answer { body: Body::Error(REFUSED, message), denied: true },
                }
            }
            _ if method.starts_with("fs/") || method.starts_with("terminal/") => {
                Answer { body: Body::Error(REFUSED, "denied by the capturing client".into()), denied: true }
            }
            _ => Answer { body: Body::Error(METHOD_NOT_FOUND, "method not found".into()), denied: false },
        }
    }

    fn permission(&self, params: &Value) -> Answer {
        let wanted = if self.allow { ["allow_once", "allow_always"] } else { ["reject_once", "reject_always"] };
        let options = params.get("options").and_then(Value::as_array);
        let of_kind = |kind: &str| {
            options?.iter().find(|option| option.get("kind").and_then(Value::as_str) == Some(kind))?.get("optionId")
        };
        let outcome = match wanted.iter().find_map(|kind| of_kind(kind)) {
            Some(option) => json!({"outcome": "selected", "optionId": option}),
            None => json!({"outcome": "cancelled"}),
        };
        Answer { body: Body::Result(json!({"outcome": outcome})), denied: !self.allow }
    }

    fn read(&self, params: &Value) -> Result<Value, String> {
        let path = self.inside(params)?;
        let text = disk::read_text(&path).map_err(|error| format!("failed to {error}"))?;
        let number = |key: &str| params.get(key).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
        let first = number("line").unwrap_or(1).saturating_sub(1);
        let lines = text.split_inclusive('\n').skip(first).take(number("limit").unwrap_or(usize::MAX));
        Ok(json!({"content": lines.collect::<String>()}))
    }

    fn write(&self, params: &Value) -> Result<Value, String> {
        let path = self.inside(params)?;
        let content = params.get("content").and_then(Value::as_str).ok_or("`content` is missing")?;
        disk::replace(&path, content.as_bytes()).map_err(|error| format!("failed to {error}"))?;
        Ok(Value::Null)
    }

    /// The path of a request, when its folder really is below ours.
    fn inside(&self, params: &Value) -> Result<PathBuf, String> {
        let path = params.get("path").and_then(Value::as_str).map(Path::new).ok_or("`path` is missing")?;
        let home = self.folder.canonicalize().map_err(|error| error.to_string())?;
        let target = if path.exists() {
            path.canonicalize().map_err(|error| error.to_string())?
        } else {
            let folder = path.parent().and_then(|folder| folder.canonicalize().ok()).ok_or("no such folder")?;
            folder.join(path.file_name().ok_or("`path` names no file")?)
        };
        if target.starts_with(&home) { Ok(target) } else { Err("the path is outside of the session's folder".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_denied_by_default_and_allowed_inside_the_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let at = |folder: &tempfile::TempDir, name: &str| folder.path().join(name).display().to_string();
        disk::replace(&folder.path().join("a.txt"), b"one\ntwo\nthree\n").unwrap();
        disk::replace(&elsewhere.path().join("secret.txt"), b"no").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
        let options = json!([{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}]);
        let selected = |id: &str| Body::Result(json!({"outcome": {"outcome": "selected", "optionId": id}}));
        let outside = || Body::Error(REFUSED, "the path is outside of the session's folder".into());
        let denied = || Body::Error(REFUSED, "denied by the capturing client".into());
        let rows = [
            (false, "session/request_permission", json!({"options": options}), selected("n")),
            (true, "session/request_permission", json!({"options": options}), selected("y")),
            (
                false,
                "session/request_permission",
                json!({}),
                Body::Result(json!({"outcome": {"outcome": "cancelled"}})),
            ),
            (false, "fs/read_text_file", json!({"path": at(&folder, "a.txt")}), denied()),
            (
                true,
                "fs/read_text_file",
                json!({"path": at(&folder, "a.txt"), "line": 2, "limit": 1}),
                Body::Result(json!({"content": "two\n"})),
            ),
            (true, "fs/read_text_file", json!({"path": at(&elsewhere, "secret.txt")}), outside()),
            (true, "fs/read_text_file", json!({"path": at(&folder, "link/secret.txt")}), outside()),
            (true, "fs/write_text_file", json!({"path": at(&elsewhere, "new"), "content": "x"}), outside()),
            (
                true,
                "fs/write_text_file",
                json!({"path": at(&folder, "new"), "content": "x"}),
                Body::Result(Value::Null),
            ),
            (true, "terminal/create", json!({}), denied()),
            (true, "_vendor/anything", json!({}), Body::Error(METHOD_NOT_FOUND, "method not found".into())),
        ];
        let mut wrong = Vec::new();
        for (allow, method, params, expected) in rows {
            let policy = Policy { folder: folder.path().to_owned(), allow };
            let got = policy.answer(method, &params);
            if got.body != expected {
                wrong.push(format!("{method} {params} allow={allow}\n  expected {expected:?}\n  got {:?}", got.body));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
