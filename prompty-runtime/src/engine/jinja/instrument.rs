//! Puts into a template's text what a safe render needs, before the engine compiles it.
//!
//! - Role markers get their nonce: `user:` becomes `user[nonce={{ … }}]:`.
//! - A marker that white-space control has joined to data beside it gets a line of its own, or data
//!   could become a part of the marker.
//! - A call of `message` writes the tag of a message, and a block of it becomes its body between two tags.
//! - An expression in a marker's attributes is spelt so that its value cannot end the marker.
//! - The sides of `~` become texts as they would print, and the right side of `in` something that
//!   holds values by the rules of prompts.
//! - Operators, slices, methods and spread arguments that build, compare or search something large, and
//!   blocks that capture what they write, are charged to the render's budget: twenty lines of
//!   `{% set a = a ~ a %}` would otherwise fill any memory without using up the fuel. The operands are
//!   charged, before the operator sees them. What is short and written in the template is not: the
//!   step of the engine pays for it.
//!
//! Everything is an insertion into the text the author wrote; [`Instrumented::original`] finds the
//! way back for error messages.

use crate::engine::Marks;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_template::Boundaries;
use prompty_template::SyntaxError;
use prompty_template::jinja::syntax::constant_integer;
use prompty_template::message_tags::{MessageCall, MessageEdge};
use prompty_template::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, Macro, Node, NodeKind, Target, Template,
    UnaryOperator,
};
use prompty_template::walk;

/// Names that only an instrumented template holds. All of them begin with what is reserved.
pub(super) mod names {
    pub(in super::super) const TEMPLATE: &str = "prompt";
    pub(in super::super) const NONCE: &str = "__prompty_nonce";
    pub(in super::super) const CHARGE: &str = "__prompty_charge";
    pub(in super::super) const TEXT: &str = "__prompty_text";
    pub(in super::super) const ADDEND: &str = "__prompty_addend";
    pub(in super::super) const FACTOR: &str = "__prompty_factor";
    pub(in super::super) const TIMES: &str = "__prompty_times";
    pub(in super::super) const SOUGHT: &str = "__prompty_sought";
    pub(in super::super) const CONTAINER: &str = "__prompty_container";
    pub(in super::super) const OR_NONE: &str = "__prompty_or_none";
    pub(in super::super) const BOUNDED: &str = "__prompty_bounded";
    pub(in super::super) const MEASURED: &str = "__prompty_measured";
    pub(in super::super) const READ: &str = "__prompty_read";
    pub(in super::super) const INDEXED: &str = "__prompty_indexed";
    pub(in super::super) const SLICED: &str = "__prompty_sliced";
    pub(in super::super) const REVERSED: &str = "__prompty_reversed";
    pub(in super::super) const ARGUMENT: &str = "__prompty_argument";
    pub(in super::super) const SPREAD: &str = "__prompty_spread";
    pub(in super::super) const SPREAD_NAMED: &str = "__prompty_spread_named";
    pub(in super::super) const UNPACKED: &str = "__prompty_unpacked";
    pub(in super::super) const LISTED: &str = "__prompty_listed";
    pub(in super::super) const KEPT: &str = "__prompty_kept";
    pub(in super::super) const CAUGHT: &str = "__prompty_caught";
    pub(in super::super) const ATTRIBUTE: &str = "__prompty_attribute";
    /// With the name of what is called behind it.
    pub(in super::super) const OPENING: &str = "__prompty_opening_";
    /// With the name of what is called behind it.
    pub(in super::super) const CLOSING: &str = "__prompty_closing_";
    pub(in super::super) const NOTHING: &str = "__prompty_nothing";
}

/// A template's text with its insertions.
#[derive(Debug, Clone, Default)]
pub(super) struct Instrumented {
    pub(super) text: String,
    /// For each insertion: where it stands in `text`, and how long it is.
    insertions: Vec<(usize, usize)>,
}

impl Instrumented {
    /// The byte of the author's text that a byte of the instrumented text came from.
    pub(super) fn original(&self, offset: usize) -> usize {
        let mut inserted = 0;
        for (start, length) in &self.insertions {
            if offset < *start {
                break;
            }
            inserted += (*length).min(offset - start);
        }
        offset - inserted
    }
}

