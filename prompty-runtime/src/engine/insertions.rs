//! Splits the literal texts of a template at the places where a render inserts the nonce.
//!
//! The step engine writes the pieces of `user:\nHi` as the text `user[nonce=`, the nonce, and the
//! text `]:\nHi`. (The Jinja2 engine gets a changed text instead, see `jinja::instrument`.)

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::role_markers::syntax::Insertion;
use prompty_template::{Boundaries, SyntaxError};

/// A part of a literal text, as a render writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LiteralPiece {
    Text(Box<str>),
    /// The digits of the render's nonce.
    Nonce,
}

/// The insertions of a template. Each literal text takes the insertions inside its span, and the
/// texts may come in any order.
#[derive(Debug)]
pub(crate) struct PendingInsertions<'b> {
    insertions: &'b [Insertion],
    /// For each insertion, whether a literal text has taken it.
    is_taken: Vec<bool>,
}

impl<'b> PendingInsertions<'b> {
    pub(crate) fn new(boundaries: &'b Boundaries) -> Self {
        let insertions = boundaries.insertions.as_slice();
        Self { insertions, is_taken: vec![false; insertions.len()] }
    }

    /// Splits a literal text at its insertions. The first of two adjacent texts takes an insertion
    /// between them.
    pub(crate) fn cut(&mut self, text: &str, span: TemplateSpan) -> Vec<LiteralPiece> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut position = span.start;
        // Text that is not yet in `parts`. Adjacent texts become one part.
        let mut pending = String::new();
        let first = self.insertions.partition_point(|it| it.offset < span.start);
        let insertions = self.insertions.iter().zip(&mut self.is_taken).skip(first);
        for (insertion, is_taken) in insertions.take_while(|(it, _)| it.offset <= span.end) {
            if *is_taken {
                continue;
            }
            // An insertion outside of the text is left for `finish` to report.
            let length = insertion.offset.checked_sub(position);
            let Some((before, after)) = length.and_then(|length| rest.split_at_checked(length))
            else {
                continue;
            };
            *is_taken = true;
            pending.push_str(before);
            pending.push_str(insertion.before);
            parts.push(LiteralPiece::Text(std::mem::take(&mut pending).into()));
            parts.push(LiteralPiece::Nonce);
            pending.push_str(insertion.after);
            rest = after;
            position = insertion.offset;
        }
        pending.push_str(rest);
        if !pending.is_empty() {
            parts.push(LiteralPiece::Text(pending.into()));
        }
        parts
    }

    /// Checks that a literal text has taken each insertion.
    ///
    /// # Errors
    ///
    /// Returns an error if a message boundary would be lost. The tree then does not match the text.
    pub(crate) fn finish(self) -> Result<(), SyntaxError> {
        let mut left = self.insertions.iter().zip(&self.is_taken);
        let Some((lost, _)) = left.find(|(_, is_taken)| !**is_taken) else { return Ok(()) };
        let span = TemplateSpan::new(lost.offset, lost.offset);
        let error = SyntaxError::new(
            span,
            "the parser of this template format put a message boundary outside of literal text",
        );
        Err(error.with_help(
            "the language's parser must give each literal text its span in the template",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{LiteralPiece, PendingInsertions};
    use prompty_core::diagnostic::TemplateSpan;
    use prompty_template::Boundaries;
    use prompty_template::role_markers::syntax::Insertion;

    fn boundaries(offsets: &[usize]) -> Boundaries {
        let insertions = offsets.iter().map(|offset| Insertion::always(*offset, "<", ">"));
        let mut boundaries = Boundaries::default();
        boundaries.insertions.extend(insertions);
        boundaries
    }

    fn written(parts: &[LiteralPiece]) -> String {
        let part = |part: &LiteralPiece| match part {
            LiteralPiece::Text(text) => text.to_string(),
            LiteralPiece::Nonce => "N".to_owned(),
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn each_text_takes_the_insertions_inside_it_once_in_any_order() {
        let boundaries = boundaries(&[1, 3, 5]);
        let mut insertions = PendingInsertions::new(&boundaries);
        assert_eq!(written(&insertions.cut("de", TemplateSpan::new(3, 5))), "<N>de<N>");
        assert_eq!(written(&insertions.cut("abc", TemplateSpan::new(0, 3))), "a<N>bc");
        assert_eq!(written(&insertions.cut("f", TemplateSpan::new(5, 6))), "f");
        assert_eq!(insertions.finish(), Ok(()));
    }

    #[test]
    fn an_insertion_outside_of_all_texts_is_an_error() {
        let boundaries = boundaries(&[1, 4]);
        let mut insertions = PendingInsertions::new(&boundaries);
        insertions.cut("ab", TemplateSpan::new(0, 2));
        assert_eq!(insertions.finish().unwrap_err().span, TemplateSpan::new(4, 4));
    }
}
