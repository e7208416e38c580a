//! The compiled steps of a template.

use super::call::HostCall;
use super::path::NamePath;
use crate::engine::RenderFailure;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_template::tree::{BinaryOperator, ContextKind, Expr, ExprKind, Indentation};

/// A compiled node of the tree, or a part of one. Outputs of Mustache are single steps with a name.
/// Outputs of Handlebars and calls push a value onto the stack first, and then print it.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Writes literal text.
    Text(Box<str>),
    /// The digits of the render's nonce.
    Nonce,
    /// Writes a value, HTML-escaped.
    Escaped(NamePath),
    /// Writes a value without escaping.
    Raw(NamePath),
    /// Writes a value in the attributes of a role marker.
    Attribute(NamePath),
    /// Writes a constant in the attributes of a role marker.
    AttributeText(Box<str>),
    /// Runs an operation of an expression.
    Compute(Operation),
    /// Calls a host function and pushes the result.
    Call(HostCall),
    /// Writes the value on top of the stack.
    Print(Subject),
    /// Writes the value on top of the stack in the attributes of a role marker.
    PrintAttribute(Subject),
    /// Skips this many steps of the body.
    Skip(usize),
    /// Pops the top of the stack into a slot, the place for the value of a name that the template
    /// sets.
    Assign(usize),
    /// Starts a block of Handlebars with the value on top of the stack.
    Block(Box<Block>),
    /// Runs the body of a Mustache section, `{{#name}}…{{/name}}`.
    Section { subject: NamePath, body: Vec<Step> },
    /// Runs the body of `{{^name}}…{{/name}}`, if the value is false.
    Inverted { subject: NamePath, body: Vec<Step> },
    /// Runs a recursive partial. `index` refers to [`StepProgram::partials`].
    Partial { index: usize, indentation: Indentation, span: TemplateSpan },
    /// Writes the indentation of the enclosing partial.
    Indentation,
}

/// A compiled block of Handlebars.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: ContextKind,
    pub(super) subject: Subject,
    pub(super) body: Vec<Step>,
    pub(super) otherwise: Vec<Step>,
}

/// The compiled steps of a template.
#[derive(Debug, Clone)]
pub(super) struct StepProgram {
    pub(super) main: Vec<Step>,
    /// The steps of the recursive partials.
    pub(super) partials: Vec<Vec<Step>>,
    /// The number of names that the template sets.
    pub(super) slot_count: usize,
}

/// An operation of an expression on the stack. It pops its operands and pushes its result, unless
/// its comment says otherwise.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// Pushes a constant.
    Constant(Value),
    /// Pushes the value of an enclosing block, or all inputs; 0 is the innermost block.
    Context(usize),
    /// Pushes `@index` or similar of an enclosing block. `up` is `None` if no block loops.
    LoopVariable { up: Option<usize>, variable: LoopVariable },
    /// Pushes an input.
    Input(Box<str>),
    /// Pushes the value of a slot, if it is set, and then skips this many steps.
    Assigned { slot: usize, skip: usize },
    /// Replaces a value by its attribute.
    Attribute(Box<str>),
    /// Replaces an index and its owner by a list item or map entry. The index is on top.
    Item,
    /// Checks that the value is not a thread or media.
    Argument(TemplateSpan),
    /// Replaces a value by whether it is false.
    Not,
    /// Replaces a value by whether it is true.
    Truth,
    /// If the value is true, keeps it and skips this many steps. Otherwise drops it.
    SkipIfTrue(usize),
    /// Drops the condition of an `if`. Skips this many steps if it is false.
    SkipUnlessTrue(usize),
    /// Compares two values. The right one is on top.
    Compare { operator: BinaryOperator, span: TemplateSpan },
    /// Makes a list of the topmost values.
    List { length: usize, span: TemplateSpan },
    /// Calls a built-in helper with the topmost values.
    Helper { name: Box<str>, count: usize, span: TemplateSpan },
    /// Drops the value on top.
    Discard,
}

/// A variable of a loop: `@index`, `@key`, `@first` or `@last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopVariable {
    Index,
    Key,
    First,
    Last,
}

impl LoopVariable {
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "index" => Self::Index,
            "key" => Self::Key,
            "first" => Self::First,
            _ => Self::Last,
        }
    }
}

/// The expression that a tag prints or that a block takes. Error messages name it.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) span: TemplateSpan,
    name: Option<Box<str>>,
    is_attribute: bool,
}

impl Subject {
    pub(super) fn from_expr(expr: &Expr) -> Self {
        let (name, is_attribute) = match &expr.kind {
            ExprKind::Variable(name) => (Some(name), false),
            ExprKind::Attribute { name, .. } => (Some(&name.text), true),
            _ => (None, false),
        };
        Self { span: expr.span, name: name.map(|name| name.as_str().into()), is_attribute }
    }

    pub(super) fn undefined_error(&self) -> RenderFailure {
        let (message, help) = match &self.name {
            Some(name) if self.is_attribute => (
                format!("`{name}` is undefined: the value does not have this attribute"),
                format!("give it a value, or print it only if it has one: `{{{{#if {name}}}}}…`"),
            ),
            Some(name) => (
                format!("`{name}` is undefined"),
                format!("give `{name}` a value, or declare it as an input with a default"),
            ),
            None => (
                "the printed value is undefined".to_owned(),
                "print it only if it has a value: `{{#if …}}`".to_owned(),
            ),
        };
        let error = Error::new(ErrorKind::Undefined, message).with_help(help);
        RenderFailure::new(error, Some(self.span))
    }
}
