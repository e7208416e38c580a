//! The options that a host sets when it loads a prompt.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::definition::templates::TemplateFolder;
use prompty_core::diagnostic::SourceText;
use prompty_template::jinja::assembly::WhiteSpace;

/// The environment variables, files and endpoints that a prompt may access while it is loaded.
///
/// By default, `${env:NAME}` reads the environment of the process, and `${file:path}` reads files
/// in the folder of the prompt. Only endpoints of well-known providers may receive the host's
/// credentials and values of its variables and files.
///
/// ```
/// # use prompty_check as typed_prompty;
/// use typed_prompty::definition::{Definition, LoadOptions};
///
/// let options = LoadOptions::new().with_environment([("MODEL", "gpt-4o")]).without_files();
/// let text = "---\nmodel: ${env:MODEL}\n---\nHi";
/// let definition = Definition::from_text_with("hi.prompty", text, &options)?;
/// assert_eq!(definition.model.and_then(|model| model.id).as_deref(), Some("gpt-4o"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct LoadOptions {
    pub(super) environment: Environment,
    pub(super) files: FileAccess,
    pub(super) roots: Vec<PathBuf>,
    pub(in super::super) base_directory: Option<PathBuf>,
    /// The folder of the templates, if it is not the prompt's.
    pub(super) templates: Option<PathBuf>,
    /// The options for white space around block tags, in addition to those of the prompt.
    pub(super) white_space: WhiteSpace,
    pub(super) trusted_endpoints: Vec<String>,
    pub(super) max_source_bytes: usize,
    pub(super) max_file_bytes: usize,
}

type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The source of environment variables.
#[derive(Clone)]
pub(super) enum Environment {
    Process,
    Lookup(Lookup),
    Refused,
}

/// Whether a prompt may refer to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileAccess {
    Allowed,
    Refused,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            environment: Environment::Process,
            files: FileAccess::Allowed,
            roots: Vec::new(),
            base_directory: None,
            templates: None,
            white_space: WhiteSpace::default(),
            trusted_endpoints: Vec::new(),
            max_source_bytes: 4 << 20,
            max_file_bytes: 1 << 20,
        }
    }
}

impl LoadOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads environment variables only from the given list.
    #[must_use]
    pub fn with_environment<K, V>(self, variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<String>,
        V: Into<String>,
    {
        let variables: HashMap<String, String> =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self.with_environment_from(move |name| variables.get(name).cloned())
    }

    /// Reads environment variables from a function, which may read a store of secrets.
    #[must_use]
    pub fn with_environment_from(
        mut self,
        lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.environment = Environment::Lookup(Arc::new(lookup));
        self
    }

    /// Reads no environment variables. A reference to one has its default as the value, or is an
    /// error without a default.
    #[must_use]
    pub fn without_environment(mut self) -> Self {
        self.environment = Environment::Refused;
        self
    }

    /// Makes every `${file:path}` an error, and every tag that includes, imports or extends a file.
    #[must_use]
    pub fn without_files(mut self) -> Self {
        self.files = FileAccess::Refused;
        self
    }

    /// Allows `${file:path}` to read files in this folder as well. A prompt cannot allow folders.
    #[must_use]
    pub fn with_root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.roots.push(folder.into());
        self
    }

    /// Sets the folder of the files that a template includes, imports or extends. The default is
    /// the folder of the prompt. A template cannot read files elsewhere.
    ///
    /// ```no_run
    /// # use prompty_check as typed_prompty;
    /// use typed_prompty::definition::{Definition, LoadOptions};
    ///
    /// let options = LoadOptions::new().with_templates("prompts/parts");
    /// let definition = Definition::from_path_with("prompts/support.prompty", &options)?;
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_templates(mut self, folder: impl Into<PathBuf>) -> Self {
        self.templates = Some(folder.into());
        self
    }

    /// Makes block tags remove the line break after them, as if each prompt had the option
    /// `template: {format: {kind: jinja2, trim_blocks: true}}`.
    #[must_use]
    pub fn with_trim_blocks(mut self) -> Self {
        self.white_space.trim_blocks = true;
        self
    }

    /// Makes block tags remove the white space before them on their line (`lstrip_blocks`).
    #[must_use]
    pub fn with_lstrip_blocks(mut self) -> Self {
        self.white_space.lstrip_blocks = true;
        self
    }

    /// Sets the base folder of `${file:path}` and of the template's files, for a prompt that is
    /// loaded from a text. Without it, such a prompt cannot refer to files.
    #[must_use]
    pub fn with_base_directory(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base_directory = Some(folder.into());
        self
    }

    /// Trusts an origin, such as `https://proxy.example.com` or `https://*.example.com`. Prompts
    /// may send the host's credentials and values of `${env:…}` and `${file:…}` to it.
    ///
    /// The environment variable `PROMPTY_TRUSTED_ENDPOINTS` adds more origins, separated by commas.
    #[must_use]
    pub fn with_trusted_endpoint(mut self, origin: impl Into<String>) -> Self {
        self.trusted_endpoints.push(origin.into());
        self
    }

    /// Sets the maximum length of a prompt; the default is 4 MiB.
    #[must_use]
    pub fn with_max_source_bytes(mut self, bytes: usize) -> Self {
        self.max_source_bytes = bytes;
        self
    }

    /// Sets the maximum length of a referenced file; the default is 1 MiB.
    #[must_use]
    pub fn with_max_file_bytes(mut self, bytes: usize) -> Self {
        self.max_file_bytes = bytes;
        self
    }

    /// The folder of the template's files, for a prompt in `folder`.
    pub(super) fn template_folder(
        &self,
        folder: Option<&Path>,
        source: &SourceText,
    ) -> Option<TemplateFolder> {
        if self.files == FileAccess::Refused {
            return None;
        }
        let found = match (&self.templates, folder) {
            (Some(named), _) => TemplateFolder::new(named, named.to_string_lossy()),
            (None, Some(folder)) => TemplateFolder::of_prompt(folder, source),
            (None, None) => return None,
        };
        Some(found.with_max_bytes(self.max_file_bytes))
    }

    pub(super) fn files_are_refused(&self) -> bool {
        self.files == FileAccess::Refused
    }

    /// The value of an environment variable, if it is set and may be read.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match &self.environment {
            Environment::Process => std::env::var(name).ok(),
            Environment::Lookup(lookup) => lookup(name),
            Environment::Refused => None,
        }
    }
}

impl fmt::Debug for LoadOptions {
    /// Shows the kind of the environment, but no variable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let environment = match self.environment {
            Environment::Process => "process",
            Environment::Lookup(_) => "lookup",
            Environment::Refused => "refused",
        };
        f.debug_struct("LoadOptions")
            .field("environment", &environment)
            .field("files", &self.files)
            .field("roots", &self.roots)
            .field("base_directory", &self.base_directory)
            .field("templates", &self.templates)
            .field("trusted_endpoints", &self.trusted_endpoints)
            .field("max_source_bytes", &self.max_source_bytes)
            .field("max_file_bytes", &self.max_file_bytes)
            .finish()
    }
}
