//! A result as JUnit's XML. A case has passed or failed; nothing is ever `skipped`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::{path, xml};
use super::style::guarded;
use super::summary::{Case, Summary};

/// The document.
#[must_use]
pub fn junit(summary: &Summary) -> String {
    let mut suites: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &summary.cases {
        suites.entry(&case.suite).or_default().push(case);
    }
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let name = xml(&format!("refrain {}", summary.command));
    let _ = writeln!(text, "<testsuites name=\"{name}\" {}>", counts(summary.cases.iter()));
    for (suite, cases) in suites {
        let _ = writeln!(text, "  <testsuite name=\"{}\" {}>", xml(suite), counts(cases.iter().copied()));
        for case in cases {
            text.push_str(&testcase(summary.command, case));
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case>) -> String {
    let (mut tests, mut failures) = (0, 0);
    for case in cases {
        tests += 1;
        failures += usize::from(!case.failures.is_empty());
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"")
}

/// One `failure` element a case, as readers of the format expect; it holds everything that is wrong.
fn testcase(command: &str, case: &Case) -> String {
    let class = xml(&format!("refrain.{command}.{}", case.suite));
    let mut text = format!("    <testcase classname=\"{class}\" name=\"{}\"", xml(&case.name));
    if let Some(file) = case.failures.iter().map(|note| &note.place.file).find(|file| !file.is_empty()) {
        let _ = write!(text, " file=\"{}\"", xml(file));
    }
    let Some(first) = case.failures.first() else { return text + "/>\n" };
    let entries = case.failures.iter().map(|note| {
        let entry = note.entry();
        format!("{}\n{}", path(&entry.name), entry.body)
    });
    // Line feeds stay, for people; none may begin a line that a build log obeys.
    let body = entries.map(|entry| xml(&entry).replace("&#10;", "\n")).collect::<Vec<_>>().join("\n\n");
    let _ = writeln!(text, ">\n      <failure type=\"{}\" message=\"{}\">", xml(first.code), xml(&first.message));
    let _ = writeln!(text, "{}\n      </failure>\n    </testcase>", guarded(body));
    text
}
