//! The filters, tests and functions that every Jinja template has: one table for the engine that
//! runs them, for the checker that knows their types, and for the documentation.

/// A filter, a test or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Builtin {
    /// The name.
    pub name: &'static str,
    /// How many arguments it takes by position at least, without the value before `|` or `is`.
    pub least: usize,
    /// How many at most; [`usize::MAX`] where there is no bound.
    pub most: usize,
    /// The arguments that it takes by name.
    pub named: Named,
    /// What values it applies to.
    pub takes: Takes,
    /// What comes out of it.
    pub gives: Gives,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Whether every runtime of Prompty has it.
    pub portable: bool,
}

/// Which arguments may be given by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Named {
    /// Only these.
    Only(&'static [&'static str]),
    /// Any name: they become entries of a map.
    Any,
}

impl Named {
    /// Whether an argument of that name may be given.
    pub fn allows(self, name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&name),
            Self::Any => true,
        }
    }
}

/// What values a filter or test applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Takes {
    /// All values.
    Anything,
    /// Texts.
    Text,
    /// Texts; numbers and booleans are written out first.
    Printed,
    /// Numbers.
    Number,
    /// What a number can be made of: texts, numbers, booleans.
    Scalar,
    /// Lists.
    List,
    /// Maps.
    Map,
    /// Texts and lists: what has an order.
    Sequence,
    /// Texts, lists and maps: what has a length.
    Collection,
}

impl Takes {
    /// The values in the words of a message.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Anything => "any value",
            Self::Text | Self::Printed => "a text",
            Self::Number => "a number",
            Self::Scalar => "a text, a number or a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Sequence => "a text or a list",
            Self::Collection => "a text, a list or a map",
        }
    }
}

/// What comes out of a filter or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gives {
    /// A value of which nothing is known.
    Anything,
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Float,
    /// `true` or `false`.
    Boolean,
    /// What went in.
    Same,
    /// What went in, or the first argument where nothing did.
    SameOrArgument,
    /// One of the items that went in, or nothing where there were none.
    Item,
    /// A list of the items that went in.
    Items,
    /// A list of texts.
    Texts,
    /// A list of whole numbers.
    Integers,
    /// A list of pairs of a name and a value.
    Pairs,
    /// A list of groups, each with a `grouper` and a `list`.
    Groups,
    /// A list of values of which nothing is known.
    List,
    /// A map.
    Map,
}

const NONE: Named = Named::Only(&[]);
const MANY: usize = usize::MAX;

pub(super) const fn builtin(
    name: &'static str,
    takes: Takes,
    gives: Gives,
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
        self.named = Named::Only(names);
        self
    }

    /// Takes any arguments, `least` of them by position or name at the least.
    const fn any_arguments(self, least: usize) -> Self {
        self.arguments(least, MANY).any_named()
    }

    const fn any_named(mut self) -> Self {
        self.named = Named::Any;
        self
    }

    const fn portable(mut self) -> Self {
        self.portable = true;
        self
    }
}

