//! The built-in template languages.

use crate::Language;

/// The built-in languages by the kind that a prompt names, in the order of the help texts.
const BUILT_IN: &[(&str, &dyn Language)] = &[
    ("jinja2", &crate::jinja::Jinja2),
    // A prompt may use the part of Nunjucks that Jinja2 has too.
    ("nunjucks", &crate::jinja::Jinja2),
    ("mustache", &crate::mustache::Mustache),
    ("handlebars", &crate::handlebars::Handlebars),
    ("semantic-kernel", &crate::semantic_kernel::SemanticKernel),
];

/// Returns the built-in language of a kind. The program may still lack its engine.
pub fn built_in(kind: &str) -> Option<&'static dyn Language> {
    BUILT_IN.iter().find(|(known, _)| *known == kind).map(|(_, language)| *language)
}

/// The kinds of the built-in languages.
pub fn built_in_kinds() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(kind, _)| *kind)
}
