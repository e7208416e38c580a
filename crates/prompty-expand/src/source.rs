//! Finds the text of a template, in a file or a literal, and the places in it.

use std::path::{Component, Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::TemplateFolder;
use prompty_core::diagnostic::{Diagnostic, Place, SourceSpan, SourceText};
use prompty_core::files::{ReadError, Within, list_folder, read_text};
use quote::quote;
use syn::LitStr;

use crate::errors::error_with_help;
use crate::literal::Written;
use crate::location::{local_file, manifest, start_of, start_span, working_folder};

/// The greatest length of a prompt's file; the loader has the same limit.
const MAX_PROMPT_BYTES: usize = 4 << 20;
/// The greatest number of files among which a similar name is looked for.
const MAX_ENTRIES: usize = 10_000;

/// The source of a prompt.
pub(crate) struct Source {
    pub(crate) text: SourceText,
    /// The file; `None` for a text in Rust code.
    pub(crate) file: Option<File>,
    /// Further files that were read.
    pub(crate) referenced: Vec<PathBuf>,
    /// The literal in the program: a path, or the text itself.
    pub(crate) literal: LitStr,
    /// How the text is written in the literal.
    written: Option<Box<Written>>,
    /// The folder of the files that the template includes.
    templates: Option<Box<TemplateFolder>>,
}

/// The file of a source, as its package calls it and as an absolute path.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) absolute: PathBuf,
}

/// The result of reading a literal.
pub(crate) enum SourceLookup {
    Source(Source),
    /// The file cannot be found, because the macro does not know the folder of the source file, as
    /// in editors.
    Unknown(TokenStream),
}

/// Whether a literal is the text of a prompt and not a path: it has more than one line, or it does
/// not end like the name of a prompt file.
pub(crate) fn is_inline(literal: &str) -> bool {
    literal.contains('\n')
        || literal.trim().is_empty()
        || literal.contains("{{")
        || literal.contains("{%")
        || (literal.contains(' ') && !literal.ends_with(".prompty"))
}

/// Reads the source that a literal contains or names.
pub(crate) fn from_literal(literal: &LitStr) -> syn::Result<SourceLookup> {
    if is_inline(&literal.value()) {
        return Ok(SourceLookup::Source(inline(literal)));
    }
    read(literal)
}

/// Makes the source from a literal that is the text.
pub(crate) fn inline(literal: &LitStr) -> Source {
    let written = Written::of(literal).map(Box::new);
    let place = local_file(literal.span()).zip(start_of(literal.span()));
    let text = match (place, &written) {
        (Some((file, (line, column))), Some(written)) => {
            SourceText::new(with_slashes(&file), literal.value())
                .starting_at(line, column + written.inside.start)
                .written_as(written.text(), written.pieces.as_slice())
        }
        _ => SourceText::new("template", literal.value()),
    };
    Source {
        text,
        file: None,
        referenced: Vec::new(),
        literal: literal.clone(),
        written,
        templates: None,
    }
}

/// Reads the file that a literal names. The path is relative to the manifest, or to the source file
/// if it begins with `./`.
pub(crate) fn read(literal: &LitStr) -> syn::Result<SourceLookup> {
    let absolute = match locate(literal)? {
        Located::At(absolute) => absolute,
        Located::Unknown(include) => return Ok(SourceLookup::Unknown(include)),
    };
    let text = read_text(&absolute, Within::AnyFolder, MAX_PROMPT_BYTES)
        .map_err(|cause| cannot_read(literal, "prompt", &absolute, &cause, ends(literal)))?;
    let name = name_in_package(&absolute, &literal.value());
    let text = SourceText::new(shown_path(literal, &absolute), text.replace("\r\n", "\n"));
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    let file = Some(File { name, absolute });
    let (literal, referenced) = (literal.clone(), Vec::new());
    Ok(SourceLookup::Source(Source {
        text,
        file,
        referenced,
        literal,
        written: None,
        templates: None,
    }))
}

/// How the name of a file may end that somebody meant by a literal: a prompt, or a configuration.
fn ends(literal: &LitStr) -> &'static [&'static str] {
    match literal.value().ends_with(".prompty") {
        true => &[".prompty"],
        false => &[".prompty", ".yaml", ".yml", ".json"],
    }
}

/// The folder that a literal names. The path is relative to the manifest, or to the source file if it begins
/// with `./`; `None` where the macro does not know the folder of the source file, as in editors.
pub(crate) fn folder(literal: &LitStr) -> syn::Result<Option<TemplateFolder>> {
    let Located::At(absolute) = locate(literal)? else { return Ok(None) };
    if !absolute.is_dir() {
        let message = format!("there is no folder `{}`", literal.value());
        let help = "the path is relative to the folder of Cargo.toml; begin with `./` for one beside this \
                    file";
        return Err(error_with_help(literal.span(), &message, help));
    }
    let shown = shown_path(literal, &absolute);
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    Ok(Some(TemplateFolder::new(absolute, shown)))
}

