use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Tree, canonical, parse, text};

#[test]
fn refusals_have_a_code_and_a_place() {
    let deep = "[".repeat(101);
    let rows: &[(&[u8], &str, usize, usize)] = &[
        (b"\xef\xbb\xbf{}", "byte_order_mark", 1, 1),
        (b"{\"a\":\n \"\xff\"}", "invalid_utf8", 2, 3),
        (b"{\"a\":\n \"\xc3", "invalid_utf8", 2, 3),
        (b"{}\n\0", "nul", 2, 1),
        (b"", "syntax", 1, 1),
        (b"{\"a\": 1,\n}", "syntax", 2, 1),
        (b"{\"a\": 1} x", "syntax", 1, 10),
        (b"{'a': 1}", "syntax", 1, 2),
        (b"// x\n{}", "syntax", 1, 1),
        (b"[1,]", "syntax", 1, 4),
        (b"[\"\\ud800\"]", "syntax", 1, 9),
        (b"[1e999]", "syntax", 1, 6),
        (deep.as_bytes(), "too_deep", 1, 101),
        (b"{\"a\": 1,\n \"a\": 2}", "duplicate_key", 2, 2),
        (b"{\"a\": 1,\n \"\\u0061\": 2}", "duplicate_key", 2, 2),
        ("[{\"ü\": {\"x\": 1, \"x\": 1}}]".as_bytes(), "duplicate_key", 1, 17),
        (b"[9007199254740993]", "number_out_of_range", 1, 2),
        (b"[-9007199254740993]", "number_out_of_range", 1, 2),
        (b"[1e16]", "number_out_of_range", 1, 2),
        (b"[1,\n 123456789012345678901234567890]", "number_out_of_range", 2, 2),
    ];
    let mut wrong = Vec::new();
    for &(bytes, expected, line, column) in rows {
        let result = text(bytes).map_err(|error| vec![error]).and_then(|text| parse(text).map(|d| d.value().clone()));
        let shown = String::from_utf8_lossy(bytes).chars().take(40).collect::<String>();
        match result {
            Ok(value) => wrong.push(format!("{shown:?}: expected {expected}, got {value}")),
            Err(errors) => {
                let got = (errors[0].problem.code(), errors[0].line, errors[0].column);
                if errors.len() != 1 || got != (&format!("refrain::canon::{expected}") as &str, line, column) {
                    wrong.push(format!("{shown:?}: expected {expected} {line}:{column}, got {errors:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_problems_of_one_document_are_reported() {
    let errors = parse("{\"a\": 1e17, \"b\": {\"c\": 1, \"c\": 9007199254740994}, \"a\": 2}").unwrap_err();
    let codes: Vec<_> = errors.iter().map(|error| (error.problem.code(), error.column)).collect();
    assert_eq!(
        codes,
        [
            ("refrain::canon::number_out_of_range", 7),
            ("refrain::canon::duplicate_key", 27),
            ("refrain::canon::number_out_of_range", 32),
            ("refrain::canon::duplicate_key", 51),
        ]
    );
}

#[test]
fn spellings_of_one_value_have_one_canonical_form() {
    for (expected, spellings) in [
        ("[1]", &["[1]", "[1.0]", "[10e-1]", " [ 1 ] "] as &[_]),
        ("[0]", &["[0]", "[-0]", "[-0.0]", "[0e5]"]),
        ("[9007199254740992]", &["[9007199254740992]", "[9007199254740992.0]"]),
        ("[\"/ü\\n\"]", &["[\"/ü\\n\"]", "[\"\\/\\u00fc\\u000a\"]"]),
        ("{\"a\":1,\"b\":2}", &["{\"b\": 2, \"a\": 1}", "{\"\\u0061\": 1, \"b\": 2}"]),
        // RFC 8785 sorts by UTF-16 code units: U+1F600 (a surrogate pair) comes before U+FB33.
        ("{\"\u{1f600}\":2,\"\u{fb33}\":1}", &["{\"\u{fb33}\": 1, \"\u{1f600}\": 2}"]),
        ("[1e-7,0.1,333333333.3333333]", &["[0.0000001, 1e-1, 333333333.33333329]"]),
    ] {
        for spelling in spellings {
            let value = parse(spelling).unwrap().value().clone();
            assert_eq!(String::from_utf8(canonical(&value)).unwrap(), expected, "{spelling}");
        }
    }
}

#[test]
fn places_follow_pointers() {
    let document = parse("{\"a/b\": [1, {\"c\": \"ü\"}]}").unwrap();
    let at = |pointer: &str| &document.text()[document.span(pointer)];
    assert_eq!(at("/a~1b/1/c"), "\"ü\"");
    assert_eq!(at("/a~1b/0"), "1");
    assert_eq!(at("/a~1b/1/none"), "{\"c\": \"ü\"}");
    assert_eq!(&document.text()[document.key_span("/a~1b")], "\"a/b\"");
    assert_eq!(&document.text()[document.key_span("")], document.text());
}

#[test]
fn the_spelling_on_disk_is_fixed() {
    let value = json!({"b": [], "a": {"x": {}, "w": [1, "\u{7}ü"]}});
    assert_eq!(
        Tree::from(value).on_disk(),
        "{\n  \"a\": {\n    \"w\": [\n      1,\n      \"\\u0007ü\"\n    ],\n    \"x\": {}\n  },\n  \"b\": []\n}\n"
    );
}

/// JSON values that documents can hold: no number beyond 2^53.
fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1i64 << 53)..=(1i64 << 53)).prop_map(Value::from),
        (-1.0e15..1.0e15f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// The same value with every object filled in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(reversed).collect(),
        Value::Object(map) => {
            let entries: Vec<_> = map.iter().map(|(key, value)| (key.clone(), reversed(value))).collect();
            Value::Object(entries.into_iter().rev().collect::<Map<_, _>>())
        }
        scalar => scalar.clone(),
    }
}

proptest! {
    #[test]
    fn both_spellings_round_trip_and_are_stable(value in values()) {
        let read = |text: &str| parse(text).map(|document| document.value().clone());
        let value = read(&value.to_string()).expect("a document");
        let bytes = String::from_utf8(canonical(&value)).expect("text");
        let lines = Tree::from(value.clone()).on_disk();
        for text in [&bytes, &lines] {
            let again = read(text).expect("a document");
            prop_assert_eq!(&again, &value);
            prop_assert_eq!(&String::from_utf8(canonical(&again)).expect("text"), &bytes);
            prop_assert_eq!(&Tree::from(again).on_disk(), &lines);
        }
        prop_assert_eq!(canonical(&reversed(&value)), bytes.into_bytes());
        prop_assert_eq!(Tree::from(reversed(&value)).on_disk(), lines);
    }

    #[test]
    fn the_two_parsers_agree(value in values()) {
        let text = value.to_string();
        let strict: Value = serde_json::from_str(&text).expect("a document");
        let ours = parse(&text).expect("a document").value().clone();
        prop_assert_eq!(canonical(&ours), canonical(&strict));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(text) = text(&bytes) {
            let _ = parse(text);
        }
    }

    #[test]
    fn almost_json_never_panics(text in "[\\[\\]{}\",:0-9eE.+\\-\\\\u a-f\u{7f}ü]{0,40}") {
        let _ = parse(&text);
    }
}
