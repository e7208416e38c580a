//! The tree of a template, which the checker, the macros and the renderers read.
//!
//! Every node has its span in the template's text. The tree represents the source as the author
//! wrote it, without folding or optimisation. Only white-space control has been applied, so the
//! text nodes contain exactly the text that will be written.

use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Template {
    /// The nodes in order.
    pub nodes: Vec<Node>,
    /// The spans of the texts inside `raw` blocks, in order.
    pub raw: Vec<TemplateSpan>,
}

impl Template {
    /// A template with these nodes, without `raw` blocks.
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes, raw: Vec::new() }
    }
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// The kind of node, with its content.
    pub kind: NodeKind,
    /// The node's span. A [`NodeKind::Text`] covers exactly the bytes that are written; a block
    /// extends from its first tag to its last.
    pub span: TemplateSpan,
}

impl Node {
    /// A node and its span.
    pub fn new(kind: NodeKind, span: TemplateSpan) -> Self {
        Self { kind, span }
    }
}

/// The kind of a [`Node`], with its content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NodeKind {
    /// Text that is written unchanged.
    Text(String),
    /// `{{ expression }}`: a value that is printed.
    Output(Expr),
    /// `{% if %}` with its branches.
    If(If),
    /// `{% for %}`.
    For(For),
    /// `{% set target = value %}`.
    Set {
        /// The assignment's target.
        target: Target,
        /// The assigned value.
        value: Expr,
    },
    /// `{% set target %}…{% endset %}`.
    SetBlock {
        /// The assignment's target.
        target: Target,
        /// The filters that are applied to the text, innermost first.
        filters: Vec<Call>,
        /// The nodes whose text is assigned.
        body: Vec<Node>,
    },
    /// `{% with a = b %}…{% endwith %}`.
    With {
        /// Each target with its value.
        bindings: Vec<(Target, Expr)>,
        /// The nodes that see the bindings.
        body: Vec<Node>,
    },
    /// `{% filter upper %}…{% endfilter %}`.
    FilterBlock {
        /// The filters that are applied to the text, innermost first.
        filters: Vec<Call>,
        /// The nodes whose text is filtered.
        body: Vec<Node>,
    },
    /// `{% macro name(parameters) %}…{% endmacro %}`.
    Macro(Macro),
    /// `{% call macro(arguments) %}…{% endcall %}`.
    CallBlock {
        /// The call.
        call: Expr,
        /// The body that the macro receives as `caller()`.
        caller: Macro,
    },
    /// `{% do function(arguments) %}`.
    Do(Expr),
    /// A Mustache section, `{{#name}}…{{/name}}` or, inverted, `{{^name}}…{{/name}}`.
    Section(Section),
    /// A Handlebars block that changes the context of names: `{{#each}}`, `{{#with}}`, `{{#name}}`.
    Context(ContextBlock),
    /// A Mustache partial that includes itself, at its outermost occurrence.
    RecursivePartial(RecursivePartial),
    /// A nested occurrence of a Mustache partial inside itself.
    Recursion {
        /// The number of the enclosing [`RecursivePartial`].
        number: usize,
        /// The indentation of its lines at this occurrence.
        indentation: Indentation,
    },
    /// The indentation of the enclosing [`RecursivePartial`], written at the start of a line.
    Indentation,
    /// `{% break %}`, in chat templates.
    Break,
    /// `{% continue %}`, in chat templates.
    Continue,
    /// A block without an effect on its content: `autoescape`, `generation`.
    Scope {
        /// The name of the construct.
        construct: &'static str,
        /// What it encloses.
        body: Vec<Node>,
    },
    /// `{% block name %}…{% endblock %}`, which another file can fill. After assembly, a prompt's
    /// template contains none.
    Block {
        /// The content of the first tag.
        tag: TemplateBlock,
        /// The default content, used if no other file fills the block.
        body: Vec<Node>,
    },
    /// A tag that names another template: `include`, `import`, `from`, `extends`. After assembly, a
    /// prompt's template contains none.
    OtherTemplate(Box<OtherTemplate>),
    /// `{{> name}}` of Mustache and Handlebars, which names another template.
    Partial,
}

/// The content of the first tag of a `block`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateBlock {
    /// The block's name.
    pub name: Name,
    /// Whether it sees the variables of the loops around it.
    pub is_scoped: bool,
    /// Whether another template must fill it.
    pub is_required: bool,
}

