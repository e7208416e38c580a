//! Finds the text of a template in a file or a literal, and places in it.

use std::path::{Component, Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::TemplateFolder;
use prompty_core::diagnostic::{Diagnostic, Place, SourceSpan, SourceText};
use prompty_core::files::{ReadError, Within, list_folder, read_text};
use quote::quote;
use syn::LitStr;

use crate::errors::error_with_help;
use crate::literal::LiteralToken;
use crate::location::{local_file, manifest, start_of, start_span, working_folder};
use crate::type_names::join_capitalized;

/// The maximum size of a prompt file; the loader has the same limit.
const MAX_PROMPT_BYTES: usize = 4 << 20;
/// The maximum number of files that are searched for a similar name.
const MAX_ENTRIES: usize = 10_000;

/// The source of a prompt.
pub(crate) struct Source {
    pub(crate) text: SourceText,
    /// The file; `None` if the text is in Rust code.
    pub(crate) file: Option<File>,
    /// Further files that were read.
    pub(crate) referenced: Vec<PathBuf>,
    /// The literal in the program: a path, or the text itself.
    pub(crate) literal: LitStr,
    /// The token of the literal, if the literal contains the text.
    token: Option<Box<LiteralToken>>,
    /// The folder of the files that the template includes.
    templates: Option<Box<TemplateFolder>>,
}

/// The file of a source: its name in the package and its absolute path.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) absolute: PathBuf,
}

/// The result of looking up what a literal names.
pub(crate) enum Lookup<T> {
    Found(T),
    /// The location is unknown, because the macro does not know the folder of the source file, as
    /// in editors. The generated code includes the file, so that rustc finds it.
    Unknown(TokenStream),
}

/// Whether a literal is the text of a prompt and not a path. Texts are "Answer the user." and
/// "{{ question }}", but "prompts/ask.prompty", "my prompts/ask.prompty" and "ask" are paths.
pub(crate) fn is_inline(literal: &str) -> bool {
    literal.contains('\n')
        || literal.trim().is_empty()
        || literal.contains("{{")
        || literal.contains("{%")
        || (literal.contains(' ') && !literal.ends_with(".prompty"))
}

/// Reads the source that a literal contains or names.
pub(crate) fn from_literal(literal: &LitStr) -> syn::Result<Lookup<Source>> {
    if is_inline(&literal.value()) {
        return Ok(Lookup::Found(inline(literal)));
    }
    read(literal)
}

/// Makes the source from a literal that is the text.
pub(crate) fn inline(literal: &LitStr) -> Source {
    let token = LiteralToken::read(literal).map(Box::new);
    let place = local_file(literal.span()).zip(start_of(literal.span()));
    let text = match (place, &token) {
        (Some((file, (line, column))), Some(token)) => {
            SourceText::new(with_slashes(&file), literal.value())
                .starting_at(line, column + token.inside.start)
                .written_as(token.text(), token.pieces.as_slice())
        }
        _ => SourceText::new("template", literal.value()),
    };
    let (literal, referenced) = (literal.clone(), Vec::new());
    Source { text, file: None, referenced, literal, token, templates: None }
}

/// Reads the file that a literal names. The path is relative to the manifest, or to the source file
/// if it begins with `./`.
pub(crate) fn read(literal: &LitStr) -> syn::Result<Lookup<Source>> {
    let absolute = match locate(literal)? {
        Lookup::Found(absolute) => absolute,
        Lookup::Unknown(include) => return Ok(Lookup::Unknown(include)),
    };
    let text = read_text(&absolute, Within::AnyFolder, MAX_PROMPT_BYTES)
        .map_err(|cause| cannot_read(literal, "prompt", &absolute, &cause, extensions(literal)))?;
    let name = name_in_package(&absolute, &literal.value());
    let text = SourceText::new(shown_path(literal, &absolute), text).normalised();
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    Ok(Lookup::Found(Source::from_file(literal, text, File { name, absolute })))
}

/// The possible extensions of the file that a literal names: a prompt, or a configuration.
fn extensions(literal: &LitStr) -> &'static [&'static str] {
    match literal.value().ends_with(".prompty") {
        true => &[".prompty"],
        false => &[".prompty", ".yaml", ".yml", ".json"],
    }
}

