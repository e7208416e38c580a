//! The rules that all schemas of a grammar share: white space, and values of a type.

use super::escape;
use crate::grammar::{CharacterClass, Expression, GrammarBuilder, RuleId};

/// The maximum number of digits before and after a decimal point, unless a bound has more. An
/// integer with this many digits fits into 64 bits, and a model cannot write digits forever.
pub(super) const MOST_DIGITS: u32 = 16;

/// A rule that all schemas share.
#[derive(Debug, Clone, Copy)]
pub(super) enum BasicRule {
    /// White space between two tokens.
    Space,
    /// Any value.
    Value,
    Object,
    Array,
    Text,
    /// A character of a string, escaped or not.
    Character,
    Number,
    Integer,
}

impl BasicRule {
    fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Value => "any",
            Self::Object => "object",
            Self::Array => "array",
            Self::Text => "string",
            Self::Character => "char",
            Self::Number => "number",
            Self::Integer => "integer",
        }
    }

    /// Returns its rule in a grammar, and adds the rule if it does not exist yet.
    pub(super) fn rule(self, builder: &mut GrammarBuilder) -> RuleId {
        if let Some(&known) = builder.basics.get(self.name()) {
            return known;
        }
        let id = builder.reserve(self.name());
        builder.basics.insert(self.name(), id);
        let expression = self.expression(builder);
        builder.define(id, expression);
        id
    }

    /// A reference to its rule.
    pub(super) fn reference(self, builder: &mut GrammarBuilder) -> Expression {
        self.rule(builder).into()
    }

    fn expression(self, builder: &mut GrammarBuilder) -> Expression {
        match self {
            Self::Space => white_space(),
            Self::Value => {
                let kinds = [Self::Object, Self::Array, Self::Text, Self::Number];
                let kinds = kinds.map(|kind| kind.reference(builder)).into_iter();
                Expression::choice(kinds.chain(["true".into(), "false".into(), "null".into()]))
            }
            Self::Object => {
                let (space, value) =
                    (Self::Space.reference(builder), Self::Value.reference(builder));
                let key = Self::Text.reference(builder);
                let property = builder.rule("property", pair(key, &space, value)).into();
                braced("{", list(property, &space, 0, None), "}", &space)
            }
            Self::Array => {
                let (space, value) =
                    (Self::Space.reference(builder), Self::Value.reference(builder));
                braced("[", list(value, &space, 0, None), "]", &space)
            }
            Self::Text => quoted(Self::Character.reference(builder).repeated(0, None)),
            Self::Character => character(),
            Self::Number => {
                let exponent = [
                    CharacterClass::from_characters("eE").into(),
                    Expression::Class(CharacterClass::from_characters("-+")).optional(),
                    // At most 289. There are at most 16 digits before the point, so the number is
                    // below 10^305 and fits into an `f64`.
                    Expression::choice([
                        "0".into(),
                        Expression::sequence([non_zero(), digits(0, Some(1))]),
                        Expression::sequence(["1".into(), digits(2, Some(2))]),
                        Expression::sequence([
                            "2".into(),
                            CharacterClass::range('0', '8').into(),
                            digits(1, Some(1)),
                        ]),
                    ]),
                ];
                Expression::sequence([
                    Expression::text("-").optional(),
                    Expression::choice(["0".into(), positive_integer()]),
                    fraction().optional(),
                    Expression::sequence(exponent).optional(),
                ])
            }
            Self::Integer => {
                let minus = Expression::text("-").optional();
                Expression::choice(["0".into(), Expression::sequence([minus, positive_integer()])])
            }
        }
    }
}

