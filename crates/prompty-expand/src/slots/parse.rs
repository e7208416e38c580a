//! Reads a struct whose fields fill slots.

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::Diagnostic;
use prompty_core::message::ThreadRoles;
use prompty_core::slots::{Slot, declared};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Generics, Ident, LitStr, Token, Type};

use crate::errors::{Errors, error_with_help};
use crate::parse::attributes::{self, PathOrText, set};
use crate::rust_type::{type_parameters, value_type_of};

const TYPE_KEYS: [&str; 4] = ["slots", "output", "part", "crate"];
const FIELD_KEYS: [&str; 4] = ["slot", "title", "roles", "skip"];

/// A struct whose fields fill slots.
pub(super) struct Declaration {
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) facade: TokenStream,
    /// `slots(system = "…")`: texts of the author's.
    pub(super) texts: Vec<Text>,
    pub(super) fields: Vec<Filling>,
    /// `output = Answer`: the type that the model must answer with.
    pub(super) output: Option<Type>,
    /// `part`: it is sent together with other slots only.
    pub(super) is_part: bool,
}

/// A text of the author's in a slot.
pub(super) struct Text {
    pub(super) target: Target,
    /// The place of the slot's name.
    pub(super) span: Span,
    pub(super) text: LitStr,
}

/// A block of the prompt.
#[derive(Clone)]
pub(super) enum Target {
    Slot(Slot),
    /// A block with a title of the author's.
    Title(String),
}

impl Target {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Slot(slot) => slot.name(),
            Self::Title(title) => title,
        }
    }
}

/// A field, and where its value goes.
pub(super) struct Filling {
    pub(super) ident: Ident,
    pub(super) ty: Type,
    /// What its type says by its name.
    pub(super) value_type: ValueType,
    pub(super) place: Place,
}

impl Filling {
    /// The field's name, which placeholders have.
    pub(super) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

/// Where the value of a field goes.
pub(super) enum Place {
    /// Into a block, whose name stands at this place.
    Block(Target, Span),
    /// Into the history, if its messages have these roles.
    History(ThreadRoles, Span),
    /// Into the placeholders of its name.
    Placeholders,
    Nowhere,
}

/// Reads the struct.
pub(super) fn declaration(input: &DeriveInput, errors: &mut Errors) -> Declaration {
    let mut prompt = Declaration {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        facade: TokenStream::new(),
        texts: Vec::new(),
        fields: Vec::new(),
        output: None,
        is_part: false,
    };
    type_keys(&mut prompt, &input.attrs, errors);
    match &input.data {
        Data::Struct(data) => {
            let parameters = type_parameters(&input.generics);
            prompt.fields = fields(&data.fields, &parameters, errors);
        }
        Data::Enum(_) | Data::Union(_) => {
            let help = "a prompt is a struct whose fields fill its slots";
            errors.add(input.ident.span(), "only a struct can be a prompt", help);
        }
    }
    prompt
}

fn type_keys(prompt: &mut Declaration, attributes: &[Attribute], errors: &mut Errors) {
    let mut facade: Option<PathOrText> = None;
    for attribute in attributes.iter().filter(|it| it.path().is_ident("prompt")) {
        let mut texts = Vec::new();
        let result = attributes::nested(attribute, |meta| {
            match meta.path.get_ident().map(ToString::to_string).as_deref() {
                Some("slots") => attributes::extend(&mut texts, meta, WrittenText::parse)?,
                Some("output") => attributes::output(&mut prompt.output, meta)?,
                Some("part") => prompt.is_part = true,
                Some("crate") => set(&mut facade, meta)?,
                Some(key) if attributes::is_key_of_template(key) => {
                    return Err(of_template(meta, key));
                }
                _ => return Err(attributes::unknown_key(meta, "a prompt of slots", &TYPE_KEYS)),
            }
            Ok(())
        });
        errors.keep(result);
        let read = texts.into_iter().filter_map(|written| errors.keep(written.read()));
        prompt.texts.extend(read);
    }
    prompt.facade = attributes::facade(facade.map(|path| path.0).as_ref());
}

/// `path`, `source` and all that is about a template.
fn of_template(meta: &ParseNestedMeta<'_>, key: &str) -> syn::Error {
    let message = format!("`{key}` goes with a template, and this prompt has slots");
    let help = "a prompt is made of a template or of slots: remove the one or the other";
    error_with_help(meta.path.span(), &message, help)
}

/// `system = "…"`, or with a title of the author's `"STYLE" = "…"`.
struct WrittenText {
    name: Name,
    text: LitStr,
}

enum Name {
    Slot(Ident),
    Title(LitStr),
}

impl Parse for WrittenText {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = match input.peek(LitStr) {
            true => Name::Title(input.parse()?),
            false => Name::Slot(input.call(Ident::parse_any)?),
        };
        input.parse::<Token![=]>()?;
        Ok(Self { name, text: input.parse()? })
    }
}

