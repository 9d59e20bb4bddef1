//! Enough of an XML reader to refuse what is not well-formed: nesting, attributes, entities, characters.

/// An element's name and attributes, in document order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    /// Its name.
    pub(crate) name: String,
    /// Its attributes, decoded.
    pub(crate) attributes: Vec<(String, String)>,
    /// How many elements are around it.
    pub(crate) depth: usize,
}

impl Element {
    /// An attribute's value.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Every element of a document, or why it is not well-formed.
pub(crate) fn elements(document: &str) -> Result<Vec<Element>, String> {
    let mut rest = document.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").ok_or("no declaration")?;
    let (mut open, mut found): (Vec<String>, Vec<Element>) = (Vec::new(), Vec::new());
    while let Some((text, after)) = rest.split_once('<') {
        decoded(text)?;
        if open.is_empty() && !text.trim().is_empty() {
            return Err(format!("text outside the root: {text:?}"));
        }
        let (tag, after) = after.split_once('>').ok_or("a tag is not closed")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let expected = open.pop();
            if expected.as_deref() != Some(name) {
                return Err(format!("`{name}` closes {expected:?}"));
            }
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !name.chars().all(|c| c.is_ascii_alphanumeric()) || name.is_empty() {
            return Err(format!("an element named {name:?}"));
        }
        if open.is_empty() && !found.is_empty() {
            return Err("two roots".into());
        }
        found.push(Element { name: name.into(), attributes: pairs(attributes)?, depth: open.len() });
        if !empty {
            open.push(name.into());
        }
    }
    if !open.is_empty() || !rest.trim().is_empty() || found.is_empty() {
        return Err(format!("{open:?} is open at the end"));
    }
    Ok(found)
}

fn pairs(mut text: &str) -> Result<Vec<(String, String)>, String> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    while !text.trim().is_empty() {
        let (name, after) = text.trim_start().split_once("=\"").ok_or_else(|| format!("attributes {text:?}"))?;
        let (value, after) = after.split_once('"').ok_or("an attribute is not closed")?;
        if pairs.iter().any(|(known, _)| known == name) {
            return Err(format!("`{name}` twice"));
        }
        pairs.push((name.to_owned(), decoded(value)?));
        text = after;
    }
    Ok(pairs)
}

fn decoded(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        let (entity, after) = after.split_once(';').ok_or("an entity is not closed")?;
        plain.push_str(before);
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            "#9" => '\t',
            "#10" => '\n',
            other => return Err(format!("the entity {other:?}")),
        });
        rest = after;
    }
    plain.push_str(rest);
    match plain.chars().find(|c| (c.is_control() && !"\n\t".contains(*c)) || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        Some(c) => Err(format!("the character {c:?}")),
        None => Ok(plain),
    }
}

#[test]
fn the_reader_refuses_what_is_not_well_formed() {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    let mut wrong = Vec::new();
    for (body, fine) in [
        ("<a b=\"c&amp;\"><d/>x</a>", true),
        ("<a><b></a></b>", false),
        ("<a>", false),
        ("<a b=\"1\" b=\"2\"/>", false),
        ("<a>&nbsp;</a>", false),
        ("<a>\u{1b}</a>", false),
        ("<a/><b/>", false),
        ("<a b=\"<\"/>", false),
        ("", false),
    ] {
        let got = elements(&format!("{head}{body}"));
        if got.is_ok() != fine {
            wrong.push(format!("{body}: {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
