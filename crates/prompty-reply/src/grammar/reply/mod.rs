//! The grammar of a reply, from the same format that the parser runs on: what a model may write for
//! the tools that are offered, and for content that has a schema.

mod argument;
mod arguments;
mod call;
mod content;
mod derivative;
mod literal;
mod maker;
mod markers;
mod options;
mod part;
mod request;
mod structural_tag;
mod tagged;
mod trigger;

pub(crate) use derivative::Inside;
pub use options::{GrammarOptions, GrammarStart};
pub(crate) use request::Request;
pub use trigger::Trigger;

use super::schema::Widened;
use super::{Expression, Grammar};
use crate::grammar::Result;
use crate::layout::Part;
use maker::Maker;
use markers::ends;
use prompty_core::message::ToolChoice;
use prompty_core::value::Value;
use trigger::triggers;

/// A grammar that holds a model to a format, and when it comes into force.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_core::value; pub use prompty_reply as reply; }
/// use typed_prompty::message::{ToolSpec, ToolChoice};
/// use typed_prompty::reply::ReplyParser;
/// use typed_prompty::reply::format::{CallShape, JsonCall, ReplyFormat, Tools};
/// use typed_prompty::reply::grammar::{GrammarOptions, Trigger};
/// use typed_prompty::value::Map;
///
/// let mut format = ReplyFormat::plain();
/// format.tools = Some(Tools::new(CallShape::Json(JsonCall::default())).with_call("<call>", "</call>"));
/// let time = ToolSpec::new("time", Map::from([("type", "object")]));
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

/// The steps of looking for a trigger in the calls of one tool.
const PER_TRIGGER: usize = 8;

impl Request<'_> {
    /// The grammar; nothing where there is nothing to hold the model to.
    pub(crate) fn grammar(&self) -> Result<Option<ReplyGrammar>> {
        let tools = self.called_tools()?;
        if tools.is_empty() && self.content_schema.is_none() {
            return Ok(None);
        }
        let reply = Part::of_format(self.format);
        let mut maker = Maker::new(self, &reply);
        let parallel = self.options.parallel;
        let calls = if tools.is_empty() { None } else { Some(maker.calls(&tools, parallel)?) };
        let content = match self.content_schema {
            Some(schema) => Some(maker.content(schema)?),
            None => None,
        };
        let is_free = self.options.tool_choice == ToolChoice::Auto;
        let triggers = triggers(&reply, &tools);
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
}
