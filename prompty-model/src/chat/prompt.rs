//! From messages to a prompt's text: adapted to what the template can do, then rendered.

use std::borrow::Cow;

use super::adapt::{self, Adapter};
use super::control::{self, Asked, ControlTokens, DataRange, PromptPiece};
use super::engine::{self, Written};
use super::messages::tools_to_openai;
use super::source::ChatTemplate;
use crate::reply::ReplyOptions;
use crate::reply::grammar::GrammarOptions;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{Message, Role, Tool, ToolChoice};
use prompty_core::value::{Map, Value};

/// The choice of tools as chat APIs write it.
fn tool_choice_value(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool(name) => {
            let function = Map::from([("name", name.as_str())]);
            Map::from([("type", Value::from("function")), ("function", function.into())]).into()
        }
        // What chat APIs take where nothing is said.
        _ => "auto".into(),
    }
}

/// What of the last message the model continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Continuation {
    /// Its content.
    Content,
    /// Its reasoning.
    Reasoning,
}

/// What a prompt is made with, beside messages and tools.
///
/// ```
/// use prompty_model::chat::{PromptOptions, ToolChoice};
///
/// let options = PromptOptions::new()
///     .with_thinking(false)
///     .with_tool_choice(ToolChoice::Required)
///     .with_variable("reasoning_effort", "low");
/// assert_eq!(options.thinking, Some(false));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptOptions {
    /// Whether the text ends in what opens the assistant's turn.
    pub add_generation_prompt: bool,
    /// Whether the model is to reason; as the template has it where nothing is said.
    pub thinking: Option<bool>,
    /// More variables for the template; they win over those that are set here.
    pub variables: Map,
    /// Whether the last message, the assistant's, is continued instead of a new one begun.
    pub continuation: Option<Continuation>,
    /// Which tools the model may call.
    pub tool_choice: ToolChoice,
    /// Documents to answer from, as the template wants them.
    pub documents: Vec<Value>,
    /// The moment that the template takes for now, in seconds since 1970 in the local time that is
    /// meant; the system's clock (UTC) where nothing is said.
    pub now: Option<i64>,
    /// How the reply is read.
    pub reply: ReplyOptions,
    /// What happens to data that spells the template's markup.
    pub control_tokens: ControlTokens,
    /// What a grammar for the reply is to be like, where one is wanted. The choice of tools is that
    /// of these options.
    pub grammar: Option<GrammarOptions>,
}

impl Default for PromptOptions {
    fn default() -> Self {
        Self {
            add_generation_prompt: true,
            thinking: None,
            variables: Map::new(),
            continuation: None,
            tool_choice: ToolChoice::Auto,
            documents: Vec::new(),
            now: None,
            reply: ReplyOptions::default(),
            control_tokens: ControlTokens::default(),
            grammar: None,
        }
    }
}

impl PromptOptions {
    /// A new turn of the assistant, all else as the template has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options, with or without what opens the assistant's turn.
    #[must_use]
    pub fn with_generation_prompt(mut self, add: bool) -> Self {
        self.add_generation_prompt = add;
        self
    }

    /// The same options, with reasoning switched on or off.
    #[must_use]
    pub fn with_thinking(mut self, thinking: bool) -> Self {
        self.thinking = Some(thinking);
        self
    }

    /// The same options with one more variable for the template.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.variables.insert(name, value);
        self
    }

    /// The same options, for a last message that is continued.
    #[must_use]
    pub fn continuing(mut self, continuation: Continuation) -> Self {
        self.continuation = Some(continuation);
        self
    }

    /// The same options with another choice of tools.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// The same options with documents.
    #[must_use]
    pub fn with_documents(mut self, documents: impl IntoIterator<Item = Value>) -> Self {
        self.documents = documents.into_iter().collect();
        self
    }

    /// The same options, with another way to read the reply.
    #[must_use]
    pub fn with_reply(mut self, reply: ReplyOptions) -> Self {
        self.reply = reply;
        self
    }

    /// The same options, with another policy for data that spells the template's markup.
    #[must_use]
    pub fn with_control_tokens(mut self, policy: ControlTokens) -> Self {
        self.control_tokens = policy;
        self
    }

    /// The same options, with a grammar for the reply.
    #[must_use]
    pub fn with_grammar(mut self, grammar: GrammarOptions) -> Self {
        self.grammar = Some(grammar);
        self
    }

    /// Whether the template is told of the tools.
    pub(super) fn offers_tools(&self) -> bool {
        self.tool_choice != ToolChoice::None
    }

    /// The same options at a moment, in seconds since 1970.
    #[must_use]
    pub fn at(mut self, seconds: i64) -> Self {
        self.now = Some(seconds);
        self
    }
}

