//! The languages that are built in.

use crate::Language;

/// The languages that are built in, by the kinds that prompts name, in the order in which help texts list
/// them.
const BUILT_IN: &[(&str, &dyn Language)] = &[
    ("jinja2", &crate::jinja::Jinja2),
    // What Nunjucks and Jinja2 have in common, a prompt may use.
    ("nunjucks", &crate::jinja::Jinja2),
    ("mustache", &crate::mustache::Mustache),
    ("handlebars", &crate::handlebars::Handlebars),
    ("semantic-kernel", &crate::semantic_kernel::SemanticKernel),
];

/// The built-in language of a kind. Whether the program has its engine is up to the registry.
pub fn built_in(kind: &str) -> Option<&'static dyn Language> {
    BUILT_IN.iter().find(|(known, _)| *known == kind).map(|(_, language)| *language)
}

/// The kinds of the built-in languages.
pub fn built_in_kinds() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(kind, _)| *kind)
}
