//! Removal of the escapes of strings that are written so that nothing in them looks like markup.

use std::borrow::Cow;

use crate::format::Quoting;

impl Quoting {
    /// Removes the escapes from a text.
    ///
    /// For `prompty-chat`.
    #[doc(hidden)]
    #[expect(
        clippy::string_slice,
        reason = "`at` is from `char_indices`, and `from` is the end of an escape in the text"
    )]
    pub fn unescape<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escapes.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut unescaped, mut from) = (String::new(), 0);
        let may_begin =
            |character: char| self.escapes.iter().any(|it| it.written.starts_with(character));
        for (at, _) in text.char_indices().filter(|(_, character)| may_begin(*character)) {
            if at < from {
                continue;
            }
            let here = self.escapes.iter().filter(|it| text[at..].starts_with(&*it.written));
            let longest = here.max_by_key(|it| it.written.len());
            if let Some(escape) = longest.filter(|it| !it.written.is_empty()) {
                unescaped.push_str(&text[from..at]);
                unescaped.push_str(&escape.meant);
                from = at + escape.written.len();
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        unescaped.push_str(&text[from..]);
        Cow::Owned(unescaped)
    }

    /// The start of a text that can be unescaped before more text arrives. The rest may be the
    /// beginning of an escape: `a` of `a&am`, if `&amp;` is one.
    pub(crate) fn complete_prefix<'t>(&self, text: &'t str) -> &'t str {
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

    fn markup_quoting() -> Quoting {
        let escape = |(written, meant): (&'static str, &'static str)| Escape {
            written: written.into(),
            meant: meant.into(),
        };
        let escapes = [("&amp;", "&"), ("&lt;", "<"), ("", "?")].map(escape).to_vec();
        Quoting { escapes: escapes.into(), ..Quoting::NONE }
    }

    #[test]
    fn each_escape_is_removed_once() {
        let quoting = markup_quoting();
        assert_eq!(quoting.unescape("1 &lt; 2 &amp;lt; &gt; &"), "1 < 2 &lt; &gt; &");
    }

    #[test]
    fn possible_beginning_of_an_escape_waits() {
        let quoting = markup_quoting();
        let prefixes =
            ["a", "a&x", "a&", "a&am", "&&l", "&amp;"].map(|it| quoting.complete_prefix(it));
        assert_eq!(prefixes, ["a", "a&x", "a", "a", "&", "&amp;"]);
    }
}
