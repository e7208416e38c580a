//! Layouts: generates replies from the layout of each format that a template gives, and checks that
//! all parsers read them.

use std::path::Path;

use prompty_chat::ChatTemplate;

use crate::drawn_replies;
use crate::frame::{Outcome, Report};

/// The number of replies that are generated for each format.
const DRAWN: u64 = 40;

/// Checks each format once, under the name of the first template that gives it.
pub(crate) fn run(root: &Path, at_least: f64) -> Report {
    let folders = ["chat-templates", "wild", "replies"];
    let mut files: Vec<_> = folders
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder).join("templates")).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut formats = Vec::new();
    let mut outcomes = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // Other areas check that templates compile.
        let Ok(template) = ChatTemplate::from_text(&text) else { continue };
        let Ok(format) = template.format().cloned() else { continue };
        if formats.contains(&format) {
            continue;
        }
        let outcome = match drawn_replies::check(&format, DRAWN) {
            Ok(()) => Outcome::Passed,
            Err(failures) => {
                Outcome::Failed(format!("{} of {DRAWN}, {}", failures.len(), failures[0]))
            }
        };
        outcomes.push((file.file_name().unwrap().to_string_lossy().into_owned(), outcome));
        formats.push(format);
    }
    Report::of_outcomes("replies/layouts", at_least, outcomes)
}
