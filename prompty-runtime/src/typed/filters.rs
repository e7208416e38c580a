//! The filters and operators of compiled prompts. Each is a type that implements [`Print`].

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::{Each, Print};
use prompty_core::text::write_escaped;
use prompty_core::value::Value;

/// `value | upper`
#[derive(Debug, Clone, Copy)]
pub struct Upper<T>(pub T);

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Upper<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        self.0.text().chars().flat_map(char::to_uppercase).try_for_each(|it| out.write_char(it))
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }
}

/// `value | lower`
#[derive(Debug, Clone, Copy)]
pub struct Lower<T>(pub T);

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Lower<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        let text = self.0.text();
        if text.is_ascii() {
            return text.chars().try_for_each(|it| out.write_char(it.to_ascii_lowercase()));
        }
        // The lower case of a letter may depend on its neighbours.
        out.write_str(&text.to_lowercase())
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }
}

/// `value | trim`
#[derive(Debug, Clone, Copy)]
pub struct Trim<T>(pub T);

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Trim<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        out.write_str(&self.text())
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }

    fn text(&self) -> Cow<'_, str> {
        let blanks = [' ', '\t', '\r', '\n'];
        match self.0.text() {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(blanks)),
            Cow::Owned(text) => Cow::Owned(text.trim_matches(blanks).to_owned()),
        }
    }
}

/// A value of a Mustache template, HTML-escaped: `{{value}}`
#[derive(Debug, Clone, Copy)]
pub struct Escaped<T>(pub T);

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Escaped<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        self.0.print(&mut HtmlEscaper(out))
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }

    fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

/// A writer that escapes HTML.
struct HtmlEscaper<'w, W: ?Sized>(&'w mut W);

impl<W: Write + ?Sized> Write for HtmlEscaper<'_, W> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        write_escaped(piece, self.0)
    }
}

/// `value | default(fallback)`
#[derive(Debug, Clone, Copy)]
pub struct OrElse<T, F>(pub Option<T>, pub F);

#[diagnostic::do_not_recommend]
impl<T: Print, F: Print> Print for OrElse<T, F> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        match &self.0 {
            Some(value) if !value.is_null() => value.print(out),
            _ => self.1.print(out),
        }
    }

    fn size_hint(&self) -> usize {
        match &self.0 {
            Some(value) if !value.is_null() => value.size_hint(),
            _ => self.1.size_hint(),
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Some(value) if !value.is_null() => value.text(),
            _ => self.1.text(),
        }
    }

    fn is_null(&self) -> bool {
        self.0.as_ref().is_none_or(Print::is_null) && self.1.is_null()
    }
}

/// `list | join(separator)`; see [`join`].
#[derive(Debug)]
pub struct Join<'a, T: ?Sized, S, F> {
    list: Option<&'a T>,
    separator: S,
    printable: F,
}

/// Makes the filter `list | join(separator)`. `printable` converts an item into a type that prints.
pub fn join<'a, T: Each + ?Sized, S: Print, P: Print, F: Fn(&'a T::Item) -> P>(
    list: Option<&'a T>,
    separator: S,
    printable: F,
) -> Join<'a, T, S, F> {
    Join { list, separator, printable }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Each + ?Sized, S: Print, P: Print, F: Fn(&'a T::Item) -> P> Print
    for Join<'a, T, S, F>
{
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        for (index, item) in self.list.into_iter().flat_map(Each::each).enumerate() {
            if index > 0 {
                self.separator.print(out)?;
            }
            (self.printable)(item).print(out)?;
        }
        Ok(())
    }

    fn size_hint(&self) -> usize {
        let separator = self.separator.size_hint();
        let items = self.list.into_iter().flat_map(Each::each);
        items.map(|item| (self.printable)(item).size_hint() + separator).sum()
    }
}

/// A list to join, as [`looped`](super::looped) returns it. The generated code calls the same
/// method for a list and for data ([`JoinedData`]), since only rustc knows the type.
pub trait JoinedList<'a, T: Each + ?Sized> {
    /// See [`join`].
    fn joined<S: Print, P: Print, F: Fn(&'a T::Item) -> P>(
        self,
        separator: S,
        printable: F,
    ) -> Join<'a, T, S, F>;
}

impl<'a, T: Each + ?Sized> JoinedList<'a, T> for &'a T {
    fn joined<S: Print, P: Print, F: Fn(&'a T::Item) -> P>(
        self,
        separator: S,
        printable: F,
    ) -> Join<'a, T, S, F> {
        join(Some(self), separator, printable)
    }
}

