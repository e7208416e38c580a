//! Suggests the name that an author probably meant.

/// The candidate that is most similar to `wrong`, if one is similar enough.
///
/// Always `None` without the feature `suggestions`. Programs with only compiled prompts do not have
/// it; `prompty-check` enables it.
#[doc(hidden)]
#[cfg(feature = "suggestions")]
pub fn suggest(wrong: &str, candidates: &[&str]) -> Option<String> {
    // The time is proportional to both lengths, and misspelt names are short.
    const LONGEST: usize = 64;
    if wrong.len() > LONGEST {
        return None;
    }
    crate::work::add_steps(candidates.len());
    let wrong = comparable(wrong);
    let same = candidates.iter().find(|candidate| comparable(candidate) == wrong);
    if let Some(same) = same {
        return Some((*same).to_owned());
    }
    candidates
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wrong, &comparable(candidate)), candidate))
        // One change for every three characters, and at least one.
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(1))
        // If every character is different, the candidate is another name.
        .filter(|(distance, _)| *distance < wrong.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| (*candidate).to_owned())
}

/// The number of changed characters between two words.
#[cfg(feature = "suggestions")]
pub fn distance(left: &str, right: &str) -> usize {
    strsim::damerau_levenshtein(left, right)
}

/// The name without differences that are not misspellings: case, `_` and `-`.
#[cfg(feature = "suggestions")]
fn comparable(name: &str) -> String {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Always `None`, without the feature `suggestions`.
#[doc(hidden)]
#[cfg(not(feature = "suggestions"))]
pub fn suggest(_wrong: &str, _candidates: &[&str]) -> Option<String> {
    None
}

#[cfg(all(test, feature = "suggestions"))]
mod tests {
    use super::suggest;

    #[test]
    fn a_misspelt_name_finds_the_right_one() {
        let found = suggest("temprature", &["topP", "temperature"]);
        assert_eq!(found.as_deref(), Some("temperature"));
    }

    #[test]
    fn another_spelling_of_the_same_name_is_found_first() {
        let found = suggest("display_name", &["name", "displayName"]);
        assert_eq!(found.as_deref(), Some("displayName"));
    }

    #[test]
    fn a_name_unlike_all_others_finds_nothing() {
        assert_eq!(suggest("zzz", &["name", "kind"]), None);
        assert_eq!(suggest("x", &["y"]), None, "another letter is not a misspelling");
        assert_eq!(suggest(&"n".repeat(9999), &["name"]), None);
    }
}
