//! The filters, tests and functions that every Jinja template has. The engine, the checker and the
//! documentation share these tables. Each must be sorted by name, because [`find`] halves it.

/// A filter, a test or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Builtin {
    /// The name.
    pub name: &'static str,
    /// The minimum number of positional arguments, without the value before `|` or `is`.
    pub least: usize,
    /// The maximum number of positional arguments; [`usize::MAX`] if unlimited.
    pub most: usize,
    /// The arguments that may be passed by name.
    pub named: NamedArguments,
    /// The type of the values that it applies to.
    pub takes: Operand,
    /// The type of its result.
    pub gives: Output,
    /// A description in one line.
    pub summary: &'static str,
    /// Whether every runtime of Prompty has it.
    pub portable: bool,
}

/// The arguments that may be passed by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedArguments {
    /// Only these.
    Only(&'static [&'static str]),
    /// Any name. The arguments become entries of a map.
    Any,
}

impl NamedArguments {
    /// Whether an argument of this name may be passed.
    pub fn allows(self, name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&name),
            Self::Any => true,
        }
    }
}

/// The type of the values that a filter or test applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand {
    /// All values.
    Anything,
    /// Strings.
    Text,
    /// Strings. Numbers and booleans are converted to strings first.
    Printed,
    /// Numbers.
    Number,
    /// Values that can be converted to a number: strings, numbers, booleans.
    Scalar,
    /// Lists.
    List,
    /// Maps.
    Map,
    /// Strings and lists, which have an order.
    Sequence,
    /// Strings, lists and maps, which have a length.
    Collection,
}

impl Operand {
    /// Returns the name of the type in messages.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Anything => "any value",
            Self::Text | Self::Printed => "a string",
            Self::Number => "a number",
            Self::Scalar => "a string, a number or a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Sequence => "a string or a list",
            Self::Collection => "a string, a list or a map",
        }
    }
}

/// The type of the result of a filter or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// A value of an unknown type.
    Anything,
    /// A string.
    Text,
    /// An integer.
    Integer,
    /// A number with a fraction.
    Float,
    /// `true` or `false`.
    Boolean,
    /// The type of the operand.
    Same,
    /// The type of the operand, or of the first argument if the operand is missing.
    SameOrArgument,
    /// An item of the operand, or a missing value if it is empty.
    Item,
    /// A list of items of the operand.
    Items,
    /// A list of strings.
    Texts,
    /// A list of integers.
    Integers,
    /// A list of pairs of a name and a value.
    Pairs,
    /// A list of groups, each with a `grouper` and a `list`.
    Groups,
    /// A list of values of an unknown type.
    List,
    /// A map.
    Map,
}

/// No argument may be passed by name.
const NONE: NamedArguments = NamedArguments::Only(&[]);
/// Any number of arguments.
const MANY: usize = usize::MAX;

pub(super) const fn builtin(
    name: &'static str,
    takes: Operand,
    gives: Output,
    summary: &'static str,
) -> Builtin {
    Builtin { name, least: 0, most: 0, named: NONE, takes, gives, summary, portable: false }
}

impl Builtin {
    pub(super) const fn arguments(mut self, least: usize, most: usize) -> Self {
        self.least = least;
        self.most = most;
        self
    }

    pub(super) const fn named(mut self, names: &'static [&'static str]) -> Self {
        self.named = NamedArguments::Only(names);
        self
    }

    /// Accepts any arguments, but at least `least`, by position or name.
    const fn any_arguments(self, least: usize) -> Self {
        self.arguments(least, MANY).any_named()
    }

    const fn any_named(mut self) -> Self {
        self.named = NamedArguments::Any;
        self
    }

    const fn portable(mut self) -> Self {
        self.portable = true;
        self
    }
}

