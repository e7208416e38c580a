//! Tables of what templates can call: names, and what each of them stands for.

/// Names, with what they stand for.
pub(super) type Table<F> = [(&'static [&'static str], F)];

/// What a name stands for.
pub(super) fn find<F: Copy>(table: &Table<F>, name: &str) -> Option<F> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, found)| *found)
}

/// All names of a table.
pub(super) fn names<F>(table: &Table<F>) -> impl Iterator<Item = &'static str> {
    table.iter().flat_map(|(names, _)| names.iter().copied())
}
