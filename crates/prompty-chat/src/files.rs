//! Reads the files that contain chat templates without compiling them: a file of Jinja, a
//! tokenizer's configuration, or a model's folder.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::special_tokens::SpecialTokens;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::files::{ReadError, Within, list_folder, read_text};
use prompty_core::value::internal::json::{self, Limits};
use prompty_core::value::{Map, Value};

/// The name of the template that is chosen by default.
pub(super) const DEFAULT: &str = "default";
/// The name of the template that is chosen by default if there are tools.
const TOOL_USE: &str = "tool_use";
/// The file with a checkpoint's special tokens.
const CONFIG: &str = "tokenizer_config.json";

/// The maximum length in bytes of all files of a model together. Configurations with tens of
/// thousands of added tokens have a few megabytes; templates are shorter.
const MAX_BYTES: usize = 16 << 20;
/// The maximum number of entries in the folder of additional templates.
const MAX_ENTRIES: usize = 1_000;
/// The maximum number of values in a configuration. Short values need more memory than their text.
const MAX_VALUES: usize = 1_000_000;

/// The content of a model's files that concerns its chat templates.
#[derive(Debug, Default)]
pub(super) struct TemplateFiles {
    pub(super) texts: Vec<TemplateText>,
    pub(super) tokens: SpecialTokens,
    pub(super) response_template: Option<Value>,
    /// All files that were read.
    pub(super) read: Vec<PathBuf>,
    /// The length of those files in bytes.
    bytes: usize,
}

/// A template's text and its name.
#[derive(Debug)]
pub(super) struct TemplateText {
    pub(super) name: String,
    pub(super) text: String,
    /// The file that contains only this text, if there is one.
    pub(super) file: Option<PathBuf>,
}

impl TemplateFiles {
    /// The templates in the text of a `tokenizer_config.json`.
    pub(super) fn from_config(json: &str) -> Result<Self, Error> {
        Self::default().with_config(&parse_config(json)?)
    }

    /// The templates at a path: a model's folder, a tokenizer's configuration or a file of Jinja.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Self::read_folder(path);
        }
        let mut files = Self::default();
        let text = files.read_file(path)?.ok_or_else(|| no_template(path))?;
        if path.extension().is_some_and(|extension| extension == "json") {
            return files.with_config(&parse_config(&text)?);
        }
        files.add(DEFAULT, text, Some(path));
        let config = files.read_config(&path.with_file_name(CONFIG))?;
        files.with_config(&config)
    }

    /// The templates in a model's folder.
    pub(super) fn read_folder(folder: &Path) -> Result<Self, Error> {
        let mut files = Self::default();
        let mut config = files.read_config(&folder.join(CONFIG))?;
        let (jinja, legacy) =
            (folder.join("chat_template.jinja"), folder.join("chat_template.json"));
        if let Some(text) = files.read_file(&jinja)? {
            files.add(DEFAULT, text, Some(&jinja));
        } else if let Some(template) = files.read_config(&legacy)?.get("chat_template") {
            config.insert("chat_template", template.clone());
        }
        files.add_folder(&folder.join("additional_chat_templates"))?;
        if files.texts.is_empty() && !config.contains_key("chat_template") {
            let message = format!("no chat template found in `{}`", folder.display());
            let help = "add `chat_template.jinja`, or the key `chat_template` in \
                        `tokenizer_config.json`";
            return Err(Error::new(ErrorKind::FileNotFound, message).with_help(help));
        }
        files.with_config(&config)
    }

    /// Adds the text of a template.
    fn add(&mut self, name: &str, text: String, file: Option<&Path>) {
        let (name, file) = (name.to_owned(), file.map(Path::to_owned));
        self.texts.push(TemplateText { name, text, file });
    }

    /// Reads the text of a file; `None` if the file does not exist.
    fn read_file(&mut self, file: &Path) -> Result<Option<String>, Error> {
        match read_text(file, Within::AnyFolder, MAX_BYTES.saturating_sub(self.bytes)) {
            Ok(text) => {
                self.bytes = self.bytes.saturating_add(text.len());
                self.read.push(file.to_owned());
                Ok(Some(text))
            }
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(unreadable(file, error)),
        }
    }

    /// Reads a configuration; empty if the file does not exist.
    fn read_config(&mut self, file: &Path) -> Result<Map, Error> {
        self.read_file(file)?.map_or_else(|| Ok(Map::new()), |json| parse_config(&json))
    }

    /// Adds the templates of a folder under the names of their files.
    fn add_folder(&mut self, folder: &Path) -> Result<(), Error> {
        let names = match list_folder(folder, MAX_ENTRIES) {
            Ok(names) => names,
            Err(error) if error.is_missing() => return Ok(()),
            Err(error) => return Err(unreadable(folder, error)),
        };
        let paths = names.iter().map(|name| folder.join(name));
        let paths = paths.filter(|it| it.extension().is_some_and(|extension| extension == "jinja"));
        for path in paths {
            let text = self.read_file(&path)?.ok_or_else(|| no_template(&path))?;
            let name = path.file_stem().and_then(OsStr::to_str).ok_or_else(|| bad_name(&path))?;
            self.add(name, text, Some(&path));
        }
        Ok(())
    }

    /// Adds the content of a configuration. If the default template has its own file, all templates
    /// of the configuration are ignored. Otherwise a template with its own file takes precedence
    /// over one of the same name.
    fn with_config(mut self, config: &Map) -> Result<Self, Error> {
        self.tokens = SpecialTokens::from_config(config);
        let response_keys = ["response_template", "response_schema"];
        let mut responses = response_keys.iter().filter_map(|name| config.get(name));
        self.response_template = responses.find(|it| !it.is_null()).cloned();
        if !self.texts.iter().any(|it| it.name == DEFAULT) {
            let with_files: HashSet<String> = self.texts.iter().map(|it| it.name.clone()).collect();
            let declared = declared_templates(config)?.into_iter();
            declared
                .filter(|(name, _)| !with_files.contains(*name))
                .for_each(|(name, text)| self.add(name, text.to_owned(), None));
        }
        if self.texts.is_empty() {
            let message = "this tokenizer configuration has no chat template";
            let help = "pass the text of the template to `ChatTemplate::from_text`";
            return Err(Error::new(ErrorKind::Conversion, message).with_help(help));
        }
        Ok(self)
    }
}

