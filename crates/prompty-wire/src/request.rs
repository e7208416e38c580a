//! The type `Request`: messages, tools and options of a request, and how it is built.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;
use std::sync::LazyLock;

use prompty_core::Error;
use prompty_core::message::{GenerationOptions, Message, Role, ToolChoice, ToolSpec};
use prompty_core::value::internal::excerpt;
use prompty_core::value::{Map, Value};
use serde::Serialize;

use super::entries::{custom_schema_form, output_schema_form};
use super::error::WireError;
use super::options::{PromptCache, Reasoning};
use super::originals::{ConversationBuilder, Originals, PartPlace, WrittenForm};
use super::protocol::Protocol;
use super::provider_json::ProviderJson;
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
/// If the protocol cannot express the request, [`to_json`](Self::to_json) and serde return an
/// error. Options that the protocol does not have are left out, as the Prompty specification says
/// (§7.1.5); [`left_out`](Self::left_out) names them.
#[derive(Debug, Clone)]
#[must_use]
pub struct Request<'a> {
    pub(super) protocol: Protocol,
    pub(super) model: Cow<'a, str>,
    pub(super) messages: Cow<'a, [Message]>,
    pub(super) tools: Vec<ToolSpec>,
    /// Tools in the provider's own form.
    pub(super) provider_tools: Vec<ProviderJson>,
    /// The protocol of the body that the request was read from. Additional options and provider
    /// tools belong to it.
    pub(super) read_from: Option<Protocol>,
    /// The parts and tools with fields that only that protocol understands.
    pub(super) originals: Originals,
    pub(super) tool_choice: ToolChoice,
    pub(super) response_format: Option<FormatKind>,
    pub(super) options: GenerationOptions,
    pub(super) reasoning: Option<Reasoning>,
    pub(super) reasoning_field: Option<Cow<'static, str>>,
    pub(super) prompt_cache: Option<PromptCache>,
    /// Whether system messages after the first turn stay in place.
    pub(super) keeps_system: bool,
    pub(super) is_streaming: bool,
    /// The first error of a value that cannot be written as JSON.
    error: Option<WireError>,
}

/// The entry with the options of streams.
pub(super) const STREAM_OPTIONS: &str = "stream_options";

/// The name that the specification gives to the schema of an output (§7.1.6).
pub(super) const OUTPUT_NAME: &str = "structured_output";

impl<'a> Request<'a> {
    /// The maximum length of the answer if a request sets none, in tokens. Only Anthropic's protocol
    /// demands a limit, so only there it is sent. With a reasoning budget, that is added.
    ///
    /// To change it, set a limit where your program makes its requests. Later options, such as those
    /// of a prompt, replace it if they have their own.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
    /// use typed_prompty::message::{GenerationOptions, Message};
    /// use typed_prompty::wire::{Protocol, Request};
    ///
    /// fn request<'a>(messages: &'a [Message], options: GenerationOptions) -> Request<'a> {
    ///     Request::new("claude-sonnet-4-5", messages)
    ///         .with_protocol(Protocol::AnthropicMessages)
    ///         .with_max_output_tokens(16_000) // instead of `Request::DEFAULT_MAX_OUTPUT_TOKENS`
    ///         .with_options(options)
    /// }
    ///
    /// let messages = [Message::user("Where is Bonn?")];
    /// let mut options = GenerationOptions::default();
    /// assert!(request(&messages, options.clone()).to_json()?.contains(r#""max_tokens":16000"#));
    /// options.max_output_tokens = Some(100);
    /// assert!(request(&messages, options).to_json()?.contains(r#""max_tokens":100"#));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    pub const DEFAULT_MAX_OUTPUT_TOKENS: u64 = 4096;

    /// A request to a model, in the protocol of OpenAI's chat completions.
    pub fn new(model: impl Into<Cow<'a, str>>, messages: &'a [Message]) -> Self {
        Self {
            protocol: Protocol::default(),
            model: model.into(),
            messages: Cow::Borrowed(messages),
            tools: Vec::new(),
            provider_tools: Vec::new(),
            read_from: None,
            originals: Originals::default(),
            tool_choice: ToolChoice::Auto,
            response_format: None,
            options: GenerationOptions::default(),
            reasoning: None,
            reasoning_field: None,
            prompt_cache: None,
            keeps_system: false,
            is_streaming: false,
            error: None,
        }
    }

