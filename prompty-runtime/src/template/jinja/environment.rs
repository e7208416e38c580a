//! The engine, set up: what prints how, and which filters, tests and functions there are.

use minijinja::value::{Kwargs, Rest, Value as EngineValue, ValueKind, ValueOrKwargs};
use minijinja::{
    Environment, Error as EngineError, ErrorKind as EngineErrorKind, Output, State,
    UndefinedBehavior, filters as engine_filters, functions as engine_functions,
    tests as engine_tests,
};

use super::bridge::engine_error;
use super::budget::Budget;
use super::instrument::names;
use super::{bridge, filters};
use crate::nonce::marker;
use crate::template::{Extensions, RenderLimits, Undefined};
use prompty_core::value::Value;

pub(super) fn new(
    extensions: &Extensions,
    limits: RenderLimits,
    undefined: Undefined,
) -> Environment<'static> {
    // An empty environment: neither loaders nor functions that could show what else is there.
    let mut environment = Environment::empty();
    let syntax = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build();
    if let Ok(syntax) = syntax {
        environment.set_syntax(syntax);
    }
    environment.set_debug(true);
    environment.set_fuel(Some(limits.fuel));
    environment.set_recursion_limit(limits.max_depth);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_undefined_behavior(match undefined {
        Undefined::Empty => UndefinedBehavior::Chainable,
        Undefined::Error => UndefinedBehavior::Strict,
    });
    environment.set_unknown_method_callback(move |_, value, method, _| {
        let is_nothing = value.is_none() || (value.is_undefined() && undefined == Undefined::Empty);
        match method {
            "items" | "keys" | "values" if is_nothing => Ok(EngineValue::from_iter([(); 0])),
            "get" if is_nothing => Ok(EngineValue::UNDEFINED),
            _ => Err(EngineError::from(EngineErrorKind::UnknownMethod)),
        }
    });
    let budget = Budget::new(limits.max_output);
    environment.set_formatter(move |out, state, value| print(budget, out, state, value));
    add_filters(&mut environment, budget);
    add_tests(&mut environment, budget);
    add_functions(&mut environment, budget);
    add_own(&mut environment, budget);
    add_extensions(&mut environment, extensions, budget);
    environment
}

/// Texts up to this length cost no more than the tag that prints them, which is paid for in fuel.
const SHORT: usize = 64;

