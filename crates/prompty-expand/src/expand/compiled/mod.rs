//! Compiles a checked template into Rust code that writes its messages.
//!
//! The code calls a writer of the runtime crate: role boundaries are statements, literals are
//! static strings, and values are printed into the text of a message. No rendered text is split
//! into messages afterwards. So no input can forge a role boundary, and the program needs neither
//! a template engine nor random numbers.
//!
//! [`compile`] makes a [`Compiler`], whose methods are in the modules. They follow the tree of the
//! template from the outside to the inside:
//!
//! - `nodes` splits a body at its role markers and generates its statements. `markers` opens the
//!   messages. `plain` is a shorter form for simple templates, and `runs` are parts that are
//!   generated only once.
//! - `loops`, `sections` and `blocks` generate statements with bodies.
//! - `values` generates printed expressions, and `conditions` those that are tested or compared.
//!   `helpers` has the functions of Handlebars.
//! - `places` generates the access to inputs, attributes and items.
//!
//! A template with a construct outside this subset is rendered completely by the template engine,
//! for an [`EngineReason`]. Both ways must give the same messages, byte for byte, so a change to
//! one of them needs a change to the other. `tests/agreement` writes
//! the program of the fixture `agreement`, which compares them.

mod blocks;
mod conditions;
mod helpers;
mod loops;
mod markers;
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
use prompty_check::check::{Use, Uses};
use prompty_check::definition::{Definition, Input, restricts_beyond_kind};
use prompty_core::diagnostic::{Diagnostic, SourceSpan};
use prompty_core::message::{RichKind, Role};
use prompty_template::role_markers::{self, TemplateMarker};
use prompty_template::tree::Expr;
use prompty_template::{TEXT, Template, jinja, walk};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;

use super::site::{RequiredTrait, Site, SiteTraits, uses_facade_traits};
use super::text_prompt::{TextOutput, text_output};
use super::{CheckedPrompt, output, respanned};
use crate::check::CheckedTemplate;
use crate::model::{InputField, Prompt};
use crate::source::Source;

/// The reason why the engine renders a template, as in the documentation: ``the filter `sort` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EngineReason(pub(crate) String);

/// The code of a template.
pub(crate) struct CompiledTemplate {
    /// An expression of type `Vec<Message>`, or `String` for a text prompt. It reads the prompt through
    /// the variable `prompt`, a reference.
    pub(crate) messages: TokenStream,
    /// An expression of type `usize`: the approximate number of bytes in the texts.
    pub(crate) size: TokenStream,
    /// Items next to the implementation: the traits of its places, and functions.
    pub(crate) outside: TokenStream,
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

/// The result for a construct that straight-line code does not support: the reason for the engine.
fn unsupported<T>(construct: impl Into<String>) -> Result<T> {
    Err(EngineReason(construct.into()))
}

/// Generates the code of a checked template.
///
/// # Errors
///
/// Returns an error for the first construct that straight-line code does not support.
pub(crate) fn compile(known: CheckedPrompt<'_>) -> Result<CompiledTemplate> {
    let CheckedPrompt { facade, prompt, source, checked } = known;
    let language = compiled_language(&checked.definition)?;
    let Some(template) = &checked.report.template else {
        return unsupported("the errors in its template");
    };
    if let Some(input) = defaulted_by_front_matter(prompt, checked) {
        return unsupported(format!("the default of `{input}`, which is not a field"));
    }
    if walk::nesting(&template.nodes) > MAX_NESTING {
        return unsupported(format!("the nesting of more than {MAX_NESTING} blocks and operators"));
    }
    let text = &*checked.report.text;
    let compiler = Compiler {
        language,
        facade,
        prompt,
        source,
        checked,
        text,
        markers: role_markers::find(text, template),
        span: source.code_span(),
        traits: SiteTraits::default(),
        text_output: known.is_text().then(|| text_output(prompt)),
        runs: RefCell::default(),
        unguarded: unguarded_uses(&checked.report.uses),
    };
    compiler.template(template)
}

/// The maximum nesting of blocks, operators and brackets in code. Each level needs up to 9 KB of
/// stack in a debug build, and a small thread has 512 KB.
const MAX_NESTING: usize = 40;

/// A template language that can be compiled to code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompiledLanguage {
    Handlebars,
    Jinja,
    Mustache,
    SemanticKernel,
}