/// The text of a template with what a render needs.
///
/// # Errors
///
/// The tree is not that of the text, or has a construct that is unknown here.
pub(super) fn instrument(
    text: &str,
    template: &Template,
    marks: &Marks,
) -> Result<Instrumented, SyntaxError> {
    let (Marks::Boundaries(boundaries) | Marks::Fences(boundaries)) = marks;
    let mut edits = Edits::new(text, template, boundaries);
    for insertion in &boundaries.insertions {
        let (before, after) = (lasting(insertion.before), lasting(insertion.after));
        let nonce = format!("{before}{{{{ {} }}}}{after}", names::NONCE);
        edits.insert_in_text(insertion.offset, nonce);
    }
    // A fence ends before what is written at the end of the block around it.
    if matches!(marks, Marks::Fences(_)) {
        edits.fence_outputs(&template.nodes);
    }
    edits.nodes(&template.nodes);
    edits.apply()
}

/// A text whose newlines no white-space control can take.
fn lasting(text: &str) -> String {
    text.replace('\n', r"{{ '\n' }}")
}

struct Edits<'text> {
    text: &'text str,
    boundaries: &'text Boundaries,
    /// Insertions by their place in `text`; those at one place apply in the order of the list.
    list: Vec<(usize, String)>,
    /// Whether the nodes at hand write into a captured text.
    captured: bool,
    /// Whether the nodes at hand stand in a recursive loop, whose caller may catch what they write.
    recursive: bool,
    /// The literal texts that are the content of a `raw` block.
    raw: &'text [TemplateSpan],
    /// A construct that could not be made safe because it is unknown here.
    unknown: Option<TemplateSpan>,
}

impl<'text> Edits<'text> {
    fn new(text: &'text str, template: &'text Template, boundaries: &'text Boundaries) -> Self {
        let raw = template.raw.as_slice();
        let (list, captured, recursive, unknown) = (Vec::new(), false, false, None);
        Self { text, boundaries, list, captured, recursive, raw, unknown }
    }

    fn insert(&mut self, offset: usize, text: impl Into<String>) {
        self.list.push((offset, text.into()));
    }

    /// Inserts template code into a literal text, which may stand in a `raw` block.
    fn insert_in_text(&mut self, offset: usize, code: String) {
        let is_behind_brace = self.text.get(..offset).is_some_and(|it| it.ends_with('{'));
        if self.is_raw(offset) {
            self.insert(offset, format!("{{% endraw %}}{code}{{% raw %}}"));
        } else if is_behind_brace {
            // Together with what is inserted, the brace would begin a tag.
            self.insert(offset - 1, "{% raw %}");
            self.insert(offset, format!("{{% endraw %}}{code}"));
        } else {
            self.insert(offset, code);
        }
    }

    /// Whether a byte of a literal text stands in a `raw` block.
    fn is_raw(&self, offset: usize) -> bool {
        let next = self.raw.partition_point(|span| span.start <= offset);
        let span = next.checked_sub(1).and_then(|index| self.raw.get(index));
        span.is_some_and(|span| offset <= span.end)
    }

    fn wrap(&mut self, span: TemplateSpan, filter: &str, inner: impl FnOnce(&mut Self)) {
        // The outer parentheses are for what may follow, such as `[0]`.
        self.insert(span.start, "((");
        inner(self);
        self.insert(span.end, format!(")|{filter})"));
    }