/// Writes a value as the Prompty subset prints it.
fn print(
    budget: Budget,
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<(), EngineError> {
    if let Some(text) = value.as_str() {
        if text.len() > SHORT {
            budget.write(state, text.len())?;
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
            let text = budget.convert(state, value)?.to_string();
            budget.write(state, text.len())?;
            out.write_str(&text)?;
        }
    }
    Ok(())
}

fn add_filters(environment: &mut Environment<'static>, budget: Budget) {
    environment.add_filter("upper", move |state: &mut State<'_, '_>, value: EngineValue| {
        filters::upper(budget, state, &value)
    });
    environment.add_filter("lower", move |state: &mut State<'_, '_>, value: EngineValue| {
        filters::lower(budget, state, &value)
    });
    environment.add_filter(
        "trim",
        move |state: &mut State<'_, '_>, value: EngineValue, characters: Option<EngineValue>| {
            let characters = characters.as_ref().and_then(EngineValue::as_str);
            filters::trim(budget, state, &value, characters)
        },
    );
    environment.add_filter(
        "join",
        move |state: &mut State<'_, '_>, list: EngineValue, separator: Option<EngineValue>| {
            filters::join(budget, state, &list, separator.as_ref())
        },
    );
    for name in ["length", "count"] {
        environment.add_filter(name, move |state: &mut State<'_, '_>, value: EngineValue| {
            filters::length(budget, state, &value)
        });
    }
    for name in ["default", "d"] {
        environment.add_filter(
            name,
            |value: EngineValue,
             fallback: Option<EngineValue>,
             also_empty: Option<bool>,
             named: Kwargs| { filters::default(value, fallback, also_empty, &named) },
        );
    }
    environment.add_filter(
        "replace",
        move |state: &mut State<'_, '_>, value: EngineValue, from: EngineValue, to: EngineValue| {
            filters::replace(budget, state, &value, &from, &to)
        },
    );
    environment.add_filter(
        "indent",
        move |state: &mut State<'_, '_>,
              value: EngineValue,
              width: Option<usize>,
              named: Kwargs| { filters::indent(budget, state, &value, width, &named) },
    );
    environment.add_filter("tojson", move |state: &mut State<'_, '_>, value: EngineValue| {
        filters::to_json(budget, state, &value)
    });
    let mut paid = |name: &'static str, filter: EngineValue| {
        environment.add_filter(name, filters::paid(budget, filter));
    };
    paid("abs", EngineValue::from_function(engine_filters::abs));
    paid("bool", EngineValue::from_function(engine_filters::bool));
    paid("capitalize", EngineValue::from_function(engine_filters::capitalize));
    paid("title", EngineValue::from_function(engine_filters::title));
    paid("first", EngineValue::from_function(filters::first));
    paid("last", EngineValue::from_function(filters::last));
    paid("float", EngineValue::from_function(engine_filters::float));
    paid("int", EngineValue::from_function(engine_filters::int));
    paid("round", EngineValue::from_function(engine_filters::round));
    paid("items", EngineValue::from_function(filters::items));
    paid("dictsort", EngineValue::from_function(engine_filters::dictsort));
    paid("list", EngineValue::from_function(engine_filters::list));
    paid("max", EngineValue::from_function(engine_filters::max));
    paid("min", EngineValue::from_function(engine_filters::min));
    paid("sum", EngineValue::from_function(engine_filters::sum));
    paid("reverse", EngineValue::from_function(engine_filters::reverse));
    paid("sort", EngineValue::from_function(engine_filters::sort));
    paid("unique", EngineValue::from_function(engine_filters::unique));
    paid("select", EngineValue::from_function(engine_filters::select));
    paid("reject", EngineValue::from_function(engine_filters::reject));
    paid("selectattr", EngineValue::from_function(engine_filters::selectattr));
    paid("rejectattr", EngineValue::from_function(engine_filters::rejectattr));
    paid("map", EngineValue::from_function(engine_filters::map));
    paid("groupby", EngineValue::from_function(engine_filters::groupby));
    paid("lines", EngineValue::from_function(engine_filters::lines));
    paid("split", EngineValue::from_function(engine_filters::split));
    // Where the engine renders, no input is marked as coming from outside.
    environment.add_filter("trusted", |value: EngineValue| value);
    environment.add_filter("string", move |state: &mut State<'_, '_>, value: EngineValue| {
        let text = EngineValue::from(filters::text_from_value(budget, state, &value)?);
        budget.pay(state, text)
    });
}

fn add_tests(environment: &mut Environment<'static>, budget: Budget) {
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
    environment.add_test("iterable", engine_tests::is_iterable);
    environment.add_test("mapping", engine_tests::is_mapping);

    environment.add_test("true", engine_tests::is_true);
    environment.add_test("false", engine_tests::is_false);
    let mut read = |names: &[&'static str], test: EngineValue| {
        for name in names {
            environment.add_test(*name, filters::read(budget, test.clone()));
        }
    };
    read(&["startingwith"], EngineValue::from_function(engine_tests::is_startingwith));
    read(&["endingwith"], EngineValue::from_function(engine_tests::is_endingwith));
    read(&["in"], EngineValue::from_function(engine_tests::is_in));
    read(&["eq", "equalto", "=="], EngineValue::from_function(engine_tests::is_eq));
    read(&["ne", "!="], EngineValue::from_function(engine_tests::is_ne));
    read(&["lt", "lessthan", "<"], EngineValue::from_function(engine_tests::is_lt));
    read(&["le", "<="], EngineValue::from_function(engine_tests::is_le));
    read(&["gt", "greaterthan", ">"], EngineValue::from_function(engine_tests::is_gt));
    read(&["ge", ">="], EngineValue::from_function(engine_tests::is_ge));
}

fn add_functions(environment: &mut Environment<'static>, budget: Budget) {
    let mut paid = |name: &'static str, function: EngineValue| {
        environment.add_function(name, filters::paid(budget, function));
    };
    paid("range", EngineValue::from_function(filters::range));
    paid("dict", EngineValue::from_function(engine_functions::dict));
    paid("namespace", EngineValue::from_function(engine_functions::namespace));
}

