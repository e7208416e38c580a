//! From the tree of a template to what its bodies write: texts, tags, entities, values, and ways through
//! blocks.
//!
//! A tag is read where the author wrote it as literal text of one body. Values may stand in its attributes,
//! blocks may not.

use std::collections::HashSet;
use std::ops::Range;

use super::names::{Bound, ItemNames, item_names};
use super::words::MESSAGE;
use super::written::Written;
use crate::message_tags::syntax::{
    CDATA, COMMENT, Element, INSTRUCTION, TagForm, TagProblem, decode_entities, read_entity,
    read_tag,
};
use crate::tree::{Call, ContextKind, Expr, ExprKind, Node, NodeKind};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;
use prompty_core::work::add_steps;

/// What a list of nodes writes, in order.
#[derive(Debug, Default)]
pub(super) struct Body<'t> {
    pub(super) items: Vec<Item<'t>>,
}

/// A piece of what a body writes.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Literal text without tags, or text that cannot have any.
    Text(TemplateSpan),
    Tag(FoundTag),
    /// What begins like a tag of ours, or like CDATA or a comment, and is none.
    Broken(Broken),
    /// An entity such as `&lt;`.
    Entity(TemplateSpan),
    /// A comment, or what opens or closes one, or what opens or closes CDATA.
    Dropped(TemplateSpan),
    /// An instruction of XML, such as `<?xml version="1.0"?>`.
    Instruction(TemplateSpan),
    /// What an expression prints, and whether that is an item of a list or a part of one, which is neither a
    /// thread nor a medium.
    Value {
        expr: &'t Expr,
        is_item: bool,
    },
    /// `{{ message("user") }}`.
    Call(&'t Node, &'t Call),
    /// A block that writes one of its bodies, or one several times.
    Ways(Ways<'t>),
    /// `{% call message("user") %}…{% endcall %}`.
    MessageBlock(&'t Node, &'t Call, Body<'t>),
    /// A partial that names itself, with its number.
    Partial {
        number: usize,
        span: TemplateSpan,
        mode: Mode,
        body: Body<'t>,
    },
    /// The partial of a number once more, in itself.
    Recursion {
        number: usize,
        span: TemplateSpan,
        mode: Mode,
    },
    /// A block that catches what its bodies write.
    Captured {
        bodies: Vec<Body<'t>>,
        is_written: bool,
    },
}

/// The bodies of a block.
#[derive(Debug)]
pub(super) struct Ways<'t> {
    pub(super) span: TemplateSpan,
    pub(super) bodies: Vec<Body<'t>>,
    /// Whether the first body may be written several times.
    pub(super) repeats: bool,
    /// Whether perhaps none of the bodies is written.
    pub(super) may_skip: bool,
}

/// A tag with its place in the template.
#[derive(Debug)]
pub(super) struct FoundTag {
    pub(super) span: TemplateSpan,
    pub(super) name: String,
    /// Where the name stands.
    pub(super) name_span: TemplateSpan,
    /// The element, if it is one that has a meaning.
    pub(super) element: Option<Element>,
    pub(super) form: TagForm,
    pub(super) attributes: Vec<FoundAttribute>,
}

#[derive(Debug)]
pub(super) struct FoundAttribute {
    pub(super) name: String,
    /// The value, if no expression is in it.
    pub(super) value: Option<String>,
    /// Where the name stands.
    pub(super) span: TemplateSpan,
}

/// What is no tag.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) span: TemplateSpan,
    pub(super) what: BrokenKind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum BrokenKind {
    Tag(Element, TagProblem),
    /// A block stands in the tag.
    Block(Element),
    Cdata,
    Comment,
}

/// What a text stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Markup,
    /// All is text.
    Cdata,
    /// Nothing counts.
    Comment,
}

/// What the root of a template writes.
pub(super) struct Root<'t> {
    pub(super) body: Body<'t>,
    /// The names of the calls that mark messages.
    pub(super) calls: HashSet<TemplateSpan>,
}

/// Reads what the nodes of a template write.
pub(super) fn read<'t>(text: &'t str, nodes: &'t [Node]) -> Root<'t> {
    let mut known = Known::default();
    let body = read_body(text, nodes, Bound::of_root(nodes), Mode::Markup, &mut known);
    Root { body, calls: known.calls }
}

/// What is known of names and calls while a template is read.
#[derive(Default)]
struct Known<'t> {
    /// The names of the calls that mark messages.
    calls: HashSet<TemplateSpan>,
    /// The names of the items of the loops around.
    items: ItemNames<'t>,
}

