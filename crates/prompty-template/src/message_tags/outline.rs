//! Follows all branches of a template, and determines which of its tags are structure.
//!
//! [`Outline::body`] visits the items of a body from left to right. It updates the elements that
//! are open ([`OpenElements`]), reports errors, and marks the text that the parser must read. Each
//! branch of a block begins with the elements that are open before the block. The same elements
//! must be open wherever branches join: after an `if`, and where a loop repeats. So this is an
//! error, because the message is open after only one branch:
//!
//! ```text
//! {% if polite %}<message role="system">{% endif %}Hi</message>
//! ```
//!
//! A tag in the content of an unknown element, such as `<answer>`, is text. `prose` finds these.
//! Text between the tags is handled in `content`.

use std::collections::HashSet;

use super::body::{
    Alternatives, Body, FoundTag, InvalidMarkup, InvalidMarkupKind, Item, MarkupMode,
};
use super::calls::{self, MessageCall, MessageEdge};
use super::findings;
use super::marks::Marks;
use super::neighbors::{Neighbor, following_neighbors, is_blank};
use super::open_elements::{OpenElements, OpenMessage, Opener};
use super::prose::{self, Prose};
use super::roles::ROLES;
use super::tags::Tags;
use crate::message_tags::syntax::{Element, TagForm};
use crate::tree::{Call, Expr, Node};
use prompty_core::diagnostic::{Diagnostic, TemplateSpan};
use prompty_core::message::Role;

/// Reads the structure of a template from its root. `prints_text` returns whether an expression is
/// known to print neither a thread nor media.
pub(super) fn outline(
    text: &str,
    root: &Body<'_>,
    is_one_message: bool,
    prints_text: &dyn Fn(&Expr) -> bool,
) -> Tags {
    let mut outline = Outline {
        text,
        prints_text,
        marks: Marks::default(),
        found: Tags { is_one_message, ..Tags::default() },
        before: Neighbor::Edge,
        reported_outside: false,
        partials: Vec::new(),
    };
    let mut state = OpenElements::default();
    if is_one_message {
        let (span, role) = (TemplateSpan::new(0, text.len()), Some(Role::User));
        state.message =
            Some(OpenMessage { opener: Opener::Template, span, role, has_error: false });
    }
    let end = outline.body(root, state, false, Neighbor::Edge);
    outline.report_unclosed(&end);
    let Outline { marks, mut found, .. } = outline;
    found.insertions = marks.into_insertions();
    found
}

/// The state of the analysis of a template.
pub(super) struct Outline<'t> {
    pub(super) text: &'t str,
    /// Whether an expression is known to print neither a thread nor media.
    prints_text: &'t dyn Fn(&Expr) -> bool,
    pub(super) marks: Marks,
    found: Tags,
    /// What was possibly written last.
    pub(super) before: Neighbor,
    /// Whether text outside of messages was reported since the last message.
    pub(super) reported_outside: bool,
    /// The enclosing partials.
    partials: Vec<OpenPartial>,
}

/// A partial that includes itself.
struct OpenPartial {
    number: usize,
    /// The elements that are open where it begins.
    state: OpenElements,
    /// Its markup context.
    mode: MarkupMode,
}