/// What only an instrumented template calls.
fn add_own(environment: &mut Environment<'static>, budget: Budget) {
    environment.add_filter(names::CHARGE, move |state: &mut State<'_, '_>, bytes: usize| {
        budget.charge(state, bytes).map(|()| "")
    });
    environment.add_filter(names::TEXT, move |state: &mut State<'_, '_>, value: EngineValue| {
        let text = EngineValue::from(filters::text_from_value(budget, state, &value)?);
        budget.pay(state, text)
    });
    environment.add_filter(names::READ, move |state: &mut State<'_, '_>, value: EngineValue| {
        budget.read(state, &value).map(|()| value)
    });
    environment.add_filter(
        names::READ_TEXT,
        move |state: &mut State<'_, '_>, value: EngineValue| {
            budget.read_text(state, &value).map(|()| value)
        },
    );
    let reversed = EngineValue::from_function(filters::reversed);
    environment.add_filter(names::REVERSED, filters::paid(budget, reversed));
    environment.add_filter(names::KEPT, Budget::keep);
    environment.add_filter(names::CAUGHT, |state: &mut State<'_, '_>, value: EngineValue| {
        let nonce = state.lookup(names::NONCE).unwrap_or_default();
        match (value.as_str(), nonce.as_str()) {
            (Some(text), Some(nonce)) if text.contains(nonce) => {
                EngineValue::from(filters::without_structure(text, nonce))
            }
            _ => value,
        }
    });
    environment.add_filter(names::BOUNDED, move |state: &mut State<'_, '_>, value: EngineValue| {
        budget.pay(state, value)
    });
    environment.add_filter(names::CONTAINER, bridge::container);
    environment.add_filter(names::OR_NONE, |value: EngineValue| {
        if value.is_undefined() { EngineValue::from(()) } else { value }
    });
    environment.add_filter(
        names::ATTRIBUTE,
        move |state: &mut State<'_, '_>, value: EngineValue| {
            let nonce = state.lookup(names::NONCE).unwrap_or_default();
            let text = filters::text_from_value(budget, state, &value)?;
            Ok::<_, EngineError>(marker::encode_attribute(
                &text,
                nonce.as_str().unwrap_or_default(),
            ))
        },
    );
}

fn add_extensions(environment: &mut Environment<'static>, extensions: &Extensions, budget: Budget) {
    for (name, filter) in extensions.filters() {
        let filter = filter.clone();
        environment.add_filter(
            name.to_string(),
            move |state: &mut State<'_, '_>, value: EngineValue, arguments: Rest<ValueOrKwargs>| {
                let value = own(budget, state, &value)?;
                let arguments = own_all(budget, state, arguments)?;
                let result = filter(&value, &arguments).map_err(engine_error)?;
                budget.pay(state, bridge::to_engine(&result))
            },
        );
    }
    for (name, test) in extensions.tests() {
        let test = test.clone();
        environment.add_test(
            name.to_string(),
            move |state: &mut State<'_, '_>, value: EngineValue, arguments: Rest<ValueOrKwargs>| {
                let value = own(budget, state, &value)?;
                test(&value, &own_all(budget, state, arguments)?).map_err(engine_error)
            },
        );
    }
    for (name, function) in extensions.functions() {
        let function = function.clone();
        environment.add_function(
            name.to_string(),
            move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
                let result = function(&own_all(budget, state, arguments)?).map_err(engine_error)?;
                budget.pay(state, bridge::to_engine(&result))
            },
        );
    }
}

/// An argument for a function of the host. A rich input is none.
fn own(
    budget: Budget,
    state: &mut State<'_, '_>,
    value: &EngineValue,
) -> Result<Value, EngineError> {
    filters::refuse_rich(value)?;
    budget.convert(state, value)
}

/// The arguments of a call; those given by name come last, as one map.
fn own_all(
    budget: Budget,
    state: &mut State<'_, '_>,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Vec<Value>, EngineError> {
    arguments.into_values().iter().map(|value| own(budget, state, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Extensions, RenderLimits, Undefined, new};
    use crate::template::builtins::{FILTERS, FUNCTIONS, TESTS};

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
