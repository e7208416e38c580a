//! A program is a compiled template: names are numbers, and the functions of filters and tests are
//! already found. `compile` makes it; `interpreter` and `eval` run it.

use std::fmt;
use std::sync::Arc;

use super::run::{FilterFn, TestFn};
use super::table::Entry;
use super::value::Function;
use prompty_core::value::Value;
use prompty_template::tree::BinaryOperator;

/// A name, as its index in [`Program::names`].
pub(super) type NameId = u32;

/// A compiled template.
pub(super) struct Program {
    pub(super) body: Vec<Statement>,
    /// The names of variables, without duplicates.
    pub(super) names: Vec<Arc<str>>,
    /// For each name, the built-in function that it refers to if no variable has this name.
    pub(super) functions: Vec<Option<Function>>,
    /// The macros, and the bodies of `call` blocks. The value of a macro refers to them by index.
    pub(super) macros: Vec<Macro>,
    /// The loops. A recursive loop refers to itself by its index.
    pub(super) loops: Vec<Loop>,
}

impl Program {
    /// A name by its number.
    pub(super) fn name(&self, id: NameId) -> &str {
        self.names.get(id as usize).map_or("", |name| name)
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The names that the engine binds itself. They are the first names of each program, so that their
/// numbers are the constants that follow, in this order.
pub(super) const BOUND: [&str; 4] = ["loop", "caller", "varargs", "kwargs"];
pub(super) const LOOP: NameId = 0;
pub(super) const CALLER: NameId = 1;
pub(super) const VARARGS: NameId = 2;
pub(super) const KWARGS: NameId = 3;

pub(super) enum Statement {
    Text(Arc<str>),
    Output(Expr),
    If {
        branches: Vec<(Expr, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    /// A loop, as its index in [`Program::loops`].
    For(u32),
    Set {
        target: Target,
        value: Expr,
    },
    SetBlock {
        target: Target,
        filters: Vec<Filter>,
        body: Vec<Statement>,
    },
    /// `with`. Without bindings it is a plain scope: `generation`, `block` or `autoescape`.
    With {
        bindings: Vec<(Target, Expr)>,
        body: Vec<Statement>,
    },
    FilterBlock {
        filters: Vec<Filter>,
        body: Vec<Statement>,
    },
    /// A macro, as its index in [`Program::macros`].
    Macro(u32),
    /// `{% call %}`: the body is a macro, as its index in [`Program::macros`].
    CallBlock {
        call: Expr,
        caller: u32,
    },
    Do(Expr),
    Break,
    Continue,
}

pub(super) struct Loop {
    pub(super) target: Target,
    pub(super) iterable: Expr,
    pub(super) condition: Option<Expr>,
    pub(super) recursive: bool,
    pub(super) body: Vec<Statement>,
    pub(super) otherwise: Vec<Statement>,
}

pub(super) struct Macro {
    pub(super) name: NameId,
    /// The parameters, with their defaults.
    pub(super) parameters: Vec<(NameId, Option<Expr>)>,
    pub(super) body: Vec<Statement>,
    pub(super) reads: SpecialReads,
}

/// Whether a macro reads `varargs` or `kwargs`. Only then it accepts extra arguments.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SpecialReads {
    pub(super) varargs: bool,
    pub(super) kwargs: bool,
}

pub(super) enum Target {
    Name(NameId),
    Tuple(Vec<Target>),
    /// `namespace.attribute`.
    Attribute {
        namespace: NameId,
        name: Arc<str>,
        /// The byte position for error messages.
        at: u32,
    },
}

/// A filter or a test, with its arguments.
pub(super) struct Call<F: 'static> {
    pub(super) name: Arc<str>,
    /// `None` if the name is unknown. Calling it is then an error.
    pub(super) function: Option<&'static Entry<F>>,
    pub(super) arguments: Vec<Argument>,
    /// The byte position for error messages.
    pub(super) at: u32,
}

pub(super) type Filter = Call<FilterFn>;

pub(super) struct Expr {
    pub(super) kind: ExprKind,
    /// The byte position for error messages.
    pub(super) at: u32,
}

pub(super) enum ExprKind {
    Literal(Value),
    Name(NameId),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    Attribute(Box<Expr>, Arc<str>),
    Item(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Box<[Option<Expr>; 3]>),
    /// A call of a value, such as a function, a method or a macro.
    Invocation(Box<Expr>, Vec<Argument>),
    Filter(Box<Expr>, Box<Filter>),
    Test(Box<Expr>, Box<Call<TestFn>>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Plus(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `a + b`. The operator is not a comparison, `and`, `or` or `~`.
    Arithmetic(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `a < b < c`
    Compare(Box<Expr>, Vec<(BinaryOperator, Expr)>),
    /// `a ~ b ~ c`
    Concatenate(Vec<Expr>),
    Conditional {
        condition: Box<Expr>,
        value: Box<Expr>,
        otherwise: Option<Box<Expr>>,
    },
}

pub(super) enum Argument {
    Positional(Expr),
    Named(Arc<str>, Expr),
    /// `*list`
    List(Expr),
    /// `**dict`
    Dict(Expr),
}

impl Argument {
    pub(super) fn expr(&self) -> &Expr {
        match self {
            Self::Positional(expr) | Self::Named(_, expr) | Self::List(expr) | Self::Dict(expr) => {
                expr
            }
        }
    }
}
