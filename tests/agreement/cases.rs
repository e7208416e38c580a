//! Makes prompts of the reference cases: the inputs of a case determine the types of the fields.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use typed_prompty::Definition;
use typed_prompty::check::{Input, ValueType};
use typed_prompty::message::RichKind;

use super::program::{Prompt, Prompts};
use super::{allowed_lints, used_inputs};

/// The sets of cases with templates and inputs.
const AREAS: &[&str] = &["render", "jinja", "nonce"];

/// Adds a prompt for each case whose inputs fit into a typed struct. Returns the number of skipped
/// cases.
pub(crate) fn add(prompts: &mut Prompts, folder: &Path) -> usize {
    let mut skipped = 0;
    for area in AREAS {
        let file = folder.join("prompty").join(area).with_extension("json");
        let text = fs::read_to_string(&file).unwrap();
        let cases: Value = serde_json::from_str(&text).unwrap();
        for case in cases["cases"].as_array().unwrap() {
            match prompt(&case["given"], prompts.count) {
                Some(prompt) => prompts.add(&prompt),
                None => skipped += 1,
            }
        }
    }
    skipped
}

/// The value of a field: its Rust type, its expression, and its type for the checker.
struct TypedValue {
    rust: String,
    value: String,
    value_type: ValueType,
    /// The definitions of the structs that the type needs.
    items: String,
}

fn prompt(given: &Value, number: usize) -> Option<Prompt> {
    let source = given["template"].as_str()?.to_owned();
    let is_inline = source.contains('\n') || source.contains("{{") || source.contains("{%");
    if given["engine"].as_str().is_some_and(|engine| engine != "jinja2") || !is_inline {
        return None;
    }
    let empty = Map::new();
    let inputs = given["inputs"].as_object().unwrap_or(&empty);
    let kinds = given["input_kinds"].as_object().unwrap_or(&empty);
    let mut items = String::new();
    let (mut types, mut fields, mut values, mut inputs_of) = (vec![], vec![], vec![], vec![]);
    for (name, value) in inputs {
        let typed = match kinds.get(name).and_then(Value::as_str) {
            Some("thread") => thread_value(value)?,
            Some(_) => return None,
            None if value.is_object() && source.contains(&format!("in {name} %")) => {
                map_value(value)?
            }
            None => typed_value(value, &format!("C{number}_{name}"))?,
        };
        let optional = value.is_null();
        let input = Input::new(name.as_str(), typed.value_type);
        types.push(if optional { input.optional() } else { input });
        fields.push(format!("{name}: {}", typed.rust));
        values.push(format!("{name}: {}", typed.value));
        if kinds.contains_key(name) {
            inputs_of.push(format!(".with_thread({name:?}, {})", typed.value));
        } else if !optional {
            inputs_of.push(format!(".with({name:?}, ({}).to_value())", typed.value));
        }
        items.push_str(&typed.items);
    }
    let mut options = Vec::new();
    inputs.values().for_each(|value| collect_null_fields(value, &mut options));
    let definition = Definition::from_text(&*source).ok()?;
    used_inputs(&definition, &types, &options)?;
    let body = format!(
        "check(0, NAME {{ {} }}, &Inputs::new(){});",
        values.join(", "),
        inputs_of.concat()
    );
    Some(Prompt { source, one_file: None, fields, body, allowed: allowed_lints(), items })
}

/// Collects the fields that become `Option`s, because their values in the case are null.
fn collect_null_fields<'v>(value: &'v Value, options: &mut Vec<&'v str>) {
    value.as_array().into_iter().flatten().for_each(|item| collect_null_fields(item, options));
    for (name, value) in value.as_object().into_iter().flatten() {
        if value.is_null() {
            options.push(name);
        }
        collect_null_fields(value, options);
    }
}