/// The filters, in alphabetical order.
pub const FILTERS: &[Builtin] = &[
    builtin("abs", Takes::Number, Gives::Same, "the number without its sign"),
    builtin("bool", Takes::Anything, Gives::Boolean, "whether a condition on the value holds"),
    builtin("capitalize", Takes::Printed, Gives::Text, "the first letter large, the others small"),
    builtin("count", Takes::Collection, Gives::Integer, "how many characters, items or entries"),
    builtin("d", Takes::Anything, Gives::SameOrArgument, "short for `default`")
        .arguments(0, 2)
        .named(&["boolean"]),
    builtin(
        "default",
        Takes::Anything,
        Gives::SameOrArgument,
        "what stands where nothing is given",
    )
    .arguments(0, 2)
    .named(&["boolean"])
    .portable(),
    builtin("dictsort", Takes::Map, Gives::Pairs, "the entries of a map in order").named(&[
        "by",
        "case_sensitive",
        "reverse",
    ]),
    builtin("first", Takes::Sequence, Gives::Item, "the first character or item"),
    builtin("float", Takes::Scalar, Gives::Float, "the value as a number")
        .arguments(0, 1)
        .named(&["default"]),
    builtin("format", Takes::Printed, Gives::Text, "the text with values in places such as `%s`")
        .any_arguments(0),
    builtin("groupby", Takes::List, Gives::Groups, "the items in groups by an attribute")
        .arguments(0, 1)
        .named(&["attribute", "default", "case_sensitive"]),
    builtin("indent", Takes::Printed, Gives::Text, "each line but the first moved to the right")
        .arguments(0, 1)
        .named(&["width", "first", "blank"]),
    builtin("int", Takes::Scalar, Gives::Integer, "the value as a whole number")
        .arguments(0, 2)
        .named(&["default", "base"]),
    builtin("items", Takes::Map, Gives::Pairs, "the entries of a map"),
    builtin("join", Takes::List, Gives::Text, "the items as one text")
        .arguments(0, 2)
        .named(&["attribute"])
        .portable(),
    builtin("last", Takes::Sequence, Gives::Item, "the last character or item"),
    builtin("length", Takes::Collection, Gives::Integer, "how many characters, items or entries")
        .portable(),
    builtin("lines", Takes::Text, Gives::Texts, "the lines of a text"),
    builtin("list", Takes::Collection, Gives::Items, "the characters, items or keys as a list"),
    builtin("lower", Takes::Printed, Gives::Text, "all letters small").portable(),
    builtin(
        "map",
        Takes::List,
        Gives::List,
        "each item's attribute, or each item through a filter",
    )
    .any_arguments(0),
    builtin("max", Takes::List, Gives::Item, "the greatest item")
        .named(&["case_sensitive", "attribute"]),
    builtin("min", Takes::List, Gives::Item, "the least item")
        .named(&["case_sensitive", "attribute"]),
    builtin("reject", Takes::List, Gives::Items, "the items that fail a test").any_arguments(0),
    builtin("rejectattr", Takes::List, Gives::Items, "the items whose attribute fails a test")
        .any_arguments(1),
    builtin("replace", Takes::Printed, Gives::Text, "one text replaced by another").arguments(2, 2),
    builtin("reverse", Takes::Sequence, Gives::Same, "last first"),
    builtin("round", Takes::Number, Gives::Same, "the number with fewer digits")
        .arguments(0, 2)
        .named(&["precision", "method"]),
    builtin("select", Takes::List, Gives::Items, "the items that pass a test").any_arguments(0),
    builtin("selectattr", Takes::List, Gives::Items, "the items whose attribute passes a test")
        .any_arguments(1),
    builtin("sort", Takes::List, Gives::Items, "the items in order").named(&[
        "attribute",
        "case_sensitive",
        "reverse",
    ]),
    builtin("split", Takes::Text, Gives::Texts, "the pieces between a separator").arguments(0, 2),
    builtin("string", Takes::Anything, Gives::Text, "the value as it prints"),
    builtin("sum", Takes::List, Gives::Anything, "all items added")
        .arguments(0, 2)
        .named(&["attribute", "start"]),
    builtin("title", Takes::Printed, Gives::Text, "each word with a large first letter"),
    builtin("tojson", Takes::Anything, Gives::Text, "the value as JSON")
        .arguments(0, 1)
        .named(&["indent"]),
    builtin("trim", Takes::Printed, Gives::Text, "no white space at the ends")
        .arguments(0, 1)
        .portable(),
    builtin("truncate", Takes::Printed, Gives::Text, "the beginning of a text that is too long")
        .arguments(0, 4)
        .named(&["length", "killwords", "end", "leeway"]),
    builtin(
        "trusted",
        Takes::Printed,
        Gives::Text,
        "a text from outside, meant to be an instruction",
    ),
    builtin("unique", Takes::List, Gives::Items, "each item once")
        .named(&["case_sensitive", "attribute"]),
    builtin("upper", Takes::Printed, Gives::Text, "all letters large").portable(),
];

const fn test(
    name: &'static str,
    takes: Takes,
    arguments: usize,
    summary: &'static str,
) -> Builtin {
    builtin(name, takes, Gives::Boolean, summary).arguments(arguments, arguments)
}

