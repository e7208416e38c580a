//! JSON pointers: the places of schemas, and the references to them.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

/// The place of a schema in its root, as a JSON pointer.
///
/// `Display` writes it as a reference: `#/properties/a~1b`. A pointer shares the steps of its
/// parent, so a long name is not copied for each place below it.
#[derive(Debug, Clone, Default)]
pub struct Pointer<'a> {
    last: Option<Rc<PointerLink<'a>>>,
}

#[derive(Debug)]
struct PointerLink<'a> {
    parent: Pointer<'a>,
    token: PointerToken<'a>,
}

/// A step of a pointer, without escapes.
#[derive(Debug, Clone)]
pub(super) enum PointerToken<'a> {
    Name(Cow<'a, str>),
    Index(usize),
}

impl<'a> Pointer<'a> {
    /// The pointer to the root.
    pub fn root() -> Self {
        Self::default()
    }

    /// The pointer to the entry with this name.
    #[must_use]
    pub fn name(&self, name: impl Into<Cow<'a, str>>) -> Self {
        self.step(PointerToken::Name(name.into()))
    }

    /// The pointer to the item with this index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(PointerToken::Index(index))
    }

    fn step(&self, token: PointerToken<'a>) -> Self {
        Self { last: Some(Rc::new(PointerLink { parent: self.clone(), token })) }
    }

    /// The number of steps.
    pub(super) fn depth(&self) -> usize {
        std::iter::successors(self.last.as_ref(), |link| link.parent.last.as_ref()).count()
    }

    /// The name in the last step. For a definition it is the definition's name.
    pub fn last_name(&self) -> Option<&str> {
        match &self.last.as_ref()?.token {
            PointerToken::Name(name) => Some(name),
            PointerToken::Index(_) => None,
        }
    }
}

impl<'a> FromIterator<PointerToken<'a>> for Pointer<'a> {
    fn from_iter<I: IntoIterator<Item = PointerToken<'a>>>(tokens: I) -> Self {
        tokens.into_iter().fold(Self::root(), |pointer, token| pointer.step(token))
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tokens = Vec::new();
        let mut at = self;
        while let Some(link) = &at.last {
            tokens.push(&link.token);
            at = &link.parent;
        }
        f.write_str("#")?;
        for token in tokens.into_iter().rev() {
            match token {
                PointerToken::Name(name) => write!(f, "/{}", escape(name))?,
                PointerToken::Index(index) => write!(f, "/{index}")?,
            }
        }
        Ok(())
    }
}

/// Escapes a name for a JSON pointer: `a/b` becomes `a~1b`.
///
/// ```
/// assert_eq!(prompty_core::schema::escape("a/b~c"), "a~1b~0c");
/// ```
pub fn escape(name: &str) -> Cow<'_, str> {
    match name.contains(['~', '/']) {
        true => name.replace('~', "~0").replace('/', "~1").into(),
        false => name.into(),
    }
}

/// The steps of a reference into the same schema: `#/$defs/a~1b` -> `$defs`, `a/b`. `None` for a
/// reference to another schema or to an anchor, and for an invalid URI.
pub(super) fn reference_steps(reference: &str) -> Option<Vec<Cow<'_, str>>> {
    let fragment = match reference {
        "" => "",
        _ => reference.strip_prefix('#')?,
    };
    if fragment.is_empty() {
        return Some(Vec::new());
    }
    let steps: Vec<Cow<'_, str>> = match decode_percent(fragment)? {
        Cow::Borrowed(pointer) => {
            pointer.strip_prefix('/')?.split('/').map(unescape).collect::<Option<_>>()?
        }
        // The decoded text lives only here, so its steps are copied.
        Cow::Owned(pointer) => {
            let steps = pointer.strip_prefix('/')?.split('/').map(unescape);
            steps.map(|step| Some(step?.into_owned().into())).collect::<Option<_>>()?
        }
    };
    Some(steps)
}

/// The name of an escaped step. `None` if a `~` escapes nothing.
fn unescape(step: &str) -> Option<Cow<'_, str>> {
    if !step.contains('~') {
        return Some(step.into());
    }
    let is_valid = step.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    // In this order, `~01` becomes `~1`.
    is_valid.then(|| step.replace("~1", "/").replace("~0", "~").into())
}

/// The index in a step: digits without a leading zero.
pub(super) fn parse_index(step: &str) -> Option<usize> {
    let is_index =
        step == "0" || (!step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit()));
    step.parse().ok().filter(|_| is_index)
}

/// Decodes the percent-escapes of a URI's fragment. `None` if the result is not UTF-8, or if a `%`
/// is not followed by two digits.
fn decode_percent(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let code = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(code).ok()?);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::{Pointer, parse_index, reference_steps};

    #[test]
    fn a_reference_is_decoded_by_percent_signs_and_then_by_tildes() {
        assert_eq!(reference_steps("#/$defs/a~1b"), Some(vec!["$defs".into(), "a/b".into()]));
        assert_eq!(reference_steps("#/%24defs/a%20b"), Some(vec!["$defs".into(), "a b".into()]));
        assert_eq!(reference_steps("#/~01"), Some(vec!["~1".into()]));
        assert_eq!(reference_steps("#/a%7E1b"), Some(vec!["a/b".into()]));
        assert_eq!(reference_steps("#/c%25d"), Some(vec!["c%d".into()]));
        assert_eq!(reference_steps("#/a//"), Some(vec!["a".into(), "".into(), "".into()]));
        assert_eq!(reference_steps("#"), Some(vec![]));
        assert_eq!(reference_steps(""), Some(vec![]));
    }

    #[test]
    fn a_reference_that_is_not_a_pointer_into_the_schema_has_no_steps() {
        for reference in ["#anchor", "other.json#/a", "#/a~2", "#/a~", "#/%zz", "#/%f", "#/%ff"] {
            assert_eq!(reference_steps(reference), None, "{reference}");
        }
    }

    #[test]
    fn an_index_has_digits_without_a_leading_zero() {
        assert_eq!((parse_index("0"), parse_index("10")), (Some(0), Some(10)));
        for step in ["", "01", "+1", "-1", "1x", "99999999999999999999999"] {
            assert_eq!(parse_index(step), None, "{step}");
        }
    }

    #[test]
    fn a_pointer_is_displayed_with_its_escapes() {
        let pointer = Pointer::root().name("properties").name("a/b~").name("anyOf").index(2);
        assert_eq!(pointer.to_string(), "#/properties/a~1b~0/anyOf/2");
        assert_eq!(Pointer::root().to_string(), "#");
    }
}
