//! Converts values to and from the engine's values.
//!
//! Strings, lists and maps are shared with the engine and not copied. Values that a template does
//! not use are never converted.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minijinja::value::{
    Enumerator, Object, ObjectExt, ObjectRepr, Value as EngineValue, ValueKind,
};

use minijinja::{Error as EngineError, ErrorKind as EngineErrorKind};

use crate::engine::output::RenderOutput;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::RichKind;
use prompty_core::value::{MAX_DEPTH, Map, Value};
use prompty_core::work::add_steps;

/// The result of a function that the engine calls.
pub(super) type EngineResult<T = EngineValue> = Result<T, EngineError>;

/// The largest `i64` that is exact as a float: floats of this size differ by 1024.
const LARGEST_EXACT: i64 = i64::MAX - 1023;

/// Converts a value for the engine.
pub(super) fn to_engine(value: &Value) -> EngineValue {
    match value {
        Value::Null => EngineValue::from(()),
        Value::Bool(value) => EngineValue::from(*value),
        Value::Integer(number) => match i64::try_from(*number) {
            // The engine treats larger `i64`s as equal to the next float, 2^63. So they are passed
            // as `i128`.
            Ok(small) if small <= LARGEST_EXACT => EngineValue::from(small),
            _ => EngineValue::from(*number),
        },
        Value::Float(number) => EngineValue::from(*number),
        Value::String(text) => EngineValue::from(text.clone()),
        Value::Array(items) => EngineValue::from_object(ListObject(items.clone())),
        Value::Object(map) => EngineValue::from_object(MapObject(map.clone())),
    }
}

/// Converts a value of the engine.
///
/// # Errors
///
/// Returns [`ErrorKind::Limit`] if it is nested too deeply.
pub(super) fn from_engine(value: &EngineValue) -> Result<Value, Error> {
    convert(value, 0)
}

fn convert(value: &EngineValue, depth: usize) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        let message = format!("a value is nested more than {MAX_DEPTH} levels deep");
        let help = "use fewer levels of lists and maps";
        return Err(Error::new(ErrorKind::Limit, message).with_help(help));
    }
    if let Some(list) = value.downcast_object_ref::<ListObject>() {
        return Ok(Value::Array(list.0.clone()));
    }
    if let Some(map) = value.downcast_object_ref::<MapObject>() {
        return Ok(Value::Object(map.0.clone()));
    }
    Ok(match value.kind() {
        ValueKind::Undefined | ValueKind::None => Value::Null,
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => {
            i128::try_from(value.clone()).map_or(Value::Null, Value::Integer)
        }
        ValueKind::Number => f64::try_from(value.clone()).map_or(Value::Null, Value::Float),
        ValueKind::String => value.to_str().map_or(Value::Null, Value::String),
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter().map_err(conversion_error)?;
            items.map(|item| convert(&item, depth + 1)).collect::<Result<Vec<_>, _>>()?.into()
        }
        ValueKind::Map => {
            let mut map = Map::new();
            for name in value.try_iter().map_err(conversion_error)? {
                let item = value.get_item(&name).map_err(conversion_error)?;
                map.insert(name.to_string(), convert(&item, depth + 1)?);
            }
            Value::Object(map)
        }
        _ => Value::from(value.to_string()),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn conversion_error(error: minijinja::Error) -> Error {
    Error::new(ErrorKind::Render, error.to_string())
}

/// Whether a value of the engine is one of our lists or maps, which convert without a copy.
pub(super) fn is_shared(value: &EngineValue) -> bool {
    value.downcast_object_ref::<ListObject>().is_some()
        || value.downcast_object_ref::<MapObject>().is_some()
}

/// One of our lists in the engine.
#[derive(Debug)]
pub(super) struct ListObject(pub(super) Arc<Vec<Value>>);

impl Object for ListObject {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &EngineValue) -> Option<EngineValue> {
        self.0.get(key.as_usize()?).map(to_engine)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Value::Array(self.0.clone()), f)
    }
}

/// One of our maps in the engine.
#[derive(Debug)]
pub(super) struct MapObject(pub(super) Map);

