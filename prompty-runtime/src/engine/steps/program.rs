//! The steps that a render takes.

use super::call::Call;
use super::path::Path;
use crate::engine::RenderFailure;
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;
use prompty_template::tree::{BinaryOperator, ContextKind, Expr, ExprKind, Indentation};

/// A node of the tree, made ready to run.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Text(Box<str>),
    /// The digits of the render's nonce.
    Nonce,
    /// A value, HTML-escaped.
    Escaped(Path),
    /// A value as it is.
    Raw(Path),
    /// A value in the attributes of a role marker.
    Attribute(Path),
    /// A constant in the attributes of a role marker.
    AttributeText(Box<str>),
    /// A part of an expression.
    Compute(Operation),
    /// A call of a function of the host. Its result is pushed on the stack.
    Call(Call),
    /// Writes the value on top of the stack.
    Print(Subject),
    /// Writes the value on top of the stack in the attributes of a role marker.
    PrintAttribute(Subject),
    /// So many steps of the body are skipped.
    Skip(usize),
    /// The value on top of the stack is kept in a slot.
    Assign(usize),
    /// A block of Handlebars, for the value on top of the stack.
    Block(Box<Block>),
    Section {
        subject: Path,
        body: Vec<Step>,
    },
    Inverted {
        subject: Path,
        body: Vec<Step>,
    },
    /// A partial that names itself, by its place among [`Steps::partials`].
    Partial {
        index: usize,
        indentation: Indentation,
        span: TemplateSpan,
    },
    /// The indentation of the partial around.
    Indentation,
}

/// A block of Handlebars, made ready to run.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: ContextKind,
    pub(super) subject: Subject,
    pub(super) body: Vec<Step>,
    pub(super) otherwise: Vec<Step>,
}

/// The steps of a template.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub(super) main: Vec<Step>,
    /// The steps of the partials that name themselves.
    pub(super) partials: Vec<Vec<Step>>,
    /// How many names the template sets.
    pub(super) slot_count: usize,
}

/// A part of an expression.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Constant(Value),
    /// The value of a block around, or all inputs; 0 is the innermost block.
    Context(usize),
    /// `@index` and the like of a block around; `None` if no block around repeats.
    Turn {
        up: Option<usize>,
        part: TurnPart,
    },
    Input(Box<str>),
    /// The value that the template has set in a slot. If there is one, so many steps are skipped.
    Assigned {
        slot: usize,
        skip: usize,
    },
    Attribute(Box<str>),
    /// An item of a list, or an entry of a map. The index is on top of the owner.
    Item,
    /// The value must not be a thread or media.
    Argument(TemplateSpan),
    Not,
    Truth,
    /// If the value is true, it stays and so many steps are skipped. Otherwise it is dropped.
    SkipIfTrue(usize),
    /// Drops the condition of an `if`. If it is not true, so many steps are skipped.
    SkipUnlessTrue(usize),
    Compare {
        operator: BinaryOperator,
        span: TemplateSpan,
    },
    List {
        length: usize,
        span: TemplateSpan,
    },
    Helper {
        name: Box<str>,
        count: usize,
        span: TemplateSpan,
    },
    Discard,
}

/// What `@index`, `@key`, `@first` and `@last` read of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnPart {
    Index,
    Key,
    First,
    Last,
}

impl TurnPart {
    pub(super) fn of_name(name: &str) -> Self {
        match name {
            "index" => Self::Index,
            "key" => Self::Key,
            "first" => Self::First,
            _ => Self::Last,
        }
    }
}

/// The expression that a tag prints, or that a block is about. Errors name it.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) span: TemplateSpan,
    name: Option<Box<str>>,
    is_attribute: bool,
}

impl Subject {
    pub(super) fn of_expr(expr: &Expr) -> Self {
        let (name, is_attribute) = match &expr.kind {
            ExprKind::Variable(name) => (Some(name), false),
            ExprKind::Attribute { name, .. } => (Some(&name.text), true),
            _ => (None, false),
        };
        Self { span: expr.span, name: name.map(|name| name.as_str().into()), is_attribute }
    }

    pub(super) fn undefined(&self) -> RenderFailure {
        let (message, help) = match &self.name {
            Some(name) if self.is_attribute => (
                format!("`{name}` is undefined: the value has no such attribute"),
                format!(
                    "give it a value, or print it only where it has one: `{{{{#if {name}}}}}…`"
                ),
            ),
            Some(name) => (
                format!("`{name}` is undefined"),
                format!("give `{name}` a value, or declare it as an input with a default"),
            ),
            None => (
                "what is printed here is undefined".to_owned(),
                "print it only where it has a value: `{{#if …}}`".to_owned(),
            ),
        };
        let error = Error::new(ErrorKind::Undefined, message).with_help(help);
        RenderFailure::new(error, Some(self.span))
    }
}
