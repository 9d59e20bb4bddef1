//! One project tree: the catalogue, the matrix and the fixtures, from a folder or from the binary itself.

use std::path::{Path, PathBuf};

use super::disk::{self, DiskError};

/// The files that the binary carries: `matrix.yaml` and `fixtures/**`.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_tree.rs"));

/// The sources of the embedded catalogue, for a new project: `catalogue/rules/*.yaml` and `catalogue/shapes/*.yaml`.
const CATALOGUE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_catalogue.rs"));

/// A file of a tree: its path, with `/` between folders, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Path as it is shown to a person.
    pub path: String,
    /// The bytes. Whether they are text is for the reader of the format to say.
    pub bytes: Vec<u8>,
}

impl File {
    /// The file as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(&self) -> Result<&str, DiskError> {
        std::str::from_utf8(&self.bytes)
            .map_err(|error| DiskError::NotUtf8(PathBuf::from(&self.path), error.valid_up_to()))
    }
}

/// Where a part of a tree comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Built into the binary.
    Embedded,
    /// Files of a folder.
    Files(Vec<File>),
}

/// A project tree. Each part is taken from the folder when it exists there and from the binary when not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// `catalogue/rules/*.yaml`.
    pub rules: Part,
    /// `catalogue/shapes/*.yaml`.
    pub shapes: Part,
    /// `matrix.yaml`.
    pub matrix: File,
    /// `fixtures/**/*.json`, by path.
    pub fixtures: Vec<File>,
    /// Whether the matrix is the binary's.
    pub embedded_matrix: bool,
    /// Whether the fixtures are the binary's.
    pub embedded_fixtures: bool,
}

/// What makes a folder a project; each part that is not there is the binary's own.
const PARTS: [&str; 3] = ["catalogue", "matrix.yaml", "fixtures"];

/// Whether a folder holds a part of a project.
#[must_use]
pub fn is_project(folder: &Path) -> bool {
    folder.is_dir() && PARTS.iter().any(|part| folder.join(part).exists())
}

/// The project that the current folder is inside of, as a relative path: the nearest folder above it that holds a
/// `matrix.yaml`. `None` when the current folder is a project itself, or is in none.
#[must_use]
pub fn root_above() -> Option<PathBuf> {
    root_above_of(&std::env::current_dir().ok()?)
}

fn root_above_of(here: &Path) -> Option<PathBuf> {
    if is_project(here) {
        return None;
    }
    let steps = here.ancestors().skip(1).position(|folder| folder.join("matrix.yaml").is_file())? + 1;
    Some(std::iter::repeat_n("..", steps).collect())
}

/// The shapes of a project alone: those of a folder, or of the binary when it holds none.
///
/// # Errors
/// When a file that exists can not be read.
pub fn shapes(root: &Path) -> Result<Part, DiskError> {
    if !root.join("catalogue").is_dir() {
        return Ok(Part::Embedded);
    }
    let reader = Reader { base: root.to_owned(), shown: (root != Path::new(".")).then(|| root.display().to_string()) };
    reader.folder("catalogue/shapes", "yaml").map(Part::Files)
}

impl Tree {
    /// Whether all of it is what the binary carries.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.embedded_matrix && self.embedded_fixtures && self.rules == Part::Embedded && self.shapes == Part::Embedded
    }

    /// The tree below `root`; without a root, the one in the current folder, where a folder that holds none of the
    /// three parts means the binary's own.
    ///
    /// # Errors
    /// When a file that exists can not be read, or an explicit `root` is no folder or holds no part of a project.
    pub fn load(root: Option<&Path>) -> Result<Self, DiskError> {
        let base = root.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        let shown = root.map(|root| root.display().to_string());
        let reader = Reader { base, shown };
        let (rules, shapes) = if reader.base.join("catalogue").is_dir() {
            (
                Part::Files(reader.folder("catalogue/rules", "yaml")?),
                Part::Files(reader.folder("catalogue/shapes", "yaml")?),
            )
        } else {
            (Part::Embedded, Part::Embedded)
        };
        let own_matrix = reader.base.join("matrix.yaml").is_file();
        let own_fixtures = reader.base.join("fixtures").is_dir();
        if root.is_some() && rules == Part::Embedded && !own_matrix && !own_fixtures {
            let message = "holds no catalogue/, matrix.yaml or fixtures/";
            return Err(DiskError::Read(reader.base, std::io::Error::new(std::io::ErrorKind::NotFound, message)));
        }
        let matrix = if own_matrix { reader.file("matrix.yaml")? } else { embedded_matrix() };
        let fixtures = if own_fixtures { reader.folder("fixtures", "json")? } else { embedded_fixtures() };
        Ok(Self { rules, shapes, matrix, fixtures, embedded_matrix: !own_matrix, embedded_fixtures: !own_fixtures })
    }
}