/// Any character of a JSON string, escaped or not. The two escapes of a surrogate pair are one
/// character.
fn character() -> Expression {
    let hex = || Expression::from(CharacterClass::from_iter([('0', '9'), ('a', 'f'), ('A', 'F')]));
    let class = |ranges: &[(char, char)]| -> Expression {
        ranges.iter().copied().collect::<CharacterClass>().into()
    };
    let d = || class(&[('d', 'd'), ('D', 'D')]);
    // The four digits after `\u`: those that do not begin with `d`, those from `d000` to `d7ff`,
    // and a pair of surrogates.
    let single = Expression::sequence([
        class(&[('0', '9'), ('a', 'c'), ('e', 'f'), ('A', 'C'), ('E', 'F')]),
        hex().repeated(3, Some(3)),
    ]);
    let below = Expression::sequence([d(), class(&[('0', '7')]), hex().repeated(2, Some(2))]);
    let surrogate_pair = Expression::sequence([
        d(),
        class(&[('8', '9'), ('a', 'b'), ('A', 'B')]),
        hex().repeated(2, Some(2)),
        "\\u".into(),
        d(),
        class(&[('c', 'f'), ('C', 'F')]),
        hex().repeated(2, Some(2)),
    ]);
    Expression::choice([
        escape::unescaped().into(),
        Expression::sequence(["\\".into(), CharacterClass::from_characters("\"\\/bfnrt").into()]),
        Expression::sequence(["\\u".into(), Expression::choice([single, below, surrogate_pair])]),
    ])
}

/// White space between the tokens of JSON: none, a space, or a line break with an indent.
pub(in crate::grammar) fn white_space() -> Expression {
    let breaks = Expression::text("\n").repeated(1, Some(2));
    let indent = Expression::Class(CharacterClass::from_characters(" \t")).repeated(0, Some(20));
    let line = Expression::sequence([breaks, indent]);
    Expression::choice([Expression::EMPTY, " ".into(), line])
}

/// A number of digits within these limits.
pub(super) fn digits(at_least: u32, at_most: Option<u32>) -> Expression {
    Expression::Class(CharacterClass::range('0', '9')).repeated(at_least, at_most)
}

pub(super) fn non_zero() -> Expression {
    CharacterClass::range('1', '9').into()
}

/// An integer above zero.
pub(super) fn positive_integer() -> Expression {
    Expression::sequence([non_zero(), digits(0, Some(MOST_DIGITS - 1))])
}

/// A decimal point and digits.
pub(super) fn fraction() -> Expression {
    Expression::sequence([".".into(), digits(1, Some(MOST_DIGITS))])
}

/// An expression between quotes.
pub(super) fn quoted(inner: Expression) -> Expression {
    Expression::sequence(["\"".into(), inner, "\"".into()])
}

/// A key, with its quotes, and its value.
pub(in crate::grammar) fn pair(
    key: Expression,
    space: &Expression,
    value: Expression,
) -> Expression {
    Expression::sequence([key, space.clone(), ":".into(), space.clone(), value])
}

/// A comma and the following item.
pub(in crate::grammar) fn after_comma(space: &Expression, item: Expression) -> Expression {
    Expression::sequence([",".into(), space.clone(), item])
}

/// A number of items within these limits, with commas between them.
pub(in crate::grammar) fn list(
    item: Expression,
    space: &Expression,
    at_least: u32,
    at_most: Option<u32>,
) -> Expression {
    if at_most == Some(0) {
        return Expression::EMPTY;
    }
    let more = after_comma(space, item.clone())
        .repeated(at_least.saturating_sub(1), at_most.map(|at_most| at_most.saturating_sub(1)));
    let all = Expression::sequence([item, more]);
    if at_least == 0 { all.optional() } else { all }
}

/// An expression between brackets, with white space around it. If the expression can be empty, only
/// one white space is written for the empty brackets: two would be two ways to read one space.
pub(in crate::grammar) fn braced(
    open: &'static str,
    inner: Expression,
    close: &'static str,
    space: &Expression,
) -> Expression {
    match inner {
        Expression::Sequence(none) if none.is_empty() => {
            Expression::sequence([open.into(), space.clone(), close.into()])
        }
        Expression::Repeat { of, at_least: 0, at_most: Some(1) } => {
            let inner = Expression::sequence([*of, space.clone()]).optional();
            Expression::sequence([open.into(), space.clone(), inner, close.into()])
        }
        inner => {
            Expression::sequence([open.into(), space.clone(), inner, space.clone(), close.into()])
        }
    }
}
