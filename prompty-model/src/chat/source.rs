//! A model's chat templates, compiled once, with their special tokens.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::apply::Formats;
use super::capabilities::Capabilities;
use super::control::Markup;
use super::engine::{Engine, Written};
use super::files::{self, TemplateFiles, TemplateText};
use crate::reply::format::ReplyFormat;
use prompty_core::error::Error;
use prompty_core::jinja::RenderLimits;
use prompty_core::value::{Map, Value};

/// A template may take so many steps: long conversations take many.
const FUEL: u64 = 10_000_000;

fn default_limits() -> RenderLimits {
    RenderLimits::default().with_fuel(FUEL)
}

/// A model's chat template, compiled once. Cloning shares it.
///
/// ```
/// use prompty_model::chat::{ChatTemplate, PromptOptions};
/// use prompty_core::message::Message;
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
    capabilities: OnceLock<Capabilities>,
    formats: Formats,
    markup: OnceLock<Markup>,
}

impl ChatTemplate {
    /// A template out of its Jinja text, without special tokens.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) with the line.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Self::from_text_within(text, default_limits())
    }

    /// The same with other limits on what a render may do.
    ///
    /// # Errors
    ///
    /// As [`from_text`](Self::from_text).
    pub fn from_text_within(text: &str, limits: RenderLimits) -> Result<Self, Error> {
        Self::new(text, SpecialTokens::default(), None, limits)
    }

    fn new(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
        limits: RenderLimits,
    ) -> Result<Self, Error> {
        let engine = Engine::compile(text.trim_start_matches('\u{feff}'), limits)?;
        let capabilities = OnceLock::new();
        let formats = Formats::default();
        let markup = OnceLock::new();
        let inner = Inner { engine, tokens, response_template, capabilities, formats, markup };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The same template with other special tokens.
    #[must_use]
    pub fn with_special_tokens(&self, tokens: SpecialTokens) -> Self {
        let Inner { engine, response_template, formats, .. } = &*self.inner;
        let inner = Inner {
            engine: engine.clone(),
            tokens,
            response_template: response_template.clone(),
            capabilities: OnceLock::new(),
            formats: Formats::of(formats.given.clone()),
            markup: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The same template, whose replies are read by a format that was written or amended by hand.
    #[must_use]
    pub fn with_format(&self, format: ReplyFormat) -> Self {
        let Inner { engine, tokens, response_template, .. } = &*self.inner;
        let inner = Inner {
            engine: engine.clone(),
            tokens: tokens.clone(),
            response_template: response_template.clone(),
            capabilities: OnceLock::new(),
            formats: Formats::of(Some(format)),
            markup: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// A template that was checked and analysed before. Where its text does not compile, every
    /// render is the error that says so.
    pub(super) fn known(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
        format: ReplyFormat,
    ) -> Self {
        let engine = Engine::compile(text, default_limits()).unwrap_or_else(Engine::failing);
        let (capabilities, formats) = (OnceLock::new(), Formats::of(Some(format)));
        let markup = OnceLock::new();
        let inner = Inner { engine, tokens, response_template, capabilities, formats, markup };
        Self { inner: Arc::new(inner) }
    }

    /// A template of texts that were read before.
    pub(super) fn read(
        text: &str,
        tokens: SpecialTokens,
        response_template: Option<Value>,
    ) -> Result<Self, Error> {
        Self::new(text, tokens, response_template, default_limits())
    }

    pub(super) fn formats(&self) -> &Formats {
        &self.inner.formats
    }

    /// The template's text.
    pub fn text(&self) -> &str {
        self.inner.engine.text()
    }

    /// The special tokens that the template may write.
    pub fn special_tokens(&self) -> &SpecialTokens {
        &self.inner.tokens
    }

    /// What the configuration says of the form of replies (`response_template`, or else
    /// `response_schema`), if it says anything.
    pub fn response_template(&self) -> Option<&Value> {
        self.inner.response_template.as_ref()
    }

    /// What the template can do. It is found out once, by rendering.
    pub fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities.get_or_init(|| Capabilities::probe(self))
    }

    /// What data must not spell. It is found out once.
    pub(super) fn markup(&self) -> &Markup {
        self.inner.markup.get_or_init(|| Markup::find(self))
    }

    /// The variables that the template reads and does not set itself.
    pub fn variables(&self) -> &[String] {
        self.inner.engine.variables()
    }

    /// What the template writes for variables as they are, at a moment in seconds since 1970, or
    /// now. Nothing is added and nothing is adapted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](prompty_core::ErrorKind::Refused) where the template raises an error of its own, [`ErrorKind::Render`](prompty_core::ErrorKind::Render)
    /// where it fails, [`ErrorKind::Limit`](prompty_core::ErrorKind::Limit) where it does too much.
    pub fn render(&self, variables: &Map, now: Option<i64>) -> Result<String, Error> {
        self.run(variables, now).map(|written| written.text)
    }

    /// The same, with whether the template took texts apart.
    pub(super) fn run(&self, variables: &Map, now: Option<i64>) -> Result<Written, Error> {
        self.inner.engine.render_at(variables, now)
    }

    /// The special tokens as the template reads them: a text that begins or ends with a token that
    /// there is none of, begins or ends with nothing.
    pub(super) fn tokens_as_variables(&self) -> Map {
        let mut variables = self.inner.tokens.named.clone();
        for name in ["bos_token", "eos_token"] {
            if !variables.contains_key(name) {
                variables.insert(name, "");
            }
        }
        variables
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }
}

/// The tokens of a tokenizer that mean more than their text.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SpecialTokens {
    /// Each token that has a name, such as `bos_token`, under it; and `additional_special_tokens`
    /// as a list. They are variables of the template.
    pub named: Map,
    /// The others that are special, each once, in the order of the file.
    pub others: Vec<String>,
}

impl SpecialTokens {
    /// No special tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same tokens and one more, with its name.
    #[must_use]
    pub fn with(mut self, name: &str, token: &str) -> Self {
        self.named.insert(name, token);
        self
    }

    /// A token by its name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.named.get(name)?.as_str()
    }

    /// The token that begins a text.
    pub fn bos(&self) -> Option<&str> {
        self.get("bos_token")
    }

    /// The token that ends a text.
    pub fn eos(&self) -> Option<&str> {
        self.get("eos_token")
    }

    /// All of them, each once.
    pub fn all(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        let named = self.named.values().filter_map(Value::as_str);
        for token in named.chain(self.others.iter().map(String::as_str)) {
            if !token.is_empty() && !all.contains(&token) {
                all.push(token);
            }
        }
        all
    }

    pub(super) fn of(config: &Map) -> Self {
        let mut tokens = Self::default();
        for (name, value) in config.iter().filter(|(name, _)| name.ends_with("_token")) {
            if let Some(token) = token_text(value) {
                tokens.named.insert(name, token);
            }
        }
        let others = &mut tokens.others;
        let mut add = |token: Option<&str>| {
            if let Some(token) = token.filter(|token| !token.is_empty())
                && !others.iter().any(|other| other == token)
            {
                others.push(token.to_owned());
            }
        };
        if let Some(Value::Array(items)) = config.get("additional_special_tokens") {
            items.iter().for_each(|item| add(token_text(item)));
            let additional: Value = items.iter().filter_map(token_text).collect();
            tokens.named.insert("additional_special_tokens", additional);
        }
        if let Some(Value::Object(map)) = config.get("added_tokens_decoder") {
            for token in map.values() {
                if token.get("special").and_then(Value::as_bool) == Some(true) {
                    add(token_text(token));
                }
            }
        }
        // Whatever else the file names, as some do for the tokens of images and sounds.
        if let Some(Value::Object(map)) = config.get("extra_special_tokens") {
            for (name, token) in map.iter() {
                if let Some(token) = token_text(token) {
                    tokens.named.insert(name, token);
                }
            }
        }
        tokens
    }
}

/// A token that is written as a text, or as a map with its text under `content`.
fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content")?.as_str())
}

