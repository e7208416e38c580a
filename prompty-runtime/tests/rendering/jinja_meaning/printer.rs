//! Prints a tree as an unambiguous template: all expressions are in parentheses, all texts are
//! quoted, and there is no white-space control.

use std::fmt::Write;

use prompty_core::value::Value;
use prompty_template::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, Macro, Name, Node, NodeKind, Target,
    UnaryOperator,
};

/// The nodes of a valid template of a prompt.
pub(crate) fn template(nodes: &[Node]) -> String {
    nodes.iter().map(node).collect()
}

fn node(node: &Node) -> String {
    match &node.kind {
        NodeKind::Text(text) => format!("{{{{ {} }}}}", quoted(text)),
        NodeKind::Output(value) => format!("{{{{ {} }}}}", expr(value)),
        NodeKind::If(branching) => {
            let mut text = String::new();
            for (index, (test, body)) in branching.branches.iter().enumerate() {
                let keyword = if index == 0 { "if" } else { "elif" };
                write!(text, "{{% {keyword} {} %}}{}", expr(test), template(body)).unwrap();
            }
            let otherwise = branching.otherwise.as_deref();
            text += &otherwise
                .map_or_else(String::new, |body| format!("{{% else %}}{}", template(body)));
            text + "{% endif %}"
        }
        NodeKind::For(repeated) => {
            let (bound, iterable) = (target(&repeated.target), expr(&repeated.iterable));
            let condition = repeated.condition.as_ref();
            let condition = condition.map_or_else(String::new, |it| format!(" if {}", expr(it)));
            let recursive = if repeated.recursive { " recursive" } else { "" };
            let body = template(&repeated.body);
            let otherwise = match repeated.otherwise.is_empty() {
                true => String::new(),
                false => format!("{{% else %}}{}", template(&repeated.otherwise)),
            };
            format!(
                "{{% for {bound} in {iterable}{condition}{recursive} %}}{body}{otherwise}{{% endfor %}}"
            )
        }
        NodeKind::Set { target: bound, value } => {
            format!("{{% set {} = {} %}}", target(bound), expr(value))
        }
        NodeKind::SetBlock { target: bound, filters, body } => {
            let filters: String = filters.iter().map(|it| format!(" | {}", call(it))).collect();
            format!("{{% set {}{filters} %}}{}{{% endset %}}", target(bound), template(body))
        }
        NodeKind::With { bindings, body } => {
            let bindings =
                bindings.iter().map(|(it, value)| format!("{} = {}", target(it), expr(value)));
            let bindings: Vec<String> = bindings.collect();
            format!("{{% with {} %}}{}{{% endwith %}}", bindings.join(", "), template(body))
        }
        NodeKind::FilterBlock { filters, body } => {
            let filters: Vec<String> = filters.iter().map(call).collect();
            format!("{{% filter {} %}}{}{{% endfilter %}}", filters.join(" | "), template(body))
        }
        NodeKind::Macro(declared) => {
            let (name, body) = (&declared.name.text, template(&declared.body));
            format!("{{% macro {name}({}) %}}{body}{{% endmacro %}}", parameters(declared))
        }
        NodeKind::CallBlock { call, caller } => {
            let body = template(&caller.body);
            format!("{{% call({}) {} %}}{body}{{% endcall %}}", parameters(caller), expr(call))
        }
        NodeKind::Do(value) => format!("{{% do {} %}}", expr(value)),
        other => unreachable!("no prompt has it: {other:?}"),
    }
}

fn parameters(declared: &Macro) -> String {
    let required = declared.parameters.len() - declared.defaults.len();
    let parameter = |(index, name): (usize, &Name)| match index.checked_sub(required) {
        Some(index) => format!("{}={}", name.text, expr(&declared.defaults[index])),
        None => name.text.clone(),
    };
    declared.parameters.iter().enumerate().map(parameter).collect::<Vec<_>>().join(", ")
}