/// Data or a tuple to join, as [`looped`](super::looped) returns it. Items print as they are.
pub trait JoinedData<'a> {
    /// See [`join`].
    fn joined<S: Print, P: Print, F: Fn(&'a Value) -> P>(
        self,
        separator: S,
        printable: F,
    ) -> JoinedValues<S>;
}

impl<'a> JoinedData<'a> for Box<Value> {
    fn joined<S: Print, P: Print, F: Fn(&'a Value) -> P>(
        self,
        separator: S,
        _printable: F,
    ) -> JoinedValues<S> {
        JoinedValues { list: self, separator }
    }
}

/// The items of data, joined.
#[derive(Debug)]
pub struct JoinedValues<S> {
    list: Box<Value>,
    separator: S,
}

#[diagnostic::do_not_recommend]
impl<S: Print> Print for JoinedValues<S> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        join(Some(&*self.list), self.separator.text(), |it: &Value| it.text()).print(out)
    }
}

/// `value | string`: a string, even if the value is missing.
#[derive(Debug, Clone, Copy)]
pub struct Text<T>(pub T);

#[diagnostic::do_not_recommend]
impl<T: Print> Print for Text<T> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        self.0.print(out)
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }

    fn text(&self) -> Cow<'_, str> {
        self.0.text()
    }
}

/// `value | tojson`
#[derive(Debug, Clone)]
pub struct Json(pub Value);

#[diagnostic::do_not_recommend]
impl Print for Json {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        out.write_str(&self.0.to_json())
    }

    /// A guess, since measuring would write the JSON.
    fn size_hint(&self) -> usize {
        16
    }
}

/// `value | replace(from, to)`: the value, `from` and `to`.
#[derive(Debug, Clone, Copy)]
pub struct Replace<T, F, S>(pub T, pub F, pub S);

#[diagnostic::do_not_recommend]
impl<T: Print, F: Print, S: Print> Print for Replace<T, F, S> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        let (text, from, to) = (self.0.text(), self.1.text(), self.2.text());
        for (index, part) in text.split(&*from).enumerate() {
            if index > 0 {
                out.write_str(&to)?;
            }
            out.write_str(part)?;
        }
        Ok(())
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint()
    }
}

/// `left ~ right`
#[derive(Debug, Clone, Copy)]
pub struct Concatenated<A, B>(pub A, pub B);

#[diagnostic::do_not_recommend]
impl<A: Print, B: Print> Print for Concatenated<A, B> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        self.0.print(out)?;
        self.1.print(out)
    }

    fn size_hint(&self) -> usize {
        self.0.size_hint() + self.1.size_hint()
    }
}

/// `a if condition else b`
#[derive(Debug, Clone, Copy)]
pub enum Either<A, B> {
    /// The condition holds.
    Left(A),
    /// The condition does not hold.
    Right(B),
}

#[diagnostic::do_not_recommend]
impl<A: Print, B: Print> Print for Either<A, B> {
    fn print<W: Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        match self {
            Self::Left(value) => value.print(out),
            Self::Right(value) => value.print(out),
        }
    }

    fn size_hint(&self) -> usize {
        match self {
            Self::Left(value) => value.size_hint(),
            Self::Right(value) => value.size_hint(),
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Left(value) => value.text(),
            Self::Right(value) => value.text(),
        }
    }

    fn is_null(&self) -> bool {
        match self {
            Self::Left(value) => value.is_null(),
            Self::Right(value) => value.is_null(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(value: impl Print) -> String {
        value.text().into_owned()
    }

    #[test]
    fn filters_print_as_the_engine_does() {
        assert_eq!(printed(Upper("straße")), "STRASSE");
        assert_eq!(printed(Lower("ΟΔΟΣ")), "ΟΔΟΣ".to_lowercase());
        assert_eq!(printed(Trim(" \n a\u{a0} ")), "a\u{a0}");
        assert_eq!(printed(OrElse(Some(None::<&str>), "x")), "x");
        assert_eq!(printed(OrElse(Some(""), "x")), "");
        assert_eq!(printed(OrElse(None::<&str>, 1)), "1");
        let list = vec![Some(1), None];
        assert_eq!(printed(join(Some(&list), ", ", |item| item)), "1, ");
        assert_eq!(printed(Replace("a-a", "a", 1)), "1-1");
        assert_eq!(printed(Replace("ab", "", "-")), "ab".replace("", "-"));
        assert_eq!(printed(OrElse(Some(Text(None::<i32>)), "x")), "");
        assert_eq!(printed(Upper(Trim(Concatenated(" a", 1.0)))), "A1");
    }
}
