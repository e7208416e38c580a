//! Makes the names of types from words.

/// Joins words, with an upper-case letter at the beginning of each.
pub(crate) fn join_capitalized<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut name = String::new();
    for word in words {
        let mut characters = word.chars();
        name.extend(characters.next().into_iter().flat_map(char::to_uppercase));
        name.extend(characters);
    }
    name
}
