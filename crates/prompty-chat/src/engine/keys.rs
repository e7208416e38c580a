//! Keys for comparing items: paths of attributes, case-insensitive keys, and the order of keys.

use std::cmp::Ordering;

use super::budget::ITEM_COST;
use super::heap::ItemList;
use super::run::Run;
use super::text::Text;
use super::value::{Outcome, Val};
use prompty_core::work::add_steps;

/// A path of attributes such as `a.b.0`.
#[derive(Debug)]
pub(super) struct AttributePath(ItemList);

impl AttributePath {
    /// The path in an argument. Without an argument, it is empty and leads to the item itself.
    pub(super) fn of_argument(run: &Run<'_>, path: Option<&Val>) -> Outcome<Self> {
        path.map_or_else(|| Ok(Self(ItemList::default())), |path| Self::new(run, path))
    }

    /// The path in a value. `none` leads to the item itself.
    pub(super) fn new(run: &Run<'_>, path: &Val) -> Outcome<Self> {
        if matches!(path, Val::None) {
            return Self::of_argument(run, None);
        }
        if path.as_integer().is_none() {
            return Self::read(run, &run.text(path)?);
        }
        let mut hops = ItemList::default();
        hops.push(path.clone(), &run.meter)?;
        Ok(Self(hops))
    }

    fn read(run: &Run<'_>, path: &str) -> Outcome<Self> {
        let mut hops = ItemList::default();
        for part in path.split('.') {
            let hop = match part.parse::<i128>() {
                Ok(number) if part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Val::Integer(number)
                }
                _ => run.copy(part)?,
            };
            hops.push(hop, &run.meter)?;
        }
        Ok(Self(hops))
    }

    /// The value at the path of an item. Each hop is a step.
    pub(super) fn of_item(&self, run: &mut Run<'_>, item: Val) -> Outcome {
        let mut value = item;
        for hop in self.0.as_slice() {
            run.meter.pay_steps(1)?;
            value = run.item(&value, hop)?;
        }
        Ok(value)
    }
}

/// The key by which the items of a list are compared.
#[derive(Debug)]
pub(super) struct SortKey {
    /// One path, unless the key is a tuple.
    paths: Vec<AttributePath>,
    is_tuple: bool,
    case_sensitive: bool,
}

impl SortKey {
    /// The key for an attribute, or for several with commas between them. Without an attribute, the
    /// key is the item itself.
    pub(super) fn new(
        run: &Run<'_>,
        attribute: Option<&Val>,
        case_sensitive: bool,
    ) -> Outcome<Self> {
        let (mut paths, mut is_tuple) = (Vec::new(), false);
        match attribute.and_then(Val::as_text) {
            None => paths.push(AttributePath::of_argument(run, attribute)?),
            Some(text) => {
                let text = text.read(&run.meter)?;
                is_tuple = text.contains(',');
                for path in text.split(',') {
                    let path = if is_tuple { path.trim() } else { path };
                    run.meter.pay_memory(size_of::<AttributePath>())?;
                    paths.push(AttributePath::read(run, path)?);
                }
            }
        }
        Ok(Self { paths, is_tuple, case_sensitive })
    }

    /// The key of an item.
    pub(super) fn of_item(&self, run: &mut Run<'_>, item: &Val) -> Outcome {
        let mut keys = ItemList::default();
        for path in &self.paths {
            let key = path.of_item(run, item.clone())?;
            let key = fold_case(run, key, self.case_sensitive)?;
            if !self.is_tuple {
                return Ok(key);
            }
            keys.push(key, &run.meter)?;
        }
        run.tuple(keys)
    }
}

/// A key for comparing: a string in lower case, unless `case_sensitive` is set.
pub(super) fn fold_case(run: &Run<'_>, value: Val, case_sensitive: bool) -> Outcome {
    let Some(text) = value.as_text().filter(|_| !case_sensitive) else { return Ok(value) };
    let read = text.read(&run.meter)?;
    if read.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Ok(value);
    }
    Text::changed(read, str::to_lowercase, &run.meter).map(Val::String)
}

/// The positions of keys in sorted order: 1, 2, 0 for the keys `c`, `a`, `b`. Keys that cannot be
/// compared are an error.
///
/// The order of Python's values is not total (because of `nan`), which the sorts of the standard
/// library require. So this is a merge sort. Equal keys stay in their order.
pub(super) fn sort_positions(run: &Run<'_>, keys: &[Val], reverse: bool) -> Outcome<Vec<usize>> {
    let count = keys.len();
    run.meter.pay_memory(count.saturating_mul(2 * size_of::<usize>()))?;
    let mut positions: Vec<usize> = (0..count).collect();
    let mut merged = Vec::with_capacity(count);
    // Whether the left key must be after the right one. Equal keys need not.
    let is_later = |left: usize, right: usize| -> Outcome<bool> {
        let (Some(left), Some(right)) = (keys.get(left), keys.get(right)) else {
            return Ok(false);
        };
        let wanted = if reverse { Ordering::Greater } else { Ordering::Less };
        Ok(run.order(right, left, "<", 0)? == Some(wanted))
    };
    // In each round, sorted runs of `width` positions are merged in pairs.
    let mut width = 1;
    while width < count {
        run.meter.pay_items(count)?;
        add_steps(count * ITEM_COST);
        merged.clear();
        for pair in positions.chunks(2 * width) {
            let (left, right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
                merged.extend(if is_later(**a, **b)? { right.next() } else { left.next() });
            }
            merged.extend(left);
            merged.extend(right);
        }
        std::mem::swap(&mut positions, &mut merged);
        width *= 2;
    }
    Ok(positions)
}

/// The items in the order of their keys.
pub(super) fn sort_by_keys(
    run: &Run<'_>,
    items: &ItemList,
    keys: &ItemList,
    reverse: bool,
) -> Outcome<ItemList> {
    let mut sorted = ItemList::default();
    for position in sort_positions(run, keys.as_slice(), reverse)? {
        let item = items.get(position).cloned().unwrap_or(Val::Undefined);
        sorted.push(item, &run.meter)?;
    }
    Ok(sorted)
}

/// The items of a value in the order of their keys.
pub(super) fn sort_items(
    run: &mut Run<'_>,
    value: &Val,
    key: &SortKey,
    reverse: bool,
) -> Outcome<ItemList> {
    let items = run.all_items(value)?;
    let mut keys = ItemList::default();
    for item in items.as_slice() {
        let key = key.of_item(run, item)?;
        keys.push(key, &run.meter)?;
    }
    sort_by_keys(run, &items, &keys, reverse)
}
