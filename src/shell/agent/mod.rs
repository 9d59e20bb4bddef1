//! An agent as a child process: started by us, recorded byte for byte, driven as an ACP client or stood beside as a tee.
//!
//! Invariant: a record is written before its bytes are passed on; a run ends by its deadline, and no process that
//! carries its mark stays behind.
//!
//! Must not know: what a frame means beyond what a client must answer.

mod client;
mod policy;
mod preset;
mod probe;
mod process;
mod recorder;
mod store;
mod stream;
mod tee;

pub use client::{CaptureError, Ending, Outcome, Plan, PromptEnd, Step, Why, capture};
pub use preset::{Home, Preset, PresetError, Route, find_program, isolation, preset, presets, search_path};
pub use probe::version_of;
pub use process::{Exit, Launch};
pub use recorder::{Recorder, RecorderError, TRANSCRIPT_LIMIT_BYTES, private_folder};
pub use store::{PRIVATE_FOLDER, new_name, older_than, transcripts};
pub use stream::LINE_LIMIT_BYTES;
pub use tee::{TeeOutcome, tee};
