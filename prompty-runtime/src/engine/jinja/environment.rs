//! Sets up the engine: the printer, the filters, the tests and the functions.
//!
//! Everything that a template can call is added here by name. The closures take the arguments from
//! the engine, make a [`Meter`] of the render's state, and call a function of another module:
//! `filters` has the filters that differ from the engine's own, `prices` has the engine's own with
//! their prices, `operators` and `messages` have the internal names of instrumented templates.

use std::sync::Arc;

use minijinja::value::{Kwargs, Rest, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Output, State, UndefinedBehavior, tests as engine_tests};

use super::bridge::{self, EngineResult, engine_error};
use super::budget::{JinjaBudget, Meter};
use super::builtin_arguments::BuiltinArguments;
use super::{filters, format, messages, methods, operators, prices};
use crate::engine::functions::{Arguments, HostFunction};
use crate::engine::{Extensions, Undefined};
use prompty_core::value::{Map, Value};
use prompty_template::RenderLimits;
use prompty_template::builtins;

/// Makes the environment of one template.
pub(super) fn new(
    extensions: &Extensions,
    limits: RenderLimits,
    undefined: Undefined,
) -> Environment<'static> {
    // An empty environment has no loaders, and no functions that list its contents.
    let mut environment = Environment::empty();
    // By default, minijinja drops the line break at the end of a template.
    let syntax = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build();
    if let Ok(syntax) = syntax {
        environment.set_syntax(syntax);
    }
    // In debug mode, an error about an undefined value names the expression.
    environment.set_debug(true);
    environment.set_fuel(Some(limits.fuel));
    environment.set_recursion_limit(limits.max_depth);
    // A prompt is not HTML.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_undefined_behavior(match undefined {
        Undefined::Empty => UndefinedBehavior::Chainable,
        Undefined::Error => UndefinedBehavior::Strict,
    });
    let budget = JinjaBudget::new(limits.max_output);
    environment.set_unknown_method_callback(move |state, value, method, arguments| {
        // A map that is not given has no entries. In strict mode it is an error.
        let is_nothing = value.is_none() || (value.is_undefined() && undefined == Undefined::Empty);
        match method {
            "items" | "keys" | "values" if is_nothing => Ok(EngineValue::from_iter([(); 0])),
            "get" if is_nothing => Ok(EngineValue::UNDEFINED),
            _ => methods::call(&mut Meter::new(budget, state), value, method, arguments),
        }
    });
    environment
        .set_formatter(move |out, state, value| print(&mut Meter::new(budget, state), out, value));
    add_filters(&mut environment, budget);
    add_tests(&mut environment, budget);
    add_functions(&mut environment, budget);
    operators::add(&mut environment, budget);
    messages::add(&mut environment, budget);
    add_extensions(&mut environment, extensions, budget);
    environment
}

/// Printing a string up to this length costs no more than its tag, which fuel pays for.
const SHORT: usize = 64;

/// Prints a value by the rules of the Prompty subset.
fn print(
    meter: &mut Meter<'_, '_, '_>,
    out: &mut Output<'_>,
    value: &EngineValue,
) -> EngineResult<()> {
    if let Some(text) = value.as_str() {
        if text.len() > SHORT {
            meter.charge_written(text.len())?;
        }
        out.write_str(text)?;
        return Ok(());
    }
    if let Some(rich) = value.downcast_object_ref::<bridge::RichObject>() {
        out.write_str(&rich.placeholder)?;
        return Ok(());
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => {}
        ValueKind::Number if value.is_integer() => write!(out, "{value}")?,
        _ => {
            let text = filters::text_from_value(meter, value)?;
            meter.charge_written(text.len())?;
            out.write_str(&text)?;
        }
    }
    Ok(())
}

