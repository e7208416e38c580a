//! Divides a template into several files with the same meaning.
//!
//! Lines of the template become a file that is included, a block of a file that extends the rest,
//! or a macro that is imported. Cuts are only at line breaks in text. So no tag's white-space
//! control crosses a cut.

use std::collections::BTreeMap;

use prompty_template::jinja::{Dialect, parse};
use prompty_template::tree::{Node, NodeKind};
use prompty_template::walk;

use super::random::Random;

/// The files of a template.
#[derive(Debug, Clone)]
pub(crate) struct TemplateFiles {
    pub(crate) main: String,
    /// The texts of the other files by their names.
    pub(crate) others: BTreeMap<String, String>,
    /// Whether the checker must accept the files if it accepts the one file. A macro does not know
    /// the conditions around its call, so the checker may reject it.
    pub(crate) must_be_accepted: bool,
}

/// Words of role markers. In the output of a macro they are plain text.
const ROLES: [&str; 5] = ["user", "system", "assistant", "developer", "tool"];

/// Inputs that a macro cannot print, and `loop`, which is undefined in a macro.
const NOT_IN_MACROS: [&str; 6] = ["history", "earlier", "photo", "recording", "paper", "loop"];

/// Divides a template. `None` if it has no lines that can be moved.
pub(crate) fn divide_template(
    random: &mut Random,
    template: &str,
    number: usize,
) -> Option<TemplateFiles> {
    let main = template.replace("\r\n", "\n").replace('\r', "\n");
    let main = main.trim_end_matches('\n').to_owned();
    let mut files = TemplateFiles { main, others: BTreeMap::new(), must_be_accepted: true };
    for step in 0..1 + random.below(3) {
        let names: Vec<String> = files.others.keys().cloned().collect();
        let at = random.below(names.len() + 1);
        let name = format!("p{number}_{step}.jinja");
        let divided = match names.get(at) {
            Some(divided) => files.others[divided].clone(),
            None => files.main.clone(),
        };
        let Some(parts) = divide(random, &divided, &name) else { continue };
        files.must_be_accepted &= parts.must_be_accepted;
        files.others.insert(name, parts.other);
        match names.get(at) {
            Some(divided) => {
                files.others.insert(divided.clone(), parts.rest);
            }
            None => files.main = parts.rest,
        }
    }
    (!files.others.is_empty()).then_some(files)
}

/// The two files that one file was divided into.
struct Parts {
    rest: String,
    other: String,
    must_be_accepted: bool,
}

/// Moves lines of a file into a new one. The line break after them stays.
fn divide(random: &mut Random, text: &str, name: &str) -> Option<Parts> {
    let template = parse(text, &Dialect::PROMPT).ok().filter(|it| it.raw.is_empty())?;
    let mut cuts = Vec::new();
    collect_cuts(text, &template.nodes, &mut cuts);
    if cuts.is_empty() {
        return None;
    }
    let (start, end) = *random.pick(&cuts);
    let (before, lines, after) = (&text[..start], &text[start..end - 1], &text[end..]);
    // The tags before and after the lines must remove nothing but a line break.
    let has_edges = !lines.is_empty()
        && !lines.starts_with(char::is_whitespace)
        && !lines.ends_with(char::is_whitespace);
    let lower = lines.to_lowercase();
    let is_plain = !ROLES.iter().chain(&NOT_IN_MACROS).any(|word| lower.contains(word));
    let extends = text.contains("{% extends");
    let block = name.trim_end_matches(".jinja");
    let kind = random.below(3);
    // No other file can override the blocks of an included file.
    let has_block = lines.contains("{% block");
    Some(match kind {
        0 if has_edges && !extends => Parts {
            rest: format!(
                "{{% extends '{name}' %}}{{% block {block} -%}}\n{lines}\n{{%- endblock %}}"
            ),
            other: format!("{before}{{% block {block} scoped %}}{{% endblock %}}\n{after}\n"),
            must_be_accepted: true,
        },
        1 if has_edges && is_plain && !has_block => {
            let import = format!("{{% from '{name}' import {block} with context %}}");
            Parts {
                rest: format!("{before}{import}{{{{ {block}() }}}}\n{after}"),
                other: format!("{{% macro {block}() -%}}\n{lines}\n{{%- endmacro %}}\n"),
                must_be_accepted: false,
            }
        }
        _ if has_block => return None,
        _ => Parts {
            rest: format!("{before}{{% include '{name}' %}}\n{after}"),
            other: format!("{lines}\n"),
            must_be_accepted: true,
        },
    })
}

/// Collects the ranges of lines in one body that can be moved. A range binds no names that the text
/// after it could use.
fn collect_cuts(text: &str, nodes: &[Node], cuts: &mut Vec<(usize, usize)>) {
    let mut starts: Vec<usize> = Vec::new();
    for node in nodes {
        if binds_names(node) {
            starts.clear();
        }
        if let NodeKind::Text(_) = node.kind {
            for (at, _) in text[node.span.start..node.span.end].match_indices('\n') {
                let place = node.span.start + at + 1;
                cuts.extend(starts.iter().map(|start| (*start, place)));
                starts.push(place);
            }
        }
        walk::bodies(node).into_iter().for_each(|body| collect_cuts(text, body, cuts));
    }
}

fn binds_names(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Set { .. } | NodeKind::SetBlock { .. } | NodeKind::Macro(_) => true,
        NodeKind::If(_) => walk::bodies(node).into_iter().flatten().any(binds_names),
        _ => false,
    }
}
