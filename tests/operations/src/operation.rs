//! What an operation of templates is: a name, a form, and the operands that it takes.

/// What kind of name an operation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `a|name`
    Filter,
    /// `name(a)`
    Function,
    /// `a.name()` where `a` is a text.
    TextMethod,
    /// `a.name()` where `a` is a map.
    MapMethod,
    /// `a.name()` where `a` is a list.
    ListMethod,
    /// `a.name()` where `a` is a tuple.
    TupleMethod,
    /// `loop.name()`
    LoopMethod,
    /// `a.name()` where `a` is a number or what a function made.
    OtherMethod,
    /// `a is name`
    Test,
    /// `a + b`
    Operator,
    /// A tag, or what only stands beside one.
    Statement,
}

/// A class of operands: texts and lists are made in many shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A text.
    Text,
    /// A text with places to be filled in by `%`.
    Percent,
    /// A text with places to be filled in by `format`.
    Braces,
    /// A text that names an attribute.
    Path,
    /// A list.
    List,
    /// A list of maps that have the attributes `a` and `b`.
    Records,
    /// A map.
    Map,
    /// A whole number that may be large.
    Count,
}

/// The classes that an operand may be of.
pub type Operand = &'static [Class];

/// An operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// What kind of name it has.
    pub kind: Kind,
    /// The name.
    pub name: &'static str,
    /// The template's code, in which `a`, `b` and `c` are the operands: an expression, or tags.
    pub form: String,
    /// What the operands may be.
    pub operands: &'static [Operand],
    /// What comes out of it, where that may be large.
    pub gives: Option<Class>,
}

impl Operation {
    /// Whether the form is tags and no expression. They bind their result, if there is one, to `r`.
    pub fn is_statement(&self) -> bool {
        self.form.contains("{%") || self.form.contains("{{")
    }

    /// Whether a result of this class may stand for the first operand.
    pub fn takes(&self, class: Class) -> bool {
        self.operands.first().is_some_and(|operand| operand.contains(&class))
    }
}

/// A row of a table: names that share a form, in which `@` stands for the name.
pub(crate) struct Row {
    kind: Kind,
    names: &'static str,
    form: &'static str,
    operands: &'static [Operand],
    gives: Option<Class>,
}

/// A row.
pub(crate) const fn row(
    kind: Kind,
    names: &'static str,
    form: &'static str,
    operands: &'static [Operand],
    gives: Option<Class>,
) -> Row {
    Row { kind, names, form, operands, gives }
}

/// The operations of some tables, one for each name of a row.
pub(crate) fn expand(tables: &[&'static [Row]]) -> Vec<Operation> {
    let mut operations = Vec::new();
    for row in tables.iter().copied().flatten() {
        for name in row.names.split_whitespace() {
            let Row { kind, form, operands, gives, .. } = *row;
            operations.push(Operation {
                kind,
                name,
                form: form.replace('@', name),
                operands,
                gives,
            });
        }
    }
    operations
}