/// The filters without arguments that charge a budget.
type SimpleFilter = fn(&mut Meter<'_, '_, '_>, &EngineValue) -> EngineResult;

const SIMPLE_FILTERS: &[(&str, SimpleFilter)] = &[
    ("upper", filters::upper),
    ("lower", filters::lower),
    ("lines", filters::lines),
    ("length", filters::length),
    ("count", filters::length),
];

/// Adds all filters. Those with a `Meter` charge for their work. The others have a price, or only
/// look at a number or at the kind of a value.
fn add_filters(environment: &mut Environment<'static>, budget: JinjaBudget) {
    for (name, price, filter) in prices::filters() {
        environment.add_filter(name, prices::charge_before_call(budget, price, filter));
    }
    for (name, filter) in SIMPLE_FILTERS {
        environment.add_filter(*name, move |state: &mut State<'_, '_>, value: EngineValue| {
            filter(&mut Meter::new(budget, state), &value)
        });
    }
    environment.add_filter(
        "trim",
        move |state: &mut State<'_, '_>, value: EngineValue, characters: Option<EngineValue>| {
            let characters = characters.as_ref().and_then(EngineValue::as_str);
            filters::trim(&mut Meter::new(budget, state), &value, characters)
        },
    );
    environment.add_filter(
        "join",
        move |state: &mut State<'_, '_>,
              list: EngineValue,
              separator: Option<EngineValue>,
              attribute: Option<EngineValue>,
              named: Kwargs| {
            let attribute = attribute.or(named.get("attribute")?);
            named.assert_all_used()?;
            let attribute = attribute.as_ref().and_then(EngineValue::as_str);
            filters::join(&mut Meter::new(budget, state), &list, separator.as_ref(), attribute)
        },
    );
    environment.add_filter(
        "split",
        move |state: &mut State<'_, '_>,
              value: EngineValue,
              separator: Option<EngineValue>,
              most: Option<i64>| {
            filters::split(&mut Meter::new(budget, state), &value, separator.as_ref(), most)
        },
    );
    for name in ["default", "d"] {
        environment.add_filter(
            name,
            |value: EngineValue,
             fallback: Option<EngineValue>,
             replaces_empty: Option<bool>,
             named: Kwargs| {
                filters::default(value, fallback, replaces_empty, &named)
            },
        );
    }
    environment.add_filter(
        "replace",
        move |state: &mut State<'_, '_>, value: EngineValue, from: EngineValue, to: EngineValue| {
            filters::replace(&mut Meter::new(budget, state), &value, &from, &to)
        },
    );
    environment.add_filter(
        "indent",
        move |state: &mut State<'_, '_>,
              value: EngineValue,
              width: Option<usize>,
              named: Kwargs| {
            filters::indent(&mut Meter::new(budget, state), &value, width, &named)
        },
    );
    add_builtin_filter(environment, budget, "format", format::format_percent);
    add_builtin_filter(environment, budget, "tojson", filters::to_json);
    add_builtin_filter(environment, budget, "truncate", filters::truncate);
    environment.add_filter("string", move |state: &mut State<'_, '_>, value: EngineValue| {
        filters::string(&mut Meter::new(budget, state), value)
    });
    // `trusted` has an effect only in compiled prompts. The engine does not know untrusted inputs.
    environment.add_filter("trusted", |value: EngineValue| value);
}

fn add_tests(environment: &mut Environment<'static>, budget: JinjaBudget) {
    for (name, price, test) in prices::tests() {
        environment.add_test(name, prices::charge_before_call(budget, price, test));
    }
    environment.add_test("iterable", move |state: &mut State<'_, '_>, value: EngineValue| {
        // The engine counts the characters of a string.
        Meter::new(budget, state)
            .charge_read_text(&value)
            .map(|()| engine_tests::is_iterable(&value))
    });
    environment.add_test("undefined", engine_tests::is_undefined);
    environment.add_test("defined", engine_tests::is_defined);
    environment.add_test("none", |value: EngineValue| value.is_none() || value.is_undefined());
    environment.add_test("boolean", engine_tests::is_boolean);
    environment.add_test("odd", engine_tests::is_odd);
    environment.add_test("even", engine_tests::is_even);
    environment.add_test("divisibleby", filters::is_divisible_by);
    environment.add_test("number", engine_tests::is_number);
    environment.add_test("integer", engine_tests::is_integer);
    environment.add_test("int", engine_tests::is_integer);
    environment.add_test("float", engine_tests::is_float);
    environment.add_test("string", engine_tests::is_string);
    environment.add_test("sequence", engine_tests::is_sequence);
    environment.add_test("mapping", engine_tests::is_mapping);
    environment.add_test("true", engine_tests::is_true);
    environment.add_test("false", engine_tests::is_false);
}

fn add_functions(environment: &mut Environment<'static>, budget: JinjaBudget) {
    for (name, price, function) in prices::functions() {
        environment.add_function(name, prices::charge_before_call(budget, price, function));
    }
    environment.add_function(
        "range",
        move |state: &mut State<'_, '_>, first: i64, second: Option<i64>, step: Option<i64>| {
            filters::range(&mut Meter::new(budget, state), first, second, step)
        },
    );
    // `zip` charges for its items before it makes them.
    environment.add_function("zip", move |state: &mut State<'_, '_>, lists: Rest<EngineValue>| {
        filters::zip(&mut Meter::new(budget, state), &lists)
    });
}

/// A filter that takes arguments by name.
type BuiltinFilter =
    fn(&mut Meter<'_, '_, '_>, &EngineValue, &BuiltinArguments<'_>) -> EngineResult;

/// Adds a filter whose arguments the table of built-ins describes.
fn add_builtin_filter(
    environment: &mut Environment<'static>,
    budget: JinjaBudget,
    name: &'static str,
    filter: BuiltinFilter,
) {
    let Some(builtin) = builtins::filter(name) else { return };
    environment.add_filter(
        name,
        move |state: &mut State<'_, '_>, value: EngineValue, arguments: Rest<ValueOrKwargs>| {
            let arguments = arguments.into_values();
            filter(
                &mut Meter::new(budget, state),
                &value,
                &BuiltinArguments::new("filter", builtin, &arguments)?,
            )
        },
    );
}

fn add_extensions(
    environment: &mut Environment<'static>,
    extensions: &Extensions,
    budget: JinjaBudget,
) {
    for (name, filter) in extensions.filters() {
        let filter = filter.clone();
        environment.add_filter(
            name.to_string(),
            move |state: &mut State<'_, '_>, value: EngineValue, arguments: Rest<ValueOrKwargs>| {
                let mut meter = Meter::new(budget, state);
                let value = to_host_argument(&mut meter, &value)?;
                let arguments = to_host_arguments(&mut meter, arguments)?;
                let result = filter(&value, &arguments).map_err(engine_error)?;
                meter.charge_new_value(bridge::to_engine(&result))
            },
        );
    }
    for (name, test) in extensions.tests() {
        let test = test.clone();
        environment.add_test(
            name.to_string(),
            move |state: &mut State<'_, '_>, value: EngineValue, arguments: Rest<ValueOrKwargs>| {
                let mut meter = Meter::new(budget, state);
                let value = to_host_argument(&mut meter, &value)?;
                test(&value, &to_host_arguments(&mut meter, arguments)?).map_err(engine_error)
            },
        );
    }
    for (name, function) in extensions.functions() {
        let (name, function) = (Arc::clone(name), function.clone());
        // In `time.now()`, Jinja2 would call a method of the variable `time`.
        environment.add_function(
            name.replace('.', "_"),
            move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
                let mut meter = Meter::new(budget, state);
                let arguments = host_function_arguments(&mut meter, arguments, &name, &function)?;
                let result = function.call_now(&name, &arguments).map_err(engine_error)?;
                meter.charge_new_value(bridge::to_engine(&result))
            },
        );
    }
}

