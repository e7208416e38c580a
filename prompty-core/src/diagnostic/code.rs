//! The codes of diagnostics, and their default severities.

use std::fmt;

/// How severe a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The prompt works, but should be fixed.
    Warning,
    /// The prompt does not work, or does something other than it appears to.
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
        /// The kind of a diagnostic. `#[prompt(allow(...))]` takes its name (`unused_input`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// All codes, in the order of the guide's table (`checks.md`).
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name in snake case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The severity, unless the author sets another.
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
    /// A front-matter key that is not in the format.
    UnknownKey = "unknown_key", Warning;
    /// A prompt in the first version of the format, which is read as the second version.
    FirstVersion = "first_version", Warning;
    /// A key or a name that occurs twice.
    Duplicate = "duplicate", Error;
    /// A kind that is not in the format.
    UnknownKind = "unknown_kind", Error;
    /// A front-matter value of the wrong type for its key.
    WrongType = "wrong_type", Error;
    /// A default of another kind than its input.
    WrongDefault = "wrong_default", Error;
    /// A part of a JSON schema that is not checked.
    UncheckedSchema = "unchecked_schema", Warning;
    /// A template format without a known renderer.
    UnknownFormat = "unknown_format", Error;
    /// An unknown parser.
    UnknownParser = "unknown_parser", Error;
    /// The template's text cannot be parsed.
    TemplateSyntax = "template_syntax", Error;
    /// Braces of a template language that open no block and are therefore text.
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
    /// An optional input that is used without a guard or a default.
    UnguardedOptional = "unguarded_optional", Error;
    /// A thread, image, file or audio that is not written alone at its place in the text.
    MisplacedRich = "misplaced_rich", Error;
    /// A line that is almost a role marker.
    NearMarker = "near_marker", Error;
    /// A role marker that an expression writes, which makes it text.
    MadeMarker = "made_marker", Error;
    /// A role marker that is not alone on its line because of a tag.
    BrokenMarker = "broken_marker", Error;
    /// Text before the first role marker.
    LeadingText = "leading_text", Warning;
    /// A template without role markers, which becomes one system message.
    NoRoleMarker = "no_role_marker", Warning;
    /// Two consecutive markers of the same role, with nothing between them.
    EmptyMessage = "empty_message", Warning;
    /// Text outside of blocks in a file that extends another, which is never written.
    DroppedText = "dropped_text", Warning;
    /// Prose that looks like a role marker with its text on the same line.
    MarkerProse = "marker_prose", Warning;
    /// A message tag that is not closed, in the wrong place or without a role.
    MessageTag = "message_tag", Error;
    /// A role that messages cannot have.
    UnknownRole = "unknown_role", Error;
    /// Text outside of messages, in a prompt whose messages are tags.
    TextOutsideMessages = "text_outside_messages", Error;
    /// An element that is almost a message tag, but is text.
    AlmostTag = "almost_tag", Warning;
    /// Messages that are marked in a way that the prompt's parser does not read.
    OtherMarks = "other_marks", Warning;
    /// An input that the template never uses.
    UnusedInput = "unused_input", Warning;
    /// An output that neither the template nor a schema describes to the model.
    OutputNotDescribed = "untold_output", Warning;
    /// A struct or a declaration that cannot be a prompt.
    Declaration = "declaration", Error;
}

impl Code {
    /// The code with a name such as `unused_input`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
