//! Compiles a checked template into Rust code that writes its messages.
//!
//! The code calls a writer of the runtime crate: role boundaries are statements, literals are
//! static strings, and values are printed into the text of a message. No rendered text is split
//! into messages afterwards. So no input can forge a role boundary, and the program needs neither
//! a template engine nor random numbers.
//!
//! A template with a construct outside this subset is rendered completely by the template engine,
//! for an [`EngineReason`]. Both ways must give the same messages, byte for byte, so a change to
//! one of them needs a change to the other. `tests/agreement` writes
//! the program of the fixture `agreement`, which compares them.

mod blocks;
mod conditions;
mod helpers;
mod loops;
mod nodes;
mod places;
mod plain;
mod runs;
mod sections;
#[cfg(test)]
mod tests;
mod values;

use std::cell::RefCell;
use std::collections::BTreeMap;

use blocks::Block;
use loops::{Counter, LoopCounters};
use places::PlaceExpr;
use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::definition::restricts_beyond_kind;
use prompty_core::diagnostic::{Diagnostic, SourceSpan};
use prompty_core::message::RichKind;
use prompty_template::role_markers::{self, TemplateMarker};
use prompty_template::tree::Expr;
use prompty_template::{Template, jinja};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;

use super::site::{Ability, Site, Sites};
use super::{CheckedPrompt, output, project};
use crate::check::CheckedTemplate;
use crate::model::{InputField, Prompt};
use crate::source::Source;

/// The reason why the engine renders a template, as in the documentation: ``the filter `sort` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EngineReason(pub(crate) String);

/// The code of a template.
pub(crate) struct CompiledTemplate {
    /// An expression of type `Vec<Message>`. It reads the prompt through the variable `prompt`, a
    /// reference.
    pub(crate) messages: TokenStream,
    /// An expression of type `usize`: the approximate number of bytes in the texts.
    pub(crate) size: TokenStream,
    /// Items next to the implementation: the traits of its places, and functions.
    pub(crate) outside: TokenStream,
    /// The number of characters that the template always writes.
    pub(crate) fixed_characters: usize,
}

/// How the messages of a prompt are rendered.
pub(crate) enum Rendering {
    /// By straight-line code.
    Compiled(CompiledTemplate),
    /// By the template engine, for a reason.
    Engine(EngineReason),
}

impl Rendering {
    /// The sentence for the documentation of the implementation.
    pub(crate) fn documentation(&self) -> String {
        match self {
            Self::Compiled(_) => "Renders: compiled".to_owned(),
            Self::Engine(EngineReason(reason)) => format!("Renders: engine, because of {reason}"),
        }
    }

    /// The reason why the engine renders the template, if it does.
    pub(crate) fn engine_reason(&self) -> Option<&str> {
        match self {
            Self::Compiled(_) => None,
            Self::Engine(EngineReason(reason)) => Some(reason),
        }
    }
}

type Result<T> = std::result::Result<T, EngineReason>;
/// Generated code.
type Tokens = Result<TokenStream>;

fn reason<T>(text: impl Into<String>) -> Result<T> {
    Err(EngineReason(text.into()))
}

