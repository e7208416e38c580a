//! The Lark form, which llguidance takes.
//!
//! llguidance reads a text in two steps: a lexer cuts it into terminals, each as long as it can be,
//! and a parser takes these. A longest terminal can be the wrong one, where what follows would have
//! had to begin earlier. So the grammar is cut into terminals that are as large as can be (a whole
//! schema, where it does not contain itself), and wherever the longest could be wrong they are cut
//! smaller, down to single characters, for which it never is.

mod lexical;
mod shape;
mod words;
mod write;

use super::Grammar;

/// How often terminals are cut smaller before all of them are single characters.
const MOST_CUTS: usize = 16;

impl Grammar {
    /// The grammar in the Lark dialect of llguidance. It has rules and terminals of its own, and
    /// leaves nothing to `%json`, whose schemas mean something else.
    ///
    /// ```
    /// use prompty_model::reply::grammar::{Expression, GrammarBuilder};
    ///
    /// let mut builder = GrammarBuilder::new();
    /// let list = builder.reserve("list");
    /// let inner = Expression::sequence(["x".into(), list.into()]).optional();
    /// builder.define(list, Expression::sequence(["[".into(), inner, "]".into()]));
    /// assert_eq!(
    ///     builder.build(list)?.to_lark(),
    ///     "start: list\nlist: \"[\" (\"x\" list)? \"]\"\n",
    /// );
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn to_lark(&self) -> String {
        let mut cuts = shape::Cuts::default();
        for _ in 0..MOST_CUTS {
            let shaped = shape::Shaped::of(self, &cuts);
            match lexical::too_long(&shaped) {
                lexical::Lexing::Exact => return write::lark(self, &shaped),
                lexical::Lexing::TooLong(units) => cuts.add(&shaped, &units),
                lexical::Lexing::TooLarge(units) => {
                    if !cuts.open_large(self) {
                        cuts.add(&shaped, &units);
                    }
                }
                lexical::Lexing::TooMuch => break,
            }
        }
        cuts.all = true;
        write::lark(self, &shape::Shaped::of(self, &cuts))
    }
}
