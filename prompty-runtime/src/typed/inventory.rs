//! The list of a program's prompt types.

use super::{InputDeclaration, StaticDefinition};

#[doc(hidden)]
pub use ::inventory::submit;

/// A prompt type of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Listed {
    /// The type with its module, such as `shop::prompts::Support`.
    pub type_path: &'static str,
    /// What the prompt's source says.
    pub definition: StaticDefinition,
    /// The Rust file that declares the type, as the compiler was given it.
    pub rust_file: &'static str,
    /// The line in that file, from 1.
    pub rust_line: u32,
}

::inventory::collect!(Listed);

impl Listed {
    /// What generated code puts on the list.
    #[doc(hidden)]
    pub const fn new(
        type_path: &'static str,
        definition: StaticDefinition,
        rust_file: &'static str,
        rust_line: u32,
    ) -> Self {
        Self { type_path, definition, rust_file, rust_line }
    }

    /// The prompt's name: the front matter's, else the type's.
    pub fn name(&self) -> &'static str {
        self.definition.name
    }

    /// Where the template stands: `prompts/support.prompty`, or `src/main.rs:12` for one in the
    /// program.
    pub fn source(&self) -> String {
        match self.definition.path {
            Some(path) => path.to_owned(),
            None => format!("{}:{}", self.rust_file, self.rust_line),
        }
    }

    /// The inputs, in the order of their declarations.
    pub fn inputs(&self) -> &'static [InputDeclaration] {
        self.definition.inputs
    }

    /// The template language: `jinja2`, `mustache`, or `turns` for messages with captures.
    pub fn format(&self) -> &'static str {
        self.definition.format
    }

    /// How the messages come about: `compiled`, or `minijinja, because of the filter 'sort'`.
    pub fn renders(&self) -> String {
        match self.definition.engine_because {
            None => "compiled".to_owned(),
            Some(reason) => format!("minijinja, because of {reason}"),
        }
    }
}

/// All prompt types of the program and of the libraries that are linked into it, by file and line.
///
/// Every `prompt!` with a name and every `#[derive(Prompt)]` is listed, generic types too, each once;
/// messages that `prompt!` gives as an expression are none. The list is made before `main` begins,
/// by the [`inventory`](https://docs.rs/inventory) crate; where that does not know the platform, the
/// list is empty.
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
pub fn prompts() -> impl Iterator<Item = &'static Listed> {
    let mut all: Vec<&'static Listed> = ::inventory::iter::<Listed>().collect();
    all.sort_by_key(|it| (it.rust_file, it.rust_line, it.type_path));
    all.into_iter()
}