/// Generates the code of a checked template.
///
/// # Errors
///
/// Returns an error for the first construct that straight-line code does not support.
pub(crate) fn compile(known: CheckedPrompt<'_>) -> Result<CompiledTemplate> {
    let CheckedPrompt { facade, prompt, source, checked } = known;
    let definition = &checked.definition;
    let format = definition.template.format.as_str();
    let Some(language) = CompiledLanguage::of_format(format) else {
        return reason(format!("the format `{format}`"));
    };
    // The writer of messages supports only role lines. With message tags, white space at the ends
    // of messages and parts may be dropped. That depends on the printed values, so the parser of
    // tags decides it.
    if definition.template.parser != "prompty" {
        let parser = &definition.template.parser;
        return reason(format!("the parser `{parser}`"));
    }
    if definition.template.strict {
        return reason("`strict`, which checks the lines of inputs");
    }
    if let Some(input) =
        definition.inputs.iter().find(|it| it.schema.as_ref().is_some_and(restricts_beyond_kind))
    {
        return reason(format!(
            "the JSON schema of `{}`, which is checked at run time",
            input.name
        ));
    }
    let text = &*checked.report.text;
    let Some(template) = &checked.report.template else {
        return reason("the errors in its template");
    };
    let markers = role_markers::find(text, template);
    if let Some(input) = defaulted_by_front_matter(prompt, checked) {
        return reason(format!("the default of `{input}`, which is not a field"));
    }
    let span = source.code_span();
    let sites = &Sites::default();
    let markers = &markers;
    let runs = RefCell::default();
    let unguarded = project::unguarded(&checked.report.uses);
    let compiler = Compiler {
        language,
        unguarded,
        facade,
        prompt,
        source,
        checked,
        text,
        markers,
        span,
        sites,
        runs,
    };
    compiler.template(template)
}

/// A template language that can be compiled to code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompiledLanguage {
    Handlebars,
    Jinja,
    Mustache,
    SemanticKernel,
}

impl CompiledLanguage {
    fn of_format(format: &str) -> Option<Self> {
        match format {
            "handlebars" => Some(Self::Handlebars),
            "mustache" => Some(Self::Mustache),
            "semantic-kernel" => Some(Self::SemanticKernel),
            "jinja2" | "nunjucks" => Some(Self::Jinja),
            _ => None,
        }
    }
}

/// The number of characters that the template of a prompt always writes.
pub(crate) fn fixed_characters(checked: &CheckedTemplate) -> usize {
    let text = checked.definition.instructions.as_str();
    match &checked.report.template {
        Some(template) => {
            let text = &*checked.report.text;
            nodes::fixed_characters(&template.nodes, &role_markers::find(text, template))
        }
        // A format of the host: text outside of Jinja tags counts as fixed.
        None => jinja::syntax::parse(text).map_or(0, |template| {
            nodes::fixed_characters(&template.nodes, &role_markers::find(text, &template))
        }),
    }
}

/// An input for which the front matter has a default and the struct has no field.
fn defaulted_by_front_matter<'a>(prompt: &Prompt, checked: &'a CheckedTemplate) -> Option<&'a str> {
    let names = checked.report.uses.inputs.iter().map(|(name, _)| name.as_str());
    let is_given = |name: &str| {
        prompt.inputs.iter().any(|input| input.name() == name) || output::is_variable(prompt, name)
    };
    let mut missing = names.filter(|name| !is_given(name));
    missing.next()
}

/// The context that the parts of this module share.
struct Compiler<'a> {
    language: CompiledLanguage,
    facade: &'a TokenStream,
    prompt: &'a Prompt,
    source: &'a Source,
    checked: &'a CheckedTemplate,
    text: &'a str,
    markers: &'a [TemplateMarker],
    span: Span,
    sites: &'a Sites,
    /// The functions of runs, by the byte at which each run begins.
    runs: RefCell<BTreeMap<usize, TokenStream>>,
    /// The checker's diagnostics about unguarded values, by their places.
    unguarded: BTreeMap<SourceSpan, &'a Diagnostic>,
}

/// The meaning of names at a place of the template.
#[derive(Clone, Default)]
struct Scope {
    /// The names that the template binds, the innermost last.
    variables: Vec<Variable>,
    /// The values of Mustache's sections, the innermost last.
    contexts: Vec<PlaceExpr>,
    /// The blocks of Handlebars, the innermost last.
    blocks: Vec<Block>,
    /// The innermost loop.
    current_loop: Option<LoopCounters>,
    depth: usize,
    /// Whether the text is written into a message of the user or the assistant, and not into
    /// instructions.
    from_user: bool,
    /// Whether the statements are in a branch, so that they do not always run.
    is_branch: bool,
}

