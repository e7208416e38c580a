//! Writes the text that a template's files become.
//!
//! What a file includes stands in a `with` block: that has a scope of its own and takes over the signs of
//! white-space control. Nothing else of the files is changed but names of modules.

use std::collections::HashMap;
use std::rc::Rc;

use super::blocks::{Block, Family};
use super::dropped;
use super::files::Files;
use super::modules::Modules;
use super::names::{BlockOutput, binds};
use super::order::in_order_of_use;
use super::signs::{inner_tags, left_sign, right_sign};
use super::white_space::trimming_takes_one_break;
use crate::assembly::work::{Account, Reported, Written};
use crate::assembly::{FileFindings, MAX_DEPTH, TAG_WORK, in_file};
use crate::tree::{Node, NodeKind, OtherTemplate};
use crate::walk;
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};
use prompty_core::message::marker_line::match_line;

/// Writes the text of a template behind what stands in front of it in `source`; `None` where that cannot be.
pub(super) fn write(
    files: &Files,
    modules: &Modules,
    source: &SourceText,
    body: SourceSpan,
) -> (Option<SourceBuilder>, FileFindings) {
    let template = SourceBuilder::new(source.name());
    let mut writer = Writer {
        files,
        modules,
        builder: template,
        open: Vec::new(),
        families: HashMap::new(),
        edits: HashMap::new(),
        account: Account::default(),
    };
    let is_written = writer.template(0).is_ok();
    let template = writer.builder.finish();
    let mut builder = SourceBuilder::new(source.name());
    builder.copy(source, SourceSpan::new(0, body.start));
    builder.copy(&template, template.span());
    (is_written.then_some(builder), writer.account.findings)
}

/// What is being written.
enum Open {
    /// A file, and the tag that asked for it with the tag's own file.
    File {
        file: usize,
        asked_in: usize,
        tag: TemplateSpan,
    },
    Block,
}

/// What stands in the place of names, in order.
type Edits = Rc<[(TemplateSpan, String)]>;

/// How a file is looked at while it is written.
#[derive(Clone)]
struct View<'f> {
    file: usize,
    edits: Edits,
    /// The other names of what the file binds, where it is a module.
    renamed: Option<Rc<HashMap<String, String>>>,
    family: Rc<Family<'f>>,
    /// The block that is being written, and the level of its definition.
    block: Option<(&'f str, usize)>,
}

struct Writer<'f> {
    files: &'f Files,
    modules: &'f Modules,
    builder: SourceBuilder,
    open: Vec<Open>,
    /// What each file is made of that extends others, once it was asked for.
    families: HashMap<usize, Rc<Family<'f>>>,
    /// What stands in the place of names in each file that is no module, once it was asked for.
    edits: HashMap<usize, Edits>,
    account: Account,
}

impl<'f> Writer<'f> {
    /// Writes a template that stands for itself: what it extends, with its blocks.
    fn template(&mut self, file: usize) -> Written {
        let family = self.family(file)?;
        for (level, index) in family.files.iter().copied().enumerate() {
            let Some(read) = self.files.list.get(index) else { continue };
            self.pay(index, TemplateSpan::default(), read.source.text().len())?;
            let view = self.view(index, &family);
            let all = read.written(index == 0);
            let parts = read.extends().and_then(|(at, tag)| {
                let (before, rest) = read.template.nodes.split_at_checked(at)?;
                Some((before, tag, rest.split_first()?.1))
            });
            let Some((before, tag, behind)) = parts else {
                return self.behind(&view, all, &read.template.nodes);
            };
            self.behind(&view, TemplateSpan::new(all.start, tag.span.start), before)?;
            let left = left_sign(read.source.text(), tag.span);
            if tag.span.start > all.start && !left.is_empty() {
                self.write(&view, &format!("{{%{left} with %}}{{% endwith %}}"), tag.span);
            }

            self.silenced(&view, behind.iter())?;
            let dropped = dropped::find(self.files, index, behind, &family, level);
            dropped.into_iter().for_each(|finding| self.account.findings.push(index, finding));
        }
        Ok(())
    }

