//! Finds the definition of a block, in files that extend each other.
//!
//! If `main` extends `page`, and `page` extends `base`, the chain of `main` has these files at the
//! levels 0, 1 and 2. A block in `base` is written as the first of them defines it. `super()` in a
//! definition at level 0 is the definition from level 1 on.

use std::collections::HashMap;

use super::files::{JinjaFile, JinjaFiles};
use crate::tree::{Node, NodeKind, TemplateBlock};
use crate::walk;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};

/// A diagnostic with the number of its file.
type FileFinding = Box<(usize, Diagnostic<TemplateSpan>)>;

/// A file with the files that it extends, directly or indirectly. The file itself is first.
pub(super) struct ExtendsChain<'f> {
    pub(super) files: Vec<usize>,
    /// The blocks of each file, by name.
    blocks: Vec<HashMap<&'f str, BlockDefinition<'f>>>,
}

/// The definition of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockDefinition<'f> {
    /// The file that contains it.
    pub(super) file: usize,
    pub(super) node: &'f Node,
    pub(super) tag: &'f TemplateBlock,
    pub(super) body: &'f [Node],
}

impl<'f> ExtendsChain<'f> {
    /// Returns the chain that begins with a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the files extend each other in a cycle, or a block is defined twice.
    pub(super) fn new(files: &'f JinjaFiles, first: usize) -> Result<Self, FileFinding> {
        let mut chain = Self { files: Vec::new(), blocks: Vec::new() };
        let mut next = Some(first);
        while let Some((index, file)) = next.and_then(|index| Some((index, files.list.get(index)?)))
        {
            chain.files.push(index);
            chain.blocks.push(blocks_of(index, file)?);
            let Some((_, tag)) = file.extends() else { break };
            next = files.target(index, tag.span.start);
            if next.is_some_and(|next| chain.files.contains(&next)) {
                let message = format!("`{}` extends itself", file.name);
                let finding = Diagnostic::new(Code::UnsupportedConstruct, message)
                    .with_span(tag.span)
                    .with_help("remove `extends` from one of the files");
                return Err(Box::new((index, finding)));
            }
        }
        Ok(chain)
    }

    /// Returns the first definition of a block in the files from `level` on, with its level.
    pub(super) fn block(&self, name: &str, level: usize) -> Option<(usize, BlockDefinition<'f>)> {
        let mut levels = self.blocks.iter().enumerate().skip(level);
        levels.find_map(|(level, blocks)| Some((level, *blocks.get(name)?)))
    }

    /// Returns the names of all blocks in the files from `level` on.
    pub(super) fn names_from(&self, level: usize) -> Vec<&'f str> {
        let blocks = self.blocks.iter().skip(level);
        let mut names: Vec<&str> = blocks.flat_map(|blocks| blocks.keys().copied()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Collects the blocks of a file at any depth.
fn blocks_of(
    index: usize,
    file: &JinjaFile,
) -> Result<HashMap<&str, BlockDefinition<'_>>, FileFinding> {
    let mut found = HashMap::new();
    for node in walk::all_nodes(file.nodes()) {
        let NodeKind::Block { tag, body } = &node.kind else { continue };
        let block = BlockDefinition { file: index, node, tag, body };
        if found.insert(tag.name.text.as_str(), block).is_some() {
            let message = format!("the block `{}` is defined twice", tag.name.text);
            let help = "rename one of them; to write a block again, use `{{ self.name() }}`";
            let finding = Diagnostic::new(Code::Duplicate, message).with_span(tag.name.span);
            return Err(Box::new((index, finding.with_help(help))));
        }
    }
    Ok(found)
}
