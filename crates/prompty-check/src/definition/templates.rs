//! The files of a prompt's template: those beside the prompt, or in a folder that the host names.
//!
//! What a template names becomes a part of it, markers of roles included, and goes to the model. So the set of
//! files is closed, and holds only what somebody wrote as a template.

use std::path::{Path, PathBuf};

use super::assembler::Assembler;
use super::{Definition, inspect, role_loops};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceSpan, SourceText, suggest};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::files::{ReadError, Roots, Within, list_folder, read_text};
use prompty_template::assembly::{BrokenFile, Reason, Refusal, TemplateFile};
use prompty_template::jinja::assembly::{self, WhiteSpace};
use prompty_template::{Template, TemplateCache, handlebars, mustache};

/// The greatest length of a file where nobody sets another one.
const MAX_BYTES: usize = 1 << 20;
/// The greatest number of files among which a similar name is looked for.
const MAX_ENTRIES: usize = 10_000;

/// The endings of names that files have which somebody wrote as templates or as texts.
const TEMPLATE_ENDINGS: [&str; 12] = [
    "jinja", "jinja2", "j2", "njk", "nunjucks", "prompt", "prompty", "tmpl", "tpl", "md",
    "markdown", "txt",
];

/// The folder in which the files of a template are, and no others.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFolder {
    path: PathBuf,
    holds: Holds,
    /// How messages show it.
    shown: String,
    max_bytes: usize,
}

/// What a folder holds beside hidden files, which are no templates anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Templates alone: the host named it as their folder.
    Templates,
    /// Templates and all else that a program needs, such as its configuration.
    AnyFiles,
}

impl TemplateFolder {
    /// A folder that the host names as that of the templates, and how messages show it.
    pub fn new(path: impl Into<PathBuf>, shown: impl Into<String>) -> Self {
        let path = path.into();
        let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
        Self { path, holds: Holds::Templates, shown: shown.into(), max_bytes: MAX_BYTES }
    }

    /// The folder of a prompt's file, whose source has the name by which messages show the file.
    pub fn beside(path: impl Into<PathBuf>, source: &SourceText) -> Self {
        let shown = source.name().rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        Self { holds: Holds::AnyFiles, ..Self::new(path, shown) }
    }

    /// Why a file of this name is none of the set, whether or not it is there.
    fn excludes(&self, name: &str) -> Option<Reason> {
        if name.split('/').any(|part| part.starts_with('.')) {
            return Some(Reason {
                message: format!("`{name}` is hidden, and no hidden file is a template"),
                help: "give the file a name without a dot in front".to_owned(),
            });
        }
        let ending = name.rsplit('/').next().and_then(|own| own.rsplit_once('.'));
        let ending = ending.map(|(_, ending)| ending.to_ascii_lowercase());
        let is_template = ending.is_some_and(|it| TEMPLATE_ENDINGS.contains(&it.as_str()));
        (self.holds == Holds::AnyFiles && !is_template).then(|| Reason {
            message: format!("`{name}` does not have the name of a template"),
            help: "let it end in `.jinja`, `.j2`, `.md` or `.txt`; a folder that is named as that of the \
                   templates may hold files of other names"
                .to_owned(),
        })
    }

    /// The same folder with another limit on the length of a file.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The name by which a template asks for a file that messages show in this way.
    pub fn name_of<'shown>(&self, shown: &'shown str) -> &'shown str {
        let folder = self.shown.trim_end_matches(['/', '\\']);
        let name = shown.strip_prefix(folder).unwrap_or(shown);
        name.trim_start_matches(['/', '\\'])
    }

    /// How messages show a file of the folder.
    fn shown(&self, name: &str) -> String {
        let folder = self.shown.trim_end_matches(['/', '\\']);
        if folder.is_empty() || folder == "." {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        }
    }

    fn help(&self) -> String {
        match self.shown.as_str() {
            "" | "." => "names are relative to the folder of the prompt".to_owned(),
            folder => format!("names are relative to the folder `{folder}`"),
        }
    }
}

/// Whether a template has its files, and what is to be said.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Assembly {
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that all places refer to.
    pub source: SourceText,
    /// Where the template stands in it.
    pub body: SourceSpan,
    /// Whether the template can be read further.
    pub is_whole: bool,
    /// The tree of the template, where putting it together gave it.
    template: Option<Template>,
}

impl Assembly {
    /// The tree of the template, whose language is that of a format.
    pub fn take_tree(&mut self, format: &str) -> TemplateCache {
        let text = self.source.text().get(self.body.start..self.body.end);
        let tree = text.zip(self.template.take());
        tree.map(|(text, tree)| TemplateCache::with_tree(format, text, tree)).unwrap_or_default()
    }