    fn wrap_expr(&mut self, expr: &Expr, filter: &str) {
        self.wrap(expr.span, filter, |edits| edits.expr(expr));
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn captured(&mut self, nodes: &[Node]) {
        let before = std::mem::replace(&mut self.captured, true);
        self.nodes(nodes);
        self.captured = before;
    }

    fn node(&mut self, node: &Node) {
        if let Some(call) = self.boundaries.call_at(node.span) {
            return self.message(node, call);
        }
        match &node.kind {
            NodeKind::Text(text) if (self.captured || self.recursive) && !text.is_empty() => {
                let charge = format!("{{{{ {}|{} }}}}", text.len(), names::CHARGE);
                self.insert_in_text(node.span.start, charge);
            }
            NodeKind::Output(value) if self.captured => self.wrap_expr(value, names::TEXT),
            NodeKind::Output(value) if self.boundaries.has_attribute_at(value.span) => {
                self.wrap_expr(value, names::ATTRIBUTE);
            }
            // The engine writes what this gives straight to the output.
            NodeKind::Output(value) if calls_loop(value) => self.operands(value),
            NodeKind::Set { target: Target::Attribute(_), value } => {
                self.wrap_expr(value, names::KEPT);
            }
            NodeKind::Set { target: Target::Tuple(_), value } => {
                self.wrap_expr(value, names::UNPACKED);
            }
            // The engine takes nothing but a call here, so the call itself is not wrapped; what it
            // gives is dropped.
            NodeKind::Do(value) => self.done(value),
            NodeKind::Output(value) | NodeKind::Set { value, .. } => self.expr(value),
            NodeKind::If(branching) => {
                for (condition, body) in &branching.branches {
                    self.expr(condition);
                    self.nodes(body);
                }
                self.nodes(branching.otherwise.as_deref().unwrap_or_default());
            }
            NodeKind::For(repeated) => {
                self.expr(&repeated.iterable);
                repeated.condition.iter().for_each(|condition| self.expr(condition));
                // What a recursive loop writes may be caught by whoever calls it.
                let before = self.recursive;
                self.recursive |= repeated.recursive;
                self.nodes(&repeated.body);
                self.nodes(&repeated.otherwise);
                self.recursive = before;
            }
            NodeKind::SetBlock { filters, body, .. } | NodeKind::FilterBlock { filters, body } => {
                filters.iter().for_each(|filter| self.call(filter));
                self.captured(body);
            }
            NodeKind::With { bindings, body } => {
                bindings.iter().for_each(|(_, value)| self.expr(value));
                self.nodes(body);
            }
            NodeKind::Macro(declared) => self.declared(declared),
            NodeKind::CallBlock { call, caller } => {
                self.expr(call);
                self.declared(caller);
            }
            NodeKind::Text(_)
            | NodeKind::Section(_)
            | NodeKind::Context(_)
            | NodeKind::RecursivePartial(_)
            | NodeKind::Recursion { .. }
            | NodeKind::Indentation
            | NodeKind::Break
            | NodeKind::Continue
            | NodeKind::Scope { .. }
            | NodeKind::Block { .. }
            | NodeKind::OtherTemplate(_)
            | NodeKind::Partial => {}
            _ => self.unknown = Some(node.span),
        }
    }

    /// A call of `message`, or a block of it, or one that is named after a role.
    fn message(&mut self, node: &Node, boundary: &MessageCall) {
        match &node.kind {
            NodeKind::Output(Expr { kind: ExprKind::Function(call), .. }) => {
                let closes = boundary.edge == MessageEdge::Closes;
                let sign = if closes { names::CLOSING } else { names::OPENING };
                self.insert(call.name.span.start, sign);
                self.message_attributes(call);
            }
            NodeKind::CallBlock { call: whole, caller } => {
                let ExprKind::Function(call) = &whole.kind else { return };
                let (nothing, opening) = (names::NOTHING, names::OPENING);
                // The author's tags call nothing; between them stands what the block writes.
                self.insert(
                    whole.span.start,
                    format!("{nothing}() %}}{{% endcall %}}{{{{ {opening}"),
                );
                self.message_attributes(call);
                self.insert(whole.span.end, " }}{% with");
                self.nodes(&caller.body);
                let block = node.span.text_in(self.text).and_then(|it| it.rsplit_once("{%"));
                let (end, trim) = match block {
                    Some((front, tag)) => {
                        (node.span.start + front.len(), if tag.starts_with('-') { "-" } else { "" })
                    }
                    None => (node.span.end, ""),
                };
                let closing = names::CLOSING;
                self.insert(
                    end,
                    format!(
                        "{{%{trim} endwith %}}{{{{ {closing}message() }}}}{{% call {nothing}() %}}"
                    ),
                );
            }
            _ => {}
        }
    }

    /// The attributes of a message, which can neither end its tag nor add another attribute.
    fn message_attributes(&mut self, call: &Call) {
        for argument in &call.arguments {
            match argument {
                Argument::Named(name, value) if name.text != "role" => {
                    self.wrap_expr(value, names::ATTRIBUTE);
                }
                // The role is a text that the author wrote.
                _ => {}
            }
        }
    }

    fn declared(&mut self, declared: &Macro) {
        declared.defaults.iter().for_each(|default| self.expr(default));
        self.captured(&declared.body);
    }

    fn expr(&mut self, expr: &Expr) {
        use BinaryOperator::{Add, Concatenate, Multiply};
        match &expr.kind {
            // What it gives is as long as its sides together, which have been paid for.
            ExprKind::Binary { operator: Concatenate, left, right } => {
                self.printed(left);
                self.printed(right);
            }
            ExprKind::Binary { operator: Add, left, right }
                if !is_number(left) && !is_number(right) =>
            {
                self.wrap(expr.span, names::MEASURED, |edits| {
                    edits.unless_short(left, names::ADDEND);
                    edits.unless_short(right, names::ADDEND);
                });
            }
            ExprKind::Binary { operator: Multiply, left, right }
                if !is_number(left) || !is_number(right) =>
            {
                self.wrap(expr.span, names::MEASURED, |edits| {
                    edits.wrap_expr(left, names::FACTOR);
                    edits.wrap_expr(right, names::TIMES);
                });
            }
            ExprKind::Binary { operator, left, right } if operator.is_comparison() => {
                self.comparison(&[*operator], &[left, right]);
            }
            ExprKind::Comparison { first, rest } => {
                let operators: Vec<BinaryOperator> = rest.iter().map(|(it, _)| *it).collect();
                let others = rest.iter().map(|(_, operand)| operand);
                let operands: Vec<&Expr> = std::iter::once(&**first).chain(others).collect();
                self.comparison(&operators, &operands);
            }
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) if !is_constant(expr) => {
                self.wrap(expr.span, names::BOUNDED, |edits| edits.items(expr));
            }
            // The engine knows a tuple by its parentheses, which a template may leave out.
            ExprKind::Tuple(_) => {
                self.insert(expr.span.start, "(");
                self.insert(expr.span.end, ")");
            }
            // The engine panics where it turns round what is empty, so that we do it: a step of -1 is
            // written as `-(-1)`.
            ExprKind::Slice { value, bounds: [None, None, Some(step)] }
                if constant_integer(step) == Some(-1) =>
            {
                self.wrap(expr.span, names::MEASURED, |edits| {
                    edits.wrap_expr(value, names::REVERSED);
                    edits.insert(step.span.start, "-(");
                    edits.insert(step.span.end, ")");
                });
            }
            ExprKind::Slice { value, bounds } => self.wrap(expr.span, names::BOUNDED, |edits| {
                let sliced = match longest(bounds) {
                    Some(most) => format!("{}({most})", names::SLICED),
                    None => names::SLICED.to_owned(),
                };
                edits.wrap_expr(value, &sliced);
                bounds.iter().flatten().for_each(|bound| edits.expr(bound));
            }),
            ExprKind::Index { value, index } if !is_text(index) => {
                self.wrap_expr(value, names::INDEXED);
                self.unless_short(index, names::READ);
            }
            ExprKind::Index { value, index } => {
                self.expr(value);
                self.unless_short(index, names::READ);
            }
            ExprKind::Method { value, call } => {
                self.wrap(expr.span, names::MEASURED, |edits| edits.method(value, call));
            }
            // It may be the loop, and give what its markers stand in; that is data now.
            ExprKind::Function(call) if self.recursive => {
                self.wrap(expr.span, names::CAUGHT, |edits| edits.call(call));
            }
            _ => self.operands(expr),
        }
    }

