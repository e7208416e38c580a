//! `#[prompt(...)]` on types and fields.

use proc_macro2::{Span, TokenStream};
use prompty_core::diagnostic::Code;
use prompty_core::message::{Role, ThreadRoles};
use quote::quote;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr, Path, Token, Type, parenthesized, token};

use super::expression::Expression;
use crate::errors::{Errors, error_with_help, suggestion};
use crate::model::{Head, HostFunction, PromptOptions, TypeReplacement};
use crate::source::is_inline;

/// The options in `#[prompt(...)]` on a field.
#[derive(Default)]
pub(crate) struct FieldOptions {
    /// `rename = "firstName"`
    pub(crate) rename: Option<LitStr>,
    /// `default = expression`
    pub(crate) default: Option<Expression>,
    /// `kind = "image"`
    pub(crate) kind: Option<LitStr>,
    /// `roles(system, user)`: the roles that the thread allows.
    pub(crate) roles: Option<Vec<Ident>>,
    /// `text`: the value of the field is a text prompt.
    pub(crate) text: bool,
    /// `skip`: the field is not an input.
    pub(crate) skip: bool,
}

/// The keys on a type, each with its syntax for help lines; empty if no help line shows it.
const TYPE_KEYS: [(&str, &str); 26] = [
    ("path", "path = \"prompts/name.prompty\""),
    ("source", "source = \"user:\\n{{ question }}\""),
    ("format", "format = \"mustache\""),
    ("parser", "parser = \"message-tags\""),
    ("text", "text"),
    ("role", "role = \"user\""),
    ("white_space", "white_space = \"keep\""),
    ("strict", "strict"),
    ("templates", ""),
    ("trim_blocks", ""),
    ("lstrip_blocks", ""),
    ("allow", "allow(unused_input)"),
    ("registry", "registry = path::to::function"),
    ("filters", "filters(shout)"),
    ("tests", "tests(polite)"),
    ("functions", "functions(today, \"time.add\"(date, days))"),
    ("formats", "formats(liquid)"),
    ("parsers", "parsers(own)"),
    ("compiled", "compiled"),
    ("output", "output = Answer"),
    ("output_schema", "output_schema"),
    ("max_chars", "max_chars = 4000"),
    ("max_tokens", "max_tokens = 1000"),
    ("no_prelude", "no_prelude"),
    ("types", ""),
    ("crate", "crate = facade::path"),
];
const FIELD_KEYS: [&str; 6] = ["rename", "default", "kind", "roles", "text", "skip"];

/// Common other names for keys, each with the key's name here.
const OTHER_NAMES: [(&str, &str); 8] = [
    ("template", "source"),
    ("inline", "source"),
    ("content", "source"),
    ("file", "path"),
    ("filename", "path"),
    ("src", "path"),
    ("ignore", "skip"),
    ("name", "rename"),
];

/// The syntax of other keys, for help lines.
const OTHER_SYNTAX: [(&str, &str); 7] = [
    ("slots", "slots(system = \"Be brief.\")"),
    ("slot", "slot = \"info\""),
    ("title", "title = \"STYLE\""),
    ("part", "part"),
    ("rename", "rename = \"firstName\""),
    ("kind", "kind = \"image\""),
    ("skip", "skip"),
];

/// Whether a key of a type configures its template.
#[cfg(feature = "slots")]
pub(crate) fn is_key_of_template(key: &str) -> bool {
    is_type_key(key) && !["output", "crate"].contains(&key)
}

/// Whether a name is an option of a type.
pub(crate) fn is_type_key(name: &str) -> bool {
    TYPE_KEYS.iter().any(|(key, _)| *key == name)
}

/// Reads the options of a type from all its `#[prompt(...)]` attributes.
pub(crate) fn read_type_options(attributes: &[Attribute], errors: &mut Errors) -> PromptOptions {
    let mut options = PromptOptions::default();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("prompt")) {
        errors.keep(read_keys(attribute, |meta| type_option(&mut options, meta)));
    }
    check_allowed(&options, errors);
    options
}

