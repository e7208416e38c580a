//! Loading prompts: front matter, references, defaults (§2 and §4 of the Prompty
//! specification).
//!
//! A [`Definition`] is plain data: the typed front matter and the text of the template. It is
//! loaded from a path, from a text, or from a text in the program. Unknown keys are kept.
//!
//! ```
//! # use prompty_check as typed_prompty;
//! use typed_prompty::definition::Definition;
//!
//! let definition = Definition::from_text(
//!     "---\nname: greeting\ninputs:\n  who: World\n---\nuser:\nHello {{ who }}!\n",
//! )?;
//! assert_eq!(definition.name.as_deref(), Some("greeting"));
//! assert_eq!(definition.inputs[0].value_type.name(), "string");
//! assert_eq!(definition.instructions, "user:\nHello {{ who }}!");
//! # Ok::<(), prompty_core::Error>(())
//! ```
//!
//! The typed parts are structs and enums of this module. An [`Input`] has a [`ValueType`], and a
//! [`Model`] has a [`Connection`] and [`ModelOptions`]. A [`ToolDefinition`] has a [`ToolKind`] and
//! [`Binding`]s.
//!
//! ```
//! # use prompty_check as typed_prompty;
//! use typed_prompty::definition::{Definition, LoadOptions, ToolKind, ValueType};
//!
//! let text = "---
//! model:
//!   id: small
//!   connection: {kind: key, endpoint: 'https://models.example.com', apiKey: '${env:KEY}'}
//!   options: {temperature: 0.5}
//! inputs:
//!   - {name: question, kind: string}
//! tools:
//!   - name: get_weather
//!     parameters: [{name: city, kind: string}, {name: user, kind: string}]
//!     bindings: {user: {input: question}}
//! template: {format: {kind: jinja2, strict: true}}
//! ---
//! user:
//! {{ question }}";
//! let options = LoadOptions::new()
//!     .with_environment([("KEY", "secret")])
//!     .with_trusted_endpoint("https://models.example.com");
//! let definition = Definition::from_text_with("ask.prompty", text, &options)?;
//! assert_eq!(definition.inputs[0].value_type, ValueType::String);
//! assert!(definition.template.strict);
//! let tool = &definition.tools[0];
//! assert!(matches!(&tool.kind, ToolKind::Function { parameters, .. } if parameters.len() == 2));
//! assert_eq!(tool.bindings[0].input.as_deref(), Some("question"));
//! let model = definition.model.expect("the front matter has a model");
//! assert_eq!(model.options.and_then(|options| options.temperature), Some(0.5));
//! assert_eq!(model.connection.and_then(|it| it.api_key).as_deref(), Some("secret"));
//! # Ok::<(), prompty_core::Error>(())
//! ```

// The steps of loading are in `load`. `front_matter` splits the source, `yaml` parses the front
// matter into a tree of `node`s, and `load` replaces its references. `first_version` and
// `semantic_kernel` convert other formats, `build` builds the definition from the tree, and
// `templates` reads the files of the template. `inspect` reads a front matter without resolving
// references, and reports all mistakes.
mod assembler;
mod build;
mod doubts;
mod first_version;
mod front_matter;
mod function;
mod host;
mod input;
mod inspect;
mod json;
mod load;
mod model;
mod node;
mod outputs;
mod parts_with_roles;
mod print;
mod reference;
mod role_loops;
mod scalar;
mod schema_kinds;
mod semantic_kernel;
mod templates;
mod tool;
mod yaml;

#[doc(hidden)]
pub use assembler::Assembler;
#[doc(hidden)]
pub use doubts::Doubts;
pub use first_version::migrate;
pub use input::{Input, Presence, ValueType};
pub(crate) use inspect::into_error;
#[doc(hidden)]
pub use inspect::{Inspection, inspect};
pub use load::LoadOptions;
pub use model::{Connection, Model, ModelOptions};
pub(crate) use outputs::findings as output_findings;
#[doc(hidden)]
pub use reference::is_reference;
#[doc(hidden)]
pub use schema_kinds::restricts_beyond_kind;
pub(crate) use semantic_kernel::is_configuration;
#[doc(hidden)]
pub use templates::{Assembly, TemplateFolder, assemble_template};
pub use tool::{Binding, ToolDefinition, ToolKind};

use std::fmt;
use std::sync::Arc;

use self::host::{DebugFields, HostParts};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::message::Role;
use prompty_core::trace::HiddenTexts;
use prompty_core::value::Map;
use prompty_template::{SyntaxError, TEXT, Template, TemplateCache, built_in};

