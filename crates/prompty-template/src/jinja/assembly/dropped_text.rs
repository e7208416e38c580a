//! Finds text that a file with `extends` never writes: text outside of blocks after `extends`, and
//! blocks that the extended files do not have.

use std::collections::HashSet;

use super::blocks::ExtendsChain;
use super::files::{JinjaFile, JinjaFiles};
use super::names::BlockOutput;
use crate::tree::{Node, NodeKind, OtherTemplate, TemplateBlock};
use crate::walk;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan, suggest};

/// The maximum number of reported blocks of a file, because each is compared with all others.
const MAX_REPORTED: usize = 16;

/// Finds the unwritten text of a file. `level` is the file's level in the chain, and `nodes` are
/// those after its `extends`.
pub(super) fn find(
    files: &JinjaFiles,
    index: usize,
    nodes: &[Node],
    chain: &ExtendsChain<'_>,
    level: usize,
) -> Vec<Diagnostic<TemplateSpan>> {
    let Some(file) = files.list.get(index) else { return Vec::new() };
    let mut blocks: Vec<&TemplateBlock> = Vec::new();
    outermost_blocks(nodes, &mut |tag| {
        if chain.block(&tag.name.text, level + 1).is_none() {
            blocks.push(tag);
        }
    });
    let mut findings: Vec<Diagnostic<TemplateSpan>> = find_text(file, nodes).into_iter().collect();
    if !blocks.is_empty() {
        let (others, written) = (chain.names_from(level + 1), written_by_self(files, chain));
        let dropped = blocks.iter().filter(|tag| !written.contains(tag.name.text.as_str()));
        findings.extend(dropped.take(MAX_REPORTED).map(|tag| block_finding(tag, &others)));
    }
    findings
}

/// Finds the first text outside of all blocks.
fn find_text(file: &JinjaFile, nodes: &[Node]) -> Option<Diagnostic<TemplateSpan>> {
    let writes = |node: &&Node| match &node.kind {
        NodeKind::Text(text) => !text.trim().is_empty(),
        NodeKind::Output(_) | NodeKind::For(_) | NodeKind::FilterBlock { .. } => true,
        NodeKind::CallBlock { .. } | NodeKind::With { .. } => true,
        NodeKind::OtherTemplate(other) => matches!(**other, OtherTemplate::Include { .. }),
        _ => false,
    };
    let node = nodes.iter().find(writes)?;
    let text = node.span.text_in(file.source.text())?;
    let written = text.trim_start();
    let start = node.span.start + text.len() - written.len();
    let line = written.lines().next().unwrap_or_default().trim_end();
    let message = "this text is never rendered, because the file extends another";
    let finding = Diagnostic::new(Code::DroppedText, message);
    let finding = finding
        .with_span(TemplateSpan::new(start, start + line.len()))
        .with_label("is not in a block");
    Some(finding.with_help("write it in a block that the extended file has, or remove it"))
}

/// Returns the diagnostic for a block that none of the extended files has. `others` are their
/// blocks.
fn block_finding(tag: &TemplateBlock, others: &[&str]) -> Diagnostic<TemplateSpan> {
    let name = tag.name.text.as_str();
    let message = format!("the block `{name}` is never rendered");
    let finding = Diagnostic::new(Code::DroppedText, message)
        .with_span(tag.name.span)
        .with_label("no extended file has a block of this name");
    match suggest(name, others) {
        Some(similar) => {
            finding.with_help(format!("a block with a similar name exists: `{similar}`"))
        }
        None => finding
            .with_help("give it the name of a block that the extended file has, or remove it"),
    }
}

/// Calls `visit` with every block that is not inside another.
fn outermost_blocks<'t>(nodes: &'t [Node], visit: &mut impl FnMut(&'t TemplateBlock)) {
    for node in nodes {
        match &node.kind {
            NodeKind::Block { tag, .. } => visit(tag),
            _ => walk::bodies(node).into_iter().for_each(|body| outermost_blocks(body, visit)),
        }
    }
}

/// Returns the names of blocks that the files of a chain write with `{{ self.name() }}`.
fn written_by_self<'f>(files: &'f JinjaFiles, chain: &ExtendsChain<'_>) -> HashSet<&'f str> {
    let files = chain.files.iter().filter_map(|index| files.list.get(*index));
    let outputs = files.flat_map(|file| file.names().outputs_of_blocks.values());
    let names = outputs.filter_map(|output| match output {
        BlockOutput::OfName(name) => Some(name.text.as_str()),
        BlockOutput::Super => None,
    });
    names.collect()
}
