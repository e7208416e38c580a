//! The types of values that filters and tests accept.

use super::checker::Checker;
use super::types::{Type, Value};
use prompty_core::diagnostic::Code;
use prompty_template::builtins::{Builtin, Operand};
use prompty_template::tree::{Call, Expr};

impl Checker<'_> {
    /// Reports a value that the filter or test does not accept. Returns the type of its items.
    /// `operand` is the expression of the value; `None` if it is the text of a filter block.
    pub(super) fn check_operand(
        &mut self,
        builtin: &Builtin,
        value: &Value,
        operand: Option<&Expr>,
        call: &Call,
    ) -> Type {
        let item = match &value.kind {
            Type::List(item) | Type::Tuple(item) => Type::clone(item),
            _ => Type::Any,
        };
        if fits(builtin.takes, &value.kind) {
            return item;
        }
        let kind = value.kind.description();
        let name = builtin.name;
        let subject =
            operand.map_or_else(|| "the block".to_owned(), |operand| self.quoted(operand.span));
        let message = format!("`{name}` does not accept {kind}");
        let label = format!("expected {}; {subject} is {kind}", builtin.takes.description());
        let plain = subject.trim_matches('`');
        let help = match (builtin.takes, &value.kind) {
            (Operand::Text | Operand::Printed, Type::List(_)) => Some(format!(
                "convert it to a string with `{plain} | join(\", \") | {name}`, or loop over it"
            )),
            (Operand::List, Type::Text | Type::Choice(_)) if name == "join" => {
                Some(format!("print the string without a filter: `{{{{ {plain} }}}}`"))
            }
            (Operand::List, Type::Text | Type::Choice(_)) => {
                Some(format!("split it into a list: `{plain} | lines` or `{plain} | split`"))
            }
            (Operand::Number, Type::Text | Type::Choice(_)) => {
                Some(format!("convert it to a number: `{plain} | float | {name}`"))
            }
            (_, Type::Text | Type::Choice(_) | Type::Integer | Type::Float | Type::Boolean) => {
                Some(format!("remove the filter: `{{{{ {plain} }}}}`"))
            }
            _ => None,
        };
        self.report_with_help(Code::WrongValue, message, label, help, call.name.span);
        Type::Any
    }

    /// Reports a filter or test of each item that does not accept the items, as in `map("upper")`.
    pub(super) fn check_items(&mut self, builtin: &Builtin, item: &Type, expr: &Expr) {
        let kind = match item {
            Type::Optional(inner) => inner,
            other => other,
        };
        if fits(builtin.takes, kind) {
            return;
        }
        let name = builtin.name;
        let kind = kind.description();
        let label = format!("expected {}; each item is {kind}", builtin.takes.description());
        let help = match builtin.takes {
            Operand::Text | Operand::Printed => {
                "convert the items to strings first: `| map(\"string\")`"
            }
            Operand::Number => {
                "convert the items to numbers first: `| map(\"int\")` or `| map(\"float\")`"
            }
            _ => "loop over the items, and use their parts",
        };
        let message = format!("`{name}` does not accept {kind}");
        self.report_with_help(Code::WrongValue, message, label, [help], expr.span);
    }
}

/// Whether a filter or test accepts values of a type.
pub(super) fn fits(takes: Operand, kind: &Type) -> bool {
    let is_text = matches!(kind, Type::Text | Type::Choice(_));
    let is_number = matches!(kind, Type::Integer | Type::Float);
    let is_list = matches!(kind, Type::List(_) | Type::Tuple(_) | Type::Pair(_) | Type::Group(_));
    let is_map = matches!(kind, Type::Object(_) | Type::Dict);
    if matches!(kind, Type::Any | Type::Optional(_) | Type::Rich(_)) {
        return true;
    }
    match takes {
        Operand::Anything => !matches!(kind, Type::Macro(_)),
        Operand::Text => is_text,
        Operand::Printed => is_text || is_number || matches!(kind, Type::Boolean | Type::Mixed),
        Operand::Number => is_number,
        Operand::Scalar => is_text || is_number || matches!(kind, Type::Boolean),
        Operand::List => is_list,
        Operand::Map => is_map,
        Operand::Sequence => is_text || is_list,
        Operand::Collection => is_text || is_list || is_map,
        // A kind that is unknown here may accept anything.
        _ => true,
    }
}