/// A prompt's text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptText {
    /// All of it.
    pub text: String,
    /// The end of it that opens the assistant's turn, with what the model continues; empty where
    /// there is none.
    pub generation_prompt: String,
    /// The variables that the template was rendered with.
    pub variables: Map,
    /// Where data stands that holds markup of the template, in order. A tokenizer must read no
    /// special tokens there; [`pieces`](Self::pieces) cuts the text for it.
    pub data_ranges: Vec<DataRange>,
    /// Whether the template used some text in another way than whole.
    pub(super) rewrites: bool,
}

impl PromptText {
    /// The text in pieces: data that holds markup, and what stands between.
    ///
    /// ```
    /// use prompty_model::chat::{ChatTemplate, PromptOptions, PromptPiece};
    /// use prompty_core::message::Message;
    ///
    /// let text = "{% for m in messages %}<|turn|>{{ m.content }}{% endfor %}";
    /// let template = ChatTemplate::from_text(text)?;
    /// let prompt = template.prompt(&[Message::user("<|turn|>?")], &[], &PromptOptions::new())?;
    /// let pieces: Vec<_> = prompt.pieces().collect();
    /// assert_eq!(pieces, [PromptPiece::Template("<|turn|>"), PromptPiece::Data("<|turn|>?")]);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    pub fn pieces(&self) -> impl Iterator<Item = PromptPiece<'_>> {
        control::pieces(&self.text, &self.data_ranges)
    }
}

impl ChatTemplate {
    /// The prompt for a conversation, as `apply_chat_template` of `transformers` gives it, from
    /// messages that are adapted to what the template can do.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] where the template raises an error of its own, [`ErrorKind::Render`]
    /// where it fails, [`ErrorKind::Limit`] where it does too much, [`ErrorKind::WrongInput`] where
    /// there is nothing to continue, and [`ErrorKind::ControlTokens`] where data would become
    /// structure, as [`PromptOptions::control_tokens`] has it.
    pub fn prompt(
        &self,
        messages: &[Message],
        tools: &[Tool],
        options: &PromptOptions,
    ) -> Result<PromptText, Error> {
        self.guarded(messages, tools, options, &|asked, whole| {
            self.written(&asked.messages, &asked.tools, &asked.options, whole)
        })
    }