/// Reads the options of a `prompt!`, whose text and facade are not in its attributes.
pub(crate) fn read_macro_options(head: &Head, errors: &mut Errors) -> PromptOptions {
    let mut options = read_type_options(&head.attributes, errors);
    options.text = options.text.or(head.text);
    let texts = [("path", &options.path), ("source", &options.source)];
    let texts = texts.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?.span())));
    let facade = options.facade.as_ref().map(|path| ("crate", path.span()));
    for (key, span) in texts.chain(facade) {
        let message = format!("`{key}` cannot be used in `prompt!`");
        let help = match key {
            "crate" => "remove it: `prompt!` knows the path of the facade",
            _ => "remove it, and write the path or the text after the name",
        };
        errors.add(span, &message, help);
    }
    options
}

/// Reads the keys in an attribute. An error about a value shows the syntax of the key.
pub(crate) fn read_keys(
    attribute: &Attribute,
    mut read: impl FnMut(&ParseNestedMeta<'_>) -> syn::Result<()>,
) -> syn::Result<()> {
    check_keys(attribute)?;
    attribute.parse_nested_meta(|meta| {
        let read_all = read(&meta).and_then(|()| match meta.input {
            input if input.is_empty() || input.peek(Token![,]) => Ok(()),
            input => Err(input.error("unexpected value of a key")),
        });
        read_all.map_err(|error| with_syntax(error, &meta))
    })
}

/// Replaces an error of syn about a value. Errors with a help line stay.
fn with_syntax(error: syn::Error, meta: &ParseNestedMeta<'_>) -> syn::Error {
    let has_help = error.to_string().contains("= help: ");
    let Some(syntax) = syntax_of(meta).filter(|_| !has_help) else { return error };
    let key = key_of(meta);
    let (message, help) = if syntax == key {
        let help = format!("write only `{key}`, or remove it");
        (format!("`{key}` does not take a value"), help)
    } else {
        let for_file = if key == "source" { ", or use `path` for a file" } else { "" };
        (format!("invalid value of `{key}`"), format!("write `{syntax}`{for_file}"))
    };
    error_with_help(error.span(), &message, &help)
}

/// The syntax of a key.
fn syntax_of(meta: &ParseNestedMeta<'_>) -> Option<&'static str> {
    let key = meta.path.get_ident()?;
    let mut known = TYPE_KEYS.iter().chain(&OTHER_SYNTAX);
    known.find(|(name, syntax)| key == name && !syntax.is_empty()).map(|(_, syntax)| *syntax)
}

/// Checks that an attribute contains keys. `#[prompt("…")]`, `#[prompt = "…"]` and `#[prompt]` are
/// errors.
fn check_keys(attribute: &Attribute) -> syn::Result<()> {
    let text = match &attribute.meta {
        syn::Meta::List(list) => match syn::parse2::<LitStr>(list.tokens.clone()) {
            Ok(text) => Some(text),
            Err(_) => return Ok(()),
        },
        syn::Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.clone()),
            _ => None,
        },
        syn::Meta::Path(_) => None,
    };
    let help = match &text {
        Some(text) if is_inline(&text.value()) => "write `#[prompt(source = \"…\")]`",
        Some(_) => "write `#[prompt(path = \"…\")]`",
        None => "write `#[prompt(path = \"prompts/name.prompty\")]`",
    };
    let span = text.map_or_else(|| attribute.span(), |text| text.span());
    Err(error_with_help(span, "expected keys in parentheses after `prompt`", help))
}

