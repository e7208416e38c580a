//! A model's chat templates: the public interface of this crate. A template is compiled once, and
//! its capabilities, format and markup are detected once. Its functions call the stages that turn a
//! request into a prompt. No stage calls functions of `ChatTemplate`.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::analysis::{Analysis, analyze, complete_declared_format};
use super::audit::{Markup, PromptText, audit, collect_markup, prompt_without_audit};
use super::capabilities::{Capabilities, ProbedTemplate};
use super::engine::Engine;
use super::files::{self, TemplateFiles, TemplateText};
use super::probes::{ProbeBudget, ProbeLimits};
use super::rendering::{PromptBudget, Renderer};
use super::request::{ControlTokens, PromptOptions, Request};
use super::special_tokens::SpecialTokens;
use super::turn::{self, ChatTurn, begin_turn, reply_parser};
use prompty_core::error::Error;
use prompty_core::message::{Message, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_reply::format::ReplyFormat;
use prompty_reply::{ReplyOptions, ReplyParser};
use prompty_template::RenderLimits;

/// The number of steps that one render may take. Long conversations need many.
const FUEL: u64 = 10_000_000;

fn default_limits() -> RenderLimits {
    RenderLimits::default().with_fuel(FUEL)
}

/// A model's chat template, compiled once. Cloning shares it.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_chat as chat; }
/// use typed_prompty::chat::{ChatTemplate, PromptOptions};
/// use typed_prompty::message::Message;
///
/// let template = ChatTemplate::from_text(
///     "{% for message in messages %}<{{ message.role }}>{{ message.content }}</>{% endfor %}\
///      {% if add_generation_prompt %}<assistant>{% endif %}",
/// )?;
/// let prompt = template.prompt(&[Message::user("Hi")], &[], &PromptOptions::new())?;
/// assert_eq!(prompt.text, "<user>Hi</><assistant>");
/// assert_eq!(prompt.generation_prompt, "<assistant>");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChatTemplate {
    given: Arc<GivenTemplate>,
    detected: Arc<DetectedFacts>,
}

#[derive(Debug, Clone)]
struct GivenTemplate {
    engine: Engine,
    tokens: SpecialTokens,
    response_template: Option<Value>,
    /// The format that the caller gave.
    format: Option<ReplyFormat>,
    probe_limits: ProbeLimits,
}

/// What is detected about a template when it is first needed.
#[derive(Debug, Default)]
struct DetectedFacts {
    /// The capabilities, and the budget that is left for other probes.
    capabilities: OnceLock<(Capabilities, ProbeBudget)>,
    analysis: OnceLock<Result<Analysis, Error>>,
    declared_format: OnceLock<Option<ReplyFormat>>,
    markup: OnceLock<Result<Markup, Error>>,
}

/// Construction from text.
impl ChatTemplate {
    /// Creates a template from its Jinja text, without special tokens.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax), with
    /// the line, if the text is not a valid template, and of kind
    /// [`Limit`](prompty_core::ErrorKind::Limit) if it is longer than 1 MiB.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Self::from_text_within(text, default_limits())
    }

    /// Like [`from_text`](Self::from_text), with other limits for each render.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`from_text`](Self::from_text).
    pub fn from_text_within(text: &str, limits: RenderLimits) -> Result<Self, Error> {
        let engine = Engine::compile(text.trim_start_matches('\u{feff}'), limits)?;
        Ok(Self::new(engine, SpecialTokens::default(), None, None))
    }

    /// Creates a template from its text and from what the other files of a model contain about it.
    pub(super) fn from_files(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
    ) -> Result<Self, Error> {
        let engine = Engine::compile(text.trim_start_matches('\u{feff}'), default_limits())?;
        Ok(Self::new(engine, tokens, response_template, None))
    }

    /// Creates a template whose text was checked and whose format was analysed before. If the text
    /// does not compile, every render fails with that error.
    pub(super) fn with_known_format(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
        format: ReplyFormat,
    ) -> Self {
        let engine = Engine::compile(text, default_limits()).unwrap_or_else(Engine::with_error);
        Self::new(engine, tokens, response_template, Some(format))
    }

    fn new(
        engine: Engine,
        tokens: SpecialTokens,
        response_template: Option<Value>,
        format: Option<ReplyFormat>,
    ) -> Self {
        let probe_limits = ProbeLimits::default();
        let given = GivenTemplate { engine, tokens, response_template, format, probe_limits };
        Self { given: Arc::new(given), detected: Arc::default() }
    }

    /// The same template with one change. Everything that was detected is discarded.
    fn with_change(&self, change: impl FnOnce(&mut GivenTemplate)) -> Self {
        let mut changed = Self { detected: Arc::default(), ..self.clone() };
        change(Arc::make_mut(&mut changed.given));
        changed
    }

    /// Returns the same template with other special tokens.
    #[must_use]
    pub fn with_special_tokens(&self, tokens: SpecialTokens) -> Self {
        self.with_change(|given| given.tokens = tokens)
    }

    /// Returns the same template with a reply format that was written or changed by hand.
    #[must_use]
    pub fn with_format(&self, format: ReplyFormat) -> Self {
        self.with_change(|given| given.format = Some(format))
    }

    /// Returns the same template with other limits on all probes together. Probes are the small
    /// conversations that detect what the template can do, and how the model writes replies.
    #[must_use]
    pub fn with_probe_limits(&self, limits: ProbeLimits) -> Self {
        self.with_change(|given| given.probe_limits = limits)
    }
}

