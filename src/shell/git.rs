//! A project tree as a revision has it, read from the object store. The work tree and the index are not touched.
//!
//! The `git` program is asked, not a library: who has a revision has the program, and a library would bring a hundred
//! crates to read three folders.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::tree::{File, Part, Tree, embedded_matrix};

/// Most files that are read of one revision.
const FILE_LIMIT: usize = 20_000;
/// Most bytes that are read of one revision.
const TOTAL_LIMIT_BYTES: u64 = 256 << 20;
/// Most bytes of a listing or of an error message that are read.
const LISTING_LIMIT_BYTES: u64 = 8 << 20;

/// Why a revision could not be read. Reads after "failed to".
#[derive(Debug)]
pub enum GitError {
    /// The program could not be started or spoken to.
    Program(std::io::Error),
    /// The name of the revision can not be one.
    Name(String),
    /// There is no such revision, or no repository; what git says.
    Revision(String, String),
    /// The revision holds no part of a project.
    Empty(String),
    /// An entry is no regular file.
    NotAFile(String, String),
    /// The revision is over the bounds.
    TooLarge(String),
    /// Git answered in a way that was not expected.
    Answer(String),
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => write!(f, "run git: {error}"),
            Self::Name(name) => write!(f, "find the revision `{name}`: a name does not begin with `-`"),
            Self::Revision(name, why) if why.is_empty() => write!(f, "find the revision `{name}`"),
            Self::Revision(name, why) => write!(f, "find the revision `{name}`: {why}"),
            Self::Empty(name) => write!(f, "find catalogue/, fixtures/ or matrix.yaml in `{name}`"),
            Self::NotAFile(name, path) => write!(f, "read {path} of `{name}`: it is no regular file"),
            Self::TooLarge(name) => write!(
                f,
                "read `{name}`: over {FILE_LIMIT} files or {} MiB below catalogue/ and fixtures/",
                TOTAL_LIMIT_BYTES >> 20
            ),
            Self::Answer(what) => write!(f, "read an object: git answered in an unknown way about {what}"),
        }
    }
}

impl std::error::Error for GitError {}

/// The tree that `revision` has below the current folder. What it has not is the binary's own, except fixtures, which
/// are then none.
///
/// # Errors
/// When there is no such revision, or it holds no part of a project, or is over the bounds.
pub fn tree(folder: &Path, revision: &str) -> Result<Tree, GitError> {
    let object = resolve(folder, revision)?;
    let entries = list(folder, revision, &object)?;
    if entries.is_empty() {
        return Err(GitError::Empty(revision.to_owned()));
    }
    let mut objects = Objects::open(folder)?;
    let (mut rules, mut shapes, mut fixtures, mut matrix) = (Vec::new(), Vec::new(), Vec::new(), None);
    let own_catalogue = entries.iter().any(|entry| entry.path.starts_with("catalogue/"));
    for entry in entries {
        let list = match entry.path.as_str() {
            "matrix.yaml" => {
                matrix = Some(objects.file(entry)?);
                continue;
            }
            path if is_visible(path, "catalogue/rules/", ".yaml") => &mut rules,
            path if is_visible(path, "catalogue/shapes/", ".yaml") => &mut shapes,
            path if is_visible(path, "fixtures/", ".json") => &mut fixtures,
            _ => continue,
        };
        list.push(objects.file(entry)?);
    }
    objects.close();
    let part = |files| if own_catalogue { Part::Files(files) } else { Part::Embedded };
    Ok(Tree {
        rules: part(rules),
        shapes: part(shapes),
        matrix: matrix.unwrap_or_else(embedded_matrix),
        fixtures,
        embedded_matrix: false,
        embedded_fixtures: false,
    })
}

fn is_visible(path: &str, folder: &str, ending: &str) -> bool {
    let below = path.strip_prefix(folder).filter(|below| below.ends_with(ending));
    below.is_some_and(|below| !below.split('/').any(|part| part.starts_with('.')))
}

/// Git with everything off that could write, ask a person, or fetch from somewhere.
fn git(folder: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "shell::git is where git is asked")]
    let mut command = Command::new("git");
    command
        .arg("--no-pager")
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Output of a git command that succeeded, or what it said.
fn output(command: &mut Command) -> Result<Result<Vec<u8>, String>, GitError> {
    let mut child = command.spawn().map_err(GitError::Program)?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    if let Some(out) = child.stdout.take() {
        out.take(LISTING_LIMIT_BYTES + 1).read_to_end(&mut stdout).map_err(GitError::Program)?;
    }
    if let Some(error) = child.stderr.take() {
        error.take(64 * 1024).read_to_end(&mut stderr).map_err(GitError::Program)?;
    }
    let status = child.wait().map_err(GitError::Program)?;
    if status.success() {
        return Ok(Ok(stdout));
    }
    let said = String::from_utf8_lossy(&stderr);
    Ok(Err(said.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_owned()))
}