/// Reads a key of a type.
fn type_option(options: &mut PromptOptions, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    let key = key_of(meta);
    match key.as_str() {
        "path" => set(&mut options.path, meta)?,
        "source" => set(&mut options.source, meta)?,
        "format" => set(&mut options.format, meta)?,
        "parser" => set(&mut options.parser, meta)?,
        "crate" => read_facade(&mut options.facade, meta)?,
        "registry" => set(&mut options.registry, meta)?,
        "white_space" => set(&mut options.white_space, meta)?,
        "role" => set(&mut options.role, meta)?,
        "text" => set_text(&mut options.text, meta)?,
        "strict" => options.strict = true,
        "templates" => set(&mut options.templates, meta)?,
        "trim_blocks" => options.trim_blocks = true,
        "lstrip_blocks" => options.lstrip_blocks = true,
        "no_prelude" => options.no_prelude = true,
        "compiled" => options.compiled = Some(meta.path.span()),
        "output" => read_output(&mut options.output, meta)?,
        "output_schema" => options.output_schema = Some(meta.path.span()),
        "max_chars" => set(&mut options.max_chars, meta)?,
        "max_tokens" => set(&mut options.max_tokens, meta)?,
        "allow" => names(&mut options.allow, meta)?,
        "filters" => names(&mut options.filters, meta)?,
        "tests" => names(&mut options.tests, meta)?,
        "functions" => extend(&mut options.functions, meta, function)?,
        "formats" => names(&mut options.formats, meta)?,
        "parsers" => names(&mut options.parsers, meta)?,
        "types" => extend(&mut options.types, meta, replacement)?,
        "rename" | "default" | "kind" | "roles" | "skip" => {
            let help = "move it to the field";
            let message = format!("`{key}` can only be used on a field");
            return Err(error_with_help_at(meta, &message, help));
        }
        _ => return Err(unknown_key(meta, "a type", &TYPE_KEYS.map(|(key, _)| key))),
    }
    Ok(())
}

/// Reads `text`. With a value, it was probably meant as `source`.
fn set_text(slot: &mut Option<Span>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        let message = "`text` does not take a value";
        let help = "write `source = \"…\"` for the text of the template; `text` alone makes it a text \
                    prompt";
        return Err(error_with_help_at(meta, message, help));
    }
    *slot = Some(meta.path.span());
    Ok(())
}

/// Reads `output = Answer`.
pub(crate) fn read_output(slot: &mut Option<Type>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if !cfg!(feature = "output") {
        let help = "enable the feature `output` of `typed-prompty`";
        return Err(error_with_help_at(meta, "typed outputs are not enabled", help));
    }
    set(slot, meta)
}

/// Reads the options of a field from all its `#[prompt(...)]` attributes.
pub(crate) fn read_field_options(attributes: &[Attribute], errors: &mut Errors) -> FieldOptions {
    let mut options = FieldOptions::default();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("prompt")) {
        errors.keep(read_keys(attribute, |meta| {
            match key_of(meta).as_str() {
                "rename" => set(&mut options.rename, meta)?,
                "default" => set(&mut options.default, meta)?,
                "kind" => set(&mut options.kind, meta)?,
                "roles" => read_roles(&mut options.roles, meta)?,
                "text" => options.text = true,
                "skip" => options.skip = true,
                key if is_type_key(key) => {
                    let help = "move it above the struct";
                    let message = format!("`{key}` can only be used on the type");
                    return Err(error_with_help_at(meta, &message, help));
                }
                _ => return Err(unknown_key(meta, "a field", &FIELD_KEYS)),
            }
            Ok(())
        }));
    }
    options
}

/// Reads the roles in all `#[prompt(roles(…))]` attributes of a thread among messages.
pub(crate) fn read_thread_roles(attributes: &[Attribute]) -> syn::Result<Option<ThreadRoles>> {
    let mut found = None;
    for attribute in attributes {
        if !attribute.path().is_ident("prompt") {
            let help =
                "remove it; only `#[prompt(roles(…))]` can be used on a thread among messages";
            let message = "this attribute does not apply to a thread";
            return Err(error_with_help(attribute.path().span(), message, help));
        }
        attribute.parse_nested_meta(|meta| match meta.path.is_ident("roles") {
            true => read_roles(&mut found, &meta),
            false => Err(unknown_key(&meta, "a thread", &["roles"])),
        })?;
    }
    found.as_deref().map(thread_roles).transpose()
}

