//! The grammar of a reply, built from the same format that the parser uses. It describes what a
//! model may write, given the offered tools and a schema of the content.

mod argument;
mod arguments;
mod call;
mod content;
mod derivative;
mod literal;
mod markers;
mod options;
mod part;
mod reply_builder;
mod request;
mod structural_tag;
mod tagged;
mod trigger;

pub(crate) use derivative::StartContext;
pub use options::{GrammarOptions, GrammarStart};
pub(crate) use request::GrammarRequest;
pub use trigger::Trigger;

use super::schema::Widened;
use super::{Expression, Grammar};
use crate::grammar::Result;
use crate::layout::LayoutPart;
use markers::ends;
use prompty_core::message::ToolChoice;
use prompty_core::value::Value;
use reply_builder::ReplyGrammarBuilder;
use trigger::call_triggers;

/// A grammar that restricts a model to a format, and the condition under which it applies.
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
/// // The model may call a tool, so the grammar waits for a call's opener.
/// let grammar = parser.grammar(&GrammarOptions::new())?.expect("there is a tool");
/// assert!(grammar.lazy);
/// assert_eq!(grammar.triggers, [Trigger::Word("<call>".to_owned())]);
/// assert!(grammar.to_gbnf().contains("time"));
///
/// // The model must call a tool, so the grammar applies from the first token.
/// let required = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
/// assert!(!parser.grammar(&required)?.expect("there is a tool").lazy);
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplyGrammar {
    /// The grammar.
    pub grammar: Grammar,
    /// Whether it applies only after a trigger, from the start of the trigger.
    pub lazy: bool,
    /// The texts that activate it. If it is not lazy, the texts that a call begins with.
    pub triggers: Vec<Trigger>,
    /// The keywords of the schemas that it does not enforce; empty unless widening was allowed.
    pub widened: Vec<Widened>,
    /// What the structural tag and Lark write in another way than GBNF.
    pub(super) tag_rules: structural_tag::TagRules,
}

impl ReplyGrammar {
    /// Writes the grammar as GBNF, for llama.cpp.
    pub fn to_gbnf(&self) -> String {
        self.grammar.to_gbnf()
    }

    /// Writes the grammar as Lark, for llguidance from version 1.9.1.
    ///
    /// JSON is left to the engine as a schema (`%json`) if the engine reads the schema as the other
    /// forms do. Its numbers may have any number of digits. Its strings contain no `\/`, which no
    /// value needs.
    pub fn to_lark(&self) -> String {
        self.tag_rules.to_lark(&self.grammar)
    }

    /// Writes the structural tag, a form that inference servers (vLLM, SGLang and others) accept.
    /// It lists the texts that open a call, the following content, and the closing texts.
    ///
    /// It matches the same texts as the other forms, including reasoning. If the grammar is lazy,
    /// it waits for a trigger. A lazy grammar lets the model reason first, and a trigger in
    /// reasoning is only text. JSON is left to the server as a schema, and free text as such.
    /// Anything that a structural tag cannot express is written as a grammar inside it.
    ///
    /// Servers read it with xgrammar from 0.1.34 (April 2026); older versions reject much of it.
    /// Versions before 0.2.4 overlook a word that free text must not contain if it begins inside
    /// the beginning of another such word. xgrammar decides how JSON matches its schema. In 0.2.8
    /// it is stricter than the other forms: a string with a length limit has no escapes, a pattern
    /// must match the complete string, and a number with limits has few decimal places.
    pub fn to_structural_tag(&self) -> Value {
        self.tag_rules.to_value(&self.grammar, self.lazy.then_some(&*self.triggers))
    }
}

/// The steps of looking for a trigger in the calls of one tool.
const PER_TRIGGER: usize = 8;

