//! Converts the tree of a template into the items that its bodies write: texts, tags, entities,
//! values, and alternatives of blocks.
//!
//! A tag is recognised if the author wrote it as literal text of one body. Its attributes may
//! contain values, but not blocks. For example,
//! `<message role="user">Hi &amp; {{ name }}</message>` becomes a tag, a text, an entity, a text, a
//! value, and a tag.
//!
//! [`BodyReader::node`] reads one node. Within a literal text, [`BodyReader::literal`] searches for
//! `<` and `&`, and [`BodyReader::markup`] determines what begins there.

use std::collections::HashSet;
use std::ops::Range;

use super::names::{BoundNames, ItemNames, item_names};
use super::roles::MESSAGE;
use super::tag_text::TagText;
use crate::message_tags::syntax::{
    CDATA, COMMENT, Element, INSTRUCTION, Tag, TagForm, TagProblem, decode_entities, read_entity,
    read_tag,
};
use crate::tree::{Call, ContextKind, Expr, ExprKind, Node, NodeKind};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::Role;
use prompty_core::work::add_steps;

/// The items that a list of nodes writes, in order.
#[derive(Debug, Default)]
pub(super) struct Body<'t> {
    pub(super) items: Vec<Item<'t>>,
}

/// One item of a body.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Literal text that contains no tags.
    Text(TemplateSpan),
    Tag(FoundTag),
    /// Text that begins like a message tag, CDATA or a comment, but is invalid.
    InvalidMarkup(InvalidMarkup),
    /// An entity such as `&lt;`.
    Entity(TemplateSpan),
    /// A comment, or the beginning or end of a comment or of CDATA.
    Dropped(TemplateSpan),
    /// An XML processing instruction, such as `<?xml version="1.0"?>`.
    Instruction(TemplateSpan),
    /// The output of an expression. `is_item` is true if it is an item of a list or a part of an
    /// item, which is neither a thread nor media.
    Value {
        expr: &'t Expr,
        is_item: bool,
    },
    /// `{{ message("user") }}`.
    Call(&'t Node, &'t Call),
    /// A block that writes one of its bodies, or one of them several times.
    Alternatives(Alternatives<'t>),
    /// `{% call message("user") %}…{% endcall %}`.
    MessageBlock(&'t Node, &'t Call, Body<'t>),
    /// A partial that includes itself, with its number.
    Partial {
        number: usize,
        span: TemplateSpan,
        mode: MarkupMode,
        body: Body<'t>,
    },
    /// A nested occurrence of the partial with this number.
    Recursion {
        number: usize,
        span: TemplateSpan,
        mode: MarkupMode,
    },
    /// A block that captures the output of its bodies.
    Captured {
        bodies: Vec<Body<'t>>,
        is_written: bool,
    },
}

/// The bodies of a block.
#[derive(Debug)]
pub(super) struct Alternatives<'t> {
    pub(super) span: TemplateSpan,
    pub(super) bodies: Vec<Body<'t>>,
    /// Whether the first body may be written several times.
    pub(super) repeats: bool,
    /// Whether possibly none of the bodies is written.
    pub(super) may_skip: bool,
}

/// A tag with its place in the template.
#[derive(Debug)]
pub(super) struct FoundTag {
    pub(super) span: TemplateSpan,
    pub(super) name: String,
    /// The span of the name.
    pub(super) name_span: TemplateSpan,
    /// The element, if the name is that of a known one.
    pub(super) element: Option<Element>,
    pub(super) form: TagForm,
    pub(super) attributes: Vec<FoundAttribute>,
}

/// An attribute of a tag.
#[derive(Debug)]
pub(super) struct FoundAttribute {
    pub(super) name: String,
    /// The value, if it contains no expression.
    pub(super) value: Option<String>,
    /// The span of the name.
    pub(super) span: TemplateSpan,
}

/// Text that begins like markup, but is invalid.
#[derive(Debug)]
pub(super) struct InvalidMarkup {
    pub(super) span: TemplateSpan,
    pub(super) kind: InvalidMarkupKind,
}

/// The reason why markup is invalid.
#[derive(Debug, Clone, Copy)]
pub(super) enum InvalidMarkupKind {
    /// A tag that cannot be read.
    Tag(Element, TagProblem),
    /// The tag contains a block.
    Block(Element),
    /// CDATA that does not end in the body.
    Cdata,
    /// A comment that does not end in the body.
    Comment,
}

/// The markup context of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkupMode {
    Markup,
    /// Everything is text.
    Cdata,
    /// Everything is ignored.
    Comment,
}

impl MarkupMode {
    /// Returns the strings that begin and end the context.
    fn delimiters(self) -> [&'static str; 2] {
        if self == Self::Comment { COMMENT } else { CDATA }
    }
}