/// The roles with these names.
pub(crate) fn thread_roles(names: &[Ident]) -> syn::Result<ThreadRoles> {
    for ident in names {
        let name = ident.unraw().to_string();
        if let Some(usual) = ThreadRoles::suggest_role(&name) {
            let message = format!("unknown role `{name}`");
            let help = format!("a role with a similar name exists: `{usual}`");
            return Err(error_with_help(ident.span(), &message, &help));
        }
    }
    Ok(ThreadRoles::new(names.iter().map(|name| Role::from(&*name.unraw().to_string()))))
}

/// Reads `roles(system, user)`.
pub(crate) fn read_roles(
    slot: &mut Option<Vec<Ident>>,
    meta: &ParseNestedMeta<'_>,
) -> syn::Result<()> {
    if slot.is_some() {
        return Err(error_with_help_at(meta, "`roles` is specified twice", "remove one of them"));
    }
    let mut list = Vec::new();
    names(&mut list, meta)?;
    if list.is_empty() {
        let help = "write, for example, `roles(system, user, assistant, tool)`";
        return Err(error_with_help_at(meta, "`roles` needs at least one role", help));
    }
    *slot = Some(list);
    Ok(())
}

pub(crate) fn unknown_key(meta: &ParseNestedMeta<'_>, place: &str, known: &[&str]) -> syn::Error {
    let key = key_of(meta);
    let message = format!("unknown key `{key}` of `prompt` on {place}");
    let other = OTHER_NAMES.iter().find(|(other, name)| key == *other && known.contains(name));
    let help = match other {
        Some((_, name)) => format!("use the key `{name}`"),
        None => suggestion("a key", &key, known),
    };
    error_with_help_at(meta, &message, &help)
}

/// The name of a key.
pub(crate) fn key_of(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(ToString::to_string).unwrap_or_default()
}

/// The path to the facade: the given one, or that of the published crate.
pub(crate) fn facade(path: Option<&Path>) -> TokenStream {
    path.map_or_else(|| quote!(::typed_prompty), |path| quote!(#path))
}

/// The error for an unknown key of `#[attribute(...)]`.
#[cfg(any(feature = "output", feature = "tools"))]
pub(crate) fn unknown_key_of(
    attribute: &str,
    meta: &ParseNestedMeta<'_>,
    place: &str,
    known: &[&str],
) -> syn::Error {
    let key = key_of(meta);
    let message = format!("unknown key `{key}` of `{attribute}` on {place}");
    error_with_help_at(meta, &message, &suggestion("a key", &key, known))
}

/// Skips the value of a key of another macro.
#[cfg(any(feature = "output", feature = "tools"))]
pub(crate) fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(token::Paren) {
        let content;
        parenthesized!(content in meta.input);
        content.parse::<TokenStream>()?;
    }
    Ok(())
}

/// Adds the items of a list in parentheses.
pub(crate) fn extend<T>(
    list: &mut Vec<T>,
    meta: &ParseNestedMeta<'_>,
    item: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<()> {
    let content;
    parenthesized!(content in meta.input);
    list.extend(content.parse_terminated(item, Token![,])?);
    Ok(())
}

fn error_with_help_at(meta: &ParseNestedMeta<'_>, message: &str, help: &str) -> syn::Error {
    error_with_help(meta.path.span(), message, help)
}

/// Reads `crate = facade::path`.
pub(crate) fn read_facade(slot: &mut Option<Path>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    let mut path = slot.take().map(PathOrText);
    set(&mut path, meta)?;
    *slot = path.map(|path| path.0);
    Ok(())
}

/// `facade::path` or `"facade::path"`.
pub(crate) struct PathOrText(pub(crate) Path);

impl Parse for PathOrText {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse::<LitStr>()?.parse_with(Path::parse_mod_style).map(Self);
        }
        input.call(Path::parse_mod_style).map(Self)
    }
}