/// The tests, in alphabetical order; what stands behind `is`.
pub const TESTS: &[Builtin] = &[
    test("!=", Takes::Anything, 1, "is another value"),
    test("<", Takes::Anything, 1, "is less"),
    test("<=", Takes::Anything, 1, "is less or equal"),
    test("==", Takes::Anything, 1, "is that value"),
    test(">", Takes::Anything, 1, "is greater"),
    test(">=", Takes::Anything, 1, "is greater or equal"),
    test("boolean", Takes::Anything, 0, "is `true` or `false`"),
    test("defined", Takes::Anything, 0, "is given"),
    test("divisibleby", Takes::Number, 1, "can be divided without a remainder"),
    test("endingwith", Takes::Printed, 1, "ends with a text"),
    test("eq", Takes::Anything, 1, "is that value"),
    test("equalto", Takes::Anything, 1, "is that value"),
    test("even", Takes::Number, 0, "is an even number"),
    test("false", Takes::Anything, 0, "is `false`"),
    test("float", Takes::Anything, 0, "is a number with a fraction"),
    test("ge", Takes::Anything, 1, "is greater or equal"),
    test("greaterthan", Takes::Anything, 1, "is greater"),
    test("gt", Takes::Anything, 1, "is greater"),
    test("in", Takes::Anything, 1, "is one of the items, or a part of the text"),
    test("int", Takes::Anything, 0, "is a whole number"),
    test("integer", Takes::Anything, 0, "is a whole number"),
    test("iterable", Takes::Anything, 0, "can be looped over"),
    test("le", Takes::Anything, 1, "is less or equal"),
    test("lessthan", Takes::Anything, 1, "is less"),
    test("lt", Takes::Anything, 1, "is less"),
    test("mapping", Takes::Anything, 0, "is a map"),
    test("ne", Takes::Anything, 1, "is another value"),
    test("none", Takes::Anything, 0, "is `none`"),
    test("number", Takes::Anything, 0, "is a number"),
    test("odd", Takes::Number, 0, "is an odd number"),
    test("sequence", Takes::Anything, 0, "is a list"),
    test("startingwith", Takes::Printed, 1, "begins with a text"),
    test("string", Takes::Anything, 0, "is a text"),
    test("true", Takes::Anything, 0, "is `true`"),
    test("undefined", Takes::Anything, 0, "is not given"),
];

/// The functions, in alphabetical order.
pub const FUNCTIONS: &[Builtin] = &[
    builtin("dict", Takes::Anything, Gives::Map, "a map of its named arguments")
        .arguments(0, 1)
        .any_named(),
    builtin("namespace", Takes::Anything, Gives::Anything, "what `set` may change inside a loop")
        .arguments(0, 1)
        .any_named(),
    builtin("range", Takes::Anything, Gives::Integers, "numbers from, up to, by steps")
        .arguments(1, 3),
    builtin("zip", Takes::Anything, Gives::List, "lists with one item of each list")
        .arguments(1, MANY),
];

/// The methods of maps, in alphabetical order.
pub const MAP_METHODS: &[Builtin] = &[
    builtin("get", Takes::Map, Gives::Anything, "the entry of a name, or the fallback")
        .arguments(1, 2),
    builtin("items", Takes::Map, Gives::Pairs, "the entries"),
    builtin("keys", Takes::Map, Gives::Texts, "the names"),
    builtin("values", Takes::Map, Gives::List, "the values"),
];

/// The methods of lists, in alphabetical order: those of Python's that change nothing.
pub const LIST_METHODS: &[Builtin] = &[
    builtin("count", Takes::List, Gives::Integer, "how many items are this value").arguments(1, 1),
    builtin("index", Takes::List, Gives::Integer, "the place of the first item that is this value")
        .arguments(1, 1),
];

const fn method(name: &'static str, gives: Gives, summary: &'static str) -> Builtin {
    builtin(name, Takes::Text, gives, summary)
}

