//! The grammar of a reply, from the same format that the parser runs on: what a model may write for
//! the tools that are offered, and for content that has a schema.

mod arguments;
mod call;
mod content;
mod derivative;
mod literal;
mod options;
mod part;
mod structural_tag;
mod tagged;

pub use call::Trigger;
pub(crate) use derivative::Inside;
pub use options::{GrammarOptions, GrammarStart};

use std::collections::HashMap;

use super::schema::{SchemaOptions, Widened};
use super::{Expression, Grammar, GrammarBuilder, RuleId, budget};
use crate::format::{Marker, ReplyFormat};
use crate::layout::{Mark, Part};
use crate::options::CallsInReasoning;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Tool, ToolChoice};
use prompty_core::value::Value;

/// A grammar that holds a model to a format, and when it comes into force.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_core::value; pub use prompty_reply as reply; }
/// use typed_prompty::message::{Tool, ToolChoice};
/// use typed_prompty::reply::ReplyParser;
/// use typed_prompty::reply::format::{CallShape, JsonCall, ReplyFormat, Tools};
/// use typed_prompty::reply::grammar::{GrammarOptions, Trigger};
/// use typed_prompty::value::Map;
///
/// let mut format = ReplyFormat::plain();
/// format.tools = Some(Tools::new(CallShape::Json(JsonCall::default())).with_call("<call>", "</call>"));
/// let time = Tool::new("time", Map::from([("type", "object")]));
/// let parser = ReplyParser::new(format).with_tools(&[time]);
///
/// // The model may call a tool: the grammar waits for a call's opener.
/// let grammar = parser.grammar(&GrammarOptions::new())?.expect("there is a tool");
/// assert!(grammar.lazy);
/// assert_eq!(grammar.triggers, [Trigger::Word("<call>".to_owned())]);
/// assert!(grammar.to_gbnf().contains("time"));
///
/// // It has to: the grammar holds from the first token on.
/// let required = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
/// assert!(!parser.grammar(&required)?.expect("there is a tool").lazy);
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplyGrammar {
    /// The grammar.
    pub grammar: Grammar,
    /// Whether it comes into force only where a trigger is met, from the trigger's start on.
    pub lazy: bool,
    /// What brings it into force; where it is not lazy, what a call begins with.
    pub triggers: Vec<Trigger>,
    /// What of the schemas it does not hold values to; empty unless that was allowed.
    pub widened: Vec<Widened>,
    pub(super) layout: structural_tag::Layout,
}

impl ReplyGrammar {
    /// The grammar as llama.cpp takes it.
    pub fn to_gbnf(&self) -> String {
        self.grammar.to_gbnf()
    }

    /// The grammar as llguidance takes it, from 1.9.1 on.
    ///
    /// JSON is left to the engine as a schema (`%json`), wherever it reads the schema as the other
    /// forms do. Its numbers may have any number of digits, and its texts hold no `\/`, which no
    /// value needs.
    pub fn to_lark(&self) -> String {
        self.layout.to_lark(&self.grammar)
    }

    /// The structural tag, the form in which inference servers exchange such demands (vLLM, SGLang
    /// and others): which text opens a call, what follows it, and what closes it.
    ///
    /// It admits what the other forms admit, reasoning included, and waits for a trigger where the
    /// grammar is lazy: a lazy one lets the model reason first, in whose text a trigger is only
    /// text. JSON is left to the server as a schema, and free text as such; what a structural tag
    /// has no words for is a grammar inside of it.
    ///
    /// Servers read it with xgrammar, from 0.1.34 (April of 2026) on; older ones refuse much of it.
    /// Before 0.2.4, a word that free text must not hold is overlooked where it begins in the
    /// beginning of another such word.
    /// How JSON follows its schema is then up to xgrammar, and in 0.2.8 that is stricter than the
    /// other forms in some things: a text whose length has limits holds no escapes, a pattern is
    /// one of the whole text, a number with limits has few digits behind the point.
    pub fn to_structural_tag(&self) -> Value {
        self.layout.to_value(&self.grammar, self.lazy.then_some(&*self.triggers))
    }
}

/// What a grammar is made of.
pub(crate) struct Request<'a> {
    pub(crate) format: &'a ReplyFormat,
    pub(crate) tools: &'a [Tool],
    pub(crate) content_schema: Option<&'a Value>,
    pub(crate) options: &'a GrammarOptions,
    /// What a call's opener inside of reasoning is to the parser.
    pub(crate) calls_in_reasoning: CallsInReasoning,
    /// Where the prompt left the reply.
    pub(crate) inside: Inside,
    /// The start of a marker, a header or a call that the prompt's end has already.
    pub(crate) begun: &'a str,
}

/// Makes rules for the parts of a reply.
struct Maker<'a> {
    reply: &'a Part,
    inside: Inside,
    builder: GrammarBuilder,
    schema_options: SchemaOptions,
    widened: Vec<Widened>,
    layout: structural_tag::Layout,
    /// The rule of any literal, once there is one.
    any_literal: Option<RuleId>,
    /// The rules of literals that references name, in the schema of one tool.
    referred: HashMap<String, RuleId>,
    /// So many parts of a schema may yet be looked into: references may name more than there is.
    parts: usize,
}

