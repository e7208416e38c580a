//! What the written forms of a grammar have in common.

/// What an expression stands in, which says whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Around {
    Nothing,
    Sequence,
    Repeat,
}

/// How often something stands, behind it.
pub(super) fn count(at_least: u32, at_most: Option<u32>) -> String {
    match (at_least, at_most) {
        (0, Some(1)) => "?".to_owned(),
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (at_least, Some(at_most)) if at_least == at_most => format!("{{{at_least}}}"),
        (at_least, Some(at_most)) => format!("{{{at_least},{at_most}}}"),
        (at_least, None) => format!("{{{at_least},}}"),
    }
}

/// Writes something, in parentheses where it needs them.
pub(super) fn grouped(needed: bool, out: &mut String, inner: impl FnOnce(&mut String)) {
    if needed {
        out.push('(');
    }
    inner(out);
    if needed {
        out.push(')');
    }
}

/// Writes several, with a separator between each two.
pub(super) fn joined<T>(
    parts: &[T],
    separator: &str,
    out: &mut String,
    mut write: impl FnMut(&T, &mut String),
) {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        write(part, out);
    }
}
