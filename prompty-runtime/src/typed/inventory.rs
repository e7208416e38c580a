//! Lists the prompt types of a program.

use super::{StaticDefinition, StaticInput};

#[doc(hidden)]
pub use ::inventory::submit;

/// A prompt type of the program, listed by [`prompts`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ListedPrompt {
    /// The path of the type with its module, such as `shop::prompts::Support`.
    pub type_path: &'static str,
    /// The definition of the prompt.
    pub definition: StaticDefinition,
    /// The Rust file that declares the type, as it was passed to the compiler.
    pub rust_file: &'static str,
    /// The line in that file, counted from 1.
    pub rust_line: u32,
}

::inventory::collect!(ListedPrompt);

impl ListedPrompt {
    /// Makes an entry of the list. Generated code calls this.
    #[doc(hidden)]
    pub const fn new(
        type_path: &'static str,
        definition: StaticDefinition,
        rust_file: &'static str,
        rust_line: u32,
    ) -> Self {
        Self { type_path, definition, rust_file, rust_line }
    }

    /// The name of the prompt: the name in the front matter, or the name of the type without one.
    pub fn name(&self) -> &'static str {
        self.definition.name
    }

    /// The location of the template: `prompts/support.prompty`, or `src/main.rs:12` for a template
    /// in Rust code.
    pub fn source(&self) -> String {
        match self.definition.path {
            Some(path) => path.to_owned(),
            None => format!("{}:{}", self.rust_file, self.rust_line),
        }
    }

    /// The inputs, in the order of their declarations.
    pub fn inputs(&self) -> &'static [StaticInput] {
        self.definition.inputs
    }

    /// The template language: `jinja2`, `mustache`, or `turns` for messages with captures.
    pub fn format(&self) -> &'static str {
        self.definition.format
    }

    /// How the prompt is rendered: `compiled`, or ``engine, because of the filter `sort` ``.
    pub fn renders(&self) -> String {
        match self.definition.engine_because {
            None => "compiled".to_owned(),
            Some(reason) => format!("engine, because of {reason}"),
        }
    }
}

/// Lists all prompt types of the program and of its libraries, sorted by file and line.
///
/// The list contains every `prompt!` with a name and every `#[derive(Prompt)]`. A generic type
/// occurs once. A `prompt!` that is an expression is not listed. The
/// [`inventory`](https://docs.rs/inventory) crate collects the list before `main` begins; on a
/// platform that it does not support, the list is empty.
///
/// ```
/// # mod facade {
/// #     pub use prompty_runtime::typed::inventory;
/// # }
/// # use facade as typed_prompty;
/// for prompt in typed_prompty::inventory::prompts() {
///     println!("{} ({}): {}", prompt.name(), prompt.source(), prompt.renders());
/// }
/// ```
pub fn prompts() -> impl Iterator<Item = &'static ListedPrompt> {
    let mut all: Vec<&'static ListedPrompt> = ::inventory::iter::<ListedPrompt>().collect();
    all.sort_by_key(|it| (it.rust_file, it.rust_line, it.type_path));
    all.into_iter()
}