/// Parts of the schemas of a request that are looked into one by one.
const MOST_PARTS: usize = 500;

/// The steps of looking for a trigger in the calls of one tool.
const PER_TRIGGER: usize = 8;

/// The tokens of a turn's end that may each be missing; what is behind them is one more.
const MOST_END_TOKENS: usize = 32;

/// So many spellings of a mark are told apart.
const MOST_SPELLINGS: usize = 16;

impl Request<'_> {
    /// The grammar; nothing where there is nothing to hold the model to.
    pub(crate) fn grammar(&self) -> Result<Option<ReplyGrammar>, Error> {
        let tools = self.called_tools()?;
        if tools.is_empty() && self.content_schema.is_none() {
            return Ok(None);
        }
        let reply = Part::of_format(self.format);
        let mut maker = Maker::new(self, &reply);
        let parallel = self.options.parallel;
        let calls = match tools.is_empty() {
            true => None,
            false => Some(maker.calls(&tools, parallel)?),
        };
        let content = match self.content_schema {
            Some(schema) => Some(maker.content(schema)?),
            None => None,
        };
        let is_free = self.options.tool_choice == ToolChoice::Auto;
        let triggers = call::triggers(&reply, &tools);
        // A trigger that the prompt has begun is one that the model does not write.
        let begins = self.begun.is_empty();
        let lazy = is_free && content.is_none() && !triggers.is_empty() && begins;
        if lazy {
            // A structural tag looks for each of them in the calls of all tools.
            let found = triggers.len().saturating_mul(tools.len());
            maker.builder.budget.spend(found.saturating_mul(PER_TRIGGER))?;
        }
        let root = match (calls, content) {
            (Some(calls), None) if lazy => {
                // No place is needed for reasoning that is open and that a call's opener ends.
                let ends_open = self.inside == Inside::Reasoning && self.calls_end_reasoning();
                if !ends_open && let Some(reasoning) = maker.reasoning(self) {
                    maker.layout.in_front(reasoning);
                }
                calls
            }
            (Some(calls), None) if is_free => {
                let text = maker.free_text(calls.clone());
                maker.behind_reasoning(self, Expression::choice([calls, text]))
            }
            (Some(calls), Some(content)) if is_free => {
                let calls = match self.inside {
                    // The content that is open has to be closed first.
                    Inside::Content => {
                        Expression::sequence([maker.text_in_front_of_calls(), calls])
                    }
                    _ => calls,
                };
                maker.behind_reasoning(self, Expression::choice([calls, content]))
            }
            (Some(calls), _) => {
                let text = maker.text_in_front_of_calls();
                maker.behind_reasoning(self, Expression::sequence([text, calls]))
            }
            (None, Some(content)) => maker.behind_reasoning(self, content),
            (None, None) => return Ok(None),
        };
        let root = match begins {
            true => root,
            false => match derivative::derivative(&mut maker.builder, &root, self.begun)? {
                Expression::Choice(none) if none.is_empty() => return Err(self.cannot_go_on()),
                rest => rest,
            },
        };
        let root = Expression::sequence([root, ends(&reply)]);
        let root = maker.by_parts("reply", root);
        let Maker { builder, widened, layout, .. } = maker;
        let grammar = builder.build(root)?;
        Ok(Some(ReplyGrammar { grammar, lazy, triggers, widened, layout }))
    }

    /// Whether a call's opener ends the reasoning, so that the reasoning cannot hold it.
    fn calls_end_reasoning(&self) -> bool {
        match self.calls_in_reasoning {
            CallsInReasoning::ByOpener => self.inside == Inside::Reasoning,
            CallsInReasoning::End => true,
            CallsInReasoning::Text => false,
        }
    }

    fn cannot_go_on(&self) -> Error {
        let message = format!(
            "the prompt ends with `{}`, and no reply that the grammar admits goes on from there",
            self.begun
        );
        Error::new(ErrorKind::Grammar, message)
            .with_help("let the prompt end in front of a marker or behind it, and not inside of a call's arguments")
    }

    /// The tools that the model may call.
    fn called_tools(&self) -> Result<Vec<&Tool>, Error> {
        let choice = &self.options.tool_choice;
        let must_call = matches!(choice, ToolChoice::Required | ToolChoice::Tool(_));
        if must_call && (self.format.tools.is_none() || self.tools.is_empty()) {
            let (message, help) = match self.format.tools {
                None => (
                    "the model has to call a tool, and the format has no calls",
                    "take a template that writes calls, or let the model answer in text",
                ),
                Some(_) => (
                    "the model has to call a tool, and none is offered",
                    "offer a tool, or let the model choose",
                ),
            };
            return Err(Error::new(ErrorKind::Grammar, message).with_help(help));
        }
        if self.format.tools.is_none() {
            return Ok(Vec::new());
        }
        match choice {
            ToolChoice::None => Ok(Vec::new()),
            ToolChoice::Tool(name) => {
                let tool = self.tools.iter().find(|tool| tool.name == *name);
                tool.map(|tool| vec![tool]).ok_or_else(|| unknown_tool(name, self.tools))
            }
            _ => Ok(self.tools.iter().collect()),
        }
    }
}

