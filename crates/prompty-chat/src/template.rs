//! A model's chat templates: the face of this room. A template is compiled once; its capabilities, its
//! format and its markup are found out once. Its functions call the stages from a request to a prompt.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::analysis::{Analysis, analyze, complete_declared};
use super::audited::{Markup, PromptText, audit, collect_markup, trust};
use super::capabilities::{Capabilities, ProbedTemplate};
use super::engine::Engine;
use super::files::{self, TemplateFiles, TemplateText};
use super::probes::{ProbeBudget, ProbeLimits};
use super::rendered::{PromptBudget, Renderer};
use super::request::{ControlTokens, PromptOptions, Request};
use super::special_tokens::SpecialTokens;
use super::turn::{self, ChatTurn, begin_turn, reply_parser};
use prompty_core::error::Error;
use prompty_core::message::{Message, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_reply::format::ReplyFormat;
use prompty_reply::{ReplyOptions, ReplyParser};
use prompty_template::RenderLimits;

/// The steps that a template may take: a long conversation takes many.
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
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    tokens: SpecialTokens,
    response_template: Option<Value>,
    /// The format that the caller gave.
    format: Option<ReplyFormat>,
    probe_limits: ProbeLimits,
    found: Found,
}

/// What is found out about a template when it is first asked for.
#[derive(Debug, Default)]
struct Found {
    /// What the template can do, and what is left for other probes.
    capabilities: OnceLock<(Capabilities, ProbeBudget)>,
    analysis: OnceLock<Result<Analysis, Error>>,
    declared_format: OnceLock<Option<ReplyFormat>>,
    markup: OnceLock<Result<Markup, Error>>,
}

/// Templates out of texts.
impl ChatTemplate {
    /// A template out of its Jinja text, without special tokens.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) with the line, and
    /// [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where the text has more than 1 MiB.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Self::from_text_within(text, default_limits())
    }

    /// The same with other limits on what a render may do.
    ///
    /// # Errors
    ///
    /// As [`from_text`](Self::from_text).
    pub fn from_text_within(text: &str, limits: RenderLimits) -> Result<Self, Error> {
        let engine = Engine::compile(text.trim_start_matches('\u{feff}'), limits)?;
        Ok(Self::new(engine, SpecialTokens::default(), None, None))
    }

    /// A template out of its text and what else the files of a model say of it.
    pub(super) fn from_files(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
    ) -> Result<Self, Error> {
        let engine = Engine::compile(text.trim_start_matches('\u{feff}'), default_limits())?;
        Ok(Self::new(engine, tokens, response_template, None))
    }

    /// A template that was checked and analysed before. If its text does not compile, every render
    /// fails with the error that says so.
    pub(super) fn analysed_before(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
        format: ReplyFormat,
    ) -> Self {
        let engine = Engine::compile(text, default_limits()).unwrap_or_else(Engine::failing);
        Self::new(engine, tokens, response_template, Some(format))
    }

    fn new(
        engine: Engine,
        tokens: SpecialTokens,
        response_template: Option<Value>,
        format: Option<ReplyFormat>,
    ) -> Self {
        let (probe_limits, found) = (ProbeLimits::default(), Found::default());
        let inner = Inner { engine, tokens, response_template, format, probe_limits, found };
        Self { inner: Arc::new(inner) }
    }

    /// The same template, of which nothing is found out yet.
    fn changed(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let Inner { engine, tokens, response_template, format, probe_limits, .. } = &*self.inner;
        let mut inner = Inner {
            engine: engine.clone(),
            tokens: tokens.clone(),
            response_template: response_template.clone(),
            format: format.clone(),
            probe_limits: *probe_limits,
            found: Found::default(),
        };
        change(&mut inner);
        Self { inner: Arc::new(inner) }
    }

    /// The same template with other special tokens.
    #[must_use]
    pub fn with_special_tokens(&self, tokens: SpecialTokens) -> Self {
        self.changed(|inner| inner.tokens = tokens)
    }

    /// The same template, with a format of replies that was written or changed by hand.
    #[must_use]
    pub fn with_format(&self, format: ReplyFormat) -> Self {
        self.changed(|inner| inner.format = Some(format))
    }

    /// The same template with other limits on all probes together: the small conversations by which
    /// it is found out what the template can do, and how the model writes replies.
    #[must_use]
    pub fn with_probe_limits(&self, limits: ProbeLimits) -> Self {
        self.changed(|inner| inner.probe_limits = limits)
    }
}

