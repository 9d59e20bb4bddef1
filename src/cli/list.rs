//! `refrain list`: rules, codes, shapes, cells.

use super::arguments::{ListArguments, ListFormat};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::fixture::{FixtureFile, Strictness};
use crate::matrix::Matrix;
use crate::report::list::{self, ListKind, Listing};

/// Lists what is there.
pub(super) fn run(arguments: &ListArguments, output: &mut Output) -> Result<Exit, Failure> {
    let listing = filtered(listing(arguments, output)?, arguments)?;
    if listing.rows.is_empty() {
        let failure = Failure::usage("refrain::list::nothing", format!("find {} like that", listing.kind));
        return Err(failure.exit(Exit::NothingSelected));
    }
    output.result(&match arguments.format {
        // Another program reads whole columns.
        ListFormat::Human => list::human(&listing, output.terminal_width().unwrap_or(usize::MAX)),
        ListFormat::Json => list::json(&listing),
        ListFormat::Jsonl => list::jsonl(&listing),
    });
    Ok(Exit::Clean)
}

fn listing(arguments: &ListArguments, output: &mut Output) -> Result<Listing, Failure> {
    let tree = project::tree(arguments.root.as_deref())?;
    output.detail(|| project::origins(&tree));
    match arguments.kind {
        ListKind::Codes => Ok(Listing::codes()),
        ListKind::Shapes => Ok(Listing::shapes(Loaded::new(&tree)?.redactor().shapes())),
        ListKind::Rules => {
            let loaded = Loaded::new(&tree)?;
            let knowledge = loaded.judging()?;
            Ok(Listing::rules(knowledge.classifier.catalogue()))
        }
        _ => {
            let matrix = Matrix::parse(&tree.matrix.path, tree.matrix.text()?).map_err(|_| {
                Failure::usage("refrain::matrix::broken", "read matrix.yaml").help("`refrain check` says why")
            })?;
            let (mut files, mut unread) = (Vec::new(), Vec::new());
            for file in &tree.fixtures {
                match FixtureFile::read(&file.path, &file.bytes, Strictness::Lenient) {
                    Ok(fixture) => files.push(fixture),
                    Err(_) => unread.push(file.path.clone()),
                }
            }
            Ok(Listing::cells(&matrix, &files, &unread))
        }
    }
}

fn filtered(mut listing: Listing, arguments: &ListArguments) -> Result<Listing, Failure> {
    let filters = [
        ("code", "--code", arguments.code.map(|code| code.to_string())),
        ("class", "--class", arguments.class.clone()),
        ("providers", "--agent", arguments.agent.clone()),
        ("state", "--state", arguments.state.clone()),
    ];
    for (field, option, wanted) in filters {
        let Some(wanted) = wanted else { continue };
        if !listing.has(field) && !listing.rows.is_empty() {
            let message = format!("filter {} by {option}", listing.kind);
            return Err(Failure::usage("refrain::list::filter", message));
        }
        listing = listing.with(field, &wanted);
    }
    Ok(listing.holding(&arguments.words))
}
