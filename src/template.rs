//! Template languages: the trait of a language, and the tree that it makes of a text.
//!
//! A [`Language`] that gives nothing but its parser is checked, has roles that no input can forge, renders
//! to segments, and tells places in its errors, as the built-in languages do. Add it to a
//! [`Registry`](crate::Registry) with
//! [`with_language`](crate::Registry::with_language). The checker knows it by
//! [`CheckOptions::with_host`](crate::check::CheckOptions::with_host)`(&registry)`.

pub use prompty_template::{Language, SyntaxError, Template, tree};