impl TemplateBlock {
    /// A block that another template may fill, and that does not see the variables of loops around
    /// it.
    pub fn new(name: Name) -> Self {
        Self { name, is_scoped: false, is_required: false }
    }
}

/// The content of a tag that names another template.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OtherTemplate {
    /// `{% include "name" %}`: inserts the text of another template.
    Include {
        /// The names, of which the first that exists is used.
        names: TemplateNames,
        /// Whether the tag writes nothing if no name exists.
        may_be_missing: bool,
        /// Whether it sees the names of the template around it, which is the default.
        sees_context: bool,
    },
    /// `{% import "name" as module %}`.
    Import {
        /// The template's name.
        names: TemplateNames,
        /// The variable whose attributes are the template's macros and variables.
        module: Name,
        /// Whether it sees the names of the template around it.
        sees_context: bool,
    },
    /// `{% from "name" import macro as other %}`.
    From {
        /// The template's name.
        names: TemplateNames,
        /// Each imported name with its local name.
        imported: Vec<(Name, Name)>,
        /// Whether it sees the names of the template around it.
        sees_context: bool,
    },
    /// `{% extends "name" %}`: writes another template, with the blocks of this one.
    Extends {
        /// The template's name.
        names: TemplateNames,
    },
}

impl OtherTemplate {
    /// Returns the tag's keyword.
    pub fn keyword(&self) -> &'static str {
        match self {
            Self::Include { .. } => "include",
            Self::Import { .. } => "import",
            Self::From { .. } => "from",
            Self::Extends { .. } => "extends",
        }
    }

    /// Whether the named template sees the names of the template around it.
    pub fn sees_context(&self) -> bool {
        match self {
            Self::Include { sees_context, .. }
            | Self::Import { sees_context, .. }
            | Self::From { sees_context, .. } => *sees_context,
            Self::Extends { .. } => true,
        }
    }

    /// Returns the template names in the tag.
    pub fn names(&self) -> &TemplateNames {
        match self {
            Self::Include { names, .. }
            | Self::Import { names, .. }
            | Self::From { names, .. }
            | Self::Extends { names } => names,
        }
    }
}

/// The names of other templates in a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateNames {
    /// Each name with its span, including quotation marks; `None` if a name is computed.
    pub given: Option<Vec<Name>>,
    /// The span of the complete list of names.
    pub span: TemplateSpan,
}

impl TemplateNames {
    /// The names in a tag and the span of all of them; `None` if a name is computed.
    pub fn new(given: Option<Vec<Name>>, span: TemplateSpan) -> Self {
        Self { given, span }
    }
}

/// `{% if %}`, `{% elif %}`, `{% else %}`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct If {
    /// Each condition with its body: the `if` first, then every `elif`.
    pub branches: Vec<(Expr, Vec<Node>)>,
    /// The body of `else`, if there is one.
    pub otherwise: Option<Vec<Node>>,
}

impl If {
    /// Branches without an `else`.
    pub fn new(branches: Vec<(Expr, Vec<Node>)>) -> Self {
        Self { branches, otherwise: None }
    }
}

/// `{% for target in iterable if condition %}`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct For {
    /// The loop's variables.
    pub target: Target,
    /// The collection that is iterated over.
    pub iterable: Expr,
    /// A condition that selects items. `loop` counts only the selected ones.
    pub condition: Option<Expr>,
    /// Whether `loop(...)` may be called.
    pub recursive: bool,
    /// The nodes written for each item.
    pub body: Vec<Node>,
    /// The nodes written if the collection is empty; empty without an `else`.
    pub otherwise: Vec<Node>,
}

impl For {
    /// A loop over all items, without an `else`.
    pub fn new(target: Target, iterable: Expr, body: Vec<Node>) -> Self {
        Self { target, iterable, condition: None, recursive: false, body, otherwise: Vec::new() }
    }
}

/// The target of a loop, `set` or `with`: a name, a tuple of targets, or an attribute of a
/// namespace.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// One name.
    Name(Name),
    /// Several targets, to which the items of a list are assigned.
    Tuple(Vec<Target>),
    /// `namespace.attribute`, in a `set`.
    Attribute(Expr),
}

