//! The types of the results of filters.

use std::rc::Rc;

use super::call_arguments::{constant_text, named, positional};
use super::checker::Checker;
use super::types::{Type, Value};
use prompty_core::diagnostic::Code;
use prompty_template::builtins::{self, Builtin, Output};
use prompty_template::tree::{Call, Expr};

impl Checker<'_> {
    /// The type of the result of a filter.
    pub(super) fn filter_result(
        &mut self,
        filter: &Builtin,
        value: &Value,
        item: &Type,
        call: &Call,
        arguments: &[Value],
    ) -> Type {
        if let Some(kind) = fixed_type(filter.gives) {
            return kind;
        }
        if filter.name == "sum" {
            return self.sum(item, call, arguments);
        }
        match filter.gives {
            Output::Same | Output::SameOrArgument => match &value.kind {
                Type::Choice(_) => Type::Text,
                Type::List(_) | Type::Text | Type::Integer | Type::Float => value.kind.clone(),
                Type::Any => Type::Any,
                _ => Type::Mixed,
            },
            Output::Item => match &value.kind {
                Type::List(item) | Type::Tuple(item) => Type::clone(item),
                Type::Text | Type::Choice(_) => Type::Text,
                Type::Any => Type::Any,
                _ => Type::Mixed,
            },
            // Without a test, `select` removes missing items.
            Output::Items if filter.name == "select" && call.arguments.is_empty() => match item {
                Type::Optional(inner) => Type::List(Rc::clone(inner)),
                _ => value.kind.clone(),
            },
            Output::Items => match &value.kind {
                Type::List(_) => value.kind.clone(),
                Type::Tuple(item) => Type::List(Rc::clone(item)),
                Type::Text | Type::Choice(_) | Type::Object(_) => Type::list(Type::Text),
                Type::Any => Type::list(Type::Any),
                _ => Type::list(Type::Mixed),
            },
            Output::Pairs => Type::list(Type::Pair(field_type(&value.kind).into_part())),
            Output::Groups => Type::list(Type::Group(item.clone().into_part())),
            Output::List => Type::list(map_item_type(item, call)),
            Output::Map => Type::Dict,
            // The type is unknown.
            _ => Type::Any,
        }
    }

    /// The type of the sum of the items, or of an attribute of them: `sum(attribute="price")`. A
    /// second argument is the number to begin with.
    fn sum(&mut self, item: &Type, call: &Call, arguments: &[Value]) -> Type {
        let path = named(call, "attribute").or_else(|| positional(call, 0));
        let has_start = named(call, "start").is_some() || positional(call, 1).is_some();
        let added = match path {
            Some(path) => path_type(item, path),
            None => item.clone(),
        };
        let added = match added {
            // Missing values are not added.
            Type::Optional(inner) if path.is_some() => Type::clone(&inner),
            other => other,
        };
        let start = arguments.last().filter(|_| has_start);
        let start = start.map_or(&Type::Integer, |value| &value.kind);
        let is_number =
            |kind: &Type| matches!(kind, Type::Any | Type::Integer | Type::Float | Type::Boolean);
        if is_number(&added) && is_number(start) {
            return match (start, added) {
                (Type::Any, _) | (_, Type::Any) => Type::Any,
                (Type::Integer, Type::Integer | Type::Boolean) => Type::Integer,
                _ => Type::Float,
            };
        }
        let message = format!("`sum` cannot add {}", added.description());
        let help = match added {
            Type::Text | Type::Choice(_) => Some("join strings with `join`"),
            _ => None,
        };
        self.report_with_help(Code::WrongValue, message, "expected numbers", help, call.name.span);
        Type::Any
    }
}

/// The type at the end of a path such as `author.name`.
pub(super) fn path_type(item: &Type, path: &Expr) -> Type {
    let Some(path) = constant_text(path) else { return Type::Any };
    let mut kind = item.clone();
    for name in path.split('.') {
        kind = match &kind {
            Type::Object(object) => object.fields.get(name).cloned().unwrap_or(Type::Any),
            _ => return Type::Any,
        };
    }
    kind
}

/// The type of the items of the list that `map` returns.
fn map_item_type(item: &Type, call: &Call) -> Type {
    if let Some(attribute) = named(call, "attribute") {
        let kind = path_type(item, attribute);
        return match (named(call, "default"), kind) {
            // A missing attribute has the value of `default`, which may have any type.
            (Some(_), Type::Optional(_)) => Type::Mixed,
            (_, kind) => kind,
        };
    }
    let name = positional(call, 0).and_then(constant_text);
    let Some(filter) = name.and_then(builtins::filter) else { return Type::Any };
    // Lists of lists are not tracked here.
    let kind = fixed_type(filter.gives).filter(|kind| !matches!(kind, Type::List(_)));
    kind.unwrap_or(Type::Mixed)
}

/// The type of the result of a filter, a method or a helper, unless it depends on the operands.
pub(super) fn fixed_type(gives: Output) -> Option<Type> {
    Some(match gives {
        Output::Text => Type::Text,
        Output::Integer => Type::Integer,
        Output::Float => Type::Float,
        Output::Boolean => Type::Boolean,
        Output::Texts => Type::list(Type::Text),
        Output::Integers => Type::list(Type::Integer),
        _ => return None,
    })
}

/// The common type of all fields of a map; `Any` if it is unknown.
pub(super) fn field_type(kind: &Type) -> Type {
    let Type::Object(object) = kind else { return Type::Any };
    if object.open {
        return Type::Any;
    }
    let mut fields = object.names.iter().filter_map(|name| object.fields.get(name));
    let Some(first) = fields.next() else { return Type::Any };
    fields.fold(first.clone(), |kind, field| kind.or(field))
}
