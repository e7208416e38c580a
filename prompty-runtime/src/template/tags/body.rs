//! From the tree of a template to what its bodies write: texts, tags, entities, values, and ways through
//! blocks.
//!
//! A tag is read where the author wrote it as literal text of one body. Values may stand in its attributes,
//! blocks may not.

use std::borrow::Cow;
use std::ops::Range;

use crate::nonce::tag::{Element, TagForm, TagProblem, decode_entities, read_entity, read_tag};
use prompty_core::diagnostic::Span;
use prompty_core::message::Role;
use prompty_core::template::tree::{Call, ContextKind, Expr, ExprKind, Node, NodeKind};
use prompty_core::text::slice;

/// Stands for a byte of a value in what is read as a tag.
const VALUE: char = '\u{1a}';
const CDATA: [&str; 2] = ["<![CDATA[", "]]>"];
const COMMENT: [&str; 2] = ["<!--", "-->"];
const INSTRUCTION: [&str; 2] = ["<?", "?>"];
/// The function that marks messages.
pub(crate) const MESSAGE: &str = "message";

/// What a list of nodes writes, in order.
#[derive(Debug, Default)]
pub(super) struct Body<'t> {
    pub(super) items: Vec<Item<'t>>,
}

/// A piece of what a body writes.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Literal text without tags, or text that cannot have any.
    Text(Span),
    Tag(FoundTag),
    /// What begins like a tag of ours, or like CDATA or a comment, and is none.
    Broken(Broken),
    /// An entity such as `&lt;`.
    Entity(Span),
    /// A comment, or what opens or closes one, or what opens or closes CDATA.
    Dropped(Span),
    /// An instruction of XML, such as `<?xml version="1.0"?>`.
    Instruction(Span),
    /// What an expression prints.
    Value(&'t Expr),
    /// `{{ message("user") }}`.
    Call(&'t Node, &'t Call),
    /// A block that writes one of its bodies, or one several times.
    Ways(Ways<'t>),
    /// `{% call message("user") %}…{% endcall %}`.
    MessageBlock(&'t Node, &'t Call, Body<'t>),
    /// A partial that names itself.
    Partial {
        span: Span,
        body: Body<'t>,
        is_opaque: bool,
    },
    /// A partial once more, in itself.
    Recursion(Span),
    /// A block that catches what its bodies write.
    Captured {
        bodies: Vec<Body<'t>>,
        is_written: bool,
    },
}

/// The bodies of a block.
#[derive(Debug)]
pub(super) struct Ways<'t> {
    pub(super) span: Span,
    pub(super) bodies: Vec<Body<'t>>,
    /// Whether the first body may be written several times.
    pub(super) repeats: bool,
    /// Whether perhaps none of the bodies is written.
    pub(super) may_skip: bool,
    /// Whether the bodies stand in CDATA or in a comment.
    pub(super) is_opaque: bool,
}

/// A tag with its place in the template.
#[derive(Debug)]
pub(super) struct FoundTag {
    pub(super) span: Span,
    pub(super) name: String,
    /// Where the name stands.
    pub(super) name_span: Span,
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
    pub(super) span: Span,
}

/// What is no tag.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) span: Span,
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

/// What the text at hand stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Markup,
    Cdata,
    Comment,
}

/// Reads what nodes write. `has_calls` says whether `message` is the function that marks messages.
pub(super) fn read<'t>(text: &'t str, nodes: &'t [Node], has_calls: bool) -> Body<'t> {
    let mut reader = Reader {
        text,
        nodes,
        has_calls,
        index: 0,
        at: 0,
        mode: Mode::Markup,
        endless: [false; 2],
        items: Vec::with_capacity(nodes.len()),
    };
    while let Some(node) = nodes.get(reader.index) {
        reader.index += 1;
        reader.node(node);
    }
    Body { items: reader.items }
}

struct Reader<'t> {
    text: &'t str,
    nodes: &'t [Node],
    has_calls: bool,
    /// The node behind the one at hand.
    index: usize,
    /// What stands before this has been read.
    at: usize,
    mode: Mode,
    /// Whether CDATA, or a comment, is known to have no end behind the place at hand.
    endless: [bool; 2],
    items: Vec<Item<'t>>,
}

