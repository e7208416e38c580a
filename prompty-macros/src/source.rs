//! Where a template's text comes from: a file or a literal, and how its places are said.

use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use prompty_core::diagnostic::{Diagnostic, SourceText};
use quote::quote;
use syn::LitStr;

use crate::errors::helped;

/// A prompt's source text.
pub(crate) struct Source {
    pub(crate) text: SourceText,
    /// The file, relative to the manifest with `/`, and where it really is.
    pub(crate) file: Option<File>,
    /// The literal in the program: the path or the text itself.
    pub(crate) literal: LitStr,
    /// Whether the text's bytes are those of the literal's token, without escapes.
    verbatim: bool,
}

pub(crate) struct File {
    pub(crate) shown: String,
    pub(crate) absolute: PathBuf,
}

/// What became of a literal that names a file.
pub(crate) enum Found {
    Source(Source),
    /// Where the compiler alone knows the folder of the source file, as in editors.
    Unknown(TokenStream),
}

/// Whether a literal is a prompt's text and not a path: it has more than one line, or ends like no
/// file of prompts would.
pub(crate) fn is_inline(literal: &str) -> bool {
    literal.contains('\n')
        || literal.trim().is_empty()
        || literal.contains("{{")
        || literal.contains("{%")
        || (literal.contains(' ') && !literal.ends_with(".prompty"))
}

/// The source that a literal is or names.
pub(crate) fn from_literal(literal: &LitStr) -> syn::Result<Found> {
    if is_inline(&literal.value()) {
        return Ok(Found::Source(inline(literal)));
    }
    read(literal)
}

/// A literal as the source itself.
pub(crate) fn inline(literal: &LitStr) -> Source {
    let value = literal.value();
    let token = literal.token().to_string();
    let prefix = token.find('"').map_or(0, |quote| quote + 1);
    let verbatim = token.get(prefix..).is_some_and(|rest| rest.starts_with(&value));
    let name = match local_file(literal.span()) {
        Some(file) if verbatim => shown(&file),
        _ => "template".to_owned(),
    };
    let text = SourceText::new(name, value);
    let text = match span_start(literal.span()) {
        Some((line, column)) if verbatim => text.starting_at(line, column + prefix),
        _ => text,
    };
    Source { text, file: None, literal: literal.clone(), verbatim }
}

/// Reads the file that a literal names: relative to the manifest, or with `./` beside the source
/// file.
pub(crate) fn read(literal: &LitStr) -> syn::Result<Found> {
    let absolute = match locate(literal)? {
        Located::At(absolute) => absolute,
        Located::Unknown(include) => return Ok(Found::Unknown(include)),
    };
    let text = std::fs::read_to_string(&absolute)
        .map_err(|cause| cannot_read(literal, "prompt", &absolute, &cause, &[".prompty"]))?;
    let given = literal.value();
    let shown = shown_path(&absolute, &given);
    let text = SourceText::new(shown.as_str(), text.replace("\r\n", "\n"));
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    let file = Some(File { shown, absolute });
    Ok(Found::Source(Source { text, file, literal: literal.clone(), verbatim: false }))
}

/// Where a literal's path leads.
pub(crate) enum Located {
    At(PathBuf),
    /// Where the compiler alone knows the folder of the source file, as in editors.
    Unknown(TokenStream),
}

/// The path that a literal means: relative to the manifest, or with `./` beside the source file.
pub(crate) fn locate(literal: &LitStr) -> syn::Result<Located> {
    let given = literal.value();
    if Path::new(&given).is_absolute() {
        let message = "an absolute path works on one machine only";
        let help =
            "give it relative to the folder of Cargo.toml, or with `./` relative to this file";
        return Err(helped(literal.span(), message, help));
    }
    if given.starts_with("./") || given.starts_with("../") {
        let folder = local_file(literal.span()).and_then(|file| parent_folder(&file));
        return Ok(match folder {
            Some(folder) => Located::At(folder.join(&given)),
            // Only the compiler can find it; let it say so if it is missing.
            None => Located::Unknown(quote!(
                const _: &str = include_str!(#literal);
            )),
        });
    }
    Ok(Located::At(manifest().join(&given)))
}

/// The error about a file that cannot be read; of those with these ends of names the one is proposed
/// that was probably meant.
pub(crate) fn cannot_read(
    literal: &LitStr,
    what: &str,
    absolute: &Path,
    cause: &std::io::Error,
    ends: &[&str],
) -> syn::Error {
    let given = literal.value();
    let message = format!("cannot read the {what} `{given}`: {}", plain(cause));
    let help = if let Some(similar) = similar_file(absolute, ends) {
        format!("there is a file with a similar name: `{similar}`")
    } else if given.starts_with('.') {
        "the path is relative to the folder of this file".to_owned()
    } else {
        "paths are relative to the folder of Cargo.toml; begin with `./` for one beside this file"
            .to_owned()
    };
    helped(literal.span(), &message, &help)
}

/// How a file is named in messages: relative to the manifest, or as it was given.
pub(crate) fn shown_path(absolute: &Path, given: &str) -> String {
    let relative = absolute.strip_prefix(manifest()).map(|path| shown(tidy(path)));
    relative.unwrap_or_else(|_| given.trim_start_matches("./").to_owned())
}

fn manifest() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
}