impl WrittenText {
    fn read(self) -> syn::Result<Text> {
        let (target, span) = match &self.name {
            Name::Slot(name) => (
                slot(&name.unraw().to_string(), name.span(), |name| format!("\"{name}\" = \"…\""))?,
                name.span(),
            ),
            Name::Title(title) => (self::title(title)?, title.span()),
        };
        Ok(Text { target, span, text: self.text })
    }
}

fn fields(fields: &Fields, parameters: &[String], errors: &mut Errors) -> Vec<Filling> {
    if let Fields::Unnamed(fields) = fields {
        let help = "name them: `struct Ask { #[prompt(slot = \"input\")] question: String }`";
        errors.add(fields.span(), "the fields of a prompt need names", help);
    }
    let fields = fields.iter();
    fields.filter_map(|field| filling(field, parameters, errors)).collect()
}

fn filling(field: &Field, parameters: &[String], errors: &mut Errors) -> Option<Filling> {
    let ident = field.ident.clone()?;
    let place = place(&field.attrs, errors)?;
    let value_type = value_type_of(&field.ty, parameters);
    Some(Filling { ident, ty: field.ty.clone(), value_type, place })
}

/// Reads `#[prompt(slot = "info")]`, `#[prompt(title = "STYLE")]` or `#[prompt(skip)]`.
fn place(attributes: &[Attribute], errors: &mut Errors) -> Option<Place> {
    let (mut in_slot, mut titled) = (None::<LitStr>, None::<LitStr>);
    let (mut roles, mut skip) = (None::<Vec<Ident>>, None::<Span>);
    for attribute in attributes.iter().filter(|it| it.path().is_ident("prompt")) {
        let result = attributes::nested(attribute, |meta| {
            match meta.path.get_ident().map(ToString::to_string).as_deref() {
                Some("slot") => set(&mut in_slot, meta),
                Some("title") => set(&mut titled, meta),
                Some("roles") => attributes::roles(&mut roles, meta),
                Some("skip") => {
                    skip = Some(meta.path.span());
                    Ok(())
                }
                _ => {
                    Err(attributes::unknown_key(meta, "a field of a prompt of slots", &FIELD_KEYS))
                }
            }
        });
        errors.keep(result)?;
    }
    let place = match (in_slot, titled, skip) {
        (None, None, None) => Ok(Place::Placeholders),
        (None, None, Some(_)) => Ok(Place::Nowhere),
        (Some(name), None, None) => in_block(&name, roles.as_deref()),
        (None, Some(title), None) => self::title(&title).map(|it| Place::Block(it, title.span())),
        (Some(_), Some(second), _) => Err(two_places(second.span())),
        (_, _, Some(second)) => Err(two_places(second)),
    };
    let place = errors.keep(place)?;
    if let (Some(first), false) =
        (roles.iter().flatten().next(), matches!(place, Place::History(..)))
    {
        let help =
            "its messages have roles: `#[prompt(slot = \"chat_history\", roles(system, user))]`";
        errors.add(first.span(), "only a history can have `roles`", help);
    }
    Some(place)
}

fn in_block(name: &LitStr, roles: Option<&[Ident]>) -> syn::Result<Place> {
    let own = |name: &str| format!("title = \"{name}\"");
    let target = slot(&name.value(), name.span(), own)?;
    if !matches!(target, Target::Slot(Slot::ChatHistory)) {
        return Ok(Place::Block(target, name.span()));
    }
    let roles = roles.map(attributes::thread_roles).transpose()?;
    Ok(Place::History(roles.unwrap_or_default(), name.span()))
}

fn two_places(span: Span) -> syn::Error {
    let help = "keep one of `slot`, `title` and `skip`";
    error_with_help(span, "the value of a field goes to one place", help)
}

/// The slot of a name. `own` writes a block of the author's own with that name.
fn slot(name: &str, span: Span, own: fn(&str) -> String) -> syn::Result<Target> {
    declared::slot(name, &own(name)).map(Target::Slot).map_err(|found| told(&found, span))
}

fn title(title: &LitStr) -> syn::Result<Target> {
    let text = title.value();
    declared::title(&text).map_err(|found| told(&found, title.span()))?;
    Ok(Target::Title(text))
}

/// A finding about what has one place in the program.
pub(super) fn told(found: &Diagnostic, span: Span) -> syn::Error {
    error_with_help(span, &found.message, &found.help.join("; "))
}
