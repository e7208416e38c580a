//! What a render may build, read and write: the engine's fuel alone bounds neither memory nor time.
//!
//! Every list and map that a template makes is measured when it is made, with all that it holds, so
//! that nothing can come to be that is too deep or too large to be printed, compared or dropped.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use minijinja::value::{Tuple, Value as EngineValue, ValueKind};
use minijinja::{Error as EngineError, State};

use super::bridge::{self, ListObject, MapObject, RichObject, engine_error};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{MAX_DEPTH, Value};
use prompty_core::work::add_paid;

/// What an item or entry costs, in bytes: reading one takes about as long as so many bytes of text.
const ITEM: usize = 64;
/// Lists and maps that are smaller are measured again each time.
const REMEMBERED: usize = 16 * ITEM;
/// How many bytes may be read for each that may be built.
const READS: usize = 8;
/// The least that may be read, so that small limits do not refuse small prompts with large inputs.
const LEAST_READ: usize = 64 << 20;

/// How much a render may do, shared by all filters of a template.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    /// How many bytes of texts and lists may be built beside the output.
    built: usize,
    /// How many bytes may be read by comparisons, filters and tests.
    read: usize,
}

/// What a render has done so far.
#[derive(Default)]
struct Spent {
    built: usize,
    read: usize,
    written: usize,
    /// The sizes of lists and maps, by address; the values are held so that no address comes again.
    sizes: HashMap<usize, (EngineValue, Size)>,
}

/// How large a value is with all that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    bytes: usize,
    depth: usize,
}

impl Size {
    const ITEM: Self = Self { bytes: ITEM, depth: 0 };

    fn text(length: usize) -> Self {
        Self { bytes: length.saturating_add(ITEM), depth: 0 }
    }

    fn hold(&mut self, child: Self) {
        self.bytes = self.bytes.saturating_add(child.bytes);
        self.depth = self.depth.max(child.depth + 1);
    }

    fn measure(value: &Value) -> Self {
        let mut size = Self::ITEM;
        match value {
            Value::String(text) => return Self::text(text.len()),
            Value::Array(items) => items.iter().for_each(|item| size.hold(Self::measure(item))),
            Value::Object(map) => {
                for (name, item) in map.iter() {
                    size.hold(Self::text(name.len()));
                    size.hold(Self::measure(item));
                }
            }
            _ => {}
        }
        size
    }
}

impl Budget {
    pub(super) fn new(max_output: usize) -> Self {
        let built = max_output.saturating_mul(4);
        Self { built, read: built.saturating_mul(READS).max(LEAST_READ) }
    }

    /// Charges for bytes that are built.
    pub(super) fn charge(self, state: &mut State<'_, '_>, bytes: usize) -> Result<(), EngineError> {
        add_paid(bytes);
        let spent = spent(state);
        spent.built = spent.built.saturating_add(bytes);
        if spent.built <= self.built {
            return Ok(());
        }
        Err(self.too_much("builds", self.built))
    }

    /// Charges for a text that is written.
    pub(super) fn write(self, state: &mut State<'_, '_>, bytes: usize) -> Result<(), EngineError> {
        add_paid(bytes);
        let spent = spent(state);
        spent.written = spent.written.saturating_add(bytes);
        if spent.written <= self.built {
            return Ok(());
        }
        Err(self.too_much("writes", self.built))
    }

    /// Charges for a value that is read as a whole.
    pub(super) fn read(
        self,
        state: &mut State<'_, '_>,
        value: &EngineValue,
    ) -> Result<(), EngineError> {
        let bytes = match value.kind() {
            ValueKind::String => value.as_str().map_or(0, str::len),
            ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => self.size(state, value)?.bytes,
            _ => return Ok(()),
        };
        self.charge_read(state, bytes)
    }

    /// Charges for a text that is searched; what is no text is not.
    pub(super) fn read_text(
        self,
        state: &mut State<'_, '_>,
        value: &EngineValue,
    ) -> Result<(), EngineError> {
        value.as_str().map_or(Ok(()), |text| self.charge_read(state, text.len()))
    }

    fn charge_read(self, state: &mut State<'_, '_>, bytes: usize) -> Result<(), EngineError> {
        add_paid(bytes);
        let spent = spent(state);
        spent.read = spent.read.saturating_add(bytes);
        if spent.read <= self.read {
            return Ok(());
        }
        Err(self.too_much("reads", self.read))
    }

    /// Charges for a value that was built; gives it back, no longer lazy.
    pub(super) fn pay(
        self,
        state: &mut State<'_, '_>,
        value: EngineValue,
    ) -> Result<EngineValue, EngineError> {
        match value.kind() {
            ValueKind::String => self.charge(state, value.as_str().map_or(0, str::len))?,
            // One that is lazy holds what it was made of, which may be lazy again, without end.
            ValueKind::Iterable => {
                let known = value.len().unwrap_or_default();
                self.charge(state, known.saturating_mul(size_of::<EngineValue>()))?;
                let mut items = Vec::new();
                for item in value.try_iter()? {
                    if items.len() >= known {
                        self.charge(state, size_of::<EngineValue>())?;
                    }
                    items.push(item);
                }
                let items = EngineValue::from(items);
                self.size(state, &items)?;
                return Ok(items);
            }
            ValueKind::Seq | ValueKind::Map if !is_live(&value) => {
                let items = value.len().unwrap_or_default();
                self.charge(state, items.saturating_mul(size_of::<EngineValue>()) + ITEM)?;
                self.size(state, &value)?;
            }
            _ => {}
        }
        Ok(value)
    }