/// Reads what nodes write that stand in a `mode`.
fn read_body<'t>(
    text: &'t str,
    nodes: &'t [Node],
    bound: Bound,
    mode: Mode,
    known: &mut Known<'t>,
) -> Body<'t> {
    let mut reader = Reader {
        text,
        nodes,
        bound,
        index: 0,
        at: 0,
        around: mode,
        mode,
        endless: [false; 2],
        no_instruction_before: 0,
        known,
        items: Vec::with_capacity(nodes.len()),
    };
    while let Some(node) = nodes.get(reader.index) {
        reader.index += 1;
        reader.node(node);
    }
    Body { items: reader.items }
}

struct Reader<'t, 'r> {
    text: &'t str,
    nodes: &'t [Node],
    /// The names that the template has bound here.
    bound: Bound,
    /// The node behind the one at hand.
    index: usize,
    /// What stands before this has been read.
    at: usize,
    /// What the whole body stands in.
    around: Mode,
    /// What the text at hand stands in.
    mode: Mode,
    /// Whether CDATA, or a comment, is known to have no end behind the place at hand.
    endless: [bool; 2],
    /// Up to this place no instruction ends.
    no_instruction_before: usize,
    known: &'r mut Known<'t>,
    items: Vec<Item<'t>>,
}

impl<'t> Reader<'t, '_> {
    fn node(&mut self, node: &'t Node) {
        match &node.kind {
            NodeKind::Text(_) => self.literal(node.span),
            NodeKind::Output(expr) => self.output(node, expr),
            NodeKind::If(branching) => {
                let bodies = branching.branches.iter().map(|(_, body)| body.as_slice());
                let bodies = bodies.chain(branching.otherwise.as_deref()).collect();
                self.ways(node, bodies, false, branching.otherwise.is_none());
            }
            NodeKind::For(repeated) if repeated.recursive => {
                self.captured(node, vec![&repeated.body, &repeated.otherwise], true);
            }
            NodeKind::For(repeated) => {
                self.ways(node, vec![&repeated.body, &repeated.otherwise], true, false);
            }
            NodeKind::Section(section) => {
                self.ways(node, vec![&section.body], !section.inverted, true);
            }
            NodeKind::Context(block) => {
                let repeats = block.kind != ContextKind::With;
                self.ways(node, vec![&block.body, &block.otherwise], repeats, false);
            }
            NodeKind::RecursivePartial(partial) => {
                let body = self.body(node, &partial.body);
                let (number, span, mode) = (partial.number, node.span, self.mode);
                self.items.push(Item::Partial { number, span, mode, body });
            }
            NodeKind::Recursion { number, .. } => {
                let (number, span, mode) = (*number, node.span, self.mode);
                self.items.push(Item::Recursion { number, span, mode });
            }
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => {
                self.ways(node, vec![body], false, false);
            }
            NodeKind::CallBlock { call, caller } => match self.marking(call, opens_message) {
                Some(call) => {
                    let body = self.body(node, &caller.body);
                    self.items.push(Item::MessageBlock(node, call, body));
                }
                None => self.captured(node, vec![&caller.body], true),
            },
            NodeKind::FilterBlock { body, .. } => self.captured(node, vec![body], true),
            NodeKind::SetBlock { body, .. } => self.captured(node, vec![body], false),
            NodeKind::Macro(declared) => self.captured(node, vec![&declared.body], false),
            NodeKind::Set { .. }
            | NodeKind::Do(_)
            | NodeKind::Indentation
            | NodeKind::Break
            | NodeKind::Continue
            | NodeKind::OtherTemplate(_)
            | NodeKind::Partial => {}
        }
    }

    fn output(&mut self, node: &'t Node, expr: &'t Expr) {
        match self.marking(expr, is_message) {
            Some(call) => self.items.push(Item::Call(node, call)),
            None if self.mode == Mode::Comment => {}
            None => {
                let is_item = self.known.items.has(expr);
                self.items.push(Item::Value { expr, is_item });
            }
        }
    }

    /// The call that an expression is, if it marks a message. In CDATA and in comments none does.
    fn marking(&mut self, expr: &'t Expr, marks: impl Fn(&Call) -> bool) -> Option<&'t Call> {
        let call = call_of(expr)?;
        let is_marking =
            self.mode == Mode::Markup && marks(call) && !self.bound.has(&call.name.text);
        if is_marking {
            self.known.calls.insert(call.name.span);
        }
        is_marking.then_some(call)
    }

    fn body(&mut self, node: &'t Node, body: &'t [Node]) -> Body<'t> {
        let items = item_names(node);
        self.known.items.enter(&items);
        let body = read_body(self.text, body, self.bound.within(node), self.mode, self.known);
        self.known.items.leave(&items);
        body
    }

    fn bodies(&mut self, node: &'t Node, bodies: Vec<&'t [Node]>) -> Vec<Body<'t>> {
        bodies.into_iter().map(|body| self.body(node, body)).collect()
    }

    fn ways(&mut self, node: &'t Node, bodies: Vec<&'t [Node]>, repeats: bool, may_skip: bool) {
        let bodies = self.bodies(node, bodies);
        self.items.push(Item::Ways(Ways { span: node.span, bodies, repeats, may_skip }));
    }

    fn captured(&mut self, node: &'t Node, bodies: Vec<&'t [Node]>, is_written: bool) {
        // What is caught is written elsewhere, so a comment around it does not count for it.
        let is_written = is_written && self.mode != Mode::Comment;
        let bodies = self.bodies(node, bodies);
        self.items.push(Item::Captured { bodies, is_written });
    }

    /// Reads a literal text, from where reading has stopped.
    fn literal(&mut self, span: TemplateSpan) {
        let end = span.end;
        let mut start = self.at.max(span.start);
        let mut search = start;
        // CDATA and comments end in the body in which they begin.
        if self.around != Mode::Markup {
            return self.push_text(start, end);
        }
        while let Some(piece) = self.piece(search..end) {
            if self.mode != Mode::Markup {
                let [_, closing] = if self.mode == Mode::Cdata { CDATA } else { COMMENT };
                let Some(at) = find(piece, closing) else { break };
                self.push_text(start, search + at);
                start = search + at + closing.len();
                self.items.push(Item::Dropped(TemplateSpan::new(start - closing.len(), start)));
                (search, self.mode) = (start, Mode::Markup);
                continue;
            }
            let Some(at) = piece.find(['<', '&']) else { break };
            let place = search + at;
            let Some(rest) = self.piece(place..end) else { break };
            match self.markup(rest, place, end) {
                Found::Nothing(length) => search = place + length,
                Found::Opening(mode, length) => {
                    self.push_text(start, place);
                    start = place + length;
                    self.items.push(Item::Dropped(TemplateSpan::new(place, start)));
                    (search, self.mode) = (start, mode);
                }
                Found::Item(item, length) => {
                    self.push_text(start, place);
                    self.items.push(item);
                    start = place + length;
                    search = start;
                    // A tag with values in it ends in another text.
                    if start > end {
                        self.at = start;
                        let passed = self.nodes.iter().skip(self.index);
                        self.index += passed.take_while(|node| node.span.end < start).count();
                        return;
                    }
                }
            }
        }
        self.push_text(start, end);
    }

    fn piece(&self, range: Range<usize>) -> Option<&'t str> {
        self.text.get(range).filter(|piece| !piece.is_empty())
    }

    fn push_text(&mut self, start: usize, end: usize) {
        if start < end && self.mode != Mode::Comment {
            self.items.push(Item::Text(TemplateSpan::new(start, end)));
        }
    }

    /// What stands at a place that may begin markup. `rest` goes on to the end of its literal text.
    fn markup(&mut self, rest: &'t str, place: usize, end: usize) -> Found<'t> {
        let span = |length: usize| TemplateSpan::new(place, place + length);
        if rest.starts_with('&') {
            return match read_entity(rest) {
                Some((_, behind)) => {
                    let length = rest.len() - behind.len();
                    Found::Item(Item::Entity(span(length)), length)
                }
                None => Found::Nothing(1),
            };
        }
        for (index, [opening, closing]) in [CDATA, COMMENT].into_iter().enumerate() {
            let Some(behind) = rest.strip_prefix(opening) else { continue };
            let is_comment = index == 1;
            let length = opening.len();
            let is_endless = self.endless.get(index).copied().unwrap_or(true);
            if is_comment
                && !is_endless
                && let Some(at) = find(behind, closing)
            {
                let length = length + at + closing.len();
                return Found::Item(Item::Dropped(span(length)), length);
            }
            if is_endless || !self.ends(index, closing, place + length) {
                let what = if is_comment { BrokenKind::Comment } else { BrokenKind::Cdata };
                return Found::Item(Item::Broken(Broken { span: span(length), what }), length);
            }
            return Found::Opening(if is_comment { Mode::Comment } else { Mode::Cdata }, length);
        }
        let [opening, closing] = INSTRUCTION;
        if let Some(behind) = rest.strip_prefix(opening) {
            if place < self.no_instruction_before {
                return Found::Nothing(opening.len());
            }
            return match find(behind, closing) {
                Some(at) => {
                    let length = opening.len() + at + closing.len();
                    Found::Item(Item::Instruction(span(length)), length)
                }
                None => {
                    self.no_instruction_before = end;
                    Found::Nothing(opening.len())
                }
            };
        }
        self.tag(rest, place)
    }

    /// Whether CDATA or a comment that has been opened ends in this body.
    fn ends(&mut self, index: usize, closing: &str, from: usize) -> bool {
        let texts = self.nodes.iter().skip(self.index.saturating_sub(1));
        let mut texts = texts.filter(|node| matches!(node.kind, NodeKind::Text(_)));
        let ends = texts.any(|node| {
            let rest = self.text.get(from.max(node.span.start)..node.span.end);
            rest.is_some_and(|rest| find(rest, closing).is_some())
        });
        if let (false, Some(endless)) = (ends, self.endless.get_mut(index)) {
            *endless = true;
        }
        ends
    }

    fn tag(&self, rest: &'t str, place: usize) -> Found<'t> {
        let mut written = Written::in_text(rest, place);
        if let Err(broken) = read_tag(rest)
            && broken.problem == TagProblem::NoEnd
            && rest.rfind('<') == Some(0)
        {
            let behind = self.nodes.iter().skip(self.index);
            written = Written::over_nodes(rest, place, self.text, behind);
        }
        match read_tag(&written.text) {
            Ok(tag) => {
                let name_start = if tag.form == TagForm::Closing { 2 } else { 1 };
                let part = |start: usize, length: usize| {
                    TemplateSpan::new(written.place(start), written.end(start + length))
                };
                let attributes = tag.attributes.iter().map(|attribute| {
                    let has_value = written.has_value(attribute.start..attribute.end());
                    FoundAttribute {
                        name: attribute.name.to_owned(),
                        value: (!has_value).then(|| decode_entities(attribute.value).into_owned()),
                        span: part(attribute.start, attribute.name.len()),
                    }
                });
                let span = part(0, tag.length);
                let found = FoundTag {
                    span,
                    name: tag.name.to_owned(),
                    name_span: part(name_start, tag.name.len()),
                    element: Element::from_name(tag.name),
                    form: tag.form,
                    attributes: attributes.collect(),
                };
                Found::Item(Item::Tag(found), span.end - place)
            }
            Err(broken) => match Element::from_name(broken.name) {
                Some(element) => {
                    let what = match written.has_block && broken.problem == TagProblem::NoEnd {
                        true => BrokenKind::Block(element),
                        false => BrokenKind::Tag(element, broken.problem),
                    };
                    let length =
                        1 + broken.name.len() + usize::from(written.text.starts_with("</"));
                    let span = TemplateSpan::new(place, written.end(length));
                    Found::Item(Item::Broken(Broken { span, what }), span.end - place)
                }
                None => Found::Nothing(1),
            },
        }
    }
}

/// Finds one text in another, and counts the work.
fn find(text: &str, sought: &str) -> Option<usize> {
    let at = text.find(sought);
    add_steps(at.unwrap_or(text.len()));
    at
}

/// What stands at a place, and how many bytes it takes up.
enum Found<'t> {
    Nothing(usize),
    /// What opens CDATA or a comment, whose end may stand in another text.
    Opening(Mode, usize),
    Item(Item<'t>, usize),
}

fn call_of(expr: &Expr) -> Option<&Call> {
    match &expr.kind {
        ExprKind::Function(call) => Some(call),
        // A filter that nobody wrote is the escaping of an output.
        ExprKind::Filter { value, .. } if value.span == expr.span => match &value.kind {
            ExprKind::Function(call) => Some(call),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a call marks where a message begins or ends.
pub(crate) fn is_message(call: &Call) -> bool {
    call.name.text == MESSAGE
}

/// Whether the call of a block makes a message of it: `message`, or a role such as `system`.
pub(crate) fn opens_message(call: &Call) -> bool {
    is_message(call) || role_of_block(call).is_some()
}

/// The role of a block that is named after one.
pub(super) fn role_of_block(call: &Call) -> Option<Role> {
    super::words::ROLES.into_iter().find(|role| role.as_str() == call.name.text)
}