/// A name that the template binds.
#[derive(Clone)]
struct Variable {
    name: String,
    binding: Binding,
}

/// The binding of a name.
#[derive(Clone)]
enum Binding {
    /// A place: an item of a list, or a value that `set` binds to another name.
    Place(PlaceExpr),
    /// A constant.
    Constant(Expr),
    /// The index of a loop, counted from 0.
    Counter(Counter),
}

impl Scope {
    fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rev().find(|variable| variable.name == name)
    }

    fn bind(&mut self, name: &str, binding: Binding) {
        self.variables.push(Variable { name: name.to_owned(), binding });
    }
}

impl Compiler<'_> {
    fn input(&self, name: &str) -> Option<&InputField> {
        self.prompt.inputs.iter().find(|input| input.name() == name)
    }

    fn template(&self, template: &Template) -> Result<CompiledTemplate> {
        let span = self.span;
        let facade = self.facade;
        let messages = match self.plain(template)? {
            Some(messages) => messages,
            None => self.messages(template)?,
        };
        let sizes = self.body(&template.nodes, &Scope::default(), nodes::Sink::Sizer)?;
        let size = quote_spanned! {span=> {
            let mut size = #facade::__private::Sizer::default();
            #sizes
            size.bytes()
        }};
        let fixed_characters = nodes::fixed_characters(&template.nodes, self.markers);
        let outside = self.sites.items().into_iter().chain(self.run_functions()).collect();
        Ok(CompiledTemplate { messages, size, outside, fixed_characters })
    }

    /// Generates the messages of any template.
    fn messages(&self, template: &Template) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let body = self.body(&template.nodes, &Scope::default(), nodes::Sink::Writer)?;
        let count = self.markers.len() + 1;
        let threads =
            self.prompt.inputs.iter().filter(|input| input.rich() == Some(RichKind::Thread));
        let threads = threads.map(|input| {
            let thread = self.thread(input);
            quote_spanned!(span=> + #thread.len())
        });
        let threads: TokenStream = threads.collect();
        Ok(quote_spanned! {span=> {
            let mut writer = #facade::__private::MessageWriter::with_capacity(#count #threads);
            #body
            writer.finish()?
        }})
    }

    /// The name of a field with the span of the template's code.
    fn field_here(&self, field: &Ident) -> Ident {
        let mut field = field.clone();
        field.set_span(self.span);
        field
    }

    /// The messages of a thread, as a slice. An error about its type points at the field, not at
    /// the template.
    fn thread(&self, input: &InputField) -> TokenStream {
        let span = Span::call_site().located_at(input.ty.span());
        let (facade, mut field) = (self.facade, input.field.clone());
        field.set_span(span);
        quote_spanned!(span=> {
            use #facade::__private::rich::AsThread;
            let given = &prompt.#field;
            AsThread::as_thread(given)
        })
    }

    /// The media of an input, if it is set.
    fn media(&self, input: &InputField) -> TokenStream {
        let span = Span::call_site().located_at(input.ty.span());
        let (facade, mut field) = (self.facade, input.field.clone());
        field.set_span(span);
        quote_spanned!(span=> {
            use #facade::__private::rich::ToMedia;
            let given = &prompt.#field;
            ToMedia::to_media(given)
        })
    }

    /// The site at which a template uses a value.
    fn site(&self, ability: Ability, place: &PlaceExpr) -> Site<'_> {
        Site {
            facade: self.facade,
            source: self.source,
            prompt: self.prompt,
            sites: self.sites,
            ability,
            at: Some(place.at.in_source(self.checked.definition.body)),
            is_plain: project::is_plain(self.prompt, &place.value_type),
            diagnostic: None,
        }
    }

    fn ident(&self, name: &str, depth: usize) -> Ident {
        format_ident!("__{name}_{depth}", span = self.span)
    }
}
