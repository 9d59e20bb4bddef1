//! UUIDs and network addresses.
//!
//! Invariant: versions, times and dates are none.
//!
//! Must not know: which names and networks are private.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Extent, Text};

/// The UUID whose first dash is at `at`.
pub(in crate::redact) fn uuid(text: &Text<'_>, at: usize) -> Option<Extent> {
    let start = at.checked_sub(8)?;
    let bytes = text.bytes.get(start..start + 36)?;
    let dashes = bytes[13] == b'-' && bytes[18] == b'-' && bytes[23] == b'-';
    if !dashes || !bytes.iter().enumerate().all(|(i, byte)| matches!(i, 8 | 13 | 18 | 23) || byte.is_ascii_hexdigit()) {
        return None;
    }
    let open = text.begins_word(start) && !text.byte(start + 36).is_ascii_alphanumeric();
    open.then_some(Extent { start, end: start + 36 })
}

/// The address around the dot at `at`, with its port.
pub(in crate::redact) fn ipv4(text: &Text<'_>, at: usize) -> Option<Extent> {
    let (start, address_end, _) = ipv4_at(text, at)?;
    let before = text.before(start);
    let path = before == b'/' && text.before(start - 1) != b'/' && !follows_protocol(text, start - 1);
    if before.is_ascii_alphabetic()
        || matches!(before, b'-' | b'_' | b'@' | b'^' | b'~')
        || path
        || is_version(text, start)
    {
        return None;
    }
    let end = port_end(text, address_end);
    if is_local_store(text.slice(start, end)) { None } else { Extent::new(start, end) }
}

/// The fixed ports of data stores. A refused connection to one of them on this machine is a failure of the user's own
/// service, and a verdict hangs on it; such a place names nobody and is the same in every recording.
const STORE_PORTS: &[&[u8]] = &[b"5432", b"3306", b"6379", b"27017", b"9200"];

/// Whether `name:port` is a data store on this machine.
pub(in crate::redact) fn is_local_store(place: &[u8]) -> bool {
    let Some(colon) = place.iter().rposition(|&byte| byte == b':') else { return false };
    let (name, port) = (&place[..colon], &place[colon + 1..]);
    (name == b"127.0.0.1" || name.eq_ignore_ascii_case(b"localhost")) && STORE_PORTS.contains(&port)
}

/// Start, end and value of the dotted address around the dot at `at`, the first of its dots.
pub(in crate::redact) fn ipv4_at(text: &Text<'_>, at: usize) -> Option<(usize, usize, Ipv4Addr)> {
    let start = text.run_back(at, |byte| byte.is_ascii_digit());
    if at - start > 3 || text.before(start) == b'.' {
        return None;
    }
    let end = text.run(at, |byte| byte.is_ascii_digit() || byte == b'.');
    let end = if text.byte(end - 1) == b'.' { end - 1 } else { end };
    let after = text.byte(end);
    if end - start > 15 || after.is_ascii_alphanumeric() || matches!(after, b'-' | b'_' | b'+') {
        return None;
    }
    let written = std::str::from_utf8(text.slice(start, end)).ok()?;
    Some((start, end, written.parse().ok()?))
}

/// The end of `:port` at `at`, or `at`.
pub(in crate::redact) fn port_end(text: &Text<'_>, at: usize) -> usize {
    let digits = text.run(at + 1, |byte| byte.is_ascii_digit());
    if text.byte(at) == b':' && (2..=6).contains(&(digits - at)) && !text.byte(digits).is_ascii_alphanumeric() {
        digits
    } else {
        at
    }
}

/// `tcp/`, `udp/` and `ip/` before an address.
fn follows_protocol(text: &Text<'_>, slash: usize) -> bool {
    [&b"tcp"[..], b"udp", b" ip"].iter().any(|word| slash >= word.len() && text.has(slash - word.len(), word))
}

/// `version 1.2.3.4`, `section 1.2.3.4`.
fn is_version(text: &Text<'_>, start: usize) -> bool {
    let lead = text.slice(start.saturating_sub(10), start).to_ascii_lowercase();
    [&b"version "[..], b"version: ", b"version=", b"section ", b"release ", b"build ", b"chapter "]
        .iter()
        .any(|word| lead.ends_with(word))
}

/// The address around the colon at `at`.
pub(in crate::redact) fn ipv6(text: &Text<'_>, at: usize) -> Option<Extent> {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let start = text.run_back(at, is_part);
    let end = text.run(at, |byte| is_part(byte) || byte == b'.');
    let end = start + super::trim_closers(&text.bytes[start..end], 0, end - start);
    let end = if text.bytes[start..end].ends_with(b":") { end - 1 } else { end };
    if end - start < 6
        || end - start > 45
        || text.before(start).is_ascii_alphanumeric()
        || text.byte(end).is_ascii_alphanumeric()
    {
        return None;
    }
    let written = std::str::from_utf8(text.slice(start, end)).ok()?;
    let groups = written.split(':').filter(|group| !group.is_empty()).count();
    let digits = written.bytes().any(|byte| byte.is_ascii_digit());
    let address = written.parse::<Ipv6Addr>().ok()?;
    (groups >= 2 && digits && !address.is_unspecified()).then_some(())?;
    Extent::new(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_versions_and_times() {
        for (text, expected) in [
            ("203.0.113.77", true),
            ("10.1.2.3:443", true),
            ("(10.1.2.3)", true),
            ("Chrome/126.0.6478.127", false),
            ("section 1.2.3.4.5", false),
            ("v1.2.3.4", false),
            ("999.1.1.1", false),
        ] {
            let at = text.find('.').unwrap();
            assert_eq!(ipv4(&Text::plain(text.as_bytes()), at).is_some(), expected, "{text}");
        }
        for (text, expected) in [
            ("2001:db8::1", true),
            ("fe80::1ff:fe23:4567:890a", true),
            ("10:20:30", false),
            ("std::fs::a", false),
            ("::", false),
        ] {
            let at = text.find(':').unwrap();
            assert_eq!(ipv6(&Text::plain(text.as_bytes()), at).is_some(), expected, "{text}");
        }
    }
}
