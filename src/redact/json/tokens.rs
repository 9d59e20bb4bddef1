//! The strings of a JSON text, with what the keys around them say.
//!
//! Invariant: a text whose strings end and that holds nothing else outside of them than JSON does is taken; anything else
//! is refused, never half taken.
//!
//! Must not know: shapes, placeholders.

use crate::redact::scanner::key_name::{self, KeyName};
use crate::redact::search;

/// Deepest nesting that is followed. Deeper text is refused, so that it is redacted as text.
const DEPTH_LIMIT: usize = 20_000;

/// One string, or one number under the name of a secret.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// First byte of the content.
    pub(super) start: usize,
    /// Byte after the content.
    pub(super) end: usize,
    /// What the key, the sibling or the flag before it says.
    pub(super) name: KeyName,
    /// A key of an object.
    pub(super) key: bool,
    /// A number, without quotes around it.
    pub(super) number: bool,
    /// A piece of a message: it is read together with its neighbours, not alone.
    pub(super) piece: bool,
}

/// What a streamed message is made of, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    /// The item is a piece of the message of this stream.
    Piece {
        /// Index of the item.
        item: usize,
        /// Tells the stream apart.
        stream: StreamId,
    },
    /// Something else happened: messages end here.
    Break,
}

/// Tells streams apart: digests of the session and of the kind of update. Two that collide are read together, which hides
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamId {
    /// Of the session's id.
    pub(super) session: u64,
    /// Of the kind of update and the id of the message.
    pub(super) update: u64,
    /// Lines of stderr go on beside every message.
    pub(super) beside: bool,
}

fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The strings of a text.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) items: Vec<Item>,
    pub(super) marks: Vec<Mark>,
    frames: Vec<Frame>,
}

/// Updates that may stand between two pieces of one message.
const QUIET_UPDATES: &[&[u8]] = &[
    b"usage_update",
    b"session_info_update",
    b"available_commands_update",
    b"config_option_update",
    b"current_mode_update",
];

/// An object or an array that is open.
#[derive(Debug, Clone, Default)]
struct Frame {
    object: bool,
    /// The key whose value comes next.
    key: Option<(usize, usize)>,
    key_name: Option<KeyName>,
    /// What the key of this array said.
    inherited: Option<KeyName>,
    /// The value of a sibling called `name` is the name of a secret.
    named_secret: bool,
    /// The item of a sibling called `value`.
    value: Option<usize>,
    /// Content of `sessionUpdate`, `kind` or `dir`.
    update: Option<(usize, usize)>,
    /// The item of `text`, of this object or of the one under `content`.
    text: Option<usize>,
    /// Whether this object is the value of `content`.
    content: bool,
    /// Content of `messageId`.
    message: Option<(usize, usize)>,
    /// Whether this is a JSON-RPC message, and whether it answers one.
    rpc: bool,
    answer: bool,
}

