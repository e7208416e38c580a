//! The files of a prompt's template, next to the prompt or in a folder that the host sets.
//!
//! Files that a template refers to become part of it, with their role markers, and are sent to the
//! model. So only files in one folder that were written as templates are allowed.
//!
//! A prompt may come from a stranger and choose the endpoint that its messages are sent to. Its
//! folder may also contain keys and configurations, so a file there needs the extension of a
//! template. A folder that the host sets as that of the templates contains nothing else, and any
//! extension is allowed. The name in the tag decides, not the name of a link's target, because some
//! systems mount the files of a folder as links to hidden files. The message for a name that is not
//! allowed must not depend on whether the file exists.

use std::path::{Path, PathBuf};

use super::assembler::Assembler;
use super::{Definition, inspect, role_loops};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceSpan, SourceText, suggest};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::files::{ReadError, Roots, Within, list_folder, read_text};
use prompty_template::assembly::{BrokenFile, Reason, Refusal, TemplateFile};
use prompty_template::jinja::assembly::{self, WhiteSpace};
use prompty_template::{Marking, Template, TemplateCache, handlebars, mustache};

/// The default maximum length of a file.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of files that are searched for a similar name.
const MAX_ENTRIES: usize = 10_000;

/// The file extensions of templates and texts.
const TEMPLATE_ENDINGS: [&str; 12] = [
    "jinja", "jinja2", "j2", "njk", "nunjucks", "prompt", "prompty", "tmpl", "tpl", "md",
    "markdown", "txt",
];

/// The only folder that a template can read files from.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFolder {
    path: PathBuf,
    content: FolderContent,
    /// The path of the folder in messages.
    shown: String,
    max_bytes: usize,
}

/// The content of a folder. Hidden files are never templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderContent {
    /// Only templates, because the host set it as their folder.
    Templates,
    /// Templates and other files, such as the configuration of a program.
    AnyFiles,
}

impl TemplateFolder {
    /// A folder that the host sets as that of the templates. `shown` is its path in messages.
    pub fn new(path: impl Into<PathBuf>, shown: impl Into<String>) -> Self {
        let path = path.into();
        let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
        Self { path, content: FolderContent::Templates, shown: shown.into(), max_bytes: MAX_BYTES }
    }

    /// The folder of a prompt's file. The name of `source` is the file's path in messages.
    pub fn of_prompt(path: impl Into<PathBuf>, source: &SourceText) -> Self {
        let shown = source.name().rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        Self { content: FolderContent::AnyFiles, ..Self::new(path, shown) }
    }

    /// The reason why a file with this name is not allowed, even if it exists.
    fn reason_to_exclude(&self, name: &str) -> Option<Reason> {
        if name.split('/').any(|part| part.starts_with('.')) {
            return Some(Reason {
                message: format!("hidden file `{name}` cannot be a template"),
                help: "rename the file so that it does not begin with a dot".to_owned(),
            });
        }
        let ending = name.rsplit('/').next().and_then(|own| own.rsplit_once('.'));
        let ending = ending.map(|(_, ending)| ending.to_ascii_lowercase());
        let is_template = ending.is_some_and(|it| TEMPLATE_ENDINGS.contains(&it.as_str()));
        (self.content == FolderContent::AnyFiles && !is_template).then(|| Reason {
            message: format!("`{name}` does not have a template extension"),
            help: "use an extension such as `.jinja`, `.j2`, `.md` or `.txt`, or set a folder of \
                   templates, where files may have any name"
                .to_owned(),
        })
    }

    /// Returns the same folder with another limit on the length of a file.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The name of a file in a template, from its path in messages.
    pub fn name_of<'shown>(&self, shown: &'shown str) -> &'shown str {
        let folder = self.shown.trim_end_matches(['/', '\\']);
        let name = shown.strip_prefix(folder).unwrap_or(shown);
        name.trim_start_matches(['/', '\\'])
    }

    /// The path of a file in messages.
    fn shown_path(&self, name: &str) -> String {
        let folder = self.shown.trim_end_matches(['/', '\\']);
        if folder.is_empty() || folder == "." {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        }
    }

    /// The help for a file that does not exist.
    fn help_for_missing(&self) -> String {
        match self.shown.as_str() {
            "" | "." => "write names relative to the folder of the prompt".to_owned(),
            folder => format!("write names relative to the folder `{folder}`"),
        }
    }
}

