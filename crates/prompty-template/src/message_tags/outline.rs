//! Follows all ways through a template, and finds which of its tags are structure.
//!
//! What is open must be the same wherever two ways meet: behind the branches of an `if`, and where a loop
//! begins again.

use std::collections::HashMap;

use super::body::{Body, Broken, BrokenKind, FoundTag, Item, Mode, Ways};
use super::calls::{self, MessageCall, MessageEdge};
use super::ends::{Beside, is_blank};
use super::findings;
use super::found::Tags;
use super::marks::Marks;
use super::prose::Prose;
use super::state::{OpenMessage, Opener, State};
use super::words::ROLES;
use crate::message_tags::syntax::{Element, TagForm};
use crate::tree::{Call, Expr, Node};
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};
use prompty_core::message::Role;

/// Reads the structure of a template from its root.
pub(super) fn outline(
    text: &str,
    root: &Body<'_>,
    is_one_message: bool,
    is_text: &dyn Fn(&Expr) -> bool,
) -> Tags {
    let mut outline = Outline {
        text,
        is_text,
        marks: Marks::default(),
        found: Tags { is_one_message, ..Tags::default() },
        before: Beside::Edge,
        told_outside: false,
        partials: Vec::new(),
    };
    let mut state = State::default();
    if is_one_message {
        let (span, role) = (TemplateSpan::new(0, text.len()), Some(Role::User));
        state.message =
            Some(OpenMessage { opener: Opener::Template, span, role, is_mistaken: false });
    }
    let end = outline.body(root, state, false, Beside::Edge);
    outline.unclosed(&end);
    let Outline { marks, mut found, .. } = outline;
    found.insertions = marks.into_insertions();
    found
}

pub(super) struct Outline<'t> {
    pub(super) text: &'t str,
    /// Whether it is known that an expression prints text, and no thread or medium.
    is_text: &'t dyn Fn(&Expr) -> bool,
    pub(super) marks: Marks,
    found: Tags,
    /// What was perhaps written last.
    pub(super) before: Beside,
    /// Whether text outside of messages was told since the last message.
    pub(super) told_outside: bool,
    /// The partials around, by their numbers.
    partials: Vec<OpenPartial>,
}

/// A partial that names itself.
struct OpenPartial {
    number: usize,
    /// What is open where it begins.
    state: State,
    /// What it stands in.
    mode: Mode,
}

