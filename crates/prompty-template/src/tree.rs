//! The tree of a template: what the checker, the macros and the renderers read.
//!
//! Every node has its place in the template's text. The tree holds what the author wrote, not what
//! an engine makes of it: nothing is folded or optimised away, and white-space control has been
//! carried out, so that the texts are those that will be written.

use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Template {
    /// The nodes in order.
    pub nodes: Vec<Node>,
    /// The places of the texts that stand in `raw` blocks, in order.
    pub raw: Vec<TemplateSpan>,
}

impl Template {
    /// A template of these nodes, without `raw` blocks.
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes, raw: Vec::new() }
    }
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands. For a [`NodeKind::Text`] exactly the bytes that are written; for a block its
    /// first tag up to its last.
    pub span: TemplateSpan,
}

impl Node {
    /// A node and its span.
    pub fn new(kind: NodeKind, span: TemplateSpan) -> Self {
        Self { kind, span }
    }
}

/// What a node of a template is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NodeKind {
    /// Text that is written as it is.
    Text(String),
    /// `{{ expression }}`: a value that is printed.
    Output(Expr),
    /// `{% if %}` with its branches.
    If(If),
    /// `{% for %}`.
    For(For),
    /// `{% set target = value %}`.
    Set {
        /// What is bound.
        target: Target,
        /// To what.
        value: Expr,
    },
    /// `{% set target %}…{% endset %}`.
    SetBlock {
        /// What is bound.
        target: Target,
        /// The filters that the text goes through, innermost first.
        filters: Vec<Call>,
        /// The nodes whose text is bound.
        body: Vec<Node>,
    },
    /// `{% with a = b %}…{% endwith %}`.
    With {
        /// What is bound, and to what.
        bindings: Vec<(Target, Expr)>,
        /// Where the bindings hold.
        body: Vec<Node>,
    },
    /// `{% filter upper %}…{% endfilter %}`.
    FilterBlock {
        /// The filters that the text goes through, innermost first.
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
        /// What the macro gets as `caller()`.
        caller: Macro,
    },
    /// `{% do function(arguments) %}`.
    Do(Expr),
    /// A Mustache section, `{{#name}}…{{/name}}` or, inverted, `{{^name}}…{{/name}}`.
    Section(Section),
    /// A block of Handlebars in which names mean other things: `{{#each}}`, `{{#with}}`, `{{#name}}`.
    Context(ContextBlock),
    /// A Mustache partial that names itself, where it is first named.
    RecursivePartial(RecursivePartial),
    /// A Mustache partial again, inside of itself.
    Recursion {
        /// The number of the [`RecursivePartial`] around.
        number: usize,
        /// What its lines begin with this time.
        indentation: Indentation,
    },
    /// What the lines of the [`RecursivePartial`] around begin with.
    Indentation,
    /// `{% break %}`, in chat templates.
    Break,
    /// `{% continue %}`, in chat templates.
    Continue,
    /// A block that only encloses: `autoescape`, `generation`.
    Scope {
        /// The name of the construct.
        construct: &'static str,
        /// What it encloses.
        body: Vec<Node>,
    },
    /// `{% block name %}…{% endblock %}`, which another file can fill. A prompt's template has none once its
    /// files are assembled.
    Block {
        /// What the first tag says.
        tag: TemplateBlock,
        /// What stands in it if no other file fills it.
        body: Vec<Node>,
    },
    /// A tag that names another template: `include`, `import`, `from`, `extends`. A prompt's template has
    /// none once its files are assembled.
    OtherTemplate(Box<OtherTemplate>),
    /// Mustache's `{{> name}}`, which names another template.
    Partial,
}

/// What the first tag of a `block` says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateBlock {
    /// Its name.
    pub name: Name,
    /// Whether it sees the names of the loops around it.
    pub is_scoped: bool,
    /// Whether another template must fill it.
    pub is_required: bool,
}

impl TemplateBlock {
    /// A block that another template may fill, and that does not see the names of loops around it.
    pub fn new(name: Name) -> Self {
        Self { name, is_scoped: false, is_required: false }
    }
}