    /// Sets the protocol.
    pub fn with_protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Adds tools that the model may call: `.with_tools(&toolbox)`, `.with_tools(Action::tools())`,
    /// or `.with_tools([Weather::tool()])`.
    pub fn with_tools<T: Borrow<ToolSpec>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(|tool| tool.borrow().clone()));
        self
    }

    /// Adds a tool that the provider runs itself, such as a search, in the provider's own form.
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
    /// Any value that serde writes as an object is accepted. An example with `serde_json` is
    /// `json!({"type": "web_search"})`.
    pub fn with_provider_tool(mut self, tool: impl Serialize) -> Self {
        match Value::from_serialize(&tool) {
            Ok(tool) => self.provider_tools.push(ProviderJson(tool)),
            Err(error) => self.record_error("the provider tool", &error),
        }
        self
    }

    /// Keeps the first error. Writing the request returns it.
    fn record_error(&mut self, what: &str, error: &Error) {
        self.error.get_or_insert_with(|| {
            WireError::unsupported(format!("{what} cannot be written as JSON: {error}"))
                .with_help("use a type that serde can serialize as JSON")
        });
    }

    /// Sets which tools the model may or must call.
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Requests an answer of a type. Its JSON schema is sent, in the provider's strict form if the
    /// type has one. [`Reply::output`](prompty_reply::Reply::output) reads the answer. The schema
    /// is created once per type. [`with_response_format`](Self::with_response_format) accepts an
    /// [`Output`] with more settings.
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
    pub fn with_output<T: Answer>(self) -> Self {
        self.with_response_format(&Output::<T>::new())
    }

    /// Requests an answer in a format: that of an [`Output`], of a
    /// [`Shape`](prompty_core::schema::shape::Shape) such as a prompt's `outputs`, of a JSON
    /// schema, or any JSON.
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
    pub fn with_response_format(mut self, format: impl Into<ResponseFormat>) -> Self {
        self.response_format = format.into().0;
        self
    }

    /// Adds options, such as those of a prompt's model. They replace the options that the request
    /// already has; the others stay.
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
    pub fn with_options(mut self, options: impl Into<GenerationOptions>) -> Self {
        self.options.merge(options.into());
        self
    }

    /// Sets the randomness of the answer.
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }

    /// Sets the maximum length of the answer, in tokens. Without it, the provider decides, except
    /// for Anthropic: see [`DEFAULT_MAX_OUTPUT_TOKENS`](Self::DEFAULT_MAX_OUTPUT_TOKENS).
    pub fn with_max_output_tokens(mut self, tokens: u64) -> Self {
        self.options.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the total probability of the tokens that the model chooses from, from 0 to 1.
    pub fn with_top_p(mut self, top_p: f64) -> Self {
        self.options.top_p = Some(top_p);
        self
    }

    /// Sets the number of the most probable tokens that the model chooses from.
    pub fn with_top_k(mut self, top_k: u64) -> Self {
        self.options.top_k = Some(top_k);
        self
    }

    /// Sets the strings at which an answer stops. They replace those that the request has.
    pub fn with_stop<S: Into<String>>(mut self, stop: impl IntoIterator<Item = S>) -> Self {
        self.options.stop_sequences = stop.into_iter().map(Into::into).collect();
        self
    }

    /// Sets a seed. The provider tries to answer the same request in the same way.
    pub fn with_seed(mut self, seed: i64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Sets how much the model may reason.
    pub fn with_reasoning(mut self, reasoning: Reasoning) -> Self {
        self.reasoning = Some(reasoning);
        self
    }

    /// Sends the model's earlier reasoning back in a field, such as `reasoning_content`. Some
    /// servers of chat completions need it in tool loops, and others refuse it. Without a field
    /// name it is left out. Other protocols have their own form for it.
    pub fn with_reasoning_field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.reasoning_field = Some(name.into());
        self
    }

    /// Sets how the provider may cache the prompt.
    pub fn with_prompt_cache(mut self, cache: PromptCache) -> Self {
        self.prompt_cache = Some(cache);
        self
    }

    /// Leaves system messages after the first turn in place. Only Anthropic's newer models accept
    /// them there. Without this option, all of them move to the front.
    pub fn with_system_in_place(mut self) -> Self {
        self.keeps_system = true;
        self
    }

    /// Adds an entry that only the provider knows. It does not replace an entry of the request.
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
    pub fn with_extra(mut self, name: &str, value: impl Serialize) -> Self {
        match Value::from_serialize(&value) {
            Ok(value) => {
                self.options.additional.insert(name, value);
            }
            Err(error) => self.record_error(&format!("the entry `{name}`"), &error),
        }
        self
    }

    /// Requests an answer in pieces, with the token counts at its end.
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

    /// Whether the answer arrives in pieces.
    pub fn is_streaming(&self) -> bool {
        self.is_streaming
    }

    /// Checks the rules of all protocols.
    pub(super) fn check(&self) -> Result<(), WireError> {
        if self.model.trim().is_empty() {
            return Err(WireError::unsupported("the request has no model")
                .with_help("set it: `Request::new(\"gpt-4o\", &messages)`"));
        }
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.check_tool_names()?;
        self.check_tool_choice()?;
        self.check_provider_tools()?;
        let options = &self.options;
        let numbers = [
            ("temperature", options.temperature),
            ("top_p", options.top_p),
            ("frequency_penalty", options.frequency_penalty),
            ("presence_penalty", options.presence_penalty),
        ];
        let is_infinite = |number: Option<f64>| number.is_some_and(|number| !number.is_finite());
        match numbers.into_iter().find(|(_, number)| is_infinite(*number)) {
            None => Ok(()),
            Some((name, _)) => {
                Err(WireError::unsupported(format!("the option `{name}` is not a finite number"))
                    .with_help("set a finite number, or remove the option"))
            }
        }
    }

    /// Checks that there is a message to answer, which every protocol demands.
    pub(super) fn check_messages(&self, is_empty: bool) -> Result<(), WireError> {
        if !is_empty {
            return Ok(());
        }
        let is_system = |it: &Message| matches!(it.role, Role::System | Role::Developer);
        let has_system = self.messages.iter().any(|it| is_system(it) && !it.content.is_empty());
        Err(match has_system {
            true => WireError::unsupported(
                "the request has only system messages, but the protocol needs one of the user",
            )
            .with_help("add one: `Message::user(question)`, or `user:` in the prompt"),
            false => WireError::unsupported("the request has no message with content")
                .with_help("add one: `Message::user(question)`"),
        })
    }

    fn check_tool_names(&self) -> Result<(), WireError> {
        let mut names = BTreeSet::new();
        for ToolSpec { name, .. } in &self.tools {
            if !ToolSpec::is_name(name) {
                let message = format!("invalid tool name `{name}`");
                let help = "use 1 to 64 characters: ASCII letters, digits, `_` and `-`";
                return Err(WireError::unsupported(message).with_help(help));
            }
            if !names.insert(name) {
                let message = format!("the tool `{name}` is specified twice");
                return Err(WireError::unsupported(message).with_help("offer each tool once"));
            }
        }
        Ok(())
    }

    /// Checks that a required tool is offered.
    fn check_tool_choice(&self) -> Result<(), WireError> {
        let message = match &self.tool_choice {
            ToolChoice::Required if self.tools.is_empty() && self.provider_tools.is_empty() => {
                "a tool call is required, but no tool is offered".to_owned()
            }
            ToolChoice::Tool(name) if !self.offered().contains(name) => {
                format!("the required tool `{name}` is not offered")
            }
            _ => return Ok(()),
        };
        let offered: Vec<_> = self.offered().iter().map(|name| format!("`{name}`")).collect();
        let mut help = "offer it: `request.with_tools(&tools)`".to_owned();
        if !offered.is_empty() {
            help = format!("{help}; available tools: {}", offered.join(", "));
        }
        Err(WireError::unsupported(message).with_help(help))
    }

    /// Whether the request was read from a body of another protocol.
    pub(super) fn is_from_other_protocol(&self) -> bool {
        let family = self.protocol.rules().part_name;
        self.read_from.is_some_and(|read_from| read_from.rules().part_name != family)
    }

    /// Whether the request was read from a body of this protocol. Such a body may contain
    /// everything that its author wrote.
    pub(super) fn is_from_own_protocol(&self) -> bool {
        self.read_from.is_some() && !self.is_from_other_protocol()
    }

    /// The additional options, if they belong to this protocol.
    pub(super) fn additional(&self) -> &Map {
        static NONE: LazyLock<Map> = LazyLock::new(Map::new);
        if self.is_from_other_protocol() { &NONE } else { &self.options.additional }
    }

    /// Sets the messages of the body that the request is read from.
    pub(super) fn set_conversation(&mut self, conversation: ConversationBuilder) {
        self.messages = Cow::Owned(conversation.messages);
        self.originals = conversation.originals;
    }

    /// The original JSON of a part, if only this protocol understands all of it.
    pub(super) fn original(&self, place: PartPlace) -> Option<&Value> {
        self.originals.get(place).filter(|_| !self.is_from_other_protocol())
    }

    /// The tools: the original JSON of those that only this protocol understands, the others in the
    /// form that `own` creates, and the provider's tools.
    pub(super) fn tool_forms<'r, T>(
        &'r self,
        mut own: impl FnMut(&'r ToolSpec) -> Result<T, WireError>,
    ) -> Result<Vec<WrittenForm<'r, T>>, WireError> {
        let form = |(index, tool)| match self.originals.tool(index) {
            Some(original) if !self.is_from_other_protocol() => {
                Ok(WrittenForm::OriginalJson(original))
            }
            _ => own(tool).map(WrittenForm::Own),
        };
        let of_provider =
            self.provider_tools.iter().map(|tool| Ok(WrittenForm::OriginalJson(tool)));
        self.tools.iter().enumerate().map(form).chain(of_provider).collect()
    }

    /// Whether a message has fields that only this protocol understands.
    pub(super) fn has_originals(&self, index: usize, message: &Message) -> bool {
        let has_part = self.originals.has_message(index) && !self.is_from_other_protocol();
        has_part || self.own_metadata(message).is_some_and(|metadata| !metadata.is_empty())
    }

    /// The metadata of a message, if it was read from a body of this protocol. The metadata of
    /// other messages may come from anywhere, so each protocol lists what it accepts.
    pub(super) fn own_metadata<'r>(&self, message: &'r Message) -> Option<&'r Map> {
        self.is_from_own_protocol().then_some(&message.metadata)
    }

    /// The additional options that are sent. Providers refuse stream options without streaming.
    pub(super) fn additional_entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let is_for = |name: &str| self.is_streaming || name != STREAM_OPTIONS;
        self.additional().iter().filter(move |(name, _)| is_for(name))
    }

    /// # Errors
    ///
    /// Returns an error if a provider tool belongs to another protocol.
    fn check_provider_tools(&self) -> Result<(), WireError> {
        if self.provider_tools.is_empty() || !self.is_from_other_protocol() {
            return Ok(());
        }
        Err(WireError::unsupported(
            "the protocol does not support a provider tool of another protocol",
        )
        .with_help("remove it, or offer a function instead"))
    }

    /// The response format in the form of the protocol. A body calls this once, because the strict
    /// form of a schema takes time.
    ///
    /// # Errors
    ///
    /// Returns an error if the protocol does not support the schema.
    pub(super) fn answer_form(&self) -> Result<Option<AnswerForm<'_>>, WireError> {
        let Some(output) = &self.response_format else { return Ok(None) };
        Ok(Some(match output {
            FormatKind::Json => AnswerForm::Json,
            FormatKind::Schema { name, description, schema, strict } => {
                self.check_output_name(name)?;
                let (schema, strict) =
                    custom_schema_form(schema, *strict, self.read_from, self.protocol)?;
                let description = description.as_deref();
                AnswerForm::Schema { name, description, schema, strict }
            }
            FormatKind::Sent(sent) => {
                let (schema, strict) = output_schema_form(sent, self.protocol)?;
                let schema = Cow::Borrowed(schema);
                AnswerForm::Schema { name: OUTPUT_NAME, description: None, schema, strict }
            }
        }))
    }

    /// Checks the name of a schema. OpenAI accepts the same names as for tools; Anthropic has none.
    fn check_output_name(&self, name: &str) -> Result<(), WireError> {
        if !self.protocol.rules().has_schema_names
            || self.is_from_own_protocol()
            || ToolSpec::is_name(name)
        {
            return Ok(());
        }
        let message = format!("invalid schema name `{}`", excerpt(name));
        Err(WireError::unsupported(message)
            .with_help("use 1 to 64 characters: ASCII letters, digits, `_` and `-`"))
    }

    /// Checks that the request has no reasoning budget, which the protocol does not support.
    pub(super) fn check_no_budget(&self) -> Result<(), WireError> {
        match self.reasoning.as_ref().and_then(|reasoning| reasoning.budget) {
            None => Ok(()),
            Some(_) => {
                Err(WireError::unsupported("the protocol does not support a reasoning budget")
                    .with_help("set an effort: `Reasoning::effort(\"low\")`"))
            }
        }
    }

    /// The names of all tools, including those of provider tools that have one.
    pub(super) fn offered(&self) -> BTreeSet<String> {
        let own = self.tools.iter().map(|tool| &*tool.name);
        let named = self.provider_tools.iter().map(|tool| tool.get("function").unwrap_or(tool));
        let of_provider = named.filter_map(|tool| tool.get("name").and_then(Value::as_str));
        own.chain(of_provider).map(str::to_owned).collect()
    }
}