/// The folder that a literal names. The path is relative to the manifest, or to the source file if
/// it begins with `./`. `None` if the macro does not know the folder of the source file, as in
/// editors.
pub(crate) fn folder(literal: &LitStr) -> syn::Result<Option<TemplateFolder>> {
    let Lookup::Found(absolute) = locate(literal)? else { return Ok(None) };
    if !absolute.is_dir() {
        let message = format!("cannot find the folder `{}`", literal.value());
        let help = "paths are relative to the folder of Cargo.toml; begin with `./` for a path \
                    relative to this file";
        return Err(error_with_help(literal.span(), &message, help));
    }
    let shown = shown_path(literal, &absolute);
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    Ok(Some(TemplateFolder::new(absolute, shown)))
}

/// Locates the path in a literal. It is relative to the manifest, or to the source file if it
/// begins with `./`.
pub(crate) fn locate(literal: &LitStr) -> syn::Result<Lookup<PathBuf>> {
    let given = literal.value();
    if Path::new(&given).is_absolute() {
        let message = "expected a relative path, found an absolute path";
        let help = "write a path relative to the folder of Cargo.toml, or begin with `./` for a path \
                    relative to this file";
        return Err(error_with_help(literal.span(), message, help));
    }
    if given.starts_with("./") || given.starts_with("../") {
        let folder = local_file(literal.span()).and_then(|file| parent_folder(&file));
        return Ok(match folder {
            Some(folder) => Lookup::Found(folder.join(&given)),
            // Only rustc can find the file here, so rustc reports it if it is missing.
            None => Lookup::Unknown(quote!(
                const _: &str = include_str!(#literal);
            )),
        });
    }
    Ok(Lookup::Found(manifest().join(&given)))
}

/// Makes the error about a file that cannot be read. It suggests a file with a similar name that
/// has one of the extensions.
pub(crate) fn cannot_read(
    literal: &LitStr,
    what: &str,
    absolute: &Path,
    cause: &ReadError,
    extensions: &[&str],
) -> syn::Error {
    let given = literal.value();
    let message = format!("cannot read the {what} `{given}`: {cause}");
    let help = if let Some(similar) = similar_file(absolute, extensions) {
        format!("a file with a similar name exists: `{similar}`")
    } else if given.starts_with('.') {
        "paths that begin with `.` are relative to the folder of this file".to_owned()
    } else {
        "paths are relative to the folder of Cargo.toml; begin with `./` for a path relative to \
         this file"
            .to_owned()
    };
    error_with_help(literal.span(), &message, &help)
}

/// The name of a file in the program: relative to the manifest, or as it was given.
pub(crate) fn name_in_package(absolute: &Path, given: &str) -> String {
    let relative = absolute.strip_prefix(manifest()).map(|path| with_slashes(without_dots(path)));
    relative.unwrap_or_else(|_| given.trim_start_matches("./").to_owned())
}

/// The path of a file in messages. It has the form of the compiler's own places, so that a click
/// opens it. In a member of the workspace it is relative to the folder in which the compiler runs,
/// which cargo sets to the workspace's root. In any other package it is absolute.
pub(crate) fn shown_path(literal: &LitStr, absolute: &Path) -> String {
    let absolute = without_dots(absolute);
    let folder = match local_file(literal.span()) {
        Some(file) if file.is_relative() => working_folder(),
        Some(_) => None,
        // An editor runs the macro in an unrelated folder.
        None => Some(manifest()),
    };
    let relative = folder.and_then(|folder| {
        absolute.strip_prefix(without_dots(&folder)).map(Path::to_path_buf).ok()
    });
    with_slashes(relative.unwrap_or(absolute))
}

/// A file in the same folder with a similar name.
fn similar_file(path: &Path, extensions: &[&str]) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let names = list_folder(path.parent()?, MAX_ENTRIES).ok()?.into_iter();
    let names = names.filter_map(|name| name.into_string().ok());
    let names: Vec<String> = names
        .filter(|name| extensions.iter().any(|end| name.ends_with(end)) && name != wanted)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    prompty_core::diagnostic::suggest(wanted, &names)
}

impl Source {
    /// Makes the source from the text of the file that a literal names.
    pub(crate) fn from_file(literal: &LitStr, text: SourceText, file: File) -> Self {
        let (file, literal, referenced) = (Some(file), literal.clone(), Vec::new());
        Self { text, file, referenced, literal, token: None, templates: None }
    }

    /// Replaces the text by the assembled text of all files of the template.
    pub(crate) fn set_assembled(
        &mut self,
        text: SourceText,
        files: Vec<PathBuf>,
        templates: Option<TemplateFolder>,
    ) {
        self.templates = templates.map(Box::new);
        // The assembled text differs from the literal's token.
        if text.text() != self.text.text() {
            self.token = None;
        }
        self.text = text;
        let absolute = |file: PathBuf| file.canonicalize().unwrap_or(file);
        self.referenced.extend(files.into_iter().map(absolute));
    }

