//! Operations of templates: a name, a form, and the accepted operands.

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `a|name`
    Filter,
    /// `name(a)`
    Function,
    /// `a.name()`, if `a` is a string.
    TextMethod,
    /// `a.name()`, if `a` is a map.
    MapMethod,
    /// `a.name()`, if `a` is a list.
    ListMethod,
    /// `a.name()`, if `a` is a tuple.
    TupleMethod,
    /// `loop.name()`
    LoopMethod,
    /// `a.name()`, if `a` is a number or the result of a function.
    OtherMethod,
    /// `a is name`
    Test,
    /// `a + b`
    Operator,
    /// A tag, or a word that is only used in a tag.
    Statement,
}

/// A class of operands. Strings and lists have many shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A string.
    Text,
    /// A format string of `%`.
    Percent,
    /// A format string of `format`.
    Braces,
    /// A string that names an attribute.
    Path,
    /// A list.
    List,
    /// A list of maps with the attributes `a` and `b`.
    Records,
    /// A map.
    Map,
    /// An integer that may be large.
    Count,
}

/// The possible classes of an operand.
pub type Operand = &'static [Class];

/// An operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The kind of its name.
    pub kind: Kind,
    /// The name.
    pub name: &'static str,
    /// The template's code, in which `a`, `b` and `c` are the operands: an expression, or tags.
    pub form: String,
    /// The possible classes of each operand.
    pub operands: &'static [Operand],
    /// The class of its result, if that may be large.
    pub result: Option<Class>,
}

impl Operation {
    /// Whether the form consists of tags. They assign their result, if there is one, to `r`.
    pub fn is_statement(&self) -> bool {
        self.form.contains("{%") || self.form.contains("{{")
    }

    /// Whether a result of this class may be the first operand.
    pub fn accepts(&self, class: Class) -> bool {
        self.operands.first().is_some_and(|operand| operand.contains(&class))
    }
}

/// A row of a table: names with the same form, in which `@` represents the name.
pub(crate) struct Row {
    kind: Kind,
    names: &'static str,
    form: &'static str,
    operands: &'static [Operand],
    result: Option<Class>,
}

/// Creates a row.
pub(crate) const fn row(
    kind: Kind,
    names: &'static str,
    form: &'static str,
    operands: &'static [Operand],
    result: Option<Class>,
) -> Row {
    Row { kind, names, form, operands, result }
}

/// The operations of tables, one for each name of a row.
pub(crate) fn expand(tables: &[&'static [Row]]) -> Vec<Operation> {
    let mut operations = Vec::new();
    for row in tables.iter().copied().flatten() {
        for name in row.names.split_whitespace() {
            let Row { kind, form, operands, result, .. } = *row;
            operations.push(Operation {
                kind,
                name,
                form: form.replace('@', name),
                operands,
                result,
            });
        }
    }
    operations
}