impl Target {
    /// Returns all names that it binds, in order.
    pub fn names(&self) -> Vec<&Name> {
        match self {
            Self::Name(name) => vec![name],
            Self::Tuple(targets) => targets.iter().flat_map(Self::names).collect(),
            Self::Attribute(_) => Vec::new(),
        }
    }
}

/// A name with its span.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Name {
    /// The name.
    pub text: String,
    /// The name's span.
    pub span: TemplateSpan,
}

impl Name {
    /// A name at a span.
    pub fn new(text: impl Into<String>, span: TemplateSpan) -> Self {
        Self { text: text.into(), span }
    }
}

/// A macro of a template.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Macro {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// The defaults of the last parameters.
    pub defaults: Vec<Expr>,
    /// The nodes that it writes.
    pub body: Vec<Node>,
}

impl Macro {
    /// A macro without parameters.
    pub fn new(name: Name, body: Vec<Node>) -> Self {
        Self { name, parameters: Vec::new(), defaults: Vec::new(), body }
    }
}

/// A Mustache section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Section {
    /// The name after `#` or `^`; dotted names as attributes, `.` as [`ExprKind::Implicit`].
    pub subject: Expr,
    /// Whether the section is inverted (`^`), which writes its body if the value is missing or
    /// empty.
    pub inverted: bool,
    /// The nodes of the section.
    pub body: Vec<Node>,
}

impl Section {
    /// A section that is not inverted.
    pub fn new(subject: Expr, body: Vec<Node>) -> Self {
        Self { subject, inverted: false, body }
    }
}

/// A Handlebars block. Names inside it are looked up only in the block's value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContextBlock {
    /// Determines how often the body is written, and with which value.
    pub kind: ContextKind,
    /// The value that the tag names.
    pub subject: Expr,
    /// The names after `as`: of the value and, for `each`, of its index or key.
    pub parameters: Vec<Name>,
    /// The nodes written for each value.
    pub body: Vec<Node>,
    /// The nodes of `else`, written if the value is missing or empty. Their context is that around
    /// the block.
    pub otherwise: Vec<Node>,
}

impl ContextBlock {
    /// A block without parameters and without an `else`.
    pub fn new(kind: ContextKind, subject: Expr, body: Vec<Node>) -> Self {
        Self { kind, subject, parameters: Vec::new(), body, otherwise: Vec::new() }
    }
}

/// Determines how often the body of a [`ContextBlock`] is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContextKind {
    /// `{{#each items}}`: once for each item of a list or entry of a map.
    Each,
    /// `{{#with value}}`: once, unless the value is missing or empty.
    With,
    /// `{{#name}}`: once for each item of a list, or once for any other value that is not missing
    /// or false. If the value is `true`, the body keeps the context around the block.
    Section,
}

/// A Mustache partial that includes itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecursivePartial {
    /// The number by which a [`NodeKind::Recursion`] inside refers to it.
    pub number: usize,
    /// The indentation of its lines.
    pub indentation: Indentation,
    /// The nodes of the partial.
    pub body: Vec<Node>,
}

impl RecursivePartial {
    /// A partial with its number, the indentation of its lines, and its nodes.
    pub fn new(number: usize, indentation: Indentation, body: Vec<Node>) -> Self {
        Self { number, indentation, body }
    }
}

/// The indentation of the lines of a Mustache partial.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Indentation {
    /// This text.
    Absolute(String),
    /// The indentation of the enclosing partial, followed by this text.
    Relative(String),
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Expr {
    /// The kind of expression, with its content.
    pub kind: ExprKind,
    /// The span from the first operand to the last.
    pub span: TemplateSpan,
}

impl Expr {
    /// An expression and its span.
    pub fn new(kind: ExprKind, span: TemplateSpan) -> Self {
        Self { kind, span }
    }
}

