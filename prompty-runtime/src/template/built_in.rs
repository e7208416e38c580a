//! The languages that are built in.

use super::Language;

/// The languages that are built in, by the kinds that prompts name, in the order in which help texts list
/// them.
pub(crate) const BUILT_IN: &[(&str, &dyn Language)] = &[
    #[cfg(any(feature = "jinja2", feature = "check"))]
    ("jinja2", &super::jinja::Jinja2),
    // What Nunjucks and Jinja2 have in common, a prompt may use.
    #[cfg(any(feature = "jinja2", feature = "check"))]
    ("nunjucks", &super::jinja::Jinja2),
    #[cfg(any(feature = "mustache", feature = "check"))]
    ("mustache", &super::mustache::Mustache),
    #[cfg(any(feature = "handlebars", feature = "check"))]
    ("handlebars", &super::handlebars::Handlebars),
    #[cfg(any(feature = "semantic-kernel", feature = "check"))]
    ("semantic-kernel", &super::semantic_kernel::SemanticKernel),
];

/// The built-in language of a kind, whether or not its engine is compiled in.
pub fn built_in(kind: &str) -> Option<&'static dyn Language> {
    BUILT_IN.iter().find(|(known, _)| *known == kind).map(|(_, language)| *language)
}

/// The kinds of the built-in languages.
pub fn built_in_kinds() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(kind, _)| *kind)
}