impl Object for MapObject {
    fn get_value(self: &Arc<Self>, key: &EngineValue) -> Option<EngineValue> {
        self.0.get(key.as_str()?).map(to_engine)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<EngineValue> {
        self.0.get(key).map(to_engine)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        // The text of a name is shared.
        let name = |map: &Map, index| {
            map.entry(index).map(|(name, _)| EngineValue::from(name.clone())).unwrap_or_default()
        };
        let length = self.0.len();
        // An iterator over a range of indices has a known length, so that a loop over the names can
        // count them.
        self.mapped_enumerator(move |this| Box::new((0..length).map(move |it| name(&this.0, it))))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.0.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Value::Object(self.0.clone()), f)
    }
}

/// Converts the right side of `in`. A string contains what a value prints. Other scalars contain
/// nothing.
pub(super) fn to_container(value: EngineValue) -> EngineValue {
    match value.kind() {
        ValueKind::String => EngineValue::from_object(TextContainer(value)),
        ValueKind::None | ValueKind::Bool | ValueKind::Number => {
            EngineValue::from(Vec::<EngineValue>::new())
        }
        _ => value,
    }
}

/// A string on the right side of `in`. It is a map for the engine: `x in map` asks the map for the
/// entry `x`, and is true if there is one.
#[derive(Debug)]
struct TextContainer(EngineValue);

impl Object for TextContainer {
    fn get_value(self: &Arc<Self>, key: &EngineValue) -> Option<EngineValue> {
        let text = self.0.as_str()?;
        if let Some(rich) = key.downcast_object_ref::<RichObject>() {
            rich.misused.store(true, Ordering::Relaxed);
            return None;
        }
        let is_contained = match key.as_str() {
            Some(part) => text.contains(part),
            None => {
                let mut printed = RenderOutput::new(text.len());
                // Text that does not fit is longer than the string.
                write!(printed, "{}", from_engine(key).ok()?).ok()?;
                text.contains(&printed.into_text())
            }
        };
        add_steps(text.len());
        is_contained.then(|| key.clone())
    }
}

/// A rich input in the engine. It can be printed and used as a condition.
pub(super) struct RichObject {
    pub(super) placeholder: String,
    pub(super) present: bool,
    /// Set when a filter or an operator tries to read it as text.
    pub(super) misused: AtomicBool,
}

impl fmt::Debug for RichObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rich input")
    }
}

impl Object for RichObject {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        self.present
    }

    fn render(self: &Arc<Self>, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the formatter writes the placeholder. Any other conversion to text would break it.
        self.misused.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Rejects a rich input if a string or list is needed.
pub(super) fn refuse_rich(value: &EngineValue) -> EngineResult<()> {
    if value.downcast_object_ref::<RichObject>().is_none() {
        return Ok(());
    }
    Err(engine_error(misused_rich_error()))
}

/// The error for a rich input in a filter, an operator or an argument.
pub(super) fn misused_rich_error() -> Error {
    let message = format!("{} can only be printed, not filtered or passed", RichKind::ANY);
    let help = "write `{{ name }}` without a filter or operator";
    Error::new(ErrorKind::Render, message).with_help(help)
}

/// The kind of a value in error messages, with its article, as the checks name it.
pub(super) fn kind_name(value: &EngineValue) -> &'static str {
    match value.kind() {
        ValueKind::Undefined => "an undefined value",
        ValueKind::None => "`none`",
        ValueKind::Bool => "a boolean",
        ValueKind::Number if value.is_integer() => "an integer",
        ValueKind::Number => "a float",
        ValueKind::String => "a string",
        ValueKind::Bytes => "bytes",
        ValueKind::Seq | ValueKind::Iterable => "a list",
        ValueKind::Map => "a map",
        ValueKind::Plain => "an object",
        _ => "a value of another kind",
    }
}

/// Wraps our error in an error of the engine.
pub(super) fn engine_error(error: Error) -> EngineError {
    EngineError::new(EngineErrorKind::InvalidOperation, error.to_string()).with_source(error)
}
