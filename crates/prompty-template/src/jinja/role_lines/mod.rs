//! Finds lines of the output that look like role markers, but do not open a message:
//! `{{ m.role }}:`.
//!
//! A marker is a line that the author wrote as text. A line whose role comes from a value is data,
//! and so is a line whose role and colon are assembled by tags. The message that it should open
//! would be appended to the previous one. So these lines are found, wherever they are written
//! directly to the output. Text that a `set`, `filter` or `call` block captures is a value and not
//! part of the conversation. The same applies to text that goes through a filter. The text of a
//! macro is written where the macro is called.
//!
//! `line` has the states of a line, and `role_values` finds the values that are roles. For
//! `{{ m.role }}{% if formal %}:{% endif %}`, the search works as follows:
//!
//! 1. `RoleLineReader::effect_of_node` computes what each node does with each state of a line.
//!    From the state `Role`, the `if` leads to `Role` or to `Colon`.
//! 2. `RoleLineReader::walk` knows the possible states before the first node, here `Empty`, and
//!    the states after the last node from which the line can become a marker, here `Colon`. The
//!    effects give both sets for each node. Before the `if`, the line can become a marker from
//!    `Role`.
//! 3. `RoleLineReader::walk_node` therefore reports `m.role`: it is printed in the state `Empty`,
//!    which leads to `Role`, from which the line can become a marker.

mod line;
mod role_values;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use self::line::{LineEffect, LineState, LineStates};
pub use self::role_values::RoleFields;
use self::role_values::RoleValues;
use crate::tree::{
    Argument, BinaryOperator, ContextBlock, Expr, ExprKind, For, Macro, Node, NodeKind,
    RecursivePartial, Section, Template, positional_values,
};
use crate::walk;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::message::marker_line::match_line;
use prompty_core::work::add_steps;

/// A line of the output that looks like a role marker, but does not open a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoleLine {
    /// The span of the role: of the tag that prints it, or of its name in the text.
    pub span: TemplateSpan,
    /// Whether a value or the template's text writes the role.
    pub writer: RoleWriter,
    /// The part of the template that writes the line.
    pub place: RolePlace,
    /// The list whose items the loop writes: `history` in `{% for m in history[-5:] %}`. `None`
    /// outside of loops, and if the list is not an input itself.
    pub list: Option<String>,
}

/// The source of the role in a [`RoleLine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoleWriter {
    /// A value.
    Value,
    /// The template's text, in a line that contains tags.
    Text,
}

/// The part of a template that writes a [`RoleLine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RolePlace {
    /// Once, outside of loops.
    Template,
    /// A loop or a section. The span is that of the value that it iterates over.
    Loop(TemplateSpan),
    /// A macro, which may be called several times.
    Macro,
}

impl RolePlace {
    /// Returns the place inside a loop over `list`. A macro stays a macro, because its list is an
    /// argument.
    fn in_loop(self, list: TemplateSpan) -> Self {
        if self == Self::Macro { self } else { Self::Loop(list) }
    }

    /// Returns the place inside a section. A section that prints no value is a condition.
    fn in_section(self, subject: &Expr, body: &[Node]) -> Self {
        let is_condition = body.iter().all(|node| matches!(node.kind, NodeKind::Text(_)));
        if is_condition { self } else { self.in_loop(subject.span) }
    }
}

impl RoleLine {
    /// Whether the line prints a part of an item that is not called `role`.
    pub fn prints_other_part(&self, text: &str) -> bool {
        let is_other = self.span.text_in(text).is_some_and(|written| !written.contains("role"));
        self.writer == RoleWriter::Value && self.list.is_some() && is_other
    }
}

