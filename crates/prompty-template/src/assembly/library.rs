//! The files that the tags of a template name. Each file is loaded once, and their number is
//! limited.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::template_file::{MAX_FILES, MAX_READ, Reason, Refusal, TemplateFile};
use super::{AssembledTemplate, FileFindings};
use crate::SyntaxError;
use crate::tree::Name;
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};
use prompty_core::work::add_steps;

/// A file of a template.
pub(crate) struct LoadedFile<T> {
    /// The name that tags use; for the main template, the name of its source.
    pub(crate) name: String,
    /// The template's text, without what precedes it.
    pub(crate) source: SourceText,
    /// What the language has read from the text.
    pub(crate) content: T,
}

/// Reads the text of a file. Returns the text, which may be changed, and its content.
pub(crate) type ReadContent<'r, T> = &'r dyn Fn(SourceText) -> (SourceText, Result<T, SyntaxError>);

impl<T> LoadedFile<T> {
    /// Reads the template itself. `None` if it has a syntax error.
    pub(crate) fn read_main(main: &TemplateFile, read: ReadContent<'_, T>) -> Option<Self> {
        let (source, content) = read(main.copy(main.body).finish());
        Some(Self { name: main.source.name().to_owned(), source, content: content.ok()? })
    }
}

/// The files of a template. The first is the template itself.
pub(crate) struct LoadedFiles<T> {
    pub(crate) list: Vec<LoadedFile<T>>,
    /// The file that each tag names, by the tag's own file and its start. A file that may be
    /// missing can have no entry.
    pub(crate) targets: HashMap<(usize, usize), usize>,
    /// The diagnostics, with their files.
    pub(crate) findings: FileFindings,
}

impl<T> LoadedFiles<T> {
    /// Returns the file that the tag beginning at `tag` names.
    pub(crate) fn target(&self, file: usize, tag: usize) -> Option<usize> {
        self.targets.get(&(file, tag)).copied()
    }

    pub(crate) fn source(&self, file: usize) -> Option<&SourceText> {
        self.list.get(file).map(|file| &file.source)
    }

    pub(crate) fn text(&self, file: usize) -> &str {
        self.source(file).map_or("", SourceText::text)
    }

    /// Returns the result of assembling the template `main`. If it could not be `written`, the
    /// result has the text of `main`.
    pub(crate) fn assembled(
        &self,
        main: &TemplateFile,
        written: Option<SourceBuilder>,
        findings: FileFindings,
    ) -> AssembledTemplate {
        let is_complete = written.is_some();
        let body = match &written {
            Some(written) => SourceSpan::new(main.body.start, written.len()),
            None => main.body,
        };
        let builder = written.unwrap_or_else(|| main.copy(main.source.span()));
        let (source, findings) = self.with_places(builder, findings);
        AssembledTemplate { source, body, findings, is_complete, template: None }
    }

    /// Finishes a text. Files with diagnostics are appended to it, and the spans are shifted
    /// accordingly.
    fn with_places(
        &self,
        mut builder: SourceBuilder,
        findings: FileFindings,
    ) -> (SourceText, Vec<Diagnostic>) {
        let mut bases: HashMap<usize, usize> = HashMap::new();
        let mut moved = Vec::with_capacity(findings.0.len());
        // An error in a file may be found each time that a tag names the file.
        let mut reported = HashSet::new();
        for (file, mut finding) in findings.0 {
            if let (Some(source), Some(span)) = (self.source(file), finding.span) {
                let base = *bases.entry(file).or_insert_with(|| builder.annex(source));
                finding.span = Some(span.shifted(base));
            }
            if reported.insert((file, finding.span, finding.message.clone())) {
                moved.push(finding);
            }
        }
        (builder.finish(), moved)
    }
}

/// Loads files by their names.
pub(crate) struct FileLibrary<'l, T> {
    pub(crate) files: LoadedFiles<T>,
    read: ReadContent<'l, T>,
    load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
    /// The result for each requested name.
    known: BTreeMap<String, KnownFile>,
    /// Whether the error for an exceeded limit has been reported.
    is_limit_reported: bool,
}

/// The cached result of loading a name.
#[derive(Clone)]
enum KnownFile {
    File(usize),
    Missing(Reason),
    NotRead(Reason),
}

/// The result of looking up a file name in a tag.
pub(crate) enum FileLookup {
    /// The file's index. A file that cannot be read has empty content, and its error was reported.
    File(usize),
    /// The file does not exist.
    Missing(Reason),
    /// There is no file, and the error was reported.
    Reported,
}

impl<'l, T: Default> FileLibrary<'l, T> {
    /// A library whose only file so far is the template itself.
    pub(crate) fn new(
        main: LoadedFile<T>,
        read: ReadContent<'l, T>,
        load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
    ) -> Self {
        let (list, targets, findings) = (vec![main], HashMap::new(), FileFindings::default());
        let files = LoadedFiles { list, targets, findings };
        Self { files, read, load, known: BTreeMap::new(), is_limit_reported: false }
    }

