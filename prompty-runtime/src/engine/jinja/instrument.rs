//! Instruments the text of a template before the engine compiles it, so that renders are safe.
//!
//! - Role markers get their nonce: `user:` becomes `user[nonce={{ … }}]:`. The nonce is a variable,
//!   so that a template is compiled once for all renders.
//! - White-space control may join a role marker to adjacent data. Such a marker gets its own line,
//!   since data could otherwise become part of it.
//! - A call of `message` writes a message tag. A message block becomes its body between two tags.
//! - Expressions in the attributes of a marker are encoded, so that a value cannot end the marker.
//! - The sides of `~` become strings as they print. The right side of `in` becomes a container
//!   that follows the rules of prompts.
//! - Operators, slices, methods, spread arguments and captured text charge the render's budget.
//!   Otherwise twenty lines of `{% set a = a ~ a %}` would fill all memory without using up the
//!   fuel. Operands are charged before the operator runs. Short constants are not charged, since
//!   the engine's fuel covers them.
//!
//! Everything is an insertion into the author's text. [`InstrumentedTemplate::original`] maps
//! positions back for error messages. The inserted names are in the module `names`: `operators` has
//! the filters, and `messages` has the functions.
//!
//! ```text
//! user:                     =>  user[nonce={{ __prompty_nonce }}]:
//! {{ a ~ b }}               =>  {{ ((a)|__prompty_text) ~ ((b)|__prompty_text) }}
//! {% if x < y %}            =>  {% if ((x)|__prompty_read) < ((y)|__prompty_read) %}
//! {{ [a, b] }}              =>  {{ (([a, b])|__prompty_bounded) }}
//! {% set t %}Hi{% endset %} =>  {% set t %}{{ 2|__prompty_charge }}Hi{% endset %}
//! ```
//!
//! [`instrument`] makes the insertions of message boundaries first. Then [`Instrumenter`] visits
//! the tree and adds the others. The order matters, since insertions at the same position keep it.

use std::ops::Range;

use super::names;
use crate::engine::Marks;
use crate::engine::unsupported::UnsupportedConstruct;
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

/// A template's text with the insertions.
#[derive(Debug, Clone, Default)]
pub(super) struct InstrumentedTemplate {
    pub(super) text: String,
    /// For each insertion, from left to right: its position in `text`, and its length.
    insertions: Vec<(usize, usize)>,
}

impl InstrumentedTemplate {
    /// Maps a position in the instrumented text back to the author's text.
    fn original(&self, offset: usize) -> usize {
        let mut inserted = 0;
        for (start, length) in &self.insertions {
            if offset < *start {
                break;
            }
            inserted += (*length).min(offset - start);
        }
        offset - inserted
    }

    /// Maps a range of the instrumented text back to the author's text.
    pub(super) fn original_span(&self, range: Range<usize>) -> TemplateSpan {
        let start = self.original(range.start);
        TemplateSpan::new(start, self.original(range.end).max(start))
    }
}

/// Inserts into a template's text what a render needs.
///
/// # Errors
///
/// Returns an error if the tree does not match the text, or contains an unsupported construct.
pub(super) fn instrument(
    text: &str,
    template: &Template,
    marks: &Marks,
) -> Result<InstrumentedTemplate, SyntaxError> {
    let (Marks::Boundaries(boundaries) | Marks::Fences(boundaries)) = marks;
    let mut edits = Instrumenter::new(text, template, boundaries);
    for insertion in &boundaries.insertions {
        let (before, after) =
            (protect_newlines(insertion.before), protect_newlines(insertion.after));
        let nonce = format!("{before}{{{{ {} }}}}{after}", names::NONCE);
        edits.insert_in_text(insertion.offset, nonce);
    }
    // The fence of an output must end before insertions at the end of the enclosing block.
    if matches!(marks, Marks::Fences(_)) {
        edits.fence_outputs(&template.nodes);
    }
    edits.visit_nodes(&template.nodes);
    edits.apply()
}

/// Replaces newlines by expressions, since white-space control such as `-%}` cannot remove those.
fn protect_newlines(text: &str) -> String {
    text.replace('\n', r"{{ '\n' }}")
}

