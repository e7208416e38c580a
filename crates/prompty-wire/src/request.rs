//! A request: messages, tools and options, and how it is put together.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;
use std::sync::LazyLock;

use prompty_core::Error;
use prompty_core::message::{GenerationOptions, Message, ToolChoice, ToolSpec};
use prompty_core::value::internal::excerpt;
use prompty_core::value::{Map, Value};
use serde::Serialize;

use super::entries::{given_form, sent_form};
use super::error::WireError;
use super::kept::{Conversation, Form, Kept, Place};
use super::options::{PromptCache, Reasoning};
use super::protocol::Protocol;
use super::response_format::{AnswerForm, FormatKind, ResponseFormat};
#[cfg(feature = "output")]
use prompty_output::output::{Answer, Output};

/// A request to a provider. Through serde it is the JSON of the provider's protocol.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
/// use typed_prompty::message::Message;
/// use typed_prompty::wire::{Protocol, Request};
///
/// let messages = [Message::system("Be brief."), Message::user("Where is Bonn?")];
/// let request = Request::new("gpt-4o", &messages).with_temperature(0.2);
/// assert_eq!(
///     request.to_json()?,
///     r#"{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where is Bonn?"}],"temperature":0.2}"#
/// );
/// let request = Request::new("claude-sonnet-4-5", &messages).with_protocol(Protocol::AnthropicMessages);
/// assert_eq!(
///     request.to_json()?,
///     r#"{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":[{"type":"text","text":"Where is Bonn?"}]}],"max_tokens":4096,"system":"Be brief."}"#
/// );
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
///
/// What a provider cannot take is an error of [`to_json`](Self::to_json) and of serde. Options that its protocol
/// does not have are left out, as the Prompty specification says (§7.1.5); [`left_out`](Self::left_out) names
/// them.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub(super) protocol: Protocol,
    pub(super) model: Cow<'a, str>,
    pub(super) messages: Cow<'a, [Message]>,
    pub(super) tools: Vec<ToolSpec>,
    /// Tools in the provider's own form.
    pub(super) provider_tools: Vec<Value>,
    /// The protocol that additional options and the provider's tools belong to, where they were read from a body.
    pub(super) read_from: Option<Protocol>,
    /// What only that protocol understands of the parts of the messages.
    pub(super) kept: Kept,
    pub(super) tool_choice: ToolChoice,
    pub(super) response_format: Option<FormatKind>,
    pub(super) options: GenerationOptions,
    pub(super) reasoning: Option<Reasoning>,
    pub(super) reasoning_field: Option<Cow<'static, str>>,
    pub(super) prompt_cache: Option<PromptCache>,
    /// Whether messages of the system behind the first turn stay where they are.
    pub(super) keeps_system: bool,
    pub(super) is_streaming: bool,
    /// What was put into the request and cannot be written.
    wrong: Option<WireError>,
}

/// What is said of streams alone.
pub(super) const STREAM_OPTIONS: &str = "stream_options";

/// The name that the specification gives to the schema of an output (§7.1.6).
pub(super) const OUTPUT_NAME: &str = "structured_output";

impl<'a> Request<'a> {
    /// A request for an answer of a model, in the protocol of OpenAI's chat completions.
    pub fn new(model: impl Into<Cow<'a, str>>, messages: &'a [Message]) -> Self {
        Self {
            protocol: Protocol::default(),
            model: model.into(),
            messages: Cow::Borrowed(messages),
            tools: Vec::new(),
            provider_tools: Vec::new(),
            read_from: None,
            kept: Kept::default(),
            tool_choice: ToolChoice::Auto,
            response_format: None,
            options: GenerationOptions::default(),
            reasoning: None,
            reasoning_field: None,
            prompt_cache: None,
            keeps_system: false,
            is_streaming: false,
            wrong: None,
        }
    }

