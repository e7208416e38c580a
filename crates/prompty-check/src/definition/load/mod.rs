//! Loads a definition from a file or a text, within the limits that the host sets (Prompty §4).

mod address;
mod files;
mod options;
mod resolve;
mod trust;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

pub use options::LoadOptions;
pub(super) use resolve::read_reference;

use self::resolve::ResolvedTree;
use super::build::{self, Context, References};
use super::inspect::{self, ParsedSource, into_error};
use super::node::Node;
use super::{Definition, first_version, role_loops, semantic_kernel};
use prompty_core::diagnostic::{Code, SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::files::{ReadError, Within, read_text};
use prompty_core::trace::span;

impl Definition {
    /// Loads a prompt from its file, with the defaults of [`LoadOptions`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, if its front matter has an error, if a
    /// reference cannot be resolved, or if an endpoint is not trusted.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_path_with(path, &LoadOptions::new())
    }

    /// Loads a prompt from its file. Paths in its file references are relative to the file's own
    /// folder. A file that ends in `.yaml`, `.yml` or `.json` is a prompt configuration of Semantic
    /// Kernel, and so is a folder with `config.json` and `skprompt.txt`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Definition::from_path`], and an error if a reference is not allowed.
    pub fn from_path_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = |path: &Path| read_text(path, Within::AnyFolder, options.max_source_bytes);
        // The older form of a Semantic Kernel configuration is a folder.
        let inside = path.join(semantic_kernel::CONFIGURATION_FILE);
        let (path, text) = match read(path) {
            Err(ReadError::Folder) => (&*inside, read(&inside)),
            text => (path, text),
        };
        let text = text.map_err(|cause| prompt_file_error(path, cause))?;
        let source = SourceText::new(path.to_string_lossy(), text);
        let folder = path.parent().unwrap_or(Path::new(""));
        load(source, options, Some(folder), TemplateFiles::ToRead)
    }

    /// Loads a prompt from its text, with default [`LoadOptions`]. It cannot refer to files.
    ///
    /// # Errors
    ///
    /// Returns an error if the front matter has an error, if a reference cannot be resolved, or if
    /// an endpoint is not trusted.
    pub fn from_text(text: impl Into<Arc<str>>) -> Result<Self, Error> {
        Self::from_text_with("<text>", text, &LoadOptions::new())
    }

    /// Loads a prompt from its text. Messages refer to the prompt by `name`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Definition::from_text`], and an error if a reference is not allowed.
    pub fn from_text_with(
        name: impl Into<Arc<str>>,
        text: impl Into<Arc<str>>,
        options: &LoadOptions,
    ) -> Result<Self, Error> {
        let source = SourceText::new(name, text);
        load(source, options, options.base_directory.as_deref(), TemplateFiles::ToRead)
    }

    /// Loads a prompt from a text that already contains its template's files.
    #[doc(hidden)]
    pub fn from_assembled(source: SourceText, options: &LoadOptions) -> Result<Self, Error> {
        load(source, options, options.base_directory.as_deref(), TemplateFiles::InTheText)
    }
}

/// The location of the files of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateFiles {
    /// They are in a folder, and must be read.
    ToRead,
    /// The text of the prompt already contains them.
    InTheText,
}

/// Loads a prompt: parses its source, resolves the references, converts a file of the first
/// version, builds the definition, checks the endpoints, and assembles the files of the template.
fn load(
    source: SourceText,
    options: &LoadOptions,
    folder: Option<&Path>,
    files: TemplateFiles,
) -> Result<Definition, Error> {
    if source.text().len() > options.max_source_bytes {
        return Err(too_large(source.name(), options.max_source_bytes));
    }
    span!("load", path = source.name());
    let source = match files {
        TemplateFiles::ToRead => as_prompt(source.normalised(), options, folder)?,
        TemplateFiles::InTheText => source.normalised(),
    };
    let ParsedSource { root, body, .. } = inspect::parse_source(&source)
        .map_err(|finding| into_error(ErrorKind::FrontMatter, &finding, &source))?;
    let root = first_version::with_sample_as_reference(&root);
    let resolved = resolve::resolve(&root, &source, options, folder)?;
    let ResolvedTree { root, hidden, references } = resolved;
    let root = first_version::convert(&root).map_or(root, |converted| converted.root);
    let mut definition = build_definition(&source, &root, body, &references)
        .and_then(|it| trust::check(&root, &source, options).map(|()| it))
        .map_err(|error| hidden.hide_error(error))?;
    definition.hidden = hidden.without(names_in_template(&definition));
    match files {
        TemplateFiles::ToRead => assemble_files(&mut definition, options, folder)?,
        TemplateFiles::InTheText => {
            // These options are already applied to the text.
            (definition.template.trim_blocks, definition.template.lstrip_blocks) = (false, false);
            role_loops::declare_threads(&mut definition);
        }
    }
    Ok(definition)
}