impl GrammarRequest<'_> {
    /// Builds the grammar. Returns `None` if there is nothing to restrict.
    pub(crate) fn grammar(&self) -> Result<Option<ReplyGrammar>> {
        let tools = self.called_tools()?;
        if tools.is_empty() && self.content_schema.is_none() {
            return Ok(None);
        }
        let reply = LayoutPart::of_format(self.format);
        let mut reply_builder = ReplyGrammarBuilder::new(self, &reply);
        let calls = || reply_builder.calls(&tools, self.options.parallel);
        let calls = (!tools.is_empty()).then(calls).transpose()?;
        let content =
            self.content_schema.map(|schema| reply_builder.content(schema)).transpose()?;
        let triggers = call_triggers(&reply, &tools);
        // The model does not write a trigger that the prompt has begun.
        let begins_at_start = self.unfinished_text.is_empty();
        let may_call = self.options.tool_choice == ToolChoice::Auto;
        let lazy = may_call && content.is_none() && !triggers.is_empty() && begins_at_start;
        if lazy {
            // A structural tag, which is written later and has no budget, looks for each trigger in
            // the calls of all tools.
            let found = triggers.len().saturating_mul(tools.len());
            reply_builder.builder.budget.spend(found.saturating_mul(PER_TRIGGER))?;
        }
        let Some(root) = self.root(&mut reply_builder, calls, content, lazy) else {
            return Ok(None);
        };
        let builder = &mut reply_builder.builder;
        // The prompt has already written the beginning of the reply, such as `<call>ti`.
        let root = derivative::derivative(builder, &root, self.unfinished_text)?;
        if root.is_nothing() && !begins_at_start {
            return Err(self.no_continuation_error());
        }
        let root = Expression::sequence([root, ends(&reply)]);
        let root = reply_builder.written_by_parts("reply", root);
        let ReplyGrammarBuilder { builder, widened, tag_rules, .. } = reply_builder;
        let grammar = builder.build(root)?;
        Ok(Some(ReplyGrammar { grammar, lazy, triggers, widened, tag_rules }))
    }

    /// The expression of a reply, from its calls and its content that follows a schema:
    ///
    /// | tool choice | calls | content | reply |
    /// |---|---|---|---|
    /// | auto, and lazy | yes | no | calls: the server applies the grammar when a call begins |
    /// | auto | yes | no | calls, or text with or without calls after it |
    /// | auto | yes | yes | calls or content; if the prompt opened content, its end before calls |
    /// | required | yes | any | text and then calls |
    /// | any | no | yes | content |
    ///
    /// Reasoning can precede each of them.
    fn root(
        &self,
        reply_builder: &mut ReplyGrammarBuilder<'_>,
        calls: Option<Expression>,
        content: Option<Expression>,
        lazy: bool,
    ) -> Option<Expression> {
        let may_call = self.options.tool_choice == ToolChoice::Auto;
        let reply = match (calls, content) {
            (Some(calls), None) if lazy => {
                // GBNF begins at the trigger. A structural tag begins at the start, and reasoning
                // is a part before the trigger, so that a trigger inside it is only text. The
                // opener of a call may also end the open reasoning. Then the text up to the
                // trigger is free.
                let ends_open =
                    self.open_in_prompt == StartContext::Reasoning && self.calls_end_reasoning();
                if !ends_open && let Some(reasoning) = reply_builder.reasoning(self) {
                    reply_builder.tag_rules.before_trigger.push(reasoning);
                }
                return Some(calls);
            }
            (Some(calls), None) if may_call => {
                let text = reply_builder.free_text(calls.clone());
                Expression::choice([calls, text])
            }
            // Open content must be closed before calls.
            (Some(calls), Some(content))
                if may_call && self.open_in_prompt == StartContext::Content =>
            {
                let text = reply_builder.text_before_calls();
                Expression::choice([Expression::sequence([text, calls]), content])
            }
            (Some(calls), Some(content)) if may_call => Expression::choice([calls, content]),
            (Some(calls), _) => Expression::sequence([reply_builder.text_before_calls(), calls]),
            (None, content) => content?,
        };
        let reasoning = reply_builder.reasoning(self).into_iter();
        Some(Expression::sequence(reasoning.chain([reply])))
    }
}
