//! What fills a block: the files that extend each other, and the blocks that each defines.

use std::collections::HashMap;

use super::files::{File, Files};
use crate::tree::{Node, NodeKind, TemplateBlock};
use crate::walk;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};

/// What is wrong, with the number of the file that it is in.
type FileFinding = Box<(usize, Diagnostic<TemplateSpan>)>;

/// A file with those that it extends, itself first.
pub(super) struct Family<'f> {
    pub(super) files: Vec<usize>,
    /// The blocks of each file, by their names.
    blocks: Vec<HashMap<&'f str, Block<'f>>>,
}

/// A block where it is defined.
#[derive(Clone, Copy)]
pub(super) struct Block<'f> {
    /// Its file.
    pub(super) file: usize,
    pub(super) node: &'f Node,
    pub(super) tag: &'f TemplateBlock,
    pub(super) body: &'f [Node],
}

impl<'f> Family<'f> {
    /// The family of a file.
    ///
    /// # Errors
    ///
    /// The files extend each other in a circle, or a block is defined twice; with the file of the place.
    pub(super) fn new(files: &'f Files, first: usize) -> Result<Self, FileFinding> {
        let mut family = Self { files: Vec::new(), blocks: Vec::new() };
        let mut next = Some(first);
        while let Some((index, file)) = next.and_then(|index| Some((index, files.list.get(index)?)))
        {
            family.files.push(index);
            family.blocks.push(blocks_of(index, file)?);
            let Some((_, tag)) = file.extends() else { break };
            next = files.target(index, tag.span.start);
            if next.is_some_and(|next| family.files.contains(&next)) {
                let message = format!("`{}` extends itself", file.name);
                let finding = Diagnostic::new(Code::UnsupportedConstruct, message)
                    .with_span(tag.span)
                    .with_help("one of the files must extend none");
                return Err(Box::new((index, finding)));
            }
        }
        Ok(family)
    }

    /// The definition of a block that counts, among those of the files from `level` on, and its level.
    pub(super) fn block(&self, name: &str, level: usize) -> Option<(usize, Block<'f>)> {
        let mut levels = self.blocks.iter().enumerate().skip(level);
        levels.find_map(|(level, blocks)| Some((level, *blocks.get(name)?)))
    }

    /// The names of all blocks of the files from `level` on.
    pub(super) fn names_from(&self, level: usize) -> Vec<&'f str> {
        let blocks = self.blocks.iter().skip(level);
        let mut names: Vec<&str> = blocks.flat_map(|blocks| blocks.keys().copied()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The blocks of a file in any depth.
fn blocks_of(index: usize, file: &File) -> Result<HashMap<&str, Block<'_>>, FileFinding> {
    let mut found = HashMap::new();
    collect(index, &file.template.nodes, &mut found)?;
    Ok(found)
}

fn collect<'f>(
    file: usize,
    nodes: &'f [Node],
    found: &mut HashMap<&'f str, Block<'f>>,
) -> Result<(), FileFinding> {
    for node in nodes {
        if let NodeKind::Block { tag, body } = &node.kind {
            let block = Block { file, node, tag, body };
            if found.insert(&tag.name.text, block).is_some() {
                let message = format!("the block `{}` is defined twice", tag.name.text);
                let help =
                    "give one of them another name; `{{ self.name() }}` writes a block again";
                let finding = Diagnostic::new(Code::Duplicate, message).with_span(tag.name.span);
                return Err(Box::new((file, finding.with_help(help))));
            }
        }
        for body in walk::bodies(node) {
            collect(file, body, found)?;
        }
    }
    Ok(())
}