    pub(crate) fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) -> FileLookup {
        self.files.findings.push(file, finding);
        FileLookup::Reported
    }

    /// Looks up the file of a partial. `ending` is appended to a name without an extension.
    pub(crate) fn find_partial(&mut self, file: usize, name: &Name, ending: &str) -> FileLookup {
        let mut requested = name.clone();
        if !requested.text.rsplit('/').next().is_some_and(|last| last.contains('.')) {
            requested.text.push_str(ending);
        }
        self.find(file, &requested)
    }

    /// Looks up the file that a tag of `file` names, and loads it if it is new.
    pub(crate) fn find(&mut self, file: usize, name: &Name) -> FileLookup {
        let path = match relative_path(name) {
            Ok(path) => path,
            Err(finding) => return self.report(file, *finding),
        };
        add_steps(1);
        let known = match self.known.get(&path) {
            Some(known) => known.clone(),
            None => {
                if let Some(message) = self.exceeded_limit() {
                    return self.report_limit(file, name, message);
                }
                let loaded = self.load_file(&path);
                self.known.insert(path, loaded.clone());
                loaded
            }
        };
        match known {
            KnownFile::File(index) => FileLookup::File(index),
            KnownFile::Missing(reason) => FileLookup::Missing(reason),
            KnownFile::NotRead(reason) => self.report(file, refusal_finding(name.span, reason)),
        }
    }

    /// Returns the message for the limit that the files so far exceed.
    fn exceeded_limit(&self) -> Option<String> {
        if self.known.len() >= MAX_FILES {
            return Some(format!("the template refers to more than {MAX_FILES} files"));
        }
        let length: usize = self.files.list.iter().map(|file| file.source.text().len()).sum();
        (length > MAX_READ).then(|| format!("the template's files have more than {MAX_READ} bytes"))
    }

    /// Reports that a limit is exceeded. One report is enough, because the template is not written
    /// then.
    fn report_limit(&mut self, file: usize, name: &Name, message: String) -> FileLookup {
        if std::mem::replace(&mut self.is_limit_reported, true) {
            return FileLookup::Reported;
        }
        let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(name.span);
        self.report(file, finding.with_help("merge files that are always used together"))
    }

    /// Loads and reads a file. An invalid one is reported, and then treated as an empty template.
    fn load_file(&mut self, path: &str) -> KnownFile {
        let index = self.files.list.len();
        let (source, content) = match (self.load)(path) {
            Ok(loaded) => {
                let (source, content) = (self.read)(loaded.copy(loaded.body).finish());
                (source, content.map_err(|it| it.into_finding().in_source(SourceSpan::default())))
            }
            Err(Refusal::Broken(broken)) => (broken.source, Err(broken.finding)),
            Err(Refusal::Missing(reason)) => return KnownFile::Missing(reason),
            Err(Refusal::NotRead(reason)) => return KnownFile::NotRead(reason),
        };
        let content = content.unwrap_or_else(|finding| {
            self.files.findings.push_broken(index, finding);
            T::default()
        });
        self.files.list.push(LoadedFile { name: path.to_owned(), source, content });
        KnownFile::File(index)
    }
}

/// Returns the diagnostic for the name of a file that cannot be read.
pub(crate) fn refusal_finding(span: TemplateSpan, reason: Reason) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::MissingFile, reason.message).with_span(span).with_help(reason.help)
}

/// Returns a name without `.` components, or an error if it could lead out of the folder:
/// `./parts//rules.jinja` becomes `parts/rules.jinja`, and `../rules.jinja` is an error.
fn relative_path(name: &Name) -> Result<String, Box<Diagnostic<TemplateSpan>>> {
    let finding = |message: String, help: &str| {
        let finding =
            Diagnostic::new(Code::MissingFile, message).with_span(name.span).with_help(help);
        Err(Box::new(finding.with_label("not in the set of files")))
    };
    let text = name.text.as_str();
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let relative =
        "write a name relative to the folder of the templates, such as `parts/rules.jinja`";
    // A colon is in URLs, and in Windows' absolute names.
    if text.starts_with('/') || text.contains(':') {
        return finding(format!("`{text}` is an absolute name"), relative);
    }
    if text.contains(['\\', '\0']) {
        return finding(format!("`{text}` is not a file name"), "separate folders with `/`");
    }
    if parts.contains(&"..") {
        let help = "move the file into the folder of the templates, or name a folder that holds \
                    all of them";
        return finding(format!("`{text}` is outside of the folder of the templates"), help);
    }
    if parts.is_empty() {
        return finding("empty file name".to_owned(), relative);
    }
    Ok(parts.join("/"))
}
