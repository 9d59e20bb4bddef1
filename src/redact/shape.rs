//! One shape: what may not be in a text, as data. The files under `catalogue/shapes` are the enforced definition.
//!
//! Invariant: every id is unique, every anchor is a literal that each match of the pattern begins with or holds.
//!
//! Must not know: how a text is searched, ACP, disk.

use crate::vocab::Tier;
use crate::vocab::word_enum;

word_enum! {
    /// What a value is; names its placeholder.
    pub enum Kind("shape kind") {
        /// A credential.
        Key = "key",
        /// An identifier of a person, account, request or session.
        Id = "id",
        /// A URL or a part of one.
        Url = "url",
        /// A path of the machine.
        Path = "path",
        /// An e-mail address.
        Email = "email",
        /// A private host or a loopback address with its port.
        Host = "host",
        /// A network address.
        Ip = "ip",
        /// A long run of token characters that nothing else explains.
        Run = "run",
    }
}

word_enum! {
    /// Where a shape comes from, and whether a reviewer may allow one of its values.
    pub enum ShapeClass("shape class") {
        /// The requirement's own list (.18). Never removable, never allowed.
        Enforced = "enforced",
        /// What recorded transcripts leak beyond that list.
        Extended = "extended",
        /// Only under the strict profile: prefixes that prose uses too.
        Strict = "strict",
    }
}

word_enum! {
    /// How much prose a scan tolerates.
    pub enum Profile("profile") {
        /// Prose that merely holds a prefix (`org-wide`, `Bearer authentication`) passes.
        Standard = "standard",
        /// Such prose is refused too.
        Strict = "strict",
    }
}

word_enum! {
    /// What may stand before the anchor of a match.
    pub enum Boundary("boundary") {
        /// No letter and no digit.
        Word = "word",
        /// A slash or a backslash.
        Slash = "slash",
        /// Anything.
        Any = "any",
    }
}

word_enum! {
    /// The piece of code that decides where a value begins and ends.
    pub enum Scanner("scanner") {
        /// The pattern at the anchor, extended over further token characters; the group `value` when there is one.
        Token = "token",
        /// The pattern at the anchor and nothing more; the group `value` when there is one.
        Exact = "exact",
        /// A bearer token.
        Bearer = "bearer",
        /// The value of an `Authorization` header.
        Authorization = "authorization",
        /// Base64 of `user:password` after the word `Basic`.
        Basic = "basic",
        /// The value of a `Cookie` or `Set-Cookie` header.
        Cookie = "cookie",
        /// The value that is assigned to a name such as `password`.
        Assignment = "assignment",
        /// A PEM private key block, closed or cut off.
        Pem = "pem",
        /// A URL with everything that belongs to it.
        Url = "url",
        /// What follows scheme and host of a URL.
        UrlRest = "url-rest",
        /// User name and password of a URL.
        UserInfo = "userinfo",
        /// A URL whose host is private or that carries a user name.
        PrivateUrl = "private-url",
        /// A private host name or address outside a URL.
        PrivateHost = "private-host",
        /// A loopback address or a private host with its port.
        HostPort = "host-port",
        /// An absolute path that holds a home or `var` folder.
        HomePath = "home-path",
        /// A Windows or UNC path that holds a home folder.
        WindowsPath = "windows-path",
        /// Any absolute path.
        AnyPath = "any-path",
        /// An e-mail address.
        Email = "email",
        /// A UUID.
        Uuid = "uuid",
        /// An IPv4 address, with its port.
        Ipv4 = "ipv4",
        /// An IPv6 address.
        Ipv6 = "ipv6",
        /// A long run of token characters between other matches.
        Run = "run",
    }
}

word_enum! {
    /// A second look at a value that the pattern let through.
    pub enum Validator("validator") {
        /// Holds a digit, or is too long or too mixed to be a word.
        NotProse = "not-prose",
        /// Holds a digit.
        Digit = "digit",
        /// Holds a digit and a letter.
        DigitAndLetter = "digit-and-letter",
        /// Is no chain of words and short numbers.
        NotSlug = "not-slug",
        /// Looks drawn at random: many different characters, many changes of class.
        Entropy = "entropy",
    }
}

word_enum! {
    /// What takes the place of a value.
    pub enum Replacement("replacement") {
        /// `[redacted_<kind>_<n>]`.
        Placeholder = "placeholder",
        /// The same, with the white space before the value removed, so that the strict profile is quiet as well.
        Joined = "joined",
    }
}

/// One shape as its file declares it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Unique name; equals the file's stem.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// Enforced, extended or strict.
    pub class: ShapeClass,
    /// Names the placeholder.
    pub kind: Kind,
    /// Where it applies.
    pub tiers: Vec<Tier>,
    /// Literals, compared without letter case, at which the pattern is tried; empty for runs only.
    pub anchors: Vec<String>,
    /// What may stand before an anchor.
    #[serde(default = "word_boundary")]
    pub boundary: Boundary,
    /// Linear-time pattern over bytes.
    pub pattern: String,
    /// The code that decides the extent.
    #[serde(default = "token_scanner")]
    pub scanner: Scanner,
    /// Further conditions on the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validate: Vec<Validator>,
    /// What takes the value's place.
    #[serde(default = "placeholder")]
    pub replace: Replacement,
    /// Templates of texts in which it fires under each of its tiers.
    pub positive: Vec<String>,
    /// Templates of texts in which it stays silent.
    pub negative: Vec<String>,
    /// Why the shape exists.
    pub source: String,
}

const fn word_boundary() -> Boundary {
    Boundary::Word
}

const fn token_scanner() -> Scanner {
    Scanner::Token
}

const fn placeholder() -> Replacement {
    Replacement::Placeholder
}