/// An I/O error without the operating system's number, so that messages are the same everywhere.
fn plain(cause: &std::io::Error) -> String {
    match cause.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        std::io::ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
        other => other.to_string(),
    }
}

/// A file in the same folder whose name is nearly the same.
fn similar_file(path: &Path, ends: &[&str]) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let entries = std::fs::read_dir(path.parent()?).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> =
        names.filter(|name| ends.iter().any(|end| name.ends_with(end)) && name != wanted).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    prompty_core::diagnostic::suggest(wanted, &names)
}

impl Source {
    /// The text that was read from what a literal names.
    #[cfg(feature = "chat")]
    pub(crate) fn from_file(literal: &LitStr, text: SourceText, absolute: PathBuf) -> Self {
        let file = Some(File { shown: text.name().to_owned(), absolute });
        Self { text, file, literal: literal.clone(), verbatim: false }
    }

    /// Where messages point: at a path all of it, at a text its beginning, since rustc would draw
    /// all of its lines.
    pub(crate) fn span(&self) -> Span {
        if self.file.is_some() { self.literal.span() } else { start_span(self.literal.span()) }
    }

    /// Where generated code stands that the compiler may complain about: it has the literal's place
    /// but no names of the user's, so that no suggestion would replace the literal.
    pub(crate) fn code_span(&self) -> Span {
        Span::call_site().located_at(self.span())
    }

    pub(crate) fn render(&self, diagnostic: &Diagnostic) -> String {
        diagnostic.render_body(&self.text)
    }

    /// The literal's token and where the text begins in it, if both have the same bytes.
    pub(crate) fn token(&self) -> Option<(String, usize)> {
        if self.file.is_some() || !self.verbatim {
            return None;
        }
        let token = self.literal.token().to_string();
        let prefix = token.find('"')? + 1;
        Some((token, prefix))
    }

    /// Makes the compiler notice when the file changes.
    pub(crate) fn tracking(&self) -> TokenStream {
        self.file.as_ref().map(|file| track(&file.absolute)).unwrap_or_default()
    }
}

/// Makes the compiler notice when a file changes.
pub(crate) fn track(absolute: &Path) -> TokenStream {
    let Some(path) = absolute.to_str() else { return TokenStream::new() };
    quote!(
        const _: &[::core::primitive::u8] = ::core::include_bytes!(#path);
    )
}

/// A path with `/`, whatever the system.
fn shown(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        return path.into_owned();
    }
    path.replace(std::path::MAIN_SEPARATOR, "/")
}

/// The source file of a span, as the compiler was given it; `None` in editors and tests.
fn local_file(span: Span) -> Option<PathBuf> {
    if !proc_macro::is_available() {
        return None;
    }
    span.unwrap().local_file().filter(|file| !file.as_os_str().is_empty())
}

/// A path without its `.` parts.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != std::path::Component::CurDir).collect()
}

fn parent_folder(file: &Path) -> Option<PathBuf> {
    Some(std::env::current_dir().ok()?.join(file).parent()?.to_path_buf())
}

/// The line and the column, both from 1, at which a span begins.
fn span_start(span: Span) -> Option<(usize, usize)> {
    if !proc_macro::is_available() {
        return None;
    }
    let start = span.unwrap().start();
    Some((start.line(), start.column()))
}

/// The empty span at a span's beginning.
fn start_span(span: Span) -> Span {
    if !proc_macro::is_available() {
        return span;
    }
    span.unwrap().start().into()
}
