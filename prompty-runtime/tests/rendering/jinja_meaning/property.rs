//! The property of any text: the engine compiles what we accept, with the same meaning. We reject
//! what the engine rejects, with a place. The errors that only we report come from examples.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::{Environment, UndefinedBehavior, Value};
use prompty_template::jinja::syntax::{parse, parse_accepted};
use prompty_template::tree::{Expr, ExprKind, Node, NodeKind};
use prompty_template::{SyntaxError, Template, walk};

use super::printer;

/// The messages for templates that only we refuse, without the code in them. They come from one
/// example of each kind.
static REFUSED_BY_US_ALONE: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let examples = examples_refused_by_us_alone();
    examples.iter().map(|it| message_without_code(&parse(it).unwrap_err())).collect()
});

/// Templates that the engine accepts, and that we refuse when we parse them.
pub(crate) fn examples_refused_by_us_alone() -> [String; 7] {
    [
        // The engine reads `2..x` as `2.` and `.x`, which Jinja2 also rejects.
        "{{ 2..x }}".to_owned(),
        "{% set (()) = x %}".to_owned(),
        // The engine accepts a sign in a number of hexadecimal digits.
        r"{{ '\x+4' }}".to_owned(),
        // The engine has integers without a sign of 128 bits.
        "{{ 300000000000000000000000000000000000000 }}".to_owned(),
        format!("{{{{ x{} }}}}", " + x".repeat(5_000)),
        format!("{}{}", "{% if x %}".repeat(140), "{% endif %}".repeat(140)),
        "x".repeat((1 << 20) + 1),
    ]
}

/// The message of an error without the code that it quotes and without numbers.
fn message_without_code(error: &SyntaxError) -> String {
    let pieces = error.message.split('`').step_by(2);
    pieces.flat_map(str::chars).filter(|it| !it.is_numeric()).collect()
}

/// The engine with the syntax settings of the runtime.
pub(crate) fn engine() -> Environment<'static> {
    let mut environment = Environment::new();
    let syntax = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build();
    environment.set_syntax(syntax.unwrap());
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_fuel(Some(2_000));
    environment.set_recursion_limit(20);
    // In prompts, `null` is another spelling of `none`.
    environment.add_global("null", ());
    environment
}

/// Panics unless a text has the property. Templates are rendered with `inputs`, if there are any.
pub(crate) fn check(environment: &Environment<'_>, text: &str, inputs: Option<&Value>) {
    let compiled = environment.template_from_str(text);
    match (parse_accepted(text), compiled) {
        (Ok(tree), Ok(compiled)) => {
            assert_places(text, &tree);
            if let Some(inputs) = inputs {
                assert_same_meaning(environment, text, &tree, &compiled, inputs);
            }
        }
        (Err(error), compiled) => {
            assert!(text.get(error.span.start..error.span.end).is_some(), "{text:?}: {error:?}");
            // What `parse` accepts is a template. `parse_accepted` refuses what is not safe to run.
            let is_ours_alone = || REFUSED_BY_US_ALONE.contains(&message_without_code(&error));
            assert!(
                compiled.is_err() || parse(text).is_ok() || is_ours_alone(),
                "only we refuse {text:?}: {error:?}"
            );
        }
        (Ok(tree), Err(error)) => {
            // The engine recognises a tuple by its parentheses, so they are inserted before it
            // compiles.
            let printed = printer::template(&tree.nodes);
            let has_tuple = format!("{:?}", tree.nodes).contains("Tuple(");
            // The printed form has more nested parentheses.
            let refused = environment.template_from_str(&printed).err();
            let compiles = refused.is_none_or(|it| is_too_deep(environment, &it))
                || is_excluded_from_comparison(&tree.nodes);
            assert!(has_tuple && compiles, "only we accept {text:?}: {error:?}");
        }
    }
}

/// Whether the engine refuses a template because it has too many nested parentheses.
fn is_too_deep(environment: &Environment<'_>, error: &minijinja::Error) -> bool {
    let deep = format!("{{{{ {}", "(".repeat(1_000));
    let too_deep = environment.template_from_str(&deep).err();
    too_deep.is_some_and(|it| it.detail() == error.detail())
}

fn assert_same_meaning(
    environment: &Environment<'_>,
    text: &str,
    tree: &Template,
    compiled: &minijinja::Template<'_, '_>,
    inputs: &Value,
) {
    if is_excluded_from_comparison(&tree.nodes) {
        return;
    }
    let printed = printer::template(&tree.nodes);
    let again = match environment.template_from_str(&printed) {
        Ok(again) => again,
        // The printed form has more nested parentheses.
        Err(error) if is_too_deep(environment, &error) => return,
        Err(error) => panic!("{text:?} became {printed:?}: {error}"),
    };
    let outcome = |template: &minijinja::Template<'_, '_>| {
        template.render(inputs).map_err(|error| error.kind())
    };
    assert_eq!(outcome(compiled), outcome(&again), "{text:?} became {printed:?}");
}

/// Whether a template has constructs that cannot be compared: a name `not`, which is only valid
/// after a sign and not in parentheses, or a reversed slice, on which the bare engine panics for
/// empty lists.
fn is_excluded_from_comparison(nodes: &[Node]) -> bool {
    fn is_in(value: &Expr) -> bool {
        let is_it = match &value.kind {
            ExprKind::Variable(name) => name == "not",
            ExprKind::Function(call) => call.name.text == "not",
            ExprKind::Slice { bounds: [_, _, Some(step)], .. } => {
                matches!(step.kind, ExprKind::Unary { .. })
            }
            _ => false,
        };
        is_it || walk::operands(value).into_iter().any(is_in)
    }
    nodes.iter().any(|node| {
        walk::expressions(node).into_iter().any(is_in)
            || walk::bodies(node).into_iter().any(is_excluded_from_comparison)
    })
}

/// The text of a node is at its span, expressions are inside their tags, and operands inside
/// theirs.
fn assert_places(text: &str, tree: &Template) {
    fn nodes(text: &str, list: &[Node]) {
        for node in list {
            let whole = text.get(node.span.start..node.span.end);
            assert!(whole.is_some(), "{text:?}: {node:?}");
            if let NodeKind::Text(written) = &node.kind {
                assert_eq!(whole, Some(written.as_str()), "{text:?}");
            }
            for value in walk::expressions(node) {
                assert!(node.span.contains(value.span), "{text:?}: {value:?}");
                expression(text, value);
            }
            walk::bodies(node).into_iter().for_each(|body| nodes(text, body));
        }
    }
    fn expression(text: &str, value: &Expr) {
        assert!(text.get(value.span.start..value.span.end).is_some(), "{text:?}: {value:?}");
        if let ExprKind::Variable(name) = &value.kind {
            assert_eq!(text.get(value.span.start..value.span.end), Some(name.as_str()));
        }
        for operand in walk::operands(value) {
            assert!(value.span.contains(operand.span), "{text:?}: {value:?}");
            expression(text, operand);
        }
    }
    nodes(text, &tree.nodes);
}
