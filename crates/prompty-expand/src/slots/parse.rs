//! Reads a struct whose fields fill slots, and its attributes.

use proc_macro2::{Span, TokenStream};
use prompty_check::definition::ValueType;
use prompty_core::diagnostic::Diagnostic;
use prompty_core::message::ThreadRoles;
use prompty_core::slots::{Slot, declaration};
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
pub(super) struct SlotPromptDeclaration {
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) facade: TokenStream,
    /// `slots(system = "…")`: the author's texts.
    pub(super) texts: Vec<SlotText>,
    pub(super) fields: Vec<SlotField>,
    /// `output = Answer`: the type that the model must answer with.
    pub(super) output: Option<Type>,
    /// `part`: it is only sent together with other slots.
    pub(super) is_part: bool,
}

/// The author's text in a slot.
pub(super) struct SlotText {
    pub(super) target: BlockTarget,
    /// The span of the slot's name.
    pub(super) span: Span,
    pub(super) text: LitStr,
}

/// A block of the prompt.
#[derive(Clone)]
pub(super) enum BlockTarget {
    Slot(Slot),
    /// A block with the author's own title.
    Title(String),
}

impl BlockTarget {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Slot(slot) => slot.name(),
            Self::Title(title) => title,
        }
    }
}

/// A field and the destination of its value.
pub(super) struct SlotField {
    pub(super) ident: Ident,
    pub(super) ty: Type,
    /// The type of its values, derived from the name of its Rust type.
    pub(super) value_type: ValueType,
    pub(super) destination: FieldDestination,
}

