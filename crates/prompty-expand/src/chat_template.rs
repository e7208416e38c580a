//! Expands `chat_template!`, which analyses a model's chat template at compile time.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use prompty_chat::ProbeLimits;
use prompty_chat::embed::TemplateSource;
use prompty_core::diagnostic::SourceText;
use prompty_core::files::ReadError;
use prompty_core::{Error, ErrorKind};
use prompty_reply::format::{AnalysisResult, ReplyFormat};
use quote::quote;
use syn::LitStr;

use crate::errors::error_with_help;
use crate::expand::chat_template::{self, AnalyzedTemplate};
use crate::parse::chat_template::{ChatTemplateInvocation, TemplateLocation};
use crate::source::{self, File, Lookup, Source};

/// Expands the macro.
pub fn expand_chat_template(input: TokenStream) -> TokenStream {
    let mut invocation = match syn::parse2::<ChatTemplateInvocation>(input) {
        Ok(invocation) => invocation,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = std::mem::take(&mut invocation.errors);
    let (loaded, include) = match errors.keep(load(&invocation)).flatten() {
        Some(Lookup::Found(loaded)) => (Some(loaded), None),
        Some(Lookup::Unknown(include)) => (None, Some(include)),
        None => (None, None),
    };
    let tracking = loaded.as_ref().map(LoadedTemplate::tracking);
    let analyzed = loaded
        .and_then(|loaded| errors.keep(analyse(&loaded, probe_limits(&invocation))))
        .unwrap_or_else(AnalyzedTemplate::of_invalid_template);
    let generated_type = errors.keep(chat_template::expand_type(&invocation, &analyzed));
    let errors = errors.into_tokens();
    quote!(#errors #include #tracking #generated_type)
}

/// A template that was read, and the source for its diagnostics.
struct LoadedTemplate {
    template: TemplateSource,
    source: Source,
}

impl LoadedTemplate {
    /// Makes rustc recompile when one of the files changes.
    fn tracking(&self) -> TokenStream {
        let files = self.template.read_files().iter();
        files
            .map(|file| source::track(&file.canonicalize().unwrap_or_else(|_| file.clone())))
            .collect()
    }
}

/// Reads the template; `None` if its place is missing.
fn load(invocation: &ChatTemplateInvocation) -> syn::Result<Option<Lookup<LoadedTemplate>>> {
    let (template, source) = match &invocation.place {
        None => return Ok(None),
        Some(TemplateLocation::Text(literal)) => read_text(invocation, literal)?,
        Some(TemplateLocation::Path(literal)) => match source::locate(literal)? {
            // A folder cannot be included.
            Lookup::Unknown(include) => {
                let is_file = Path::new(&literal.value()).extension().is_some();
                let include = if is_file { include } else { TokenStream::new() };
                return Ok(Some(Lookup::Unknown(include)));
            }
            Lookup::Found(absolute) => read_path(invocation, literal, absolute)?,
        },
    };
    let tokens = invocation.tokens.iter();
    let template =
        tokens.fold(template, |template, (name, token)| template.with_token(name, &token.value()));
    Ok(Some(Lookup::Found(LoadedTemplate { template, source })))
}

fn read_text(
    invocation: &ChatTemplateInvocation,
    literal: &LitStr,
) -> syn::Result<(TemplateSource, Source)> {
    if let Some(name) = &invocation.name {
        let message = "`name` can only be used with a path";
        return Err(error_with_help(name.span(), message, "remove `name`"));
    }
    let template = TemplateSource::from_text(&literal.value());
    let mut source = source::inline(literal);
    // Places are counted in the normalised text.
    if literal.value().contains('\r') {
        source.text = SourceText::new("template", template.text());
    }
    Ok((template, source))
}

fn read_path(
    invocation: &ChatTemplateInvocation,
    literal: &LitStr,
    absolute: PathBuf,
) -> syn::Result<(TemplateSource, Source)> {
    if let Err(cause) = absolute.metadata() {
        let ends = [".jinja", ".jinja2", ".json"];
        let (what, cause) = ("chat template", ReadError::Io(cause));
        return Err(source::cannot_read(literal, what, &absolute, &cause, &ends));
    }
    let given = literal.value();
    let name = invocation.name.as_ref().map(LitStr::value);
    let template = TemplateSource::read(&absolute, name.as_deref()).map_err(|error| {
        // Messages have the path as given, so that they are the same on every machine.
        let text = place_and_message(&error).replace(&*absolute.to_string_lossy(), &given);
        let message = match error.kind() {
            ErrorKind::Conversion => format!("cannot read the chat template `{given}`: {text}"),
            _ => text,
        };
        // If the error is about `name = "…"`, it is reported there.
        let about_name = invocation.name.as_ref().filter(|_| error.place().is_none());
        let about_name = about_name.filter(|name| message.contains(&format!("`{}`", name.value())));
        let span = about_name.map_or_else(|| literal.span(), LitStr::span);
        error_with_help(span, &message, error.help().unwrap_or("use a Jinja file instead"))
    })?;
    let file = template.file().unwrap_or(&absolute);
    let given = match file.strip_prefix(&absolute) {
        Ok(inside) if absolute.is_dir() => format!("{given}/{}", inside.display()),
        _ => given,
    };
    let mut name = source::name_in_package(file, &given);
    let mut shown = source::shown_path(literal, file);
    if template.file().is_none() {
        // The file contains several templates.
        let which = format!(", template `{}`", template.name());
        name.push_str(&which);
        shown.push_str(&which);
    }
    let text = SourceText::new(shown, template.text());
    Ok((template, Source::from_file(literal, text, File { name, absolute })))
}

/// The limits of the analysis. A template that uses them up delays compilation by a few seconds.
fn probe_limits(invocation: &ChatTemplateInvocation) -> ProbeLimits {
    const RENDERS: usize = 500;
    /// In bytes.
    const MOST_OUTPUT: usize = 8 << 20;
    let default = ProbeLimits::default();
    default
        .with_fuel(invocation.probe_fuel.unwrap_or(default.fuel))
        .with_renders(RENDERS)
        .with_max_output(MOST_OUTPUT)
}

/// Analyses the template.
fn analyse(loaded: &LoadedTemplate, limits: ProbeLimits) -> syn::Result<AnalyzedTemplate> {
    let LoadedTemplate { template: source, source: shown } = loaded;
    let analysis_error = |error: &Error, help: Option<&str>| {
        let what =
            shown.file.as_ref().map_or("the template".to_owned(), |it| format!("`{}`", it.name));
        let message = format!("cannot analyse {what}: {}", place_and_message(error));
        let help = help.or(error.help()).unwrap_or("write the format as a `ReplyFormat`");
        error_with_help(shown.span(), &message, help)
    };
    let template = source.template().map_err(|error| {
        let is_mistake = error.kind() == ErrorKind::TemplateSyntax;
        match is_mistake.then(|| source.mistake()).flatten() {
            Some(mistake) => syn::Error::new(shown.span(), shown.render(&mistake).trim_end()),
            None => analysis_error(&error, None),
        }
    })?;
    let template = template.with_probe_limits(limits);
    let found = template.format().and_then(|format| Ok((format.clone(), template.stops()?)));
    let (format, stops): (ReplyFormat, _) = found.map_err(|error| {
        let raise = "raise the step limit with `probe_fuel = 50_000_000`, or load the template at \
                     run time as a `ChatTemplate`";
        analysis_error(&error, (error.kind() == ErrorKind::Limit).then_some(raise))
    })?;
    // At run time such a template can still be used without calls. At compile time it is an error,
    // because the author can then define the format of calls.
    if format.tools.is_none()
        && let Ok(analysis) = template.analysis()
        && let Some(error) = analysis.unclear_calls()
    {
        return Err(analysis_error(error, None));
    }
    let view = AnalysisResult::from_format(&format);
    let (tokens, other_tokens) = source.tokens();
    Ok(AnalyzedTemplate {
        text: source.text().to_owned(),
        tokens,
        other_tokens: other_tokens.to_vec(),
        response_template: source.response_template(),
        documentation: view.to_markdown(),
        file: shown.file.as_ref().map(|file| file.name.clone()),
        stops,
        preserved_tokens: view.preserved_tokens,
        format,
    })
}

/// The message of an error, followed by its place if it has one.
fn place_and_message(error: &Error) -> String {
    match error.place() {
        Some(place) => format!("{error}\n  --> {place}"),
        None => error.to_string(),
    }
}
