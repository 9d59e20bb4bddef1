//! Sequences of updates and what they become.