    /// The whole text and the place of the template in it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn into_whole(self) -> Result<(SourceText, SourceSpan), Error> {
        if self.is_whole {
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
        let error = Error::new(kind, finding.message.clone());
        let error = match finding.span {
            Some(span) => error.with_place(self.source.place(span.start)),
            None => error,
        };
        Err(match finding.help.first() {
            Some(help) => error.with_help(help.clone()),
            None => error,
        })
    }
}

/// Puts the files of a template together. Without a folder, every file is missing, and `where_to_name` says
/// how to name one.
#[doc(hidden)]
pub fn assemble_template(
    assembler: Assembler,
    source: &SourceText,
    body: SourceSpan,
    white_space: WhiteSpace,
    folder: Option<&TemplateFolder>,
    where_to_name: &str,
) -> Assembly {
    let mut reader = Reader { folder, roots: None, files: Vec::new(), where_to_name };
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
        is_whole: assembled.is_whole,
        template: assembled.template,
    }
}

impl Definition {
    /// Puts the files of the template together, and carries out its options for white space. The source,
    /// its body and the instructions become those of the whole. Lists over which the whole loops only to
    /// write messages become threads.
    #[doc(hidden)]
    pub fn assemble(&mut self, folder: Option<&TemplateFolder>, where_to_name: &str) -> Assembly {
        let (source, body) = (&self.source, self.body);
        let is_own = source.text().get(body.start..body.end) == Some(self.instructions.as_str());
        let assembler = Assembler::of_format(&self.template.format).filter(|_| is_own);
        let Some(assembler) = assembler else {
            let (files, diagnostics) = (Vec::new(), Vec::new());
            let (source, template) = (source.clone(), None);
            return Assembly { files, diagnostics, source, body, is_whole: true, template };
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
        if assembly.is_whole {
            let text = assembly.source.text().get(assembly.body.start..assembly.body.end);
            let text = text.unwrap_or_default().trim_end_matches('\n');
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
struct Reader<'f> {
    folder: Option<&'f TemplateFolder>,
    /// The folder without links, once a file is read.
    roots: Option<Roots>,
    files: Vec<PathBuf>,
    where_to_name: &'f str,
}

impl Reader<'_> {
    fn read(&mut self, name: &str) -> Result<TemplateFile, Refusal> {
        let Some(folder) = self.folder else {
            return Err(Refusal::NotRead(Reason {
                message: format!("`{name}` cannot be read: this prompt has no folder of templates"),
                help: self.where_to_name.to_owned(),
            }));
        };
        let path = folder.path.join(name);
        if let Some(mut reason) = folder.excludes(name) {
            if let Some(similar) = similar(folder, name, &path) {
                reason.help = help_of_similar(&similar);
            }
            return Err(Refusal::NotRead(reason));
        }
        let roots = self.roots.get_or_insert_with(|| Roots::new([&folder.path]));
        let text = read_text(&path, Within::Roots(roots), folder.max_bytes)
            .map_err(|cause| refused(folder, name, &path, &cause))?;
        let source = SourceText::new(folder.shown(name), text).normalised();
        self.files.push(path);
        if !name.ends_with(".prompty") {
            let body = SourceSpan::new(0, source.text().len());
            return Ok(TemplateFile { source, body });
        }
        // A prompt that is included gives its template; what it declares is its own.
        match inspect::parse_source(&source) {
            Ok(parsed) => Ok(TemplateFile { body: parsed.body, source }),
            Err(finding) => {
                Err(Refusal::Broken(Box::new(BrokenFile { source, finding: *finding })))
            }
        }
    }
}

fn refused(folder: &TemplateFolder, name: &str, path: &Path, cause: &ReadError) -> Refusal {
    let message = match cause {
        ReadError::OutsideOrMissing => format!("there is no file `{}`", folder.shown(name)),
        cause => format!("`{}` cannot be read: {cause}", folder.shown(name)),
    };
    let help = match similar(folder, name, path) {
        Some(similar) => help_of_similar(&similar),
        None => folder.help(),
    };
    let reason = Reason { message, help };
    match cause {
        ReadError::OutsideOrMissing => Refusal::Missing(reason),
        _ => Refusal::NotRead(reason),
    }
}

fn help_of_similar(similar: &str) -> String {
    format!("there is a file with a similar name: `{similar}`")
}

/// A file with a similar name, in the folder that the name leads to.
fn similar(folder: &TemplateFolder, name: &str, path: &Path) -> Option<String> {
    let (above, own) = name.rsplit_once('/').map_or(("", name), |(above, own)| (above, own));
    let parent = path.parent()?;
    if !parent.canonicalize().ok()?.starts_with(folder.path.canonicalize().ok()?) {
        return None;
    }
    let names = list_folder(parent, MAX_ENTRIES).ok()?.into_iter();
    let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != own).collect();
    let found = suggest(own, &names)?;
    let found = if above.is_empty() { found } else { format!("{above}/{found}") };
    folder.excludes(&found).is_none().then_some(found)
}