    /// Writes a range of a file behind what the files that extend it bind and write.
    fn behind(&mut self, view: &View<'f>, range: TemplateSpan, nodes: &'f [Node]) -> Written {
        if self.builder.is_empty() || range.start == range.end {
            return self.run(view, range, nodes);
        }
        let inside = self.inside(|writer| writer.run(view, range, nodes))?;
        // A role marker at the start of the file keeps its line; no tag takes white space of another file.
        let apart = match trimming_takes_one_break(inside.text()) {
            true => "{% with %}{% endwith -%}\n",
            false => "{% with %}{% endwith %}",
        };
        self.write(view, apart, TemplateSpan::new(range.start, range.start));
        self.builder.copy(&inside, inside.span());
        Ok(())
    }

    /// What is written into a text of its own.
    fn inside(&mut self, write: impl FnOnce(&mut Self) -> Written) -> Result<SourceText, Reported> {
        let outside = std::mem::replace(&mut self.builder, SourceBuilder::new(""));
        let written = write(self);
        let inside = std::mem::replace(&mut self.builder, outside).finish();
        written.map(|()| inside)
    }

    fn family(&mut self, file: usize) -> Result<Rc<Family<'f>>, Reported> {
        if let Some(known) = self.families.get(&file) {
            return Ok(Rc::clone(known));
        }
        match Family::new(self.files, file) {
            Ok(family) => {
                let family = Rc::new(family);
                self.families.insert(file, Rc::clone(&family));
                Ok(family)
            }
            Err(found) => {
                let (file, finding) = *found;
                Err(self.account.report(file, finding))
            }
        }
    }

    /// A file with its own names.
    fn view(&mut self, file: usize, family: &Rc<Family<'f>>) -> View<'f> {
        let members = self.modules.members.get(file).map(Vec::as_slice).unwrap_or_default();
        let edits = Rc::clone(self.edits.entry(file).or_insert_with(|| members.into()));
        View { file, edits, renamed: None, family: Rc::clone(family), block: None }
    }

    /// A module, of which some names are others in the text.
    fn view_of_module(
        &self,
        file: usize,
        renamed: HashMap<String, String>,
        family: &Rc<Family<'f>>,
    ) -> View<'f> {
        let members = self.modules.members.get(file).map(Vec::as_slice).unwrap_or_default();
        let mut edits = members.to_vec();
        if let Some(read) = self.files.list.get(file) {
            let bound = read.names.references.iter().filter(|it| it.bound == Some(0));
            let read_at = bound.map(|it| (it.name.text.as_str(), it.name.span));
            let bound_at = read.names.top.iter();
            let bound_at =
                bound_at.flat_map(|(name, spans)| spans.iter().map(|it| (name.as_str(), *it)));
            for (name, span) in read_at.chain(bound_at) {
                if let Some(new) = renamed.get(name) {
                    edits.push((span, new.clone()));
                }
            }
            edits.sort_by_key(|(span, _)| *span);
            edits.dedup();
        }
        let (edits, renamed) = (edits.into(), Some(Rc::new(renamed)));
        View { file, edits, renamed, family: Rc::clone(family), block: None }
    }

    /// Writes a range of a file; `nodes` are those in it.
    fn run(&mut self, view: &View<'f>, range: TemplateSpan, nodes: &'f [Node]) -> Written {
        let mut done = range.start;
        self.nodes(view, nodes, &mut done)?;
        self.copy(view, TemplateSpan::new(done, range.end));
        Ok(())
    }

    fn nodes(&mut self, view: &View<'f>, nodes: &'f [Node], done: &mut usize) -> Written {
        for node in nodes {
            let names = self.files.list.get(view.file).map(|file| &file.names);
            let output = names.and_then(|names| names.outputs_of_blocks.get(&node.span.start));
            let is_special =
                matches!(node.kind, NodeKind::OtherTemplate(_) | NodeKind::Block { .. });
            if !is_special && output.is_none() {
                for body in walk::bodies(node) {
                    self.nodes(view, body, done)?;
                }
                continue;
            }
            self.copy(view, TemplateSpan::new(*done, node.span.start));
            *done = node.span.end;
            match (&node.kind, output) {
                (NodeKind::OtherTemplate(other), _) => self.other(view, node, other)?,
                (NodeKind::Block { tag, .. }, _) => self.block(view, node, &tag.name.text, 0)?,
                (_, Some(BlockOutput::OfName(name))) => self.block(view, node, &name.text, 0)?,
                (_, _) => self.block_of_parent(view, node)?,
            }
            self.account.check_length(view.file, node.span, self.builder.len())?;
        }
        Ok(())
    }

    /// Writes what a tag names.
    fn other(&mut self, view: &View<'f>, node: &'f Node, other: &'f OtherTemplate) -> Written {
        if let OtherTemplate::Extends { .. } = other {
            let message = "`extends` stands where it cannot count";
            let help = "write one `extends` tag in a file, outside of all blocks";
            return Err(self.account.unsupported(view.file, node.span, message, help));
        }
        let text = self.text(view.file);
        let (left, right) = (left_sign(text, node.span), right_sign(text, node.span));
        let Some(target) = self.files.target(view.file, node.span.start) else {
            self.write(view, &format!("{{%{left} with %}}{{% endwith {right}%}}"), node.span);
            return Ok(());
        };
        self.enter(view, node, target)?;
        match other {
            OtherTemplate::Include { .. } => {
                let inside = self.inside(|writer| writer.template(target))?;
                // A role marker at an edge of the file keeps its line.
                let text = inside.text();
                let opening = if trimming_takes_one_break(text) { "-%}\n" } else { "%}" };
                let ends_in_marker =
                    match_line(text.rsplit('\n').next().unwrap_or_default()).is_some();
                let closing = if ends_in_marker { "\n{%-" } else { "{%" };
                self.write(view, &format!("{{%{left} with {opening}"), node.span);
                // A brace at the end of the file must not open a tag with what stands behind it.
                let copied = text.strip_suffix('{').unwrap_or(text);
                self.builder.copy(&inside, SourceSpan::new(0, copied.len()));
                if copied.len() < text.len() {
                    self.builder.write(
                        "{{ '{' }}",
                        &inside,
                        SourceSpan::new(copied.len(), text.len()),
                    );
                }
                self.write(view, &format!("{closing} endwith {right}%}}"), node.span);
            }
            OtherTemplate::Import { .. } | OtherTemplate::From { .. } => {
                self.module(view, node, target, (left, right))?;
            }
            OtherTemplate::Extends { .. } => {}
        }
        self.open.pop();
        Ok(())
    }

    /// Writes the macros and variables of a module.
    fn module(
        &mut self,
        view: &View<'f>,
        node: &'f Node,
        target: usize,
        (left, right): (&str, &str),
    ) -> Written {
        let Some(read) = self.files.list.get(target) else { return Ok(()) };
        if let Some((_, tag)) = read.extends() {
            let message = "a file whose macros are imported cannot extend another";
            let help = "import the file that defines the macros";
            return Err(self.account.unsupported(target, tag.span, message, help));
        }
        let renamed = self.modules.renamed.get(&(view.file, node.span.start));
        let mut renamed = renamed.cloned().unwrap_or_default();
        // What a module imports may have another name itself.
        if let Some(outer) = &view.renamed {
            renamed.values_mut().for_each(|new| {
                if let Some(newer) = outer.get(new) {
                    newer.clone_into(new);
                }
            });
            for name in read.names.top.keys() {
                if let (false, Some(newer)) = (renamed.contains_key(name), outer.get(name)) {
                    renamed.insert(name.clone(), newer.clone());
                }
            }
        }
        let family = self.family(target)?;
        if !left.is_empty() {
            self.write(view, &format!("{{%{left} with %}}{{% endwith %}}"), node.span);
        }
        let inner = self.view_of_module(target, renamed, &family);
        self.silenced(&inner, in_order_of_use(&read.names, &read.template.nodes).into_iter())?;
        if !right.is_empty() {
            self.write(view, &format!("{{% with %}}{{% endwith {right}%}}"), node.span);
        }
        Ok(())
    }

    /// Writes what binds names, and nothing that writes text.
    fn silenced(&mut self, view: &View<'f>, nodes: impl Iterator<Item = &'f Node>) -> Written {
        for node in nodes {
            match &node.kind {
                NodeKind::Set { .. }
                | NodeKind::SetBlock { .. }
                | NodeKind::Macro(_)
                | NodeKind::Do(_) => self.without_outer_signs(view, node)?,
                NodeKind::OtherTemplate(other) => match &**other {
                    OtherTemplate::Include { .. } => {}
                    _ => self.other(view, node, other)?,
                },
                NodeKind::If(branching) if binds(node) => {
                    for (index, (test, body)) in branching.branches.iter().enumerate() {
                        let keyword = if index == 0 { "{% if " } else { "{% elif " };
                        self.write(view, keyword, node.span);
                        self.copy(view, test.span);
                        self.write(view, " %}", node.span);
                        self.silenced(view, body.iter())?;
                    }
                    if let Some(body) = &branching.otherwise {
                        self.write(view, "{% else %}", node.span);
                        self.silenced(view, body.iter())?;
                    }
                    self.write(view, "{% endif %}", node.span);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes a node whose neighbours are not written, so that their white space is not controlled.
    fn without_outer_signs(&mut self, view: &View<'f>, node: &'f Node) -> Written {
        let text = self.text(view.file);
        let (left, right) = (left_sign(text, node.span), right_sign(text, node.span));
        let start = node.span.start + 2;
        self.copy(view, TemplateSpan::new(node.span.start, start));
        let mut done = start + left.len();
        for body in walk::bodies(node) {
            self.nodes(view, body, &mut done)?;
        }
        self.copy(view, TemplateSpan::new(done, node.span.end - 2 - right.len()));
        self.copy(view, TemplateSpan::new(node.span.end - 2, node.span.end));
        self.account.check_length(view.file, node.span, self.builder.len())
    }

    /// Writes the block of a name in the place of a node, as a file from `level` on defines it.
    fn block(&mut self, view: &View<'f>, node: &'f Node, name: &str, level: usize) -> Written {
        let Some((level, block)) = view.family.block(name, level) else {
            let names = view.family.names_from(0);
            let message = format!("there is no block `{name}`");
            let help = match prompty_core::diagnostic::suggest(name, &names) {
                Some(similar) => format!("a block with a similar name exists: `{similar}`"),
                None => "define it with `{% block name %}`".to_owned(),
            };
            return Err(self.account.unsupported(view.file, node.span, message, help));
        };
        if block.tag.is_required {
            let message = format!("the block `{name}` must be filled");
            let help = "define it in the file that extends this one, or leave `required` out";
            return Err(self.account.unsupported(block.file, block.tag.name.span, message, help));
        }
        self.pay(view.file, node.span, block.node.span.end - block.node.span.start)?;
        self.check_scope(view, node, &block);
        if self.open.len() >= MAX_DEPTH {
            return self.too_deep(view, node, name);
        }
        self.open.push(Open::Block);
        let (text, own) = (self.text(view.file), self.text(block.file));
        let (left, right) = (left_sign(text, node.span), right_sign(text, node.span));
        let (opening, closing) = inner_tags(own, block.node.span);
        let inside = TemplateSpan::new(opening.end, closing.start);
        let after_opening = right_sign(own, opening);
        let before_closing = left_sign(own, closing);
        self.write(view, &format!("{{%{left} with {after_opening}%}}"), node.span);
        let mut inner = match block.file == view.file {
            true => view.clone(),
            false => self.view(block.file, &view.family),
        };
        inner.block = Some((&block.tag.name.text, level));
        self.run(&inner, inside, block.body)?;
        self.write(view, &format!("{{%{before_closing} endwith {right}%}}"), node.span);
        self.open.pop();
        Ok(())
    }

    /// Writes the block that the block around an output replaces.
    fn block_of_parent(&mut self, view: &View<'f>, node: &'f Node) -> Written {
        let Some((name, level)) = view.block else {
            let (message, help) = ("`super()` outside of a block", "write it in a block");
            return Err(self.account.unsupported(view.file, node.span, message, help));
        };
        if view.family.block(name, level + 1).is_none() {
            let message =
                format!("the block `{name}` replaces none, so `super()` has nothing to write");
            let help = "leave it out, or define the block in the extended file";
            return Err(self.account.unsupported(view.file, node.span, message, help));
        }
        self.block(view, node, name, level + 1)
    }

    /// A block sees no names of the loops around it unless it says so.
    fn check_scope(&mut self, view: &View<'f>, node: &Node, block: &Block<'f>) {
        let Some(file) = self.files.list.get(view.file) else { return };
        let NodeKind::Block { tag, .. } = &node.kind else { return };
        let scope = file.names.scopes_of_blocks.get(&node.span.start).copied();
        let (Some(scope), Some(own)) = (scope, self.files.list.get(block.file)) else { return };
        let depth = file.names.depth(scope);
        if tag.is_scoped || depth == 1 {
            return;
        }
        let is_same = block.file == view.file;
        let outside = own.names.references_in(block.node.span).filter(|it| match it.bound {
            None | Some(0) => !is_same,
            Some(bound) => is_same && bound < depth,
        });
        for reference in outside.filter(|it| file.names.binds_inside_of_file(scope, &it.name.text))
        {
            let name = &reference.name;
            let message = format!("the block `{}` does not see `{}`", tag.name.text, name.text);
            let finding = Diagnostic::new(Code::UnknownInput, message)
                .with_span(name.span)
                .with_label("is bound around the block")
                .with_help(format!(
                    "write `{{% block {} scoped %}}` in `{}`",
                    tag.name.text, file.name
                ));
            self.account.report(block.file, finding);
        }
    }

    /// Notes that a file is being written.
    fn enter(&mut self, view: &View<'f>, node: &Node, target: usize) -> Written {
        self.pay(view.file, node.span, self.text(target).len())?;
        let name = self.files.list.get(target).map_or("", |file| file.name.as_str());
        let first = self.open.iter().find_map(|open| match open {
            Open::File { file, asked_in, tag } if *file == target => Some((*asked_in, *tag)),
            _ => None,
        });
        if let Some((asked_in, tag)) = first {
            let finding =
                Diagnostic::new(Code::UnsupportedConstruct, format!("`{name}` includes itself"))
                    .with_span(node.span)
                    .with_label("asks for a file that is being written")
                    .with_help("for text that repeats, write a loop, or a macro that calls itself")
                    .with_note(format!("the file was asked for at {}", self.place(asked_in, tag)));
            return Err(self.account.report(view.file, finding));
        }
        if self.open.len() >= MAX_DEPTH {
            let name = name.to_owned();
            return self.too_deep(view, node, &name);
        }
        self.open.push(Open::File { file: target, asked_in: view.file, tag: node.span });
        Ok(())
    }

    /// Pays for going through so many bytes, for the tag in `file` at `span`.
    fn pay(&mut self, file: usize, span: TemplateSpan, length: usize) -> Written {
        let paid = self.account.try_spend(span, length.saturating_add(TAG_WORK));
        let help = "import what several files use once, in the outermost file";
        paid.map_err(|finding| self.account.report(file, finding.with_help(help)))
    }

    fn too_deep(&mut self, view: &View<'f>, node: &Node, name: &str) -> Written {
        let message = format!("`{name}` stands in more than {MAX_DEPTH} files and blocks");
        let help = "put files together that are always used together";
        Err(self.account.unsupported(view.file, node.span, message, help))
    }

    fn place(&self, file: usize, tag: TemplateSpan) -> String {
        let file = self.files.list.get(file);
        file.map(|file| file.source.place(tag.start).to_string()).unwrap_or_default()
    }

    fn text(&self, file: usize) -> &'f str {
        self.files.list.get(file).map_or("", |file| file.source.text())
    }

    /// Writes a text that no file has, in the place of a tag.
    fn write(&mut self, view: &View<'f>, text: &str, cause: TemplateSpan) {
        if let Some(file) = self.files.list.get(view.file) {
            self.builder.write(text, &file.source, in_file(cause));
        }
    }

    /// Copies a range of a file, with the names that it gets.
    fn copy(&mut self, view: &View<'f>, range: TemplateSpan) {
        let Some(file) = self.files.list.get(view.file) else { return };
        let mut done = range.start;
        let first = view.edits.partition_point(|(span, _)| span.start < range.start);
        for (span, new) in view.edits.iter().skip(first) {
            if span.start >= range.end {
                break;
            }
            self.builder.copy(&file.source, in_file(TemplateSpan::new(done, span.start)));
            self.builder.write(new, &file.source, in_file(*span));
            done = span.end;
        }
        if done < range.end {
            self.builder.copy(&file.source, in_file(TemplateSpan::new(done, range.end)));
        }
    }
}
