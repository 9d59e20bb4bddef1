//! The pages that are generated from the catalogue: `docs/RULES.md` and `docs/CODES.md`.
//!
//! Invariant: same catalogue, same pages; a test holds the committed ones.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::vocab::{AutoRetry, Code};

use super::Catalogue;
use super::rule::Rule;

/// The page of all rules, by code and then by id.
#[must_use]
pub fn rules_page(catalogue: &Catalogue) -> String {
    let mut page = String::from(
        "# Rules\n\nGenerated from `catalogue/rules/`; do not edit. `REFRAIN_UPDATE=1 cargo test --test catalogue` rewrites it.\n\n\
         Order of authority: what a retry can not cure beats what it might; then the tier (structured, exact, provider,\n\
         neutral, local, guess); then `outranks`. A status is refined by text where it is ambiguous.\n",
    );
    let mut by_code: BTreeMap<Code, Vec<&Rule>> = BTreeMap::new();
    for rule in catalogue.rules() {
        by_code.entry(rule.code()).or_default().push(rule);
    }
    for (code, rules) in by_code {
        let _ = write!(page, "\n## {code} ({})\n", code.class());
        for rule in rules {
            entry(&mut page, rule);
        }
    }
    page
}

fn entry(page: &mut String, rule: &Rule) {
    let document = rule.document();
    let _ = write!(page, "\n### {}\n\n{}.\n\n", rule.id(), document.title);
    let _ = writeln!(page, "* tier {}, confidence {}{}", rule.authority(), rule.confidence(), scope(rule));
    if !document.providers.is_empty() {
        let agents: Vec<&str> = document.providers.iter().map(crate::vocab::AgentId::as_str).collect();
        let _ = writeln!(page, "* agents: {}", agents.join(", "));
    }
    let numbers = |page: &mut String, name: &str, values: Vec<String>| {
        if !values.is_empty() {
            let _ = writeln!(page, "* {name}: {}", values.join(", "));
        }
    };
    numbers(page, "HTTP status", document.status.iter().map(u16::to_string).collect());
    numbers(page, "exit code", document.exit.iter().map(i32::to_string).collect());
    numbers(page, "stop reason", document.stop_reason.clone());
    numbers(page, "refined by text of", document.refined_by.iter().map(Code::to_string).collect());
    numbers(page, "outranks", document.outranks.iter().map(ToString::to_string).collect());
    numbers(page, "outranks the codes", document.outranks_codes.iter().map(Code::to_string).collect());
    if rule.is_textual() {
        let _ = writeln!(page, "* in chunks: {}", document.chunk);
    }
    let _ = writeln!(page, "* source: {}", document.source);
    if let Some(sample) = rule.samples().positive.iter().find(|sample| !sample.text.is_empty()) {
        let _ = writeln!(page, "* fires on: {}", quoted(&sample.text));
    }
    for sample in rule.samples().negative.iter().filter(|sample| !sample.text.is_empty()) {
        let reason = sample.reason.as_deref().unwrap_or_default();
        let _ = writeln!(page, "* silent on: {} ({reason})", quoted(&sample.text));
    }
}

fn scope(rule: &Rule) -> String {
    rule.scope().map(|scope| format!(", scope {scope}")).unwrap_or_default()
}

/// One line of code that any text can stand in.
fn quoted(text: &str) -> String {
    let line = text.trim().replace('\n', "\u{23ce}");
    let fence = if line.contains('`') { "``" } else { "`" };
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// The page of all codes and what each permits.
#[must_use]
pub fn codes_page() -> String {
    let mut page = String::from(
        "# Codes\n\nGenerated from the one table in `vocab`; do not edit. `REFRAIN_UPDATE=1 cargo test --test catalogue` rewrites it.\n\n\
         `auto retry` is a flag of the code, not a permission: that also needs an attempt without output and effect.\n\n\
         | code | class | auto retry | fallback | user must act | takes a hint | what to do |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for &code in Code::ALL {
        let policy = code.policy();
        let retry = match policy.auto_retry {
            AutoRetry::Yes => "yes",
            AutoRetry::WithShortHint => "with a hint of at most 60 s",
            AutoRetry::No => "no",
        };
        let word = |flag: bool| if flag { "yes" } else { "no" };
        let _ = writeln!(
            page,
            "| {code} | {} | {retry} | {} | {} | {} | {} |",
            policy.class,
            word(policy.fallback),
            word(policy.user_action),
            word(policy.takes_hint),
            policy.remediation.unwrap_or("")
        );
    }
    page
}
