//! Texts that are written so that nothing in them is taken for markup: what stands for something else is
//! read as that.

use std::borrow::Cow;

use crate::format::Quoting;

impl Quoting {
    /// What a text stands for.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    #[expect(
        clippy::string_slice,
        reason = "`at` is from `char_indices`, and `from` is the end of an escape that is there"
    )]
    pub fn undone<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escapes.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut undone, mut from) = (String::new(), 0);
        let may_begin = |letter: char| self.escapes.iter().any(|it| it.written.starts_with(letter));
        for (at, _) in text.char_indices().filter(|(_, letter)| may_begin(*letter)) {
            if at < from {
                continue;
            }
            let here = self.escapes.iter().filter(|it| text[at..].starts_with(&*it.written));
            let longest = here.max_by_key(|it| it.written.len());
            if let Some(escape) = longest.filter(|it| !it.written.is_empty()) {
                undone.push_str(&text[from..at]);
                undone.push_str(&escape.meant);
                from = at + escape.written.len();
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        undone.push_str(&text[from..]);
        Cow::Owned(undone)
    }

    /// The start of a text that can be undone before more of it comes: its end may begin an escape.
    pub(crate) fn undoable<'t>(&self, text: &'t str) -> &'t str {
        if self.escapes.is_empty() {
            return text;
        }
        let begins = |rest: &str| self.escapes.iter().any(|it| it.written.starts_with(rest));
        let longest = self.escapes.iter().map(|it| it.written.len()).max().unwrap_or(1);
        let ends = text.char_indices().rev().filter_map(|(at, _)| text.split_at_checked(at));
        let ends = ends.take_while(|(_, end)| end.len() < longest);
        ends.filter(|(_, end)| begins(end)).last().map_or(text, |(start, _)| start)
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
        assert_eq!(whole, ["a", "a&x", "a", "a", "&", "&amp;"]);
    }
}