/// The kind of an [`Expr`], with its content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExprKind {
    /// A variable.
    Variable(String),
    /// Mustache's `.`: the item of the section around it.
    Implicit,
    /// Handlebars' `this`, and `../` for enclosing contexts. 0 is the value of the innermost
    /// [`ContextBlock`]. The context outside of the outermost block is the inputs.
    Context(usize),
    /// A constant.
    Literal(Value),
    /// `value.name`.
    Attribute {
        /// The value with the attribute.
        value: Box<Expr>,
        /// Its name.
        name: Name,
    },
    /// `value[index]`.
    Index {
        /// The list or map.
        value: Box<Expr>,
        /// The index or key.
        index: Box<Expr>,
    },
    /// `value[start:stop:step]`.
    Slice {
        /// The sliced value.
        value: Box<Expr>,
        /// Start, stop and step, if present.
        bounds: [Option<Box<Expr>>; 3],
    },
    /// `not value`, `-value` or `+value`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `left operator right`.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `first < second <= third`: each operand is compared with the next, and all must hold.
    Comparison {
        /// The first operand.
        first: Box<Expr>,
        /// The operators, each with the operand on its right; two or more.
        rest: Vec<(BinaryOperator, Expr)>,
    },
    /// `value if condition else otherwise`.
    Conditional {
        /// The condition.
        condition: Box<Expr>,
        /// The result if the condition holds.
        value: Box<Expr>,
        /// The result otherwise; `None` without an `else`.
        otherwise: Option<Box<Expr>>,
    },
    /// `value | name(arguments)`.
    Filter {
        /// The filtered value.
        value: Box<Expr>,
        /// The filter's name and arguments.
        call: Call,
    },
    /// `value is name(arguments)`. `is not` is a [`UnaryOperator::Not`] around it.
    Test {
        /// The tested value.
        value: Box<Expr>,
        /// The test's name and arguments.
        call: Call,
    },
    /// `name(arguments)`.
    Function(Call),
    /// `value.name(arguments)`.
    Method {
        /// The value with the method.
        value: Box<Expr>,
        /// The method's name and arguments.
        call: Call,
    },
    /// A call of an expression that is not a name, such as `values[0](arguments)`.
    Invocation {
        /// The called expression.
        value: Box<Expr>,
        /// The arguments in order.
        arguments: Vec<Argument>,
    },
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `(a, b)`. The parentheses are optional in a `set`, and elsewhere in some dialects.
    Tuple(Vec<Expr>),
    /// `{a: b}`.
    Map(Vec<(Expr, Expr)>),
}

/// A name with arguments: a call of a filter, a test, a function or a method.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The name.
    pub name: Name,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
}

impl Call {
    /// A name with its arguments.
    pub fn new(name: Name, arguments: Vec<Argument>) -> Self {
        Self { name, arguments }
    }
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Argument {
    /// A positional argument.
    Positional(Expr),
    /// `name=value`.
    Named(Name, Expr),
    /// `*list`.
    Spread(Expr),
    /// `**map`.
    SpreadNamed(Expr),
}

impl Argument {
    /// Whether it expands to any number of arguments: `*list` or `**map`.
    pub fn is_spread(&self) -> bool {
        matches!(self, Self::Spread(_) | Self::SpreadNamed(_))
    }

    /// Returns the argument's value.
    pub fn expr(&self) -> &Expr {
        match self {
            Self::Positional(expr)
            | Self::Named(_, expr)
            | Self::Spread(expr)
            | Self::SpreadNamed(expr) => expr,
        }
    }
}

/// Returns the values of arguments, if all of them are positional.
pub(crate) fn positional_values(arguments: &[Argument]) -> Option<Vec<&Expr>> {
    let values = arguments.iter().map(|argument| match argument {
        Argument::Positional(value) => Some(value),
        _ => None,
    });
    values.collect()
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnaryOperator {
    /// `not`
    Not,
    /// `-`
    Minus,
    /// `+`, in chat templates.
    Plus,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryOperator {
    /// `and`
    And,
    /// `or`
    Or,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `in`
    In,
    /// `not in`, in an [`ExprKind::Comparison`] only; elsewhere it is a [`UnaryOperator::Not`]
    /// around an `in`.
    NotIn,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `//`
    FloorDivide,
    /// `%`
    Remainder,
    /// `**`
    Power,
    /// `~`
    Concatenate,
}

impl BinaryOperator {
    /// Whether it compares its operands.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessOrEqual
                | Self::Greater
                | Self::GreaterOrEqual
                | Self::In
                | Self::NotIn
        )
    }

    /// Returns the operator's source text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Remainder => "%",
            Self::Power => "**",
            Self::Concatenate => "~",
        }
    }
}
