//! Running the binary and copying the project.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What one run gave.
pub(crate) struct Ran {
    /// Exit code; -1 for a signal.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

/// Failures of tests print runs: the head of each stream says enough.
impl std::fmt::Debug for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let head = |text: &str| text.chars().take(2_000).collect::<String>();
        write!(f, "exit {}\n--- stdout\n{}\n--- stderr\n{}\n", self.code, head(&self.stdout), head(&self.stderr))
    }
}

impl Ran {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let parsed = serde_json::from_str(&self.stdout);
        assert!(parsed.is_ok(), "{parsed:?}: {self:?}");
        parsed.expect("it was just checked")
    }
}

/// The project's own folder.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// How many cells and how many dialect scenarios the project's matrix requires.
pub(crate) fn required() -> (usize, usize) {
    let matrix = refrain::matrix::Matrix::embedded();
    (matrix.required().count(), matrix.scenarios.len())
}

/// Runs the binary in a folder, with a bare environment.
pub(crate) fn refrain_in(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    refrain_with(folder, arguments, input.as_bytes(), &[])
}

/// Runs the binary in a folder with some variables.
pub(crate) fn refrain_with(folder: &Path, arguments: &[&str], input: &[u8], variables: &[(&str, &str)]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A program that does not read its input closes the pipe: that is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A copy of the project's data that may be broken.
pub(crate) fn copy() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    for part in ["matrix.yaml", "catalogue", "fixtures"] {
        copy_all(&project().join(part), &folder.path().join(part));
    }
    let path = folder.path().to_owned();
    (folder, path)
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).expect("a file");
    }
}

/// Replaces the first `from` of a file.
pub(crate) fn edit(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).expect(file);
    assert!(text.contains(from), "{file} holds no {from:?}");
    fs::write(path, text.replacen(from, to, 1)).expect(file);
}