impl Outline<'_> {
    pub(super) fn report(&mut self, finding: Diagnostic<TemplateSpan>) {
        self.found.findings.push(finding);
    }

    /// Reads a body that begins in a state, and gives the state in which it ends. In an element that is text
    /// all tags are. `behind` says what perhaps follows the body at once.
    fn body(
        &mut self,
        body: &Body<'_>,
        mut state: State,
        is_in_text: bool,
        behind: Beside,
    ) -> State {
        let pairs = super::prose::pairs(&body.items, state.message.is_some());
        let openings: HashMap<usize, usize> =
            pairs.iter().map(|(closing, opening)| (*opening, *closing)).collect();
        let ends = super::ends::behind_items(self.text, &body.items, behind, self.is_text);
        let mut prose = Prose::default();
        for (index, item) in body.items.iter().enumerate() {
            let is_text = is_in_text || prose.is_open();
            let behind = ends.get(index).copied().unwrap_or(Beside::Text);
            match item {
                Item::Text(span) => self.literal(*span, &state, behind),
                Item::Entity(span) => {
                    self.outside(*span, &state);
                    self.marks.dropped(*span);
                    self.before = Beside::Text;
                }
                Item::Dropped(span) => self.marks.dropped(*span),
                Item::Instruction(span) if state.message.is_none() => self.marks.dropped(*span),
                Item::Instruction(_) => self.before = Beside::Text,
                Item::Broken(broken) => self.broken(broken, is_text, &mut state),
                Item::Value { expr, is_item } => {
                    if state.message.is_none() {
                        self.found.outside.push(expr.span);
                    }
                    self.before = Beside::of_value(*is_item || (self.is_text)(expr));
                }
                Item::Tag(tag) => {
                    let closes = |distance: usize| {
                        matches!(body.items.get(index + distance), Some(Item::Tag(next))
                            if next.form == TagForm::Closing && next.element == tag.element)
                    };
                    let content = match body.items.get(index + 1) {
                        Some(Item::Text(span)) if closes(2) => Some(*span),
                        _ => None,
                    };
                    let place = Place {
                        index,
                        closes: pairs.get(&index).copied(),
                        opens: openings.contains_key(&index),
                        is_in_text,
                        is_empty: tag.form == TagForm::Opening && closes(1),
                        content,
                    };
                    self.tag(tag, &place, &mut state, &mut prose);
                }
                Item::Call(node, call) => self.call(node, call, &mut state),
                Item::Ways(ways) => state = self.ways(ways, state, is_text, behind),
                Item::MessageBlock(node, call, inner) => {
                    self.message_block(node, call, inner, &state);
                }
                Item::Partial { number, span, mode, body } => {
                    let (number, mode) = (*number, *mode);
                    self.partials.push(OpenPartial { number, state: state.clone(), mode });
                    let end = self.body(body, state.clone(), is_text, behind);
                    self.partials.pop();
                    self.meet(&state, &end, *span);
                    self.before = Beside::Edge;
                }
                Item::Recursion { number, span, mode } => {
                    self.recursion(*number, *span, *mode, &state);
                }
                Item::Captured { bodies, is_written } => {
                    let told = self.found.findings.len();
                    bodies.iter().for_each(|body| self.captured(body));
                    let is_told = self.found.findings.len() > told;
                    if *is_written && !is_told && state.message.is_none() {
                        bodies.iter().for_each(|body| self.written_outside(body, &state));
                    }
                    if *is_written {
                        self.before = Beside::Value;
                    }
                }
            }
            // An element that is text ends with its message.
            if state.message.is_none() {
                prose.clear();
            }
        }
        state
    }

    /// A partial in itself: what is open must be what was open where it begins.
    fn recursion(&mut self, number: usize, span: TemplateSpan, mode: Mode, state: &State) {
        let around = self.partials.iter().rev().find(|open| open.number == number);
        if let Some(around) = around {
            let (begin, is_same) = (around.state.clone(), around.mode == mode);
            if is_same {
                self.meet(&begin, state, span);
            } else {
                self.report(findings::partial_in_text(span));
            }
        }
        self.before = Beside::Edge;
    }

    fn broken(&mut self, broken: &Broken, is_text: bool, state: &mut State) {
        self.before = Beside::Text;
        let is_message = matches!(
            broken.what,
            BrokenKind::Tag(Element::Message, _) | BrokenKind::Block(Element::Message)
        );
        if is_text {
            if is_message {
                self.marks.lookalike(broken.span);
            }
            return;
        }
        self.report(findings::broken(broken));
        if !is_message {
            return;
        }
        // It opens and closes as it would without the mistake.
        let span = broken.span;
        let opener = state.message.as_ref().map(|open| open.opener);
        match span.text_in(self.text).is_some_and(|written| written.starts_with("</")) {
            true if opener == Some(Opener::Tag) => *state = State::default(),
            false if opener.is_none() => {
                self.told_outside = false;
                let opener = Opener::Tag;
                let open = OpenMessage { opener, span, role: None, is_mistaken: true };
                *state = State { message: Some(open), part: None };
            }
            _ => {}
        }
    }

    /// A tag of an element, which is structure or text.
    fn tag(&mut self, tag: &FoundTag, place: &Place, state: &mut State, prose: &mut Prose) {
        let is_text = place.is_in_text || prose.is_open();
        let Some(element) = tag.element else {
            if let Some(opening) = place.closes {
                prose.close(opening);
            }
            self.text_tag(tag, state, is_text);
            // Outside of messages an element without meaning is an error, and encloses nothing.
            if place.opens && state.message.is_some() {
                prose.open(place.index, None);
            }
            return;
        };
        match tag.form {
            TagForm::Closing => {
                if place.is_in_text || prose.close_element(element) {
                    self.text_tag(tag, state, true);
                } else {
                    prose.clear();
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
                        prose.open(place.index, Some(element));
                    }
                    return;
                }
                if let (Some(content), true) = (place.content, element.media().is_some()) {
                    self.url(content, element);
                }
                self.open(tag, element, state);
            }
        }
    }

    /// A tag that is text.
    fn text_tag(&mut self, tag: &FoundTag, state: &State, is_nested: bool) {
        self.outside(tag.span, state);
        self.before = Beside::Text;
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
            self.found.attributes.push(TemplateSpan::new(first.span.start, tag.span.end));
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

    fn edge(&mut self, span: TemplateSpan) {
        self.marks.edge(span);
        self.before = Beside::Edge;
    }

    /// A call of `message` without a block. After a mistake it opens and closes as it would without.
    fn call(&mut self, node: &Node, call: &Call, state: &mut State) {
        self.before = Beside::Edge;
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
        self.before = Beside::Edge;
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
        let end = self.body(inner, inside.clone(), false, Beside::Edge);
        self.meet(&inside, &end, call.name.span);
        self.before = Beside::Edge;
    }

    fn ways(&mut self, ways: &Ways<'_>, before: State, is_in_text: bool, behind: Beside) -> State {
        let written = self.before;
        let mut last = if ways.may_skip { written } else { Beside::Text };
        let mut after: Option<State> = ways.may_skip.then(|| before.clone());
        for (index, body) in ways.bodies.iter().enumerate() {
            self.before = written;
            let end = self.body(body, before.clone(), is_in_text, behind);
            last = last.max(self.before);
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
        self.before = last;
        after.unwrap_or(before)
    }

    /// Tells it if what is open differs where two ways meet.
    fn meet(&mut self, one: &State, other: &State, block: TemplateSpan) {
        if one.fits(other) {
            return;
        }
        // What was opened on one way alone is told; else what was closed on one way.
        let opened = other.place().filter(|place| one.place() != Some(*place));
        let place = opened.or_else(|| one.place()).unwrap_or(block);
        let finding = findings::open_on_one_way(place);
        // Behind a loop the same two ways meet once more.
        if self.found.findings.last() != Some(&finding) {
            self.report(finding);
        }
    }

    /// What is still open at the end of the template.
    fn unclosed(&mut self, end: &State) {
        if let Some((element, span)) = end.part {
            self.report(findings::unclosed_part(span, element));
            return;
        }
        match &end.message {
            // A tag with a mistake in it may be prose.
            Some(OpenMessage { opener: Opener::Tag, is_mistaken: true, .. }) => {}
            Some(OpenMessage { opener: Opener::Tag, span, .. }) => {
                self.report(findings::unclosed(*span));
            }
            Some(OpenMessage { opener: Opener::Call, span, role, .. }) => {
                self.report(findings::unclosed_call(*span, role.as_ref()));
            }
            _ => {}
        }
    }

    /// Tells what a block outside of messages catches and writes.
    fn written_outside(&mut self, body: &Body<'_>, state: &State) {
        for item in &body.items {
            match item {
                Item::Text(span) if is_blank(self.text, *span) => {}
                Item::Text(span) | Item::Entity(span) => self.outside(*span, state),
                Item::Tag(tag) => self.outside(tag.span, state),
                Item::Value { expr, .. } => self.found.outside.push(expr.span),
                Item::Ways(ways) => {
                    ways.bodies.iter().for_each(|body| self.written_outside(body, state));
                }
                Item::Captured { bodies, is_written: true } => {
                    bodies.iter().for_each(|body| self.written_outside(body, state));
                }
                Item::Partial { body, .. } => self.written_outside(body, state),
                _ => {}
            }
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
    /// Whether its body stands in an element that is text.
    is_in_text: bool,
    /// Whether the tag that closes the element follows at once.
    is_empty: bool,
    /// What the element holds, if that is literal text alone.
    content: Option<TemplateSpan>,
}
