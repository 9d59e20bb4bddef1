//! The two spellings of a value: bytes for comparison (RFC 8785), and lines for a file that people read.

use serde_json::{Map, Value};

/// The canonical bytes of a value (RFC 8785): equal values have equal bytes, whatever their key order, spacing, number
/// spelling or escapes were.
#[must_use]
pub fn canonical(value: &Value) -> Vec<u8> {
    // A `Value` has string keys and finite numbers only, so this can not fail; the other spelling is as stable.
    serde_json_canonicalizer::to_vec(value).unwrap_or_else(|_| Tree::from(value.clone()).on_disk().into_bytes())
}

/// A value whose objects have a declared key order.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Null, a boolean, a number or a string.
    Scalar(Value),
    /// An array.
    Array(Vec<Tree>),
    /// An object: keys in this order.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// An object of the entries that are there, in this order.
    #[must_use]
    pub fn object<const N: usize>(entries: [(&str, Option<Tree>); N]) -> Self {
        let present = entries.into_iter().filter_map(|(key, tree)| tree.map(|tree| (key.to_owned(), tree)));
        Self::Object(present.collect())
    }

    /// The spelling on disk: the declared key order, two spaces, LF, a final newline.
    #[must_use]
    pub fn on_disk(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    /// The plain value.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Scalar(value) => value,
            Self::Array(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Self::Object(entries) => {
                let mut map = Map::new();
                for (key, tree) in entries {
                    map.insert(key, tree.into_value());
                }
                Value::Object(map)
            }
        }
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Self::Scalar(value) => out.push_str(&value.to_string()),
            Self::Array(items) => {
                write_block(out, depth, ['[', ']'], items, |out, item| item.write(out, depth + 1));
            }
            Self::Object(entries) => write_block(out, depth, ['{', '}'], entries, |out, (key, tree)| {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                tree.write(out, depth + 1);
            }),
        }
    }
}

fn write_block<T>(
    out: &mut String,
    depth: usize,
    [open, close]: [char; 2],
    items: &[T],
    mut write: impl FnMut(&mut String, &T),
) {
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n("  ", depth + 1));
        write(out, item);
    }
    if !items.is_empty() {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
    out.push(close);
}

/// Keys sorted as RFC 8785 sorts them (UTF-16 code units), so that the order a map keeps never shows.
impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(map) => {
                let mut entries: Vec<_> = map.into_iter().collect();
                entries.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
                Self::Object(entries.into_iter().map(|(key, value)| (key, Self::from(value))).collect())
            }
            scalar => Self::Scalar(scalar),
        }
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Self {
        Self::Scalar(Value::from(text))
    }
}
