//! JSON pointers: the places of schemas, and the references that name them.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

/// The place of a schema in the whole one, as a JSON pointer.
///
/// `Display` gives it as a reference has it: `#/properties/a~1b`. A pointer shares the steps of the
/// one that it was made from, so a long name on the way is not copied for each place behind it.
#[derive(Debug, Clone, Default)]
pub struct Pointer<'a> {
    last: Option<Rc<Link<'a>>>,
}

#[derive(Debug)]
struct Link<'a> {
    parent: Pointer<'a>,
    token: Token<'a>,
}

/// One step of a pointer, as it is without escapes.
#[derive(Debug, Clone)]
pub(super) enum Token<'a> {
    Name(Cow<'a, str>),
    Index(usize),
}

impl<'a> Pointer<'a> {
    /// The pointer to the whole schema.
    pub fn root() -> Self {
        Self::default()
    }

    /// The pointer to what stands there under a name.
    #[must_use]
    pub fn name(&self, name: impl Into<Cow<'a, str>>) -> Self {
        self.step(Token::Name(name.into()))
    }

    /// The pointer to an item of the list that stands there.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Token::Index(index))
    }

    fn step(&self, token: Token<'a>) -> Self {
        Self { last: Some(Rc::new(Link { parent: self.clone(), token })) }
    }

    /// Whether it leads to the whole schema.
    pub fn is_root(&self) -> bool {
        self.last.is_none()
    }

    /// How many steps it has.
    pub(super) fn depth(&self) -> usize {
        std::iter::successors(self.last.as_ref(), |link| link.parent.last.as_ref()).count()
    }

    /// The last name on the way: of a definition's pointer, the definition's name.
    pub fn last_name(&self) -> Option<&str> {
        match &self.last.as_ref()?.token {
            Token::Name(name) => Some(name),
            Token::Index(_) => None,
        }
    }
}

impl<'a> FromIterator<Token<'a>> for Pointer<'a> {
    fn from_iter<I: IntoIterator<Item = Token<'a>>>(tokens: I) -> Self {
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
                Token::Name(name) => write!(f, "/{}", escape(name))?,
                Token::Index(index) => write!(f, "/{index}")?,
            }
        }
        Ok(())
    }
}

/// A name as a step of a JSON pointer: `a/b` is `a~1b`.
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

/// The steps of a reference into the same schema, such as `#/$defs/address`. Nothing for a reference
/// to another schema or to an anchor, and for one that is no URI.
pub(super) fn steps(reference: &str) -> Option<Vec<Cow<'_, str>>> {
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
        Cow::Owned(pointer) => {
            let steps = pointer.strip_prefix('/')?.split('/').map(unescape);
            steps.map(|step| Some(step?.into_owned().into())).collect::<Option<_>>()?
        }
    };
    Some(steps)
}

/// A step of a pointer as the name that it stands for. `None` if a `~` escapes nothing.
fn unescape(step: &str) -> Option<Cow<'_, str>> {
    if !step.contains('~') {
        return Some(step.into());
    }
    let mut name = String::with_capacity(step.len());
    let mut characters = step.chars();
    while let Some(character) = characters.next() {
        if character != '~' {
            name.push(character);
            continue;
        }
        name.push(match characters.next()? {
            '0' => '~',
            '1' => '/',
            _ => return None,
        });
    }
    Some(name.into())
}

/// The index that a step names: digits without a leading zero.
pub(super) fn index(step: &str) -> Option<usize> {
    let is_index =
        step == "0" || (!step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit()));
    step.parse().ok().filter(|_| is_index)
}

/// The text that a URI's fragment stands for. `None` if it is not UTF-8, or no two digits
/// follow a `%`.
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
    use super::{Pointer, index, steps};

    #[test]
    fn a_reference_is_decoded_by_percent_signs_first_and_then_by_tildes() {
        assert_eq!(steps("#/$defs/a~1b"), Some(vec!["$defs".into(), "a/b".into()]));
        assert_eq!(steps("#/%24defs/a%20b"), Some(vec!["$defs".into(), "a b".into()]));
        assert_eq!(steps("#/~01"), Some(vec!["~1".into()]));
        assert_eq!(steps("#/a%7E1b"), Some(vec!["a/b".into()]));
        assert_eq!(steps("#/c%25d"), Some(vec!["c%d".into()]));
        assert_eq!(steps("#/a//"), Some(vec!["a".into(), "".into(), "".into()]));
        assert_eq!(steps("#"), Some(vec![]));
        assert_eq!(steps(""), Some(vec![]));
    }

    #[test]
    fn a_reference_that_is_no_pointer_into_the_schema_has_no_steps() {
        for reference in ["#anchor", "other.json#/a", "#/a~2", "#/a~", "#/%zz", "#/%f", "#/%ff"] {
            assert_eq!(steps(reference), None, "{reference}");
        }
    }

    #[test]
    fn an_index_is_digits_without_a_leading_zero() {
        assert_eq!((index("0"), index("10")), (Some(0), Some(10)));
        for step in ["", "01", "+1", "-1", "1x", "99999999999999999999999"] {
            assert_eq!(index(step), None, "{step}");
        }
    }

    #[test]
    fn a_pointer_is_told_with_its_escapes() {
        let pointer = Pointer::root().name("properties").name("a/b~").name("anyOf").index(2);
        assert_eq!(pointer.to_string(), "#/properties/a~1b~0/anyOf/2");
        assert_eq!(Pointer::root().to_string(), "#");
    }
}
