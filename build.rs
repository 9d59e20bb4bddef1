//! Lists the fixture corpus, the matrix, the catalogue and the data of the fault lab so that the binary carries them. It parses nothing.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fixtures");
    println!("cargo::rerun-if-changed=matrix.yaml");
    println!("cargo::rerun-if-changed=catalogue/rules");
    println!("cargo::rerun-if-changed=catalogue/shapes");
    println!("cargo::rerun-if-changed=catalogue/lab");
    println!("cargo::rerun-if-changed=catalogue/presets");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);

    let mut files = Vec::new();
    if root.join("matrix.yaml").is_file() {
        files.push(root.join("matrix.yaml"));
    }
    collect(&root.join("fixtures"), "json", &mut files)?;
    write_list(&root, files, &out.join("embedded_tree.rs"))?;

    let mut files = Vec::new();
    collect(&root.join("catalogue/rules"), "yaml", &mut files)?;
    collect(&root.join("catalogue/shapes"), "yaml", &mut files)?;
    write_list(&root, files, &out.join("embedded_catalogue.rs"))?;

    let mut files = Vec::new();
    collect(&root.join("catalogue/lab"), "yaml", &mut files)?;
    collect(&root.join("catalogue/presets"), "yaml", &mut files)?;
    write_list(&root, files, &out.join("embedded_lab.rs"))
}

fn write_list(root: &Path, mut files: Vec<PathBuf>, target: &Path) -> io::Result<()> {
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(root).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    list.push_str("]\n");
    fs::write(target, list)
}

fn collect(folder: &Path, wanted: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, wanted, files)?;
        } else if path.extension().is_some_and(|extension| extension == wanted) {
            files.push(path);
        }
    }
    Ok(())
}