    /// The same request in another protocol.
    #[must_use]
    pub fn with_protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// The same request with tools that the model may call, behind those that it has: `.with_tools(&toolbox)`,
    /// `.with_tools(Action::tools())`, or `.with_tools([Weather::tool()])`.
    #[must_use]
    pub fn with_tools<T: Borrow<ToolSpec>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(|tool| tool.borrow().clone()));
        self
    }

    /// The same request with a tool that the provider runs itself, such as a search, in the provider's own form.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_core::value; pub use prompty_wire as wire; }
    /// use typed_prompty::message::Message;
    /// use typed_prompty::value::Map;
    /// use typed_prompty::wire::{Protocol, Request};
    ///
    /// let messages = [Message::user("What is new?")];
    /// let search = Map::from([("type", "web_search_20250305"), ("name", "web_search")]);
    /// let request = Request::new("claude-sonnet-4-5", &messages)
    ///     .with_protocol(Protocol::AnthropicMessages)
    ///     .with_provider_tool(search);
    /// assert!(request.to_json()?.contains(r#""tools":[{"type":"web_search_20250305""#));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    ///
    /// What serde writes as a map is such a form: `json!({"type": "web_search"})` of `serde_json`, too.
    #[must_use]
    pub fn with_provider_tool(mut self, tool: impl Serialize) -> Self {
        match Value::from_serialize(&tool) {
            Ok(tool) => self.provider_tools.push(tool),
            Err(error) => self.refuse("a tool of the provider", &error),
        }
        self
    }

    /// Keeps the first error of what was put into the request: writing it gives that.
    fn refuse(&mut self, what: &str, error: &Error) {
        self.wrong.get_or_insert_with(|| {
            WireError::unsupported(format!("{what} cannot be written as JSON: {error}"))
        });
    }

    /// The same request, with which tools the model may or must call.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// The same request for an answer of a type: its JSON schema is sent, in the provider's strict form where
    /// the type has one. [`Reply::output`](prompty_reply::Reply::output) reads the answer. The schema is made once for a
    /// type; [`with_response_format`](Self::with_response_format) takes an [`Output`] that is more than a type.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
    /// use typed_prompty::message::Message;
    /// use typed_prompty::wire::Request;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City {
    ///     name: String,
    ///     people: Option<u64>,
    /// }
    ///
    /// let messages = [Message::user("Where are we?")];
    /// let body = Request::new("gpt-4o", &messages).with_output::<City>().to_value()?;
    /// let schema = body.get("response_format").unwrap().get("json_schema").unwrap();
    /// assert!(schema.to_json().contains(r#""required": ["name", "people"], "additionalProperties": false"#));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    #[cfg(feature = "output")]
    #[must_use]
    pub fn with_output<T: Answer>(self) -> Self {
        self.with_response_format(&Output::<T>::new())
    }

    /// The same request for an answer in a format: that of an [`Output`], of a [`Shape`](prompty_core::schema::shape::Shape) such as a prompt's
    /// `outputs`, of a JSON schema, or JSON of any kind.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
    /// use typed_prompty::message::Message;
    /// use typed_prompty::wire::{Request, ResponseFormat};
    ///
    /// let messages = [Message::user("Where are we? Answer in JSON.")];
    /// let request = Request::new("gpt-4o", &messages).with_response_format(ResponseFormat::json());
    /// assert!(request.to_json()?.contains(r#""response_format":{"type":"json_object"}"#));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    #[must_use]
    pub fn with_response_format(mut self, format: impl Into<ResponseFormat>) -> Self {
        self.response_format = format.into().0;
        self
    }

    /// The same request with some more options, such as those of a prompt's model. What they set replaces what
    /// the request has; the rest stays.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
    /// use typed_prompty::message::{GenerationOptions, Message};
    /// use typed_prompty::wire::Request;
    ///
    /// let mut options = GenerationOptions::default();
    /// (options.top_p, options.seed) = (Some(0.9), Some(7));
    /// let messages = [Message::user("Hello")];
    /// let request = Request::new("gpt-4o", &messages).with_options(options);
    /// assert!(request.to_json()?.ends_with(r#""top_p":0.9,"seed":7}"#));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    #[must_use]
    pub fn with_options(mut self, options: impl Into<GenerationOptions>) -> Self {
        self.options.merge(options.into());
        self
    }

    /// The same request with a randomness of the answer.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }

    /// The same request with a limit of the answer, in tokens.
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: u64) -> Self {
        self.options.max_output_tokens = Some(tokens);
        self
    }

    /// The same request with the share of the probable tokens that an answer is made of, from 0 to 1.
    #[must_use]
    pub fn with_top_p(mut self, top_p: f64) -> Self {
        self.options.top_p = Some(top_p);
        self
    }

    /// The same request with the number of the probable tokens that an answer is made of.
    #[must_use]
    pub fn with_top_k(mut self, top_k: u64) -> Self {
        self.options.top_k = Some(top_k);
        self
    }

    /// The same request with the strings at which an answer stops, in the place of those that it has.
    #[must_use]
    pub fn with_stop<S: Into<String>>(mut self, stop: impl IntoIterator<Item = S>) -> Self {
        self.options.stop_sequences = stop.into_iter().map(Into::into).collect();
        self
    }

    /// The same request with a seed: the provider tries to answer the same request in the same way.
    #[must_use]
    pub fn with_seed(mut self, seed: i64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// The same request, with how much the model may think.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: Reasoning) -> Self {
        self.reasoning = Some(reasoning);
        self
    }

    /// The same request, which gives the model its earlier reasoning back under a name, such as
    /// `reasoning_content`. Some servers of chat completions want it in tool loops; others refuse it, so
    /// without a name it is left out. Other protocols have a form of their own for it.
    #[must_use]
    pub fn with_reasoning_field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.reasoning_field = Some(name.into());
        self
    }

    /// The same request, with how the provider may keep the prompt for the next one.
    #[must_use]
    pub fn with_prompt_cache(mut self, cache: PromptCache) -> Self {
        self.prompt_cache = Some(cache);
        self
    }

    /// The same request, in which messages of the system that stand behind the first turn stay where they are.
    /// Only Anthropic's newer models take them there: without this, all of them go to the front.
    #[must_use]
    pub fn with_system_in_place(mut self) -> Self {
        self.keeps_system = true;
        self
    }

    /// The same request with an entry that only the provider knows. It replaces none that the request has.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
    /// use typed_prompty::message::Message;
    /// use typed_prompty::wire::Request;
    ///
    /// let messages = [Message::user("Hello")];
    /// let request = Request::new("gpt-4o", &messages)
    ///     .with_extra("service_tier", "flex")
    ///     .with_extra("metadata", serde_json::json!({"customer": "c1"}));
    /// assert!(request.to_json()?.ends_with(r#""service_tier":"flex","metadata":{"customer":"c1"}}"#));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    #[must_use]
    pub fn with_extra(mut self, name: &str, value: impl Serialize) -> Self {
        match Value::from_serialize(&value) {
            Ok(value) => {
                self.options.additional.insert(name, value);
            }
            Err(error) => self.refuse(&format!("the entry `{name}`"), &error),
        }
        self
    }

    /// The same request for an answer that comes in pieces, with the tokens counted at its end.
    #[must_use]
    pub fn with_streaming(mut self) -> Self {
        self.is_streaming = true;
        self
    }

    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages, without the request.
    #[cfg(feature = "async-openai")]
    pub(super) fn into_messages(self) -> Vec<Message> {
        self.messages.into_owned()
    }

    /// The tools.
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// The options.
    pub fn options(&self) -> &GenerationOptions {
        &self.options
    }

    /// Whether the answer comes in pieces.
    pub fn is_streaming(&self) -> bool {
        self.is_streaming
    }

    /// What no protocol takes.
    pub(super) fn check(&self) -> Result<(), WireError> {
        if self.model.trim().is_empty() {
            return Err(WireError::unsupported("the request names no model")
                .with_help("name it: `Request::new(\"gpt-4o\", &messages)`"));
        }
        if let Some(error) = &self.wrong {
            return Err(error.clone());
        }
        self.check_tool_names()?;
        self.check_tool_choice()?;
        self.check_provider_tools()?;
        let options = &self.options;
        let numbers = [
            options.temperature,
            options.top_p,
            options.frequency_penalty,
            options.presence_penalty,
        ];
        match numbers.into_iter().flatten().all(f64::is_finite) {
            true => Ok(()),
            false => Err(WireError::unsupported("an option is no number")
                .with_help("look at temperature, top_p and the penalties")),
        }
    }

    /// Whether there is a message to answer, which every protocol demands.
    pub(super) fn check_messages(&self, is_empty: bool) -> Result<(), WireError> {
        match is_empty {
            false => Ok(()),
            true => Err(WireError::unsupported("the request has no message that says anything")
                .with_help("give it one: `Message::user(question)`")),
        }
    }

    fn check_tool_names(&self) -> Result<(), WireError> {
        let mut names = BTreeSet::new();
        for ToolSpec { name, .. } in &self.tools {
            if !ToolSpec::is_name(name) {
                let message = format!("the tool `{name}` has a name that providers refuse");
                let help = "use 1 to 64 letters a to z, digits, `_` and `-`";
                return Err(WireError::unsupported(message).with_help(help));
            }
            if !names.insert(name) {
                let message = format!("two tools have the name `{name}`");
                return Err(WireError::unsupported(message).with_help("offer it once"));
            }
        }
        Ok(())
    }

    /// Whether the tool that must be called is one of those that are offered.
    fn check_tool_choice(&self) -> Result<(), WireError> {
        let message = match &self.tool_choice {
            ToolChoice::Required if self.tools.is_empty() && self.provider_tools.is_empty() => {
                "a tool must be called, and none is offered".to_owned()
            }
            ToolChoice::Tool(name) if !self.offered().contains(name) => {
                format!("the tool `{name}` must be called, and it is not offered")
            }
            _ => return Ok(()),
        };
        Err(WireError::unsupported(message).with_help("offer it: `request.with_tools(&tools)`"))
    }

    /// Whether additional options were read from a body of another protocol.
    pub(super) fn is_of_another(&self) -> bool {
        let family = self.protocol.rules().part_name;
        self.read_from.is_some_and(|read_from| read_from.rules().part_name != family)
    }

    /// Whether the request was read from a body of this protocol: what the body says is not more than that.
    pub(super) fn is_own_body(&self) -> bool {
        self.read_from.is_some() && !self.is_of_another()
    }

    /// The additional options that this protocol knows.
    pub(super) fn additional(&self) -> &Map {
        static NONE: LazyLock<Map> = LazyLock::new(Map::new);
        if self.is_of_another() { &NONE } else { &self.options.additional }
    }

    /// Takes the messages of the body that the request is read from.
    pub(super) fn take(&mut self, conversation: Conversation) {
        self.messages = Cow::Owned(conversation.messages);
        self.kept = conversation.kept;
    }

    /// A part as the body has it that the request was read from, if only this protocol understands all of it.
    pub(super) fn kept(&self, place: Place) -> Option<&Value> {
        self.kept.get(place).filter(|_| !self.is_of_another())
    }

    /// The tools: each as the body has it that the request was read from, if only this protocol understands all
    /// of it, and otherwise in the protocol's own form.
    pub(super) fn tool_forms<'r, T>(
        &'r self,
        mut own: impl FnMut(&'r ToolSpec) -> Result<T, WireError>,
    ) -> Result<Vec<Form<'r, T>>, WireError> {
        let form = |(index, tool)| match self.kept.tool(index) {
            Some(original) if !self.is_of_another() => Ok(Form::Original(original)),
            _ => own(tool).map(Form::Own),
        };
        self.tools.iter().enumerate().map(form).collect()
    }

    /// Whether only this protocol understands all of a message.
    pub(super) fn keeps_of(&self, index: usize, message: &Message) -> bool {
        let has_part = self.kept.of_message(index) && !self.is_of_another();
        has_part || self.read_metadata(message).is_some_and(|metadata| !metadata.is_empty())
    }

    /// All that a message says beside its role and its content, if it was read from a body of this protocol.
    /// Metadata of other messages may come from anywhere, so each protocol has a list of what it takes.
    pub(super) fn read_metadata<'r>(&self, message: &'r Message) -> Option<&'r Map> {
        self.is_own_body().then_some(&message.metadata)
    }

    /// The additional options that are sent: options of streams are refused where the answer comes whole.
    pub(super) fn additional_entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let is_for = |name: &str| self.is_streaming || name != STREAM_OPTIONS;
        self.additional().iter().filter(move |(name, _)| is_for(name))
    }

    /// # Errors
    ///
    /// Where a tool is one in the form of another protocol.
    fn check_provider_tools(&self) -> Result<(), WireError> {
        if self.provider_tools.is_empty() || !self.is_of_another() {
            return Ok(());
        }
        Err(WireError::unsupported("a tool that only another protocol has cannot be sent")
            .with_help("leave it out, or offer a function in its place"))
    }

    /// The form of the answer, as the protocol takes it. A body makes it once: the strict form of a schema takes time.
    ///
    /// # Errors
    ///
    /// Where the protocol takes no form of the schema.
    pub(super) fn answer_form(&self) -> Result<Option<AnswerForm<'_>>, WireError> {
        let Some(output) = &self.response_format else { return Ok(None) };
        Ok(Some(match output {
            FormatKind::Json => AnswerForm::Json,
            FormatKind::Schema { name, description, schema, strict } => {
                self.check_output_name(name)?;
                let (schema, strict) = given_form(schema, *strict, self.read_from, self.protocol)?;
                let description = description.as_deref();
                AnswerForm::Schema { name, description, schema, strict }
            }
            FormatKind::Sent(sent) => {
                let (schema, strict) = sent_form(sent, self.protocol)?;
                let schema = Cow::Borrowed(schema);
                AnswerForm::Schema { name: OUTPUT_NAME, description: None, schema, strict }
            }
        }))
    }

    /// OpenAI takes the same names for schemas as for tools, and Anthropic none.
    fn check_output_name(&self, name: &str) -> Result<(), WireError> {
        if !self.protocol.rules().has_schema_names || self.is_own_body() || ToolSpec::is_name(name)
        {
            return Ok(());
        }
        let message = format!("the schema of the answer cannot be called `{}`", excerpt(name));
        Err(WireError::unsupported(message)
            .with_help("use up to 64 letters `a` to `z`, digits, `_` and `-`"))
    }

    /// Whether the model's reasoning has no budget, which the protocol does not have.
    pub(super) fn check_no_budget(&self) -> Result<(), WireError> {
        match self.reasoning.as_ref().and_then(|reasoning| reasoning.budget) {
            None => Ok(()),
            Some(_) => Err(WireError::unsupported("the protocol has no budget of reasoning")
                .with_help("set an effort: `Reasoning::effort(\"low\")`")),
        }
    }

    pub(super) fn offered(&self) -> BTreeSet<String> {
        let own = self.tools.iter().map(|tool| &*tool.name);
        let named = self.provider_tools.iter().map(|tool| tool.get("function").unwrap_or(tool));
        let of_provider = named.filter_map(|tool| tool.get("name").and_then(Value::as_str));
        own.chain(of_provider).map(str::to_owned).collect()
    }
}
