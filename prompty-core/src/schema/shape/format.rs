//! The formats of a model's answer.

use std::fmt;
use std::sync::Arc;

use super::{Shape, ShapeKind};
use crate::error::{Error, ErrorKind};

/// The format in which a model is asked to answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OutputFormat {
    /// JSON with the structure of a [`Shape`].
    Json,
    /// Text with Markdown. It is the default without an output.
    #[default]
    Markdown,
    /// Text. The prompt does not mention it.
    Text,
    /// A custom format, which the program itself describes to the model.
    Named(Arc<str>),
}

/// Formats of a newer release of Agently, the reference implementation. They are refused: as custom
/// formats, they would silently have no requirement in the prompt.
const NEWER: [&str; 5] = ["auto", "flat_markdown", "hybrid", "xml_field", "yaml_literal"];

impl OutputFormat {
    /// The default format of an output: Markdown for a string without a description and for words,
    /// JSON for everything else.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::{OutputFormat, Shape};
    ///
    /// assert_eq!(OutputFormat::of(&Shape::list_of(Shape::text())), OutputFormat::Json);
    /// assert_eq!(OutputFormat::of(&Shape::text()), OutputFormat::Markdown);
    /// assert_eq!(OutputFormat::of(&Shape::words("a poem")), OutputFormat::Markdown);
    /// // A described string is a structure: a string in JSON.
    /// assert_eq!(OutputFormat::of(&Shape::text().with_description("a poem")), OutputFormat::Json);
    /// ```
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        match shape.kind {
            _ if shape.description.is_some() => Self::Json,
            ShapeKind::Text | ShapeKind::Words(_) => Self::Markdown,
            _ => Self::Json,
        }
    }

    /// A format by its name. Unknown names are custom formats.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WrongInput`] for the formats of a newer release of the reference
    /// implementation: `flat_markdown`, `hybrid`, `xml_field`, `yaml_literal` and `auto`.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        Ok(match name {
            "json" => Self::Json,
            "markdown" => Self::Markdown,
            "text" => Self::Text,
            name if NEWER.contains(&name) => {
                let message = format!("the output format `{name}` is not supported");
                return Err(Error::new(ErrorKind::WrongInput, message)
                    .with_help("use `json`, `markdown` or `text`"));
            }
            name => Self::Named(name.into()),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Text => "text",
            Self::Named(name) => name,
        }
    }
}

impl fmt::Display for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