/// The filters, in alphabetical order.
pub const FILTERS: &[Builtin] = &[
    builtin("abs", Operand::Number, Output::Same, "the number without its sign"),
    builtin("bool", Operand::Anything, Output::Boolean, "whether the value is true as a condition"),
    builtin("capitalize", Operand::Printed, Output::Text, "only the first letter in upper case"),
    builtin("count", Operand::Collection, Output::Integer, "the number of characters or items"),
    builtin("d", Operand::Anything, Output::SameOrArgument, "short for `default`")
        .arguments(0, 2)
        .named(&["boolean"]),
    builtin(
        "default",
        Operand::Anything,
        Output::SameOrArgument,
        "the value, or a fallback if it is missing",
    )
    .arguments(0, 2)
    .named(&["boolean"])
    .portable(),
    builtin("dictsort", Operand::Map, Output::Pairs, "the sorted entries of a map").named(&[
        "by",
        "case_sensitive",
        "reverse",
    ]),
    builtin("first", Operand::Sequence, Output::Item, "the first character or item"),
    builtin("float", Operand::Scalar, Output::Float, "the value as a number")
        .arguments(0, 1)
        .named(&["default"]),
    builtin("format", Operand::Printed, Output::Text, "the string with `%s` placeholders filled")
        .any_arguments(0),
    builtin("groupby", Operand::List, Output::Groups, "the items grouped by an attribute")
        .arguments(0, 1)
        .named(&["attribute", "default", "case_sensitive"]),
    builtin("indent", Operand::Printed, Output::Text, "all lines but the first indented")
        .arguments(0, 1)
        .named(&["width", "first", "blank"]),
    builtin("int", Operand::Scalar, Output::Integer, "the value as an integer")
        .arguments(0, 2)
        .named(&["default", "base"]),
    builtin("items", Operand::Map, Output::Pairs, "the entries of a map"),
    builtin("join", Operand::List, Output::Text, "the items joined to one string")
        .arguments(0, 2)
        .named(&["attribute"])
        .portable(),
    builtin("last", Operand::Sequence, Output::Item, "the last character or item"),
    builtin("length", Operand::Collection, Output::Integer, "the number of characters or items")
        .portable(),
    builtin("lines", Operand::Text, Output::Texts, "the lines of a string"),
    builtin("list", Operand::Collection, Output::Items, "the characters, items or keys as a list"),
    builtin("lower", Operand::Printed, Output::Text, "the string in lower case").portable(),
    builtin(
        "map",
        Operand::List,
        Output::List,
        "an attribute of each item, or each item passed through a filter",
    )
    .any_arguments(0),
    builtin("max", Operand::List, Output::Item, "the greatest item")
        .named(&["case_sensitive", "attribute"]),
    builtin("min", Operand::List, Output::Item, "the least item")
        .named(&["case_sensitive", "attribute"]),
    builtin("reject", Operand::List, Output::Items, "the items that fail a test").any_arguments(0),
    builtin("rejectattr", Operand::List, Output::Items, "the items whose attribute fails a test")
        .any_arguments(1),
    builtin("replace", Operand::Printed, Output::Text, "one substring replaced by another")
        .arguments(2, 2),
    builtin("reverse", Operand::Sequence, Output::Same, "the characters or items in reverse order"),
    builtin("round", Operand::Number, Output::Same, "the number rounded to fewer digits")
        .arguments(0, 2)
        .named(&["precision", "method"]),
    builtin("select", Operand::List, Output::Items, "the items that pass a test").any_arguments(0),
    builtin("selectattr", Operand::List, Output::Items, "the items whose attribute passes a test")
        .any_arguments(1),
    builtin("sort", Operand::List, Output::Items, "the sorted items").named(&[
        "attribute",
        "case_sensitive",
        "reverse",
    ]),
    builtin("split", Operand::Text, Output::Texts, "the substrings between separators")
        .arguments(0, 2),
    builtin("string", Operand::Anything, Output::Text, "the value as a string"),
    builtin("sum", Operand::List, Output::Anything, "the sum of all items")
        .arguments(0, 2)
        .named(&["attribute", "start"]),
    builtin("title", Operand::Printed, Output::Text, "the first letter of each word in upper case"),
    builtin("tojson", Operand::Anything, Output::Text, "the value as JSON")
        .arguments(0, 1)
        .named(&["indent"]),
    builtin("trim", Operand::Printed, Output::Text, "the string without white space at its ends")
        .arguments(0, 1)
        .portable(),
    builtin("truncate", Operand::Printed, Output::Text, "the beginning of a long string")
        .arguments(0, 4)
        .named(&["length", "killwords", "end", "leeway"]),
    builtin(
        "trusted",
        Operand::Printed,
        Output::Text,
        "an untrusted string that is meant as an instruction",
    ),
    builtin("unique", Operand::List, Output::Items, "each item once")
        .named(&["case_sensitive", "attribute"]),
    builtin("upper", Operand::Printed, Output::Text, "the string in upper case").portable(),
];

const fn test(
    name: &'static str,
    takes: Operand,
    arguments: usize,
    summary: &'static str,
) -> Builtin {
    builtin(name, takes, Output::Boolean, summary).arguments(arguments, arguments)
}