fn thread_value(value: &Value) -> Option<TypedValue> {
    let mut messages = Vec::new();
    for message in value.as_array()? {
        let (role, content) = (message["role"].as_str()?, message["content"].as_array()?);
        let text: Option<String> = content.iter().map(|part| part["value"].as_str()).collect();
        messages.push(format!("Message::text_of({role:?}.into(), {:?})", text?));
    }
    let value = format!("vec![{}]", messages.join(", "));
    let rust = "Vec<Message>".to_owned();
    Some(TypedValue {
        rust,
        value,
        value_type: ValueType::Rich(RichKind::Thread),
        items: String::new(),
    })
}

/// A map that a template loops over. It cannot become a struct.
fn map_value(value: &Value) -> Option<TypedValue> {
    let entries = value.as_object()?.iter().map(|(name, value)| {
        let value = typed_value(value, "").filter(|typed| typed.items.is_empty())?;
        Some(format!("({name:?}, Value::from({}))", value.value))
    });
    let entries = entries.collect::<Option<Vec<_>>>()?.join(", ");
    let value = format!("typed_prompty::Map::from([{entries}])");
    let value_type = ValueType::Object(Vec::new());
    Some(TypedValue {
        rust: "typed_prompty::Map".to_owned(),
        value,
        value_type,
        items: String::new(),
    })
}

fn typed_value(value: &Value, name: &str) -> Option<TypedValue> {
    let plain = |rust: &str, value: String, value_type| {
        Some(TypedValue { rust: rust.to_owned(), value, value_type, items: String::new() })
    };
    match value {
        Value::Null => plain("Option<&str>", "None::<&str>".to_owned(), ValueType::String),
        Value::Bool(value) => plain("bool", value.to_string(), ValueType::Boolean),
        Value::Number(number) => match number.as_i64() {
            Some(number) => plain("i64", format!("{number}i64"), ValueType::Integer),
            None => plain("f64", format!("{:?}f64", number.as_f64()?), ValueType::Float),
        },
        Value::String(text) => plain("&str", format!("{text:?}"), ValueType::String),
        Value::Array(items) => {
            let typed: Option<Vec<TypedValue>> =
                items.iter().map(|item| typed_value(item, name)).collect();
            let typed = typed?;
            let rust = typed.first().map_or("String", |first| &first.rust);
            if typed.iter().any(|item| item.rust != rust) {
                return None;
            }
            // All items have the same struct, so one definition is enough.
            let fields = |item: &TypedValue| item.items.clone();
            let items = typed.first().map(fields).unwrap_or_default();
            if typed.iter().any(|item| item.items != items) {
                return None;
            }
            let value_type =
                typed.first().map_or(ValueType::String, |first| first.value_type.clone());
            let values: Vec<&str> = typed.iter().map(|item| item.value.as_str()).collect();
            let value = match typed.is_empty() {
                true => "Vec::<String>::new()".to_owned(),
                false => format!("vec![{}]", values.join(", ")),
            };
            Some(TypedValue {
                rust: format!("Vec<{rust}>"),
                value,
                value_type: ValueType::list_of(value_type),
                items,
            })
        }
        Value::Object(map) => {
            let (mut fields, mut values, mut items) = (vec![], vec![], String::new());
            for (key, value) in map {
                let typed = typed_value(value, &format!("{name}_{key}"))?;
                // The struct has no lifetime.
                let (rust, value) = match typed.rust.as_str() {
                    "&str" => ("String".to_owned(), format!("{}.to_owned()", typed.value)),
                    "Option<&str>" => ("Option<String>".to_owned(), "None".to_owned()),
                    "Vec<&str>" => return None,
                    _ => (typed.rust, typed.value),
                };
                fields.push(format!("{key}: {rust}"));
                values.push(format!("{key}: {value}"));
                items.push_str(&typed.items);
            }
            let fields = fields.join(", ");
            items
                .push_str(&format!("#[derive(Clone, ToValue)] pub struct {name} {{ {fields} }}\n"));
            let value = format!("{name} {{ {} }}", values.join(", "));
            let value_type = ValueType::Foreign(name.to_owned());
            Some(TypedValue { rust: name.to_owned(), value, value_type, items })
        }
    }
}
