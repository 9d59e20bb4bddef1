//! Reviewed false positives: fingerprints of values that a person looked at.
//!
//! Invariant: no value of an enforced shape is ever allowed, and a fingerprint does not give its value away: it is salted
//! with the shape and keyed with the list's own salt.
//!
//! Must not know: disk, the clock (the day comes in).

use hmac_sha256::HMAC;

use super::redactor::{Hit, Redactor};
use crate::canon::yaml;
use crate::vocab::{Finding, Place, ShapeId};

/// Bytes of the digest that a fingerprint shows, in hex.
const FINGERPRINT_BYTES: usize = 16;

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    salt: String,
    #[serde(default)]
    allow: Vec<Entry>,
}

#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    shape: String,
    fingerprint: String,
    reason: String,
    /// Last day, `YYYY-MM-DD`.
    until: String,
}

/// A list of reviewed values. Empty by default.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    salt: String,
    entries: Vec<Entry>,
}

impl AllowList {
    /// Reads a list: `salt`, then `allow` with `shape`, `fingerprint`, `reason` and `until` (`YYYY-MM-DD`).
    ///
    /// # Errors
    /// Every problem: unreadable YAML, an unknown or enforced shape, no reason, no day.
    pub fn parse(path: &str, text: &str, redactor: &Redactor) -> Result<Self, Vec<Finding>> {
        let file: File = yaml::parse(text).map_err(|error| {
            let place = Place { line: error.line, column: error.column, ..Place::file(path) };
            vec![Finding::error("refrain::redact::unreadable_allow_list", place, error.message)]
        })?;
        let findings: Vec<_> = file.allow.iter().filter_map(|entry| problem(entry, redactor)).collect();
        if findings.is_empty() {
            return Ok(Self { salt: file.salt, entries: file.allow });
        }
        let finding = |message| Finding::error("refrain::redact::bad_allow_entry", Place::file(path), message);
        Err(findings.into_iter().map(finding).collect())
    }

    /// The fingerprint of what `hit` covers in `text`: what an entry must hold.
    #[must_use]
    pub fn fingerprint(&self, hit: &Hit, text: &str) -> String {
        let value = text.get(hit.start..hit.end).unwrap_or_default();
        let digest = HMAC::mac(format!("{}\0{value}", hit.shape), self.salt.as_bytes());
        digest[..FINGERPRINT_BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether a person allowed what `hit` covers in `text`, on the day `today` (`YYYY-MM-DD`).
    #[must_use]
    pub fn allows(&self, hit: &Hit, text: &str, today: &str, redactor: &Redactor) -> bool {
        if self.entries.is_empty() || redactor.is_enforced(&hit.shape) {
            return false;
        }
        let fingerprint = self.fingerprint(hit, text);
        self.entries.iter().any(|entry| {
            entry.shape == hit.shape.as_str() && entry.fingerprint == fingerprint && entry.until.as_str() >= today
        })
    }
}

fn problem(entry: &Entry, redactor: &Redactor) -> Option<String> {
    let known =
        ShapeId::new(&entry.shape).ok().filter(|id| redactor.shapes().iter().any(|shape| shape.id == id.as_str()));
    let day = entry.until.len() == 10
        && entry
            .until
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    match known {
        None => Some(format!("there is no shape `{}`", entry.shape)),
        Some(id) if redactor.is_enforced(&id) => Some(format!("`{id}` is enforced: nothing excepts a value from it")),
        _ if entry.reason.trim().is_empty() => Some("an entry needs a reason".to_owned()),
        _ if !day => Some(format!("`until` of `{}` is no day of the form YYYY-MM-DD", entry.shape)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::{Profile, expand_sample};
    use crate::vocab::Tier;

    #[test]
    fn reviewed_values_pass_until_their_day_and_enforced_ones_never() {
        let redactor = Redactor::embedded();
        let text = format!("from 203.0.113.77 by ops@example.com {}", expand_sample("{{b62:44}}", "allow"));
        let hits = redactor.scan(Tier::Payload, Profile::Standard, &text);
        let salted = AllowList { salt: "salt".into(), entries: Vec::new() };
        let entries: String = hits
            .iter()
            .filter(|hit| !redactor.is_enforced(&hit.shape))
            .map(|hit| {
                format!(
                    "  - {{shape: {}, fingerprint: {}, reason: a test, until: 2026-12-31}}\n",
                    hit.shape,
                    salted.fingerprint(hit, &text)
                )
            })
            .collect();
        let list = AllowList::parse("allow.yaml", &format!("salt: salt\nallow:\n{entries}"), redactor).unwrap();
        let allowed = |today: &str| hits.iter().filter(|hit| list.allows(hit, &text, today, redactor)).count();
        assert_eq!((hits.len(), allowed("2026-12-31"), allowed("2027-01-01")), (3, 2, 0), "{hits:?}");
        for (entry, part) in [
            ("{shape: email, fingerprint: 00, reason: x, until: 2026-12-31}", "is enforced"),
            ("{shape: nothing, fingerprint: 00, reason: x, until: 2026-12-31}", "no shape"),
            ("{shape: ipv4, fingerprint: 00, reason: '', until: 2026-12-31}", "needs a reason"),
            ("{shape: ipv4, fingerprint: 00, reason: x, until: soon}", "is no day"),
        ] {
            let findings = AllowList::parse("allow.yaml", &format!("salt: s\nallow: [{entry}]"), redactor).unwrap_err();
            assert!(findings[0].message.contains(part), "{entry}: {findings:?}");
        }
    }
}