impl Tokens {
    /// Reads `text`; false when it is no JSON. What was read before is forgotten, its memory is used again.
    pub(super) fn read(&mut self, text: &str) -> bool {
        self.items.clear();
        self.marks.clear();
        self.frames.clear();
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut session = None;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => {
                    let Some(end) = string_end(bytes, at + 1) else { return false };
                    self.string(bytes, at + 1, end, &mut session);
                    at = end;
                }
                b'{' | b'[' => {
                    if self.frames.len() == DEPTH_LIMIT {
                        return false;
                    }
                    self.open(bytes, bytes[at] == b'{');
                }
                b'}' | b']' => {
                    let Some(frame) = self.frames.pop() else { return false };
                    if frame.object != (bytes[at] == b'}') {
                        return false;
                    }
                    self.close(bytes, &frame, session);
                }
                b',' => self.next_value(),
                b'0'..=b'9' | b'-' => {
                    at = self.number(bytes, at);
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\n' | b':' => {}
                b't' | b'f' | b'n' => match literal(&bytes[at..]) {
                    Some(length) => at += length - 1,
                    None => return false,
                },
                _ => return false,
            }
            at += 1;
        }
        self.frames.is_empty() && (!self.items.is_empty() || !text.trim().is_empty())
    }

    fn open(&mut self, bytes: &[u8], object: bool) {
        let (inherited, content) = match self.frames.last() {
            Some(parent) if parent.object => {
                let content = parent.key.is_some_and(|(start, end)| &bytes[start..end] == b"content");
                (parent.key_name, content)
            }
            Some(parent) => (parent.inherited, parent.content),
            None => (None, false),
        };
        let inherited = if object { None } else { inherited };
        self.frames.push(Frame { object, inherited, content, ..Frame::default() });
    }

    fn close(&mut self, bytes: &[u8], frame: &Frame, session: Option<(usize, usize)>) {
        if let Some((start, end)) = frame.update.filter(|_| frame.object) {
            let update = &bytes[start..end];
            match frame.text {
                Some(item) if update.ends_with(b"_chunk") || update == b"stderr" => {
                    let session = session.map_or(&b""[..], |(start, end)| &bytes[start..end]);
                    let message = frame.message.map_or(&b""[..], |(start, end)| &bytes[start..end]);
                    let update_digest = digest(update) ^ digest(message).rotate_left(1);
                    let stream =
                        StreamId { session: digest(session), update: update_digest, beside: update == b"stderr" };
                    self.items[item].piece = true;
                    self.marks.push(Mark::Piece { item, stream });
                }
                _ if QUIET_UPDATES.contains(&update) || update.contains(&b' ') => {}
                _ => self.marks.push(Mark::Break),
            }
        }
        if frame.rpc && frame.answer {
            self.marks.push(Mark::Break);
        }
        if let Some(parent) = self.frames.last_mut()
            && frame.content
            && parent.text.is_none()
        {
            parent.text = frame.text;
        }
    }

    fn next_value(&mut self) {
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.object) {
            frame.key = None;
            frame.key_name = None;
        }
    }

    fn string(&mut self, bytes: &[u8], start: usize, end: usize, session: &mut Option<(usize, usize)>) {
        let index = self.items.len();
        let mut item = Item { start, end, name: KeyName::Plain, key: false, number: false, piece: false };
        match self.frames.last_mut() {
            Some(frame) if frame.object && frame.key.is_none() => {
                item.key = true;
                frame.key = Some((start, end));
                match &bytes[start..end] {
                    b"jsonrpc" => frame.rpc = true,
                    b"result" | b"error" => frame.answer = true,
                    _ => {}
                }
                frame.key_name = Some(name_of(&bytes[start..end])).filter(|name| *name != KeyName::Plain);
            }
            Some(frame) if frame.object => {
                let (from, to) = frame.key.unwrap_or((start, start));
                item.name = frame.key_name.unwrap_or(KeyName::Plain);
                frame.keyed(&bytes[from..to], &bytes[start..end], index, &mut item);
                match &bytes[from..to] {
                    b"sessionUpdate" | b"kind" => frame.update = Some((start, end)),
                    b"dir" if &bytes[start..end] == b"stderr" => frame.update = Some((start, end)),
                    b"sessionId" => *session = Some((start, end)),
                    b"messageId" => frame.message = Some((start, end)),
                    b"text" => frame.text = Some(index),
                    _ => {}
                }
            }
            Some(frame) => {
                item.name =
                    if frame.named_secret { KeyName::Secret } else { frame.inherited.unwrap_or(KeyName::Plain) };
                frame.named_secret = is_flag(&bytes[start..end]);
            }
            None => {}
        }
        self.items.push(item);
        if let Some(value) =
            self.frames.last().and_then(|frame| frame.value.filter(|_| frame.object && frame.named_secret))
        {
            self.items[value].name = KeyName::Secret;
        }
    }

    fn number(&mut self, bytes: &[u8], at: usize) -> usize {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .count();
        let name = self.frames.last().and_then(|frame| if frame.object { frame.key_name } else { frame.inherited });
        let digits = bytes[at..at + length].iter().all(u8::is_ascii_digit);
        if name == Some(KeyName::Secret) && digits && length >= 4 {
            self.items.push(Item {
                start: at,
                end: at + length,
                name: KeyName::Secret,
                key: false,
                number: true,
                piece: false,
            });
        }
        at + length
    }
}

impl Frame {
    /// `{"name": "API_KEY", "value": "..."}`, in either order.
    fn keyed(&mut self, key: &[u8], value: &[u8], index: usize, item: &mut Item) {
        match key {
            b"name" | b"key" | b"header" | b"variable" | b"field" if value.len() <= 64 => {
                self.named_secret |= name_of(value) == KeyName::Secret || value.eq_ignore_ascii_case(b"authorization");
            }
            b"value" if self.named_secret => item.name = KeyName::Secret,
            b"value" => self.value = Some(index),
            _ => {}
        }
    }
}

/// What a key says; a key that holds other signs than names do, a placeholder for one, says nothing. Most keys are short and hold none of the words; the first bytes of the words are looked for first.
fn name_of(key: &[u8]) -> KeyName {
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b':' | b'/' | b'$' | b'@')
    };
    if key.len() < 3 || key.len() > 120 || !may_be_secret(key) || !key.iter().all(is_name) {
        return KeyName::Plain;
    }
    key_name::classify(key)
}

/// Whether any part of a secret's name could be in `key`.
fn may_be_secret(key: &[u8]) -> bool {
    key.windows(3).any(|part| {
        matches!(
            [part[0] | 0x20, part[1] | 0x20, part[2] | 0x20],
            [b'p', b'a', b's']
                | [b'p', b'w', b'd']
                | [b's', b'e', b'c']
                | [b't', b'o', b'k']
                | [b'k', b'e', b'y']
                | [b'c', b'r', b'e']
                | [b'c', b'o', b'o']
                | [b'j', b'w', b't']
                | [b'b', b'e', b'a']
                | [b's', b't', b'r']
                | [b'a', b'u', b't']
        )
    })
}

/// A flag or header name whose value is the next element: `["--api-key", "..."]`.
fn is_flag(text: &[u8]) -> bool {
    let flag = text.len() <= 64 && !text.contains(&b'=') && !text.contains(&b' ');
    let named = text.starts_with(b"-") || text.to_ascii_lowercase().starts_with(b"x-");
    flag && (named && name_of(text) == KeyName::Secret || text.eq_ignore_ascii_case(b"authorization"))
}

/// The closing quote of the string whose content begins at `from`.
fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = search::first_of::<b'"', b'\\'>(bytes, at)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn literal(bytes: &[u8]) -> Option<usize> {
    [&b"true"[..], b"false", b"null"].iter().find(|word| bytes.starts_with(word)).map(|word| word.len())
}