/// The result of assembling the files of a template.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Assembly {
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that all places refer to.
    pub source: SourceText,
    /// The place of the template in the source.
    pub body: SourceSpan,
    /// Whether all files were found, so that the template can be parsed.
    pub is_complete: bool,
    /// The tree of the template, if assembling produced it.
    template: Option<Template>,
}

impl Assembly {
    /// Takes the tree of the template. `format` is its language.
    pub fn take_tree(&mut self, format: &str) -> TemplateCache {
        let text = self.body.text_in(self.source.text());
        let tree = text.zip(self.template.take());
        tree.map(|(text, tree)| TemplateCache::with_tree(format, text, tree)).unwrap_or_default()
    }

    /// The complete text and the place of the template in it.
    ///
    /// # Errors
    ///
    /// Returns the first error of the findings.
    pub fn into_source(self) -> Result<(SourceText, SourceSpan), Error> {
        if self.is_complete {
            return Ok((self.source, self.body));
        }
        let mut errors = self.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        let Some(finding) = errors.next() else {
            return Err(Error::new(ErrorKind::TemplateSyntax, "the template has no text"));
        };
        let kind = match finding.code {
            Code::MissingFile => ErrorKind::FileReference,
            Code::FrontMatter => ErrorKind::FrontMatter,
            _ => ErrorKind::TemplateSyntax,
        };
        Err(inspect::into_error(kind, finding, &self.source))
    }
}

/// Assembles the files of a template. `where_to_name` says where to name their folder: it is the
/// help if there is none.
#[doc(hidden)]
pub fn assemble_template(
    assembler: Assembler,
    source: &SourceText,
    body: SourceSpan,
    white_space: WhiteSpace,
    folder: Option<&TemplateFolder>,
    where_to_name: &str,
) -> Assembly {
    let mut reader = TemplateReader { folder, roots: None, files: Vec::new(), where_to_name };
    let mut load = |name: &str| reader.read(name);
    let assembled = match assembler {
        Assembler::Jinja => assembly::assemble(source, body, white_space, &mut load),
        Assembler::Mustache => mustache::assembly::assemble(source, body, &mut load),
        Assembler::Handlebars => handlebars::assembly::assemble(source, body, &mut load),
    };
    Assembly {
        files: reader.files,
        diagnostics: assembled.findings,
        source: assembled.source,
        body: assembled.body,
        is_complete: assembled.is_complete,
        template: assembled.template,
    }
}

impl Definition {
    /// Assembles the files of the template, and applies its options for white space. The source,
    /// the body and the instructions become those of the complete template. Lists that the template
    /// loops over only to write messages become threads.
    #[doc(hidden)]
    pub fn assemble(&mut self, folder: Option<&TemplateFolder>, where_to_name: &str) -> Assembly {
        let (source, body) = (&self.source, self.body);
        // A program may have replaced the instructions. Then they have no place in the source.
        let is_in_source = body.text_in(source.text()) == Some(self.instructions.as_str());
        let assembler = Assembler::of_format(&self.template.format).filter(|_| is_in_source);
        let Some(assembler) = assembler else {
            let (files, diagnostics) = (Vec::new(), Vec::new());
            let (source, template) = (source.clone(), None);
            return Assembly { files, diagnostics, source, body, is_complete: true, template };
        };
        let options = &mut self.template;
        let white_space = WhiteSpace {
            trim_blocks: std::mem::take(&mut options.trim_blocks),
            lstrip_blocks: std::mem::take(&mut options.lstrip_blocks),
        };
        let mut assembly =
            assemble_template(assembler, source, body, white_space, folder, where_to_name);
        self.source = assembly.source.clone();
        self.tree = assembly.take_tree(&self.template.format);
        if assembly.is_complete {
            let text = assembly.body.text_in(assembly.source.text());
            let text = text.unwrap_or_default();
            let text = match Marking::of_parser(&self.template.parser) {
                Marking::Text => text,
                _ => text.trim_end_matches('\n'),
            };
            self.body = SourceSpan::new(assembly.body.start, assembly.body.start + text.len());
            text.clone_into(&mut self.instructions);
        }
        if assembler == Assembler::Jinja {
            role_loops::declare_threads(self);
        }
        assembly
    }
}