/// The chat templates of one model: nearly always one, sometimes several with names.
#[derive(Debug, Clone)]
pub struct ChatTemplates {
    templates: Vec<(String, ChatTemplate)>,
}

impl ChatTemplates {
    /// The templates in the text of a `tokenizer_config.json`, with its special tokens.
    ///
    /// ```
    /// use prompty_model::chat::ChatTemplates;
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
    /// [`ErrorKind::TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) where a template is wrong.
    pub fn from_tokenizer_config(json: &str) -> Result<Self, Error> {
        Self::compile(TemplateFiles::of_config(json)?)
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
            let template = ChatTemplate::new(&text, tokens.clone(), response, default_limits())?;
            Ok((name, template))
        });
        Ok(Self { templates: compiled.collect::<Result<_, Error>>()? })
    }

    /// The names of the templates.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().map(|(name, _)| name.as_str())
    }

    /// The template of a name; without one that for tools where there are tools, or else the
    /// default.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongInput`](prompty_core::ErrorKind::WrongInput) where there is no such template.
    pub fn choose(&self, name: Option<&str>, has_tools: bool) -> Result<&ChatTemplate, Error> {
        let names: Vec<&str> = self.names().collect();
        let index = files::choose(&names, name, has_tools)?;
        self.templates.get(index).map(|(_, template)| template).ok_or_else(files::none_is_default)
    }
}