fn target(bound: &Target) -> String {
    match bound {
        Target::Name(name) => name.text.clone(),
        Target::Tuple(targets) => {
            let targets: String = targets.iter().map(|it| format!("{}, ", target(it))).collect();
            format!("({targets})")
        }
        Target::Attribute(place) => match &place.kind {
            ExprKind::Attribute { value, name } => {
                format!("{}.{}", target(&Target::Attribute((**value).clone())), name.text)
            }
            ExprKind::Variable(name) => name.clone(),
            other => unreachable!("nothing binds it: {other:?}"),
        },
        other => unreachable!("nothing binds it: {other:?}"),
    }
}

fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Variable(name) => name.clone(),
        ExprKind::Literal(value) => literal(value),
        ExprKind::Attribute { value, name } => format!("({}).{}", expr(value), name.text),
        ExprKind::Index { value, index } => format!("({})[{}]", expr(value), expr(index)),
        ExprKind::Slice { value, bounds: [start, stop, step] } => {
            let bound = |it: &Option<Box<Expr>>| it.as_deref().map_or_else(String::new, expr);
            format!("({})[{}:{}:{}]", expr(value), bound(start), bound(stop), bound(step))
        }
        ExprKind::Unary { operator, operand } => {
            let operator = match operator {
                UnaryOperator::Not => "not ",
                UnaryOperator::Minus => "-",
                UnaryOperator::Plus => "+",
                other => unreachable!("unknown operator: {other:?}"),
            };
            format!("({operator}({}))", expr(operand))
        }
        ExprKind::Binary { operator, left, right } => {
            format!("(({}) {} ({}))", expr(left), operator.as_str(), expr(right))
        }
        ExprKind::Comparison { first, rest } => {
            let step = |(operator, operand): &(BinaryOperator, Expr)| {
                format!(" {} ({})", operator.as_str(), expr(operand))
            };
            format!("(({}){})", expr(first), rest.iter().map(step).collect::<String>())
        }
        ExprKind::Conditional { condition, value, otherwise } => {
            let otherwise =
                otherwise.as_deref().map_or_else(String::new, |it| format!(" else ({})", expr(it)));
            format!("(({}) if ({}){otherwise})", expr(value), expr(condition))
        }
        ExprKind::Filter { value, call: filter } => {
            format!("(({}) | {})", expr(value), call(filter))
        }
        ExprKind::Test { value, call: test } => format!("(({}) is {})", expr(value), call(test)),
        ExprKind::Function(function) => call(function),
        ExprKind::Method { value, call: method } => format!("({}).{}", expr(value), call(method)),
        ExprKind::Invocation { value, arguments: given } => {
            format!("({})({})", expr(value), arguments(given))
        }
        ExprKind::List(items) => {
            format!("[{}]", items.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Tuple(items) => {
            format!("({})", items.iter().map(|it| format!("{}, ", expr(it))).collect::<String>())
        }
        ExprKind::Map(entries) => {
            let entry = |(key, value): &(Expr, Expr)| format!("{}: {}", expr(key), expr(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => unreachable!("Jinja has no such expression: {other:?}"),
    }
}

fn call(named: &Call) -> String {
    format!("{}({})", named.name.text, arguments(&named.arguments))
}

fn arguments(given: &[Argument]) -> String {
    let argument = |argument: &Argument| match argument {
        Argument::Positional(value) => expr(value),
        Argument::Named(name, value) => format!("{}={}", name.text, expr(value)),
        Argument::Spread(value) => format!("*{}", expr(value)),
        Argument::SpreadNamed(value) => format!("**{}", expr(value)),
        other => unreachable!("unknown argument: {other:?}"),
    };
    given.iter().map(argument).collect::<Vec<_>>().join(", ")
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) if number.is_infinite() => "1e999".to_owned(),
        Value::Float(number) => format!("{number:?}"),
        Value::String(text) => quoted(text),
        other => unreachable!("no literal: {other:?}"),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
