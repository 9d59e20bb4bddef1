//! Private hosts: names and addresses that mean nothing outside one network.
//!
//! Invariant: `localhost.example.com` is public, however private its first part looks.
//!
//! Must not know: tiers.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::key_name::{self, KeyName};
use super::{Extent, Text, address, url, value};

/// Last parts of names that exist inside a network only.
const PRIVATE_ENDINGS: &[&str] = &[
    "internal",
    "local",
    "localhost",
    "localdomain",
    "lan",
    "corp",
    "home.arpa",
    "intranet",
    "private",
    "cluster.local",
];

/// Whether `host`, a name or an address as a URL spells it, is private.
pub(in crate::redact) fn is_private(host: &[u8]) -> bool {
    let host = std::str::from_utf8(host).unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    if let Some(inside) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inside.split('%').next().and_then(|text| text.parse().ok()).is_some_and(is_private_v6);
    }
    if let Some(address) = numeric(&host) {
        return is_private_v4(address);
    }
    PRIVATE_ENDINGS
        .iter()
        .any(|ending| host.strip_suffix(ending).is_some_and(|lead| lead.is_empty() || lead.ends_with('.')))
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    address.is_loopback() || address.is_private() || address.is_link_local() || first == 0 || shared
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    let local = first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80;
    local || address.is_loopback() || address.is_unspecified() || address.to_ipv4_mapped().is_some_and(is_private_v4)
}

/// Every way to write an IPv4 address that browsers and libraries accept: `127.1`, `2130706433`, `0x7f000001`, `0177.0.0.1`.
fn numeric(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, lead) = parts.split_last()?;
    if lead.len() > 3 || lead.iter().any(|&part| part > 255) || *last >= 1 << (8 * (4 - lead.len())) {
        return None;
    }
    let head = lead.iter().enumerate().fold(0u64, |sum, (index, part)| sum | part << (24 - 8 * index));
    u32::try_from(head | last).ok().map(Ipv4Addr::from)
}

fn number(part: &str) -> Option<u64> {
    if let Some(digits) = part.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) || part.len() > 11 {
        return None;
    }
    if part.len() > 1 && part.starts_with('0') { u64::from_str_radix(part, 8).ok() } else { part.parse().ok() }
}

/// A URL (its `://` at `at`) whose host is private or that carries a user name: the host, or the user name.
pub(in crate::redact) fn private_url(text: &Text<'_>, at: usize) -> Option<Extent> {
    url::scheme(text, at)?;
    if let Some(user) = url::user_info(text, at) {
        return Some(user);
    }
    let end = url::authority_end(text, at + 3);
    let authority = text.slice(at + 3, end);
    if is_private(host_of(authority)) {
        return Extent::new(at + 3, end);
    }
    secret_parameter(text, end, url::end_of(text, at + 3))
}

/// The first parameter in the query or fragment between `from` and `to` whose name is that of a secret.
fn secret_parameter(text: &Text<'_>, from: usize, to: usize) -> Option<Extent> {
    let is_start = |byte: &u8| matches!(byte, b'?' | b'&' | b'#');
    let mut at = from;
    while at < to {
        at += text.slice(at, to).iter().position(is_start)? + 1;
        let end = text.run(at, |byte| !is_start(&byte) && byte > b' ').min(to);
        let Some(sign) = text.slice(at, end).iter().position(|&byte| byte == b'=') else { continue };
        let (name, value) = (text.slice(at, at + sign), text.slice(at + sign + 1, end));
        let short =
            [&b"key"[..], b"sig", b"auth", b"signature", b"code"].iter().any(|known| name.eq_ignore_ascii_case(known));
        let secret = short && value.len() >= 8 || key_name::classify(name) == KeyName::Secret;
        if secret && !value::is_quiet(value) {
            return Extent::new(at, end);
        }
    }
    None
}

/// The host of an authority without user name.
fn host_of(authority: &[u8]) -> &[u8] {
    if authority.starts_with(b"[") {
        let close = authority.iter().position(|&byte| byte == b']').map_or(authority.len(), |at| at + 1);
        return &authority[..close];
    }
    let port = authority.iter().position(|&byte| byte == b':').unwrap_or(authority.len());
    &authority[..port]
}

/// The host name that holds `at`.
fn name_around(text: &Text<'_>, at: usize) -> (usize, usize) {
    let is_name = |byte: u8| super::is_token(byte) || byte == b'.';
    let (start, end) = (text.run_back(at, is_name), text.run(at, is_name));
    let start = start + text.slice(start, at).iter().take_while(|byte| matches!(byte, b'.' | b'-')).count();
    (start, super::trim_closers(text.bytes, start, end))
}

/// A private name or address outside a URL, around the anchor at `at`.
pub(in crate::redact) fn private(text: &Text<'_>, at: usize) -> Option<Extent> {
    let (start, end) = name_around(text, at);
    let name = text.slice(start, end);
    let in_path = text.before(start) == b'/' && text.before(start.saturating_sub(1)) != b'/'
        || text.byte(end) == b'/' && text.before(start) == b'.';
    let lone = !name.contains(&b'.') && !name.eq_ignore_ascii_case(b"localhost");
    if in_path || lone || !is_private(name) || is_file(text, start, name) {
        return None;
    }
    Extent::new(start, address::port_end(text, end))
}

/// `.env.local` and `settings.local` are files.
fn is_file(text: &Text<'_>, start: usize, name: &[u8]) -> bool {
    let lead = name.split(|&byte| byte == b'.').next().unwrap_or_default();
    let files = [&b"env"[..], b"settings", b"config", b"compose", b"docker-compose"];
    text.before(start) == b'.' || files.iter().any(|file| lead.eq_ignore_ascii_case(file))
}

/// A loopback name or address, or a private name, together with its port.
pub(in crate::redact) fn with_port(text: &Text<'_>, at: usize) -> Option<Extent> {
    let (start, end) = name_around(text, at);
    let name = text.slice(start, end);
    let with_port = address::port_end(text, end);
    let local_device = name.ends_with(b".local") && name.contains(&b'-');
    if !(with_port > end || local_device)
        || !is_private(name)
        || is_file(text, start, name)
        || text.before(start) == b'@'
        || address::is_local_store(text.slice(start, with_port))
    {
        return None;
    }
    Extent::new(start, with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_hosts_are_told_from_public_ones() {
        for (host, expected) in [
            ("localhost", true),
            ("app.localhost", true),
            ("localhost.localdomain", true),
            ("127.0.0.1", true),
            ("127.1", true),
            ("2130706433", true),
            ("0x7f000001", true),
            ("0.0.0.0", true),
            ("10.1.2.3", true),
            ("172.16.0.5", true),
            ("172.32.0.5", false),
            ("192.168.1.5", true),
            ("169.254.169.254", true),
            ("[fd00::5]", true),
            ("[fe80::1]", true),
            ("[::1]", true),
            ("[::ffff:10.0.0.1]", true),
            ("[2001:db8::1]", false),
            ("Gateway.INTERNAL", true),
            ("localhost.example.com", false),
            ("local.example.org", false),
            ("8.8.8.8", false),
            ("example.com", false),
        ] {
            assert_eq!(is_private(host.as_bytes()), expected, "{host}");
        }
    }
}
