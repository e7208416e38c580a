//! Measures values with all their contents. Each list and map is measured once, since a template
//! may use it often: `[big, big, big]`. Otherwise twenty nested lists of that form would be
//! measured 3^20 times.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use minijinja::Error as EngineError;
use minijinja::value::{Tuple, Value as EngineValue, ValueKind};

use super::bridge::{EngineResult, ListObject, MapObject, RichObject, engine_error};
use super::costs::{ALLOCATION, ITEM, MEASURED, SLOT, work_limit_error};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{MAX_DEPTH, Map, Value};
use prompty_core::work::add_paid;

/// Smaller lists and maps are not cached.
const MIN_CACHED: usize = 16 * ITEM;

/// The sizes of lists and maps by address. The values are kept alive so that no address is reused.
pub(super) type SizeCache = HashMap<usize, (EngineValue, ValueSize)>;

/// The size of a value with all its contents: the number of bytes that reading it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueSize {
    pub(super) bytes: usize,
    depth: usize,
}

impl ValueSize {
    pub(super) const ITEM: Self = Self { bytes: ITEM, depth: 0 };

    pub(super) fn text(length: usize) -> Self {
        Self { bytes: length.saturating_add(ITEM), depth: 0 }
    }

    /// Adds the size of an item, entry or name.
    fn add_child(&mut self, child: Self) {
        self.bytes = self.bytes.saturating_add(child.bytes);
        self.depth = self.depth.max(child.depth + 1);
    }
}

/// Measures values of one render.
pub(super) struct SizeMeasurer<'s> {
    /// The maximum size of a value, and of all that the render reads.
    pub(super) max_read: usize,
    pub(super) sizes: &'s mut SizeCache,
    /// What the render has read so far. Measuring counts as reading.
    pub(super) read: &'s mut usize,
}

impl SizeMeasurer<'_> {
    fn measure_value(&mut self, value: &EngineValue, depth: usize) -> EngineResult<ValueSize> {
        match value.kind() {
            ValueKind::String => Ok(ValueSize::text(value.as_str().map_or(0, str::len))),
            ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
                if is_live(value) {
                    return Err(not_data_error());
                }
                self.measure_container(value, depth)
            }
            _ => Ok(ValueSize::ITEM),
        }
    }

    /// The size of a list or map.
    pub(super) fn measure_container(
        &mut self,
        value: &EngineValue,
        depth: usize,
    ) -> EngineResult<ValueSize> {
        if depth > MAX_DEPTH {
            return Err(too_deep_error());
        }
        let address = address(value);
        let known = address.and_then(|address| self.sizes.get(&address));
        if let Some((_, size)) = known {
            return Ok(*size);
        }
        let size = self.measure_items(value, depth)?;
        if size.depth > MAX_DEPTH {
            return Err(too_deep_error());
        }
        if size.bytes > self.max_read {
            return Err(work_limit_error("handles", self.max_read));
        }
        if let Some(address) = address
            && size.bytes >= MIN_CACHED
        {
            self.sizes.insert(address, (value.clone(), size));
        }
        Ok(size)
    }

    fn measure_items(&mut self, value: &EngineValue, depth: usize) -> EngineResult<ValueSize> {
        if let Some(list) = value.downcast_object_ref::<ListObject>() {
            return self.measure_list(&list.0);
        }
        if let Some(map) = value.downcast_object_ref::<MapObject>() {
            return self.measure_map(&map.0);
        }
        let mut size = ValueSize::ITEM;
        let is_map = value.kind() == ValueKind::Map;
        let more_reads = comparisons(value);
        for item in value.try_iter()? {
            self.pay(ITEM)?;
            let own = self.measure_value(&item, depth + 1)?;
            size.add_child(own);
            if is_map {
                size.bytes = size.bytes.saturating_add(own.bytes.saturating_mul(more_reads));
                // `item` is the name of an entry.
                let entry = value.get_item(&item)?;
                size.add_child(self.measure_value(&entry, depth + 1)?);
            }
        }
        Ok(size)
    }

    /// The size of a part of an input. Measuring it is cheap, since nothing is converted for the
    /// engine.
    fn measure_input(&mut self, value: &Value) -> EngineResult<ValueSize> {
        match value {
            Value::String(text) => Ok(ValueSize::text(text.len())),
            Value::Array(items) => self.measure_list(items),
            Value::Object(map) => self.measure_map(map),
            _ => Ok(ValueSize::ITEM),
        }
    }

    fn measure_list(&mut self, items: &[Value]) -> EngineResult<ValueSize> {
        self.pay(items.len().saturating_mul(MEASURED))?;
        let mut size = ValueSize::ITEM;
        for item in items {
            size.add_child(self.measure_input(item)?);
        }
        Ok(size)
    }

    fn measure_map(&mut self, map: &Map) -> EngineResult<ValueSize> {
        self.pay(map.len().saturating_mul(2 * MEASURED))?;
        let mut size = ValueSize::ITEM;
        for (name, item) in map.iter() {
            size.add_child(ValueSize::text(name.len()));
            size.add_child(self.measure_input(item)?);
        }
        Ok(size)
    }

    /// Charges for reading bytes.
    fn pay(&mut self, bytes: usize) -> EngineResult<()> {
        add_paid(bytes);
        *self.read = self.read.saturating_add(bytes);
        if *self.read > self.max_read {
            return Err(work_limit_error("reads", self.max_read));
        }
        Ok(())
    }
}

/// How often each name in one of the engine's own maps is read in addition. They are trees, so a
/// lookup compares the name with one on each level. Most of these comparisons end early, so four of
/// them count as one read.
fn comparisons(value: &EngineValue) -> usize {
    let entries = value.len().unwrap_or_default();
    entries.checked_ilog2().map_or(0, |levels| levels as usize / 4)
}

/// The number of bytes that the engine copies at once when it adds or repeats a value. Other lists
/// become lazy, and their items are charged one by one.
pub(super) fn copied_at_once(value: &EngineValue) -> usize {
    if let Some(text) = value.as_str() {
        return text.len();
    }
    let tuple = value.downcast_object_ref::<Tuple>();
    tuple.map_or(0, |tuple| tuple.len().saturating_mul(SLOT).saturating_add(ALLOCATION))
}

/// The address of a list or map, which identifies it while it is alive.
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

/// Whether a value is a namespace, a loop or a macro of the engine and therefore not data. A
/// namespace could come to contain itself. The engine does not export these types.
pub(super) fn is_live(value: &EngineValue) -> bool {
    let Some(object) = value.as_object() else { return false };
    if object.is::<RichObject>() {
        return false;
    }
    let name = object.type_name();
    ["::Namespace", "::Loop", "::Macro"].iter().any(|end| name.ends_with(end))
}

/// Rejects a value that must not be part of another value.
pub(super) fn refuse_live(value: EngineValue) -> EngineResult {
    if is_live(&value) { Err(not_data_error()) } else { Ok(value) }
}

fn not_data_error() -> EngineError {
    let message = "a namespace, loop or macro cannot be part of a list, a map or a namespace";
    let help = "use a plain value, such as an attribute of the namespace";
    engine_error(Error::new(ErrorKind::Render, message).with_help(help))
}

fn too_deep_error() -> EngineError {
    let message = format!("lists and maps are nested more than {MAX_DEPTH} levels deep");
    let help = "use fewer levels of lists and maps";
    engine_error(Error::new(ErrorKind::Limit, message).with_help(help))
}