    /// What an expression calls is not wrapped where the engine takes nothing but a call.
    fn operands(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Filter { value, call } | ExprKind::Test { value, call } => {
                self.expr(value);
                self.call(call);
            }
            ExprKind::Function(call) => self.call(call),
            ExprKind::Invocation { value, arguments } => {
                self.expr(value);
                self.arguments(arguments);
            }
            _ => walk::operands(expr).into_iter().for_each(|operand| self.expr(operand)),
        }
    }

    fn call(&mut self, call: &Call) {
        self.arguments(&call.arguments);
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            match argument {
                Argument::Positional(value) | Argument::Named(_, value) => self.expr(value),
                Argument::Spread(list) => self.wrap_expr(list, names::SPREAD),
                Argument::SpreadNamed(map) => self.wrap_expr(map, names::SPREAD_NAMED),
                _ => self.unknown = Some(argument.expr().span),
            }
        }
    }

    /// The call of a `do` tag.
    fn done(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Method { value, call } => self.method(value, call),
            _ => self.operands(expr),
        }
    }

    /// The value that has a method, and the arguments, which the method may keep and compare.
    fn method(&mut self, value: &Expr, call: &Call) {
        match call.name.text.as_str() {
            "items" | "keys" | "values" => self.wrap_expr(value, names::LISTED),
            _ => self.expr(value),
        }
        for argument in &call.arguments {
            let expr = argument.expr();
            match argument {
                Argument::Positional(_) | Argument::Named(..) => {
                    self.unless_short(expr, names::ARGUMENT);
                }
                Argument::Spread(_) => self.wrap(expr.span, names::ARGUMENT, |edits| {
                    edits.wrap_expr(expr, names::SPREAD);
                }),
                Argument::SpreadNamed(_) => self.wrap(expr.span, names::ARGUMENT, |edits| {
                    edits.wrap_expr(expr, names::SPREAD_NAMED);
                }),
                _ => self.unknown = Some(expr.span),
            }
        }
    }

    /// A side of `~`, as it prints.
    fn printed(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(Value::String(text)) if text.len() <= SHORT => {}
            _ => self.wrap_expr(expr, names::TEXT),
        }
    }

    /// An operand that is charged, unless it is short and written in the template.
    fn unless_short(&mut self, expr: &Expr, filter: &str) {
        if is_short(expr) {
            self.expr(expr);
        } else {
            self.wrap_expr(expr, filter);
        }
    }

    /// Operands that are compared as a whole are paid for; but what is compared with something short
    /// takes no longer than that is.
    fn comparison(&mut self, operators: &[BinaryOperator], operands: &[&Expr]) {
        let is_search = |operator: &BinaryOperator| {
            matches!(operator, BinaryOperator::In | BinaryOperator::NotIn)
        };
        let searches = operators.iter().any(is_search);
        let ends_soon = operands.len() == 2
            && !searches
            && operands.iter().any(|it| is_short(it) && (is_scalar(it) || is_number(it)));
        let is_null = |operand: &&Expr| matches!(operand.kind, ExprKind::Literal(Value::Null));
        let asks_for_none = matches!(operators, [BinaryOperator::Equal | BinaryOperator::NotEqual])
            && operands.iter().any(is_null);
        if asks_for_none {
            for operand in operands.iter().filter(|operand| !is_null(operand)) {
                self.wrap_expr(operand, names::OR_NONE);
            }
            return;
        }
        let is_searched = std::iter::once(false).chain(operators.iter().map(is_search));
        let filter = if searches { names::SOUGHT } else { names::READ };
        for (operand, is_searched) in operands.iter().zip(is_searched) {
            let paid = |edits: &mut Self| match ends_soon {
                true => edits.expr(operand),
                false if is_searched => edits.unless_short(operand, names::READ),
                false => edits.unless_short(operand, filter),
            };
            if is_searched {
                self.wrap(operand.span, names::CONTAINER, paid);
            } else {
                paid(self);
            }
        }
    }

    /// What a list or map is made of. Lists and maps that are written in it are measured with it.
    fn items(&mut self, expr: &Expr) {
        if let ExprKind::Map(entries) = &expr.kind {
            for (key, value) in entries {
                // A map reads its keys to put them in order.
                self.unless_short(key, names::ARGUMENT);
                self.item(value);
            }
            return;
        }
        walk::operands(expr).into_iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Expr) {
        match item.kind {
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) => self.items(item),
            _ => self.expr(item),
        }
    }

    /// Fences every node that writes data straight to the text; calls that mark messages are none.
    fn fence_outputs(&mut self, nodes: &[Node]) {
        let mut index = 0;
        let boundaries = self.boundaries;
        let marks_message = |node: &Node| boundaries.call_at(node.span).is_some();
        walk::direct_outputs(nodes, &marks_message, &mut |node, _| {
            if !marks_message(node) {
                self.fence(node.span, index);
            }
            index += 1;
        });
    }

    /// Puts `nonce:index;` before what takes up `span`, and `nonce;` behind it. White-space control
    /// of its tags moves outwards, so that it still reaches the texts beside them.
    fn fence(&mut self, span: TemplateSpan, index: usize) {
        let tags = span.text_in(self.text);
        let trims_left = |it: &str| it.starts_with("{{-") || it.starts_with("{%-");
        let trims_right = |it: &str| it.ends_with("-}}") || it.ends_with("-%}");
        let left = if tags.is_some_and(trims_left) { "-" } else { "" };
        let right = if tags.is_some_and(trims_right) { "-" } else { "" };
        self.insert(span.start, format!("{{{{{left} {} }}}}:{index};", names::NONCE));
        self.insert(span.end, format!("{{{{ {} }}}}{{{{ ';' {right}}}}}", names::NONCE));
    }

    fn apply(mut self) -> Result<Instrumented, SyntaxError> {
        if let Some(span) = self.unknown {
            return Err(SyntaxError::new(span, "no engine can run this"));
        }
        // The sort is stable: what opens first at a place stays outside.
        self.list.sort_by_key(|(offset, _)| *offset);
        let mut out = Instrumented::default();
        let mut done = 0;
        for (offset, insertion) in self.list {
            let piece = TemplateSpan::new(done, offset);
            out.text.push_str(piece.text_in(self.text).ok_or_else(|| outside_of_text(piece))?);
            out.insertions.push((out.text.len(), insertion.len()));
            out.text.push_str(&insertion);
            done = offset;
        }
        let rest = TemplateSpan::new(done, self.text.len());
        out.text.push_str(rest.text_in(self.text).ok_or_else(|| outside_of_text(rest))?);
        Ok(out)
    }
}

