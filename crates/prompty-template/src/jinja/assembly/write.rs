//! Writes the assembled text of a template's files.
//!
//! The text of an included file is written inside a `with` block, which has its own scope and
//! carries the white-space signs of the tag. The text of the files is unchanged, except for names
//! of modules:
//!
//! ```text
//! main:   {% import "lib" as lib %}A {%- include "part" %} {{ lib.greet() }}
//! part:   Hi
//! lib:    {% macro greet() %}Hello{% endmacro %}
//! result: {% macro greet() %}Hello{% endmacro %}A {%- with -%}
//!         Hi{% endwith %} {{ greet() }}
//! ```
//!
//! [`JinjaWriter::write_template`] writes a file with those that it extends, and
//! [`JinjaWriter::write_range`] a part of a file. `write_range` copies the text up to each tag that
//! must be replaced, and continues after it. For such a tag it calls
//! [`JinjaWriter::write_reference`] or [`JinjaWriter::write_block`], which call `write_template` or
//! `write_range` for the text that replaces the tag. In the example, the calls are:
//!
//! | call | writes |
//! |---|---|
//! | `write_template` of `main` | |
//! | - `write_reference` of `import` | `{% macro greet() %}Hello{% endmacro %}` |
//! | - `copy` | `A ` |
//! | - `write_reference` of `include` | `{%- with -%}`, a line break, `Hi{% endwith %}` |
//! | - `copy` | ` {{ greet() }}`, with the new name of `lib.greet` |
//!
//! If a file extends another, their parts are written one after the other, with a tag between them
//! that has no output:
//!
//! ```text
//! main:   {% extends "base" %}{% set a = 1 %}{% block b %}{{ a }}{% endblock %}
//! base:   <{% block b %}{% endblock %}>
//! result: {% set a = 1 %}{% with %}{% endwith -%}
//!         <{% with %}{{ a }}{% endwith %}>
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use super::blocks::{BlockDefinition, ExtendsChain};
use super::dropped_text;
use super::files::{JinjaFile, JinjaFiles};
use super::macro_order::in_order_of_use;
use super::modules::Modules;
use super::names::{BlockOutput, is_definition};
use super::signs::{left_sign, right_sign, tags_of_block};
use super::white_space::trimming_takes_one_break;
use crate::assembly::work::{ReportedError, WorkAccount, WriteResult};
use crate::assembly::{FileFindings, MAX_DEPTH, TAG_WORK, TemplateFile, in_file};
use crate::tree::{Name, Node, NodeKind, OtherTemplate};
use crate::walk;
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};
use prompty_core::message::marker_line::match_line;

/// Writes the assembled template after the text that precedes it in its file; `None` on an error.
pub(super) fn write(
    files: &JinjaFiles,
    modules: &Modules,
    main: &TemplateFile,
) -> (Option<SourceBuilder>, FileFindings) {
    let mut writer = JinjaWriter {
        files,
        modules,
        builder: SourceBuilder::new(main.source.name()),
        open: Vec::new(),
        chains: HashMap::new(),
        edits: HashMap::new(),
        account: WorkAccount::default(),
    };
    let is_written = writer.write_template(0).is_ok();
    let template = writer.builder.finish();
    let mut builder = main.copy_before_template();
    builder.copy(&template, template.span());
    (is_written.then_some(builder), writer.account.findings)
}

/// A file or block that is being written.
enum OpenItem {
    /// A file, and the tag that names it, with the tag's own file.
    File {
        file: usize,
        parent: usize,
        tag: TemplateSpan,
    },
    Block,
}

/// The replacements of names in a file, in the order of their spans, which do not overlap.
type NameEdits = Rc<[(TemplateSpan, String)]>;

