//! The example program does what `docs/EMBEDDING.md` says it does.

#![expect(clippy::disallowed_methods, reason = "the page is a file")]

#[path = "../examples/embed.rs"]
#[expect(dead_code, reason = "the example's own `main` is not called here")]
mod embed;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/EMBEDDING.md");

#[test]
fn the_page_shows_what_the_example_prints() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once("```text\n").expect("the block");
    let (shown, after) = rest.split_once("```\n").expect("the end of the block");
    let printed = embed::timeline().expect("a timeline");
    if shown == printed {
        return;
    }
    let rewrite = std::env::var_os("REFRAIN_UPDATE").is_some() && std::env::var_os("CI").is_none();
    if rewrite {
        std::fs::write(PAGE, format!("{before}```text\n{printed}```\n{after}")).expect("a writable page");
    }
    assert!(
        rewrite,
        "expected\n{shown}\ngot\n{printed}\nREFRAIN_UPDATE=1 cargo test --test embedding rewrites the page"
    );
}

#[test]
fn the_example_retries_once_and_asks_twice() {
    let printed = embed::timeline().expect("a timeline");
    let rows = [("sends attempt 0", 3), ("sends attempt 1", 1), ("asks a person", 2), ("logs:", 0)];
    let wrong: Vec<_> = rows.iter().filter(|(part, times)| printed.matches(part).count() != *times).collect();
    assert!(wrong.is_empty(), "{wrong:?} in\n{printed}");
}
