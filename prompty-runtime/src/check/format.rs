//! The template languages that the checker reads.

/// A template language that the checker reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Jinja2.
    Jinja2,
    /// Mustache.
    Mustache,
}

impl Format {
    /// All formats, in the order in which help texts list them.
    pub const ALL: [Self; 2] = [Self::Jinja2, Self::Mustache];

    /// The name as a file gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jinja2 => "jinja2",
            Self::Mustache => "mustache",
        }
    }

    /// The format of a name. `nunjucks` is read as Jinja2: what the two have in common, it may use.
    pub fn from_name(name: &str) -> Option<Self> {
        if crate::definition::is_jinja(name) {
            return Some(Self::Jinja2);
        }
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