/// Reads the files of a folder.
struct TemplateReader<'f> {
    folder: Option<&'f TemplateFolder>,
    /// The folder without links, once a file is read.
    roots: Option<Roots>,
    files: Vec<PathBuf>,
    where_to_name: &'f str,
}

impl TemplateReader<'_> {
    /// Reads the file that a tag of the template names.
    fn read(&mut self, name: &str) -> Result<TemplateFile, Refusal> {
        let Some(folder) = self.folder else {
            return Err(Refusal::NotRead(Reason {
                message: format!("cannot read `{name}`: this prompt has no folder of templates"),
                help: self.where_to_name.to_owned(),
            }));
        };
        let path = folder.path.join(name);
        if let Some(mut reason) = folder.reason_to_exclude(name) {
            if let Some(similar) = similar_file(folder, name, &path) {
                reason.help = help_of_similar(&similar);
            }
            return Err(Refusal::NotRead(reason));
        }
        let roots = self.roots.get_or_insert_with(|| Roots::new([&folder.path]));
        let text = read_text(&path, Within::Roots(roots), folder.max_bytes)
            .map_err(|cause| refusal(folder, name, &path, &cause))?;
        let source = SourceText::new(folder.shown_path(name), text).normalised();
        self.files.push(path);
        if !name.ends_with(".prompty") {
            let body = SourceSpan::new(0, source.text().len());
            return Ok(TemplateFile { source, body });
        }
        // Only the template of an included prompt is used, not its declarations.
        match inspect::parse_source(&source) {
            Ok(parsed) => Ok(TemplateFile { body: parsed.body, source }),
            Err(finding) => {
                Err(Refusal::Broken(Box::new(BrokenFile { source, finding: *finding })))
            }
        }
    }
}

/// The refusal of a file that cannot be read.
fn refusal(folder: &TemplateFolder, name: &str, path: &Path, cause: &ReadError) -> Refusal {
    let message = match cause {
        ReadError::OutsideOrMissing => format!("file `{}` not found", folder.shown_path(name)),
        cause => format!("cannot read `{}`: {cause}", folder.shown_path(name)),
    };
    let help = match similar_file(folder, name, path) {
        Some(similar) => help_of_similar(&similar),
        None => folder.help_for_missing(),
    };
    let reason = Reason { message, help };
    match cause {
        ReadError::OutsideOrMissing => Refusal::Missing(reason),
        _ => Refusal::NotRead(reason),
    }
}

fn help_of_similar(similar: &str) -> String {
    format!("a file with a similar name exists: `{similar}`")
}

/// A file with a similar name in the folder of the missing file.
fn similar_file(folder: &TemplateFolder, name: &str, path: &Path) -> Option<String> {
    let (parents, own_name) = name.rsplit_once('/').unwrap_or(("", name));
    // A name such as `../x` must not reveal the names outside of the folder.
    let parent = path.parent()?;
    if !parent.canonicalize().ok()?.starts_with(folder.path.canonicalize().ok()?) {
        return None;
    }
    let names = list_folder(parent, MAX_ENTRIES).ok()?.into_iter();
    let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    let names: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != own_name).collect();
    let found = suggest(own_name, &names)?;
    let found = if parents.is_empty() { found } else { format!("{parents}/{found}") };
    folder.reason_to_exclude(&found).is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{SourceText, TemplateFolder};

    #[test]
    fn a_prompt_with_a_windows_path_names_its_templates_without_the_folder() {
        for name in [r"C:\prompts\ask.prompty", r"\\server\prompts\ask.prompty"] {
            let folder = TemplateFolder::of_prompt("", &SourceText::new(name, ""));
            let shown = folder.shown_path("parts/rules.jinja");
            assert!(shown.ends_with("prompts/parts/rules.jinja"), "{shown}");
            assert_eq!(folder.name_of(&shown), "parts/rules.jinja");
        }
    }

    #[test]
    fn a_prompt_without_a_folder_names_its_templates_as_they_are() {
        let folder = TemplateFolder::of_prompt("", &SourceText::new("ask.prompty", ""));
        assert_eq!(folder.shown_path("rules.jinja"), "rules.jinja");
        assert_eq!(folder.name_of("rules.jinja"), "rules.jinja");
    }
}