fn unknown_tool(name: &str, tools: &[Tool]) -> Error {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    Error::new(
        ErrorKind::Grammar,
        format!("the tool `{name}` that the model has to call is not offered"),
    )
    .with_help(format!("the tools are: {}", names.join(", ")))
}

impl<'a> Maker<'a> {
    fn new(request: &Request<'_>, reply: &'a Part) -> Self {
        Self {
            reply,
            inside: request.inside,
            builder: GrammarBuilder::new(),
            schema_options: SchemaOptions::new().widen(request.options.widen),
            widened: Vec::new(),
            layout: structural_tag::Layout::default(),
            any_literal: None,
            referred: HashMap::new(),
            parts: MOST_PARTS,
        }
    }

    /// A rule for the JSON values of a schema.
    fn schema(&mut self, name: &str, schema: &Value) -> Result<Expression, Error> {
        // The other forms hold the schema as it is.
        self.builder.budget.spend(budget::of_values(std::slice::from_ref(schema)))?;
        let found = self.builder.schema(name, schema, &self.schema_options)?;
        self.widened.extend(found.widened);
        self.layout.schema(self.builder.name(found.rule), schema);
        Ok(found.rule.into())
    }

    /// A rule whose parts a structural tag tells apart.
    fn by_parts(&mut self, name: &str, expression: Expression) -> RuleId {
        let rule = self.builder.rule(name, expression);
        self.layout.by_parts(self.builder.name(rule));
        rule
    }
}

/// What ends the turn, as far as the model writes it.
fn ends(reply: &Part) -> Expression {
    let ends = reply.marked(Mark::TurnEnd).map(|end| {
        // Token by token: the last of them may be the one that stops the model.
        let mut tokens: Vec<String> = Vec::new();
        for token in end.text.split_inclusive('>') {
            match tokens.get_mut(MOST_END_TOKENS) {
                Some(last) => last.push_str(token),
                None => tokens.push(token.to_owned()),
            }
        }
        let tokens = tokens.into_iter().rev().fold(Expression::EMPTY, |behind, token| {
            Expression::sequence([Expression::text(token), behind]).optional()
        });
        Expression::sequence([space(&end.before), tokens])
    });
    match reply.header().is_some() {
        true => Expression::EMPTY,
        false => Expression::choice(ends.chain([Expression::EMPTY])),
    }
}

/// A marker as a template writes it; the white space around it may be left out.
fn marker(marker: &Marker) -> Expression {
    if marker.is_none() {
        return space(&marker.after);
    }
    // A mark that ends in a word is one only where the word ends.
    let ends_in_word = marker.text.ends_with(char::is_alphanumeric);
    let after = match ends_in_word {
        true => Expression::text(marker.after.clone()),
        false => space(&marker.after),
    };
    Expression::sequence([space(&marker.before), mark(&marker.text), after])
}

/// A mark; the line breaks inside of it may be left out.
fn mark(text: &str) -> Expression {
    let mut parts = Vec::new();
    for (word, between) in words(text) {
        // A blank is part of what is said; a line break is how it is laid out.
        let between = match between.contains('\n') {
            true => space(between),
            false => Expression::text(between.to_owned()),
        };
        parts.extend([Expression::text(word.to_owned()), between]);
    }
    Expression::Sequence(parts)
}

/// The texts that a mark admits; not all of them where it has many line breaks.
fn spellings(mark: &str) -> Vec<String> {
    let mut spellings = vec![String::new()];
    for (word, between) in words(mark) {
        let mut without = Vec::new();
        if between.contains('\n') && spellings.len() < MOST_SPELLINGS {
            without.extend(spellings.iter().map(|text| format!("{text}{word}")));
        }
        spellings.iter_mut().for_each(|text| text.extend([word, between]));
        spellings.append(&mut without);
    }
    spellings
}

/// The words of a text, each with the white space behind it.
fn words(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        let (word, behind) =
            text.split_at_checked(text.find(char::is_whitespace).unwrap_or(text.len()))?;
        let spaces = behind.len() - behind.trim_start().len();
        let (between, rest) = behind.split_at_checked(spaces)?;
        text = rest;
        (!word.is_empty() || !between.is_empty()).then_some((word, between))
    })
}

/// What a header says; a blank may part it from what opens the header.
fn header_text(text: &str) -> Expression {
    let text = text.trim_start();
    let words = Expression::text(text.to_owned());
    match text.starts_with('<') {
        true => words,
        false => Expression::sequence([Expression::text(" ").optional(), words]),
    }
}

/// White space that may be left out.
fn space(canonical: &str) -> Expression {
    match canonical.is_empty() {
        true => Expression::EMPTY,
        false => Expression::text(canonical.to_owned()).optional(),
    }
}