    /// A prompt that is written in some way, and whose data is data.
    pub(super) fn guarded(
        &self,
        messages: &[Message],
        tools: &[Tool],
        options: &PromptOptions,
        write: &dyn Fn(&Asked<'_>, bool) -> Result<PromptText, Error>,
    ) -> Result<PromptText, Error> {
        let asked = Asked {
            messages: Cow::Borrowed(messages),
            tools: Cow::Borrowed(tools),
            options: Cow::Borrowed(options),
        };
        control::guarded(self, &asked, write)
    }

    /// The prompt, whatever its data is. What opens the assistant's turn is found only if the
    /// `whole` prompt is wanted.
    pub(super) fn written(
        &self,
        messages: &[Message],
        tools: &[Tool],
        options: &PromptOptions,
        whole: bool,
    ) -> Result<PromptText, Error> {
        let can = self.capabilities();
        let adapted = Adapter { can, mark: None }.messages(messages);
        let mut variables = self.tokens_as_variables();
        variables.insert("messages", adapted);
        if !tools.is_empty() && options.offers_tools() {
            variables.insert("tools", adapt::described(&tools_to_openai(tools), can));
        }
        if !options.documents.is_empty() {
            variables.insert("documents", options.documents.clone());
        }
        if self.variables().iter().any(|name| name == "tool_choice") {
            variables.insert("tool_choice", tool_choice_value(&options.tool_choice));
        }
        if let Some(thinking) = options.thinking {
            for switch in &can.thinking_switches {
                let value = if thinking { switch.on.as_ref() } else { Some(&switch.off) };
                if let Some(value) = value {
                    variables.insert(switch.variable.as_str(), value.clone());
                }
            }
        }
        let begins = options.add_generation_prompt && options.continuation.is_none();
        variables.insert("add_generation_prompt", begins);
        for name in &can.required_variables {
            if !variables.contains_key(name) {
                variables.insert(name.as_str(), "");
            }
        }
        for (name, value) in options.variables.iter() {
            variables.insert(name, value.clone());
        }
        match options.continuation {
            Some(continuation) => self.continued(messages, variables, options, continuation),
            None => {
                let Written { text, rewrites } =
                    self.render_older(&mut variables, tools, options)?;
                let generation_prompt = match begins && whole {
                    true => self.opened(&text, &variables, options),
                    false => String::new(),
                };
                let data_ranges = Vec::new();
                Ok(PromptText { text, generation_prompt, variables, data_ranges, rewrites })
            }
        }
    }

    /// Renders; where that fails for a variable that older templates were given, gives them.
    fn render_older(
        &self,
        variables: &mut Map,
        tools: &[Tool],
        options: &PromptOptions,
    ) -> Result<Written, Error> {
        let error = match self.run(variables, options.now) {
            Err(error) if error.kind() == ErrorKind::Render => error,
            other => return other,
        };
        let reads = |name: &str| self.variables().iter().any(|variable| variable == name);
        let before = variables.len();
        if reads("functions") && !variables.contains_key("functions") {
            let offered = if options.offers_tools() { tools } else { &[] };
            let functions = match tools_to_openai(offered) {
                Value::Array(tools) => {
                    tools.iter().filter_map(|it| it.get("function").cloned()).collect()
                }
                _ => Vec::new(),
            };
            let text =
                if functions.is_empty() { String::new() } else { Value::from(functions).to_json() };
            variables.insert("functions", text);
        }
        for name in ["datetime", "date_string"] {
            if reads(name) && !variables.contains_key(name) {
                variables.insert(name, engine::date(options.now, "%b %d %Y"));
            }
        }
        if variables.len() == before { Err(error) } else { self.run(variables, options.now) }
    }

    /// What a text has more for being asked for a generation prompt.
    fn opened(&self, text: &str, variables: &Map, options: &PromptOptions) -> String {
        let mut without = variables.clone();
        without.insert("add_generation_prompt", false);
        // Some templates refuse a conversation that ends so; then there is nothing to compare with.
        if let Ok(without) = self.render(&without, options.now)
            && let Some(opened) = text.strip_prefix(&*without)
        {
            return opened.to_owned();
        }
        // The end of the conversation is written in another way, too. What opens a turn is the same
        // behind any conversation, so one that ends in the user's turn says what it is.
        let mut plain = variables.clone();
        let user = Adapter { can: self.capabilities(), mark: None };
        plain.insert("messages", user.messages(&[Message::user("Hi")]));
        let with = self.render(&plain, options.now).unwrap_or_default();
        plain.insert("add_generation_prompt", false);
        let without = self.render(&plain, options.now).unwrap_or_default();
        let opened = behind_common(&with, &without);
        if text.ends_with(&opened) { opened } else { String::new() }
    }

    /// A text that ends inside of the last message.
    fn continued(
        &self,
        messages: &[Message],
        variables: Map,
        options: &PromptOptions,
        continuation: Continuation,
    ) -> Result<PromptText, Error> {
        let wrong = |message: &str, help: &str| {
            Err(Error::new(ErrorKind::WrongInput, message).with_help(help))
        };
        if messages.last().is_none_or(|last| last.role != Role::Assistant) {
            return wrong(
                "there is no message of the assistant to continue",
                "put what the assistant has said so far last",
            );
        }
        let Written { text, rewrites } = self.run(&variables, options.now)?;
        // A mark behind the last word shows where it ends, whatever else the text may hold.
        let mark = adapt::mark(&text);
        let marked = Adapter { can: self.capabilities(), mark: Some((continuation, &mark)) };
        let mut with_mark = variables.clone();
        with_mark.insert("messages", marked.messages(messages));
        let with_mark = self.render(&with_mark, options.now)?;
        let Some((before, _)) = with_mark.rsplit_once(&*mark) else {
            let what = match continuation {
                Continuation::Content => "content",
                Continuation::Reasoning => "reasoning",
            };
            return wrong(
                &format!("the template does not write the {what} of the last message"),
                "append it to the generation prompt instead",
            );
        };
        // A template that trims what it writes has no white space there to continue from.
        let kept = if text.starts_with(before) { before } else { before.trim_end() };
        let generation_prompt = match messages.split_last() {
            Some((_, others)) if !others.is_empty() => {
                let mut without = variables.clone();
                let adapter = Adapter { can: self.capabilities(), mark: None };
                without.insert("messages", adapter.messages(others));
                let without = self.render(&without, options.now).unwrap_or_default();
                behind_common(kept, &without)
            }
            _ => kept.to_owned(),
        };
        let text = kept.to_owned();
        let data_ranges = Vec::new();
        Ok(PromptText { text, generation_prompt, variables, data_ranges, rewrites })
    }
}

/// What a text has behind what it shares with another from the start.
fn behind_common(text: &str, other: &str) -> String {
    let same = text.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
    let end = match same {
        Some(((at, _), _)) => at,
        None => text.len().min(other.len()),
    };
    text.get(end..).unwrap_or_default().to_owned()
}
