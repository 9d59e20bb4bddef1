//! Where transcripts are kept: `.refrain/transcripts/`, private and ignored by version control.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::recorder::{RecorderError, private_folder};

/// The tool's own folder in a project.
pub const PRIVATE_FOLDER: &str = ".refrain";

/// The folder of transcripts below a project's root, made when it is missing.
///
/// # Errors
/// When it can not be made.
pub fn transcripts(root: &Path) -> Result<PathBuf, RecorderError> {
    let private = root.join(PRIVATE_FOLDER);
    private_folder(&private)?;
    let folder = private.join("transcripts");
    let failed = |error| RecorderError::Write(folder.clone(), error);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
    Ok(folder)
}

/// A name for a new transcript that no file has yet: the moment, and what it is about in letters a path may hold.
#[must_use]
pub fn new_name(folder: &Path, now: jiff::Timestamp, about: &str) -> PathBuf {
    let moment = now.strftime("%Y%m%dT%H%M%S").to_string();
    let about: String =
        about.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).take(60).collect();
    let about = about.trim_matches(['-', '.']);
    let name = |suffix: &str| folder.join(format!("{moment}-{about}{suffix}.jsonl"));
    let mut candidates = (2..1_000).map(|number| name(&format!("-{number}")));
    let first = name("");
    if first.exists() { candidates.find(|path| !path.exists()).unwrap_or(first) } else { first }
}

/// The transcripts of a project that were last written before `age` ago, oldest first, with their sizes in bytes.
/// A project without any has none.
///
/// # Errors
/// When the folder can not be read.
pub fn older_than(root: &Path, age: Duration) -> Result<Vec<(PathBuf, u64)>, RecorderError> {
    let folder = root.join(PRIVATE_FOLDER).join("transcripts");
    let failed = |error| RecorderError::Write(folder.clone(), error);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        // A link is not followed: what it points at is not ours.
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if !metadata.is_file() || path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let written = metadata.modified().map_err(failed)?;
        if written.elapsed().unwrap_or_default() >= age {
            found.push((written, path, metadata.len()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path, bytes)| (path, bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_new_and_harmless_and_old_ones_are_found() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(older_than(root.path(), Duration::ZERO).unwrap(), []);
        let folder = transcripts(root.path()).unwrap();
        let now = "2026-11-30T12:00:00Z".parse().unwrap();
        let first = new_name(&folder, now, "../a b/529");
        assert_eq!(first.file_name().unwrap(), "20261130T120000-a-b-529.jsonl");
        crate::shell::disk::replace(&first, b"{}").unwrap();
        let second = new_name(&folder, now, "../a b/529");
        assert_eq!(second.file_name().unwrap(), "20261130T120000-a-b-529-2.jsonl");
        crate::shell::disk::replace(&folder.join("note.txt"), b"mine").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("link.jsonl")).unwrap();
        assert_eq!(older_than(root.path(), Duration::ZERO).unwrap(), [(first, 2)]);
        assert_eq!(older_than(root.path(), Duration::from_secs(60)).unwrap(), []);
    }
}