impl<'t> Reader<'t> {
    fn node(&mut self, node: &'t Node) {
        match &node.kind {
            NodeKind::Text(_) => self.literal(node.span),
            NodeKind::Output(expr) => self.items.push(match call_of(expr) {
                Some(call) if self.has_calls && is_message(call) => Item::Call(node, call),
                _ => Item::Value(expr),
            }),
            NodeKind::If(branching) => {
                let bodies = branching.branches.iter().map(|(_, body)| body.as_slice());
                let bodies = bodies.chain(branching.otherwise.as_deref()).collect();
                self.ways(node.span, bodies, false, branching.otherwise.is_none());
            }
            NodeKind::For(repeated) if repeated.recursive => {
                self.captured(vec![&repeated.body, &repeated.otherwise], true);
            }
            NodeKind::For(repeated) => {
                self.ways(node.span, vec![&repeated.body, &repeated.otherwise], true, false);
            }
            NodeKind::Section(section) => {
                self.ways(node.span, vec![&section.body], !section.inverted, true);
            }
            NodeKind::Context(block) => {
                let repeats = block.kind != ContextKind::With;
                self.ways(node.span, vec![&block.body, &block.otherwise], repeats, false);
            }
            NodeKind::RecursivePartial(partial) => {
                let body = read(self.text, &partial.body, self.has_calls);
                let is_opaque = self.mode != Mode::Markup;
                self.items.push(Item::Partial { span: node.span, body, is_opaque });
            }
            NodeKind::Recursion { .. } => self.items.push(Item::Recursion(node.span)),
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => {
                self.ways(node.span, vec![body], false, false);
            }
            NodeKind::CallBlock { call, caller } => match call_of(call) {
                Some(call) if self.has_calls && opens_message(call) => {
                    let body = read(self.text, &caller.body, true);
                    self.items.push(Item::MessageBlock(node, call, body));
                }
                _ => self.captured(vec![&caller.body], true),
            },
            NodeKind::FilterBlock { body, .. } => self.captured(vec![body], true),
            NodeKind::SetBlock { body, .. } => self.captured(vec![body], false),
            NodeKind::Macro(declared) => self.captured(vec![&declared.body], false),
            NodeKind::Set { .. }
            | NodeKind::Do(_)
            | NodeKind::Indentation
            | NodeKind::Break
            | NodeKind::Continue
            | NodeKind::OtherTemplate(_)
            | NodeKind::Partial => {}
        }
    }