/// A loaded prompt.
///
/// `Debug` hides credentials, the source, and values of `${env:…}` and `${file:…}`.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Definition {
    /// The prompt's name.
    pub name: Option<String>,
    /// The name for people.
    pub display_name: Option<String>,
    /// The description of the prompt's purpose.
    pub description: Option<String>,
    /// Metadata of any form.
    pub metadata: Map,
    /// The model and how to reach it.
    pub model: Option<Model>,
    /// The declared inputs, in order.
    pub inputs: Vec<Input>,
    /// The declared outputs, in order.
    pub outputs: Vec<Input>,
    /// The name of the Rust type that replaces the outputs: `outputs: Ticket`. This form is an
    /// extension of the format, and only works if the program has the type.
    pub output_type: Option<String>,
    /// The span of the type's name in the source.
    pub output_type_span: Option<SourceSpan>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDefinition>,
    /// How the template is rendered and parsed.
    pub template: TemplateOptions,
    /// The top-level keys that the format does not define.
    pub unknown: Map,
    /// The template's text, without the newlines at its end, unless it is a text prompt. It contains
    /// the files that the template includes, imports or extends.
    pub instructions: String,
    /// The complete source of the definition. Other template files have places in their own text.
    pub source: SourceText,
    /// The span of [`Definition::instructions`] in the source.
    pub body: SourceSpan,
    /// The parts of the fields that came from the host. `Debug` hides them.
    host: HostParts,
    /// The texts that came from the host. They are hidden in errors and spans about the prompt.
    #[doc(hidden)]
    pub hidden: HiddenTexts,
    /// The tree of the template.
    #[doc(hidden)]
    pub tree: TemplateCache,
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DebugFields::new(f, "Definition", &self.host)
            .field("name", "name", &self.name)
            .field("display_name", "displayName", &self.display_name)
            .field("description", "description", &self.description)
            .entries("metadata", "metadata", &self.metadata)
            .shown_as_is("model", &self.model)
            .shown_as_is("inputs", &self.inputs)
            .shown_as_is("outputs", &self.outputs)
            .field("output_type", "outputs", &self.output_type)
            .shown_as_is("output_type_span", &self.output_type_span)
            .shown_as_is("tools", &self.tools)
            .shown_as_is("template", &self.template)
            .unknown(&self.unknown)
            .shown_as_is("instructions", &self.instructions)
            .shown_as_is("source", &self.source.name())
            .shown_as_is("body", &self.body)
            .finish()
    }
}

impl Definition {
    /// The tree of the template with this text; `None` if its language is not built in.
    pub(crate) fn parse_template(&self, text: &str) -> Option<Result<Arc<Template>, SyntaxError>> {
        self.tree.parse(&self.template.format, text)
    }

    /// Makes the prompt a text prompt. The line breaks at the end of its template are then part of
    /// the text, except those that its language drops.
    #[doc(hidden)]
    pub fn make_text(&mut self) {
        self.template.parser = TEXT.to_owned();
        if self.body.text_in(self.source.text()) == Some(self.instructions.as_str()) {
            self.body = text_body(&self.source, self.body, &self.template.format);
            let text = self.body.text_in(self.source.text()).unwrap_or_default();
            text.clone_into(&mut self.instructions);
        }
    }

    /// The declared input with a name.
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == name)
    }
}

/// The body of a text prompt in this template format, from the body of the prompt in its source.
#[doc(hidden)]
pub fn text_body(source: &SourceText, body: SourceSpan, format: &str) -> SourceSpan {
    let drops_last = built_in(format).is_some_and(|language| language.drops_last_line_break());
    front_matter::body_of_text(source.text(), body, drops_last)
}

/// How a template is rendered and parsed (Prompty §2.8).
///
/// `Debug` hides what came from `${env:…}` and `${file:…}`.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct TemplateOptions {
    /// The template language: `jinja2` unless the file says otherwise.
    pub format: String,
    /// The span of the format's name in the source.
    pub format_span: Option<SourceSpan>,
    /// Whether a line of an input that looks like a role marker is an error. If not, the line is
    /// plain text. It never begins a message in either case.
    pub strict: bool,
    /// Whether a block tag removes the line break after it, like Jinja2's option of that name.
    /// Loading applies the option and sets it to `false`.
    pub trim_blocks: bool,
    /// Whether a block tag removes the white space before it on its line. Loading applies the
    /// option and sets it to `false`.
    pub lstrip_blocks: bool,
    /// The parser: `prompty` unless the file says otherwise.
    pub parser: String,
    /// The span of the parser's name in the source.
    pub parser_span: Option<SourceSpan>,
    /// The role of the message of a template without role markers; `None` if the file does not set
    /// it.
    pub role: Option<Role>,
    /// Whether only line breaks of the template are removed at the ends of messages, and not those of
    /// inputs: `white_space: keep` in the file.
    pub keeps_white_space: bool,
    /// Further options of the format and the parser, under `format` and `parser`.
    pub unknown: Map,
    /// The parts of these fields that came from the host.
    host: HostParts,
}

impl fmt::Debug for TemplateOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DebugFields::new(f, "TemplateOptions", &self.host)
            .field("format", "format", &self.format)
            .shown_as_is("format_span", &self.format_span)
            .field("strict", "format", &self.strict)
            .field("trim_blocks", "format", &self.trim_blocks)
            .field("lstrip_blocks", "format", &self.lstrip_blocks)
            .field("parser", "parser", &self.parser)
            .shown_as_is("parser_span", &self.parser_span)
            .field("role", "parser", &self.role)
            .field("keeps_white_space", "parser", &self.keeps_white_space)
            .unknown(&self.unknown)
            .finish()
    }
}

impl Default for TemplateOptions {
    fn default() -> Self {
        Self {
            format: "jinja2".to_owned(),
            format_span: None,
            strict: false,
            trim_blocks: false,
            lstrip_blocks: false,
            parser: "prompty".to_owned(),
            parser_span: None,
            role: None,
            keeps_white_space: false,
            unknown: Map::new(),
            host: HostParts::None,
        }
    }
}
