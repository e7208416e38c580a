//! Template languages: the trait of a language, and the tree that its parser creates.
//!
//! A [`Language`] needs to implement only its parser. It then has the same features as the built-in
//! languages: it is checked, no input can forge its roles, it renders to segments, and its errors
//! have places. Add it to a [`Registry`](crate::Registry) with
//! [`with_language`](crate::Registry::with_language).
//! [`CheckOptions::with_host`](crate::check::CheckOptions::with_host)`(&registry)` adds it to the
//! checker.

pub use prompty_template::{Language, SyntaxError, Template, tree};