/// The language of a template. An error if a setting of the prompt needs the engine.
fn compiled_language(definition: &Definition) -> Result<CompiledLanguage> {
    let language = match definition.template.format.as_str() {
        "handlebars" => CompiledLanguage::Handlebars,
        "mustache" => CompiledLanguage::Mustache,
        "semantic-kernel" => CompiledLanguage::SemanticKernel,
        "jinja2" | "nunjucks" => CompiledLanguage::Jinja,
        format => return unsupported(format!("the format `{format}`")),
    };
    // The writer of messages supports only role lines. With message tags, white space at the ends
    // of messages and parts may be dropped. That depends on the printed values, so the parser of
    // tags decides it.
    let parser = definition.template.parser.as_str();
    if !matches!(parser, "prompty" | TEXT) {
        return unsupported(format!("the parser `{parser}`"));
    }
    if definition.template.strict {
        return unsupported("`strict`, which checks the lines of inputs");
    }
    let is_restricted = |it: &&Input| it.schema.as_ref().is_some_and(restricts_beyond_kind);
    if let Some(input) = definition.inputs.iter().find(is_restricted) {
        let name = &input.name;
        return unsupported(format!("the JSON schema of `{name}`, which is checked at run time"));
    }
    Ok(language)
}

/// The number of characters that the template of a prompt always writes.
pub(crate) fn fixed_characters(checked: &CheckedTemplate) -> usize {
    let text = checked.definition.instructions.as_str();
    match &checked.report.template {
        Some(template) => {
            let text = &*checked.report.text;
            nodes::fixed_characters(text, &template.nodes, &role_markers::find(text, template))
        }
        // A format of the host: text outside of Jinja tags counts as fixed.
        None => jinja::syntax::parse(text).map_or(0, |template| {
            nodes::fixed_characters(text, &template.nodes, &role_markers::find(text, &template))
        }),
    }
}

/// The name of a used input for which the struct has no field. The front matter then has a default
/// for it; otherwise the checker would have reported it.
fn defaulted_by_front_matter<'a>(prompt: &Prompt, checked: &'a CheckedTemplate) -> Option<&'a str> {
    let names = checked.report.uses.inputs.iter().map(|(name, _)| name.as_str());
    let is_given = |name: &str| {
        prompt.inputs.iter().any(|input| input.name() == name) || output::is_variable(prompt, name)
    };
    let mut missing = names.filter(|name| !is_given(name));
    missing.next()
}

/// The checker's diagnostics about unguarded values, by their places.
fn unguarded_uses(uses: &Uses) -> BTreeMap<SourceSpan, &Diagnostic> {
    fn collect<'u>(usage: &'u Use, found: &mut BTreeMap<SourceSpan, &'u Diagnostic>) {
        if let Some(diagnostic) = &usage.unguarded {
            found.insert(diagnostic.span.unwrap_or_default(), &**diagnostic);
        }
        usage.item.iter().for_each(|item| collect(item, found));
        usage.attributes.iter().for_each(|(_, attribute)| collect(attribute, found));
    }
    let mut found = BTreeMap::new();
    uses.inputs.iter().for_each(|(_, usage)| collect(usage, &mut found));
    found
}

/// The context that the parts of this module share.
struct Compiler<'a> {
    language: CompiledLanguage,
    facade: &'a TokenStream,
    prompt: &'a Prompt,
    source: &'a Source,
    checked: &'a CheckedTemplate,
    /// The text of the template, to which all spans of its nodes refer.
    text: &'a str,
    /// The role markers of the template, in order.
    markers: Vec<TemplateMarker>,
    /// The span of the generated code.
    span: Span,
    /// The traits of the sites, which grow while code is generated.
    traits: SiteTraits,
    /// The type of the text, if it is a text prompt.
    text_output: Option<TextOutput>,
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
    /// The number of loops, branches and blocks around the place. It makes the names of the
    /// generated variables unique.
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

/// The scope of a body in a block or branch.
fn branch_scope(scope: &Scope) -> Scope {
    Scope { depth: scope.depth + 1, is_branch: true, ..scope.clone() }
}

/// Whether messages of a role are of the user or the assistant.
fn is_from_user(role: &Role) -> bool {
    matches!(role, Role::User | Role::Assistant)
}