/// Properties of a template, given or detected.
impl ChatTemplate {
    /// The template's text.
    pub fn text(&self) -> &str {
        self.given.engine.text()
    }

    /// The special tokens that the template may write.
    pub fn special_tokens(&self) -> &SpecialTokens {
        &self.given.tokens
    }

    /// The entry of the tokenizer's configuration that describes the form of replies
    /// (`response_template`, or else `response_schema`), if there is one.
    pub fn response_template(&self) -> Option<&Value> {
        self.given.response_template.as_ref()
    }

    /// The variables that the template reads without setting them itself.
    pub fn variables(&self) -> &[String] {
        self.given.engine.variables()
    }

    /// What the template can do. It is detected once, by rendering.
    pub fn capabilities(&self) -> &Capabilities {
        &self.probed_capabilities().0
    }

    fn probed_capabilities(&self) -> &(Capabilities, ProbeBudget) {
        let GivenTemplate { engine, tokens, probe_limits, .. } = &*self.given;
        let capabilities = &self.detected.capabilities;
        capabilities.get_or_init(|| Capabilities::probe(engine, tokens, *probe_limits))
    }

    fn probed_template(&self) -> ProbedTemplate<'_> {
        let GivenTemplate { engine, tokens, .. } = &*self.given;
        let (capabilities, budget) = self.probed_capabilities();
        ProbedTemplate { engine, tokens, capabilities, budget: *budget }
    }

    fn markup(&self) -> Result<&Markup, Error> {
        let markup = &self.detected.markup;
        let markup =
            markup.get_or_init(|| collect_markup(self.probed_template(), self.format().ok()));
        markup.as_ref().map_err(Error::duplicate)
    }

    /// Detects how the model writes its replies, by rendering conversations of words that no
    /// template contains. The same template always gives the same analysis.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_chat as chat; }
    /// use typed_prompty::chat::ChatTemplate;
    ///
    /// let template = ChatTemplate::from_text(
    ///     "{% for m in messages %}<|{{ m.role }}|>\
    ///      {% if m.reasoning_content %}(think){{ m.reasoning_content }}(/think){% endif %}\
    ///      {{ m.content }}<|end|>{% endfor %}\
    ///      {% if add_generation_prompt %}<|assistant|>{% endif %}",
    /// )?;
    /// let analysis = template.analyze()?;
    /// let reasoning = analysis.format().reasoning.as_ref().expect("it shows reasoning");
    /// assert_eq!((&*reasoning.open.text, &*reasoning.close.text), ("(think)", "(/think)"));
    /// assert_eq!(analysis.format().turn.end[0].text, "<|end|>");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`Analysis`](prompty_core::ErrorKind::Analysis), with the probe and
    /// the template's output, if it is not clear how the template writes the assistant's messages.
    /// Returns an error of kind [`Limit`](prompty_core::ErrorKind::Limit) if the probes together
    /// exceed the [`ProbeLimits`].
    pub fn analyze(&self) -> Result<Analysis, Error> {
        analyze(self.probed_template())
    }

    /// The result of [`analyze`](Self::analyze), which is computed once.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`analyze`](Self::analyze).
    pub fn analysis(&self) -> Result<&Analysis, Error> {
        let analysis = self.detected.analysis.get_or_init(|| self.analyze());
        analysis.as_ref().map_err(Error::duplicate)
    }

    /// How the model writes replies. It is the format from [`with_format`](Self::with_format).
    /// Without one, it is the format that the tokenizer's configuration declares
    /// (`response_template`), if [`ReplyFormat`] can express it. Otherwise it is the result of the
    /// analysis.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`analysis`](Self::analysis).
    pub fn format(&self) -> Result<&ReplyFormat, Error> {
        let GivenTemplate { response_template, format, .. } = &*self.given;
        if let Some(given) = format {
            return Ok(given);
        }
        let declared = self.detected.declared_format.get_or_init(|| {
            let declared = ReplyFormat::from_response_template(response_template.as_ref()?).ok()?;
            Some(complete_declared_format(declared, self.analysis().ok().map(Analysis::format)))
        });
        match declared {
            Some(declared) => Ok(declared),
            None => Ok(self.analysis()?.format()),
        }
    }

    /// The stop strings: the ends of the model's turn, and the end token of the tokenizer.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`format`](Self::format).
    pub fn stops(&self) -> Result<Vec<String>, Error> {
        Ok(turn::stops(self.format()?, self.special_tokens()))
    }
}

