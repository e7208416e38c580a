//! Divides a template into several files that say the same.
//!
//! Lines of the template become a file that is included, a block of a file that extends the rest, or a macro that
//! is imported. Lines are cut where their ends are written, so that no tag's white-space control reaches over.

use std::collections::BTreeMap;

use prompty_template::jinja::{Dialect, parse};
use prompty_template::tree::{Node, NodeKind};
use prompty_template::walk;

use super::random::Random;

/// The files of a template.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(crate) main: String,
    /// The texts of the others by their names.
    pub(crate) others: BTreeMap<String, String>,
    /// Whether the checker must take them as it takes the one file. A macro knows nothing of the conditions
    /// around its call, so it may be refused.
    pub(crate) must_be_taken: bool,
}

/// Words of role markers, which are text where a macro writes them.
const ROLES: [&str; 5] = ["user", "system", "assistant", "developer", "tool"];

/// What a macro cannot write, and `loop`, which it does not know.
const NOT_IN_MACROS: [&str; 6] = ["history", "earlier", "photo", "sound", "paper", "loop"];

/// Divides a template; `None` where it has no two lines that can be cut.
pub(crate) fn divided(random: &mut Random, template: &str, number: usize) -> Option<Files> {
    let main = template.replace("\r\n", "\n").replace('\r', "\n");
    let main = main.trim_end_matches('\n').to_owned();
    let mut files = Files { main, others: BTreeMap::new(), must_be_taken: true };
    for step in 0..1 + random.below(3) {
        let names: Vec<String> = files.others.keys().cloned().collect();
        let at = random.below(names.len() + 1);
        let name = format!("p{number}_{step}.jinja");
        let divided = match names.get(at) {
            Some(divided) => files.others[divided].clone(),
            None => files.main.clone(),
        };
        let Some(parts) = divide(random, &divided, &name) else { continue };
        files.must_be_taken &= parts.must_be_taken;
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

/// A file that became two.
struct Parts {
    rest: String,
    other: String,
    must_be_taken: bool,
}

/// Takes lines of a file out of it. The line break behind them stays.
fn divide(random: &mut Random, text: &str, name: &str) -> Option<Parts> {
    let template = parse(text, &Dialect::PROMPT).ok().filter(|it| it.raw.is_empty())?;
    let mut cuts = Vec::new();
    cuts_of(text, &template.nodes, &mut cuts);
    if cuts.is_empty() {
        return None;
    }
    let (start, end) = *random.pick(&cuts);
    let (before, lines, behind) = (&text[..start], &text[start..end - 1], &text[end..]);
    // A tag in front of the lines and one behind them take nothing but a line break.
    let has_edges = !lines.is_empty()
        && !lines.starts_with(char::is_whitespace)
        && !lines.ends_with(char::is_whitespace);
    let lower = lines.to_lowercase();
    let is_plain = !ROLES.iter().chain(&NOT_IN_MACROS).any(|word| lower.contains(word));
    let extends = text.contains("{% extends");
    let block = name.trim_end_matches(".jinja");
    let kind = random.below(3);
    // The blocks of a file that is included are its own: nobody else fills them.
    let has_block = lines.contains("{% block");
    Some(match kind {
        0 if has_edges && !extends => Parts {
            rest: format!(
                "{{% extends '{name}' %}}{{% block {block} -%}}\n{lines}\n{{%- endblock %}}"
            ),
            other: format!("{before}{{% block {block} scoped %}}{{% endblock %}}\n{behind}\n"),
            must_be_taken: true,
        },
        1 if has_edges && is_plain && !has_block => {
            let import = format!("{{% from '{name}' import {block} with context %}}");
            Parts {
                rest: format!("{before}{import}{{{{ {block}() }}}}\n{behind}"),
                other: format!("{{% macro {block}() -%}}\n{lines}\n{{%- endmacro %}}\n"),
                must_be_taken: false,
            }
        }
        _ if has_block => return None,
        _ => Parts {
            rest: format!("{before}{{% include '{name}' %}}\n{behind}"),
            other: format!("{lines}\n"),
            must_be_taken: true,
        },
    })
}

/// The places in the texts of one body between which lines can be taken out: they bind no names for what stands
/// behind them.
fn cuts_of(text: &str, nodes: &[Node], cuts: &mut Vec<(usize, usize)>) {
    let mut starts: Vec<usize> = Vec::new();
    for node in nodes {
        if binds(node) {
            starts.clear();
        }
        if let NodeKind::Text(_) = node.kind {
            for (at, _) in text[node.span.start..node.span.end].match_indices('\n') {
                let place = node.span.start + at + 1;
                cuts.extend(starts.iter().map(|start| (*start, place)));
                starts.push(place);
            }
        }
        walk::bodies(node).into_iter().for_each(|body| cuts_of(text, body, cuts));
    }
}

fn binds(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Set { .. } | NodeKind::SetBlock { .. } | NodeKind::Macro(_) => true,
        NodeKind::If(_) => walk::bodies(node).into_iter().flatten().any(binds),
        _ => false,
    }
}
