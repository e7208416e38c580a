//! Lines that a template writes as if they were role markers, and that open no message: `{{ m.role }}:`.
//!
//! A marker is a line that the author wrote as text. A line that a value writes is data, and so is one whose
//! role and colon are put together by tags: the message that it was meant to open is glued to the one before.
//! So such lines are found, wherever they are written straight to the output. What a `set`, `filter` or `call`
//! block catches is a value and no part of the conversation, and so is what goes through a filter: there the
//! author says that it is text. A macro's text is written where the macro is called.

mod line;
mod speakers;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use self::line::{Effect, State, States};
pub use self::speakers::HoldsRoles;
use self::speakers::Speakers;
use crate::tree::{Argument, BinaryOperator, Expr, ExprKind, Macro, Node, NodeKind, Template};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::marker_line::match_line;
use prompty_core::work::add_steps;

/// A line that looks like a role marker once it is written, and opens no message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoleLine {
    /// The place of the role: what prints it, or its name.
    pub span: TemplateSpan,
    /// What writes the role.
    pub writer: RoleWriter,
    /// What writes the line.
    pub place: RolePlace,
    /// The name of the list that a loop writes the line for: `history` in `{% for m in history[-5:] %}`. Nothing
    /// outside of loops, and nothing where the list is no input by itself.
    pub list: Option<String>,
}

/// What writes the role of a [`RoleLine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoleWriter {
    /// A value.
    Value,
    /// The template's text, in a line that tags share.
    Text,
}

/// Where a [`RoleLine`] is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RolePlace {
    /// Once, outside of loops.
    Template,
    /// In a loop or a section, over what stands at this place.
    Loop(TemplateSpan),
    /// In a macro, which may be called often.
    Macro,
}

impl RolePlace {
    /// The place in a loop over a list that stands here. What a macro loops over is what it is given.
    fn looping(self, list: TemplateSpan) -> Self {
        if self == Self::Macro { self } else { Self::Loop(list) }
    }
}

impl RoleLine {
    /// Whether what is printed is a part of an item that is not called `role`, as it is in a thread.
    pub fn prints_other_part(&self, text: &str) -> bool {
        let is_other = self.span.text_in(text).is_some_and(|written| !written.contains("role"));
        self.writer == RoleWriter::Value && self.list.is_some() && is_other
    }
}

/// The lines of a template that look like role markers once they are written and open no message, in the order
/// of their places. `holds_roles` says which parts of an input's items are declared to be roles.
pub fn role_lines<'t>(
    text: &'t str,
    template: &'t Template,
    holds_roles: HoldsRoles<'t>,
) -> Vec<RoleLine> {
    let mut reader = Reader {
        text,
        markers: OnceCell::new(),
        speakers: Speakers::new(&template.nodes, holds_roles),
        effects: HashMap::new(),
        macros: HashMap::new(),
        entered: HashSet::new(),
        depth: 0,
        calls: HashMap::new(),
        unread: Vec::new(),
        lines: HashMap::new(),
    };
    reader.read_macros();
    let end = States::of(State::Colon);
    reader.walk(&template.nodes, States::of(State::Empty), end, RolePlace::Template);
    reader.walk_macros();
    let mut lines: Vec<RoleLine> = reader.lines.into_values().collect();
    lines.sort_by_key(|line| line.span);
    lines
}

/// The lines that have the form of a marker as they stand in the template.
fn marker_lines(text: &str) -> Vec<TemplateSpan> {
    let mut start = 0;
    let mut markers = Vec::new();
    for line in text.split('\n') {
        if match_line(line).is_some() {
            markers.push(TemplateSpan::new(start, start + line.len()));
        }
        start += line.len() + 1;
    }
    markers
}

/// How many macros are followed that each use one behind them, with room on the stack for all.
const DEEPEST_CALLS: usize = 32;