/// Prompts from messages.
impl ChatTemplate {
    /// Renders the template with the given variables only. `now` is a time in seconds since 1970;
    /// without it, the current time is used.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`Refused`](prompty_core::ErrorKind::Refused) if the template
    /// raises an error, of kind [`Render`](prompty_core::ErrorKind::Render) if it fails, and of
    /// kind [`Limit`](prompty_core::ErrorKind::Limit) if it exceeds its limits.
    pub fn render(&self, variables: &Map, now: Option<i64>) -> Result<String, Error> {
        self.given.engine.render(variables, now, &mut { u64::MAX }).map(|written| written.text)
    }

    /// The prompt for a conversation, as `apply_chat_template` of `transformers` writes it. The
    /// messages are adapted to what the template can do.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`render`](Self::render), and of kind
    /// - [`Limit`](prompty_core::ErrorKind::Limit) if the template has more markup than can be
    ///   searched for,
    /// - [`WrongInput`](prompty_core::ErrorKind::WrongInput) if there is nothing to continue,
    /// - [`ControlTokens`](prompty_core::ErrorKind::ControlTokens) if data would become structure
    ///   (see [`PromptOptions::control_tokens`]).
    pub fn prompt(
        &self,
        messages: &[Message],
        tools: &[ToolSpec],
        options: &PromptOptions,
    ) -> Result<PromptText, Error> {
        let request = Request::new(messages, tools, options)?;
        self.audit_prompt(None, &request)
    }

    /// The prompt for a conversation, and everything that its reply needs.
    ///
    /// The prompt's text is that of [`prompt`](Self::prompt). The parser of the reply starts at the
    /// end of the prompt: inside of reasoning, for example, if the prompt opens it.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`prompt`](Self::prompt) and [`format`](Self::format).
    /// If tools are offered, it can also be [`Analysis::unclear_calls`].
    pub fn apply(
        &self,
        messages: &[Message],
        tools: &[ToolSpec],
        options: &PromptOptions,
    ) -> Result<ChatTurn, Error> {
        let request = Request::new(messages, tools, options)?;
        self.check_calls(request.offered_tools())?;
        let format = self.format();
        let known = Some(format.as_ref().copied());
        let prompt = self.audit_prompt(known, &request)?;
        begin_turn(&request, prompt, format?, self.special_tokens())
    }

    /// Returns an error if tools are offered and their calls cannot be parsed.
    fn check_calls(&self, offered: &[ToolSpec]) -> Result<(), Error> {
        if offered.is_empty() || self.format()?.tools.is_some() {
            return Ok(());
        }
        match self.analysis().ok().and_then(Analysis::unclear_calls) {
            Some(unclear) => Err(unclear.duplicate()),
            None => Ok(()),
        }
    }

    /// The prompt for a request. All renders share one budget; if it is exceeded, the result is
    /// discarded.
    fn audit_prompt(
        &self,
        format: Option<Result<&ReplyFormat, &Error>>,
        request: &Request<'_>,
    ) -> Result<PromptText, Error> {
        let budget = PromptBudget::new(&self.given.engine);
        let renderer = Renderer { template: self.probed_template(), format, budget: &budget };
        let prompt = match request.options.control_tokens {
            ControlTokens::Ignore => prompt_without_audit(renderer, request),
            _ => audit(renderer, self.markup()?, request),
        };
        budget.check()?;
        prompt
    }

