//! Follows all ways through a template, and finds which of its tags are structure.
//!
//! What is open must be the same wherever two ways meet: behind the branches of an `if`, and where a loop
//! begins again.

use std::collections::HashMap;

use super::body::{Body, Broken, FoundTag, Item, Ways};
use super::calls::{self, MessageCall, MessageEdge};
use super::findings;
use super::found::Tags;
use super::marks::Marks;
use super::words::ROLES;
use crate::nonce::tag::{Element, TagForm};
use prompty_core::diagnostic::{Diagnostic, Span};
use prompty_core::message::Role;
use prompty_core::template::tree::{Call, Node};
use prompty_core::text::slice;

/// What is open at a place of the template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct State {
    message: Option<OpenMessage>,
    /// The part of a message, and where it is opened.
    part: Option<(Element, Span)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenMessage {
    opener: Opener,
    span: Span,
    /// The role, where it is the same on all ways.
    role: Option<Role>,
    /// Whether there is a mistake in what opens it, so that the role is not known.
    is_mistaken: bool,
}

/// What has opened a message, which something of the same kind must close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opener {
    Tag,
    Call,
    Block,
    /// The template itself, which is one message.
    Template,
}

impl State {
    /// Whether the same is open.
    fn fits(&self, other: &Self) -> bool {
        let opener = |state: &Self| state.message.as_ref().map(|open| open.opener);
        let part = |state: &Self| state.part.map(|(element, _)| element);
        opener(self) == opener(other) && part(self) == part(other)
    }

    /// Where the innermost that is open was opened.
    fn place(&self) -> Option<Span> {
        let message = self.message.as_ref().filter(|open| open.opener != Opener::Template);
        self.part.map(|(_, span)| span).or(message.map(|open| open.span))
    }

    /// What is open where this way meets another.
    fn merge(&mut self, other: &Self) {
        if let (Some(open), Some(other)) = (&mut self.message, &other.message)
            && open.role != other.role
        {
            open.role = None;
        }
    }
}

/// Reads the structure of a template from its root.
pub(super) fn outline(text: &str, root: &Body<'_>, is_one_message: bool) -> Tags {
    let mut outline = Outline {
        text,
        marks: Marks::default(),
        found: Tags { is_one_message, ..Tags::default() },
        may_begin: true,
        told_outside: false,
        partials: Vec::new(),
    };
    let mut state = State::default();
    if is_one_message {
        let (span, role) = (Span::new(0, text.len()), Some(Role::User));
        state.message =
            Some(OpenMessage { opener: Opener::Template, span, role, is_mistaken: false });
    }
    let end = outline.body(root, state, is_one_message, true);
    outline.unclosed(&end);
    let Outline { marks, mut found, .. } = outline;
    found.insertions = marks.into_insertions();
    found
}

struct Outline<'t> {
    text: &'t str,
    marks: Marks,
    found: Tags,
    /// Whether perhaps nothing was written since the last edge of a message or part.
    may_begin: bool,
    /// Whether text outside of messages was told since the last message.
    told_outside: bool,
    /// What is open where the partials around begin.
    partials: Vec<State>,
}

/// The elements that are open and are text.
#[derive(Default)]
struct Prose {
    /// Each with the item that opens it.
    open: Vec<(usize, Option<Element>)>,
}

impl Prose {
    fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Closes the element that an item opens.
    fn close(&mut self, opening: usize) {
        while self.open.last().is_some_and(|(index, _)| *index >= opening) {
            self.open.pop();
        }
    }

    /// Closes an element that has a meaning elsewhere, if it is the innermost that has one.
    fn close_element(&mut self, element: Element) -> bool {
        let innermost = self.open.iter().rev().find(|(_, open)| open.is_some());
        match innermost.copied() {
            Some((index, Some(open))) if open == element => {
                self.close(index);
                true
            }
            _ => false,
        }
    }
}

