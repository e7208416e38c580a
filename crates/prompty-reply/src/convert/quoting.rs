//! Texts that are written so that nothing in them is taken for markup: what stands for something else is
//! read as that.

use std::borrow::Cow;

use crate::format::Quoting;
use prompty_core::text::slice;

impl Quoting {
    /// What a text stands for.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    pub fn undone<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escapes.is_empty() {
            return Cow::Borrowed(text);
        }
        if self.escapes.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut undone = String::new();
        let (mut from, mut at) = (0, 0);
        let may_begin = |letter: char| self.escapes.iter().any(|it| it.written.starts_with(letter));
        while let Some(next) = slice(text, at..).find(may_begin) {
            at += next;
            let rest = slice(text, at..);
            let here = self.escapes.iter().filter(|it| rest.starts_with(&*it.written));
            match here.max_by_key(|it| it.written.len()) {
                Some(escape) if !escape.written.is_empty() => {
                    undone.push_str(slice(text, from..at));
                    undone.push_str(&escape.meant);
                    at += escape.written.len();
                    from = at;
                }
                _ => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        undone.push_str(slice(text, from..));
        Cow::Owned(undone)
    }

    /// How much of a text can be undone before more of it comes: its end may begin an escape.
    pub(crate) fn undoable(&self, text: &str) -> usize {
        if self.escapes.is_empty() {
            return text.len();
        }
        let begins = |rest: &str| self.escapes.iter().any(|it| it.written.starts_with(rest));
        let longest = self.escapes.iter().map(|it| it.written.len()).max().unwrap_or(1);
        let ends = text.char_indices().rev().map(|(at, _)| at);
        let ends = ends.take_while(|at| text.len() - at < longest);
        ends.filter(|at| begins(slice(text, *at..))).last().unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Escape;

    fn of_markup() -> Quoting {
        let escape = |(written, meant): (&'static str, &'static str)| Escape {
            written: written.into(),
            meant: meant.into(),
        };
        let escapes = [("&amp;", "&"), ("&lt;", "<"), ("", "?")].map(escape).to_vec();
        Quoting { escapes: escapes.into(), ..Quoting::NONE }
    }

    #[test]
    fn each_escape_is_undone_once() {
        let quoting = of_markup();
        assert_eq!(quoting.undone("1 &lt; 2 &amp;lt; &gt; &"), "1 < 2 &lt; &gt; &");
    }

    #[test]
    fn what_may_begin_an_escape_waits() {
        let quoting = of_markup();
        let whole = ["a", "a&x", "a&", "a&am", "&&l", "&amp;"].map(|it| quoting.undoable(it));
        assert_eq!(whole, [1, 3, 1, 1, 1, 5]);
    }
}