/// What a template is, and what is found out about it.
impl ChatTemplate {
    /// The template's text.
    pub fn text(&self) -> &str {
        self.inner.engine.text()
    }

    /// The special tokens that the template may write.
    pub fn special_tokens(&self) -> &SpecialTokens {
        &self.inner.tokens
    }

    /// What the tokenizer's configuration says of the form of replies (`response_template`, or else
    /// `response_schema`), if it says anything.
    pub fn response_template(&self) -> Option<&Value> {
        self.inner.response_template.as_ref()
    }

    /// The variables that the template reads and does not set itself.
    pub fn variables(&self) -> &[String] {
        self.inner.engine.variables()
    }

    /// What the template can do. It is found out once, by rendering.
    pub fn capabilities(&self) -> &Capabilities {
        &self.probed_capabilities().0
    }

    fn probed_capabilities(&self) -> &(Capabilities, ProbeBudget) {
        let Inner { engine, tokens, probe_limits, found, .. } = &*self.inner;
        found.capabilities.get_or_init(|| Capabilities::probe(engine, tokens, *probe_limits))
    }

    fn probed(&self) -> ProbedTemplate<'_> {
        let Inner { engine, tokens, .. } = &*self.inner;
        let (capabilities, budget) = self.probed_capabilities();
        ProbedTemplate { engine, tokens, capabilities, budget: *budget }
    }

    fn markup(&self) -> Result<&Markup, Error> {
        let markup = &self.inner.found.markup;
        let markup = markup.get_or_init(|| collect_markup(self.probed(), self.format().ok()));
        markup.as_ref().map_err(Error::duplicate)
    }

    /// Finds out how the model writes its replies, by rendering conversations of words that no
    /// template contains. The same template gives the same analysis each time.
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
    /// Of kind [`Analysis`](prompty_core::ErrorKind::Analysis) where it is not clear how the template
    /// writes what an assistant said, with the probe and what the template said; of kind
    /// [`Limit`](prompty_core::ErrorKind::Limit) where the probes together exceed the
    /// [`ProbeLimits`].
    pub fn analyze(&self) -> Result<Analysis, Error> {
        analyze(self.probed())
    }

    /// The result of [`analyze`](Self::analyze), which is made once.
    ///
    /// # Errors
    ///
    /// As [`analyze`](Self::analyze).
    pub fn analysis(&self) -> Result<&Analysis, Error> {
        let analysis = self.inner.found.analysis.get_or_init(|| self.analyze());
        analysis.as_ref().map_err(Error::duplicate)
    }

    /// How the model writes replies: the format that the caller gave with
    /// [`with_format`](Self::with_format), or else the one that the tokenizer's configuration declares
    /// (`response_template`), if a format can say that, or else the one that the analysis finds.
    ///
    /// # Errors
    ///
    /// As [`analysis`](Self::analysis).
    pub fn format(&self) -> Result<&ReplyFormat, Error> {
        let Inner { response_template, format, found, .. } = &*self.inner;
        if let Some(given) = format {
            return Ok(given);
        }
        let declared = found.declared_format.get_or_init(|| {
            let declared = ReplyFormat::from_response_template(response_template.as_ref()?).ok()?;
            Some(complete_declared(declared, self.analysis().ok().map(Analysis::format)))
        });
        match declared {
            Some(declared) => Ok(declared),
            None => Ok(self.analysis()?.format()),
        }
    }

    /// Texts at which the model is to stop: the ends of its turn, and the end token of the tokenizer.
    ///
    /// # Errors
    ///
    /// As [`format`](Self::format).
    pub fn stops(&self) -> Result<Vec<String>, Error> {
        Ok(turn::stops(self.format()?, self.special_tokens()))
    }
}

/// From messages to a prompt.
impl ChatTemplate {
    /// What the template writes for variables, at a moment in seconds since 1970, or now. Nothing is
    /// added and nothing is adapted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](prompty_core::ErrorKind::Refused) where the template raises an error of
    /// its own, [`ErrorKind::Render`](prompty_core::ErrorKind::Render) where it fails,
    /// [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where it does too much.
    pub fn render(&self, variables: &Map, now: Option<i64>) -> Result<String, Error> {
        self.inner.engine.render_at(variables, now).map(|written| written.text)
    }

