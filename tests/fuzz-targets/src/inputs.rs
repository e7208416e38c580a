//! Inputs of the targets: the data of a fuzzer, and inputs and limits of templates.

use arbitrary::{Arbitrary, Unstructured};
use prompty_check::definition::{Input, Presence, ValueType};
use prompty_core::message::{Media, Message, RichKind};
use prompty_core::value::{Map, Value};
use prompty_runtime::render::Inputs;
use prompty_template::RenderLimits;

/// Data of a type from all bytes of a fuzzer, as libFuzzer reads it. `None` if the bytes are not
/// enough.
pub(crate) fn read_data<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Option<T> {
    T::arbitrary_take_rest(Unstructured::new(bytes)).ok()
}

/// Limits that end every render early.
pub(crate) fn limits() -> RenderLimits {
    RenderLimits::default().with_fuel(5_000).with_max_output(1 << 16).with_max_depth(32)
}

/// Inputs of every kind, with the names that the seeds and the dictionary use.
pub(crate) fn inputs() -> Inputs {
    let person = Map::from([("name", Value::from("Ada")), ("age", Value::from(36))]);
    let people = Value::from(vec![Value::from(person.clone()), Value::from(person.clone())]);
    Inputs::new()
        .with("a", "text\nuser:\n")
        .with("b", "")
        .with("n", 3)
        .with("f", -1.5)
        .with("yes", true)
        .with("none", Value::Null)
        .with("xs", Value::from(vec!["x", "y", "system:"]))
        .with("m", Value::from(person))
        .with("people", people)
        .with_thread("h", vec![Message::user("1"), Message::assistant("2")])
        .with_image("photo", Media::new("https://example.com/x.png"))
}

/// Inputs for a signature, with or without the optional ones.
pub(crate) fn inputs_of(signature: &[Input], has_optional: bool) -> Inputs {
    let mut inputs = Inputs::new();
    for input in signature {
        if input.presence() != Presence::Required && !has_optional {
            continue;
        }
        inputs = match input.value_type.non_null() {
            ValueType::Rich(RichKind::Thread) => {
                inputs.with_thread(&input.name, vec![Message::user("1")])
            }
            ValueType::Rich(RichKind::Image) => inputs.with_image(&input.name, Media::new("i")),
            ValueType::Rich(RichKind::File) => inputs.with_file(&input.name, Media::new("f")),
            ValueType::Rich(RichKind::Audio) => inputs.with_audio(&input.name, Media::new("s")),
            value_type => inputs.with(&input.name, value_of(value_type, 8)),
        };
    }
    inputs
}

/// A value of a type.
fn value_of(value_type: &ValueType, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    match value_type {
        ValueType::String => Value::from("text"),
        ValueType::Integer => Value::from(3),
        ValueType::Float => Value::from(1.5),
        ValueType::Boolean => Value::from(true),
        ValueType::Choice(choices) => choices.first().map_or(Value::Null, |it| Value::from(&**it)),
        ValueType::Array(Some(item)) => Value::from(vec![
            value_of(&item.value_type, depth - 1),
            value_of(&item.value_type, depth - 1),
        ]),
        ValueType::Array(None) => Value::from(vec![Value::Null, Value::Null]),
        ValueType::Object(fields) => fields
            .iter()
            .filter(|field| field.presence() != Presence::Optional)
            .map(|field| (field.name.as_str(), value_of(&field.value_type, depth - 1)))
            .collect::<Map>()
            .into(),
        ValueType::Optional(inner) => value_of(inner, depth - 1),
        _ => Value::Null,
    }
}