/// Builds the definition. Only a value of the wrong type is an error here. All other findings are
/// left to a check.
fn build_definition(
    source: &SourceText,
    root: &Node,
    body: SourceSpan,
    references: &HashMap<SourceSpan, String>,
) -> Result<Definition, Error> {
    let mut context = Context::new(source, References::Resolved);
    let definition = build::definition(&mut context, source, inspect::root_mapping(root), body);
    let (findings, _) = context.finish();
    let wrong = findings.into_iter().find(|finding| finding.code == Code::WrongType);
    let Some(mut wrong) = wrong else { return Ok(definition) };
    // A value that the host resolved has the span of its reference.
    if let Some(reference) = wrong.span.and_then(|span| references.get(&span)) {
        wrong.message.push_str(&format!(", from `{reference}`"));
    }
    Err(into_error(ErrorKind::FrontMatter, &wrong, source))
}

/// The text of a prompt. A Semantic Kernel configuration is converted.
fn as_prompt(
    source: SourceText,
    options: &LoadOptions,
    folder: Option<&Path>,
) -> Result<SourceText, Error> {
    if !semantic_kernel::is_configuration(source.name()) {
        return Ok(source);
    }
    let folder = folder.filter(|_| !options.files_are_refused());
    let template = folder.and_then(|folder| semantic_kernel::template_file(&source, folder));
    let template = template.as_ref().map(|(_, text)| text);
    match semantic_kernel::convert(&source, template) {
        Ok(converted) => Ok(converted.source),
        Err(finding) => Err(into_error(ErrorKind::FrontMatter, &finding, &source)),
    }
}

/// The help for a loaded prompt without a folder of templates.
const FOLDER_HELP: &str =
    "load the prompt from its path, or set the folder with `LoadOptions::with_templates`";

/// Assembles the files of the template. The options for white space of the host and of the prompt
/// both apply.
fn assemble_files(
    definition: &mut Definition,
    options: &LoadOptions,
    folder: Option<&Path>,
) -> Result<(), Error> {
    definition.template.trim_blocks |= options.white_space.trim_blocks;
    definition.template.lstrip_blocks |= options.white_space.lstrip_blocks;
    let folder = options.template_folder(folder, &definition.source);
    let refused = options.files_are_refused().then_some("the host does not allow files");
    let assembly = definition.assemble(folder.as_ref(), refused.unwrap_or(FOLDER_HELP));
    assembly.into_source().map(|_| ()).map_err(|error| definition.hidden.hide_error(error))
}

fn prompt_file_error(path: &Path, cause: ReadError) -> Error {
    let path = path.display();
    let error = |message: String| Error::new(ErrorKind::FileNotFound, message);
    match cause {
        ReadError::TooLong(limit) => too_large(&path.to_string(), limit),
        ReadError::NotText => error(format!("the prompt file `{path}` is not UTF-8 text"))
            .with_help("save it as UTF-8"),
        ReadError::Folder | ReadError::NotRegular => error(format!("`{path}` is not a file"))
            .with_help("pass the path of a file, not of a folder"),
        cause => {
            let missing = error(format!("prompt file `{path}` not found"))
                .with_help("check the path; a relative path begins at the current folder");
            let unreadable = error(format!("cannot read the prompt file `{path}`: {cause}"))
                .with_help("check that the program may read it");
            let error = if cause.is_missing() { missing } else { unreadable };
            match cause.into_io() {
                Some(cause) => error.with_source(cause),
                None => error,
            }
        }
    }
}

fn too_large(name: &str, limit: usize) -> Error {
    Error::new(ErrorKind::Limit, format!("the prompt `{name}` is longer than {limit} bytes"))
        .with_help("shorten it, or raise `LoadOptions::with_max_source_bytes`")
}

/// The names of inputs that occur in the template. The author wrote such a name, even if a file of
/// the host declares the input. So it is not hidden in messages.
fn names_in_template(definition: &Definition) -> Vec<&str> {
    let is_part_of_name = |it: char| it.is_alphanumeric() || it == '_';
    let template = &definition.instructions;
    let words: HashSet<&str> = template.split(|it| !is_part_of_name(it)).collect();
    let names = definition.inputs.iter().map(|input| input.name.as_str());
    names.filter(|name| words.contains(name)).collect()
}
