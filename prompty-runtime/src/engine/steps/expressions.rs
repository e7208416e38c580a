//! Compiles expressions of Handlebars into operations on a stack of values.
//!
//! A render can stop at any operation and continue there, so a call of an async function may be
//! nested in an expression. The block that a name refers to is resolved at compile time:
//!
//! ```text
//! {{#if (or a (equals b.c 1))}}  =>  input a, skip 5 if true, input b, attribute c, constant 1,
//!                                    compare, truth
//! ```

use std::collections::{BTreeMap, HashMap};

use super::call::HostCall;
use super::program::{LoopVariable, Operation, Step};
use crate::engine::Extensions;
use crate::engine::functions::HostFunction;
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::SyntaxError;
use prompty_template::handlebars::helpers;
use prompty_template::tree::{
    self, Argument, BinaryOperator, ContextBlock, ContextKind, Expr, ExprKind, Node, UnaryOperator,
};
use prompty_template::walk;

/// Compiles expressions. It tracks the enclosing blocks.
pub(super) struct ExpressionCompiler<'t> {
    /// The functions of the host, by their names in templates.
    functions: BTreeMap<String, &'t HostFunction>,
    /// The slots of the names that the template sets.
    slots: HashMap<&'t str, usize>,
    /// The enclosing blocks, the innermost last.
    blocks: Vec<&'t ContextBlock>,
}

impl<'t> ExpressionCompiler<'t> {
    pub(super) fn new(nodes: &'t [Node], extensions: &'t Extensions) -> Self {
        let functions = extensions.functions();
        let functions =
            functions.map(|(name, function)| (helpers::function_name(name).into_owned(), function));
        let mut slots = HashMap::new();
        find_slots(nodes, &mut slots);
        Self { functions: functions.collect(), slots, blocks: Vec::new() }
    }

