//! Keeps the parsed tree of a template in a built-in language, so that it is parsed once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::{SyntaxError, Template, built_in};

/// The cached tree of one template. Loading, the checker and the engine of a prompt share it, so
/// the template is parsed by the first of them that needs the tree. Clones share the tree too.
#[derive(Clone, Default)]
pub struct TemplateCache(Arc<OnceLock<CachedTemplate>>);

/// A template's text with the result of parsing it.
struct CachedTemplate {
    kind: String,
    text: String,
    parsed: Result<Arc<Template>, SyntaxError>,
}

impl TemplateCache {
    /// Creates a cache that holds the tree of a text in the built-in language of a kind.
    pub fn with_tree(kind: &str, text: &str, tree: Template) -> Self {
        let parsed = Ok(Arc::new(tree));
        Self(Arc::new(
            CachedTemplate { kind: kind.to_owned(), text: text.to_owned(), parsed }.into(),
        ))
    }

    /// Returns the tree of a text in the built-in language of a kind, or `None` for an unknown
    /// kind. Only the first text is cached. A different text, such as that of a changed prompt, is
    /// parsed at each call.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use prompty_template::TemplateCache;
    ///
    /// let cache = TemplateCache::default();
    /// let first = cache.parse("jinja2", "Hi {{ name }}").expect("Jinja is built in")?;
    /// let again = cache.parse("jinja2", "Hi {{ name }}").expect("Jinja is built in")?;
    /// assert!(Arc::ptr_eq(&first, &again));
    /// assert!(cache.parse("jinja2", "Hi {{ name").expect("Jinja is built in").is_err());
    /// assert!(cache.parse("liquid", "Hi {{ name }}").is_none());
    /// # Ok::<(), prompty_template::SyntaxError>(())
    /// ```
    pub fn parse(&self, kind: &str, text: &str) -> Option<Result<Arc<Template>, SyntaxError>> {
        let language = built_in(kind)?;
        let parse = || language.parse(text).map(Arc::new);
        let cached = self.0.get_or_init(|| CachedTemplate {
            kind: kind.to_owned(),
            text: text.to_owned(),
            parsed: parse(),
        });
        let is_cached = cached.kind == kind && cached.text == text;
        Some(if is_cached { cached.parsed.clone() } else { parse() })
    }
}

/// Any two caches are equal, because their content follows from the prompt.
impl PartialEq for TemplateCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Omits the template, which may contain confidential text of the host.
impl fmt::Debug for TemplateCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemplateCache").finish_non_exhaustive()
    }
}
