//! The analysis does not depend on the names of markers. If the words of all markers in a template
//! are renamed, the analysis finds the same format with the new words, and its parser reads what
//! the template writes.

use std::collections::BTreeMap;

use typed_prompty::chat::ChatTemplate;

use super::markers::markers;
use super::messages::samples;
use super::names::Names;
use super::reading::read;
use super::shown::Shown;
use super::subjects::{Subject, subjects};
use super::writing::write;

#[test]
fn the_analysis_finds_renamed_markers() {
    let (mut templates, mut renamed, mut turns) = (0, 0, 0);
    let (mut left_out, mut failed) = (BTreeMap::<&str, Vec<String>>::new(), Vec::new());
    for subject in subjects() {
        let names = Names::for_subject(subject);
        for (word, reason) in &names.left_out {
            left_out.entry(reason).or_default().push(format!("{}: {word}", subject.name));
        }
        if names.new.is_empty() {
            continue;
        }
        templates += 1;
        renamed += names.new.len();
        match check_renamed(subject, &names) {
            Ok(read) => turns += read,
            Err(reason) => {
                failed.push(format!("{}: {reason}\n    renamed {:?}", subject.name, names.new));
            }
        }
    }
    println!(
        "renamed: {renamed} words in the markers of {templates} templates; {turns} turns read back"
    );
    for (reason, words) in &left_out {
        println!("    {} left out ({reason}): {}", words.len(), words.join(", "));
    }
    assert!(failed.is_empty(), "{} templates fail:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_analysis_finds_swapped_fields() {
    let (mut templates, mut turns, mut failed) = (0, 0, Vec::new());
    for subject in subjects() {
        let Some(names) = Names::swapped(subject) else { continue };
        templates += 1;
        match check_renamed(subject, &names) {
            Ok(read) => turns += read,
            Err(reason) => failed.push(format!("{}: {reason}", subject.name)),
        }
    }
    println!("fields swapped: {templates} templates, {turns} turns read back");
    assert!(failed.is_empty(), "{} templates fail:\n{}", failed.len(), failed.join("\n"));
}

/// Renames the markers, analyses the template, and reads back turns of every shape. Returns their
/// number.
fn check_renamed(subject: &Subject, names: &Names) -> Result<usize, String> {
    let text = names.rename_template(subject.template.text());
    let template = ChatTemplate::from_text(&text).map_err(|error| format!("{error:#}"))?;
    let renamed = Subject { name: subject.name.clone(), template };
    let analysis = renamed.template.analyze().map_err(|error| format!("{error:#}"))?;
    let found = serde_json::to_value(analysis.format()).unwrap();
    let expected = names.rename_format(serde_json::to_value(subject.format()).unwrap());
    if found != expected {
        return Err(format!("found {found}\n    not   {expected}"));
    }
    let mut turns = 0;
    for message in samples(&markers(renamed.format())) {
        let Ok(written) = write(&renamed, &message.to_message(), &message.tools(), None) else {
            continue;
        };
        let shown = Shown::find(&renamed, &message, None);
        let turn = shown.turn(&written.reply);
        let reply = read(&written.parser, turn)?;
        if let Some(reason) = shown.differs(&message, &reply) {
            return Err(format!("{reason}\n    of {turn:?}"));
        }
        turns += 1;
    }
    Ok(turns)
}
