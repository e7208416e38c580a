//! The block of a prompt that describes the format and structure of the model's answer.

use std::fmt;

use super::{OutputFormat, Shape, ShapeKind};

/// The default title of the block.
const TITLE: &str = "OUTPUT REQUIREMENT";

/// The description of the answer in a prompt. `Display` writes the block with its last line break.
/// It writes nothing if the format needs no description.
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
    keys: KeyPolicy,
}

/// The keys that an answer must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyPolicy {
    /// Those that the shape shows. The block does not mention them.
    AsShaped,
    /// All of them and no others, as the block says.
    AllAndNoOthers,
}

impl Requirement {
    /// The requirement of an output in its default format; see [`OutputFormat::of`]. A value
    /// without a structure, such as a number, is requested in an object of `value` and `reply`.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        let format = OutputFormat::of(&shape);
        let shape = if shape.is_wrapped() { shape.with_reply() } else { shape };
        Self::new(shape, format)
    }

    /// The block without the line breaks at its end, for use in a template.
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

    /// The requirement of an output in a given format. The shape is not changed.
    #[must_use]
    pub fn new(shape: Shape, format: OutputFormat) -> Self {
        Self { shape, format, title: TITLE.to_owned(), keys: KeyPolicy::AsShaped }
    }

    /// The same requirement with another title than `OUTPUT REQUIREMENT`.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same requirement, which also states that exactly the defined keys are required.
    #[must_use]
    pub fn with_all_keys(mut self) -> Self {
        self.keys = KeyPolicy::AllAndNoOthers;
        self
    }

    /// The requested shape.
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
                if matches!(self.shape.kind, ShapeKind::Text) {
                    writeln!(
                        f,
                        "Return one JSON string value with JSON quotation marks, not an object or array."
                    )?;
                }
                if self.keys == KeyPolicy::AllAndNoOthers {
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
    /// Whether the value is requested inside of an object. Models answer better if they can add a
    /// reply to a value without a structure or a description: an integer is wrapped, an object is
    /// not, and `str | int` is wrapped because none of its parts has a structure.
    fn is_wrapped(&self) -> bool {
        if self.description.is_some() {
            return false;
        }
        match &self.kind {
            ShapeKind::ListOf(_)
            | ShapeKind::Tuple(_)
            | ShapeKind::Object(_)
            | ShapeKind::Recursive(..)
            | ShapeKind::Text
            | ShapeKind::Words(_) => false,
            ShapeKind::OneOf(shapes) => shapes.iter().all(Self::is_wrapped_part),
            _ => true,
        }
    }

    /// Whether a part of alternatives has no structure. Text alone needs no wrapper, but as a part
    /// it does not prevent one.
    fn is_wrapped_part(&self) -> bool {
        matches!(self.kind, ShapeKind::Text) || self.is_wrapped()
    }

    /// The object of the value and a reply.
    fn with_reply(self) -> Self {
        let reply = Self::text().with_description("Reply according the result value");
        Self::object([("value", self), ("reply", reply)])
    }
}