/// What a tag says that names another template.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OtherTemplate {
    /// `{% include "name" %}`: its text stands here.
    Include {
        /// The names, of which the first that exists counts.
        names: TemplateNames,
        /// Whether nothing is written where no name exists.
        may_be_missing: bool,
        /// Whether it sees the names of the template around it, as it does unless it says otherwise.
        sees_context: bool,
    },
    /// `{% import "name" as module %}`.
    Import {
        /// The name.
        names: TemplateNames,
        /// What its macros and variables are attributes of.
        module: Name,
        /// Whether it sees the names of the template around it.
        sees_context: bool,
    },
    /// `{% from "name" import macro as other %}`.
    From {
        /// The name.
        names: TemplateNames,
        /// What is imported, and the name that it gets.
        imported: Vec<(Name, Name)>,
        /// Whether it sees the names of the template around it.
        sees_context: bool,
    },
    /// `{% extends "name" %}`: its text is written, with the blocks of this template.
    Extends {
        /// The name.
        names: TemplateNames,
    },
}

impl OtherTemplate {
    /// The tag's keyword.
    pub fn keyword(&self) -> &'static str {
        match self {
            Self::Include { .. } => "include",
            Self::Import { .. } => "import",
            Self::From { .. } => "from",
            Self::Extends { .. } => "extends",
        }
    }

    /// Whether what it names sees the names of the template around it.
    pub fn sees_context(&self) -> bool {
        match self {
            Self::Include { sees_context, .. }
            | Self::Import { sees_context, .. }
            | Self::From { sees_context, .. } => *sees_context,
            Self::Extends { .. } => true,
        }
    }

    /// The names that the tag gives.
    pub fn names(&self) -> &TemplateNames {
        match self {
            Self::Include { names, .. }
            | Self::Import { names, .. }
            | Self::From { names, .. }
            | Self::Extends { names } => names,
        }
    }
}

/// The names that a tag gives for another template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateNames {
    /// Each name with its place, quotation marks included; nothing where one is computed.
    pub given: Option<Vec<Name>>,
    /// Where all of it stands.
    pub span: TemplateSpan,
}

impl TemplateNames {
    /// The names of a tag and the span of all of them; `None` if a name is computed.
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
    /// What is looped over.
    pub iterable: Expr,
    /// Which items are taken; `loop` counts only those.
    pub condition: Option<Expr>,
    /// Whether `loop(...)` may be called.
    pub recursive: bool,
    /// What is written for each item.
    pub body: Vec<Node>,
    /// What is written when there is no item; empty when there is no `else`.
    pub otherwise: Vec<Node>,
}

impl For {
    /// A loop over all items, without an `else`.
    pub fn new(target: Target, iterable: Expr, body: Vec<Node>) -> Self {
        Self { target, iterable, condition: None, recursive: false, body, otherwise: Vec::new() }
    }
}

/// What a loop, `set` or `with` binds: a name, a tuple of them, or an attribute of a namespace.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// One name.
    Name(Name),
    /// Several, taken out of a list.
    Tuple(Vec<Target>),
    /// `namespace.attribute`, in a `set`.
    Attribute(Expr),
}

impl Target {
    /// All names that it binds, in order.
    pub fn names(&self) -> Vec<&Name> {
        match self {
            Self::Name(name) => vec![name],
            Self::Tuple(targets) => targets.iter().flat_map(Self::names).collect(),
            Self::Attribute(_) => Vec::new(),
        }
    }
}

/// A name with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: TemplateSpan,
}

impl Name {
    /// A name at a place.
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
    /// What it writes.
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
    /// Whether it is written when there is nothing: `^`.
    pub inverted: bool,
    /// What is written.
    pub body: Vec<Node>,
}

impl Section {
    /// A section that is not inverted.
    pub fn new(subject: Expr, body: Vec<Node>) -> Self {
        Self { subject, inverted: false, body }
    }
}

/// A block of Handlebars. Names in it are looked up in its value and nowhere else.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContextBlock {
    /// What decides how often the body is written, and with which value.
    pub kind: ContextKind,
    /// What the tag names.
    pub subject: Expr,
    /// The names behind `as`: of the value, and for `each` of its index or key.
    pub parameters: Vec<Name>,
    /// What is written for each value.
    pub body: Vec<Node>,
    /// What is written when there is none, of `else`. It belongs to the value around the block.
    pub otherwise: Vec<Node>,
}

impl ContextBlock {
    /// A block without parameters and without an `else`.
    pub fn new(kind: ContextKind, subject: Expr, body: Vec<Node>) -> Self {
        Self { kind, subject, parameters: Vec::new(), body, otherwise: Vec::new() }
    }
}

