//! Compiles a checked template into Rust code that writes its messages.
//!
//! The code calls a writer of the runtime crate: role boundaries are statements, literals are
//! static texts, and values are printed into the text of a message. A template that uses a
//! construct outside this subset is left to the template engine, for a [`Reason`].

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
use loops::{Counter, Loop};
use places::Place;
use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::definition::says_more;
use prompty_core::diagnostic::{Diagnostic, SourceSpan};
use prompty_core::message::RichKind;
use prompty_template::role_markers::{self, TemplateMarker};
use prompty_template::tree::Expr;
use prompty_template::{Template, jinja};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;

use super::site::{Ability, Site, Sites};
use super::{CheckedPrompt, output, project};
use crate::check::Checked;
use crate::model::{InputField, Prompt};
use crate::source::Source;

/// The reason why a template is left to the engine, in the words of the documentation: `the filter
/// 'sort'`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason(pub(crate) String);

/// The code of a template.
pub(crate) struct Compiled {
    /// An expression of type `Vec<Message>`. It reads the prompt through the variable `prompt`, a
    /// reference.
    pub(crate) messages: TokenStream,
    /// An expression of type `usize`: the approximate number of bytes in the texts.
    pub(crate) size: TokenStream,
    /// Items beside the implementation: the traits of its places, and functions.
    pub(crate) outside: TokenStream,
    /// The number of characters that the template always writes.
    pub(crate) fixed_characters: usize,
}

/// How the messages of a prompt are made.
pub(crate) enum Rendering {
    /// By straight-line code.
    Compiled(Compiled),
    /// By the template engine, for a reason.
    Engine(Reason),
}

impl Rendering {
    /// The sentence about this in the documentation of the implementation.
    pub(crate) fn documentation(&self) -> String {
        match self {
            Self::Compiled(_) => "Renders: compiled".to_owned(),
            Self::Engine(Reason(reason)) => format!("Renders: engine, because of {reason}"),
        }
    }

    /// The reason why the template is left to the engine, if it is.
    pub(crate) fn because(&self) -> Option<&str> {
        match self {
            Self::Compiled(_) => None,
            Self::Engine(Reason(reason)) => Some(reason),
        }
    }
}

type Result<T> = std::result::Result<T, Reason>;
/// Generated code.
type Tokens = Result<TokenStream>;

fn reason<T>(text: impl Into<String>) -> Result<T> {
    Err(Reason(text.into()))
}

/// Generates the code of a checked template.
///
/// # Errors
///
/// The first construct that straight-line code does not support.
pub(crate) fn compile(known: CheckedPrompt<'_>) -> Result<Compiled> {
    let CheckedPrompt { facade, prompt, source, checked } = known;
    let definition = &checked.definition;
    let format = definition.template.format.as_str();
    let Some(language) = CompiledLanguage::of_format(format) else {
        return reason(format!("the format '{format}'"));
    };
    // The writer of messages knows role lines. Where white space at the ends of messages and parts is dropped
    // depends on what is printed beside it, which the parser of tags decides.
    if definition.template.parser != "prompty" {
        let parser = &definition.template.parser;
        return reason(format!("the parser '{parser}', as code is written for role lines alone"));
    }
    if definition.template.strict {
        return reason("'strict', which looks at the lines of inputs");
    }
    if let Some(input) =
        definition.inputs.iter().find(|it| it.schema.as_ref().is_some_and(says_more))
    {
        return reason(format!("the JSON schema of '{}', which looks at its value", input.name));
    }
    let text = &*checked.report.text;
    let Some(template) = &checked.report.template else { return reason("its syntax") };
    let markers = role_markers::find(text, template);
    if let Some(input) = defaulted_by_front_matter(prompt, checked) {
        return reason(format!("the default of '{input}', which has no field"));
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

/// A template language whose trees can become code.
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
pub(crate) fn fixed_characters(checked: &Checked) -> usize {
    let text = checked.definition.instructions.as_str();
    match &checked.report.template {
        Some(template) => {
            let text = &*checked.report.text;
            nodes::fixed_characters(&template.nodes, &role_markers::find(text, template))
        }
        // A format of the host: what is not a tag of Jinja is taken for text.
        None => jinja::syntax::parse(text).map_or(0, |template| {
            nodes::fixed_characters(&template.nodes, &role_markers::find(text, &template))
        }),
    }
}

/// An input for which the front matter has a default and the struct has no field.
fn defaulted_by_front_matter<'a>(prompt: &Prompt, checked: &'a Checked) -> Option<&'a str> {
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
    checked: &'a Checked,
    text: &'a str,
    markers: &'a [TemplateMarker],
    span: Span,
    sites: &'a Sites,
    /// The functions of runs, by the byte at which each run begins.
    runs: RefCell<BTreeMap<usize, TokenStream>>,
    /// What the checker would say of values that nothing guards, by their places.
    unguarded: BTreeMap<SourceSpan, &'a Diagnostic>,
}

/// The meaning of names at a place of the template.
#[derive(Clone, Default)]
struct Scope {
    /// The names that the template binds; the innermost is the last.
    variables: Vec<Variable>,
    /// The values of Mustache's sections, the innermost last.
    contexts: Vec<Place>,
    /// The blocks of Handlebars, the innermost last.
    blocks: Vec<Block>,
    /// The innermost loop.
    current_loop: Option<Loop>,
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
    bound: Bound,
}

/// The binding of a name.
#[derive(Clone)]
enum Bound {
    /// A place: an item of a list, or a value that `set` gives another name.
    Place(Place),
    /// A constant.
    Constant(Expr),
    /// The index of a loop, counted from 0.
    Counter(Counter),
}

impl Scope {
    fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rev().find(|variable| variable.name == name)
    }

    fn bind(&mut self, name: &str, bound: Bound) {
        self.variables.push(Variable { name: name.to_owned(), bound });
    }
}

impl Compiler<'_> {
    fn input(&self, name: &str) -> Option<&InputField> {
        self.prompt.inputs.iter().find(|input| input.name() == name)
    }

    fn template(&self, template: &Template) -> Result<Compiled> {
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
        Ok(Compiled { messages, size, outside, fixed_characters })
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

    /// The medium of an input, if it is given.
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
    fn site(&self, ability: Ability, place: &Place) -> Site<'_> {
        Site {
            facade: self.facade,
            source: self.source,
            prompt: self.prompt,
            sites: self.sites,
            ability,
            at: Some(place.at.in_source(self.checked.definition.body)),
            is_plain: project::is_plain(self.prompt, &place.value_type),
            finding: None,
        }
    }

    fn ident(&self, name: &str, depth: usize) -> Ident {
        format_ident!("__{name}_{depth}", span = self.span)
    }
}