/// The methods of texts, in alphabetical order: Python's.
pub const TEXT_METHODS: &[Builtin] = &[
    method("capitalize", Gives::Text, "the first letter large, the others small"),
    method("casefold", Gives::Text, "the letters as they are compared without regard to case"),
    method("center", Gives::Text, "the text in the middle of a width").arguments(1, 2),
    method("count", Gives::Integer, "how often a part is in the text").arguments(1, 1),
    method("endswith", Gives::Boolean, "whether the text ends with a text, or one of several")
        .arguments(1, 3),
    method("expandtabs", Gives::Text, "spaces in the place of tabs")
        .arguments(0, 1)
        .named(&["tabsize"]),
    method("find", Gives::Integer, "the place of a part, or -1").arguments(1, 1),
    method("format", Gives::Text, "the text with values in places such as `{}` and `{name}`")
        .any_arguments(0),
    method("index", Gives::Integer, "the place of a part, which must be there").arguments(1, 1),
    method("isalnum", Gives::Boolean, "whether there are only letters and digits"),
    method("isalpha", Gives::Boolean, "whether there are only letters"),
    method("isascii", Gives::Boolean, "whether there is nothing beyond ASCII"),
    method("isdecimal", Gives::Boolean, "whether there are only digits"),
    method("isdigit", Gives::Boolean, "whether there are only digits"),
    method("isidentifier", Gives::Boolean, "whether it could be a name"),
    method("islower", Gives::Boolean, "whether all letters are small"),
    method("isnumeric", Gives::Boolean, "whether there are only digits"),
    method("isprintable", Gives::Boolean, "whether there are no control characters"),
    method("isspace", Gives::Boolean, "whether there is only white space"),
    method("istitle", Gives::Boolean, "whether each word begins with a large letter"),
    method("isupper", Gives::Boolean, "whether all letters are large"),
    method("join", Gives::Text, "the items of a list with the text between them").arguments(1, 1),
    method("ljust", Gives::Text, "the text at the left of a width").arguments(1, 2),
    method("lower", Gives::Text, "all letters small"),
    method("lstrip", Gives::Text, "no white space at the beginning").arguments(0, 1),
    method("partition", Gives::Texts, "before a separator, the separator, behind it")
        .arguments(1, 1),
    method("removeprefix", Gives::Text, "the text without this beginning").arguments(1, 1),
    method("removesuffix", Gives::Text, "the text without this end").arguments(1, 1),
    method("replace", Gives::Text, "one text replaced by another")
        .arguments(2, 3)
        .named(&["count"]),
    method("rfind", Gives::Integer, "the last place of a part, or -1").arguments(1, 1),
    method("rindex", Gives::Integer, "the last place of a part, which must be there")
        .arguments(1, 1),
    method("rjust", Gives::Text, "the text at the right of a width").arguments(1, 2),
    method("rpartition", Gives::Texts, "the same at the last separator").arguments(1, 1),
    method("rsplit", Gives::Texts, "the pieces between a separator, cut from the end")
        .arguments(0, 2)
        .named(&["sep", "maxsplit"]),
    method("rstrip", Gives::Text, "no white space at the end").arguments(0, 1),
    method("split", Gives::Texts, "the pieces between a separator")
        .arguments(0, 2)
        .named(&["sep", "maxsplit"]),
    method("splitlines", Gives::Texts, "the lines").arguments(0, 1).named(&["keepends"]),
    method("startswith", Gives::Boolean, "whether the text begins with a text, or one of several")
        .arguments(1, 3),
    method("strip", Gives::Text, "no white space at the ends").arguments(0, 1),
    method("swapcase", Gives::Text, "each letter in its other case"),
    method("title", Gives::Text, "each word with a large first letter"),
    method("upper", Gives::Text, "all letters large"),
    method("zfill", Gives::Text, "zeros before a number, up to a width").arguments(1, 1),
];

/// The methods of `loop`, in alphabetical order.
pub const LOOP_METHODS: &[Builtin] = &[
    builtin(
        "changed",
        Takes::Anything,
        Gives::Boolean,
        "whether the values are others than before",
    )
    .arguments(0, MANY),
    builtin("cycle", Takes::Anything, Gives::Anything, "one of the values, the next in each round")
        .arguments(1, MANY),
];

/// The filter of a name.
pub fn filter(name: &str) -> Option<&'static Builtin> {
    find(FILTERS, name)
}

/// The test of a name.
pub fn find_test(name: &str) -> Option<&'static Builtin> {
    find(TESTS, name)
}

/// The filter, test, function or method of a name, of those in a sorted table.
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
