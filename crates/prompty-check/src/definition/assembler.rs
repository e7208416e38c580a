//! What puts the files of a template together, by its format.

/// The languages whose templates may have several files.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assembler {
    Jinja,
    Mustache,
    Handlebars,
}

impl Assembler {
    /// What puts the files of a template in this format together.
    pub fn of_format(format: &str) -> Option<Self> {
        match format {
            "mustache" => Some(Self::Mustache),
            "handlebars" => Some(Self::Handlebars),
            // What Nunjucks has in common with Jinja2, a prompt may use.
            "jinja2" | "nunjucks" => Some(Self::Jinja),
            _ => None,
        }
    }
}
