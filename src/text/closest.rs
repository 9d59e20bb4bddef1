//! The known word that was probably meant.

/// Longest word that is compared, in bytes.
const WORD_BYTES: usize = 96;

/// The known word that differs least from `word`, when it differs in at most `most` letters and in fewer than half of
/// them. Case does not count.
#[must_use]
pub fn closest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>, most: usize) -> Option<&'k str> {
    if word.len() > WORD_BYTES {
        return None;
    }
    let word = word.to_ascii_lowercase();
    known
        .into_iter()
        .filter(|known| known.len() <= WORD_BYTES)
        .map(|known| (distance(&word, &known.to_ascii_lowercase()), known))
        .filter(|&(distance, known)| distance <= most && distance * 2 < known.len())
        .min()
        .map(|(_, known)| known)
}

/// Levenshtein distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["matched", "mismatched", "queued", "529", "claude"];
        let rows = [
            ("matchd", Some("matched")),
            ("Queud", Some("queued")),
            ("cluade", Some("claude")),
            ("530", None),
            ("528", Some("529")),
            ("", None),
            ("overloaded", None),
        ];
        let wrong: Vec<_> = rows.iter().filter(|(word, expected)| closest(word, known, 2) != *expected).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(closest(&"x".repeat(10_000), known, 2), None);
    }
}