/// The matrix that the binary carries.
#[must_use]
pub fn embedded_matrix() -> File {
    embedded(|path| path == "matrix.yaml")
        .pop()
        .unwrap_or_else(|| File { path: "matrix.yaml".into(), bytes: Vec::new() })
}

/// The fixtures that the binary carries, by path.
#[must_use]
pub fn embedded_fixtures() -> Vec<File> {
    embedded(|path| path.starts_with("fixtures/"))
}

/// The rule and shape files that the embedded catalogue was made of, by path.
#[must_use]
pub fn embedded_catalogue() -> Vec<File> {
    CATALOGUE.iter().map(|(path, text)| File { path: (*path).to_owned(), bytes: text.as_bytes().to_vec() }).collect()
}

fn embedded(wanted: impl Fn(&str) -> bool) -> Vec<File> {
    let files = EMBEDDED.iter().filter(|(path, _)| wanted(path));
    files.map(|(path, text)| File { path: (*path).to_owned(), bytes: text.as_bytes().to_vec() }).collect()
}

/// Every `.json` file below a folder, or the file itself, by path. Paths are shown as they were given.
///
/// # Errors
/// When the path does not exist or something below it can not be read.
pub fn json_files(path: &Path) -> Result<Vec<File>, DiskError> {
    let reader = Reader { base: path.to_owned(), shown: Some(path.display().to_string()) };
    if path.is_file() {
        return Ok(vec![File { path: shown(path), bytes: disk::read(path)? }]);
    }
    reader.folder("", "json")
}

fn shown(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

struct Reader {
    base: PathBuf,
    shown: Option<String>,
}

impl Reader {
    fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.base).unwrap_or(path);
        match &self.shown {
            Some(base) => shown(&Path::new(base).join(below)),
            None => shown(below),
        }
    }

    fn file(&self, name: &str) -> Result<File, DiskError> {
        let path = self.base.join(name);
        Ok(File { path: self.shown(&path), bytes: disk::read(&path)? })
    }

    /// Hidden files and folders are not part of a tree. A loop of links is an error, not an endless walk.
    fn folder(&self, name: &str, extension: &str) -> Result<Vec<File>, DiskError> {
        let top = if name.is_empty() { self.base.clone() } else { self.base.join(name) };
        let visible =
            |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
        let mut files = Vec::new();
        if !name.is_empty() && !top.exists() {
            return Ok(files);
        }
        for entry in
            walkdir::WalkDir::new(&top).follow_links(true).sort_by_file_name().into_iter().filter_entry(visible)
        {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(&top).to_owned();
                let error = error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links"));
                DiskError::Read(path, error)
            })?;
            if entry.file_type().is_file() && entry.path().extension().is_some_and(|found| found == extension) {
                files.push(File { path: self.shown(entry.path()), bytes: disk::read(entry.path())? });
            }
        }
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_comes_from_the_folder_or_else_from_the_binary() {
        let folder = tempfile::tempdir().unwrap();
        let error = Tree::load(Some(folder.path())).unwrap_err();
        assert!(error.to_string().contains("holds no catalogue/"), "{error}");
        std::fs::create_dir_all(folder.path().join("fixtures/a")).unwrap();
        disk::replace(&folder.path().join("fixtures/a/b.json"), b"{}").unwrap();
        disk::replace(&folder.path().join("fixtures/.hidden.json"), b"{}").unwrap();
        let tree = Tree::load(Some(folder.path())).unwrap();
        assert_eq!(tree.fixtures.len(), 1);
        assert!(tree.fixtures[0].path.ends_with("fixtures/a/b.json"), "{:?}", tree.fixtures);
        assert_eq!(tree.rules, Part::Embedded);
    }

    #[test]
    fn a_project_is_found_from_inside_and_not_from_beside() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("project/docs/deep");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(folder.path().join("beside")).unwrap();
        disk::replace(&folder.path().join("project/matrix.yaml"), b"agents: []").unwrap();
        for (here, expected) in
            [("project/docs/deep", Some("../..")), ("project/docs", Some("..")), ("project", None), ("beside", None)]
        {
            assert_eq!(root_above_of(&folder.path().join(here)).as_deref(), expected.map(Path::new), "{here}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("fixtures")).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("fixtures/loop")).unwrap();
        assert!(Tree::load(Some(folder.path())).is_err());
    }
}
