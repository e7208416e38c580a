//! Python's format strings: `'%s of %d' % (a, b)` and `'{} {name:>8}'.format(a, name=b)`.
//!
//! `percent` and `braces` parse the two kinds of strings, `spec` parses format specifications,
//! `number` formats numbers, and `fill` inserts the values. The engines provide the values, their
//! conversion to strings, and the limits on work, with the trait [`Filler`].
//!
//! For example, [`fill_braces`] splits `'{name:>8}!'` into a placeholder and the text `!`. It asks
//! the engine for the value with [`Filler::by_name`], parses `>8` into a [`Spec`], and writes
//! spaces and the value's text.
//!
//! Apart from how an engine prints a value, the result is that of CPython, character by character.
//! A string that CPython rejects is an error. The only exception is `{:s}`, which also accepts a
//! number.

mod braces;
mod error;
mod fill;
mod number;
mod percent;
mod spec;

pub use braces::{
    BracePiece, BracePlace, Conversion, Field, FieldPath, FieldRoot, SpecSource, Step, brace_pieces,
};
pub use error::FormatError;
pub use fill::{Filler, Subject, fill_braces, fill_percent};
pub use percent::{PercentPiece, percent_pieces};
pub use spec::Spec;