    /// The parser of the reply to a prompt that was made elsewhere, for example by a server. It
    /// starts at the end of the prompt.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_chat as chat; pub use prompty_reply as reply; }
    /// use typed_prompty::chat::ChatTemplate;
    /// use typed_prompty::reply::ReplyOptions;
    ///
    /// let template = ChatTemplate::from_text(concat!(
    ///     "{% for message in messages %}<|{{ message.role }}|>",
    ///     "{% if message.reasoning_content %}<muse>{{ message.reasoning_content }}</muse>{% endif %}",
    ///     "{{ message.content }}<|end|>{% endfor %}",
    /// ))?;
    /// let prompt = "<|user|>6 times 7?<|end|><|assistant|><muse>";
    /// let parser = template.parser_for_prompt(prompt, &[], &ReplyOptions::default())?;
    /// assert_eq!(parser.parse("Easy.</muse>42").reasoning(), "Easy.");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`format`](Self::format). If there are tools, it can
    /// also be [`Analysis::unclear_calls`].
    pub fn parser_for_prompt(
        &self,
        prompt: &str,
        tools: &[ToolSpec],
        options: &ReplyOptions,
    ) -> Result<ReplyParser, Error> {
        self.check_calls(tools)?;
        Ok(reply_parser(self.format()?, tools, options).with_prompt(prompt))
    }
}

/// The chat templates of one model: usually one, sometimes several with names.
///
/// ```
/// # mod typed_prompty { pub use prompty_chat as chat; }
/// use typed_prompty::chat::ChatTemplates;
///
/// let templates = ChatTemplates::from_tokenizer_config(
///     r#"{"chat_template": [{"name": "default", "template": "Hello"},
///                           {"name": "tool_use", "template": "Hello with tools"}]}"#,
/// )?;
/// assert_eq!(templates.names().collect::<Vec<_>>(), ["default", "tool_use"]);
/// assert_eq!(templates.choose(None, true)?.text(), "Hello with tools");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChatTemplates {
    templates: Vec<(String, ChatTemplate)>,
}

impl ChatTemplates {
    /// The templates in the text of a `tokenizer_config.json`, with its special tokens.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_chat as chat; }
    /// use typed_prompty::chat::ChatTemplates;
    ///
    /// let templates = ChatTemplates::from_tokenizer_config(
    ///     r#"{"bos_token": {"content": "<s>"}, "chat_template": "{{ bos_token }}Hello"}"#,
    /// )?;
    /// let template = templates.choose(None, false)?;
    /// assert_eq!(template.special_tokens().bos(), Some("<s>"));
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`Conversion`](prompty_core::ErrorKind::Conversion) if the text is
    /// not JSON or has no chat template, of kind
    /// [`TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) if a template is not valid, and
    /// of kind [`Limit`](prompty_core::ErrorKind::Limit) if one is longer than 1 MiB.
    pub fn from_tokenizer_config(json: &str) -> Result<Self, Error> {
        Self::compile(TemplateFiles::from_config(json)?)
    }

    /// The templates of a model's folder: `chat_template.jinja` and
    /// `additional_chat_templates/*.jinja`, or those in `chat_template.json` or
    /// `tokenizer_config.json`. The last one also has the special tokens.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`FileNotFound`](prompty_core::ErrorKind::FileNotFound) if there is
    /// no template, and in the cases of [`from_tokenizer_config`](Self::from_tokenizer_config).
    pub fn from_folder(folder: impl AsRef<Path>) -> Result<Self, Error> {
        Self::compile(TemplateFiles::read_folder(folder.as_ref())?)
    }

    /// The templates at a path: a model's folder, a `tokenizer_config.json`, or a file of Jinja. A
    /// file of Jinja takes the special tokens from `tokenizer_config.json` in the same folder.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`from_folder`](Self::from_folder).
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::compile(TemplateFiles::read(path.as_ref())?)
    }

    fn compile(files: TemplateFiles) -> Result<Self, Error> {
        let TemplateFiles { texts, tokens, response_template, .. } = files;
        let compiled = texts.into_iter().map(|TemplateText { name, text, .. }| {
            let response = response_template.clone();
            let template = ChatTemplate::from_files(&text, tokens.clone(), response)?;
            Ok((name, template))
        });
        Ok(Self { templates: compiled.collect::<Result<_, Error>>()? })
    }

    /// The names of the templates.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().map(|(name, _)| name.as_str())
    }

    /// The template with a name. Without a name it is the one for tools, if there are tools, or
    /// else the default.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`WrongInput`](prompty_core::ErrorKind::WrongInput) if the name is
    /// unknown, or if no name is given and no template is the default.
    pub fn choose(&self, name: Option<&str>, has_tools: bool) -> Result<&ChatTemplate, Error> {
        let names: Vec<&str> = self.names().collect();
        let index = files::choose(&names, name, has_tools)?;
        self.templates.get(index).map(|(_, template)| template).ok_or_else(files::no_default)
    }
}
