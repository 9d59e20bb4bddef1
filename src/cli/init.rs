//! `refrain init`: a project of one's own that is green from the first check.

use std::path::{Path, PathBuf};

use super::arguments::InitArguments;
use super::exit::{Exit, Failure};
use super::output::Output;
use crate::fixture::{Cell, FixtureFile, Strictness};
use crate::matrix::Matrix;
use crate::report::check::count;
use crate::shell::disk;
use crate::shell::tree::{File, embedded_catalogue, embedded_fixtures};
use crate::vocab::Gateway;

/// What a project consists of; none of it may be there already.
const PARTS: &[&str] = &["matrix.yaml", "catalogue", "fixtures"];

/// Writes a matrix, the whole catalogue and the fixtures of some gateways. Nothing is ever overwritten.
pub(super) fn run(arguments: &InitArguments, output: &mut Output) -> Result<Exit, Failure> {
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    let matrix = Matrix::embedded();
    let gateways = gateways(matrix, &arguments.gateway)?;
    if let Some(part) = PARTS.iter().find(|part| folder.join(part).exists()) {
        let message = format!("start a project in {}: {part} is there already", folder.display());
        return Err(Failure::usage("refrain::init::exists", message).help("name another folder: `refrain init DIR`"));
    }
    let fixtures = fixtures(&gateways);
    let catalogue = embedded_catalogue();
    for file in fixtures.iter().chain(&catalogue) {
        disk::create(&folder.join(&file.path), &file.bytes)?;
    }
    disk::create(&folder.join("matrix.yaml"), matrix.starter(&gateways).as_bytes())?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        disk::create(&ignore, b"# Raw transcripts of `refrain capture`: never share them.\n/.refrain/\n")?;
    }
    if !output.quiet() {
        output.result(&report(&folder, &fixtures, &catalogue, arguments));
    }
    Ok(Exit::Clean)
}

fn gateways(matrix: &Matrix, names: &[String]) -> Result<Vec<Gateway>, Failure> {
    let known: Vec<&Gateway> = matrix.gateways.iter().flatten().map(|row| &row.id).collect();
    let find = |name: &String| {
        known.iter().find(|gateway| gateway.as_str() == name).map(|gateway| (*gateway).clone()).ok_or_else(|| {
            let list: Vec<&str> = known.iter().map(|gateway| gateway.as_str()).collect();
            Failure::usage("refrain::init::gateway", format!("find fixtures of a gateway `{name}`"))
                .help(format!("there are some of {}", list.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn fixtures(gateways: &[Gateway]) -> Vec<File> {
    let wanted = |file: &File| {
        let read = FixtureFile::read(&file.path, &file.bytes, Strictness::Strict);
        read.is_ok_and(|read| match read.fixture.cell {
            Cell::Matrix { gateway, .. } => gateways.contains(&gateway),
            Cell::Dialect { .. } => false,
        })
    };
    embedded_fixtures().into_iter().filter(wanted).collect()
}

fn report(folder: &Path, fixtures: &[File], catalogue: &[File], arguments: &InitArguments) -> String {
    let below = |part: &str| catalogue.iter().filter(|file| file.path.starts_with(part)).count();
    let enter = arguments.folder.as_ref().map_or_else(String::new, |_| format!("cd {}\n  ", folder.display()));
    let cell = fixtures.first().map_or("", |file| file.path.trim_start_matches("fixtures/").trim_end_matches(".json"));
    format!(
        "wrote matrix.yaml, {}, {} and {} in {}\n\nnext\n  \
         {enter}refrain check\n  \
         refrain replay {cell}\n  \
         refrain classify \"the text of an error that you have seen\"\n  \
         refrain explain --new-rule --write \"a text that nothing classifies\"\n  \
         refrain diff           what your rules add to the tool's own\n  \
         refrain schema rule    for your editor\n",
        count(fixtures.len(), "fixture"),
        count(below("catalogue/rules"), "rule"),
        count(below("catalogue/shapes"), "shape"),
        folder.display()
    )
}
