//! What a file that extends another writes nowhere: what stands behind its `extends` in no block, and blocks that
//! the extended files do not have.

use std::collections::HashSet;

use super::blocks::Family;
use super::files::{File, Files};
use super::names::BlockOutput;
use crate::tree::{Node, NodeKind, OtherTemplate, TemplateBlock};
use crate::walk;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan, suggest};

/// How many blocks of a file are told: for each, a similar name is looked for among all.
const MAX_TOLD: usize = 16;

/// What is never written of a file, whose level in the family is `level`; `behind` are the nodes behind its
/// `extends`.
pub(super) fn find(
    files: &Files,
    index: usize,
    behind: &[Node],
    family: &Family<'_>,
    level: usize,
) -> Vec<Diagnostic<TemplateSpan>> {
    let Some(file) = files.list.get(index) else { return Vec::new() };
    let mut blocks: Vec<&TemplateBlock> = Vec::new();
    outermost_blocks(behind, &mut |tag| {
        if family.block(&tag.name.text, level + 1).is_none() {
            blocks.push(tag);
        }
    });
    let mut findings: Vec<Diagnostic<TemplateSpan>> = text(file, behind).into_iter().collect();
    if !blocks.is_empty() {
        let (others, written) = (family.names_from(level + 1), written_by_self(files, family));
        let dropped = blocks.iter().filter(|tag| !written.contains(tag.name.text.as_str()));
        findings.extend(dropped.take(MAX_TOLD).map(|tag| block(tag, &others)));
    }
    findings
}

/// The first text that stands in no block.
fn text(file: &File, behind: &[Node]) -> Option<Diagnostic<TemplateSpan>> {
    let writes = |node: &&Node| match &node.kind {
        NodeKind::Text(text) => !text.trim().is_empty(),
        NodeKind::Output(_) | NodeKind::For(_) | NodeKind::FilterBlock { .. } => true,
        NodeKind::CallBlock { .. } | NodeKind::With { .. } => true,
        NodeKind::OtherTemplate(other) => matches!(**other, OtherTemplate::Include { .. }),
        _ => false,
    };
    let node = behind.iter().find(writes)?;
    let text = node.span.text_in(file.source.text())?;
    let written = text.trim_start();
    let start = node.span.start + text.len() - written.len();
    let line = written.lines().next().unwrap_or_default().trim_end();
    let message = "this text is never written, since the file extends another";
    let finding = Diagnostic::new(Code::DroppedText, message);
    let finding = finding
        .with_span(TemplateSpan::new(start, start + line.len()))
        .with_label("stands in no block");
    Some(finding.with_help("write it in a block that the extended file has, or remove it"))
}

fn block(tag: &TemplateBlock, others: &[&str]) -> Diagnostic<TemplateSpan> {
    let name = tag.name.text.as_str();
    let message = format!("the block `{name}` is never written");
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

/// Calls `visit` with every block that stands in no other.
fn outermost_blocks<'t>(nodes: &'t [Node], visit: &mut impl FnMut(&'t TemplateBlock)) {
    for node in nodes {
        match &node.kind {
            NodeKind::Block { tag, .. } => visit(tag),
            _ => walk::bodies(node).into_iter().for_each(|body| outermost_blocks(body, visit)),
        }
    }
}

/// The blocks that files of the family write with `{{ self.name() }}`.
fn written_by_self<'f>(files: &'f Files, family: &Family<'_>) -> HashSet<&'f str> {
    let files = family.files.iter().filter_map(|index| files.list.get(*index));
    let outputs = files.flat_map(|file| file.names.outputs_of_blocks.values());
    let names = outputs.filter_map(|output| match output {
        BlockOutput::OfName(name) => Some(name.text.as_str()),
        BlockOutput::Super => None,
    });
    names.collect()
}