/// The tests, in alphabetical order. A test follows `is`.
pub const TESTS: &[Builtin] = &[
    test("!=", Operand::Anything, 1, "is a different value"),
    test("<", Operand::Anything, 1, "is less"),
    test("<=", Operand::Anything, 1, "is less or equal"),
    test("==", Operand::Anything, 1, "is an equal value"),
    test(">", Operand::Anything, 1, "is greater"),
    test(">=", Operand::Anything, 1, "is greater or equal"),
    test("boolean", Operand::Anything, 0, "is `true` or `false`"),
    test("defined", Operand::Anything, 0, "is given"),
    test("divisibleby", Operand::Number, 1, "can be divided without a remainder"),
    test("endingwith", Operand::Printed, 1, "ends with a string"),
    test("eq", Operand::Anything, 1, "is an equal value"),
    test("equalto", Operand::Anything, 1, "is an equal value"),
    test("even", Operand::Number, 0, "is an even number"),
    test("false", Operand::Anything, 0, "is `false`"),
    test("float", Operand::Anything, 0, "is a floating-point number"),
    test("ge", Operand::Anything, 1, "is greater or equal"),
    test("greaterthan", Operand::Anything, 1, "is greater"),
    test("gt", Operand::Anything, 1, "is greater"),
    test("in", Operand::Anything, 1, "is one of the items, or a substring"),
    test("int", Operand::Anything, 0, "is an integer"),
    test("integer", Operand::Anything, 0, "is an integer"),
    test("iterable", Operand::Anything, 0, "can be iterated over"),
    test("le", Operand::Anything, 1, "is less or equal"),
    test("lessthan", Operand::Anything, 1, "is less"),
    test("lt", Operand::Anything, 1, "is less"),
    test("mapping", Operand::Anything, 0, "is a map"),
    test("ne", Operand::Anything, 1, "is a different value"),
    test("none", Operand::Anything, 0, "is `none`"),
    test("number", Operand::Anything, 0, "is a number"),
    test("odd", Operand::Number, 0, "is an odd number"),
    test("sequence", Operand::Anything, 0, "is a list"),
    test("startingwith", Operand::Printed, 1, "begins with a string"),
    test("string", Operand::Anything, 0, "is a string"),
    test("true", Operand::Anything, 0, "is `true`"),
    test("undefined", Operand::Anything, 0, "is not given"),
];

/// The functions, in alphabetical order.
pub const FUNCTIONS: &[Builtin] = &[
    builtin("dict", Operand::Anything, Output::Map, "a map of its named arguments")
        .arguments(0, 1)
        .any_named(),
    builtin(
        "namespace",
        Operand::Anything,
        Output::Anything,
        "an object that `set` can change in a loop",
    )
    .arguments(0, 1)
    .any_named(),
    builtin("range", Operand::Anything, Output::Integers, "integers from start to stop, by a step")
        .arguments(1, 3),
    builtin("zip", Operand::Anything, Output::List, "lists that contain one item of each list")
        .arguments(1, MANY),
];

/// The methods of maps, in alphabetical order.
pub const MAP_METHODS: &[Builtin] = &[
    builtin("get", Operand::Map, Output::Anything, "the value of a key, or the fallback")
        .arguments(1, 2),
    builtin("items", Operand::Map, Output::Pairs, "the entries"),
    builtin("keys", Operand::Map, Output::Texts, "the keys"),
    builtin("values", Operand::Map, Output::List, "the values"),
];

/// The methods of lists, in alphabetical order: those of Python that do not change the list.
pub const LIST_METHODS: &[Builtin] = &[
    builtin("count", Operand::List, Output::Integer, "the number of equal items").arguments(1, 1),
    builtin("index", Operand::List, Output::Integer, "the index of the first equal item")
        .arguments(1, 1),
];

const fn method(name: &'static str, gives: Output, summary: &'static str) -> Builtin {
    builtin(name, Operand::Text, gives, summary)
}