/// The location to which a literal's path leads.
pub(crate) enum Located {
    At(PathBuf),
    /// The location is unknown, because the macro does not know the folder of the source file, as
    /// in editors.
    Unknown(TokenStream),
}

/// Locates the path in a literal. It is relative to the manifest, or to the source file if it
/// begins with `./`.
pub(crate) fn locate(literal: &LitStr) -> syn::Result<Located> {
    let given = literal.value();
    if Path::new(&given).is_absolute() {
        let message = "an absolute path works on one machine only";
        let help =
            "give it relative to the folder of Cargo.toml, or with `./` relative to this file";
        return Err(error_with_help(literal.span(), message, help));
    }
    if given.starts_with("./") || given.starts_with("../") {
        let folder = local_file(literal.span()).and_then(|file| parent_folder(&file));
        return Ok(match folder {
            Some(folder) => Located::At(folder.join(&given)),
            // Only rustc can find the file here, so rustc reports it if it is missing.
            None => Located::Unknown(quote!(
                const _: &str = include_str!(#literal);
            )),
        });
    }
    Ok(Located::At(manifest().join(&given)))
}

/// Makes the error about a file that cannot be read. It suggests a similar file whose name has one
/// of the extensions in `ends`.
pub(crate) fn cannot_read(
    literal: &LitStr,
    what: &str,
    absolute: &Path,
    cause: &ReadError,
    ends: &[&str],
) -> syn::Error {
    let given = literal.value();
    let message = format!("cannot read the {what} `{given}`: {cause}");
    let help = if let Some(similar) = similar_file(absolute, ends) {
        format!("there is a file with a similar name: `{similar}`")
    } else if given.starts_with('.') {
        "the path is relative to the folder of this file".to_owned()
    } else {
        "paths are relative to the folder of Cargo.toml; begin with `./` for one beside this file"
            .to_owned()
    };
    error_with_help(literal.span(), &message, &help)
}

/// The name of a file in the program: relative to the manifest, or as it was given.
pub(crate) fn name_in_package(absolute: &Path, given: &str) -> String {
    let relative = absolute.strip_prefix(manifest()).map(|path| with_slashes(without_dots(path)));
    relative.unwrap_or_else(|_| given.trim_start_matches("./").to_owned())
}

/// The path of a file in messages. It is written as the compiler writes its own places, so that a click
/// opens it: relative to the folder in which the compiler runs, which cargo makes the workspace's root
/// for a member of the workspace, or absolute for a package from elsewhere.
pub(crate) fn shown_path(literal: &LitStr, absolute: &Path) -> String {
    let absolute = without_dots(absolute);
    let folder = match local_file(literal.span()) {
        Some(file) if file.is_relative() => working_folder(),
        Some(_) => None,
        // An editor runs the macro in a folder of its own.
        None => Some(manifest()),
    };
    let relative = folder.and_then(|folder| {
        absolute.strip_prefix(without_dots(&folder)).map(Path::to_path_buf).ok()
    });
    with_slashes(relative.unwrap_or(absolute))
}

/// A file in the same folder with a similar name.
fn similar_file(path: &Path, ends: &[&str]) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let names = list_folder(path.parent()?, MAX_ENTRIES).ok()?.into_iter();
    let names = names.filter_map(|name| name.into_string().ok());
    let names: Vec<String> =
        names.filter(|name| ends.iter().any(|end| name.ends_with(end)) && name != wanted).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    prompty_core::diagnostic::suggest(wanted, &names)
}

impl Source {
    /// Makes the source from the text of the file that a literal names.
    #[cfg(feature = "local")]
    pub(crate) fn from_file(literal: &LitStr, text: SourceText, file: File) -> Self {
        let file = Some(file);
        Self {
            text,
            file,
            referenced: Vec::new(),
            literal: literal.clone(),
            written: None,
            templates: None,
        }
    }

    /// Takes over the text in which the template's files are together.
    pub(crate) fn assembled(
        &mut self,
        text: SourceText,
        files: Vec<PathBuf>,
        templates: Option<TemplateFolder>,
    ) {
        self.templates = templates.map(Box::new);
        // The literal's token has other bytes then.
        if text.text() != self.text.text() {
            self.written = None;
        }
        self.text = text;
        let absolute = |file: PathBuf| file.canonicalize().unwrap_or(file);
        self.referenced.extend(files.into_iter().map(absolute));
    }