    /// The prompt for a conversation, as `apply_chat_template` of `transformers` gives it, from
    /// messages that are adapted to what the template can do.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](prompty_core::ErrorKind::Refused) where the template raises an error of
    /// its own, [`ErrorKind::Render`](prompty_core::ErrorKind::Render) where it fails,
    /// [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where it does too much or has more markup
    /// than can be searched for, [`ErrorKind::WrongInput`](prompty_core::ErrorKind::WrongInput) where there is nothing to
    /// continue, and [`ErrorKind::ControlTokens`](prompty_core::ErrorKind::ControlTokens) where data
    /// would become structure, as [`PromptOptions::control_tokens`] says.
    pub fn prompt(
        &self,
        messages: &[Message],
        tools: &[ToolSpec],
        options: &PromptOptions,
    ) -> Result<PromptText, Error> {
        let request = Request::new(messages, tools, options)?;
        self.audited(None, &request)
    }

    /// The prompt for a conversation, and all that its reply needs.
    ///
    /// The prompt's text is that of [`prompt`](Self::prompt). The parser of the reply starts where the
    /// prompt ends: inside of reasoning, say, where the prompt opened some.
    ///
    /// # Errors
    ///
    /// As [`prompt`](Self::prompt) and [`format`](Self::format); where tools are offered, also
    /// [`Analysis::unclear_calls`].
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
        let prompt = self.audited(known, &request)?;
        begin_turn(&request, prompt, format?, self.special_tokens())
    }

    /// Whether calls of the tools that are offered can be read.
    fn check_calls(&self, offered: &[ToolSpec]) -> Result<(), Error> {
        if offered.is_empty() || self.format()?.tools.is_some() {
            return Ok(());
        }
        match self.analysis().ok().and_then(Analysis::unclear_calls) {
            Some(unclear) => Err(unclear.duplicate()),
            None => Ok(()),
        }
    }

    /// The prompt for a request. All its renders share one budget; where that was not enough, the
    /// result says nothing.
    fn audited(
        &self,
        format: Option<Result<&ReplyFormat, &Error>>,
        request: &Request<'_>,
    ) -> Result<PromptText, Error> {
        let budget = PromptBudget::new(&self.inner.engine);
        let renderer = Renderer { template: self.probed(), format, budget: &budget };
        let prompt = match request.options.control_tokens {
            ControlTokens::Ignore => trust(renderer, request),
            _ => audit(renderer, self.markup()?, request),
        };
        budget.check()?;
        prompt
    }

    /// The parser of the reply to a prompt that was made elsewhere: by the server, say. It starts
    /// where the prompt ends.
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
    /// let parser = template.reader_behind(prompt, &[], &ReplyOptions::default())?;
    /// assert_eq!(parser.parse("Easy.</muse>42").reasoning(), "Easy.");
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`format`](Self::format); where there are tools, also [`Analysis::unclear_calls`].
    pub fn reader_behind(
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
    /// [`ErrorKind::Conversion`](prompty_core::ErrorKind::Conversion) where the text is not JSON or has no chat template,
    /// [`ErrorKind::TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) where a template is wrong,
    /// [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where it has more than 1 MiB.
    pub fn from_tokenizer_config(json: &str) -> Result<Self, Error> {
        Self::compile(TemplateFiles::from_config(json)?)
    }

    /// The templates of a model's folder: `chat_template.jinja` and
    /// `additional_chat_templates/*.jinja`, or those in `chat_template.json` or
    /// `tokenizer_config.json`, which also has the special tokens.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::FileNotFound`](prompty_core::ErrorKind::FileNotFound) where there is no template, and as
    /// [`from_tokenizer_config`](Self::from_tokenizer_config).
    pub fn from_folder(folder: impl AsRef<Path>) -> Result<Self, Error> {
        Self::compile(TemplateFiles::read_folder(folder.as_ref())?)
    }

    /// The templates at a path: a model's folder, a `tokenizer_config.json`, or a file of Jinja. A
    /// file of Jinja takes the special tokens from the `tokenizer_config.json` beside it.
    ///
    /// # Errors
    ///
    /// As [`from_folder`](Self::from_folder).
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

    /// The template with a name. Without a name it is the one for tools, if there are tools, or else
    /// the default.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`](prompty_core::ErrorKind::WrongInput) where there is no such template.
    pub fn choose(&self, name: Option<&str>, has_tools: bool) -> Result<&ChatTemplate, Error> {
        let names: Vec<&str> = self.names().collect();
        let index = files::choose(&names, name, has_tools)?;
        self.templates.get(index).map(|(_, template)| template).ok_or_else(files::no_default)
    }
}