impl Outline<'_> {
    fn report(&mut self, finding: Diagnostic) {
        self.found.findings.push(finding);
    }

    /// Reads a body that begins in a state, and gives the state in which it ends. In an opaque body all is
    /// text. `may_end` says whether perhaps nothing is written between the body and the next edge.
    fn body(&mut self, body: &Body<'_>, mut state: State, is_opaque: bool, may_end: bool) -> State {
        let pairs = super::prose::pairs(&body.items, state.message.is_some());
        let openings: HashMap<usize, usize> =
            pairs.iter().map(|(closing, opening)| (*opening, *closing)).collect();
        let ends = super::ends::before_edges(self.text, &body.items, may_end);
        let mut prose = Prose::default();
        for (index, item) in body.items.iter().enumerate() {
            let is_text = is_opaque || prose.is_open();
            let may_end = ends.get(index).copied().unwrap_or(false);
            match item {
                Item::Text(span) => self.literal(*span, &state, may_end),
                Item::Entity(span) => {
                    self.outside(*span, &state);
                    self.marks.dropped(*span);
                    self.may_begin = false;
                }
                Item::Dropped(span) => self.marks.dropped(*span),
                Item::Instruction(span) if state.message.is_none() => self.marks.dropped(*span),
                Item::Instruction(_) => self.may_begin = false,
                Item::Broken(broken) => self.broken(broken, is_text),
                Item::Value(expr) => {
                    if state.message.is_none() {
                        self.found.outside.push(expr.span);
                    }
                    self.may_begin = false;
                }
                Item::Tag(tag) => {
                    let closes = |item: Option<&Item<'_>>| {
                        matches!(item, Some(Item::Tag(next))
                            if next.form == TagForm::Closing && next.element == tag.element)
                    };
                    let content = match body.items.get(index + 1) {
                        Some(Item::Text(span)) if closes(body.items.get(index + 2)) => Some(*span),
                        _ => None,
                    };
                    let is_empty =
                        tag.form == TagForm::Opening && closes(body.items.get(index + 1));
                    let place = Place {
                        content,
                        index,
                        closes: pairs.get(&index).copied(),
                        opens: openings.contains_key(&index),
                        is_opaque,
                        is_empty,
                    };
                    self.tag(tag, &place, &mut state, &mut prose);
                }
                Item::Call(node, call) => self.call(node, call, &mut state),
                Item::Ways(ways) => {
                    state = self.ways(ways, state, is_text || ways.is_opaque, may_end);
                }
                Item::MessageBlock(node, call, inner) => {
                    self.message_block(node, call, inner, &state);
                }
                Item::Partial { span, body, is_opaque } => {
                    self.partials.push(state.clone());
                    let end = self.body(body, state.clone(), is_text || *is_opaque, may_end);
                    self.partials.pop();
                    self.meet(&state, &end, *span);
                    self.may_begin = true;
                }
                // What is open must be what was open where the partial begins.
                Item::Recursion(span) => {
                    if let Some(begin) = self.partials.last().cloned() {
                        self.meet(&begin, &state, *span);
                    }
                    self.may_begin = true;
                }
                Item::Captured { bodies, is_written } => {
                    bodies.iter().for_each(|body| self.captured(body));
                    self.may_begin &= !is_written;
                }
            }
        }
        state
    }

    /// Marks the white space of a text that may stand at an end of its message.
    fn literal(&mut self, span: Span, state: &State, may_end: bool) {
        let text = slice(self.text, span.start..span.end);
        let is_blank = text.trim().is_empty();
        let begins = self.may_begin;
        self.may_begin &= is_blank;
        if state.message.is_none() {
            if !is_blank {
                self.outside(span, state);
            } else if begins {
                self.marks.edge_takes(span);
            }
            return;
        }
        let leading = span.start + text.len() - text.trim_start().len();
        let trailing = span.start + text.trim_end().len();
        if is_blank {
            if begins || may_end {
                self.marks.space(span);
            }
            return;
        }
        if begins {
            self.marks.space(Span::new(span.start, leading));
        }
        self.lookalikes(Span::new(leading, trailing));
        if may_end {
            self.marks.space(Span::new(trailing, span.end));
        }
    }

    /// Marks what looks like a message tag in CDATA.
    fn lookalikes(&mut self, span: Span) {
        let text = slice(self.text, span.start..span.end);
        let mut search = 0;
        while let Some(at) = text.get(search..).and_then(|rest| rest.find('<')) {
            let start = search + at;
            let rest = slice(text, start..);
            let length = crate::nonce::tag::lookalike(rest).unwrap_or(0);
            if length > 0 {
                let place = span.start + start;
                self.marks.lookalike(Span::new(place, place + length));
            }
            search = start + length.max(1);
        }
    }

    /// Tells text that stands outside of messages.
    fn outside(&mut self, span: Span, state: &State) {
        if state.message.is_some() || self.told_outside {
            return;
        }
        self.told_outside = true;
        let text = slice(self.text, span.start..span.end);
        let start = span.start + text.len() - text.trim_start().len();
        let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
        self.report(findings::outside(Span::new(start, start + line.len())));
    }

    fn broken(&mut self, broken: &Broken, is_text: bool) {
        self.may_begin = false;
        if !is_text {
            self.report(findings::broken(broken));
        }
    }

    /// A tag of an element, which is structure or text.
    fn tag(&mut self, tag: &FoundTag, place: &Place, state: &mut State, prose: &mut Prose) {
        let is_text = place.is_opaque || prose.is_open();
        let Some(element) = tag.element else {
            if let Some(opening) = place.closes {
                prose.close(opening);
            }
            self.text_tag(tag, state, is_text);
            // Outside of messages an element without meaning is an error, and encloses nothing.
            if place.opens && state.message.is_some() {
                prose.open.push((place.index, None));
            }
            return;
        };
        match tag.form {
            TagForm::Closing => {
                if place.is_opaque || prose.close_element(element) {
                    self.text_tag(tag, state, true);
                } else {
                    prose.open.clear();
                    self.close(tag, element, state);
                }
            }
            form => {
                let opens = form == TagForm::Opening;
                let is_nested = match element {
                    Element::Message => state.message.is_some(),
                    // What has no content is no part: its author writes about it.
                    _ => !opens || place.is_empty || state.part.is_some(),
                };
                if is_text || is_nested {
                    if !is_text && element == Element::Message {
                        self.report(findings::nested(tag.span));
                    }
                    self.text_tag(tag, state, true);
                    if opens {
                        prose.open.push((place.index, Some(element)));
                    }
                    return;
                }
                if let (Some(content), true) = (place.content, element.is_medium()) {
                    self.url(content, element);
                }
                self.open(tag, element, state);
            }
        }
    }

    /// A tag that is text.
    fn text_tag(&mut self, tag: &FoundTag, state: &State, is_nested: bool) {
        self.outside(tag.span, state);
        self.may_begin = false;
        if tag.element == Some(Element::Message) {
            self.marks.lookalike(tag.span);
        }
        if tag.element.is_none() && !is_nested && tag.form != TagForm::Closing {
            self.found.findings.extend(findings::similar(tag));
        }
    }

    fn open(&mut self, tag: &FoundTag, element: Element, state: &mut State) {
        self.edge(tag.span);
        if let Some(first) = tag.attributes.iter().find(|it| it.value.is_none()) {
            self.found.attributes.push(Span::new(first.span.start, tag.span.end));
        }
        if element != Element::Message {
            match state.message {
                Some(_) => state.part = Some((element, tag.span)),
                None => self.report(findings::part_outside(tag, element)),
            }
            return;
        }
        self.told_outside = false;
        let role = self.role(tag);
        if let Some(role) = &role {
            self.found.messages.push((role.clone(), tag.span));
        }
        if tag.form == TagForm::Opening {
            let is_mistaken = role.is_none();
            let open = OpenMessage { opener: Opener::Tag, span: tag.span, role, is_mistaken };
            state.message = Some(open);
        }
    }

    /// The content of an image, a sound or a file that holds no value.
    fn url(&mut self, span: Span, element: Element) {
        let text = slice(self.text, span.start..span.end);
        let url = text.trim();
        if !super::words::is_url(url) {
            let start = span.start + text.len() - text.trim_start().len();
            let place = Span::new(start, start + url.len());
            self.report(findings::no_url(place, element));
        }
    }

    fn role(&mut self, tag: &FoundTag) -> Option<Role> {
        let Some(attribute) = tag.attributes.iter().find(|it| it.name == "role") else {
            self.report(findings::no_role(tag));
            return None;
        };
        let Some(value) = &attribute.value else {
            self.report(findings::data_role(tag.span));
            return None;
        };
        let role = ROLES.into_iter().find(|role| role.as_str().eq_ignore_ascii_case(value));
        if role.is_none() {
            self.report(findings::unknown_role(value, attribute.span));
        }
        role
    }

    /// A tag that closes a message or a part.
    fn close(&mut self, tag: &FoundTag, element: Element, state: &mut State) {
        let opener = state.message.as_ref().map(|open| open.opener);
        self.edge(tag.span);
        match (element, opener, state.part) {
            (_, Some(_), Some((open, _))) if open == element => state.part = None,
            (Element::Message, Some(Opener::Tag), part) => {
                if let Some((open, _)) = part {
                    self.report(findings::mismatched(tag.span, open));
                }
                *state = State::default();
            }
            (_, _, Some((open, _))) => {
                self.report(findings::mismatched(tag.span, open));
                state.part = None;
            }
            _ => self.report(findings::stray(tag.span, element)),
        }
    }

    fn edge(&mut self, span: Span) {
        self.marks.edge(span);
        self.may_begin = true;
    }

    /// A call of `message` without a block. After a mistake it opens and closes as it would without.
    fn call(&mut self, node: &Node, call: &Call, state: &mut State) {
        self.may_begin = true;
        self.told_outside = false;
        let span = node.span;
        let read = match calls::read(node, call, calls::Form::Function) {
            Ok(read) => Some(read),
            Err(finding) => {
                self.report(*finding);
                None
            }
        };
        let role = read.as_ref().map(|read| read.role.clone());
        let is_mistaken = read.is_none();
        if let Some(open) = &state.message {
            let is_call = open.opener == Opener::Call;
            let fits = is_mistaken || open.is_mistaken || open.role.is_some() && open.role == role;
            if is_call && fits {
                if let Some((element, _)) = state.part {
                    self.report(findings::mismatched(span, element));
                }
                *state = State::default();
                let closing = |read| MessageCall { edge: MessageEdge::Closes, ..read };
                self.found.calls.extend(read.map(closing));
                return;
            }
            let open = open.role.clone();
            self.report(findings::still_open(span, open.as_ref(), is_call));
            if !is_call {
                return;
            }
        }
        self.found.messages.extend(role.clone().map(|role| (role, span)));
        self.found.calls.extend(read);
        let message = Some(OpenMessage { opener: Opener::Call, span, role, is_mistaken });
        *state = State { message, part: None };
    }

    fn message_block(&mut self, node: &Node, call: &Call, inner: &Body<'_>, state: &State) {
        let read = calls::read(node, call, calls::Form::Block);
        if state.message.is_some() {
            self.report(findings::nested_block(call.name.span));
        }
        self.may_begin = true;
        self.told_outside = false;
        let role = match read {
            Ok(read) => {
                self.found.messages.push((read.role.clone(), call.name.span));
                let role = read.role.clone();
                self.found.calls.push(read);
                Some(role)
            }
            Err(finding) => {
                self.report(*finding);
                None
            }
        };
        let is_mistaken = role.is_none();
        let open = OpenMessage { opener: Opener::Block, span: call.name.span, role, is_mistaken };
        let inside = State { message: Some(open), part: None };
        let end = self.body(inner, inside.clone(), false, true);
        self.meet(&inside, &end, call.name.span);
        self.may_begin = true;
    }

    fn ways(&mut self, ways: &Ways<'_>, before: State, is_opaque: bool, may_end: bool) -> State {
        let begins = self.may_begin;
        let mut may_begin = ways.may_skip && begins;
        let mut after: Option<State> = ways.may_skip.then(|| before.clone());
        for (index, body) in ways.bodies.iter().enumerate() {
            self.may_begin = begins;
            let end = self.body(body, before.clone(), is_opaque, may_end);
            may_begin |= self.may_begin;
            if index == 0 && ways.repeats {
                after.get_or_insert_with(|| before.clone());
            }
            after = Some(match after {
                None => end,
                Some(mut known) if known.fits(&end) => {
                    known.merge(&end);
                    known
                }
                Some(known) => {
                    self.meet(&known, &end, ways.span);
                    // What follows is read as if the mistake were mended.
                    if known.message.is_none() { end } else { known }
                }
            });
        }
        self.may_begin = may_begin;
        after.unwrap_or(before)
    }

    /// Tells it if what is open differs where two ways meet.
    fn meet(&mut self, one: &State, other: &State, block: Span) {
        if one.fits(other) {
            return;
        }
        // What was opened on one way alone is told; else what was closed on one way.
        let opened = other.place().filter(|place| one.place() != Some(*place));
        let place = opened.or_else(|| one.place()).unwrap_or(block);
        self.report(findings::open_on_one_way(place));
    }

    /// What is still open at the end of the template.
    fn unclosed(&mut self, end: &State) {
        if let Some((element, span)) = end.part {
            self.report(findings::unclosed_part(span, element));
            return;
        }
        match &end.message {
            Some(OpenMessage { opener: Opener::Tag, span, .. }) => {
                self.report(findings::unclosed(*span));
            }
            Some(OpenMessage { opener: Opener::Call, span, role, .. }) => {
                self.report(findings::unclosed_call(*span, role.as_ref()));
            }
            _ => {}
        }
    }

    /// Tells messages in a block that catches what it writes.
    fn captured(&mut self, body: &Body<'_>) {
        for item in &body.items {
            match item {
                Item::Tag(tag)
                    if tag.element == Some(Element::Message) && tag.form != TagForm::Closing =>
                {
                    self.report(findings::captured(tag.span));
                }
                Item::Call(node, _) => self.report(findings::captured(node.span)),
                Item::MessageBlock(_, call, inner) => {
                    self.report(findings::captured(call.name.span));
                    self.captured(inner);
                }
                Item::Ways(ways) => ways.bodies.iter().for_each(|body| self.captured(body)),
                Item::Partial { body, .. } => self.captured(body),
                Item::Captured { bodies, .. } => bodies.iter().for_each(|body| self.captured(body)),
                _ => {}
            }
        }
    }
}

/// Where a tag stands in its body.
struct Place {
    index: usize,
    /// The item that opens the element without meaning that the tag closes.
    closes: Option<usize>,
    /// Whether the tag opens an element without meaning that is closed.
    opens: bool,
    is_opaque: bool,
    /// Whether the tag that closes the element follows at once.
    is_empty: bool,
    /// What the element holds, if that is literal text alone.
    content: Option<Span>,
}
