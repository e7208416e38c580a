//! Texts with places for values, as Python fills them: `'%s of %d' % (a, b)` and
//! `'{} {name:>8}'.format(a, name=b)`.
//!
//! `percent` and `braces` read the two kinds of text, `spec` what stands in a place, `number` says what a
//! number looks like there, and `fill` puts the values in. What values there are, what they look like
//! elsewhere, and what all that costs, is the engines' to say, by [`Filler`].

mod braces;
mod fill;
mod number;
mod percent;
mod spec;
mod wrong;

pub use braces::{BracePiece, BracePlace, Conversion, Field, Form, Path, Root, Step, brace_pieces};
pub use fill::{Filler, Subject, fill_braces, fill_percent};
pub use percent::{PercentPiece, percent_pieces};
pub use spec::Spec;
pub use wrong::Wrong;