/// Converts an argument for a host function. A rich input is an error.
fn to_host_argument(meter: &mut Meter<'_, '_, '_>, value: &EngineValue) -> EngineResult<Value> {
    bridge::refuse_rich(value)?;
    meter.convert(value)
}

/// Converts the arguments of a call. Named arguments come last, as one map.
fn to_host_arguments(
    meter: &mut Meter<'_, '_, '_>,
    arguments: Rest<ValueOrKwargs>,
) -> EngineResult<Vec<Value>> {
    arguments.into_values().iter().map(|value| to_host_argument(meter, value)).collect()
}

/// The arguments of a call of a host function.
fn host_function_arguments(
    meter: &mut Meter<'_, '_, '_>,
    arguments: Rest<ValueOrKwargs>,
    name: &str,
    function: &HostFunction,
) -> EngineResult<Arguments> {
    let arguments = arguments.into_values();
    let (positional, named) = match arguments.split_last() {
        Some((last, others)) if last.is_kwargs() => (others, Some(to_host_argument(meter, last)?)),
        _ => (&*arguments, None),
    };
    let list = positional.iter().map(|value| to_host_argument(meter, value));
    let list = list.collect::<EngineResult<_>>()?;
    let named = named.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    function.arguments(name, Map::new(), list, &named).map_err(engine_error)
}

#[cfg(test)]
mod tests {
    use super::{Extensions, RenderLimits, Undefined, new};
    use prompty_template::builtins::{FILTERS, FUNCTIONS, TESTS};

    #[test]
    fn the_environment_has_every_filter_test_and_function_that_the_checker_knows() {
        let environment = new(&Extensions::new(), RenderLimits::default(), Undefined::Empty);
        let is_known = |source: &str| {
            let template = environment.template_from_str(source).unwrap();
            let error = template.render(()).err().map(|error| error.kind());
            !matches!(
                error,
                Some(
                    minijinja::ErrorKind::UnknownFilter
                        | minijinja::ErrorKind::UnknownTest
                        | minijinja::ErrorKind::UnknownFunction
                )
            )
        };
        for filter in FILTERS {
            assert!(is_known(&format!("{{{{ 1|{} }}}}", filter.name)), "{}", filter.name);
        }
        for test in TESTS {
            assert!(
                is_known(&format!("{{{{ [1]|select('{}', 2) }}}}", test.name)),
                "{}",
                test.name
            );
        }
        for function in FUNCTIONS {
            assert!(is_known(&format!("{{{{ {}() }}}}", function.name)), "{}", function.name);
        }
    }
}
