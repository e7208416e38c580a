//! What the written forms of a grammar have in common.

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