/// The templates in a configuration: a single one, or several with their names.
///
/// # Errors
///
/// Returns an error if one of them is not a text with a name, or if two have the same name.
fn declared_templates<'c>(config: &'c Map) -> Result<Vec<(&'c str, &'c str)>, Error> {
    let declared: Option<Vec<_>> = match config.get("chat_template") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![(DEFAULT, &**text)]),
        Some(Value::Array(items)) => {
            let named = |item: &'c Value| {
                Some((item.get("name")?.as_str()?, item.get("template")?.as_str()?))
            };
            items.iter().map(named).collect()
        }
        Some(Value::Object(map)) => {
            map.iter().map(|(name, text)| Some((name, text.as_str()?))).collect()
        }
        Some(_) => None,
    };
    let declared = declared.ok_or_else(|| {
        let message = "expected a string, or a list of templates with names, as `chat_template`";
        let help = "write each template as an object with the strings `name` and `template`";
        Error::new(ErrorKind::Conversion, message).with_help(help)
    })?;
    let mut names = HashSet::new();
    match declared.iter().find(|(name, _)| !names.insert(*name)) {
        None => Ok(declared),
        Some((name, _)) => {
            let message = format!("two chat templates have the name `{name}`");
            let help = "remove one of them from `chat_template`, or rename it";
            Err(Error::new(ErrorKind::Conversion, message).with_help(help))
        }
    }
}

fn no_template(path: &Path) -> Error {
    let message = format!("no chat template found at `{}`", path.display());
    Error::new(ErrorKind::FileNotFound, message)
        .with_help("pass the folder of a model, its `tokenizer_config.json` or a Jinja file")
}

/// The error for a file of an additional template whose name is not UTF-8.
fn bad_name(path: &Path) -> Error {
    let message = format!("the name of the chat template `{}` is not UTF-8", path.display());
    Error::new(ErrorKind::Conversion, message).with_help("rename the file")
}

/// The error for a file or folder that could not be read.
fn unreadable(path: &Path, error: ReadError) -> Error {
    let path = path.display();
    match error {
        ReadError::TooLong(_) => {
            let message = format!(
                "cannot read `{path}`: the files of the model are longer than {MAX_BYTES} bytes in \
                 total"
            );
            Error::new(ErrorKind::Limit, message)
                .with_help("pass a Jinja file that contains only the chat template")
        }
        ReadError::TooManyEntries(_) => {
            Error::new(ErrorKind::Limit, format!("cannot read `{path}`: {error}"))
                .with_help("remove unused files, or pass one Jinja file")
        }
        error => {
            let message = format!("cannot read `{path}`: {error}");
            Error::new(ErrorKind::FileNotFound, message).with_source(error)
        }
    }
}

fn parse_config(json: &str) -> Result<Map, Error> {
    // Some editors write a byte order mark at the start.
    let json = json.trim_start_matches('\u{feff}');
    let limits = Limits { values: MAX_VALUES, ..Limits::default() };
    match json::read(json, limits).map_err(|error| error.in_text(json))? {
        Value::Object(map) => Ok(map),
        other => {
            let message = format!(
                "expected an object as tokenizer configuration, found a value of type {}",
                other.kind_name()
            );
            Err(Error::new(ErrorKind::Conversion, message)
                .with_help("pass the content of `tokenizer_config.json`"))
        }
    }
}

/// The index of the template with a name. Without a name it is the one for tools, if there are
/// tools, or else the default, or else the only one.
pub(super) fn choose(names: &[&str], name: Option<&str>, has_tools: bool) -> Result<usize, Error> {
    let find = |name: &str| names.iter().position(|known| *known == name);
    let found = match name {
        Some(name) => find(name),
        None => {
            let for_tools = if has_tools { find(TOOL_USE) } else { None };
            for_tools.or_else(|| find(DEFAULT)).or((names.len() == 1).then_some(0))
        }
    };
    found.ok_or_else(|| {
        let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let help = format!("available templates: {}", quoted.join(", "));
        let error = match name {
            Some(name) => {
                Error::new(ErrorKind::WrongInput, format!("unknown chat template `{name}`"))
            }
            None => no_default(),
        };
        error.with_help(help)
    })
}

/// The error if no name was given and no template is the default.
pub(super) fn no_default() -> Error {
    Error::new(ErrorKind::WrongInput, "no default chat template found")
}