/// Finds the lines of a template that look like role markers but do not open a message, in the
/// order of their spans. `role_fields` returns which parts of an input's items are declared to be
/// roles.
pub fn role_lines<'t>(
    text: &'t str,
    template: &'t Template,
    role_fields: RoleFields<'t>,
) -> Vec<RoleLine> {
    let mut reader = RoleLineReader {
        text,
        markers: OnceCell::new(),
        role_values: RoleValues::new(&template.nodes, role_fields),
        effects: HashMap::new(),
        macros: HashMap::new(),
        entered: HashSet::new(),
        depth: 0,
        calls: HashMap::new(),
        unwalked: Vec::new(),
        lines: HashMap::new(),
    };
    reader.compute_macro_effects();
    let around = StatesAround {
        before: LineStates::of(LineState::Empty),
        accepting: LineStates::of(LineState::Colon),
    };
    reader.walk(&template.nodes, around, RolePlace::Template);
    reader.walk_macros();
    let mut lines: Vec<RoleLine> = reader.lines.into_values().collect();
    lines.sort_by_key(|line| line.span);
    lines
}

/// Returns the lines of the template's text that have the form of a marker.
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

/// The maximum depth of macros that call each other, which limits the stack.
const MAX_CALL_DEPTH: usize = 32;

/// Visits a template twice: for the effect of each node on its line, and for roles that are alone
/// on a line.
struct RoleLineReader<'t> {
    text: &'t str,
    /// The lines of the text that have the form of a marker. They are computed when first needed.
    markers: OnceCell<Vec<TemplateSpan>>,
    role_values: RoleValues<'t>,
    /// The known effects of nodes, by their spans.
    effects: HashMap<TemplateSpan, LineEffect>,
    /// The known effects of macros.
    macros: HashMap<&'t str, LineEffect>,
    /// The macros whose effect is being computed. They may call themselves.
    entered: HashSet<&'t str>,
    /// The depth of nested macro calls.
    depth: usize,
    /// The line states around the calls of each macro.
    calls: HashMap<&'t str, StatesAround>,
    /// The macros with new calls since they were walked.
    unwalked: Vec<&'t str>,
    /// The result: the lines that were found.
    lines: HashMap<TemplateSpan, RoleLine>,
}

/// The line states around a part of the template, or around the calls of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct StatesAround {
    /// The possible states of the line before the part.
    before: LineStates,
    /// The states after the part from which the line can become a marker.
    accepting: LineStates,
}