/// Reads a template twice: for what each part does to its line, and for where a role comes to stand alone.
struct Reader<'t> {
    text: &'t str,
    /// The lines that have the form of a marker as they stand in the template. Most templates need not be read
    /// for them.
    markers: OnceCell<Vec<TemplateSpan>>,
    speakers: Speakers<'t>,
    effects: HashMap<TemplateSpan, Effect>,
    macros: HashMap<&'t str, Effect>,
    /// The macros whose effect is being found, which may call themselves.
    entered: HashSet<&'t str>,
    /// How many macros are being read inside of each other.
    depth: usize,
    calls: HashMap<&'t str, Calls>,
    /// The macros of which new calls are known since they were walked.
    unread: Vec<&'t str>,
    lines: HashMap<TemplateSpan, RoleLine>,
}

/// How a macro is called, where its text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Calls {
    /// What may stand on the line before it.
    before: States,
    /// The states behind it from which the line comes to look like a marker.
    behind: States,
}

/// A part of what an output prints.
enum PrintedPart<'t> {
    Role,
    Value,
    Text(&'t str),
    /// What a macro writes.
    Macro(&'t str),
}

impl<'t> Reader<'t> {
    /// Finds the roles in nodes that write to a line in the states `before`, where `behind` are the states from
    /// which what follows makes it look like a marker.
    fn walk(&mut self, nodes: &'t [Node], before: States, behind: States, place: RolePlace) {
        let effects: Vec<Effect> = nodes.iter().map(|node| self.effect(node)).collect();
        let behinds = states_behind_each(&effects, behind);
        let mut before = before;
        for ((node, effect), behind) in nodes.iter().zip(effects).zip(behinds) {
            self.enter(node, before, behind, place);
            before = effect.states_behind(before);
        }
    }

    fn enter(&mut self, node: &'t Node, before: States, behind: States, place: RolePlace) {
        add_steps(1);
        match &node.kind {
            NodeKind::Text(text) => self.enter_text(node.span, text, before, behind, place),
            NodeKind::Output(expr) => self.enter_output(node.span, expr, before, behind, place),
            NodeKind::If(branching) => {
                for (_, body) in &branching.branches {
                    self.walk(body, before, behind, place);
                }
                let otherwise = branching.otherwise.as_deref().unwrap_or_default();
                self.walk(otherwise, before, behind, place);
            }
            NodeKind::For(repeated) => {
                let in_rounds = place.looping(repeated.iterable.span);
                self.walk_rounds(&repeated.body, before, behind, in_rounds);
                self.walk(&repeated.otherwise, before, behind, place);
            }
            NodeKind::Section(section) => {
                // A section that prints nothing is a condition.
                let is_text = |node: &Node| matches!(node.kind, NodeKind::Text(_));
                let is_condition = section.body.iter().all(is_text);
                let place = if is_condition { place } else { place.looping(section.subject.span) };
                self.walk_rounds(&section.body, before, behind, place);
            }
            NodeKind::Context(block) => {
                let is_text = |node: &Node| matches!(node.kind, NodeKind::Text(_));
                let is_condition = block.body.iter().all(is_text);
                let inside = if is_condition { place } else { place.looping(block.subject.span) };
                self.walk_rounds(&block.body, before, behind, inside);
                self.walk(&block.otherwise, before, behind, place);
            }
            NodeKind::RecursivePartial(partial) => {
                self.walk_rounds(&partial.body, before, behind, place);
            }
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => {
                self.walk(body, before, behind, place);
            }
            // What these catch is no part of the conversation.
            NodeKind::SetBlock { .. }
            | NodeKind::FilterBlock { .. }
            | NodeKind::CallBlock { .. } => {}
            NodeKind::Macro(_)
            | NodeKind::Set { .. }
            | NodeKind::Do(_)
            | NodeKind::Break
            | NodeKind::Continue
            | NodeKind::OtherTemplate(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Indentation
            | NodeKind::Partial => {}
        }
    }

    /// Before and behind a round of a loop there may be other rounds.
    fn walk_rounds(&mut self, body: &'t [Node], before: States, behind: States, place: RolePlace) {
        let rounds = self.sequence(body).repeated();
        let (before, behind) = (rounds.states_behind(before), rounds.states_before(behind));
        self.walk(body, before, behind, place);
    }

    /// A role in the first or in the last line of a text: all between stands on lines of its own.
    fn enter_text(
        &mut self,
        span: TemplateSpan,
        text: &str,
        before: States,
        behind: States,
        place: RolePlace,
    ) {
        let completes = |after: State| match text.contains('\n') {
            true => after == State::Colon,
            false => after.has_role() && behind.has(after),
        };
        let is_first = |state: State| {
            state.may_begin_role() && completes(self.after(state, span, first_line(text)))
        };
        let (first, last) = (before.iter().any(is_first), last_line(text));
        let is_last = last.is_some_and(|last| {
            let after = self.after(State::Empty, last_span(span, last), last);
            after.has_role() && behind.has(after)
        });
        if first {
            let end = span.start + first_line(text).len();
            self.tell(TemplateSpan::new(span.start, end), RoleWriter::Text, place);
        }
        if let (Some(last), true) = (last, is_last) {
            self.tell(last_span(span, last), RoleWriter::Text, place);
        }
    }

    fn enter_output(
        &mut self,
        span: TemplateSpan,
        expr: &'t Expr,
        before: States,
        behind: States,
        place: RolePlace,
    ) {
        let mut printed = Vec::new();
        self.printed(expr, &mut printed);
        let effects: Vec<Effect> = printed.iter().map(|part| self.effect_of(part)).collect();
        let behinds = states_behind_each(&effects, behind);
        let mut before = before;
        for ((part, effect), behind) in printed.iter().zip(effects).zip(behinds) {
            match part {
                PrintedPart::Role => {
                    let begins = before.iter().any(State::may_begin_role);
                    if begins && behind.has(State::Role) {
                        self.tell(span, RoleWriter::Value, place);
                    }
                }
                PrintedPart::Macro(name) => self.note_call(name, before, behind),
                PrintedPart::Value | PrintedPart::Text(_) => {}
            }
            before = effect.states_behind(before);
        }
    }

    fn note_call(&mut self, name: &'t str, before: States, behind: States) {
        let known = self.calls.entry(name).or_default();
        let calls = Calls { before: known.before.with(before), behind: known.behind.with(behind) };
        if calls != *known {
            *known = calls;
            self.unread.push(name);
        }
    }

    /// Walks the macros that are called, until nothing new is known of how they are.
    fn walk_macros(&mut self) {
        while let Some(name) = self.unread.pop() {
            let calls = self.calls.get(name).copied().unwrap_or_default();
            if let Some(called) = self.speakers.macros.get(name).copied() {
                self.walk(&called.body, calls.before, calls.behind, RolePlace::Macro);
            }
        }
    }

    fn tell(&mut self, span: TemplateSpan, writer: RoleWriter, place: RolePlace) {
        let list = match place {
            RolePlace::Loop(list) => list.text_in(self.text).and_then(list_name),
            RolePlace::Template | RolePlace::Macro => None,
        };
        let list = list.filter(|name| self.speakers.may_be_input(name)).map(str::to_owned);
        self.lines.entry(span).or_insert(RoleLine { span, writer, place, list });
    }

    fn effect(&mut self, node: &'t Node) -> Effect {
        if let Some(effect) = self.effects.get(&node.span) {
            return *effect;
        }
        add_steps(1);
        let effect = match &node.kind {
            NodeKind::Text(text) => self.text(node.span, text),
            NodeKind::Output(expr) => {
                let mut printed = Vec::new();
                self.printed(expr, &mut printed);
                let parts = printed.iter().map(|part| self.effect_of(part));
                parts.fold(Effect::nothing(), Effect::then)
            }
            NodeKind::If(branching) => {
                let otherwise = branching.otherwise.as_deref().unwrap_or_default();
                let bodies = branching.branches.iter().map(|(_, body)| body);
                bodies.fold(self.sequence(otherwise), |effect, body| effect.or(self.sequence(body)))
            }
            NodeKind::For(repeated) => {
                self.sequence(&repeated.body).repeated().or(self.sequence(&repeated.otherwise))
            }
            NodeKind::Section(section) => self.sequence(&section.body).repeated(),
            NodeKind::Context(block) => {
                self.sequence(&block.body).repeated().or(self.sequence(&block.otherwise))
            }
            NodeKind::RecursivePartial(partial) => self.sequence(&partial.body).repeated(),
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => self.sequence(body),
            NodeKind::FilterBlock { .. }
            | NodeKind::CallBlock { .. }
            | NodeKind::OtherTemplate(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Partial => Effect::value(),
            NodeKind::Set { .. }
            | NodeKind::SetBlock { .. }
            | NodeKind::Macro(_)
            | NodeKind::Do(_)
            | NodeKind::Break
            | NodeKind::Indentation
            | NodeKind::Continue => Effect::nothing(),
        };
        self.effects.insert(node.span, effect);
        effect
    }

    fn sequence(&mut self, nodes: &'t [Node]) -> Effect {
        nodes.iter().fold(Effect::nothing(), |effect, node| effect.then(self.effect(node)))
    }

    fn text(&self, span: TemplateSpan, text: &str) -> Effect {
        let first = |state| self.after(state, span, first_line(text));
        match last_line(text) {
            None => Effect::each(first),
            Some(last) => {
                Effect::lines(first, self.after(State::Empty, last_span(span, last), last))
            }
        }
    }

    /// The state after a piece of a line that stands at a place.
    fn after(&self, state: State, place: TemplateSpan, piece: &str) -> State {
        state.after_text(piece, || self.is_marker(place.start))
    }

    /// Whether the line at a place of the template has the form of a marker.
    fn is_marker(&self, place: usize) -> bool {
        add_steps(1);
        let markers = self.markers.get_or_init(|| marker_lines(self.text));
        let next = markers.partition_point(|line| line.start <= place);
        let line = next.checked_sub(1).and_then(|last| markers.get(last));
        line.is_some_and(|line| place <= line.end)
    }

    /// What an expression prints, in order.
    fn printed(&self, expr: &'t Expr, parts: &mut Vec<PrintedPart<'t>>) {
        if let Some(filled) = filled(expr) {
            for part in filled {
                match part {
                    Filled::Text(text) => parts.push(PrintedPart::Text(text)),
                    Filled::With(expr) => self.printed(expr, parts),
                }
            }
            return;
        }
        let part = match &expr.kind {
            ExprKind::Binary {
                operator: BinaryOperator::Concatenate | BinaryOperator::Add,
                left,
                right,
            } => {
                self.printed(left, parts);
                self.printed(right, parts);
                return;
            }
            _ if self.speakers.makes_role(expr) => PrintedPart::Role,
            ExprKind::Literal(text) => text.as_str().map_or(PrintedPart::Value, PrintedPart::Text),
            ExprKind::Function(call) if self.speakers.macros.contains_key(&*call.name.text) => {
                PrintedPart::Macro(&call.name.text)
            }
            _ => PrintedPart::Value,
        };
        parts.push(part);
    }

    fn effect_of(&mut self, part: &PrintedPart<'t>) -> Effect {
        match part {
            PrintedPart::Role => Effect::role(),
            PrintedPart::Value => Effect::value(),
            PrintedPart::Text(text) => printed_text(text),
            PrintedPart::Macro(name) => self.effect_of_macro(name),
        }
    }

    /// Finds the effects of the macros in the order in which they stand: most use those before them, so a chain
    /// of them is followed step by step, however long it is.
    fn read_macros(&mut self) {
        let mut declared: Vec<&'t Macro> = self.speakers.macros.values().copied().collect();
        declared.sort_by_key(|declared| declared.name.span);
        for declared in declared {
            self.effect_of_macro(&declared.name.text);
        }
    }

    fn effect_of_macro(&mut self, name: &'t str) -> Effect {
        if let Some(effect) = self.macros.get(name) {
            return *effect;
        }
        let called: Option<&'t Macro> = self.speakers.macros.get(name).copied();
        let is_followed = self.depth < DEEPEST_CALLS;
        let Some(called) = called.filter(|_| is_followed && self.entered.insert(name)) else {
            return Effect::value();
        };
        self.depth += 1;
        let effect = self.sequence(&called.body);
        self.depth -= 1;
        self.macros.insert(name, effect);
        effect
    }
}

/// A part of a text that is put together.
enum Filled<'t> {
    Text(&'t str),
    With(&'t Expr),
}

/// The parts of a text whose places are filled (`"%s:" | format(m.role)`, `"{}:".format(m.role)`, `"%s:" % m.role`), and
/// of a list that is joined (`[m.role, ":"] | join`). Nothing where a place says more than that it is one.
fn filled(expr: &Expr) -> Option<Vec<Filled<'_>>> {
    let (text, place, values) = match &expr.kind {
        ExprKind::Filter { value, call } if call.name.text == "join" => {
            return joined(value, call.arguments.first().map(Argument::expr));
        }
        ExprKind::Filter { value, call } if call.name.text == "format" => {
            (value, "%s", positional(&call.arguments)?)
        }
        ExprKind::Method { value, call } if call.name.text == "format" => {
            (value, "{}", positional(&call.arguments)?)
        }
        ExprKind::Binary { operator: BinaryOperator::Remainder, left, right } => {
            let values = match &right.kind {
                ExprKind::Tuple(values) => values.iter().collect(),
                _ => vec![&**right],
            };
            (left, "%s", values)
        }
        _ => return None,
    };
    let ExprKind::Literal(text) = &text.kind else { return None };
    let mut values = values.into_iter();
    let mut parts = Vec::new();
    for (index, piece) in text.as_str()?.split(place).enumerate() {
        if piece.contains(['%', '{', '}']) {
            return None;
        }
        if index > 0 {
            parts.push(Filled::With(values.next()?));
        }
        parts.push(Filled::Text(piece));
    }
    Some(parts)
}

fn positional(arguments: &[Argument]) -> Option<Vec<&Expr>> {
    let value = |argument: &'_ Argument| matches!(argument, Argument::Positional(_));
    arguments.iter().all(value).then(|| arguments.iter().map(Argument::expr).collect())
}

fn joined<'t>(list: &'t Expr, between: Option<&'t Expr>) -> Option<Vec<Filled<'t>>> {
    let (ExprKind::List(items) | ExprKind::Tuple(items)) = &list.kind else { return None };
    let mut parts = Vec::new();
    for (index, item) in items.iter().enumerate() {
        parts.extend(between.filter(|_| index > 0).map(Filled::With));
        parts.push(Filled::With(item));
    }
    Some(parts)
}

/// The states behind each part from which the line comes to look like a marker, where `behind` are those behind
/// the last.
fn states_behind_each(effects: &[Effect], behind: States) -> Vec<States> {
    let mut behinds = Vec::with_capacity(effects.len());
    let mut next = behind;
    for effect in effects.iter().rev() {
        behinds.push(next);
        next = effect.states_before(next);
    }
    behinds.reverse();
    behinds
}

/// A constant that is printed: a role in it is what the author wants to be text.
fn printed_text(text: &str) -> Effect {
    let first = |state: State| state.after_text(first_line(text), || true);
    match last_line(text) {
        None => Effect::each(first),
        Some(last) => Effect::lines(first, State::Empty.after_text(last, || true)),
    }
}

/// The name that what is looped over begins with, if it is the list that a part is taken of.
fn list_name(written: &str) -> Option<&str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let end = written.find(|character| !is_part(character)).unwrap_or(written.len());
    let (name, behind) = written.split_at_checked(end)?;
    (!name.is_empty() && !behind.starts_with(['(', '.'])).then_some(name)
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

/// What stands behind the last line break, if there is one.
fn last_line(text: &str) -> Option<&str> {
    text.rsplit_once('\n').map(|(_, last)| last)
}

fn last_span(span: TemplateSpan, last: &str) -> TemplateSpan {
    TemplateSpan::new(span.end - last.len(), span.end)
}

#[cfg(all(test, feature = "_work"))]
mod tests;
