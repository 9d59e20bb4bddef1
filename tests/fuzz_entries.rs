//! Every entry of the fuzz targets, fed with its seeds and with mutations of them: the same ones in every run.

#![expect(
    clippy::panic,
    unreachable_pub,
    reason = "the entries are shared with the fuzz targets, and panic on purpose"
)]
#![expect(clippy::disallowed_methods, reason = "the seeds are files")]

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

#[path = "../fuzz/src/lib.rs"]
mod entries;

use entries::ENTRIES;

/// Mutations of each seed.
const ROUNDS: usize = 100;
/// Most seeds of one entry.
const SEED_LIMIT: usize = 12;

/// Data of the project that is a seed as well; a folder stands for its files.
const OWN: &[(&str, &str)] = &[
    ("catalogue", "catalogue/rules/amp.quota.v1.yaml"),
    ("fixture", "fixtures/dialects/codex-acp"),
    ("fixture", "fixtures/litellm"),
    ("matrix", "matrix.yaml"),
    ("recording", "docs/samples"),
    ("scenario", "tests/scenarios"),
    ("shapes", "catalogue/shapes/sandbox-key.yaml"),
];

/// What parsers and shapes take notice of.
const WORDS: &[&str] = &[
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "\r\n",
    "- ",
    "? ",
    "&a ",
    "*a",
    "!!",
    "|\n",
    "'",
    "<",
    "%",
    "null",
    "-1",
    "1e999",
    "18446744073709551615",
    "9223372036854775808",
    "\u{feff}",
    "\u{202e}",
    "\u{17f}",
    "\u{1b}[31m",
    "ü",
    "0",
    "@",
    "sk-",
    "https://",
    "/home/",
    "[redacted_key_1]",
    "API Error: 529 ",
    "429",
    "try again in ",
    "retry-after",
    "Content-Length: ",
];

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let folder = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The seeds of an entry: its own folder's, then the project's.
fn seeds(entry: &str) -> Vec<Vec<u8>> {
    let own = OWN.iter().filter(|(name, _)| *name == entry).map(|(_, path)| project().join(path));
    let mut paths: Vec<PathBuf> = own.flat_map(|path| files(&path)).collect();
    let folder = project().join("fuzz/seeds").join(entry);
    paths.splice(0..0, if folder.is_dir() { files(&folder) } else { Vec::new() });
    assert!(!paths.is_empty(), "{entry} has no seed");
    paths.truncate(SEED_LIMIT);
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

/// A random number generator that needs no crate and gives the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (bound.max(1) as u64)).expect("it is below a usize")
    }
}

/// One to four changes of a seed.
fn mutated(seed: &[u8], others: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(data.len() + 1);
        let end = (at + dice.below(24)).min(data.len());
        match dice.below(7) {
            0 => data.truncate(at),
            1 => drop(data.drain(at..end)),
            2 => {
                let again = data[at..end].repeat(1 + dice.below(6));
                data.splice(at..at, again);
            }
            3 => {
                let other = &others[dice.below(others.len())];
                let from = dice.below(other.len() + 1);
                data.splice(at..end, other[from..(from + 40).min(other.len())].iter().copied());
            }
            4 if at < data.len() => data[at] = u8::try_from(dice.below(256)).expect("it is below 256"),
            _ => {
                data.splice(at..at, WORDS[dice.below(WORDS.len())].bytes());
            }
        }
    }
    data
}

#[test]
fn every_entry_holds_on_its_seeds_and_their_mutations() {
    let mut wrong = Vec::new();
    for entry in ENTRIES {
        let seeds = seeds(entry.name);
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let mut inputs = vec![Vec::new()];
        for seed in &seeds {
            inputs.push(seed.clone());
            inputs.extend((0..ROUNDS).map(|_| mutated(seed, &seeds, &mut dice)));
        }
        for input in &inputs {
            if catch_unwind(|| entries::feed(entry.name, input)).is_err() {
                wrong.push(format!("{}: {:?}", entry.name, String::from_utf8_lossy(input)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} inputs panic, as said above:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_entry_has_a_target_and_every_folder_of_seeds_an_entry() {
    let names: BTreeSet<String> = ENTRIES.iter().map(|entry| entry.name.to_owned()).collect();
    let stems = |folder: &str| -> BTreeSet<String> {
        let stem = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
        files(&project().join("fuzz").join(folder)).iter().map(stem).collect()
    };
    // Without the tool there is no lab to feed; its target stays.
    let missing: Vec<_> = names.difference(&stems("fuzz_targets")).cloned().collect();
    let unknown: Vec<_> =
        stems("fuzz_targets").difference(&names).filter(|name| *name != "lab_request").cloned().collect();
    assert!(missing.is_empty() && unknown.is_empty(), "no target: {missing:?}; no entry: {unknown:?}");
    let strange: Vec<_> = stems("seeds").difference(&stems("fuzz_targets")).cloned().collect();
    assert!(strange.is_empty(), "seeds without a target: {strange:?}");
    let manifest = std::fs::read_to_string(project().join("fuzz/Cargo.toml")).expect("the manifest");
    let mut wrong = Vec::new();
    for name in stems("fuzz_targets") {
        let source = std::fs::read_to_string(project().join(format!("fuzz/fuzz_targets/{name}.rs"))).expect("a target");
        if !source.contains(&format!("feed(\"{name}\", data)")) || !manifest.contains(&format!("name = \"{name}\"")) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "not wired: {wrong:?}");
}
