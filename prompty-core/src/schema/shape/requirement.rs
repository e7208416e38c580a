//! The block of a prompt that says in which format and structure the model must answer.

use std::fmt;

use super::{Kind, OutputFormat, Shape};

/// The title of the block, unless another one is given.
const TITLE: &str = "OUTPUT REQUIREMENT";

/// What a prompt says of the answer that it asks for. `Display` writes the block with its last line break;
/// nothing where the format needs no words.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::schema::shape; }
/// use typed_prompty::shape::{Requirement, Shape};
///
/// let requirement = Requirement::of(Shape::object([("city", Shape::text())]));
/// assert_eq!(requirement.to_string(), r#"[OUTPUT REQUIREMENT]:
/// Data Format: JSON
/// Data Structure:
/// {
///   "city": <str>
/// }
///
/// "#);
/// assert_eq!(
///     Requirement::of(Shape::text()).to_string(),
///     "[OUTPUT REQUIREMENT]:\nData Format: markdown text\n",
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    shape: Shape,
    format: OutputFormat,
    title: String,
    keys: Keys,
}

/// Which keys an answer must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    AsShaped,
    AllAndNoOthers,
}

impl Requirement {
    /// What is asked of an output without another word of its format: see [`OutputFormat::of`]. A number, a
    /// truth value or any other value that has no structure is asked for as an object with the `value` and
    /// a `reply` in words.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        let format = OutputFormat::of(&shape);
        let shape = if shape.is_wrapped() { shape.with_reply() } else { shape };
        Self::new(shape, format)
    }

    /// The block without the line breaks at its end, as a template writes it.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::{Requirement, Shape};
    ///
    /// let text = Requirement::of(Shape::text()).in_template();
    /// assert_eq!(text, "[OUTPUT REQUIREMENT]:\nData Format: markdown text");
    /// ```
    #[must_use]
    pub fn in_template(&self) -> String {
        let mut text = self.to_string();
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    /// What is asked of an output in a format. The output is asked for as it is.
    #[must_use]
    pub fn new(shape: Shape, format: OutputFormat) -> Self {
        Self { shape, format, title: TITLE.to_owned(), keys: Keys::AsShaped }
    }

    /// The same with another title than `OUTPUT REQUIREMENT`.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same, and the model is told that all keys must be there and no others.
    #[must_use]
    pub fn with_all_keys(mut self) -> Self {
        self.keys = Keys::AllAndNoOthers;
        self
    }

    /// The shape of what is asked for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> &OutputFormat {
        &self.format
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = &self.title;
        match self.format {
            OutputFormat::Json => {
                writeln!(f, "[{title}]:\nData Format: JSON")?;
                if matches!(self.shape.kind, Kind::Text) {
                    writeln!(
                        f,
                        "Return one JSON string value with JSON quotation marks, not an object or array."
                    )?;
                }
                if self.keys == Keys::AllAndNoOthers {
                    writeln!(
                        f,
                        "Output Guarantee: STRICT structure\n\
                         All defined fields are required and extra fields are not allowed."
                    )?;
                }
                writeln!(f, "Data Structure:\n{}\n", self.shape.requirement())
            }
            OutputFormat::Markdown => writeln!(f, "[{title}]:\nData Format: markdown text"),
            OutputFormat::Text | OutputFormat::Named(_) => Ok(()),
        }
    }
}

impl Shape {
    /// Whether it is asked for inside of an object, since models answer better when they may say something:
    /// it has neither a structure nor words of its own.
    fn is_wrapped(&self) -> bool {
        if self.description.is_some() {
            return false;
        }
        match &self.kind {
            Kind::ListOf(_)
            | Kind::Tuple(_)
            | Kind::Object(_)
            | Kind::Recursive(..)
            | Kind::Text
            | Kind::Words(_) => false,
            Kind::OneOf(shapes) => shapes.iter().all(Self::is_wrapped_part),
            _ => true,
        }
    }

    fn is_wrapped_part(&self) -> bool {
        matches!(self.kind, Kind::Text) || self.is_wrapped()
    }

    /// The object with the value and a reply.
    fn with_reply(self) -> Self {
        let reply = Self::text().with_description("Reply according the result value");
        Self::object([("value", self), ("reply", reply)])
    }
}