/// What decides how often the body of a [`ContextBlock`] is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContextKind {
    /// `{{#each items}}`: once for each item of a list, or entry of a map.
    Each,
    /// `{{#with value}}`: once, unless the value is missing or empty.
    With,
    /// `{{#name}}`: once for each item of a list; otherwise once, unless the value is missing or false.
    /// Where it is `true`, the body belongs to the value around the block.
    Section,
}

/// A Mustache partial that names itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecursivePartial {
    /// Its number, by which it is named inside.
    pub number: usize,
    /// What its lines begin with.
    pub indentation: Indentation,
    /// What is written.
    pub body: Vec<Node>,
}

impl RecursivePartial {
    /// A partial with its number and the indentation of its lines.
    pub fn new(number: usize, indentation: Indentation, body: Vec<Node>) -> Self {
        Self { number, indentation, body }
    }
}

/// What the lines of a Mustache partial begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Indentation {
    /// With this text.
    Whole(String),
    /// With the indentation of the partial around, and this text.
    Added(String),
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where all of it stands, from its first operand to its last.
    pub span: TemplateSpan,
}

impl Expr {
    /// An expression and its span.
    pub fn new(kind: ExprKind, span: TemplateSpan) -> Self {
        Self { kind, span }
    }
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExprKind {
    /// A variable.
    Variable(String),
    /// Mustache's `.`: the item of the section around it.
    Implicit,
    /// Handlebars' `this`, and `../` for the values around: 0 is that of the innermost
    /// [`ContextBlock`]. Beyond the outermost lie the inputs.
    Context(usize),
    /// A constant.
    Literal(Value),
    /// `value.name`.
    Attribute {
        /// What has the attribute.
        value: Box<Expr>,
        /// Its name.
        name: Name,
    },
    /// `value[index]`.
    Index {
        /// The list or map.
        value: Box<Expr>,
        /// The place in it.
        index: Box<Expr>,
    },
    /// `value[start:stop:step]`.
    Slice {
        /// What is cut.
        value: Box<Expr>,
        /// Start, stop and step, where given.
        bounds: [Option<Box<Expr>>; 3],
    },
    /// `not value`, `-value` or `+value`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// What it applies to.
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
        /// What decides.
        condition: Box<Expr>,
        /// What it is when that holds.
        value: Box<Expr>,
        /// What it is when not; nothing where `else` is missing.
        otherwise: Option<Box<Expr>>,
    },
    /// `value | name(arguments)`.
    Filter {
        /// What is filtered.
        value: Box<Expr>,
        /// The filter's name and arguments.
        call: Call,
    },
    /// `value is name(arguments)`. `is not` is a [`UnaryOperator::Not`] around it.
    Test {
        /// What is tested.
        value: Box<Expr>,
        /// The test's name and arguments.
        call: Call,
    },
    /// `name(arguments)`.
    Function(Call),
    /// `value.name(arguments)`.
    Method {
        /// What has the method.
        value: Box<Expr>,
        /// The method's name and arguments.
        call: Call,
    },
    /// A call of what is no name, such as `values[0](arguments)`.
    Invocation {
        /// What is called.
        value: Box<Expr>,
        /// The arguments in order.
        arguments: Vec<Argument>,
    },
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `(a, b)`; without parentheses in a `set`, and where a dialect says so.
    Tuple(Vec<Expr>),
    /// `{a: b}`.
    Map(Vec<(Expr, Expr)>),
}

/// A name with arguments: of a filter, a test, a function or a method.
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
    /// By position.
    Positional(Expr),
    /// `name=value`.
    Named(Name, Expr),
    /// `*list`.
    Spread(Expr),
    /// `**map`.
    SpreadNamed(Expr),
}

impl Argument {
    /// Whether it stands for any number of arguments: `*list` or `**map`.
    pub fn is_spread(&self) -> bool {
        matches!(self, Self::Spread(_) | Self::SpreadNamed(_))
    }

    /// The argument's value.
    pub fn expr(&self) -> &Expr {
        match self {
            Self::Positional(expr)
            | Self::Named(_, expr)
            | Self::Spread(expr)
            | Self::SpreadNamed(expr) => expr,
        }
    }
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

    /// The operator as it is written.
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