/// A part of an output.
enum PrintedPart<'t> {
    Role,
    Value,
    Text(&'t str),
    /// The text of a macro.
    Macro(&'t str),
}

impl<'t> RoleLineReader<'t> {
    /// Finds the roles in nodes.
    fn walk(&mut self, nodes: &'t [Node], around: StatesAround, place: RolePlace) {
        let effects: Vec<LineEffect> = nodes.iter().map(|node| self.effect_of_node(node)).collect();
        for (node, around) in nodes.iter().zip(states_around_each(&effects, around)) {
            self.walk_node(node, around, place);
        }
    }

    fn walk_node(&mut self, node: &'t Node, around: StatesAround, place: RolePlace) {
        add_steps(1);
        match &node.kind {
            NodeKind::Text(text) => self.walk_text(node.span, text, around, place),
            NodeKind::Output(expr) => self.walk_output(node.span, expr, around, place),
            NodeKind::If(_)
            | NodeKind::With { .. }
            | NodeKind::Scope { .. }
            | NodeKind::Block { .. } => {
                for body in walk::bodies(node) {
                    self.walk(body, around, place);
                }
            }
            NodeKind::For(repeated) => {
                let in_loop = place.in_loop(repeated.iterable.span);
                self.walk_iterations(&repeated.body, around, in_loop);
                self.walk(&repeated.otherwise, around, place);
            }
            NodeKind::Section(section) => {
                let inside = place.in_section(&section.subject, &section.body);
                self.walk_iterations(&section.body, around, inside);
            }
            NodeKind::Context(block) => {
                let inside = place.in_section(&block.subject, &block.body);
                self.walk_iterations(&block.body, around, inside);
                self.walk(&block.otherwise, around, place);
            }
            NodeKind::RecursivePartial(partial) => {
                self.walk_iterations(&partial.body, around, place);
            }
            // Text that a block captures is not part of the conversation. A macro is walked with
            // the states around its calls.
            _ => {}
        }
    }

    /// Walks the body of a loop. Other iterations may precede and follow each iteration.
    fn walk_iterations(&mut self, body: &'t [Node], around: StatesAround, place: RolePlace) {
        let others = self.effect_of_nodes(body).repeated();
        let before = others.states_after(around.before);
        let accepting = others.states_before(around.accepting);
        self.walk(body, StatesAround { before, accepting }, place);
    }

    /// Finds a role in the first and the last line of a text. The lines between contain only text.
    /// For example, the text `user` of `user{% if x %}:{% endif %}` is a role.
    fn walk_text(
        &mut self,
        span: TemplateSpan,
        text: &str,
        around: StatesAround,
        place: RolePlace,
    ) {
        let first = first_line(text);
        let may_become_marker = |after: LineState| after.has_role() && around.accepting.has(after);
        let is_marker_in_first = |state: LineState| {
            let after = self.state_after(state, span, first);
            let is_complete = after == LineState::Colon;
            let becomes = if text.contains('\n') { is_complete } else { may_become_marker(after) };
            state.may_begin_role() && becomes
        };
        if around.before.iter().any(is_marker_in_first) {
            let end = span.start + first.len();
            self.report(TemplateSpan::new(span.start, end), RoleWriter::Text, place);
        }
        let Some(last) = last_line(text) else { return };
        let last_span = span_of_end(span, last);
        if may_become_marker(self.state_after(LineState::Empty, last_span, last)) {
            self.report(last_span, RoleWriter::Text, place);
        }
    }

    fn walk_output(
        &mut self,
        span: TemplateSpan,
        expr: &'t Expr,
        around: StatesAround,
        place: RolePlace,
    ) {
        let mut printed = Vec::new();
        self.printed_parts(expr, &mut printed);
        let effects: Vec<LineEffect> =
            printed.iter().map(|part| self.effect_of_part(part)).collect();
        for (part, around) in printed.iter().zip(states_around_each(&effects, around)) {
            match part {
                PrintedPart::Role => {
                    let begins = around.before.iter().any(LineState::may_begin_role);
                    if begins && around.accepting.has(LineState::Role) {
                        self.report(span, RoleWriter::Value, place);
                    }
                }
                PrintedPart::Macro(name) => self.note_call(name, around),
                PrintedPart::Value | PrintedPart::Text(_) => {}
            }
        }
    }

    /// Adds a call of a macro to the states around its calls.
    fn note_call(&mut self, name: &'t str, around: StatesAround) {
        let known = self.calls.entry(name).or_default();
        let calls = StatesAround {
            before: known.before.with(around.before),
            accepting: known.accepting.with(around.accepting),
        };
        if calls != *known {
            *known = calls;
            self.unwalked.push(name);
        }
    }

    /// Walks the called macros, until no new states are found.
    fn walk_macros(&mut self) {
        while let Some(name) = self.unwalked.pop() {
            let calls = self.calls.get(name).copied().unwrap_or_default();
            if let Some(called) = self.role_values.macros.get(name).copied() {
                self.walk(&called.body, calls, RolePlace::Macro);
            }
        }
    }

    /// Records a line, unless its role was found before.
    fn report(&mut self, span: TemplateSpan, writer: RoleWriter, place: RolePlace) {
        let list = match place {
            RolePlace::Loop(list) => list.text_in(self.text).and_then(list_name),
            RolePlace::Template | RolePlace::Macro => None,
        };
        let list = list.filter(|name| self.role_values.may_be_input(name)).map(str::to_owned);
        self.lines.entry(span).or_insert(RoleLine { span, writer, place, list });
    }

    fn effect_of_node(&mut self, node: &'t Node) -> LineEffect {
        if let Some(effect) = self.effects.get(&node.span) {
            return *effect;
        }
        add_steps(1);
        let effect = match &node.kind {
            NodeKind::Text(text) => self.effect_of_text(node.span, text),
            NodeKind::Output(expr) => {
                let mut printed = Vec::new();
                self.printed_parts(expr, &mut printed);
                let parts = printed.iter().map(|part| self.effect_of_part(part));
                parts.fold(LineEffect::nothing(), LineEffect::then)
            }
            NodeKind::If(branching) => {
                let otherwise = branching.otherwise.as_deref().unwrap_or_default();
                let without_branch = self.effect_of_nodes(otherwise);
                let bodies = branching.branches.iter().map(|(_, body)| body);
                bodies.fold(without_branch, |effect, body| effect.or(self.effect_of_nodes(body)))
            }
            NodeKind::For(For { body, otherwise, .. })
            | NodeKind::Context(ContextBlock { body, otherwise, .. }) => {
                self.effect_of_nodes(body).repeated().or(self.effect_of_nodes(otherwise))
            }
            NodeKind::Section(Section { body, .. })
            | NodeKind::RecursivePartial(RecursivePartial { body, .. }) => {
                self.effect_of_nodes(body).repeated()
            }
            NodeKind::With { body, .. }
            | NodeKind::Scope { body, .. }
            | NodeKind::Block { body, .. } => self.effect_of_nodes(body),
            NodeKind::FilterBlock { .. }
            | NodeKind::CallBlock { .. }
            | NodeKind::OtherTemplate(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Partial => LineEffect::value(),
            NodeKind::Set { .. }
            | NodeKind::SetBlock { .. }
            | NodeKind::Macro(_)
            | NodeKind::Do(_)
            | NodeKind::Break
            | NodeKind::Indentation
            | NodeKind::Continue => LineEffect::nothing(),
        };
        self.effects.insert(node.span, effect);
        effect
    }

    fn effect_of_nodes(&mut self, nodes: &'t [Node]) -> LineEffect {
        let effects = nodes.iter().map(|node| self.effect_of_node(node));
        effects.fold(LineEffect::nothing(), LineEffect::then)
    }

    fn effect_of_text(&self, span: TemplateSpan, text: &str) -> LineEffect {
        let first = |state| self.state_after(state, span, first_line(text));
        match last_line(text) {
            None => LineEffect::each(first),
            Some(last) => LineEffect::lines(
                first,
                self.state_after(LineState::Empty, span_of_end(span, last), last),
            ),
        }
    }

    /// Returns the state after a piece of a line at a span.
    fn state_after(&self, state: LineState, place: TemplateSpan, piece: &str) -> LineState {
        state.after_text(piece, || self.is_marker(place.start))
    }

    /// Whether the line at a position of the template has the form of a marker.
    fn is_marker(&self, place: usize) -> bool {
        add_steps(1);
        let markers = self.markers.get_or_init(|| marker_lines(self.text));
        let next = markers.partition_point(|line| line.start <= place);
        let line = next.checked_sub(1).and_then(|last| markers.get(last));
        line.is_some_and(|line| place <= line.end)
    }

    /// Collects the parts that an expression prints, in order.
    fn printed_parts(&self, expr: &'t Expr, parts: &mut Vec<PrintedPart<'t>>) {
        if let Some(pieces) = format_pieces(expr) {
            for piece in pieces {
                match piece {
                    StringPiece::Text(text) => parts.push(PrintedPart::Text(text)),
                    StringPiece::Value(expr) => self.printed_parts(expr, parts),
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
                self.printed_parts(left, parts);
                self.printed_parts(right, parts);
                return;
            }
            _ if self.role_values.is_role(expr) => PrintedPart::Role,
            ExprKind::Literal(text) => text.as_str().map_or(PrintedPart::Value, PrintedPart::Text),
            ExprKind::Function(call) if self.role_values.macros.contains_key(&*call.name.text) => {
                PrintedPart::Macro(&call.name.text)
            }
            _ => PrintedPart::Value,
        };
        parts.push(part);
    }

    fn effect_of_part(&mut self, part: &PrintedPart<'t>) -> LineEffect {
        match part {
            PrintedPart::Role => LineEffect::role(),
            PrintedPart::Value => LineEffect::value(),
            PrintedPart::Text(text) => effect_of_printed_text(text),
            PrintedPart::Macro(name) => self.effect_of_macro(name),
        }
    }

    /// Computes the effects of the macros in source order. Most macros use only earlier ones, so a
    /// long chain of them needs no deep recursion.
    fn compute_macro_effects(&mut self) {
        let mut declared: Vec<&'t Macro> = self.role_values.macros.values().copied().collect();
        declared.sort_by_key(|declared| declared.name.span);
        for declared in declared {
            self.effect_of_macro(&declared.name.text);
        }
    }

    fn effect_of_macro(&mut self, name: &'t str) -> LineEffect {
        if let Some(effect) = self.macros.get(name) {
            return *effect;
        }
        let called: Option<&'t Macro> = self.role_values.macros.get(name).copied();
        let is_followed = self.depth < MAX_CALL_DEPTH;
        // A macro that calls itself, or that is nested too deeply, counts as any value.
        let Some(called) = called.filter(|_| is_followed && self.entered.insert(name)) else {
            return LineEffect::value();
        };
        self.depth += 1;
        let effect = self.effect_of_nodes(&called.body);
        self.depth -= 1;
        self.macros.insert(name, effect);
        effect
    }
}

/// A piece of a string that an expression assembles.
enum StringPiece<'t> {
    Text(&'t str),
    Value(&'t Expr),
}

/// Returns the pieces of a format string (`"%s:" | format(m.role)`, `"{}:".format(m.role)`,
/// `"%s:" % m.role`) or of a joined list (`[m.role, ":"] | join`). The first three have the pieces
/// `m.role` and `":"`, and empty texts. `None` if a placeholder has options.
fn format_pieces(expr: &Expr) -> Option<Vec<StringPiece<'_>>> {
    let (text, placeholder, values) = match &expr.kind {
        ExprKind::Filter { value, call } if call.name.text == "join" => {
            return joined_pieces(value, call.arguments.first().map(Argument::expr));
        }
        ExprKind::Filter { value, call } if call.name.text == "format" => {
            (value, "%s", positional_values(&call.arguments)?)
        }
        ExprKind::Method { value, call } if call.name.text == "format" => {
            (value, "{}", positional_values(&call.arguments)?)
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
    for (index, piece) in text.as_str()?.split(placeholder).enumerate() {
        if piece.contains(['%', '{', '}']) {
            return None;
        }
        if index > 0 {
            parts.push(StringPiece::Value(values.next()?));
        }
        parts.push(StringPiece::Text(piece));
    }
    Some(parts)
}

fn joined_pieces<'t>(list: &'t Expr, between: Option<&'t Expr>) -> Option<Vec<StringPiece<'t>>> {
    let (ExprKind::List(items) | ExprKind::Tuple(items)) = &list.kind else { return None };
    let mut parts = Vec::new();
    for (index, item) in items.iter().enumerate() {
        parts.extend(between.filter(|_| index > 0).map(StringPiece::Value));
        parts.push(StringPiece::Value(item));
    }
    Some(parts)
}

/// Returns the states around each of consecutive parts. `outer` are those around all of them.
fn states_around_each(effects: &[LineEffect], outer: StatesAround) -> Vec<StatesAround> {
    let mut states = vec![outer; effects.len()];
    let mut before = outer.before;
    for (around, effect) in states.iter_mut().zip(effects) {
        around.before = before;
        before = effect.states_after(before);
    }
    let mut accepting = outer.accepting;
    for (around, effect) in states.iter_mut().zip(effects).rev() {
        around.accepting = accepting;
        accepting = effect.states_before(accepting);
    }
    states
}

/// Returns the effect of a printed constant. A role in it is intended as text, like an author's own
/// marker.
fn effect_of_printed_text(text: &str) -> LineEffect {
    let first = |state: LineState| state.after_text(first_line(text), || true);
    match last_line(text) {
        None => LineEffect::each(first),
        Some(last) => LineEffect::lines(first, LineState::Empty.after_text(last, || true)),
    }
}

/// Returns the name at the start of an iterated expression, if the expression is that list or a
/// part of it: `history` of `history[-5:]`, but nothing of `user.history` and `range(3)`.
fn list_name(written: &str) -> Option<&str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let end = written.find(|character| !is_part(character)).unwrap_or(written.len());
    let (name, rest) = written.split_at_checked(end)?;
    (!name.is_empty() && !rest.starts_with(['(', '.'])).then_some(name)
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

/// Returns the text after the last line break, if there is one.
fn last_line(text: &str) -> Option<&str> {
    text.rsplit_once('\n').map(|(_, last)| last)
}

fn span_of_end(span: TemplateSpan, last: &str) -> TemplateSpan {
    TemplateSpan::new(span.end - last.len(), span.end)
}

#[cfg(all(test, feature = "_work"))]
mod tests;