/// Visits the tree of a template, collects insertions, and applies them to its text.
struct Instrumenter<'text> {
    text: &'text str,
    boundaries: &'text Boundaries,
    /// Insertions by their position in `text`. Insertions at one position apply in this order.
    insertions: Vec<(usize, String)>,
    /// Whether the visited nodes write into captured text, such as the body of a macro. It becomes
    /// a value, so its length is charged.
    is_captured: bool,
    /// Whether the visited nodes are in a recursive loop, whose caller may capture its output.
    is_recursive: bool,
    /// The spans of literal text in `raw` blocks.
    raw_spans: &'text [TemplateSpan],
    /// A construct that cannot be made safe.
    unsupported: Option<UnsupportedConstruct>,
}

impl<'text> Instrumenter<'text> {
    fn new(text: &'text str, template: &'text Template, boundaries: &'text Boundaries) -> Self {
        Self {
            text,
            boundaries,
            insertions: Vec::new(),
            is_captured: false,
            is_recursive: false,
            raw_spans: template.raw.as_slice(),
            unsupported: None,
        }
    }

    /// Inserts into a tag.
    fn insert(&mut self, offset: usize, text: impl Into<String>) {
        self.insertions.push((offset, text.into()));
    }

    /// Inserts template code into literal text, which may be in a `raw` block.
    fn insert_in_text(&mut self, offset: usize, code: String) {
        let is_after_brace = self.text.get(..offset).is_some_and(|it| it.ends_with('{'));
        if self.is_raw(offset) {
            self.insert(offset, format!("{{% endraw %}}{code}{{% raw %}}"));
        } else if is_after_brace {
            // The brace and the inserted code together would begin a tag.
            self.insert(offset - 1, "{% raw %}");
            self.insert(offset, format!("{{% endraw %}}{code}"));
        } else {
            self.insert(offset, code);
        }
    }

    /// Whether a position in literal text is in a `raw` block.
    fn is_raw(&self, offset: usize) -> bool {
        let next = self.raw_spans.partition_point(|span| span.start <= offset);
        let span = next.checked_sub(1).and_then(|index| self.raw_spans.get(index));
        span.is_some_and(|span| offset <= span.end)
    }

    /// Applies a filter to the expression at a span: `value` becomes `((value)|filter)`. `inner`
    /// makes the insertions inside it.
    fn wrap(&mut self, span: TemplateSpan, filter: &str, inner: impl FnOnce(&mut Self)) {
        // The outer parentheses allow a suffix such as `[0]`.
        self.insert(span.start, "((");
        inner(self);
        self.insert(span.end, format!(")|{filter})"));
    }

    fn wrap_expr(&mut self, expr: &Expr, filter: &str) {
        self.wrap(expr.span, filter, |edits| edits.visit_expr(expr));
    }