/// The methods of strings, in alphabetical order: those of Python.
pub const TEXT_METHODS: &[Builtin] = &[
    method("capitalize", Output::Text, "only the first letter in upper case"),
    method("casefold", Output::Text, "the string for comparison without regard to case"),
    method("center", Output::Text, "the string centered in a width").arguments(1, 2),
    method("count", Output::Integer, "the number of times that a substring occurs").arguments(1, 1),
    method("endswith", Output::Boolean, "whether the string ends with a string, or one of several")
        .arguments(1, 3),
    method("expandtabs", Output::Text, "the string with spaces for tabs")
        .arguments(0, 1)
        .named(&["tabsize"]),
    method("find", Output::Integer, "the index of a substring, or -1").arguments(1, 1),
    method("format", Output::Text, "the string with `{}` and `{name}` placeholders filled")
        .any_arguments(0),
    method("index", Output::Integer, "the index of a required substring").arguments(1, 1),
    method("isalnum", Output::Boolean, "whether there are only letters and digits"),
    method("isalpha", Output::Boolean, "whether there are only letters"),
    method("isascii", Output::Boolean, "whether there are only ASCII characters"),
    method("isdecimal", Output::Boolean, "whether there are only digits"),
    method("isdigit", Output::Boolean, "whether there are only digits"),
    method("isidentifier", Output::Boolean, "whether it is an identifier"),
    method("islower", Output::Boolean, "whether all letters are in lower case"),
    method("isnumeric", Output::Boolean, "whether there are only digits"),
    method("isprintable", Output::Boolean, "whether all characters are printable"),
    method("isspace", Output::Boolean, "whether there is only white space"),
    method("istitle", Output::Boolean, "whether each word begins with an upper-case letter"),
    method("isupper", Output::Boolean, "whether all letters are in upper case"),
    method("join", Output::Text, "the items of a list, separated by the string").arguments(1, 1),
    method("ljust", Output::Text, "the string aligned left in a width").arguments(1, 2),
    method("lower", Output::Text, "the string in lower case"),
    method("lstrip", Output::Text, "the string without white space at its start").arguments(0, 1),
    method(
        "partition",
        Output::Texts,
        "the text before a separator, the separator, the text after it",
    )
    .arguments(1, 1),
    method("removeprefix", Output::Text, "the string without this prefix").arguments(1, 1),
    method("removesuffix", Output::Text, "the string without this suffix").arguments(1, 1),
    method("replace", Output::Text, "the string with one substring replaced by another")
        .arguments(2, 3)
        .named(&["count"]),
    method("rfind", Output::Integer, "the last index of a substring, or -1").arguments(1, 1),
    method("rindex", Output::Integer, "the last index of a required substring").arguments(1, 1),
    method("rjust", Output::Text, "the string aligned right in a width").arguments(1, 2),
    method("rpartition", Output::Texts, "like `partition`, but at the last separator")
        .arguments(1, 1),
    method("rsplit", Output::Texts, "the substrings between separators, split from the end")
        .arguments(0, 2)
        .named(&["sep", "maxsplit"]),
    method("rstrip", Output::Text, "the string without white space at its end").arguments(0, 1),
    method("split", Output::Texts, "the substrings between separators")
        .arguments(0, 2)
        .named(&["sep", "maxsplit"]),
    method("splitlines", Output::Texts, "the lines").arguments(0, 1).named(&["keepends"]),
    method(
        "startswith",
        Output::Boolean,
        "whether the string begins with a string, or one of several",
    )
    .arguments(1, 3),
    method("strip", Output::Text, "the string without white space at its ends").arguments(0, 1),
    method("swapcase", Output::Text, "the string with upper and lower case swapped"),
    method("title", Output::Text, "the string with the first letter of each word in upper case"),
    method("upper", Output::Text, "the string in upper case"),
    method("zfill", Output::Text, "the number padded with zeros to a width").arguments(1, 1),
];

/// The methods of `loop`, in alphabetical order.
pub const LOOP_METHODS: &[Builtin] = &[
    builtin(
        "changed",
        Operand::Anything,
        Output::Boolean,
        "whether the values differ from those of the previous iteration",
    )
    .arguments(0, MANY),
    builtin(
        "cycle",
        Operand::Anything,
        Output::Anything,
        "one of the values, the next in each iteration",
    )
    .arguments(1, MANY),
];

/// Returns the filter of a name.
pub fn filter(name: &str) -> Option<&'static Builtin> {
    find(FILTERS, name)
}

/// Returns the test of a name.
pub fn find_test(name: &str) -> Option<&'static Builtin> {
    find(TESTS, name)
}

/// Looks a name up in a sorted table of filters, tests, functions or methods.
pub fn find(table: &'static [Builtin], name: &str) -> Option<&'static Builtin> {
    let index = table.binary_search_by(|builtin| builtin.name.cmp(name)).ok()?;
    table.get(index)
}

#[cfg(test)]
mod tests {
    use super::{
        Builtin, FILTERS, FUNCTIONS, LIST_METHODS, LOOP_METHODS, MAP_METHODS, TESTS, TEXT_METHODS,
    };

    #[test]
    fn the_tables_are_sorted_so_that_names_are_found() {
        let methods = [TEXT_METHODS, LIST_METHODS, MAP_METHODS, LOOP_METHODS];
        for table in [FILTERS, TESTS, FUNCTIONS].into_iter().chain(methods) {
            assert!(table.is_sorted_by(|a: &Builtin, b| a.name < b.name));
        }
        assert_eq!(super::filter("d").unwrap().name, "d");
        assert_eq!(super::find_test("none").unwrap().name, "none");
        assert!(super::find(FUNCTIONS, "lipsum").is_none());
    }

    #[test]
    fn the_portable_filters_are_those_of_the_specification() {
        let portable: Vec<_> = FILTERS.iter().filter(|f| f.portable).map(|f| f.name).collect();
        assert_eq!(portable, ["default", "join", "length", "lower", "trim", "upper"]);
    }
}