impl SlotField {
    /// The field's name, which is also the name of its placeholders.
    pub(super) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

/// The destination of a field's value.
pub(super) enum FieldDestination {
    /// A block. The span is that of the block's name.
    Block(BlockTarget, Span),
    /// The history. Its messages must have one of these roles.
    History(ThreadRoles, Span),
    /// The placeholders with the field's name.
    Placeholders,
    Nowhere,
}

/// Reads the struct.
pub(super) fn read_declaration(input: &DeriveInput, errors: &mut Errors) -> SlotPromptDeclaration {
    let mut prompt = SlotPromptDeclaration {
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

fn type_keys(prompt: &mut SlotPromptDeclaration, attributes: &[Attribute], errors: &mut Errors) {
    let mut facade: Option<PathOrText> = None;
    for attribute in attributes.iter().filter(|it| it.path().is_ident("prompt")) {
        let mut texts = Vec::new();
        let result = attributes::read_keys(attribute, |meta| {
            match attributes::key_of(meta).as_str() {
                "slots" => attributes::extend(&mut texts, meta, SlotAssignment::parse)?,
                "output" => attributes::read_output(&mut prompt.output, meta)?,
                "part" => prompt.is_part = true,
                "crate" => set(&mut facade, meta)?,
                key if attributes::is_key_of_template(key) => {
                    return Err(template_key_error(meta, key));
                }
                _ => return Err(attributes::unknown_key(meta, "a prompt with slots", &TYPE_KEYS)),
            }
            Ok(())
        });
        errors.keep(result);
        let read = texts.into_iter().filter_map(|written| errors.keep(written.read()));
        prompt.texts.extend(read);
    }
    prompt.facade = attributes::facade(facade.map(|path| path.0).as_ref());
}

/// The error for a key of templates, such as `path`.
fn template_key_error(meta: &ParseNestedMeta<'_>, key: &str) -> syn::Error {
    let message = format!("`{key}` can only be used with a template, but this prompt has slots");
    let help = "remove `{key}`, or remove the slots";
    error_with_help(meta.path.span(), &message, help)
}

/// `system = "…"`, or with the author's own title `"STYLE" = "…"`.
struct SlotAssignment {
    name: BlockName,
    text: LitStr,
}

enum BlockName {
    Slot(Ident),
    Title(LitStr),
}

impl Parse for SlotAssignment {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = match input.peek(LitStr) {
            true => BlockName::Title(input.parse()?),
            false => BlockName::Slot(input.call(Ident::parse_any)?),
        };
        input.parse::<Token![=]>()?;
        Ok(Self { name, text: input.parse()? })
    }
}

impl SlotAssignment {
    fn read(self) -> syn::Result<SlotText> {
        let (target, span) = match &self.name {
            BlockName::Slot(name) => (
                slot(&name.unraw().to_string(), name.span(), |name| format!("\"{name}\" = \"…\""))?,
                name.span(),
            ),
            BlockName::Title(title) => (self::title(title)?, title.span()),
        };
        Ok(SlotText { target, span, text: self.text })
    }
}

fn fields(fields: &Fields, parameters: &[String], errors: &mut Errors) -> Vec<SlotField> {
    if let Fields::Unnamed(fields) = fields {
        let help = "name the fields: `struct Ask { #[prompt(slot = \"input\")] question: String }`";
        errors.add(fields.span(), "the fields of a prompt need names", help);
    }
    let fields = fields.iter();
    fields.filter_map(|field| slot_field(field, parameters, errors)).collect()
}

fn slot_field(field: &Field, parameters: &[String], errors: &mut Errors) -> Option<SlotField> {
    let ident = field.ident.clone()?;
    let destination = read_destination(&field.attrs, errors)?;
    let value_type = value_type_of(&field.ty, parameters);
    Some(SlotField { ident, ty: field.ty.clone(), value_type, destination })
}

/// Reads `#[prompt(slot = "info")]`, `#[prompt(title = "STYLE")]` or `#[prompt(skip)]`.
fn read_destination(attributes: &[Attribute], errors: &mut Errors) -> Option<FieldDestination> {
    let (mut in_slot, mut titled) = (None::<LitStr>, None::<LitStr>);
    let (mut roles, mut skip) = (None::<Vec<Ident>>, None::<Span>);
    for attribute in attributes.iter().filter(|it| it.path().is_ident("prompt")) {
        let result = attributes::read_keys(attribute, |meta| {
            match attributes::key_of(meta).as_str() {
                "slot" => set(&mut in_slot, meta)?,
                "title" => set(&mut titled, meta)?,
                "roles" => attributes::read_roles(&mut roles, meta)?,
                "skip" => skip = Some(meta.path.span()),
                _ => {
                    let place = "a field of a prompt with slots";
                    return Err(attributes::unknown_key(meta, place, &FIELD_KEYS));
                }
            }
            Ok(())
        });
        errors.keep(result)?;
    }
    let destination = match (in_slot, titled, skip) {
        (None, None, None) => Ok(FieldDestination::Placeholders),
        (None, None, Some(_)) => Ok(FieldDestination::Nowhere),
        (Some(name), None, None) => in_block(&name, roles.as_deref()),
        (None, Some(title), None) => {
            self::title(&title).map(|it| FieldDestination::Block(it, title.span()))
        }
        (Some(_), Some(second), _) => Err(conflicting_keys(second.span())),
        (_, _, Some(second)) => Err(conflicting_keys(second)),
    };
    let destination = errors.keep(destination)?;
    if let (Some(first), false) =
        (roles.iter().flatten().next(), matches!(destination, FieldDestination::History(..)))
    {
        let help = "use it on a field for the history: `#[prompt(slot = \"chat_history\", \
                    roles(system, user))]`";
        errors.add(first.span(), "only a history can have `roles`", help);
    }
    Some(destination)
}

/// The destination of `slot = "name"`.
fn in_block(name: &LitStr, roles: Option<&[Ident]>) -> syn::Result<FieldDestination> {
    let titled = |name: &str| format!("title = \"{name}\"");
    let target = slot(&name.value(), name.span(), titled)?;
    if !matches!(target, BlockTarget::Slot(Slot::ChatHistory)) {
        return Ok(FieldDestination::Block(target, name.span()));
    }
    let roles = roles.map(attributes::thread_roles).transpose()?;
    Ok(FieldDestination::History(roles.unwrap_or_default(), name.span()))
}

fn conflicting_keys(span: Span) -> syn::Error {
    let help = "keep only one of `slot`, `title` and `skip`";
    error_with_help(span, "a field cannot have two destinations", help)
}

/// The slot with a name. `titled` formats the name as the author's own title, for the help.
fn slot(name: &str, span: Span, titled: fn(&str) -> String) -> syn::Result<BlockTarget> {
    declaration::find_slot(name, &titled(name))
        .map(BlockTarget::Slot)
        .map_err(|found| located_error(&found, span))
}

fn title(title: &LitStr) -> syn::Result<BlockTarget> {
    let text = title.value();
    declaration::check_custom_title(&text).map_err(|found| located_error(&found, title.span()))?;
    Ok(BlockTarget::Title(text))
}

/// The error for a diagnostic, at a span of the program.
pub(super) fn located_error(diagnostic: &Diagnostic, span: Span) -> syn::Error {
    error_with_help(span, &diagnostic.message, &diagnostic.help.join("; "))
}