fn outside_of_text(span: TemplateSpan) -> SyntaxError {
    SyntaxError::new(span, "a node of the tree is outside of the template's text")
}

/// Whether an expression is a call of the loop around it, and nothing else.
fn calls_loop(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Function(call) if call.name.text == "loop")
}

fn is_scalar(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_))
}

fn is_number(expr: &Expr) -> bool {
    use Value::{Bool, Float, Integer, Null};
    match &expr.kind {
        ExprKind::Literal(literal) => matches!(literal, Null | Bool(_) | Integer(_) | Float(_)),
        ExprKind::Unary { operator: UnaryOperator::Minus, operand } => is_number(operand),
        _ => false,
    }
}

fn is_text(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(literal) if literal.as_str().is_some())
}

/// How many bytes of a template a value may take up that the step of the engine pays for.
const SHORT: usize = 64;

fn is_short(expr: &Expr) -> bool {
    let length = expr.span.end.saturating_sub(expr.span.start);
    length <= SHORT && (is_number(expr) || is_constant(expr))
}

/// How many characters a slice has at most, where its bounds say it.
fn longest(bounds: &[Option<Box<Expr>>; 3]) -> Option<usize> {
    let [start, stop, _] = bounds;
    let whole = |bound: &Option<Box<Expr>>| match bound {
        Some(bound) => constant_integer(bound).map(Some),
        None => Some(None),
    };
    let length = match (whole(start)?, whole(stop)?) {
        (None, Some(stop @ 0..)) => stop,
        (Some(start @ 0..), Some(stop @ 0..)) => stop.saturating_sub(start).max(0),
        (Some(start), None) if start < 0 => start.checked_neg()?,
        _ => return None,
    };
    usize::try_from(length).ok()
}

/// Whether all of an expression is written in the template, which bounds it.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) => {
            walk::operands(expr).into_iter().all(is_constant)
        }
        _ => false,
    }
}
