//! What kinds of findings there are, and how grave each is.

use std::fmt;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Worth mending; the prompt still works.
    Warning,
    /// The prompt does not work, or not as it reads.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// What kind of finding a diagnostic is. Its name, such as `unused_input`, is what
        /// `#[prompt(allow(...))]` takes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code there is, in the order of the guide's table (`checks.md`).
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name in snake case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// How grave it is unless the author says otherwise.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)+
                }
            }

            /// The first line of its documentation.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+),)+
                }
            }
        }
    };
}

codes! {
    /// A file that the prompt needs cannot be read.
    MissingFile = "missing_file", Error;
    /// The front matter is not a YAML mapping.
    FrontMatter = "front_matter", Error;
    /// A front-matter key that the format does not have.
    UnknownKey = "unknown_key", Warning;
    /// A prompt in the first version of the format, which is read as what the second version has.
    FirstVersion = "first_version", Warning;
    /// A key or a name stands twice.
    Duplicate = "duplicate", Error;
    /// A kind that the format does not have.
    UnknownKind = "unknown_kind", Error;
    /// A front-matter value has another form than its key demands.
    WrongType = "wrong_type", Error;
    /// A default that is not of its input's kind.
    WrongDefault = "wrong_default", Error;
    /// A part of a JSON schema that no value is held to.
    UncheckedSchema = "unchecked_schema", Warning;
    /// A template format that no renderer is known for.
    UnknownFormat = "unknown_format", Error;
    /// A parser that is not known.
    UnknownParser = "unknown_parser", Error;
    /// The template's text cannot be parsed.
    TemplateSyntax = "template_syntax", Error;
    /// Braces of a template language that open no block, so that they are text.
    StrayBraces = "stray_braces", Error;
    /// A construct that cannot work in a prompt, such as `include`.
    UnsupportedConstruct = "unsupported_construct", Error;
    /// A name that is neither an input nor a variable of the template.
    UnknownInput = "unknown_input", Error;
    /// An attribute that the value does not have.
    UnknownAttribute = "unknown_attribute", Error;
    /// A filter that does not exist.
    UnknownFilter = "unknown_filter", Error;
    /// A test that does not exist.
    UnknownTest = "unknown_test", Error;
    /// A function that does not exist.
    UnknownFunction = "unknown_function", Error;
    /// A filter, loop or operator on a value of the wrong type.
    WrongValue = "wrong_value", Error;
    /// Too many, too few or unknown arguments.
    WrongArguments = "wrong_arguments", Error;
    /// An optional input is used with no guard and no default.
    UnguardedOptional = "unguarded_optional", Error;
    /// A thread, image, file or audio stands where only its own place in the text works.
    MisplacedRich = "misplaced_rich", Error;
    /// A line that is almost a role marker.
    NearMarker = "near_marker", Error;
    /// A role marker that an expression makes, so that it is text.
    MadeMarker = "made_marker", Error;
    /// A role marker that a tag breaks, so that it is not alone on its line.
    BrokenMarker = "broken_marker", Error;
    /// Text before the first role marker.
    LeadingText = "leading_text", Warning;
    /// The same role twice in a row, with nothing in the first.
    EmptyMessage = "empty_message", Warning;
    /// Text that is never written, because its file extends another and the text is in no block.
    DroppedText = "dropped_text", Warning;
    /// Prose that looks like a role marker with its text on the same line.
    MarkerProse = "marker_prose", Warning;
    /// A message tag that is not closed, in the wrong place or without a role.
    MessageTag = "message_tag", Error;
    /// A role that messages do not have.
    UnknownRole = "unknown_role", Error;
    /// Text outside of messages, in a prompt whose messages are tags.
    TextOutsideMessages = "text_outside_messages", Error;
    /// An element that is text, and almost a message tag.
    AlmostTag = "almost_tag", Warning;
    /// Messages are marked in a way that the prompt's parser does not read.
    OtherMarks = "other_marks", Warning;
    /// An input that the template never uses.
    UnusedInput = "unused_input", Warning;
    /// An output that nothing tells the model: neither the template nor a schema.
    UntoldOutput = "untold_output", Warning;
    /// A struct or a declaration that cannot be a prompt.
    Declaration = "declaration", Error;
}

impl Code {
    /// The code of a name such as `unused_input`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