/// A file with its replacements while it is written. The same file may be written several times,
/// with different names: once for each tag that imports it.
#[derive(Clone)]
struct FileView<'f> {
    file: usize,
    edits: NameEdits,
    /// The new names of the file's own definitions, if it is a module. A definition without an
    /// entry keeps its name.
    renamed: Option<Rc<HashMap<String, String>>>,
    /// The files in which blocks are looked up: the file that a tag names, or the template itself,
    /// with all files that it extends. All files of a chain are written with the same chain.
    chain: Rc<ExtendsChain<'f>>,
    /// The block that is being written, with the level of its definition in `chain`. `super()`
    /// in it means the next definition after that level.
    block: Option<(&'f Name, usize)>,
}

/// Writes the text of files.
struct JinjaWriter<'f> {
    files: &'f JinjaFiles,
    modules: &'f Modules,
    /// The text that was written so far. [`JinjaWriter::capture`] replaces it temporarily.
    builder: SourceBuilder,
    /// The files and blocks that are being written, from the outside in. The template itself and
    /// the files that a file extends are not in it.
    open: Vec<OpenItem>,
    /// The cached chain of each file.
    chains: HashMap<usize, Rc<ExtendsChain<'f>>>,
    /// The cached replacements of names in each file that is not a module.
    edits: HashMap<usize, NameEdits>,
    account: WorkAccount,
}

impl<'f> JinjaWriter<'f> {
    /// Writes a template. Of each file with `extends`, this writes the text before that tag, and
    /// the definitions after it. The last file of the chain extends no other. It is written
    /// completely, with the blocks of the others.
    fn write_template(&mut self, file: usize) -> WriteResult {
        let chain = self.chain(file)?;
        for (level, index) in chain.files.iter().copied().enumerate() {
            let Some(read) = self.files.list.get(index) else { continue };
            self.pay(index, TemplateSpan::default(), read.source.text().len())?;
            let view = self.view(index, &chain);
            let all = read.written_span(index == 0);
            let parts = read.extends().and_then(|(at, tag)| {
                let (before, rest) = read.nodes().split_at_checked(at)?;
                Some((before, tag, rest.split_first()?.1))
            });
            let Some((before, tag, after)) = parts else {
                return self.append_range(&view, all, read.nodes());
            };
            self.append_range(&view, TemplateSpan::new(all.start, tag.span.start), before)?;
            let left = left_sign(read.source.text(), tag.span);
            // The left sign of the `extends` tag trims the text before the tag.
            if tag.span.start > all.start && !left.is_empty() {
                self.write_empty_block(&view, tag.span, left, "");
            }
            self.write_definitions(&view, after.iter())?;
            let dropped = dropped_text::find(self.files, index, after, &chain, level);
            dropped.into_iter().for_each(|finding| self.account.findings.push(index, finding));
        }
        Ok(())
    }

    /// Writes a range of a file after what `builder` has: the parts of the files that extend it.
    fn append_range(
        &mut self,
        view: &FileView<'f>,
        range: TemplateSpan,
        nodes: &'f [Node],
    ) -> WriteResult {
        if self.builder.is_empty() || range.start == range.end {
            return self.write_range(view, range, nodes);
        }
        let inner = self.capture(|writer| writer.write_range(view, range, nodes))?;
        // A tag separates the texts, so that white-space control does not reach the other file. A
        // role marker at the start of the file keeps its own line.
        let separator = match trimming_takes_one_break(inner.text()) {
            true => "{% with %}{% endwith -%}\n",
            false => "{% with %}{% endwith %}",
        };
        self.write_generated(view, separator, TemplateSpan::new(range.start, range.start));
        self.builder.copy(&inner, inner.span());
        Ok(())
    }

    /// Returns what `write` writes as a separate text.
    fn capture(
        &mut self,
        write: impl FnOnce(&mut Self) -> WriteResult,
    ) -> Result<SourceText, ReportedError> {
        let outer = std::mem::replace(&mut self.builder, SourceBuilder::new(""));
        let written = write(self);
        let inner = std::mem::replace(&mut self.builder, outer).finish();
        written.map(|()| inner)
    }