    fn visit_nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.visit_node(node);
        }
    }

    /// Visits nodes whose output becomes a value.
    fn visit_captured(&mut self, nodes: &[Node]) {
        let outer = std::mem::replace(&mut self.is_captured, true);
        self.visit_nodes(nodes);
        self.is_captured = outer;
    }

    fn visit_node(&mut self, node: &Node) {
        if let Some(call) = self.boundaries.call_at(node.span) {
            return self.visit_message(node, call);
        }
        match &node.kind {
            NodeKind::Text(text) => self.charge_text(text, node.span),
            NodeKind::Output(value) => self.visit_output(value),
            NodeKind::Set { target: Target::Attribute(_), value } => {
                self.wrap_expr(value, names::STORED);
            }
            NodeKind::Set { target: Target::Tuple(_), value } => {
                self.wrap_expr(value, names::UNPACK_SUBJECT);
            }
            // The engine accepts only a call here, so the call itself is not wrapped. Its result is
            // dropped.
            NodeKind::Do(value) => self.visit_do_call(value),
            NodeKind::Set { value, .. } => self.visit_expr(value),
            NodeKind::If(branching) => {
                for (condition, body) in &branching.branches {
                    self.visit_expr(condition);
                    self.visit_nodes(body);
                }
                self.visit_nodes(branching.otherwise.as_deref().unwrap_or_default());
            }
            NodeKind::For(repeated) => {
                self.visit_expr(&repeated.iterable);
                repeated.condition.iter().for_each(|condition| self.visit_expr(condition));
                let outer = self.is_recursive;
                self.is_recursive |= repeated.recursive;
                self.visit_nodes(&repeated.body);
                self.visit_nodes(&repeated.otherwise);
                self.is_recursive = outer;
            }
            NodeKind::SetBlock { filters, body, .. } | NodeKind::FilterBlock { filters, body } => {
                filters.iter().for_each(|filter| self.visit_arguments(&filter.arguments));
                self.visit_captured(body);
            }
            NodeKind::With { bindings, body } => {
                bindings.iter().for_each(|(_, value)| self.visit_expr(value));
                self.visit_nodes(body);
            }
            NodeKind::Macro(declared) => self.visit_macro(declared),
            NodeKind::CallBlock { call, caller } => {
                self.visit_expr(call);
                self.visit_macro(caller);
            }
            // The template of a Jinja2 prompt contains none of these when it is compiled.
            NodeKind::Section(_)
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
            _ => self.unsupported = Some(UnsupportedConstruct::from_node(node)),
        }
    }

    /// Charges for literal text that may be written into captured text.
    fn charge_text(&mut self, text: &str, span: TemplateSpan) {
        if (self.is_captured || self.is_recursive) && !text.is_empty() {
            let charge = format!("{{{{ {}|{} }}}}", text.len(), names::CHARGE);
            self.insert_in_text(span.start, charge);
        }
    }

    fn visit_output(&mut self, value: &Expr) {
        if self.is_captured {
            self.wrap_expr(value, names::TEXT);
        } else if self.boundaries.has_attribute_at(value.span) {
            self.wrap_expr(value, names::ATTRIBUTE);
        } else if calls_loop(value) {
            // The engine writes the result of such a call directly to the output.
            self.visit_operands(value);
        } else {
            self.visit_expr(value);
        }
    }

    /// A call of `message` or of a role's name, or a message block.
    fn visit_message(&mut self, node: &Node, boundary: &MessageCall) {
        match &node.kind {
            NodeKind::Output(Expr { kind: ExprKind::Function(call), .. }) => {
                let closes = boundary.edge == MessageEdge::Closes;
                let prefix = if closes { names::CLOSING } else { names::OPENING };
                self.insert(call.name.span.start, prefix);
                self.wrap_message_attributes(call);
            }
            NodeKind::CallBlock { call, caller } => self.visit_message_block(node, call, caller),
            _ => {}
        }
    }

    /// Makes the author's two tags empty `call` blocks, with the message between them:
    ///
    /// ```text
    /// {% call message(role="user") %}Hi{% endcall %}
    /// =>
    /// {% call __prompty_nothing() %}{% endcall %}
    /// {{ __prompty_opening_message(role="user") }}{% with %}Hi{% endwith %}
    /// {{ __prompty_closing_message() }}{% call __prompty_nothing() %}{% endcall %}
    /// ```
    fn visit_message_block(&mut self, node: &Node, call_expr: &Expr, caller: &Macro) {
        let ExprKind::Function(call) = &call_expr.kind else { return };
        let (nothing, opening, closing) = (names::NOTHING, names::OPENING, names::CLOSING);
        let before = format!("{nothing}() %}}{{% endcall %}}{{{{ {opening}");
        self.insert(call_expr.span.start, before);
        self.wrap_message_attributes(call);
        self.insert(call_expr.span.end, " }}{% with");
        self.visit_nodes(&caller.body);
        let end_tag = node.span.text_in(self.text).and_then(|it| it.rsplit_once("{%"));
        let (end, trim) = match end_tag {
            Some((front, tag)) => {
                (node.span.start + front.len(), if tag.starts_with('-') { "-" } else { "" })
            }
            None => (node.span.end, ""),
        };
        let after =
            format!("{{%{trim} endwith %}}{{{{ {closing}message() }}}}{{% call {nothing}() %}}");
        self.insert(end, after);
    }

    /// Encodes the attributes of a message, which can then neither end its tag nor add another one.
    fn wrap_message_attributes(&mut self, call: &Call) {
        for argument in &call.arguments {
            // The role is a constant.
            if let Argument::Named(name, value) = argument
                && name.text != "role"
            {
                self.wrap_expr(value, names::ATTRIBUTE);
            }
        }
    }

    fn visit_macro(&mut self, declared: &Macro) {
        declared.defaults.iter().for_each(|default| self.visit_expr(default));
        self.visit_captured(&declared.body);
    }

    /// Visits an expression, and wraps it or its operands if the engine's work for it may be large.
    fn visit_expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary { operator, left, right } => {
                self.visit_binary(expr, *operator, left, right);
            }
            ExprKind::Comparison { first, rest } => {
                let operators: Vec<BinaryOperator> = rest.iter().map(|(it, _)| *it).collect();
                let others = rest.iter().map(|(_, operand)| operand);
                let operands: Vec<&Expr> = std::iter::once(&**first).chain(others).collect();
                self.visit_comparison(&operators, &operands);
            }
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) if !is_constant(expr) => {
                self.wrap(expr.span, names::BOUNDED, |edits| edits.visit_items(expr));
            }
            // The engine recognises a tuple by its parentheses, which a template may omit.
            ExprKind::Tuple(_) => {
                self.insert(expr.span.start, "(");
                self.insert(expr.span.end, ")");
            }
            ExprKind::Slice { value, bounds } => self.visit_slice(expr, value, bounds),
            ExprKind::Index { value, index } => {
                if is_text(index) {
                    self.visit_expr(value);
                } else {
                    self.wrap_expr(value, names::INDEX_SUBJECT);
                }
                self.wrap_unless_short(index, names::READ);
            }
            ExprKind::Method { value, call } => {
                self.wrap(expr.span, names::MEASURED, |edits| edits.visit_method(value, call));
            }
            // The call may be the loop and return text with its markers, which is data now.
            ExprKind::Function(call) if self.is_recursive => {
                self.wrap(expr.span, names::RETURNED, |edits| {
                    edits.visit_arguments(&call.arguments);
                });
            }
            _ => self.visit_operands(expr),
        }
    }

    fn visit_binary(&mut self, expr: &Expr, operator: BinaryOperator, left: &Expr, right: &Expr) {
        use BinaryOperator::{Add, Concatenate, Multiply};
        match operator {
            // The result is as long as both sides together, which are charged.
            Concatenate => {
                self.wrap_printed(left);
                self.wrap_printed(right);
            }
            Add if !is_number(left) && !is_number(right) => {
                self.wrap(expr.span, names::MEASURED, |edits| {
                    edits.wrap_unless_short(left, names::ADDEND);
                    edits.wrap_unless_short(right, names::ADDEND);
                });
            }
            // One side may be a number: `'a' * 3`.
            Multiply if !is_number(left) || !is_number(right) => {
                self.wrap(expr.span, names::MEASURED, |edits| {
                    edits.wrap_expr(left, names::FACTOR);
                    edits.wrap_expr(right, names::TIMES);
                });
            }
            operator if operator.is_comparison() => {
                self.visit_comparison(&[operator], &[left, right]);
            }
            _ => self.visit_operands(expr),
        }
    }

    /// Visits `value[start:stop:step]`. The length of the result is bounded if the bounds are
    /// constants.
    fn visit_slice(&mut self, expr: &Expr, value: &Expr, bounds: &[Option<Box<Expr>>; 3]) {
        if let [None, None, Some(step)] = bounds
            && constant_integer(step) == Some(-1)
        {
            // The engine panics if it reverses an empty value. So our own filter does it, and the
            // step becomes `-(-1)`.
            return self.wrap(expr.span, names::MEASURED, |edits| {
                edits.wrap_expr(value, names::REVERSED);
                edits.insert(step.span.start, "-(");
                edits.insert(step.span.end, ")");
            });
        }
        self.wrap(expr.span, names::BOUNDED, |edits| {
            let filter = match max_slice_length(bounds) {
                Some(max_characters) => format!("{}({max_characters})", names::SLICE_SUBJECT),
                None => names::SLICE_SUBJECT.to_owned(),
            };
            edits.wrap_expr(value, &filter);
            bounds.iter().flatten().for_each(|bound| edits.visit_expr(bound));
        });
    }

    /// Visits the operands of an expression that must not be wrapped itself.
    fn visit_operands(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Filter { value, call } | ExprKind::Test { value, call } => {
                self.visit_expr(value);
                self.visit_arguments(&call.arguments);
            }
            ExprKind::Function(call) => self.visit_arguments(&call.arguments),
            ExprKind::Invocation { value, arguments } => {
                self.visit_expr(value);
                self.visit_arguments(arguments);
            }
            _ => walk::operands(expr).into_iter().for_each(|operand| self.visit_expr(operand)),
        }
    }

    fn visit_arguments(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            match argument {
                Argument::Positional(value) | Argument::Named(_, value) => self.visit_expr(value),
                Argument::Spread(list) => self.wrap_expr(list, names::SPREAD_LIST),
                Argument::SpreadNamed(map) => self.wrap_expr(map, names::SPREAD_MAP),
                _ => {
                    let span = argument.expr().span;
                    self.unsupported =
                        Some(UnsupportedConstruct::new("arguments of this kind", span));
                }
            }
        }
    }

    /// The call of a `do` tag.
    fn visit_do_call(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Method { value, call } => self.visit_method(value, call),
            _ => self.visit_operands(expr),
        }
    }

    /// The subject and the arguments of a method. The method may store or compare arguments.
    fn visit_method(&mut self, value: &Expr, call: &Call) {
        self.visit_expr(value);
        for argument in &call.arguments {
            match argument {
                Argument::Positional(value) | Argument::Named(_, value) => {
                    self.wrap_unless_short(value, names::ARGUMENT);
                }
                spread => self.wrap(spread.expr().span, names::ARGUMENT, |edits| {
                    edits.visit_arguments(std::slice::from_ref(spread));
                }),
            }
        }
    }

    /// A side of `~`.
    fn wrap_printed(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(Value::String(text)) if text.len() <= SHORT => {}
            _ => self.wrap_expr(expr, names::TEXT),
        }
    }

    /// Wraps an operand unless it is a short constant.
    fn wrap_unless_short(&mut self, expr: &Expr, filter: &str) {
        if is_short(expr) {
            self.visit_expr(expr);
        } else {
            self.wrap_expr(expr, filter);
        }
    }

    /// Charges for operands that are compared completely. `operators` are between the `operands`:
    /// `a < b in c` has the operators `<` and `in`.
    fn visit_comparison(&mut self, operators: &[BinaryOperator], operands: &[&Expr]) {
        let is_null = |operand: &&Expr| matches!(operand.kind, ExprKind::Literal(Value::Null));
        let compares_with_none =
            matches!(operators, [BinaryOperator::Equal | BinaryOperator::NotEqual])
                && operands.iter().any(is_null);
        if compares_with_none {
            for operand in operands.iter().filter(|operand| !is_null(operand)) {
                self.wrap_expr(operand, names::OR_NONE);
            }
            return;
        }
        let is_search = |operator: &BinaryOperator| {
            matches!(operator, BinaryOperator::In | BinaryOperator::NotIn)
        };
        let searches = operators.iter().any(is_search);
        // A comparison with a short constant, such as `text == 'a'`, is not charged.
        let ends_early = operands.len() == 2
            && !searches
            && operands.iter().any(|it| is_short(it) && (is_literal(it) || is_number(it)));
        // The first operand has no operator before it.
        let is_container = std::iter::once(false).chain(operators.iter().map(is_search));
        for (operand, is_container) in operands.iter().zip(is_container) {
            let filter = if searches && !is_container { names::NEEDLE } else { names::READ };
            let visit = |edits: &mut Self| match ends_early {
                true => edits.visit_expr(operand),
                false => edits.wrap_unless_short(operand, filter),
            };
            if is_container {
                self.wrap(operand.span, names::CONTAINER, visit);
            } else {
                visit(self);
            }
        }
    }

    /// The items of a list or map literal. Nested literals are measured together with it.
    fn visit_items(&mut self, expr: &Expr) {
        if let ExprKind::Map(entries) = &expr.kind {
            for (key, value) in entries {
                // A map compares its keys to sort them.
                self.wrap_unless_short(key, names::ARGUMENT);
                self.visit_item(value);
            }
            return;
        }
        walk::operands(expr).into_iter().for_each(|item| self.visit_item(item));
    }

    fn visit_item(&mut self, item: &Expr) {
        match item.kind {
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) => self.visit_items(item),
            _ => self.visit_expr(item),
        }
    }

    /// Fences each node that writes data directly to the output, except calls that mark messages,
    /// which only have an index. See [`Marks::Fences`].
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

    /// Inserts `nonce:index;` before a span and `nonce;` after it. The white-space control of the
    /// tags moves to the outside, so that it still applies to the adjacent text.
    fn fence(&mut self, span: TemplateSpan, index: usize) {
        let tags = span.text_in(self.text);
        let trims_left = |it: &str| it.starts_with("{{-") || it.starts_with("{%-");
        let trims_right = |it: &str| it.ends_with("-}}") || it.ends_with("-%}");
        let left = if tags.is_some_and(trims_left) { "-" } else { "" };
        let right = if tags.is_some_and(trims_right) { "-" } else { "" };
        self.insert(span.start, format!("{{{{{left} {} }}}}:{index};", names::NONCE));
        self.insert(span.end, format!("{{{{ {} }}}}{{{{ ';' {right}}}}}", names::NONCE));
    }

    /// Makes the instrumented text.
    fn apply(mut self) -> Result<InstrumentedTemplate, SyntaxError> {
        if let Some(unsupported) = self.unsupported {
            return Err(unsupported.into());
        }
        // The sort is stable: at one position, the first insertion stays outside.
        self.insertions.sort_by_key(|(offset, _)| *offset);
        let mut out = InstrumentedTemplate::default();
        let mut done = 0;
        for (offset, insertion) in self.insertions {
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
    SyntaxError::new(span, "the parser of this template format returned a span outside of the text")
        .with_help("fix the parser: its spans must be in the text that it parses")
}

/// Whether an expression is only a call of the enclosing loop.
fn calls_loop(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Function(call) if call.name.text == "loop")
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_))
}