impl Outline<'_> {
    pub(super) fn report(&mut self, finding: Diagnostic<TemplateSpan>) {
        self.found.findings.push(finding);
    }

    /// Reads a body that begins in a state, and returns the state at its end. If `is_in_text` is
    /// set, all tags are text. `following` is what may directly follow the body.
    fn body(
        &mut self,
        body: &Body<'_>,
        mut state: OpenElements,
        is_in_text: bool,
        following: Neighbor,
    ) -> OpenElements {
        let pairs = prose::pairs(&body.items, state.message.is_some());
        let openings: HashSet<usize> = pairs.values().copied().collect();
        let neighbors = following_neighbors(self.text, &body.items, following, self.prints_text);
        let mut prose = Prose::default();
        for ((index, item), following) in body.items.iter().enumerate().zip(neighbors) {
            match item {
                Item::Tag(tag) => {
                    let place = TagPlace {
                        index,
                        closes: pairs.get(&index).copied(),
                        opens: openings.contains(&index),
                        is_in_text,
                        content: tag_content(&body.items, index, tag),
                    };
                    self.tag(tag, &place, &mut state, &mut prose);
                }
                Item::Alternatives(alternatives) => {
                    let is_text = is_in_text || prose.is_open();
                    state = self.alternatives(alternatives, state, is_text, following);
                }
                _ => self.item(item, is_in_text || prose.is_open(), following, &mut state),
            }
            // An element that is text ends with its message at the latest.
            if state.message.is_none() {
                prose.clear();
            }
        }
        state
    }

    /// Reads an item other than a tag or alternatives.
    fn item(
        &mut self,
        item: &Item<'_>,
        is_text: bool,
        following: Neighbor,
        state: &mut OpenElements,
    ) {
        match item {
            Item::Text(span) => self.literal_text(*span, state, following),
            Item::Entity(span) => {
                self.report_outside(*span, state);
                self.marks.dropped(*span);
                self.before = Neighbor::Text;
            }
            Item::Dropped(span) => self.marks.dropped(*span),
            Item::Instruction(span) if state.message.is_none() => self.marks.dropped(*span),
            Item::Instruction(_) => self.before = Neighbor::Text,
            Item::InvalidMarkup(invalid) => self.invalid_markup(invalid, is_text, state),
            Item::Value { expr, is_item } => {
                if state.message.is_none() {
                    self.found.outside.push(expr.span);
                }
                self.before = Neighbor::of_value(*is_item || (self.prints_text)(expr));
            }
            Item::Call(node, call) => self.call(node, call, state),
            Item::MessageBlock(node, call, inner) => self.message_block(node, call, inner, state),
            Item::Partial { number, span, mode, body } => {
                let (number, mode) = (*number, *mode);
                self.partials.push(OpenPartial { number, state: state.clone(), mode });
                let end = self.body(body, state.clone(), is_text, following);
                self.partials.pop();
                self.check_same(state, &end, *span);
                self.before = Neighbor::Edge;
            }
            Item::Recursion { number, span, mode } => self.recursion(*number, *span, *mode, state),
            Item::Captured { bodies, is_written } => self.captured(bodies, *is_written, state),
            // `body` reads these.
            Item::Tag(_) | Item::Alternatives(_) => {}
        }
    }

    /// Reads a block that captures its output. Text in it is reported only if no message is.
    fn captured(&mut self, bodies: &[Body<'_>], is_written: bool, state: &OpenElements) {
        let count = self.found.findings.len();
        bodies.iter().for_each(|body| self.report_captured(body));
        if !is_written {
            return;
        }
        if self.found.findings.len() == count && state.message.is_none() {
            bodies.iter().for_each(|body| self.report_written_outside(body, state));
        }
        self.before = Neighbor::Value;
    }

    /// Reads a nested occurrence of a partial. The same elements must be open as at its beginning.
    fn recursion(
        &mut self,
        number: usize,
        span: TemplateSpan,
        mode: MarkupMode,
        state: &OpenElements,
    ) {
        let around = self.partials.iter().rev().find(|open| open.number == number);
        match around.map(|around| (around.state.clone(), around.mode == mode)) {
            Some((begin, true)) => self.check_same(&begin, state, span),
            Some((_, false)) => self.report(findings::partial_in_other_context(span)),
            None => {}
        }
        self.before = Neighbor::Edge;
    }

    fn invalid_markup(&mut self, invalid: &InvalidMarkup, is_text: bool, state: &mut OpenElements) {
        self.before = Neighbor::Text;
        let is_message = matches!(
            invalid.kind,
            InvalidMarkupKind::Tag(Element::Message, _)
                | InvalidMarkupKind::Block(Element::Message)
        );
        if is_text {
            if is_message {
                self.marks.lookalike(invalid.span);
            }
            return;
        }
        self.report(findings::invalid_markup(invalid));
        if !is_message {
            return;
        }
        // To avoid further errors, it opens or closes a message as a valid tag would.
        let span = invalid.span;
        let opener = state.message.as_ref().map(|open| open.opener);
        match span.text_in(self.text).is_some_and(|written| written.starts_with("</")) {
            true if opener == Some(Opener::Tag) => *state = OpenElements::default(),
            false if opener.is_none() => {
                self.reported_outside = false;
                let opener = Opener::Tag;
                let open = OpenMessage { opener, span, role: None, has_error: true };
                *state = OpenElements { message: Some(open), part: None };
            }
            _ => {}
        }
    }

    /// Reads a tag, which is structure or text.
    fn tag(
        &mut self,
        tag: &FoundTag,
        place: &TagPlace,
        state: &mut OpenElements,
        prose: &mut Prose,
    ) {
        let is_text = place.is_in_text || prose.is_open();
        let Some(element) = tag.element else {
            if let Some(opening) = place.closes {
                prose.close(opening);
            }
            self.text_tag(tag, state, is_text);
            // Outside of messages, an unknown element is an error and has no content.
            if place.opens && state.message.is_some() {
                prose.open(place.index, None);
            }
            return;
        };
        if tag.form != TagForm::Closing {
            self.opening_tag(tag, element, place, state, prose);
        } else if place.is_in_text || prose.close_element(element) {
            self.text_tag(tag, state, true);
        } else {
            prose.clear();
            self.close(tag, element, state);
        }
    }

    /// Reads a tag that opens a known element, or that has no content, such as `<image/>`.
    fn opening_tag(
        &mut self,
        tag: &FoundTag,
        element: Element,
        place: &TagPlace,
        state: &mut OpenElements,
        prose: &mut Prose,
    ) {
        let is_text = place.is_in_text || prose.is_open();
        let opens = tag.form == TagForm::Opening;
        let is_nested = match element {
            Element::Message => state.message.is_some(),
            // A part without content is text: "write `<image></image>` or `<image/>`".
            _ => !opens || place.content == TagContent::Empty || state.part.is_some(),
        };
        if !is_text && !is_nested {
            if let (TagContent::Text(content), true) = (place.content, element.media().is_some()) {
                self.check_url(content, element);
            }
            return self.open(tag, element, state);
        }
        if !is_text && element == Element::Message {
            self.report(findings::nested(tag.span));
        }
        self.text_tag(tag, state, true);
        if opens {
            prose.open(place.index, Some(element));
        }
    }

    /// Handles a tag that is text. `is_nested` is true if it is in an element that is text, or has
    /// a meaning elsewhere, so that its name is not a misspelling.
    fn text_tag(&mut self, tag: &FoundTag, state: &OpenElements, is_nested: bool) {
        self.report_outside(tag.span, state);
        self.before = Neighbor::Text;
        if tag.element == Some(Element::Message) {
            self.marks.lookalike(tag.span);
        }
        if tag.element.is_none() && !is_nested && tag.form != TagForm::Closing {
            self.found.findings.extend(findings::similar(tag));
        }
    }

    /// Handles a tag that opens a message or a part.
    fn open(&mut self, tag: &FoundTag, element: Element, state: &mut OpenElements) {
        self.mark_edge(tag.span);
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
        self.reported_outside = false;
        let role = self.read_role(tag);
        if let Some(role) = &role {
            self.found.messages.push((role.clone(), tag.span));
        }
        if tag.form == TagForm::Opening {
            let has_error = role.is_none();
            let open = OpenMessage { opener: Opener::Tag, span: tag.span, role, has_error };
            state.message = Some(open);
        }
    }

    /// Returns the role of a message's tag. `None` if that is an error.
    fn read_role(&mut self, tag: &FoundTag) -> Option<Role> {
        let Some(attribute) = tag.attributes.iter().find(|it| it.name == "role") else {
            self.report(findings::missing_role(tag));
            return None;
        };
        let Some(value) = &attribute.value else {
            self.report(findings::computed_role(tag.span));
            return None;
        };
        let role = ROLES.into_iter().find(|role| role.as_str().eq_ignore_ascii_case(value));
        if role.is_none() {
            self.report(findings::unknown_role(value, attribute.span));
        }
        role
    }

    /// Handles a tag that closes a message or a part.
    fn close(&mut self, tag: &FoundTag, element: Element, state: &mut OpenElements) {
        let opener = state.message.as_ref().map(|open| open.opener);
        self.mark_edge(tag.span);
        match (element, opener, state.part) {
            (_, Some(_), Some((open, _))) if open == element => state.part = None,
            (Element::Message, Some(Opener::Tag), part) => {
                if let Some((open, _)) = part {
                    self.report(findings::mismatched(tag.span, open));
                }
                *state = OpenElements::default();
            }
            (_, _, Some((open, _))) => {
                self.report(findings::mismatched(tag.span, open));
                state.part = None;
            }
            _ => self.report(findings::stray(tag.span, element)),
        }
    }

    fn mark_edge(&mut self, span: TemplateSpan) {
        self.marks.edge(span);
        self.before = Neighbor::Edge;
    }

    /// Handles a call of `message` without a block. It closes the message that a call with the same
    /// role opened, and otherwise opens one. An invalid call does so too, whatever its role.
    fn call(&mut self, node: &Node, call: &Call, state: &mut OpenElements) {
        self.before = Neighbor::Edge;
        self.reported_outside = false;
        let span = node.span;
        let read = match calls::read(node, call, calls::CallForm::Function) {
            Ok(read) => Some(read),
            Err(finding) => {
                self.report(*finding);
                None
            }
        };
        let role = read.as_ref().map(|read| read.role.clone());
        let has_error = read.is_none();
        if let Some(open) = &state.message {
            let is_call = open.opener == Opener::Call;
            let fits = has_error || open.has_error || open.role.is_some() && open.role == role;
            if is_call && fits {
                if let Some((element, _)) = state.part {
                    self.report(findings::mismatched(span, element));
                }
                *state = OpenElements::default();
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
        let message = Some(OpenMessage { opener: Opener::Call, span, role, has_error });
        *state = OpenElements { message, part: None };
    }

    fn message_block(&mut self, node: &Node, call: &Call, inner: &Body<'_>, state: &OpenElements) {
        let read = calls::read(node, call, calls::CallForm::Block);
        if state.message.is_some() {
            self.report(findings::nested_block(call.name.span));
        }
        self.before = Neighbor::Edge;
        self.reported_outside = false;
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
        let has_error = role.is_none();
        let open = OpenMessage { opener: Opener::Block, span: call.name.span, role, has_error };
        let inside = OpenElements { message: Some(open), part: None };
        let end = self.body(inner, inside.clone(), false, Neighbor::Edge);
        self.check_same(&inside, &end, call.name.span);
        self.before = Neighbor::Edge;
    }

    /// Reads a block that writes one of its bodies, and returns the elements that are open after
    /// it.
    fn alternatives(
        &mut self,
        alternatives: &Alternatives<'_>,
        before: OpenElements,
        is_in_text: bool,
        following: Neighbor,
    ) -> OpenElements {
        let written_before = self.before;
        let mut written_last = if alternatives.may_skip { written_before } else { Neighbor::Text };
        // What is open after each way through the block that has been read.
        let mut after: Option<OpenElements> = alternatives.may_skip.then(|| before.clone());
        for (index, body) in alternatives.bodies.iter().enumerate() {
            self.before = written_before;
            let end = self.body(body, before.clone(), is_in_text, following);
            written_last = written_last.max(self.before);
            // The next iteration begins where the first one ended.
            if index == 0 && alternatives.repeats {
                after.get_or_insert_with(|| before.clone());
            }
            after = Some(match after {
                None => end,
                Some(mut known) if known.fits(&end) => {
                    known.merge(&end);
                    known
                }
                Some(known) => {
                    self.check_same(&known, &end, alternatives.span);
                    // To avoid further errors, the analysis continues with the open element.
                    if known.message.is_none() { end } else { known }
                }
            });
        }
        self.before = written_last;
        after.unwrap_or(before)
    }

    /// Reports an error if different elements are open where two branches join.
    fn check_same(&mut self, one: &OpenElements, other: &OpenElements, block: TemplateSpan) {
        if one.fits(other) {
            return;
        }
        // Prefer the place of an element that only one branch opens, over one that it closes.
        let opened = other.place().filter(|place| one.place() != Some(*place));
        let place = opened.or_else(|| one.place()).unwrap_or(block);
        let finding = findings::open_in_some_branches(place);
        // The end of a loop joins the same two branches a second time.
        if self.found.findings.last() != Some(&finding) {
            self.report(finding);
        }
    }

    /// Reports elements that are still open at the end of the template.
    fn report_unclosed(&mut self, end: &OpenElements) {
        if let Some((element, span)) = end.part {
            self.report(findings::unclosed_part(span, element));
            return;
        }
        match &end.message {
            // An invalid tag may be prose.
            Some(OpenMessage { opener: Opener::Tag, has_error: true, .. }) => {}
            Some(OpenMessage { opener: Opener::Tag, span, .. }) => {
                self.report(findings::unclosed(*span));
            }
            Some(OpenMessage { opener: Opener::Call, span, role, .. }) => {
                self.report(findings::unclosed_call(*span, role.as_ref()));
            }
            _ => {}
        }
    }

    /// Reports text that a capturing block outside of messages writes.
    fn report_written_outside(&mut self, body: &Body<'_>, state: &OpenElements) {
        for item in &body.items {
            match item {
                Item::Text(span) if is_blank(self.text, *span) => {}
                Item::Text(span) | Item::Entity(span) => self.report_outside(*span, state),
                Item::Tag(tag) => self.report_outside(tag.span, state),
                Item::Value { expr, .. } => self.found.outside.push(expr.span),
                Item::Alternatives(alternatives) => {
                    let bodies = alternatives.bodies.iter();
                    bodies.for_each(|body| self.report_written_outside(body, state));
                }
                Item::Captured { bodies, is_written: true } => {
                    bodies.iter().for_each(|body| self.report_written_outside(body, state));
                }
                Item::Partial { body, .. } => self.report_written_outside(body, state),
                _ => {}
            }
        }
    }

    /// Reports messages in a block that captures its output.
    fn report_captured(&mut self, body: &Body<'_>) {
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
                    self.report_captured(inner);
                }
                Item::Alternatives(alternatives) => {
                    alternatives.bodies.iter().for_each(|body| self.report_captured(body));
                }
                Item::Partial { body, .. } => self.report_captured(body),
                Item::Captured { bodies, .. } => {
                    bodies.iter().for_each(|body| self.report_captured(body));
                }
                _ => {}
            }
        }
    }
}

/// The context of a tag in its body.
struct TagPlace {
    index: usize,
    /// The index of the opening tag of the unknown element that this tag closes.
    closes: Option<usize>,
    /// Whether the tag opens an unknown element that is closed later.
    opens: bool,
    /// Whether its body is inside an element that is text.
    is_in_text: bool,
    content: TagContent,
}

/// The content between an opening tag and the closing tag of the same element.
#[derive(Clone, Copy, PartialEq)]
enum TagContent {
    /// The closing tag follows directly.
    Empty,
    /// Only literal text.
    Text(TemplateSpan),
    /// Anything else. Perhaps there is no closing tag.
    Other,
}

/// Returns the content of the element that the tag at `index` opens.
fn tag_content(items: &[Item<'_>], index: usize, tag: &FoundTag) -> TagContent {
    let closes = |distance: usize| {
        matches!(items.get(index + distance), Some(Item::Tag(next))
            if next.form == TagForm::Closing && next.element == tag.element)
    };
    match items.get(index + 1) {
        Some(Item::Text(span)) if closes(2) => TagContent::Text(*span),
        _ if tag.form == TagForm::Opening && closes(1) => TagContent::Empty,
        _ => TagContent::Other,
    }
}