    /// The name with which the template includes the file of a place; `None` for the prompt's own
    /// text. It does not depend on the package's folder.
    pub(crate) fn included_file<'place>(&self, place: &'place Place) -> Option<&'place str> {
        let name = &*place.name;
        let is_own = *name == *self.text.name();
        let folder = self.templates.as_ref();
        (!is_own).then(|| folder.map_or(name, |folder| folder.name_of(name)))
    }

    /// The name of a place's file in the program, which does not depend on the package's folder.
    pub(crate) fn name_in_program(&self, place: &Place) -> String {
        let Some(included) = self.included_file(place) else {
            return self.file.as_ref().map_or_else(|| place.name.to_string(), |it| it.name.clone());
        };
        // Places of files are relative to the folder in which the compiler runs.
        let folder = working_folder();
        let absolute = folder.map(|folder| without_dots(&folder.join(&*place.name)));
        absolute.map_or_else(|| included.to_owned(), |path| name_in_package(&path, included))
    }

    /// The name of the macro that reads a value at a place, such as `template_line_2_column_19`.
    /// rustc shows it with its errors about the value.
    pub(crate) fn name_of_macro(&self, at: SourceSpan) -> String {
        let place = self.text.place(at.start);
        let mut name = format!("template_line_{}_column_{}", place.line, place.column);
        if let Some(file) = self.included_file(&place) {
            let character = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
            name.push_str("_of_");
            name.extend(file.chars().map(character));
        }
        name
    }

    /// A place as part of the name of a generated item: `2_19` for line 2 and column 19, or
    /// `PartsHeadJinjaAt2_19` in the included file `parts/head.jinja`.
    pub(crate) fn place_in_names(&self, at: SourceSpan) -> String {
        let place = self.text.place(at.start);
        let numbers = format!("{}_{}", place.line, place.column);
        let Some(file) = self.included_file(&place) else { return numbers };
        let name = join_capitalized(file.split(|it: char| !it.is_ascii_alphanumeric()));
        format!("{name}At{numbers}")
    }

    /// The span for messages: the complete literal of a path, but only the beginning of a text,
    /// since rustc would draw all its lines.
    pub(crate) fn span(&self) -> Span {
        if self.file.is_some() { self.literal.span() } else { start_span(&self.literal) }
    }

    /// The span for generated code that rustc may report. It has the location of the literal but
    /// cannot see the names of the user, so no suggestion replaces the literal.
    pub(crate) fn code_span(&self) -> Span {
        Span::call_site().located_at(self.span())
    }

    /// The text of a diagnostic, with the lines of the template.
    pub(crate) fn render(&self, diagnostic: &Diagnostic) -> String {
        diagnostic.render_body(&self.text)
    }

    /// The token of the literal that contains the text; `None` for a file.
    pub(crate) fn token(&self) -> Option<&LiteralToken> {
        self.token.as_deref()
    }

    /// Makes rustc recompile when this file or another file that was read changes. The generated
    /// code has the span of the literal that names the file, so that an editor opens the file from
    /// there.
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
    replace_separators(&path.as_ref().to_string_lossy(), std::path::MAIN_SEPARATOR)
}

/// A path with `/`, on a system with this separator.
fn replace_separators(path: &str, separator: char) -> String {
    path.replace(separator, "/")
}

/// Removes the `.` parts of a path, and resolves its `..` parts: `a/./b/../c` becomes `a/c`. It
/// does not read the file system. A `..` at the beginning stays.
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

/// The folder of a source file, whose path is relative to the working folder.
fn parent_folder(file: &Path) -> Option<PathBuf> {
    Some(working_folder()?.join(file).parent()?.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::replace_separators;

    #[test]
    fn paths_in_messages_have_slashes_on_windows() {
        assert_eq!(replace_separators(r"prompts\support.prompty", '\\'), "prompts/support.prompty");
    }

    #[test]
    fn a_backslash_in_a_unix_file_name_stays() {
        assert_eq!(replace_separators(r"prompts/a\b.prompty", '/'), r"prompts/a\b.prompty");
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]
mod unix_tests {
    use super::{LitStr, Span, manifest, read};
    use std::fs::{self, File};
    use std::process::Command;

    /// The error of the macro for a file in the folder for temporary files.
    fn error_for(name: &str) -> String {
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
        assert!(error_for(&name).contains("it is not a regular file"));
        fs::remove_file(&path).unwrap();
        File::create(&path).unwrap().set_len(10 << 30).unwrap();
        assert!(error_for(&name).contains("it is longer than 4194304 bytes"));
        fs::remove_file(&path).unwrap();
    }
}