/// Whether an expression is a constant number, boolean or `none`, which has no size.
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

/// The length of source code up to which the engine's fuel pays for a constant.
const SHORT: usize = 64;

/// Whether an expression is a constant whose source is short.
fn is_short(expr: &Expr) -> bool {
    let length = expr.span.end.saturating_sub(expr.span.start);
    length <= SHORT && (is_number(expr) || is_constant(expr))
}

/// The maximum number of characters of a slice, if its bounds are constants.
fn max_slice_length(bounds: &[Option<Box<Expr>>; 3]) -> Option<usize> {
    let [start, stop, _] = bounds;
    // `None` if the bound is not a constant; `Some(None)` if there is no bound.
    let integer_bound = |bound: &Option<Box<Expr>>| match bound {
        Some(bound) => constant_integer(bound).map(Some),
        None => Some(None),
    };
    let length = match (integer_bound(start)?, integer_bound(stop)?) {
        // `[:5]` -> 5
        (None, Some(stop @ 0..)) => stop,
        // `[2:5]` -> 3
        (Some(start @ 0..), Some(stop @ 0..)) => stop.saturating_sub(start).max(0),
        // `[-5:]` -> 5
        (Some(start), None) if start < 0 => start.checked_neg()?,
        _ => return None,
    };
    usize::try_from(length).ok()
}

/// Whether an expression consists of constants, so that its size is bounded by the template.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Map(_) => {
            walk::operands(expr).into_iter().all(is_constant)
        }
        _ => false,
    }
}
