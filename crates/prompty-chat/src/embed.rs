//! What the macro `chat_template!` needs: a template as it is read when a program is compiled, and as the
//! program contains it. It is not for users.

use std::path::{Path, PathBuf};

use super::engine::{self, Engine};
use super::files::{self, DEFAULT, TemplateFiles, TemplateText};
use super::special_tokens::SpecialTokens;
use super::template::ChatTemplate;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan};
use prompty_core::error::Error;
use prompty_core::value::Value;
use prompty_reply::format::ReplyFormat;

/// A template that was read and not yet compiled.
#[derive(Debug)]
pub struct TemplateSource {
    chosen: TemplateText,
    /// The files without the template.
    files: TemplateFiles,
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
        let mut files = TemplateFiles::read(path)?;
        let names: Vec<&str> = files.texts.iter().map(|it| &*it.name).collect();
        let place = files::choose(&names, name, true)?;
        let mut chosen = files.texts.swap_remove(place);
        chosen.text = engine::normalised(&chosen.text);
        Ok(Self { chosen, files })
    }

    /// A template out of its Jinja text.
    pub fn from_text(text: &str) -> Self {
        let (name, text) = (DEFAULT.to_owned(), engine::normalised(text));
        let chosen = TemplateText { name, text, file: None };
        Self { chosen, files: TemplateFiles::default() }
    }

    /// The same with one more special token. It replaces the one in a file.
    #[must_use]
    pub fn with_token(mut self, name: &str, token: &str) -> Self {
        self.files.tokens = self.files.tokens.with(name, token);
        self
    }

    /// The template's name in its file.
    pub fn name(&self) -> &str {
        &self.chosen.name
    }

    /// The template's text. The places of mistakes are places in it.
    pub fn text(&self) -> &str {
        &self.chosen.text
    }

    /// The file that contains the text and nothing else, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.chosen.file.as_deref()
    }

    /// All files that were read.
    pub fn read_files(&self) -> &[PathBuf] {
        &self.files.read
    }

    /// The mistake in the template's syntax, if there is one.
    pub fn mistake(&self) -> Option<Diagnostic> {
        let mistake = Engine::mistake(&self.chosen.text)?;
        let span = mistake.span.in_source(SourceSpan::default());
        let diagnostic = Diagnostic::new(Code::TemplateSyntax, mistake.message).with_span(span);
        let help = "a chat template is Jinja, as Python's `transformers` has it";
        Some(diagnostic.with_help(mistake.help.as_deref().unwrap_or(help)))
    }

    /// The template, compiled.
    ///
    /// # Errors
    ///
    /// Of kind [`TemplateSyntax`](prompty_core::ErrorKind::TemplateSyntax) where there is a mistake.
    pub fn template(&self) -> Result<ChatTemplate, Error> {
        let TemplateFiles { tokens, response_template, .. } = &self.files;
        ChatTemplate::from_files(&self.chosen.text, tokens.clone(), response_template.clone())
    }

    /// The special tokens that have names, as JSON text, and the others.
    pub fn tokens(&self) -> (String, &[String]) {
        let tokens = &self.files.tokens;
        (Value::from(tokens.named.clone()).to_json(), &tokens.others)
    }

    /// What the tokenizer's configuration says of the form of replies, as JSON text; empty if it says
    /// nothing.
    pub fn response_template(&self) -> String {
        self.files.response_template.as_ref().map(Value::to_json).unwrap_or_default()
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
