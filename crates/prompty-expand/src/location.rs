//! The locations of tokens in the user's program, and the folders that paths are relative to.
//!
//! The compiler knows both. An editor does not know the file. Tests run without a compiler, so a
//! test sets the file (`tests::located`).

use std::path::PathBuf;

use proc_macro2::Span;
use syn::LitStr;

/// The source file of a span, as passed to rustc; `None` in editors.
pub(crate) fn local_file(span: Span) -> Option<PathBuf> {
    #[cfg(test)]
    if let Some(file) = tests::file() {
        return Some(file);
    }
    if !proc_macro::is_available() {
        return None;
    }
    span.unwrap().local_file().filter(|file| !file.as_os_str().is_empty())
}

/// The line and column at which a span begins, both counted from 1.
pub(crate) fn start_of(span: Span) -> Option<(usize, usize)> {
    #[cfg(test)]
    if tests::file().is_some() {
        let start = span.start();
        return Some((start.line, start.column + 1));
    }
    if !proc_macro::is_available() {
        return None;
    }
    let start = span.unwrap().start();
    Some((start.line(), start.column()))
}

/// The empty span at the beginning of a literal.
pub(crate) fn start_span(literal: &LitStr) -> Span {
    if proc_macro::is_available() {
        return literal.span().unwrap().start().into();
    }
    // Without a compiler, `proc_macro2`'s own implementation provides the span of this part.
    literal.token().subspan(0..0).unwrap_or_else(|| literal.span())
}

/// The folder of the package's `Cargo.toml`.
pub(crate) fn manifest() -> PathBuf {
    #[cfg(test)]
    if let Some(root) = tests::root() {
        return root;
    }
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
}

/// The folder in which the compiler runs.
pub(crate) fn working_folder() -> Option<PathBuf> {
    #[cfg(test)]
    if let Some(root) = tests::root() {
        return Some(root);
    }
    std::env::current_dir().ok()
}

/// A substitute for the compiler's knowledge of files, for tests.
#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::path::PathBuf;

    thread_local! {
        /// The file, relative to the folder in which the compiler would run, and that folder.
        static LOCATION: RefCell<Option<(PathBuf, PathBuf)>> = const { RefCell::new(None) };
    }

    /// Runs `test` with all tokens in `file`, which is relative to the package in the folder
    /// `root`.
    pub(crate) fn located<T>(file: PathBuf, root: PathBuf, test: impl FnOnce() -> T) -> T {
        LOCATION.set(Some((file, root)));
        let result = test();
        LOCATION.set(None);
        result
    }

    pub(super) fn file() -> Option<PathBuf> {
        LOCATION.with_borrow(|location| location.as_ref().map(|(file, _)| file.clone()))
    }

    pub(super) fn root() -> Option<PathBuf> {
        LOCATION.with_borrow(|location| location.as_ref().map(|(_, root)| root.clone()))
    }
}
