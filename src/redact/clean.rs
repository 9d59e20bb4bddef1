//! The type-level difference between text that was redacted and text that was not.

use std::marker::PhantomData;

use crate::vocab::Tier;

/// Text as it was observed. It can be looked at, but nothing that writes takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw<T>(T);

impl<T> Raw<T> {
    /// Wraps observed text.
    pub const fn new(text: T) -> Self {
        Self(text)
    }

    /// The observed text, for matching.
    pub const fn as_inner(&self) -> &T {
        &self.0
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A tier as a type.
pub trait TierMark: sealed::Sealed + Clone + std::fmt::Debug + PartialEq + Eq {
    /// The tier.
    const TIER: Tier;
}

macro_rules! tier_mark {
    ($($(#[$meta:meta])* $name:ident => $tier:expr;)+) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl TierMark for $name { const TIER: Tier = $tier; }
    )+ };
}

tier_mark! {
    /// What a fixture may hold.
    Payload => Tier::Payload;
    /// A fixture's provenance fields.
    Provenance => Tier::Provenance;
    /// Provider output and failure reasons.
    Diagnostic => Tier::Diagnostic;
    /// The primary launch prompt (.29).
    CredentialOnly => Tier::CredentialOnly;
}

/// Text that went through the redactor under tier `T`. Only `redact` can make one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clean<T> {
    text: String,
    tier: PhantomData<T>,
}

impl<T: TierMark> Clean<T> {
    /// Only the engine calls this.
    pub(in crate::redact) const fn new(text: String) -> Self {
        Self { text, tier: PhantomData }
    }

    /// The redacted text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The redacted text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }
}

impl<T: TierMark> std::fmt::Display for Clean<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T: TierMark> serde::Serialize for Clean<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