    fn chain(&mut self, file: usize) -> Result<Rc<ExtendsChain<'f>>, ReportedError> {
        if let Some(known) = self.chains.get(&file) {
            return Ok(Rc::clone(known));
        }
        match ExtendsChain::new(self.files, file) {
            Ok(chain) => {
                let chain = Rc::new(chain);
                self.chains.insert(file, Rc::clone(&chain));
                Ok(chain)
            }
            Err(found) => {
                let (file, finding) = *found;
                Err(self.account.report(file, finding))
            }
        }
    }

    /// Returns the view of a file that keeps its own names. Only its uses of modules change: in
    /// `{{ lib.greet() }}`, `lib.greet` becomes `greet`.
    fn view(&mut self, file: usize, chain: &Rc<ExtendsChain<'f>>) -> FileView<'f> {
        let members = self.modules.members.get(file).map(Vec::as_slice).unwrap_or_default();
        let edits = Rc::clone(self.edits.entry(file).or_insert_with(|| members.into()));
        FileView { file, edits, renamed: None, chain: Rc::clone(chain), block: None }
    }

    /// Returns the view of a module with new names. With `greet` -> `lib_greet` in `renamed`, the
    /// name is replaced in `{% macro greet() %}` and where the module itself calls `greet()`.
    fn view_of_module(
        &self,
        file: usize,
        renamed: HashMap<String, String>,
        chain: &Rc<ExtendsChain<'f>>,
    ) -> FileView<'f> {
        let members = self.modules.members.get(file).map(Vec::as_slice).unwrap_or_default();
        let mut edits = members.to_vec();
        if let Some(read) = self.files.list.get(file) {
            // The places that read the module's own names, and those that bind them.
            let own = read.names().references.iter().filter(|it| it.bound == Some(0));
            let reads = own.map(|it| (&it.name.text, it.name.span));
            let top = read.names().top.iter();
            let bindings = top.flat_map(|(name, spans)| spans.iter().map(move |it| (name, *it)));
            for (name, span) in reads.chain(bindings) {
                if let Some(new) = renamed.get(name) {
                    edits.push((span, new.clone()));
                }
            }
            edits.sort_by_key(|(span, _)| *span);
            // `copy` must not find a place twice.
            edits.dedup();
        }
        let (edits, renamed) = (edits.into(), Some(Rc::new(renamed)));
        FileView { file, edits, renamed, chain: Rc::clone(chain), block: None }
    }

    /// Writes a range of a file, with its tags replaced. `nodes` are the nodes in it.
    fn write_range(
        &mut self,
        view: &FileView<'f>,
        range: TemplateSpan,
        nodes: &'f [Node],
    ) -> WriteResult {
        let mut done = range.start;
        self.write_nodes(view, nodes, &mut done)?;
        self.copy(view, TemplateSpan::new(done, range.end));
        Ok(())
    }

    /// Writes the text of nodes, except for the text after the last replaced tag. `done` is the
    /// position up to which the file is written. Text and tags that are not replaced are copied
    /// with the next replaced tag, or by the caller.
    fn write_nodes(
        &mut self,
        view: &FileView<'f>,
        nodes: &'f [Node],
        done: &mut usize,
    ) -> WriteResult {
        for node in nodes {
            let names = self.files.list.get(view.file).map(JinjaFile::names);
            let output = names.and_then(|names| names.outputs_of_blocks.get(&node.span.start));
            let is_special =
                matches!(node.kind, NodeKind::OtherTemplate(_) | NodeKind::Block { .. });
            if !is_special && output.is_none() {
                for body in walk::bodies(node) {
                    self.write_nodes(view, body, done)?;
                }
                continue;
            }
            self.copy(view, TemplateSpan::new(*done, node.span.start));
            *done = node.span.end;
            match (&node.kind, output) {
                (NodeKind::OtherTemplate(other), _) => self.write_reference(view, node, other)?,
                (NodeKind::Block { tag, .. }, _) => self.write_block(view, node, &tag.name, 0)?,
                (_, Some(BlockOutput::OfName(name))) => self.write_block(view, node, name, 0)?,
                (_, Some(BlockOutput::Super)) => self.write_parent_block(view, node)?,
                (_, None) => {}
            }
            self.account.check_length(view.file, node.span, self.builder.len())?;
        }
        Ok(())
    }

    /// Writes the target of a tag that names another template.
    fn write_reference(
        &mut self,
        view: &FileView<'f>,
        node: &'f Node,
        other: &'f OtherTemplate,
    ) -> WriteResult {
        if let OtherTemplate::Extends { .. } = other {
            let message = "`extends` is not allowed here";
            let help = "write a single `extends` tag per file, outside of all blocks";
            return Err(self.account.unsupported(view.file, node.span, message, help));
        }
        let Some(target) = self.files.target(view.file, node.span.start) else {
            // A missing file that the tag ignores.
            let (left, right) = self.outer_signs(view, node);
            self.write_empty_block(view, node.span, left, right);
            return Ok(());
        };
        self.enter(view, node, target)?;
        match other {
            OtherTemplate::Include { .. } => self.write_include(view, node, target)?,
            OtherTemplate::Import { .. } | OtherTemplate::From { .. } => {
                self.write_module(view, node, target)?;
            }
            OtherTemplate::Extends { .. } => {}
        }
        self.open.pop();
        Ok(())
    }

    /// Writes an included file in a `with` block.
    fn write_include(&mut self, view: &FileView<'f>, node: &'f Node, target: usize) -> WriteResult {
        let (left, right) = self.outer_signs(view, node);
        let inner = self.capture(|writer| writer.write_template(target))?;
        // A role marker at the start or end of the file keeps its own line.
        let text = inner.text();
        let opening = if trimming_takes_one_break(text) { "-%}\n" } else { "%}" };
        let ends_in_marker = match_line(text.rsplit('\n').next().unwrap_or_default()).is_some();
        let closing = if ends_in_marker { "\n{%-" } else { "{%" };
        self.write_generated(view, &format!("{{%{left} with {opening}"), node.span);
        // A brace at the end of the file must not open a tag with the text after it.
        let copied = text.strip_suffix('{').unwrap_or(text);
        self.builder.copy(&inner, SourceSpan::new(0, copied.len()));
        if copied.len() < text.len() {
            let brace = SourceSpan::new(copied.len(), text.len());
            self.builder.write("{{ '{' }}", &inner, brace);
        }
        self.write_generated(view, &format!("{closing} endwith {right}%}}"), node.span);
        Ok(())
    }

    /// Writes a tag without output in place of a tag, only for its white-space signs.
    fn write_empty_block(
        &mut self,
        view: &FileView<'f>,
        cause: TemplateSpan,
        left: &str,
        right: &str,
    ) {
        self.write_generated(view, &format!("{{%{left} with %}}{{% endwith {right}%}}"), cause);
    }

    /// Writes the macros and variables of a module in place of the tag that imports it.
    fn write_module(&mut self, view: &FileView<'f>, node: &'f Node, target: usize) -> WriteResult {
        let Some(read) = self.files.list.get(target) else { return Ok(()) };
        if let Some((_, tag)) = read.extends() {
            let message = "an imported file cannot extend another";
            let help = "import the file that defines the macros";
            return Err(self.account.unsupported(target, tag.span, message, help));
        }
        let renamed = self.modules.renamed.get(&(view.file, node.span.start));
        let mut renamed = renamed.cloned().unwrap_or_default();
        // If this file is itself a module, the file that imports it may have renamed what it
        // imports. Such a name is a value of `renamed`, or has no entry there, because this file
        // keeps it. If `outer` has `b` -> `lib_b`, then `from "x" import a as b` gives `a` the
        // name `lib_b`, and `from "x" import b` gives it to `b`.
        if let Some(outer) = &view.renamed {
            renamed.values_mut().for_each(|new| {
                if let Some(newer) = outer.get(new) {
                    newer.clone_into(new);
                }
            });
            for name in read.names().top.keys() {
                if let (false, Some(newer)) = (renamed.contains_key(name), outer.get(name)) {
                    renamed.insert(name.clone(), newer.clone());
                }
            }
        }
        let chain = self.chain(target)?;
        let (left, right) = self.outer_signs(view, node);
        if !left.is_empty() {
            self.write_empty_block(view, node.span, left, "");
        }
        let inner = self.view_of_module(target, renamed, &chain);
        let nodes = in_order_of_use(read.names(), read.nodes());
        self.write_definitions(&inner, nodes.into_iter())?;
        if !right.is_empty() {
            self.write_empty_block(view, node.span, "", right);
        }
        Ok(())
    }

    /// Writes only the nodes that bind names, and no text. An `if` that binds names is written with
    /// all its branches.
    fn write_definitions(
        &mut self,
        view: &FileView<'f>,
        nodes: impl Iterator<Item = &'f Node>,
    ) -> WriteResult {
        for node in nodes {
            match &node.kind {
                NodeKind::Set { .. }
                | NodeKind::SetBlock { .. }
                | NodeKind::Macro(_)
                | NodeKind::Do(_) => self.write_without_outer_signs(view, node)?,
                NodeKind::OtherTemplate(other) => match &**other {
                    OtherTemplate::Include { .. } => {}
                    _ => self.write_reference(view, node, other)?,
                },
                NodeKind::If(branching) if is_definition(node) => {
                    for (index, (test, body)) in branching.branches.iter().enumerate() {
                        let keyword = if index == 0 { "{% if " } else { "{% elif " };
                        self.write_generated(view, keyword, node.span);
                        self.copy(view, test.span);
                        self.write_generated(view, " %}", node.span);
                        self.write_definitions(view, body.iter())?;
                    }
                    if let Some(body) = &branching.otherwise {
                        self.write_generated(view, "{% else %}", node.span);
                        self.write_definitions(view, body.iter())?;
                    }
                    self.write_generated(view, "{% endif %}", node.span);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes a node without its outer white-space signs, because its neighbors are not written.
    fn write_without_outer_signs(&mut self, view: &FileView<'f>, node: &'f Node) -> WriteResult {
        let (left, right) = self.outer_signs(view, node);
        let start = node.span.start + 2;
        self.copy(view, TemplateSpan::new(node.span.start, start));
        let mut done = start + left.len();
        for body in walk::bodies(node) {
            self.write_nodes(view, body, &mut done)?;
        }
        self.copy(view, TemplateSpan::new(done, node.span.end - 2 - right.len()));
        self.copy(view, TemplateSpan::new(node.span.end - 2, node.span.end));
        self.account.check_length(view.file, node.span, self.builder.len())
    }

    /// Writes a block in place of a node, as defined by the first file from `level` on. The level
    /// is that of the [`ExtendsChain`]: 0 for `block` and `self.name()`, and more for `super()`.
    ///
    /// `{% block b %}` and `{{ self.b() }}` both become `{% with %}`, the body of the definition,
    /// and `{% endwith %}`.
    fn write_block(
        &mut self,
        view: &FileView<'f>,
        node: &'f Node,
        name: &Name,
        level: usize,
    ) -> WriteResult {
        let (level, block) = self.find_block(view, node, &name.text, level)?;
        self.pay(view.file, node.span, block.node.span.end - block.node.span.start)?;
        self.check_scope(view, node, &block);
        if self.open.len() >= MAX_DEPTH {
            return self.report_too_deep(view, node, &name.text);
        }
        self.open.push(OpenItem::Block);
        let (left, right) = self.outer_signs(view, node);
        let own = self.files.text(block.file);
        // The outer signs are those of the node that is replaced, and the inner ones those of the
        // definition's own tags.
        let (opening, closing) = tags_of_block(own, block.node.span);
        let inside = TemplateSpan::new(opening.end, closing.start);
        let after_opening = right_sign(own, opening);
        let before_closing = left_sign(own, closing);
        self.write_generated(view, &format!("{{%{left} with {after_opening}%}}"), node.span);
        let mut inner = match block.file == view.file {
            true => view.clone(),
            false => self.view(block.file, &view.chain),
        };
        inner.block = Some((&block.tag.name, level));
        self.write_range(&inner, inside, block.body)?;
        self.write_generated(view, &format!("{{%{before_closing} endwith {right}%}}"), node.span);
        self.open.pop();
        Ok(())
    }

    /// Returns the first definition of a block from `level` on, with its level.
    fn find_block(
        &mut self,
        view: &FileView<'f>,
        node: &Node,
        name: &str,
        level: usize,
    ) -> Result<(usize, BlockDefinition<'f>), ReportedError> {
        let Some((level, block)) = view.chain.block(name, level) else {
            let names = view.chain.names_from(0);
            let message = format!("unknown block `{name}`");
            let help = match prompty_core::diagnostic::suggest(name, &names) {
                Some(similar) => format!("a block with a similar name exists: `{similar}`"),
                None => "define it with `{% block name %}`".to_owned(),
            };
            return Err(self.account.unsupported(view.file, node.span, message, help));
        };
        if block.tag.is_required {
            let message = format!("the required block `{name}` is not filled");
            let help = "define it in the file that extends this one, or remove `required`";
            return Err(self.account.unsupported(block.file, block.tag.name.span, message, help));
        }
        Ok((level, block))
    }

    /// Writes the definition that the current block overrides, for `super()`.
    fn write_parent_block(&mut self, view: &FileView<'f>, node: &'f Node) -> WriteResult {
        let Some((name, level)) = view.block else {
            let (message, help) = ("`super()` outside of a block", "write it in a block");
            return Err(self.account.unsupported(view.file, node.span, message, help));
        };
        let Name { text, .. } = name;
        if view.chain.block(text, level + 1).is_none() {
            let message =
                format!("`super()` in the block `{text}`, which overrides no other block");
            let help = "remove it, or define the block in the extended file";
            return Err(self.account.unsupported(view.file, node.span, message, help));
        }
        self.write_block(view, node, name, level + 1)
    }

    /// Reports names that are used in a block without `scoped`, and that a scope around the block
    /// binds, such as a loop. In Jinja2, a block does not see them, as `item` in
    /// `{% for item in items %}{% block b %}{{ item }}{% endblock %}{% endfor %}`. The assembled
    /// block is in the loop, so it would see `item`.
    fn check_scope(&mut self, view: &FileView<'f>, node: &Node, block: &BlockDefinition<'f>) {
        let Some(file) = self.files.list.get(view.file) else { return };
        let NodeKind::Block { tag, .. } = &node.kind else { return };
        let scope = file.names().scopes_of_blocks.get(&node.span.start).copied();
        let (Some(scope), Some(own)) = (scope, self.files.list.get(block.file)) else { return };
        // The count is 1 for the file's top scope, whose depth in `bound` is 0.
        let depth = file.names().scope_count(scope);
        if tag.is_scoped || depth == 1 {
            return;
        }
        let is_same = block.file == view.file;
        let outside = own.names().references_in(block.node.span).filter(|it| match it.bound {
            // In another file, these are the names from outside of all its scopes. In this file,
            // no scope around the block binds them, except for the top scope.
            None | Some(0) => !is_same,
            // In this file, a scope around the block binds the name if its depth is smaller.
            Some(bound) => is_same && bound < depth,
        });
        for reference in
            outside.filter(|it| file.names().binds_inside_of_file(scope, &it.name.text))
        {
            let name = &reference.name;
            let message = format!(
                "the variable `{}` is not available inside of the block `{}`",
                name.text, tag.name.text
            );
            let finding = Diagnostic::new(Code::UnknownInput, message)
                .with_span(name.span)
                .with_label("is bound outside of the block")
                .with_help(format!(
                    "write `{{% block {} scoped %}}` in `{}`",
                    tag.name.text, file.name
                ));
            self.account.report(block.file, finding);
        }
    }

    /// Pays for a file, and records that it is being written. Reports an error if it already is, or
    /// if too many files and blocks are nested.
    fn enter(&mut self, view: &FileView<'f>, node: &Node, target: usize) -> WriteResult {
        self.pay(view.file, node.span, self.files.text(target).len())?;
        let name = self.files.list.get(target).map_or("", |file| file.name.as_str());
        let first = self.open.iter().find_map(|open| match open {
            OpenItem::File { file, parent, tag } if *file == target => Some((*parent, *tag)),
            _ => None,
        });
        if let Some((parent, tag)) = first {
            let finding =
                Diagnostic::new(Code::UnsupportedConstruct, format!("`{name}` includes itself"))
                    .with_span(node.span)
                    .with_label("includes a file that contains this tag")
                    .with_help("to repeat text, write a loop, or a macro that calls itself")
                    .with_note(format!("first included at {}", self.place(parent, tag)));
            return Err(self.account.report(view.file, finding));
        }
        if self.open.len() >= MAX_DEPTH {
            return self.report_too_deep(view, node, name);
        }
        self.open.push(OpenItem::File { file: target, parent: view.file, tag: node.span });
        Ok(())
    }

    /// Counts the work of visiting `length` bytes for the tag at `span` in `file`.
    fn pay(&mut self, file: usize, span: TemplateSpan, length: usize) -> WriteResult {
        let paid = self.account.try_spend(span, length.saturating_add(TAG_WORK));
        let help = "import shared definitions once, in the outermost file";
        paid.map_err(|finding| self.account.report(file, finding.with_help(help)))
    }

    fn report_too_deep(&mut self, view: &FileView<'f>, node: &Node, name: &str) -> WriteResult {
        let message = format!("`{name}` is nested in more than {MAX_DEPTH} files and blocks");
        let help = "merge files that are always used together";
        Err(self.account.unsupported(view.file, node.span, message, help))
    }

    /// The place of a tag, for a message: `main:1:3`.
    fn place(&self, file: usize, tag: TemplateSpan) -> String {
        let source = self.files.source(file);
        source.map(|source| source.place(tag.start).to_string()).unwrap_or_default()
    }

    /// The white-space signs at the start and the end of a node.
    fn outer_signs(&self, view: &FileView<'f>, node: &Node) -> (&'f str, &'f str) {
        let text = self.files.text(view.file);
        (left_sign(text, node.span), right_sign(text, node.span))
    }

    /// Writes generated text in place of a tag.
    fn write_generated(&mut self, view: &FileView<'f>, text: &str, cause: TemplateSpan) {
        if let Some(source) = self.files.source(view.file) {
            self.builder.write(text, source, in_file(cause));
        }
    }

    /// Copies a range of a file with its replacements. Those outside of the range are skipped.
    fn copy(&mut self, view: &FileView<'f>, range: TemplateSpan) {
        let Some(source) = self.files.source(view.file) else { return };
        let mut done = range.start;
        let first = view.edits.partition_point(|(span, _)| span.start < range.start);
        for (span, new) in view.edits.iter().skip(first) {
            if span.start >= range.end {
                break;
            }
            self.builder.copy(source, in_file(TemplateSpan::new(done, span.start)));
            self.builder.write(new, source, in_file(*span));
            done = span.end;
        }
        if done < range.end {
            self.builder.copy(source, in_file(TemplateSpan::new(done, range.end)));
        }
    }
}
