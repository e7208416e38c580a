//! Indexes and slices with Python's rules.

use super::fault::Fault;
use super::value::Outcome;

/// An index as a position among `count` items; negative indexes count from the end.
pub(super) fn resolve_index(index: i128, count: usize) -> Option<usize> {
    let length = i128::try_from(count).ok()?;
    let index = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < count)
}

/// An index as a position from 0 to `count`; negative indexes count from the end.
pub(super) fn clamp_index(index: i128, count: usize) -> usize {
    let length = i128::try_from(count).unwrap_or(i128::MAX);
    let index = if index < 0 { index.saturating_add(length) } else { index };
    usize::try_from(index.clamp(0, length)).unwrap_or_default()
}

/// The positions in a slice, with Python's rules: 3 and 1 for `[3:0:-2]` of five items.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceIndexes {
    pub(super) first: usize,
    pub(super) step: i128,
    pub(super) count: usize,
}

impl SliceIndexes {
    pub(super) fn of_slice(count: usize, [start, stop, step]: [Option<i128>; 3]) -> Outcome<Self> {
        let length = i128::try_from(count).unwrap_or(i128::MAX);
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(Fault::render("the step of a slice is 0"));
        }
        // The position before the first one is possible as the end of a backward slice.
        let (lowest, highest) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let clamp = |bound: Option<i128>, default: i128| match bound {
            None => default,
            Some(bound) if bound < 0 => bound.saturating_add(length).clamp(lowest, highest),
            Some(bound) => bound.clamp(lowest, highest),
        };
        let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
        let (start, stop) = (clamp(start, first), clamp(stop, last));
        let distance = if step > 0 { stop - start } else { start - stop };
        let taken = match distance {
            1.. => 1 + (distance - 1) / i128::try_from(step.unsigned_abs()).unwrap_or(i128::MAX),
            _ => 0,
        };
        let (first, count) = (usize::try_from(start), usize::try_from(taken));
        Ok(Self { first: first.unwrap_or_default(), step, count: count.unwrap_or_default() })
    }

    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        let first = i128::try_from(self.first).unwrap_or(i128::MAX);
        (0..self.count).filter_map(move |index| {
            let index = i128::try_from(index).unwrap_or(i128::MAX);
            usize::try_from(first.saturating_add(self.step.saturating_mul(index))).ok()
        })
    }
}
