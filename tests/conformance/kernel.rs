//! Shared by all cases of Semantic Kernel: which of them are skipped, and the functions that they
//! name.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use prompty_core::Error;
use prompty_core::value::Value as InputValue;
use prompty_runtime::engine::Arguments;
use prompty_runtime::registry::Registry;
use serde_json::Value;

use crate::frame::{Case, Outcome, Rule};

const NET_CASE: Rule = Rule::named("the .NET case with the same input counts");

/// The keys of a case that are not inputs.
const METADATA_KEYS: [&str; 12] = [
    "id",
    "dialect",
    "origin",
    "source_test",
    "upstream_symbol",
    "expect",
    "basis",
    "verified",
    "verified_with",
    "tags",
    "note",
    "title",
];

/// The inputs of the .NET cases in each folder.
static DOTNET: Mutex<BTreeMap<PathBuf, HashSet<String>>> = Mutex::new(BTreeMap::new());

/// Skips a Python case if a .NET case has the same input. The .NET case has the expected result.
pub(crate) fn skipped_python_case(case: &Case<'_>) -> Option<Outcome> {
    if case.json["dialect"] != "python" {
        return None;
    }
    let mut known = DOTNET.lock().unwrap_or_else(PoisonError::into_inner);
    let dotnet = known.entry(case.folder.to_owned()).or_insert_with(|| dotnet_inputs(case.folder));
    let rule = NET_CASE;
    dotnet.contains(&input(case.json)).then_some(Outcome::Skipped(rule))
}

fn dotnet_inputs(folder: &Path) -> HashSet<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let cases = files.filter(is_json).flat_map(|path| {
        let mut file: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        serde_json::from_value::<Vec<Value>>(file["cases"].take()).unwrap()
    });
    cases.filter(|case| case["dialect"] == "dotnet").map(|case| input(&case)).collect()
}

/// The inputs of a case as JSON, to compare them.
fn input(case: &Value) -> String {
    let fields = case.as_object().unwrap().iter();
    let given: BTreeMap<&String, &Value> =
        fields.filter(|(name, _)| !METADATA_KEYS.contains(&name.as_str())).collect();
    serde_json::to_string(&given).unwrap()
}

/// A registry with the functions of a case.
pub(crate) fn registry(case: &Case<'_>) -> Registry {
    let functions = case.json["functions"].as_object();
    let mut registry = Registry::new();
    for (name, about) in functions.into_iter().flatten() {
        let about = about.clone();
        let names: Vec<String> = serde_json::from_value(about["params"].clone()).unwrap();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        registry = add(registry, name, &names, move |arguments| Ok(output(&about, arguments)));
    }
    registry
}

fn add(
    registry: Registry,
    name: &str,
    names: &[&str],
    call: impl Fn(&Arguments) -> Result<InputValue, Error> + Send + Sync + 'static,
) -> Registry {
    type Any = Option<InputValue>;
    match *names {
        [] => registry.with_typed_function(name, [], move |given: Arguments| call(&given)),
        [a] => registry.with_typed_function(name, [a], move |_: Any, it: Arguments| call(&it)),
        [a, b] => {
            let call = move |_: Any, _: Any, it: Arguments| call(&it);
            registry.with_typed_function(name, [a, b], call)
        }
        [a, b, c] => {
            let call = move |_: Any, _: Any, _: Any, it: Arguments| call(&it);
            registry.with_typed_function(name, [a, b, c], call)
        }
        [a, b, c, d] => {
            let call = move |_: Any, _: Any, _: Any, _: Any, it: Arguments| call(&it);
            registry.with_typed_function(name, [a, b, c, d], call)
        }
        _ => panic!("{name} has more parameters than this runner knows"),
    }
}

/// The result of a function of a case: a constant, or a text that contains its arguments.
fn output(about: &Value, arguments: &Arguments) -> InputValue {
    let Some(format) = about["output_format"].as_str() else {
        return serde_json::from_value(about["output"].clone()).unwrap();
    };
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap();
        text += before;
        text += &arguments.get(name).map(ToString::to_string).unwrap_or_default();
        rest = after;
    }
    (text + rest).into()
}

/// The text with its HTML entities decoded, once.
pub(crate) fn decode_entities(text: &str) -> String {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded += before;
        let entity = after.split_once(';').and_then(|(name, rest)| Some((entity(name)?, rest)));
        match entity {
            Some((character, after_entity)) => {
                decoded.push(character);
                rest = after_entity;
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded + rest
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
