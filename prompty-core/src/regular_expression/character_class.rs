//! Classes of characters: any of these, and none else.

/// A set of characters, as ranges in order that neither touch nor overlap.
///
/// ```
/// use prompty_core::regular_expression::CharacterClass;
///
/// let digits = CharacterClass::range('0', '9');
/// assert!(digits.contains('7') && !digits.contains('a'));
/// assert!(digits.negated().contains('a'));
/// assert_eq!(digits.without(&CharacterClass::range('2', '9')), CharacterClass::from_characters("01"));
/// ```
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct CharacterClass {
    ranges: Vec<(char, char)>,
}

impl CharacterClass {
    /// Every character.
    #[doc(hidden)]
    pub fn any() -> Self {
        Self::range('\0', char::MAX)
    }

    /// No character.
    #[doc(hidden)]
    pub fn none() -> Self {
        Self::default()
    }

    /// The characters of a text.
    #[doc(hidden)]
    pub fn from_characters(characters: &str) -> Self {
        characters.chars().map(|character| (character, character)).collect()
    }

    /// The characters from the first to the last; none where the last is before the first.
    #[doc(hidden)]
    pub fn range(first: char, last: char) -> Self {
        Self::from_iter([(first, last)])
    }

    /// Its ranges, from the first to the last character of each.
    #[doc(hidden)]
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Whether it has no character.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Its one character, where it has just one.
    #[doc(hidden)]
    pub fn single(&self) -> Option<char> {
        match self.ranges.as_slice() {
            &[(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    /// Whether it has the character.
    #[doc(hidden)]
    pub fn contains(&self, character: char) -> bool {
        let at = self.ranges.partition_point(|&(_, last)| last < character);
        self.ranges.get(at).is_some_and(|&(first, _)| first <= character)
    }

    /// The characters of either.
    #[doc(hidden)]
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.ranges.iter().chain(&other.ranges).copied().collect()
    }

    /// The characters of both.
    #[doc(hidden)]
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.negated().or(&other.negated()).negated()
    }

    /// The characters of this one that the other does not have.
    #[doc(hidden)]
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.negated().or(other).negated()
    }

    /// All other characters.
    #[doc(hidden)]
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut from = Some('\0');
        for &(first, last) in &self.ranges {
            if let (Some(from), Some(to)) = (from, before(first))
                && from <= to
            {
                ranges.push((from, to));
            }
            from = after(last);
        }
        ranges.extend(from.map(|from| (from, char::MAX)));
        Self { ranges }
    }
}

impl FromIterator<(char, char)> for CharacterClass {
    /// The characters of any of the ranges, in whatever order they are.
    fn from_iter<I: IntoIterator<Item = (char, char)>>(ranges: I) -> Self {
        let mut given: Vec<_> = ranges.into_iter().filter(|(first, last)| first <= last).collect();
        given.sort_unstable();
        let mut ranges: Vec<(char, char)> = Vec::with_capacity(given.len());
        for (first, last) in given {
            match ranges.last_mut() {
                Some((_, end)) if after(*end).is_none_or(|next| first <= next) => {
                    *end = last.max(*end);
                }
                _ => ranges.push((first, last)),
            }
        }
        Self { ranges }
    }
}

/// The next character, past those that are none.
fn after(character: char) -> Option<char> {
    match character {
        '\u{d7ff}' => Some('\u{e000}'),
        _ => char::from_u32(u32::from(character) + 1),
    }
}

/// The character before, past those that are none.
fn before(character: char) -> Option<char> {
    match character {
        '\u{e000}' => Some('\u{d7ff}'),
        _ => u32::from(character).checked_sub(1).and_then(char::from_u32),
    }
}
