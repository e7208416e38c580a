//! The special tokens of a tokenizer.

use std::collections::HashSet;

use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

/// The tokens of a tokenizer that have a special meaning.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::value; pub use prompty_chat as chat; }
/// use typed_prompty::chat::{ChatTemplate, SpecialTokens};
/// use typed_prompty::value::Map;
///
/// let tokens = SpecialTokens::new().with("bos_token", "<s>");
/// let template = ChatTemplate::from_text("{{ bos_token }}Hello")?.with_special_tokens(tokens);
/// assert_eq!(template.special_tokens().bos(), Some("<s>"));
/// assert_eq!(template.render(&Map::from([("bos_token", "<s>")]), None)?, "<s>Hello");
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SpecialTokens {
    /// The tokens that have a name, such as `bos_token`, by that name. The entry
    /// `additional_special_tokens` is a list. All are variables of the template.
    pub named: Map,
    /// The other special tokens without duplicates, in the order of the file.
    pub others: Vec<String>,
}

impl SpecialTokens {
    /// Creates an empty set of special tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a token with its name.
    #[must_use]
    pub fn with(mut self, name: &str, token: &str) -> Self {
        self.named.insert(name, token);
        self
    }

    /// A token by its name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.named.get(name)?.as_str()
    }

    /// The token for the beginning of a text.
    pub fn bos(&self) -> Option<&str> {
        self.get("bos_token")
    }

    /// The token for the end of a text.
    pub fn eos(&self) -> Option<&str> {
        self.get("eos_token")
    }

    /// All tokens without duplicates and without empty ones.
    pub fn all(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let named = self.named.values().filter_map(Value::as_str);
        let all = named.chain(self.others.iter().map(String::as_str));
        let all: Vec<&str> = all.filter(|token| !token.is_empty() && seen.insert(*token)).collect();
        add_steps(all.len());
        all
    }

    /// The special tokens as variables of the template. `bos_token` and `eos_token` are empty
    /// strings if the tokenizer does not have them.
    pub(super) fn variables(&self) -> Map {
        let mut variables = self.named.clone();
        for name in ["bos_token", "eos_token"] {
            if !variables.contains_key(name) {
                variables.insert(name, "");
            }
        }
        variables
    }

    /// Reads the tokens from a tokenizer's configuration.
    pub(super) fn from_config(config: &Map) -> Self {
        let mut tokens = Self::default();
        for (name, value) in config.iter().filter(|(name, _)| name.ends_with("_token")) {
            if let Some(token) = token_text(value) {
                tokens.named.insert(name, token);
            }
        }
        let others = &mut tokens.others;
        let mut seen = HashSet::new();
        let mut add = |token: Option<&str>| {
            if let Some(token) = token.filter(|token| !token.is_empty())
                && seen.insert(token.to_owned())
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
        // Other named tokens, for example those for images and audio.
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

/// The text of a token: a string, or the string under `content` of an object.
fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content")?.as_str())
}
