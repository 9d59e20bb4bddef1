//! The floor plan of `docs/ARCHITECTURE.md`: imports go down only. Reads the `use` lines and every `crate::` path.

#![expect(clippy::disallowed_methods, reason = "the test reads the source files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms by floor. Rooms of one floor do not know each other, except where `SAME_FLOOR` says so.
const FLOORS: &[&[&str]] = &[
    &["vocab", "text", "canon"],
    &["redact", "evidence"],
    &["catalogue"],
    &["classify"],
    &["acp"],
    &["recovery"],
    &["fixture", "recording"],
    &["matrix", "derive", "replay", "simulate", "diff"],
    &["check", "report", "explain"],
    &["shell"],
    &["cli"],
];

/// Arrows between rooms of one floor, each with its reason.
const SAME_FLOOR: &[(&str, &str)] = &[
    // A gate's result is one of the things that are reported.
    ("report", "check"),
    ("report", "explain"),
    // A derivation shows what replaying its fixture gives, and asks the matrix which case its frames are.
    ("derive", "replay"),
    ("derive", "matrix"),
    // Two catalogues are compared by what each makes of the same replays and of the cells that must exist.
    ("diff", "replay"),
    ("diff", "matrix"),
];

#[test]
fn imports_go_down_only() {
    let floor_of: BTreeMap<&str, usize> =
        FLOORS.iter().enumerate().flat_map(|(floor, rooms)| rooms.iter().map(move |room| (*room, floor))).collect();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut arrows) = (Vec::new(), 0);
    for file in rust_files(&source) {
        let below = file.strip_prefix(&source).expect("below src").to_string_lossy().replace('\\', "/");
        let room = below.split('/').next().expect("a first part").trim_end_matches(".rs").to_owned();
        if room == "lib" || room == "main" {
            continue;
        }
        let Some(&floor) = floor_of.get(room.as_str()) else {
            wrong.push(format!("src/{below}: the room `{room}` is on no floor"));
            continue;
        };
        let text = fs::read_to_string(&file).expect("a source file");
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for target in crate_paths(line) {
                arrows += 1;
                let Some(&other) = floor_of.get(target.as_str()) else { continue };
                let allowed = target == room || other < floor || SAME_FLOOR.contains(&(room.as_str(), target.as_str()));
                if !allowed {
                    wrong.push(format!(
                        "src/{below}:{}: `{room}` (floor {floor}) uses `{target}` (floor {other})",
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(arrows > 10, "the reader found only {arrows} arrows: it reads nothing");
    assert!(wrong.is_empty(), "arrows that do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn every_room_states_its_invariant_and_what_it_must_not_know() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for room in FLOORS.iter().copied().flatten() {
        let file = source.join(room).join("mod.rs");
        if !file.exists() {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a module");
        for part in ["//! Invariant:", "//! Must not know:"] {
            if !text.contains(part) {
                wrong.push(format!("src/{room}/mod.rs has no `{part}` line"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_stay_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for file in rust_files(&root.join("src")).into_iter().chain(rust_files(&root.join("tests"))) {
        let lines = fs::read_to_string(&file).expect("a source file").lines().count();
        if lines > 600 {
            wrong.push(format!("{} has {lines} lines: which two things is it?", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The agent ids that only `acp` may spell (criterion .4): every one of the matrix.
#[test]
fn only_the_conversion_boundary_names_an_agent() {
    let agents: Vec<&str> = refrain::matrix::Matrix::embedded().agents.iter().map(|row| row.id.as_str()).collect();
    assert!(agents.len() > 4, "the matrix lists only {agents:?}");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for room in ["recovery", "classify", "catalogue", "matrix", "replay", "fixture", "evidence", "check"] {
        for file in rust_files(&source.join(room)) {
            let text = fs::read_to_string(&file).expect("a source file");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in code.lines().enumerate() {
                let comment = line.trim_start().starts_with("//");
                if !comment && agents.iter().any(|agent| line.contains(agent)) {
                    wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "an agent is named outside `acp`:\n{}", wrong.join("\n"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The first path segment after each `crate::` of a line, also inside `crate::{a, b}`.
fn crate_paths(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in line.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group.split(',').map(first_segment)),
            None => found.push(first_segment(rest)),
        }
    }
    found
}

fn first_segment(path: &str) -> String {
    path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
