//! Converts prompt files from the first version of the format to the second.
//!
//! `cargo run --example migrate -- FILE...` prints the changes, and `cargo run --example migrate --
//! --in-place FILE...` writes them to the files. The exit code is 1 if a file cannot be migrated.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use similar::TextDiff;
use typed_prompty::LoadOptions;
use typed_prompty::definition::migrate;
use typed_prompty::diagnostic::SourceText;

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let in_place = options == ["--in-place"];
    if files.is_empty() || !(in_place || options.is_empty()) {
        eprintln!("usage: migrate [--in-place] FILE...");
        return ExitCode::from(2);
    }
    let mut failed = false;
    for file in &files {
        match migrate_file(file, in_place) {
            Ok(Some(difference)) => println!("{difference}"),
            Ok(None) => eprintln!("{file}: the file does not use the first version"),
            Err(error) => {
                // The alternate form also prints the place and the help text of our errors.
                eprintln!("error: {file}: {error:#}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Migrates a file and returns the difference; `None` if the file does not use the first version.
fn migrate_file(file: &str, in_place: bool) -> Result<Option<String>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let folder = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
    let options = LoadOptions::new().with_base_directory(folder.unwrap_or(Path::new(".")));
    let Some(migrated) = migrate(&SourceText::new(file, text.as_str()), &options)? else {
        return Ok(None);
    };
    if in_place {
        std::fs::write(file, &migrated)?;
    }
    let difference = TextDiff::from_lines(text.as_str(), migrated.as_str());
    let difference = difference.unified_diff().header(file, file).to_string();
    Ok(Some(difference))
}
