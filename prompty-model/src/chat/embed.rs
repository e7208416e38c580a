//! What the macro `chat_template!` needs: a template as it is read when a program is compiled, and as the
//! program contains it. It is not for users.

use std::path::{Path, PathBuf};

use super::engine::{self, Engine};
use super::files::{self, DEFAULT, TemplateFiles};
use super::special_tokens::SpecialTokens;
use super::template::ChatTemplate;
use crate::reply::format::ReplyFormat;
use prompty_core::diagnostic::{Code, Diagnostic};
use prompty_core::error::Error;
use prompty_core::value::Value;

/// A template that was read and not yet compiled.
#[derive(Debug)]
pub struct TemplateSource {
    name: String,
    text: String,
    file: Option<PathBuf>,
    read: Vec<PathBuf>,
    tokens: SpecialTokens,
    response_template: Option<Value>,
}

impl TemplateSource {
    /// The template with a name at a path: a model's folder, a tokenizer's configuration or a file of
    /// Jinja. Without a name it is the one for tools, or else the default.
    ///
    /// # Errors
    ///
    /// As [`ChatTemplates::from_path`](super::ChatTemplates::from_path) and
    /// [`choose`](super::ChatTemplates::choose).
    pub fn read(path: &Path, name: Option<&str>) -> Result<Self, Error> {
        let TemplateFiles { mut texts, tokens, response_template, read, .. } =
            TemplateFiles::read(path)?;
        let names: Vec<&str> = texts.iter().map(|it| &*it.name).collect();
        let chosen = texts.swap_remove(files::choose(&names, name, true)?);
        let text = engine::normalised(&chosen.text);
        let (name, file) = (chosen.name, chosen.file);
        Ok(Self { name, text, file, read, tokens, response_template })
    }

    /// A template out of its Jinja text.
    pub fn from_text(text: &str) -> Self {
        Self {
            name: DEFAULT.to_owned(),
            text: engine::normalised(text),
            file: None,
            read: Vec::new(),
            tokens: SpecialTokens::new(),
            response_template: None,
        }
    }

    /// The same with one more special token. It replaces the one in a file.
    #[must_use]
    pub fn with_token(mut self, name: &str, token: &str) -> Self {
        self.tokens = self.tokens.with(name, token);
        self
    }

    /// The template's name in its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The template's text. The places of mistakes are places in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file that contains the text and nothing else, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// All files that were read.
    pub fn read_files(&self) -> &[PathBuf] {
        &self.read
    }

    /// The mistake in the template's syntax, if there is one.
    pub fn mistake(&self) -> Option<Diagnostic> {
        let mistake = Engine::mistake(&self.text)?;
        let diagnostic = Diagnostic::new(Code::TemplateSyntax, mistake.message).at(mistake.span);
        let help = "a chat template is Jinja, as Python's `transformers` has it";
        Some(diagnostic.help(mistake.help.as_deref().unwrap_or(help)))
    }

    /// The template, compiled.
    ///
    /// # Errors
    ///
    /// Of kind [`TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) where there is a mistake.
    pub fn template(&self) -> Result<ChatTemplate, Error> {
        ChatTemplate::from_files(&self.text, self.tokens.clone(), self.response_template.clone())
    }

    /// The special tokens that have names, as JSON text, and the others.
    pub fn tokens(&self) -> (String, &[String]) {
        (Value::from(self.tokens.named.clone()).to_json(), &self.tokens.others)
    }

    /// What the tokenizer's configuration says of the form of replies, as JSON text; empty if it says
    /// nothing.
    pub fn response_template(&self) -> String {
        self.response_template.as_ref().map(Value::to_json).unwrap_or_default()
    }
}

/// A template as the compiled program contains it.
#[derive(Debug)]
pub struct StaticTemplate {
    /// The Jinja text.
    pub text: &'static str,
    /// The special tokens that have names, as JSON text.
    pub tokens: &'static str,
    /// The other special tokens.
    pub other_tokens: &'static [&'static str],
    /// What the tokenizer's configuration says of the form of replies, as JSON text; empty if it says
    /// nothing.
    pub response_template: &'static str,
    /// What the analysis found.
    pub format: ReplyFormat,
}

impl StaticTemplate {
    /// The template, ready to be applied; nothing is analysed.
    pub fn template(self) -> ChatTemplate {
        let mut tokens = SpecialTokens::new();
        if let Ok(Value::Object(named)) = Value::from_json(self.tokens) {
            tokens.named = named;
        }
        tokens.others = self.other_tokens.iter().map(|token| (*token).to_owned()).collect();
        let response = Value::from_json(self.response_template).ok();
        ChatTemplate::analysed_before(self.text, tokens, response, self.format)
    }
}