    /// The number of names that the template sets.
    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The slot of a name that the template sets.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.slots.get(name).copied()
    }

    /// Begins the body of a block.
    pub(super) fn enter(&mut self, block: &'t ContextBlock) {
        self.blocks.push(block);
    }

    /// Ends the body of the innermost block.
    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Adds the operations that push the value of an expression.
    pub(super) fn push_value(&self, expr: &Expr, steps: &mut Vec<Step>) -> Result<(), SyntaxError> {
        let operation = match &expr.kind {
            ExprKind::Literal(value) => Operation::Constant(value.clone()),
            ExprKind::Variable(name) => {
                self.push_variable(name, expr.span, steps);
                return Ok(());
            }
            ExprKind::Context(up) => Operation::Context(*up),
            ExprKind::Attribute { value, name } => {
                // `now` in a block is the tree of `this.now`, with an empty span for `this`. A name
                // without `this` calls a host function, even inside a block.
                let is_plain = matches!(value.kind, ExprKind::Context(_))
                    && value.span.start == value.span.end;
                if is_plain && let Some(call) = self.call_by_name(&name.text, expr.span) {
                    steps.push(call);
                    return Ok(());
                }
                self.push_value(value, steps)?;
                Operation::Attribute(name.text.as_str().into())
            }
            ExprKind::Index { value, index } => {
                self.push_value(value, steps)?;
                self.push_argument(index, steps)?;
                Operation::Item
            }
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                self.push_value(operand, steps)?;
                Operation::Not
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                return self.push_first_true([&**left, &**right].into_iter(), steps);
            }
            ExprKind::Binary { operator, left, right } => {
                self.push_argument(left, steps)?;
                self.push_argument(right, steps)?;
                Operation::Compare { operator: *operator, span: expr.span }
            }
            ExprKind::List(items) => {
                items.iter().try_for_each(|item| self.push_argument(item, steps))?;
                Operation::List { length: items.len(), span: expr.span }
            }
            ExprKind::Function(call) => return self.push_call(call, expr.span, steps),
            _ => {
                return Err(SyntaxError::new(
                    expr.span,
                    "this expression is not supported in Handlebars",
                )
                .with_help("call a helper, such as `(equals a b)`"));
            }
        };
        steps.push(Step::Compute(operation));
        Ok(())
    }

    /// Adds the operations of an expression whose value must not be a thread or media.
    fn push_argument(&self, expr: &Expr, steps: &mut Vec<Step>) -> Result<(), SyntaxError> {
        self.push_value(expr, steps)?;
        let may_be_rich = matches!(
            expr.kind,
            ExprKind::Variable(_)
                | ExprKind::Context(_)
                | ExprKind::Attribute { .. }
                | ExprKind::Index { .. }
                | ExprKind::Binary { operator: BinaryOperator::Or, .. }
        );
        if may_be_rich {
            steps.push(Step::Compute(Operation::Argument(expr.span)));
        }
        Ok(())
    }

    /// Adds the operations that push the first operand that is true, or else the last.
    fn push_first_true<'e>(
        &self,
        operands: impl Iterator<Item = &'e Expr>,
        steps: &mut Vec<Step>,
    ) -> Result<(), SyntaxError> {
        let mut parts = Vec::new();
        for operand in operands {
            let mut part = Vec::new();
            self.push_value(operand, &mut part)?;
            parts.push(part);
        }
        // Each part except the last ends with a step that skips the others if its value is true.
        let lengths: usize = parts.iter().map(Vec::len).sum();
        let mut steps_left = lengths + parts.len().saturating_sub(1);
        for part in parts {
            steps_left = steps_left.saturating_sub(part.len());
            steps.extend(part);
            if steps_left > 0 {
                steps_left -= 1;
                steps.push(Step::Compute(Operation::SkipIfTrue(steps_left)));
            }
        }
        Ok(())
    }

    /// Adds the steps of a name: a variable of a block, else a name that the template sets, else a
    /// host function, else an input.
    fn push_variable(&self, name: &str, span: TemplateSpan, steps: &mut Vec<Step>) {
        if let Some(operation) = self.block_name(name) {
            steps.push(Step::Compute(operation));
            return;
        }
        if let Some(slot) = self.slot(name) {
            // The next operation is skipped if the template has set the name.
            steps.push(Step::Compute(Operation::Assigned { slot, skip: 1 }));
        }
        let call = self.call_by_name(name, span);
        steps.push(call.unwrap_or_else(|| Step::Compute(Operation::Input(name.into()))));
    }

    /// A name that a block defines: a block parameter (`as |name|`), or `@index` and similar.
    fn block_name(&self, name: &str) -> Option<Operation> {
        let mut enclosing = self.blocks.iter().rev().enumerate();
        if let Some(data) = name.strip_prefix('@') {
            // `@../index` is the index of the loop around the innermost one.
            let plain = data.trim_start_matches("../");
            let loops_up = (data.len() - plain.len()) / "../".len();
            let mut loops = enclosing.filter(|(_, block)| block.kind != ContextKind::With);
            let up = loops.nth(loops_up).map(|(up, _)| up);
            return Some(Operation::LoopVariable { up, variable: LoopVariable::from_name(plain) });
        }
        enclosing.find_map(|(up, block)| {
            let position = block.parameters.iter().position(|it| it.text == name)?;
            // `{{#each items as |item key|}}`
            Some(match position {
                0 => Operation::Context(up),
                _ => Operation::LoopVariable { up: Some(up), variable: LoopVariable::Key },
            })
        })
    }

    /// A call of a host function without arguments.
    fn call_by_name(&self, name: &str, span: TemplateSpan) -> Option<Step> {
        let function = self.functions.get(name)?;
        Some(Step::Call(HostCall::of_stack(name, function, Vec::new(), span)))
    }

    /// Adds a call of a helper or of a host function.
    fn push_call(
        &self,
        call: &tree::Call,
        span: TemplateSpan,
        steps: &mut Vec<Step>,
    ) -> Result<(), SyntaxError> {
        let name = call.name.text.as_str();
        let function = self.functions.get(name);
        if name == "or" && function.is_none() {
            self.push_first_true(call.arguments.iter().map(Argument::expr), steps)?;
            steps.push(Step::Compute(Operation::Truth));
            return Ok(());
        }
        let mut names = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            self.push_argument(argument.expr(), steps)?;
            let name = match argument {
                Argument::Named(name, _) => Some(name.text.as_str().into()),
                _ => None,
            };
            if function.is_none() && name.is_some() {
                // Helpers ignore named arguments.
                steps.push(Step::Compute(Operation::Discard));
            } else {
                names.push(name);
            }
        }
        steps.push(match function {
            Some(function) => Step::Call(HostCall::of_stack(name, function, names, span)),
            None => {
                let (name, count) = (name.into(), names.len());
                Step::Compute(Operation::Helper { name, count, span })
            }
        });
        Ok(())
    }
}

/// Assigns a slot to each name that the template sets.
fn find_slots<'t>(nodes: &'t [Node], slots: &mut HashMap<&'t str, usize>) {
    for node in nodes {
        for name in walk::bound_names(node) {
            let next = slots.len();
            slots.entry(&name.text).or_insert(next);
        }
        walk::bodies(node).into_iter().for_each(|body| find_slots(body, slots));
    }
}