    /// The name by which the template asks for the file of a place; `None` for the prompt's own text. It is
    /// the same wherever the package lies.
    pub(crate) fn included_file<'place>(&self, place: &'place Place) -> Option<&'place str> {
        let name = &*place.name;
        let is_own = *name == *self.text.name();
        let folder = self.templates.as_ref();
        (!is_own).then(|| folder.map_or(name, |folder| folder.name_of(name)))
    }

    /// The name of a place's file in the program, which is the same wherever the package lies.
    pub(crate) fn name_in_program(&self, place: &Place) -> String {
        let Some(included) = self.included_file(place) else {
            return self.file.as_ref().map_or_else(|| place.name.to_string(), |it| it.name.clone());
        };
        // Places of files are relative to the folder in which the compiler runs.
        let folder = working_folder();
        let absolute = folder.map(|folder| without_dots(&folder.join(&*place.name)));
        absolute.map_or_else(|| included.to_owned(), |path| name_in_package(&path, included))
    }

    /// The name of a macro that reads a value at a place: rustc shows it with its errors about the value.
    pub(crate) fn name_of_macro(&self, at: SourceSpan) -> String {
        let place = self.text.place(at.start);
        let mut name = format!("template_line_{}_column_{}", place.line, place.column);
        if let Some(file) = self.included_file(&place) {
            let letter = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
            name.push_str("_of_");
            name.extend(file.chars().map(letter));
        }
        name
    }

    /// A place as a part of the name of a generated item: its line and column, and its file if that is
    /// another than the prompt's.
    pub(crate) fn place_in_names(&self, at: SourceSpan) -> String {
        let place = self.text.place(at.start);
        let numbers = format!("{}_{}", place.line, place.column);
        let Some(file) = self.included_file(&place) else { return numbers };
        let mut name = String::new();
        for word in file.split(|it: char| !it.is_ascii_alphanumeric()) {
            let mut letters = word.chars();
            name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            name.extend(letters);
        }
        format!("{name}At{numbers}")
    }

    /// The span for messages: the whole literal of a path, but only the beginning of a text, since
    /// rustc would draw all its lines.
    pub(crate) fn span(&self) -> Span {
        if self.file.is_some() { self.literal.span() } else { start_span(&self.literal) }
    }

    /// The span for generated code about which rustc may complain. It has the location of the
    /// literal but cannot see the names of the user, so that no suggestion replaces the literal.
    pub(crate) fn code_span(&self) -> Span {
        Span::call_site().located_at(self.span())
    }

    pub(crate) fn render(&self, diagnostic: &Diagnostic) -> String {
        diagnostic.render_body(&self.text)
    }

    /// How the text is written in its literal; `None` for a file.
    pub(crate) fn written(&self) -> Option<&Written> {
        self.written.as_deref()
    }

    /// Makes rustc recompile when the file changes, or another one that was read. The file stands at the
    /// literal that names it, so that an editor opens it from there.
    pub(crate) fn tracking(&self) -> TokenStream {
        let own = self.file.iter().map(|file| track_at(&file.absolute, self.literal.span()));
        own.chain(self.referenced.iter().map(|file| track(file))).collect()
    }
}

/// Makes rustc recompile when a file changes.
pub(crate) fn track(absolute: &Path) -> TokenStream {
    track_at(absolute, Span::call_site())
}

fn track_at(absolute: &Path, span: Span) -> TokenStream {
    let Some(path) = absolute.to_str() else { return TokenStream::new() };
    let path = LitStr::new(path, span);
    quote!(
        const _: &[::core::primitive::u8] = ::core::include_bytes!(#path);
    )
}

/// A path with `/` on all systems.
fn with_slashes(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        return path.into_owned();
    }
    path.replace(std::path::MAIN_SEPARATOR, "/")
}

/// Removes the `.` parts of a path, and the `..` parts with what they leave.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        let leaves_name = part == Component::ParentDir
            && matches!(plain.components().next_back(), Some(Component::Normal(_)));
        if leaves_name {
            plain.pop();
        } else if part != Component::CurDir {
            plain.push(part);
        }
    }
    plain
}

fn parent_folder(file: &Path) -> Option<PathBuf> {
    Some(working_folder()?.join(file).parent()?.to_path_buf())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]
mod tests {
    use super::{LitStr, Span, manifest, read};
    use std::fs::{self, File};
    use std::process::Command;

    /// What the macro says of a file in the folder for temporary files.
    fn said_of(name: &str) -> String {
        let up = "/..".repeat(manifest().components().count());
        let path = format!("src/..{up}{}/{name}", std::env::temp_dir().display());
        read(&LitStr::new(&path, Span::call_site())).err().unwrap().to_string()
    }

    #[test]
    fn a_prompt_file_that_is_a_pipe_or_endless_is_an_error_at_compile_time() {
        let name = format!("prompty-macros-{}.prompty", std::process::id());
        let path = std::env::temp_dir().join(&name);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(said_of(&name).contains("it is not a regular file"));
        fs::remove_file(&path).unwrap();
        File::create(&path).unwrap().set_len(10 << 30).unwrap();
        assert!(said_of(&name).contains("it is longer than 4194304 bytes"));
        fs::remove_file(&path).unwrap();
    }
}