impl Compiler<'_> {
    fn input(&self, name: &str) -> Option<&InputField> {
        self.prompt.inputs.iter().find(|input| input.name() == name)
    }

    fn template(&self, template: &Template) -> Result<CompiledTemplate> {
        let span = self.span;
        let facade = self.facade;
        let messages = match self.text_output {
            Some(_) => self.text_prompt(template)?,
            None => match self.plain(template)? {
                Some(messages) => messages,
                None if self.keeps_white_space() => {
                    return unsupported(
                        "`white_space = \"keep\"` with threads, media, or role markers in blocks",
                    );
                }
                None => self.messages(template)?,
            },
        };
        let sizes = self.body(&template.nodes, &self.outermost_scope(), nodes::Sink::Sizer)?;
        let size = quote_spanned! {span=> {
            let mut size = #facade::__private::Sizer::default();
            #sizes
            size.bytes()
        }};
        let outside = self.traits.items().into_iter().chain(self.run_functions()).collect();
        Ok(CompiledTemplate { messages, size, outside })
    }

    /// Whether line breaks of inputs stay at the ends of messages.
    fn keeps_white_space(&self) -> bool {
        self.checked.definition.template.keeps_white_space
    }

    /// The role of the message of a template without markers.
    fn leading_role(&self) -> Option<Role> {
        let role = || self.checked.definition.template.role.clone().unwrap_or(Role::System);
        self.markers.is_empty().then(role)
    }

    /// The scope at the beginning of the template. The text of a text prompt is as untrusted as its
    /// inputs, so it may contain untrusted values if its type says so.
    fn outermost_scope(&self) -> Scope {
        let from_user = match self.text_output {
            Some(text) => text == TextOutput::Untrusted,
            None => self.leading_role().is_some_and(|role| is_from_user(&role)),
        };
        Scope { from_user, ..Scope::default() }
    }

    /// Generates the text of a text prompt.
    fn text_prompt(&self, template: &Template) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let body = self.body(&template.nodes, &self.outermost_scope(), nodes::Sink::Writer)?;
        Ok(quote_spanned! {span=> {
            let mut writer = #facade::__private::String::new();
            #body
            writer
        }})
    }

    /// Generates the messages of any template.
    fn messages(&self, template: &Template) -> Tokens {
        let (span, facade) = (self.span, self.facade);
        let body = self.body(&template.nodes, &self.outermost_scope(), nodes::Sink::Writer)?;
        let leading = self.leading_role().map(|role| {
            let role = self.role(&role);
            quote_spanned!(span=> writer.open(#role, 0);)
        });
        let count = self.markers.len() + 1;
        let threads =
            self.prompt.inputs.iter().filter(|input| input.rich() == Some(RichKind::Thread));
        let threads = threads.map(|input| {
            let thread = self.rich_value(input);
            quote_spanned!(span=> + #thread.len())
        });
        let threads: TokenStream = threads.collect();
        Ok(quote_spanned! {span=> {
            let mut writer = #facade::__private::MessageWriter::with_capacity(#count #threads);
            #leading
            #body
            writer.finish()?
        }})
    }

    /// The messages of a thread as a slice, or media as an `Option`. An error about the type points
    /// at the field, not at the template.
    fn rich_value(&self, input: &InputField) -> TokenStream {
        let span = Span::call_site().located_at(input.ty.span());
        let (facade, field) = (self.facade, respanned(&input.field, span));
        let names = match input.rich() {
            Some(RichKind::Thread) => ["AsThread", "as_thread"],
            _ => ["ToMedia", "to_media"],
        };
        let [rich_trait, convert] = names.map(|name| Ident::new(name, span));
        quote_spanned!(span=> {
            use #facade::__private::rich::#rich_trait;
            let given = &prompt.#field;
            #rich_trait::#convert(given)
        })
    }

    /// The site at which the template uses the value of a place.
    fn site(&self, required: RequiredTrait, place: &PlaceExpr) -> Site<'_> {
        Site {
            facade: self.facade,
            source: self.source,
            prompt: self.prompt,
            traits: &self.traits,
            required,
            at: Some(place.at.in_source(self.checked.definition.body)),
            uses_facade_trait: uses_facade_traits(self.prompt, &place.value_type),
            diagnostic: None,
        }
    }

    fn ident(&self, name: &str, depth: usize) -> Ident {
        format_ident!("__{name}_{depth}", span = self.span)
    }
}
