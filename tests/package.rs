//! What a published package holds, and what the manifest promises about it.

#![expect(clippy::disallowed_methods, reason = "the tests read the project's files and ask cargo for its list")]

use std::path::Path;
use std::process::Command;

/// Most bytes of one file of the package.
const FILE_LIMIT_BYTES: u64 = 256 << 10;
/// Most bytes of the package before compression.
const LIMIT_BYTES: u64 = 4 << 20;

/// What a build needs and a reader looks for.
const FOLDERS: &[&str] = &["src", "catalogue", "fixtures", "examples", "docs"];
/// The same at the top.
const FILES: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    ".cargo_vcs_info.json",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "build.rs",
    "matrix.yaml",
];
/// Endings of what belongs there; a capture ends in `.jsonl`.
const ENDINGS: &[&str] = &["rs", "yaml", "json", "md", "mts"];

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(file: &str) -> String {
    std::fs::read_to_string(project().join(file)).expect(file)
}

#[test]
fn the_package_holds_what_a_build_needs_and_nothing_else() {
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "--locked"])
        .current_dir(project())
        .output()
        .expect("cargo starts");
    let list = String::from_utf8(listed.stdout).expect("UTF-8");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let paths: Vec<String> = list.lines().map(|path| path.replace('\\', "/")).collect();
    let (mut wrong, mut whole) = (Vec::new(), 0);
    for path in &paths {
        let allowed = match path.split_once('/') {
            Some((folder, _)) => {
                let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                FOLDERS.contains(&folder) && ENDINGS.contains(&ending)
            }
            None => FILES.contains(&path.as_str()),
        };
        if !allowed {
            wrong.push(format!("{path}: it does not belong there"));
        }
        // Files that cargo makes are not on disk.
        let bytes = std::fs::metadata(project().join(path)).map_or(0, |file| file.len());
        whole += bytes;
        if bytes > FILE_LIMIT_BYTES {
            wrong.push(format!("{path}: {bytes} bytes, at most {FILE_LIMIT_BYTES} are allowed"));
        }
    }
    if whole > LIMIT_BYTES {
        wrong.push(format!("{whole} bytes in all, at most {LIMIT_BYTES} are allowed"));
    }
    for needed in [
        "src/catalogue/embedded.json",
        "src/redact/embedded.json",
        "catalogue/lab/faults/529.yaml",
        "catalogue/presets/claude.yaml",
        "fixtures/litellm/matched.json",
        "docs/EMBEDDING.md",
        "examples/embed.rs",
        "matrix.yaml",
        "build.rs",
        "LICENSE-MIT",
    ] {
        if !paths.iter().any(|path| path == needed) {
            wrong.push(format!("{needed} is missing"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_oldest_rust_is_the_same_in_every_place() {
    let manifest = text("Cargo.toml");
    let declared = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a rust-version");
    let version = declared.trim().trim_matches('"');
    let readme = text("README.md");
    assert!(readme.contains(&format!("Rust ({version} or newer)")), "README.md names another Rust than {version}");
    let gate = text(".ci/run");
    assert!(gate.contains("rust-version") && gate.contains("rustup run"), ".ci/run builds with no oldest Rust");
}