    fn bodies(&self, bodies: Vec<&'t [Node]>) -> Vec<Body<'t>> {
        bodies.into_iter().map(|nodes| read(self.text, nodes, self.has_calls)).collect()
    }

    fn ways(&mut self, span: Span, bodies: Vec<&'t [Node]>, repeats: bool, may_skip: bool) {
        let is_opaque = self.mode != Mode::Markup;
        let bodies = self.bodies(bodies);
        self.items.push(Item::Ways(Ways { span, bodies, repeats, may_skip, is_opaque }));
    }

    fn captured(&mut self, bodies: Vec<&'t [Node]>, is_written: bool) {
        let bodies = self.bodies(bodies);
        self.items.push(Item::Captured { bodies, is_written });
    }

    /// Reads a literal text, from where reading has stopped.
    fn literal(&mut self, span: Span) {
        let end = span.end;
        let mut start = self.at.max(span.start);
        let mut search = start;
        while let Some(piece) = self.piece(search..end) {
            if self.mode != Mode::Markup {
                let [_, closing] = if self.mode == Mode::Cdata { CDATA } else { COMMENT };
                let Some(at) = piece.find(closing) else { break };
                self.push_text(start, search + at);
                start = search + at + closing.len();
                self.items.push(Item::Dropped(Span::new(start - closing.len(), start)));
                (search, self.mode) = (start, Mode::Markup);
                continue;
            }
            let Some(at) = piece.find(['<', '&']) else { break };
            let place = search + at;
            let Some(rest) = self.piece(place..end) else { break };
            match self.markup(rest, place, end) {
                Found::Nothing(length) => search = place + length,
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
        if start < end {
            self.items.push(Item::Text(Span::new(start, end)));
        }
    }

    /// What stands at a place that may begin markup. `rest` goes on to the end of its literal text.
    fn markup(&mut self, rest: &'t str, place: usize, end: usize) -> Found<'t> {
        let span = |length: usize| Span::new(place, place + length);
        if rest.starts_with('&') {
            return match read_entity(rest) {
                Some((_, length)) => Found::Item(Item::Entity(span(length)), length),
                None => Found::Nothing(1),
            };
        }
        for (index, [opening, closing]) in [CDATA, COMMENT].into_iter().enumerate() {
            let Some(behind) = rest.strip_prefix(opening) else { continue };
            let is_comment = index == 1;
            if let (true, Some(at)) = (is_comment, behind.find(closing)) {
                let length = opening.len() + at + closing.len();
                return Found::Item(Item::Dropped(span(length)), length);
            }
            let length = opening.len();
            if !self.ends(index, closing, place + length) {
                let what = if is_comment { BrokenKind::Comment } else { BrokenKind::Cdata };
                return Found::Item(Item::Broken(Broken { span: span(length), what }), length);
            }
            self.mode = if is_comment { Mode::Comment } else { Mode::Cdata };
            return Found::Item(Item::Dropped(span(length)), length);
        }
        let [opening, closing] = INSTRUCTION;
        if rest.starts_with(opening) {
            return match rest.find(closing) {
                Some(at) => {
                    let length = at + closing.len();
                    Found::Item(Item::Instruction(span(length)), length)
                }
                None => Found::Nothing(opening.len()),
            };
        }
        self.tag(rest, place, end)
    }

    /// Whether CDATA or a comment that has been opened ends in this body.
    fn ends(&mut self, index: usize, closing: &str, from: usize) -> bool {
        if self.endless.get(index).copied().unwrap_or(true) {
            return false;
        }
        let texts = self.nodes.iter().skip(self.index.saturating_sub(1));
        let mut texts = texts.filter(|node| matches!(node.kind, NodeKind::Text(_)));
        let ends = texts.any(|node| {
            let rest = self.text.get(from.max(node.span.start)..node.span.end);
            rest.is_some_and(|rest| rest.contains(closing))
        });
        if let (false, Some(endless)) = (ends, self.endless.get_mut(index)) {
            *endless = true;
        }
        ends
    }

    fn tag(&self, rest: &'t str, place: usize, end: usize) -> Found<'t> {
        let in_text = read_tag(rest);
        let goes_on = |problem| problem == TagProblem::NoEnd && !slice(rest, 1..).contains('<');
        let (masked, is_blocked) = match in_text {
            Err(broken) if goes_on(broken.problem) && !broken.name.is_empty() => {
                self.with_values(rest, end)
            }
            _ => (rest.into(), false),
        };
        match read_tag(&masked) {
            Ok(tag) => {
                let name_start = place + if tag.form == TagForm::Closing { 2 } else { 1 };
                let attributes = tag.attributes.iter().map(|attribute| {
                    let start = place + attribute.start;
                    let has_value = attribute.value.contains(VALUE);
                    FoundAttribute {
                        name: attribute.name.to_owned(),
                        value: (!has_value).then(|| decode_entities(attribute.value).into_owned()),
                        span: Span::new(start, start + attribute.name.len()),
                    }
                });
                let found = FoundTag {
                    span: Span::new(place, place + tag.length),
                    name: tag.name.to_owned(),
                    name_span: Span::new(name_start, name_start + tag.name.len()),
                    element: Element::from_name(tag.name),
                    form: tag.form,
                    attributes: attributes.collect(),
                };
                Found::Item(Item::Tag(found), tag.length)
            }
            Err(broken) => match Element::from_name(broken.name) {
                Some(element) => {
                    let what = match is_blocked {
                        true => BrokenKind::Block(element),
                        false => BrokenKind::Tag(element, broken.problem),
                    };
                    let length = 1 + broken.name.len() + usize::from(rest.starts_with("</"));
                    let span = Span::new(place, place + length);
                    Found::Item(Item::Broken(Broken { span, what }), length)
                }
                None => Found::Nothing(1),
            },
        }
    }

    /// The text of a tag that goes on behind its literal text, byte for byte as long, with the values in it
    /// masked; and whether a block stands in it.
    fn with_values(&self, rest: &str, end: usize) -> (Cow<'t, str>, bool) {
        let mut masked = rest.to_owned();
        let mut position = end;
        for node in self.nodes.iter().skip(self.index) {
            let gap = node.span.start.saturating_sub(position);
            let fill = |masked: &mut String, sign, count| {
                masked.extend(std::iter::repeat_n(sign, count));
            };
            match &node.kind {
                NodeKind::Text(_) => {
                    fill(&mut masked, ' ', gap);
                    let piece = slice(self.text, node.span.start..node.span.end);
                    let (before, stops) = match piece.split_once('<') {
                        Some((before, _)) => (before, true),
                        None => (piece, false),
                    };
                    masked.push_str(before);
                    if stops {
                        break;
                    }
                }
                NodeKind::Output(_) => {
                    fill(&mut masked, ' ', gap);
                    fill(&mut masked, VALUE, node.span.end.saturating_sub(node.span.start));
                }
                _ => return (masked.into(), true),
            }
            position = node.span.end;
        }
        (masked.into(), false)
    }
}

/// What stands at a place, and how many bytes it takes up.
enum Found<'t> {
    Nothing(usize),
    Item(Item<'t>, usize),
}

fn call_of(expr: &Expr) -> Option<&Call> {
    match &expr.kind {
        ExprKind::Function(call) => Some(call),
        // In a language without filters, a filter is the escaping of an output.
        ExprKind::Filter { value, .. } => match &value.kind {
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