    /// A value of the engine as ours, paid for where it must be copied.
    pub(super) fn convert(
        self,
        state: &mut State<'_, '_>,
        value: &EngineValue,
    ) -> Result<Value, EngineError> {
        let is_container =
            matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map);
        if is_container && !bridge::is_shared(value) {
            let bytes = self.size(state, value)?.bytes;
            self.charge(state, bytes)?;
        }
        bridge::from_engine(value).map_err(engine_error)
    }

    /// Refuses what must not be held by another value.
    pub(super) fn keep(value: EngineValue) -> Result<EngineValue, EngineError> {
        if is_live(&value) { Err(not_data()) } else { Ok(value) }
    }

    /// A value's size, and an error where it is too large or too deep.
    fn size(self, state: &mut State<'_, '_>, value: &EngineValue) -> Result<Size, EngineError> {
        let mut ruler = Ruler { budget: self, spent: spent(state) };
        ruler.children(value, 0)
    }

    fn too_much(self, what: &str, limit: usize) -> EngineError {
        let message = format!("the template {what} more than {limit} bytes of text and lists");
        let help = "raise `max_output` of the render limits if that is meant";
        engine_error(Error::new(ErrorKind::Limit, message).with_help(help))
    }
}

fn spent<'s>(state: &'s mut State<'_, '_>) -> &'s mut Spent {
    state.get_or_insert_extension_with(Spent::default)
}

struct Ruler<'s> {
    budget: Budget,
    spent: &'s mut Spent,
}

impl Ruler<'_> {
    fn size(&mut self, value: &EngineValue, depth: usize) -> Result<Size, EngineError> {
        match value.kind() {
            ValueKind::String => Ok(Size::text(value.as_str().map_or(0, str::len))),
            ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
                if is_live(value) {
                    return Err(not_data());
                }
                self.children(value, depth)
            }
            _ => Ok(Size::ITEM),
        }
    }

    /// The size of a list or map.
    fn children(&mut self, value: &EngineValue, depth: usize) -> Result<Size, EngineError> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let address = address(value);
        let known = address.and_then(|address| self.spent.sizes.get(&address));
        if let Some((_, size)) = known {
            return Ok(*size);
        }
        let size = self.sum(value, depth)?;
        if size.depth > MAX_DEPTH {
            return Err(too_deep());
        }
        if size.bytes > self.budget.read {
            return Err(self.budget.too_much("handles", self.budget.read));
        }
        if let Some(address) = address
            && size.bytes >= REMEMBERED
        {
            self.spent.sizes.insert(address, (value.clone(), size));
        }
        Ok(size)
    }

    fn sum(&mut self, value: &EngineValue, depth: usize) -> Result<Size, EngineError> {
        if let Some(list) = value.downcast_object_ref::<ListObject>() {
            return Ok(list.0.iter().fold(Size::ITEM, held));
        }
        if let Some(map) = value.downcast_object_ref::<MapObject>() {
            let names = map.0.keys().map(str::len).sum();
            return Ok(map.0.values().fold(Size::text(names), held));
        }
        let mut size = Size::ITEM;
        let is_map = value.kind() == ValueKind::Map;
        for item in value.try_iter()? {
            // Measuring is reading, too.
            self.spent.read = self.spent.read.saturating_add(ITEM);
            if self.spent.read > self.budget.read {
                return Err(self.budget.too_much("reads", self.budget.read));
            }
            size.hold(self.size(&item, depth + 1)?);
            if is_map {
                let held = value.get_item(&item)?;
                size.hold(self.size(&held, depth + 1)?);
            }
        }
        Ok(size)
    }
}

fn held(mut size: Size, child: &Value) -> Size {
    size.hold(Size::measure(child));
    size
}

/// What tells a list or map from all others of a render, for as long as it is held.
fn address(value: &EngineValue) -> Option<usize> {
    let object = value.as_object()?;
    if let Some(list) = object.downcast_ref::<ListObject>() {
        return Some(Arc::as_ptr(&list.0).addr());
    }
    if let Some(map) = object.downcast_ref::<MapObject>() {
        return map.0.address();
    }
    if let Some(list) = object.downcast_ref::<Vec<EngineValue>>() {
        return Some(std::ptr::from_ref(list).addr());
    }
    if let Some(tuple) = object.downcast_ref::<Tuple>() {
        return Some(std::ptr::from_ref(tuple).addr());
    }
    let map = object.downcast_ref::<BTreeMap<EngineValue, EngineValue>>()?;
    Some(std::ptr::from_ref(map).addr())
}

/// Whether a value is no data but a part of the engine at work: a namespace, which could come to
/// hold itself, a loop or a macro. The engine keeps their types to itself.
fn is_live(value: &EngineValue) -> bool {
    let Some(object) = value.as_object() else { return false };
    if object.is::<RichObject>() {
        return false;
    }
    let name = object.type_name();
    ["::Namespace", "::Loop", "::Macro"].iter().any(|end| name.ends_with(end))
}

fn not_data() -> EngineError {
    let message = "a namespace, loop or macro cannot stand in a list, a map or a namespace";
    let help = "put the value itself there, such as an attribute of the namespace";
    engine_error(Error::new(ErrorKind::Render, message).with_help(help))
}

fn too_deep() -> EngineError {
    let message = format!("more than {MAX_DEPTH} lists and maps lie in each other");
    engine_error(Error::new(ErrorKind::Limit, message))
}
