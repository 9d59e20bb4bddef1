//! Reading with bounds and writing so that nothing is ever half-written.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Largest file that is read whole, in bytes.
pub const READ_LIMIT_BYTES: u64 = 256 << 20;

/// Why a file could not be read or written.
#[derive(Debug)]
pub enum DiskError {
    /// Reading failed.
    Read(PathBuf, io::Error),
    /// The file is over the limit.
    TooLarge(PathBuf),
    /// The file is not UTF-8; the offset of the first bad byte.
    NotUtf8(PathBuf, usize),
    /// Writing failed; the old content is untouched.
    Write(PathBuf, io::Error),
}

impl DiskError {
    /// The file it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Read(path, _) | Self::TooLarge(path) | Self::NotUtf8(path, _) | Self::Write(path, _) => path,
        }
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "read {}: {}", path.display(), plain(error)),
            Self::TooLarge(path) => write!(f, "read {}: over {} MiB", path.display(), READ_LIMIT_BYTES >> 20),
            Self::NotUtf8(path, at) => write!(f, "read {}: no UTF-8 at byte {at}", path.display()),
            Self::Write(path, error) => write!(f, "write {}: {}", path.display(), plain(error)),
        }
    }
}

impl std::error::Error for DiskError {}

/// The operating system's sentence without its number.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Reads a file's bytes.
///
/// # Errors
/// When it can not be read or is over [`READ_LIMIT_BYTES`].
pub fn read(path: &Path) -> Result<Vec<u8>, DiskError> {
    let failed = |error| DiskError::Read(path.to_owned(), error);
    #[expect(clippy::disallowed_methods, reason = "shell::disk is where files are read")]
    let file = std::fs::File::open(path).map_err(failed)?;
    whole(file, path)
}

/// Reads standard input to its end.
///
/// # Errors
/// As [`read`].
pub fn read_stdin() -> Result<Vec<u8>, DiskError> {
    whole(io::stdin().lock(), Path::new("standard input"))
}

/// Everything that a reader has, or an error: never the first part of it. The path is for the error.
///
/// # Errors
/// As [`read`].
pub fn whole(reader: impl io::Read, path: &Path) -> Result<Vec<u8>, DiskError> {
    bounded(reader, path, READ_LIMIT_BYTES)
}

fn bounded(reader: impl io::Read, path: &Path, limit: u64) -> Result<Vec<u8>, DiskError> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(|error| DiskError::Read(path.to_owned(), error))?;
    if bytes.len() as u64 > limit { Err(DiskError::TooLarge(path.to_owned())) } else { Ok(bytes) }
}

/// Why a path that should be a file can not be read as one.
#[must_use]
pub fn missing(path: &Path) -> DiskError {
    read(path)
        .err()
        .unwrap_or_else(|| DiskError::Read(path.to_owned(), io::Error::new(io::ErrorKind::InvalidInput, "not a file")))
}

/// Reads a text file.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, DiskError> {
    utf8(read(path)?, path)
}

/// Reads standard input as text.
///
/// # Errors
/// As [`read_text`].
pub fn read_stdin_text() -> Result<String, DiskError> {
    utf8(read_stdin()?, Path::new("standard input"))
}

fn utf8(bytes: Vec<u8>, path: &Path) -> Result<String, DiskError> {
    String::from_utf8(bytes).map_err(|error| DiskError::NotUtf8(path.to_owned(), error.utf8_error().valid_up_to()))
}

/// Opens a file for streaming.
///
/// # Errors
/// When it can not be opened.
pub fn open(path: &Path) -> Result<std::fs::File, DiskError> {
    #[expect(clippy::disallowed_methods, reason = "shell::disk is where files are read")]
    std::fs::File::open(path).map_err(|error| DiskError::Read(path.to_owned(), error))
}

/// Replaces a file: writes beside it, syncs, renames. The old content survives every failure; permissions are kept.
///
/// # Errors
/// When writing, syncing or renaming fails.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), DiskError> {
    let failed = |error| DiskError::Write(path.to_owned(), error);
    // Through a link, the file is replaced and the link stays.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let permissions = std::fs::metadata(&target).ok().map(|metadata| metadata.permissions());
    if permissions.as_ref().is_some_and(std::fs::Permissions::readonly) {
        return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")));
    }
    let mut beside = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    beside.write_all(content).map_err(failed)?;
    if let Some(permissions) = permissions {
        beside.as_file().set_permissions(permissions).map_err(failed)?;
    } else {
        set_default_permissions(beside.as_file()).map_err(failed)?;
    }
    beside.as_file().sync_all().map_err(failed)?;
    beside.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Writes a file that is not there yet, with the folders above it.
///
/// # Errors
/// When it exists, or can not be written.
pub fn create(path: &Path, content: &[u8]) -> Result<(), DiskError> {
    let failed = |error| DiskError::Write(path.to_owned(), error);
    if path.exists() {
        return Err(failed(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already")));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    replace(path, content)
}

#[cfg(unix)]
fn set_default_permissions(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_default_permissions(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_keeps_the_old_content_when_it_fails_and_permissions_when_it_works() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace(&path, b"one").unwrap();
        assert_eq!(read_text(&path).unwrap(), "one");
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let error = replace(&path, b"two").unwrap_err();
        assert!(error.to_string().contains("read-only"), "{error}");
        assert_eq!(read_text(&path).unwrap(), "one");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
    }

    #[test]
    fn more_than_the_limit_is_an_error_and_never_a_part() {
        let path = Path::new("x");
        assert_eq!(bounded(&b"abc"[..], path, 3).unwrap(), b"abc");
        assert!(matches!(bounded(&b"abcd"[..], path, 3), Err(DiskError::TooLarge(_))));
    }

    #[test]
    fn errors_read_after_failed_to() {
        let missing = read_text(Path::new("no/such/file")).unwrap_err();
        assert_eq!(missing.to_string(), "read no/such/file: no such file or directory");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad");
        replace(&path, b"ab\xff").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().ends_with("no UTF-8 at byte 2"));
    }
}