/// The body of a template's root.
pub(super) struct RootBody<'t> {
    pub(super) body: Body<'t>,
    /// The spans of the names of the calls that mark messages.
    pub(super) calls: HashSet<TemplateSpan>,
}

/// Reads the items that the nodes of a template write.
pub(super) fn read<'t>(text: &'t str, nodes: &'t [Node]) -> RootBody<'t> {
    let mut known = KnownNames::default();
    let body = read_body(text, nodes, BoundNames::of_root(nodes), MarkupMode::Markup, &mut known);
    RootBody { body, calls: known.calls }
}

/// Names and calls that are known while a template is read.
#[derive(Default)]
struct KnownNames<'t> {
    /// The spans of the names of the calls that mark messages.
    calls: HashSet<TemplateSpan>,
    /// The item names of the enclosing loops.
    items: ItemNames<'t>,
}

/// Reads the items that nodes write in a markup context.
fn read_body<'t>(
    text: &'t str,
    nodes: &'t [Node],
    bound: BoundNames,
    mode: MarkupMode,
    known: &mut KnownNames<'t>,
) -> Body<'t> {
    let mut reader = BodyReader {
        text,
        nodes,
        bound,
        index: 0,
        at: 0,
        outer_mode: mode,
        mode,
        unclosed: Vec::new(),
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

/// Reads the nodes of one body.
struct BodyReader<'t, 'r> {
    text: &'t str,
    nodes: &'t [Node],
    /// The names that the template has bound here.
    bound: BoundNames,
    /// The index of the next node.
    index: usize,
    /// The position before which everything has been read.
    at: usize,
    /// The markup context of the complete body.
    outer_mode: MarkupMode,
    /// The markup context at the current position.
    mode: MarkupMode,
    /// The contexts, CDATA or comment, that are known not to end after the current position.
    unclosed: Vec<MarkupMode>,
    /// No instruction ends before this position.
    no_instruction_before: usize,
    known: &'r mut KnownNames<'t>,
    items: Vec<Item<'t>>,
}

impl<'t> BodyReader<'t, '_> {
    fn node(&mut self, node: &'t Node) {
        match &node.kind {
            NodeKind::Text(_) => self.literal(node.span),
            NodeKind::Output(expr) => self.output(node, expr),
            NodeKind::If(branching) => {
                self.push_alternatives(
                    node,
                    Repeats(false),
                    MaySkip(branching.otherwise.is_none()),
                );
            }
            NodeKind::For(repeated) if repeated.recursive => self.push_captured(node, true),
            // Without an `else`, its other body is empty.
            NodeKind::For(_) => self.push_alternatives(node, Repeats(true), MaySkip(false)),
            NodeKind::Section(section) => {
                self.push_alternatives(node, Repeats(!section.inverted), MaySkip(true));
            }
            NodeKind::Context(block) => {
                let repeats = Repeats(block.kind != ContextKind::With);
                self.push_alternatives(node, repeats, MaySkip(false));
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
            NodeKind::With { .. } | NodeKind::Scope { .. } | NodeKind::Block { .. } => {
                self.push_alternatives(node, Repeats(false), MaySkip(false));
            }
            NodeKind::CallBlock { call, caller } => {
                match self.take_marking_call(call, opens_message) {
                    Some(call) => {
                        let body = self.body(node, &caller.body);
                        self.items.push(Item::MessageBlock(node, call, body));
                    }
                    None => self.push_captured(node, true),
                }
            }
            NodeKind::FilterBlock { .. } => self.push_captured(node, true),
            NodeKind::SetBlock { .. } | NodeKind::Macro(_) => self.push_captured(node, false),
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
        match self.take_marking_call(expr, is_message) {
            Some(call) => self.items.push(Item::Call(node, call)),
            None if self.mode == MarkupMode::Comment => {}
            None => {
                let is_item = self.known.items.has(expr);
                self.items.push(Item::Value { expr, is_item });
            }
        }
    }

    /// Takes the call of an expression that marks a message: returns it, and records its name.
    /// CDATA and comments have no such calls.
    fn take_marking_call(
        &mut self,
        expr: &'t Expr,
        marks: impl Fn(&Call) -> bool,
    ) -> Option<&'t Call> {
        let is_marking = |call: &&Call| {
            self.mode == MarkupMode::Markup && marks(call) && !self.bound.has(&call.name.text)
        };
        let call = call_of(expr).filter(is_marking)?;
        self.known.calls.insert(call.name.span);
        Some(call)
    }

    /// Reads one of the bodies of a node.
    fn body(&mut self, node: &'t Node, nodes: &'t [Node]) -> Body<'t> {
        let items = item_names(node);
        self.known.items.enter(&items);
        let body = read_body(self.text, nodes, self.bound.within(node), self.mode, self.known);
        self.known.items.leave(&items);
        body
    }

    fn bodies(&mut self, node: &'t Node) -> Vec<Body<'t>> {
        walk::bodies(node).into_iter().map(|body| self.body(node, body)).collect()
    }

    fn push_alternatives(&mut self, node: &'t Node, repeats: Repeats, may_skip: MaySkip) {
        let (Repeats(repeats), MaySkip(may_skip)) = (repeats, may_skip);
        let bodies = self.bodies(node);
        let alternatives = Alternatives { span: node.span, bodies, repeats, may_skip };
        self.items.push(Item::Alternatives(alternatives));
    }

    fn push_captured(&mut self, node: &'t Node, is_written: bool) {
        // In a comment, the output of the block is dropped like everything else.
        let is_written = is_written && self.mode != MarkupMode::Comment;
        let bodies = self.bodies(node);
        self.items.push(Item::Captured { bodies, is_written });
    }

    /// Reads a literal text from the current position.
    fn literal(&mut self, span: TemplateSpan) {
        let end = span.end;
        // The start of the text for which no item exists yet, and that of the text not yet
        // searched.
        let mut start = self.at.max(span.start);
        let mut search = start;
        // CDATA and comments end in the body in which they begin.
        if self.outer_mode != MarkupMode::Markup {
            return self.push_text(start, end);
        }
        while let Some(piece) = self.piece(search..end) {
            // In CDATA or a comment, only its end has a meaning.
            if self.mode != MarkupMode::Markup {
                let [_, closing] = self.mode.delimiters();
                let Some(at) = find(piece, closing) else { break };
                self.push_text(start, search + at);
                start = search + at + closing.len();
                self.items.push(Item::Dropped(TemplateSpan::new(start - closing.len(), start)));
                (search, self.mode) = (start, MarkupMode::Markup);
                continue;
            }
            let Some(at) = piece.find(['<', '&']) else { break };
            let place = search + at;
            let Some(rest) = self.piece(place..end) else { break };
            match self.markup(rest, place, end) {
                MarkupMatch::Nothing(length) => search = place + length,
                MarkupMatch::Opening(mode, length) => {
                    self.push_text(start, place);
                    start = place + length;
                    self.items.push(Item::Dropped(TemplateSpan::new(place, start)));
                    (search, self.mode) = (start, mode);
                }
                MarkupMatch::Item(item, length) => {
                    self.push_text(start, place);
                    self.items.push(item);
                    start = place + length;
                    search = start;
                    // A tag that contains values ends in a later text.
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
        if start < end && self.mode != MarkupMode::Comment {
            self.items.push(Item::Text(TemplateSpan::new(start, end)));
        }
    }

    /// Reads possible markup at a position. `rest` extends to the end of the literal text.
    fn markup(&mut self, rest: &'t str, place: usize, end: usize) -> MarkupMatch<'t> {
        if rest.starts_with('&') {
            return match read_entity(rest) {
                Some((_, after)) => {
                    MarkupMatch::item(Item::Entity, place, rest.len() - after.len())
                }
                None => MarkupMatch::Nothing(1),
            };
        }
        let contexts = [MarkupMode::Cdata, MarkupMode::Comment];
        if let Some(context) = contexts.into_iter().find(|it| rest.starts_with(it.delimiters()[0]))
        {
            return self.context(context, rest, place);
        }
        let [opening, closing] = INSTRUCTION;
        let Some(inside) = rest.strip_prefix(opening) else { return self.tag(rest, place) };
        if place < self.no_instruction_before {
            return MarkupMatch::Nothing(opening.len());
        }
        let Some(at) = find(inside, closing) else {
            self.no_instruction_before = end;
            return MarkupMatch::Nothing(opening.len());
        };
        MarkupMatch::item(Item::Instruction, place, opening.len() + at + closing.len())
    }

    /// Reads the beginning of CDATA or a comment, or all of a comment that ends in the same text.
    fn context(&mut self, context: MarkupMode, rest: &str, place: usize) -> MarkupMatch<'t> {
        let [opening, closing] = context.delimiters();
        let length = opening.len();
        let may_end = !self.unclosed.contains(&context);
        if may_end
            && context == MarkupMode::Comment
            && let Some(end) = rest.get(length..).and_then(|inside| find(inside, closing))
        {
            return MarkupMatch::item(Item::Dropped, place, length + end + closing.len());
        }
        if may_end && self.has_text_after(place + length, closing) {
            return MarkupMatch::Opening(context, length);
        }
        if may_end {
            self.unclosed.push(context);
        }
        let kind = match context {
            MarkupMode::Comment => InvalidMarkupKind::Comment,
            MarkupMode::Cdata | MarkupMode::Markup => InvalidMarkupKind::Cdata,
        };
        let invalid = |span| Item::InvalidMarkup(InvalidMarkup { span, kind });
        MarkupMatch::item(invalid, place, length)
    }

    /// Whether a literal text of this body contains `sought` after the position `from`.
    fn has_text_after(&self, from: usize, sought: &str) -> bool {
        let texts = self.nodes.iter().skip(self.index.saturating_sub(1));
        let mut texts = texts.filter(|node| matches!(node.kind, NodeKind::Text(_)));
        texts.any(|node| {
            let rest = self.text.get(from.max(node.span.start)..node.span.end);
            rest.is_some_and(|rest| find(rest, sought).is_some())
        })
    }

    /// Reads a possible tag. If it does not end in the literal text `rest`, it may contain values,
    /// and continue in the nodes after the text.
    fn tag(&self, rest: &'t str, place: usize) -> MarkupMatch<'t> {
        let mut written = TagText::in_text(rest, place);
        if let Err(broken) = read_tag(rest)
            && broken.problem == TagProblem::NoEnd
            && rest.rfind('<') == Some(0)
        {
            let following = self.nodes.iter().skip(self.index);
            written = TagText::over_nodes(rest, place, self.text, following);
        }
        match read_tag(&written.text) {
            Ok(tag) => {
                let found = found_tag(&tag, &written);
                let length = found.span.end - place;
                MarkupMatch::Item(Item::Tag(found), length)
            }
            Err(broken) => match Element::from_name(broken.name) {
                Some(element) => {
                    let kind = match written.has_block && broken.problem == TagProblem::NoEnd {
                        true => InvalidMarkupKind::Block(element),
                        false => InvalidMarkupKind::Tag(element, broken.problem),
                    };
                    let slash = usize::from(written.text.starts_with("</"));
                    let end = written.end(1 + slash + broken.name.len());
                    let invalid = |span| Item::InvalidMarkup(InvalidMarkup { span, kind });
                    MarkupMatch::item(invalid, place, end - place)
                }
                None => MarkupMatch::Nothing(1),
            },
        }
    }
}

/// Converts offsets in the text of a tag into spans of the template.
fn found_tag(tag: &Tag<'_>, written: &TagText<'_>) -> FoundTag {
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
    let name_start = if tag.form == TagForm::Closing { 2 } else { 1 };
    FoundTag {
        span: part(0, tag.length),
        name: tag.name.to_owned(),
        name_span: part(name_start, tag.name.len()),
        element: Element::from_name(tag.name),
        form: tag.form,
        attributes: attributes.collect(),
    }
}

/// Whether the first body of a block may be written several times.
struct Repeats(bool);

/// Whether possibly none of the bodies of a block is written.
struct MaySkip(bool);

/// Finds a string in another, and counts the work.
fn find(text: &str, sought: &str) -> Option<usize> {
    let at = text.find(sought);
    add_steps(at.unwrap_or(text.len()));
    at
}

/// The markup at a position, with its length in bytes.
enum MarkupMatch<'t> {
    /// Text that is not markup.
    Nothing(usize),
    /// The beginning of CDATA or a comment, whose end may be in a later text.
    Opening(MarkupMode, usize),
    Item(Item<'t>, usize),
}

impl<'t> MarkupMatch<'t> {
    /// Creates an item that consists of `length` bytes at `place`.
    fn item(item: impl FnOnce(TemplateSpan) -> Item<'t>, place: usize, length: usize) -> Self {
        Self::Item(item(TemplateSpan::new(place, place + length)), length)
    }
}

fn call_of(expr: &Expr) -> Option<&Call> {
    match &expr.kind {
        ExprKind::Function(call) => Some(call),
        // A filter without its own span is the escaping of an output.
        ExprKind::Filter { value, .. } if value.span == expr.span => match &value.kind {
            ExprKind::Function(call) => Some(call),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a call is `message`, which marks where a message begins or ends.
pub(crate) fn is_message(call: &Call) -> bool {
    call.name.text == MESSAGE
}

/// Whether the call of a block makes it a message: `message`, or a role such as `system`.
pub(crate) fn opens_message(call: &Call) -> bool {
    is_message(call) || role_of_block(call).is_some()
}

/// Returns the role of a block whose name is a role.
pub(super) fn role_of_block(call: &Call) -> Option<Role> {
    super::roles::ROLES.into_iter().find(|role| role.as_str() == call.name.text)
}
