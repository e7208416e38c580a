//! How large a value is with all that it holds, measured once for each list and map.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use minijinja::Error as EngineError;
use minijinja::value::{Tuple, Value as EngineValue, ValueKind};

use super::bridge::{EngineResult, ListObject, MapObject, RichObject, engine_error};
use super::costs::{ALLOCATION, ITEM, MEASURED, SLOT, too_much};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::{MAX_DEPTH, Map, Value};
use prompty_core::work::add_paid;

/// Lists and maps that are smaller are measured again each time.
const REMEMBERED: usize = 16 * ITEM;

/// The sizes of lists and maps, by address; the values are held so that no address comes again.
pub(super) type Sizes = HashMap<usize, (EngineValue, Size)>;

/// How large a value is with all that it holds: how many bytes reading it counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) bytes: usize,
    depth: usize,
}

impl Size {
    pub(super) const ITEM: Self = Self { bytes: ITEM, depth: 0 };

    pub(super) fn text(length: usize) -> Self {
        Self { bytes: length.saturating_add(ITEM), depth: 0 }
    }

    fn hold(&mut self, child: Self) {
        self.bytes = self.bytes.saturating_add(child.bytes);
        self.depth = self.depth.max(child.depth + 1);
    }
}

pub(super) struct Ruler<'s> {
    /// The most that a value may be to read.
    pub(super) largest: usize,
    pub(super) sizes: &'s mut Sizes,
    /// What the render has read; measuring is reading, too.
    pub(super) read: &'s mut usize,
}

impl Ruler<'_> {
    fn size(&mut self, value: &EngineValue, depth: usize) -> EngineResult<Size> {
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
    pub(super) fn children(&mut self, value: &EngineValue, depth: usize) -> EngineResult<Size> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let address = address(value);
        let known = address.and_then(|address| self.sizes.get(&address));
        if let Some((_, size)) = known {
            return Ok(*size);
        }
        let size = self.sum(value, depth)?;
        if size.depth > MAX_DEPTH {
            return Err(too_deep());
        }
        if size.bytes > self.largest {
            return Err(too_much("handles", self.largest));
        }
        if let Some(address) = address
            && size.bytes >= REMEMBERED
        {
            self.sizes.insert(address, (value.clone(), size));
        }
        Ok(size)
    }

    fn sum(&mut self, value: &EngineValue, depth: usize) -> EngineResult<Size> {
        if let Some(list) = value.downcast_object_ref::<ListObject>() {
            return self.measure_list(&list.0);
        }
        if let Some(map) = value.downcast_object_ref::<MapObject>() {
            return self.measure_map(&map.0);
        }
        let mut size = Size::ITEM;
        let is_map = value.kind() == ValueKind::Map;
        let compared = comparisons(value);
        for item in value.try_iter()? {
            self.read_item()?;
            let own = self.size(&item, depth + 1)?;
            size.hold(own);
            if is_map {
                size.bytes = size.bytes.saturating_add(own.bytes.saturating_mul(compared));
                let held = value.get_item(&item)?;
                size.hold(self.size(&held, depth + 1)?);
            }
        }
        Ok(size)
    }

    /// The size of a part of an input.
    fn measure(&mut self, value: &Value) -> EngineResult<Size> {
        match value {
            Value::String(text) => Ok(Size::text(text.len())),
            Value::Array(items) => self.measure_list(items),
            Value::Object(map) => self.measure_map(map),
            _ => Ok(Size::ITEM),
        }
    }

    fn measure_list(&mut self, items: &[Value]) -> EngineResult<Size> {
        self.pay(items.len().saturating_mul(MEASURED))?;
        let mut size = Size::ITEM;
        for item in items {
            size.hold(self.measure(item)?);
        }
        Ok(size)
    }

    fn measure_map(&mut self, map: &Map) -> EngineResult<Size> {
        self.pay(map.len().saturating_mul(2 * MEASURED))?;
        let mut size = Size::ITEM;
        for (name, item) in map.iter() {
            size.hold(Size::text(name.len()));
            size.hold(self.measure(item)?);
        }
        Ok(size)
    }

    fn read_item(&mut self) -> EngineResult<()> {
        self.pay(ITEM)
    }

    fn pay(&mut self, bytes: usize) -> EngineResult<()> {
        add_paid(bytes);
        *self.read = self.read.saturating_add(bytes);
        if *self.read > self.largest {
            return Err(too_much("reads", self.largest));
        }
        Ok(())
    }
}

/// How often, beyond once, each name of the engine's own maps counts: they are trees, in which a name
/// is found by comparisons with others.
fn comparisons(value: &EngineValue) -> usize {
    let entries = value.len().unwrap_or_default();
    entries.checked_ilog2().map_or(0, |levels| levels as usize / 4)
}

/// How many bytes the engine copies at once where it adds or repeats a value. Other lists become lazy
/// ones, whose items are paid for one by one.
pub(super) fn copied_at_once(value: &EngineValue) -> usize {
    if let Some(text) = value.as_str() {
        return text.len();
    }
    let tuple = value.downcast_object_ref::<Tuple>();
    tuple.map_or(0, |tuple| tuple.len().saturating_mul(SLOT).saturating_add(ALLOCATION))
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
pub(super) fn is_live(value: &EngineValue) -> bool {
    let Some(object) = value.as_object() else { return false };
    if object.is::<RichObject>() {
        return false;
    }
    let name = object.type_name();
    ["::Namespace", "::Loop", "::Macro"].iter().any(|end| name.ends_with(end))
}

/// Refuses what must not be held by another value.
pub(super) fn keep(value: EngineValue) -> EngineResult {
    if is_live(&value) { Err(not_data()) } else { Ok(value) }
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
