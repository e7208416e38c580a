//! Selects the assembler of a template's files by the template's format.

/// The languages whose templates may have several files.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assembler {
    Jinja,
    Mustache,
    Handlebars,
}

impl Assembler {
    /// The assembler for templates in this format.
    pub fn of_format(format: &str) -> Option<Self> {
        match format {
            "mustache" => Some(Self::Mustache),
            "handlebars" => Some(Self::Handlebars),
            // A prompt may use the part of Nunjucks that Jinja2 has as well.
            "jinja2" | "nunjucks" => Some(Self::Jinja),
            _ => None,
        }
    }
}
