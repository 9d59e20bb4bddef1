//! Names of secrets: `password`, `apiKey`, `AWS_SECRET_ACCESS_KEY`, and names that only look like them.
//!
//! Invariant: `max_tokens` counts, `tokenizer` is another word, `token_type` describes.
//!
//! Must not know: values.

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) enum KeyName {
    /// The value is a secret.
    Secret,
    /// Several secrets, or a number of things: the value decides.
    Plural,
    /// Nothing.
    Plain,
}

/// Words that make a name secret.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "authkey",
    "authtoken",
    "credential",
    "cookie",
    "bearer",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "jwt",
    "connectionstring",
    "sessionkey",
    "apitoken",
];

/// Words that end with one of the secret words when people write them without a separator.
const FUSED: &[&str] = &["password", "passwd", "apikey", "token", "secret", "accesskey", "privatekey", "secretkey"];

/// Pairs of words that make a name secret.
const SECRET_PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("secret", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("master", "key"),
    ("auth", "key"),
    ("account", "key"),
    ("session", "key"),
    ("service", "key"),
    ("license", "key"),
    ("connection", "string"),
    ("proxy", "authorization"),
    ("deploy", "key"),
    ("shared", "key"),
    ("host", "key"),
    ("storage", "key"),
];

const PLURALS: &[&str] = &["tokens", "secrets", "passwords", "credentials", "cookies", "apikeys"];

/// Last words that describe a secret instead of being one.
const DESCRIPTIONS: &[&str] = &[
    "type",
    "types",
    "count",
    "counts",
    "limit",
    "limits",
    "budget",
    "usage",
    "length",
    "len",
    "size",
    "name",
    "names",
    "url",
    "uri",
    "endpoint",
    "path",
    "file",
    "dir",
    "folder",
    "expiry",
    "expires",
    "expiration",
    "in",
    "at",
    "on",
    "ttl",
    "policy",
    "format",
    "field",
    "header",
    "kind",
    "scope",
    "scopes",
    "status",
    "error",
    "errors",
    "required",
    "enabled",
    "disabled",
    "valid",
    "invalid",
    "missing",
    "algorithm",
    "alg",
    "version",
    "provider",
    "providers",
    "manager",
    "store",
    "source",
    "sources",
    "rotation",
    "strength",
    "changed",
    "updated",
    "created",
    "max",
    "min",
    "used",
    "remaining",
    "total",
    "window",
    "rate",
    "cost",
    "price",
    "index",
    "position",
    "idx",
    "ids",
    "env",
    "var",
    "variable",
    "arn",
    "ref",
    "class",
    "fn",
    "func",
    "handler",
    "parser",
    "stream",
    "list",
    "map",
    "set",
    "pattern",
    "regex",
    "validator",
    "placeholder",
    "label",
    "details",
    "parallelism",
    "per",
    "minute",
    "reset",
    "helper",
    "mode",
    "method",
    "methods",
    "policy",
    "supported",
    "support",
    "options",
    "capabilities",
    "days",
    "seconds",
    "ms",
    "id",
    "prefix",
    "stdin",
    "prompt",
    "aware",
    "based",
    "login",
    "logins",
    "auth",
    "sauce",
    "santa",
];

/// Words beside `token` that make it a count.
const COUNTS: &[&str] = &[
    "max",
    "min",
    "num",
    "n",
    "total",
    "input",
    "output",
    "completion",
    "reasoning",
    "cached",
    "thinking",
    "budget",
    "context",
    "count",
    "usage",
    "limit",
];

/// Most words that are looked at.
const WORDS: usize = 12;

/// What `name` says; quotes and brackets around it were removed.
pub(in crate::redact) fn classify(name: &[u8]) -> KeyName {
    match spelled(name) {
        // `PaSsWoRd` has humps that mean nothing.
        KeyName::Plain if name.iter().any(u8::is_ascii_uppercase) && !name.contains(&b'_') => {
            spelled(&name.to_ascii_lowercase())
        }
        said => said,
    }
}

fn spelled(name: &[u8]) -> KeyName {
    let mut buffer = [[0u8; 24]; WORDS];
    let mut lengths = [0usize; WORDS];
    let count = split(name, &mut buffer, &mut lengths);
    let word = |index: usize| std::str::from_utf8(&buffer[index][..lengths[index]]).unwrap_or_default();
    let Some(last) = count.checked_sub(1) else { return KeyName::Plain };
    if PLURALS.contains(&word(last)) {
        return KeyName::Plural;
    }
    let pair = |index: usize| index + 1 < count && SECRET_PAIRS.contains(&(word(index), word(index + 1)));
    let fused = |word: &str| FUSED.iter().any(|secret| word.ends_with(secret));
    let found =
        (0..count).rev().find(|&index| SECRET_WORDS.contains(&word(index)) || fused(word(index)) || pair(index));
    let Some(found) = found else {
        // `OPENAI_KEY=` in an environment.
        let shouted = last >= 1 && word(last) == "key" && name.iter().all(|byte| !byte.is_ascii_lowercase());
        return if shouted { KeyName::Secret } else { KeyName::Plain };
    };
    let is_pair = pair(found);
    let described = last > found + usize::from(is_pair)
        && DESCRIPTIONS.contains(&word(last))
        && !(word(found) == "secret" && word(last) == "id");
    let counted = word(found) == "token" && (0..count).any(|index| index != found && COUNTS.contains(&word(index)));
    match (described, counted) {
        (true, _) => KeyName::Plain,
        (false, true) => KeyName::Plural,
        (false, false) => KeyName::Secret,
    }
}

/// Splits at separators and where the letter case says so; keeps the last [`WORDS`] words, lower-cased, 24 bytes each.
fn split(name: &[u8], buffer: &mut [[u8; 24]; WORDS], lengths: &mut [usize; WORDS]) -> usize {
    let (mut count, mut open) = (0usize, false);
    for (index, &byte) in name.iter().enumerate() {
        if !byte.is_ascii_alphabetic() {
            open = false;
            continue;
        }
        let before = index.checked_sub(1).map_or(0, |before| name[before]);
        let after = name.get(index + 1).copied().unwrap_or(0);
        let hump = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && after.is_ascii_lowercase());
        if !open || hump {
            if count == WORDS {
                buffer.rotate_left(1);
                lengths.rotate_left(1);
                count -= 1;
            }
            lengths[count] = 0;
            count += 1;
            open = true;
        }
        let length = &mut lengths[count - 1];
        if *length < 24 {
            buffer[count - 1][*length] = byte.to_ascii_lowercase();
            *length += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_counts_and_descriptions() {
        for (names, expected) in [
            (
                "password PASSWORD db.password apiKey api_key API-KEY AWS_SECRET_ACCESS_KEY ANTHROPIC_AUTH_TOKEN refreshToken \
                 client_secret x-api-key dbpassword authtoken _authToken OPENAI_KEY secret_id passwordHash X-Goog-Api-Key PaSsWoRd",
                KeyName::Secret,
            ),
            ("tokens input_tokens maxTokens max_token secrets thinking.budget_tokens credentials", KeyName::Plural),
            (
                "tokenizer TOKENIZERS_PARALLELISM token_type token_limit password_reset passwordless keyboard author key \
                 toolCallId secretary tokenCount token_count expires password_file api_key_name sessionUpdate",
                KeyName::Plain,
            ),
        ] {
            let wrong: Vec<_> = names
                .split_whitespace()
                .map(|name| (name, classify(name.as_bytes())))
                .filter(|(_, got)| *got != expected)
                .collect();
            assert!(wrong.is_empty(), "expected {expected:?}: {wrong:?}");
        }
    }
}
