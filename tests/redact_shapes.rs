//! The shapes catalogue: its generated copy and document, and every sample.

#![expect(clippy::disallowed_methods, reason = "the test reads the catalogue's files")]

use std::fs;
use std::path::{Path, PathBuf};

use refrain::redact::{Redactor, Shapes, self_test};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files() -> Vec<(String, String)> {
    let folder = root().join("catalogue/shapes");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of shapes")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (format!("catalogue/shapes/{}", name(&path)), fs::read_to_string(&path).expect("a shape file")))
        .collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().expect("a file name").to_string_lossy().into_owned()
}

fn shapes() -> Shapes {
    let files = files();
    let loaded = Shapes::load(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    loaded
        .map_err(|findings| lines(findings.iter().map(|f| format!("{}: {}", f.place.file, f.message))))
        .expect("sound shapes")
}

fn lines(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join("\n")
}

/// Compares a generated file, or rewrites it when asked to and not in CI.
fn generated(path: &str, expected: &str) {
    let file = root().join(path);
    if std::env::var_os("REFRAIN_UPDATE").is_some() && std::env::var_os("CI").is_none() {
        fs::write(&file, expected).expect("a writable tree");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{path} is out of date: run REFRAIN_UPDATE=1 cargo test --test redact_shapes");
}

#[test]
fn the_embedded_copy_is_what_the_files_say() {
    generated("src/redact/embedded.json", &shapes().to_embedded());
}

#[test]
fn the_document_is_what_the_files_say() {
    generated("docs/SHAPES.md", &shapes().to_markdown());
}

#[test]
fn every_sample_holds() {
    let findings = self_test(&Redactor::new(shapes()));
    assert!(findings.is_empty(), "{}", lines(findings.iter().map(|f| format!("{}: {}", f.place.file, f.message))));
}
