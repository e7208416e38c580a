//! Support for the macro `chat_template!`: a template that is read when a program is compiled, and
//! the form in which the program contains it. Users do not need this module.

use std::path::{Path, PathBuf};

use super::engine::{self, Engine};
use super::files::{self, DEFAULT, TemplateFiles, TemplateText};
use super::special_tokens::SpecialTokens;
use super::template::ChatTemplate;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan};
use prompty_core::error::Error;
use prompty_core::value::Value;
use prompty_reply::format::ReplyFormat;

/// A template that was read but not compiled.
#[derive(Debug)]
pub struct TemplateSource {
    chosen: TemplateText,
    /// The other content of the files.
    files: TemplateFiles,
}

impl TemplateSource {
    /// Reads the template with a name at a path: a model's folder, a tokenizer's configuration or a
    /// file of Jinja. Without a name it is the one for tools, or else the default.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as
    /// [`ChatTemplates::from_path`](super::ChatTemplates::from_path) and
    /// [`choose`](super::ChatTemplates::choose).
    pub fn read(path: &Path, name: Option<&str>) -> Result<Self, Error> {
        let mut files = TemplateFiles::read(path)?;
        let names: Vec<&str> = files.texts.iter().map(|it| &*it.name).collect();
        let index = files::choose(&names, name, true)?;
        let mut chosen = files.texts.swap_remove(index);
        chosen.text = engine::normalise(&chosen.text);
        Ok(Self { chosen, files })
    }

    /// Creates a template source from Jinja text.
    pub fn from_text(text: &str) -> Self {
        let (name, text) = (DEFAULT.to_owned(), engine::normalise(text));
        let chosen = TemplateText { name, text, file: None };
        Self { chosen, files: TemplateFiles::default() }
    }

    /// Adds a special token. It replaces a token of the same name from a file.
    #[must_use]
    pub fn with_token(mut self, name: &str, token: &str) -> Self {
        self.files.tokens = self.files.tokens.with(name, token);
        self
    }

    /// The template's name in its file.
    pub fn name(&self) -> &str {
        &self.chosen.name
    }

    /// The template's text. Spans of syntax errors refer to it.
    pub fn text(&self) -> &str {
        &self.chosen.text
    }

    /// The file that contains only this text, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.chosen.file.as_deref()
    }

    /// All files that were read.
    pub fn read_files(&self) -> &[PathBuf] {
        &self.files.read
    }

    /// The syntax error in the template, if there is one.
    pub fn mistake(&self) -> Option<Diagnostic> {
        let mistake = Engine::mistake(&self.chosen.text)?;
        let span = mistake.span.in_source(SourceSpan::default());
        let diagnostic = Diagnostic::new(Code::TemplateSyntax, mistake.message).with_span(span);
        let help = "write the template in Jinja as Python's `transformers` supports it";
        Some(diagnostic.with_help(mistake.help.as_deref().unwrap_or(help)))
    }

    /// Compiles the template.
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) if the
    /// template has a syntax error.
    pub fn template(&self) -> Result<ChatTemplate, Error> {
        let TemplateFiles { tokens, response_template, .. } = &self.files;
        ChatTemplate::from_files(&self.chosen.text, tokens.clone(), response_template.clone())
    }

    /// The named special tokens as JSON, and the others.
    pub fn tokens(&self) -> (String, &[String]) {
        let tokens = &self.files.tokens;
        (Value::from(tokens.named.clone()).to_json(), &tokens.others)
    }

    /// The entry of the tokenizer's configuration that describes the form of replies, as JSON. It
    /// is empty if there is none.
    pub fn response_template(&self) -> String {
        self.files.response_template.as_ref().map(Value::to_json).unwrap_or_default()
    }
}

/// A template as the compiled program contains it.
#[derive(Debug)]
pub struct StaticTemplate {
    /// The Jinja text.
    pub text: &'static str,
    /// The named special tokens as JSON.
    pub tokens: &'static str,
    /// The other special tokens.
    pub other_tokens: &'static [&'static str],
    /// The entry of the tokenizer's configuration that describes the form of replies, as JSON. It
    /// is empty if there is none.
    pub response_template: &'static str,
    /// The result of the analysis.
    pub format: ReplyFormat,
}

impl StaticTemplate {
    /// Creates the template, ready to use, without analysing it again.
    pub fn template(self) -> ChatTemplate {
        let mut tokens = SpecialTokens::new();
        if let Ok(Value::Object(named)) = Value::from_json(self.tokens) {
            tokens.named = named;
        }
        tokens.others = self.other_tokens.iter().map(|token| (*token).to_owned()).collect();
        let response = Value::from_json(self.response_template).ok();
        ChatTemplate::with_known_format(self.text, tokens, response, self.format)
    }
}
