//! Rules as data: parse, compile, order, self-test.
//!
//! Invariant: a catalogue that loads has no two rules of one tier that contradict each other on a sample.
//!
//! Must not know: disk, sessions, recovery.
