//! The entries of the fuzz targets: one function for each way in. A panic is a finding; each entry also holds the laws
//! that its input can not excuse.
//!
//! `cargo fuzz run <entry>` feeds them for hours; `tests/fuzz_entries.rs` feeds them the seeds and their mutations in
//! every test run, so that they can not rot.

mod documents;
mod lines;
mod texts;

/// One way in.
pub struct Entry {
    /// Name of the target and of its folder of seeds.
    pub name: &'static str,
    /// What is fed.
    pub run: fn(&[u8]),
}

/// Every entry, by name.
pub const ENTRIES: &[Entry] = &[
    Entry { name: "allow_list", run: documents::allow_list },
    Entry { name: "catalogue", run: documents::catalogue },
    Entry { name: "classify", run: texts::classify },
    Entry { name: "evidence_line", run: lines::evidence_line },
    Entry { name: "fixture", run: documents::fixture },
    Entry { name: "hints", run: texts::hints },
    Entry { name: "json_rpc", run: lines::json_rpc },
    #[cfg(all(feature = "cli", unix))]
    Entry { name: "lab_request", run: lines::lab_request },
    Entry { name: "matrix", run: documents::matrix },
    Entry { name: "policy", run: documents::policy },
    Entry { name: "recording", run: lines::recording },
    Entry { name: "redact", run: texts::redact },
    Entry { name: "redact_json", run: texts::redact_json },
    Entry { name: "scenario", run: documents::scenario },
    Entry { name: "shapes", run: documents::shapes },
    Entry { name: "yaml", run: documents::yaml },
];

/// Feeds one entry.
pub fn feed(name: &str, data: &[u8]) {
    let entry = ENTRIES.iter().find(|entry| entry.name == name);
    let Some(entry) = entry else { panic!("no entry is called {name}") };
    (entry.run)(data);
}

/// The instant that nothing depends on.
fn now() -> jiff::Timestamp {
    jiff::Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(1_796_000_000)
}

/// Rules and shapes of the binary.
fn knowledge() -> refrain::acp::session::Knowledge<'static> {
    refrain::acp::session::Knowledge {
        classifier: refrain::classify::Classifier::embedded(),
        redactor: refrain::redact::Redactor::embedded(),
    }
}
