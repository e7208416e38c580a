//! Tables of the functions that templates can call, by name.

/// Names, with the functions they refer to.
pub(super) type Table<F> = [(&'static [&'static str], F)];

/// The entry with a name.
pub(super) fn find<F: Copy>(table: &Table<F>, name: &str) -> Option<F> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, found)| *found)
}

/// All names of a table.
pub(super) fn names<F>(table: &Table<F>) -> impl Iterator<Item = &'static str> {
    table.iter().flat_map(|(names, _)| names.iter().copied())
}
