//! Sets of characters.

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

    /// The characters from `first` to `last`; empty if `last` is before `first`.
    #[doc(hidden)]
    pub fn range(first: char, last: char) -> Self {
        Self::from_iter([(first, last)])
    }

    /// The ranges, each as its first and last character.
    #[doc(hidden)]
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Whether the class is empty.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The character of a class with exactly one.
    #[doc(hidden)]
    pub fn single(&self) -> Option<char> {
        match self.ranges.as_slice() {
            &[(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    /// Whether the class contains a character.
    #[doc(hidden)]
    pub fn contains(&self, character: char) -> bool {
        let at = self.ranges.partition_point(|&(_, last)| last < character);
        self.ranges.get(at).is_some_and(|&(first, _)| first <= character)
    }

    /// The characters that are in either class.
    #[doc(hidden)]
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.ranges.iter().chain(&other.ranges).copied().collect()
    }

    /// The characters that are in both classes.
    #[doc(hidden)]
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.negated().or(&other.negated()).negated()
    }

    /// The characters of this class that are not in the other.
    #[doc(hidden)]
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.negated().or(other).negated()
    }

    /// All characters that are not in this class.
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
    /// The characters of all ranges. They may be in any order and overlap.
    fn from_iter<I: IntoIterator<Item = (char, char)>>(ranges: I) -> Self {
        let mut sorted: Vec<_> = ranges.into_iter().filter(|(first, last)| first <= last).collect();
        sorted.sort_unstable();
        let mut ranges: Vec<(char, char)> = Vec::with_capacity(sorted.len());
        for (first, last) in sorted {
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

/// The next character, after the gap of surrogates.
fn after(character: char) -> Option<char> {
    (character..=char::MAX).nth(1)
}

/// The previous character, before the gap of surrogates.
fn before(character: char) -> Option<char> {
    ('\0'..=character).nth_back(1)
}