/// Reads `derive(Clone, Hash)`.
#[cfg(any(feature = "output", feature = "tools"))]
pub(crate) fn read_derives(paths: &mut Vec<Path>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    extend(paths, meta, Path::parse)
}

/// Reads the value of a key, which may occur only once.
pub(crate) fn set<T: Parse>(slot: &mut Option<T>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if slot.is_some() {
        let key = key_of(meta);
        let message = format!("`{key}` is specified twice");
        return Err(error_with_help_at(meta, &message, "remove one of them"));
    }
    *slot = Some(meta.value()?.parse()?);
    Ok(())
}

/// Reads names such as `filters(shout, whisper)`.
fn names(list: &mut Vec<Ident>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    extend(list, meta, Ident::parse_any)
}

/// Reads a function in `functions(today, "time.now", "time.add"(date, days))`.
fn function(input: ParseStream<'_>) -> syn::Result<HostFunction> {
    let name = if input.peek(LitStr) {
        input.parse::<LitStr>()?.value()
    } else {
        Ident::parse_any(input)?.unraw().to_string()
    };
    let parameters = if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        let names = content.parse_terminated(Ident::parse_any, Token![,])?;
        Some(names.iter().map(|name| name.unraw().to_string()).collect())
    } else {
        None
    };
    Ok(HostFunction { name, parameters })
}

/// Reads a type in `types(passages = Passage, order.lines = Line, "other-input" = Other)`.
fn replacement(input: ParseStream<'_>) -> syn::Result<TypeReplacement> {
    let (path, span) = if input.peek(LitStr) {
        let path: LitStr = input.parse()?;
        (path.value(), path.span())
    } else {
        let first = Ident::parse_any(input)?;
        let mut path = first.unraw().to_string();
        while input.parse::<Option<Token![.]>>()?.is_some() {
            path.push('.');
            path.push_str(&Ident::parse_any(input)?.unraw().to_string());
        }
        (path, first.span())
    };
    input.parse::<Token![=]>()?;
    Ok(TypeReplacement { path, span, ty: input.parse()? })
}

/// Checks that every name in `allow(...)` is a lint.
fn check_allowed(options: &PromptOptions, errors: &mut Errors) {
    for name in &options.allow {
        let text = name.to_string();
        match Code::from_name(&text) {
            None => {
                let known = Code::ALL.iter().copied().filter(|code| can_allow(*code));
                let known: Vec<&str> = known.map(Code::name).collect();
                let message = format!("unknown lint `{text}`");
                let help = suggestion("a lint", &text, &known);
                errors.add(name.span(), &message, &help);
            }
            Some(code) if !can_allow(code) => {
                let message = format!("`{text}` cannot be allowed");
                errors.add(name.span(), &message, "remove it and fix the prompt");
            }
            Some(_) => {}
        }
    }
}

fn can_allow(code: Code) -> bool {
    prompty_check::check::AllowedCodes::can_allow(code)
}

/// The text of the doc comments in a list of attributes.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let lines = doc_parts(attributes).filter_map(doc_line);
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The values of `#[doc = …]`, which is the form of doc comments in attributes.
pub(crate) fn doc_parts(attributes: &[Attribute]) -> impl Iterator<Item = &Expr> {
    attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    })
}

/// A line of a doc comment; `None` if the value is a macro call that rustc has not expanded yet.
pub(crate) fn doc_line(part: &Expr) -> Option<String> {
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = part else { return None };
    let text = text.value();
    // Like rustdoc, this removes one space. Deeper indentation belongs to a list or to code.
    let text = text.strip_prefix(' ').unwrap_or(&text);
    Some(text.trim_end().to_owned())
}