/// The tree object of a revision.
fn resolve(folder: &Path, revision: &str) -> Result<String, GitError> {
    if revision.starts_with('-') {
        return Err(GitError::Name(revision.to_owned()));
    }
    let wanted = format!("{revision}^{{tree}}");
    match output(git(folder).args(["rev-parse", "--verify", &wanted]))? {
        Ok(object) => Ok(String::from_utf8_lossy(&object).trim().to_owned()),
        Err(said) if said.contains("not a git repository") => {
            Err(GitError::Revision(revision.to_owned(), "here is no git repository".to_owned()))
        }
        Err(_) => Err(GitError::Revision(revision.to_owned(), String::new())),
    }
}

/// One file of a revision.
struct Entry {
    path: String,
    object: String,
}

/// The regular files of a project below the current folder, by path.
fn list(folder: &Path, revision: &str, object: &str) -> Result<Vec<Entry>, GitError> {
    let parts = ["catalogue", "fixtures", "matrix.yaml"];
    let prefix = match output(git(folder).args(["rev-parse", "--show-prefix"]))? {
        Ok(prefix) => String::from_utf8_lossy(&prefix).trim_end_matches('\n').to_owned(),
        Err(said) => return Err(GitError::Revision(revision.to_owned(), said)),
    };
    let paths = parts.map(|part| format!("{prefix}{part}"));
    let mut command = git(folder);
    command.args(["ls-tree", "-r", "-l", "-z", "--full-tree", object, "--"]).args(&paths);
    let listing = output(&mut command)?.map_err(|said| GitError::Revision(revision.to_owned(), said))?;
    if listing.len() as u64 > LISTING_LIMIT_BYTES {
        return Err(GitError::TooLarge(revision.to_owned()));
    }
    let (mut entries, mut total) = (Vec::new(), 0_u64);
    for line in listing.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line);
        let Some((facts, path)) = line.split_once('\t') else { return Err(GitError::Answer("a listing".to_owned())) };
        let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
        let &[mode, kind, object, size] = facts.as_slice() else {
            return Err(GitError::Answer("a listing".to_owned()));
        };
        let path = path.strip_prefix(&prefix).unwrap_or(path).to_owned();
        if kind != "blob" || mode == "120000" {
            return Err(GitError::NotAFile(revision.to_owned(), path));
        }
        total += size.parse::<u64>().unwrap_or(0);
        entries.push(Entry { path, object: object.to_owned() });
    }
    if entries.len() > FILE_LIMIT || total > TOTAL_LIMIT_BYTES {
        return Err(GitError::TooLarge(revision.to_owned()));
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}

/// One `git cat-file` that is asked object by object.
struct Objects {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Objects {
    fn open(folder: &Path) -> Result<Self, GitError> {
        let mut command = git(folder);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::Program)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(ask), Some(answers)) => Ok(Self { child, ask, answers: BufReader::new(answers) }),
            _ => Err(GitError::Answer("its streams".to_owned())),
        }
    }

    /// One question, one answer: neither side can block the other.
    fn file(&mut self, entry: Entry) -> Result<File, GitError> {
        writeln!(self.ask, "{}", entry.object).map_err(GitError::Program)?;
        self.ask.flush().map_err(GitError::Program)?;
        let mut header = String::new();
        (&mut self.answers).take(4_096).read_line(&mut header).map_err(GitError::Program)?;
        let unknown = || GitError::Answer(entry.path.clone());
        let facts: Vec<&str> = header.split_ascii_whitespace().collect();
        let &[_, "blob", size] = facts.as_slice() else { return Err(unknown()) };
        let size = size.parse::<u64>().ok().filter(|size| *size <= TOTAL_LIMIT_BYTES).ok_or_else(unknown)?;
        let mut bytes = Vec::new();
        (&mut self.answers).take(size + 1).read_to_end(&mut bytes).map_err(GitError::Program)?;
        if bytes.pop() != Some(b'\n') || bytes.len() as u64 != size {
            return Err(unknown());
        }
        Ok(File { path: entry.path, bytes })
    }

    /// Everything was read: whatever the program still says is of no interest.
    fn close(self) {
        let Self { mut child, ask, answers } = self;
        drop((ask, answers));
        // The program ends by itself once its input is closed; waiting only reaps it.
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests;
