//! What the environment says. What cannot be used is an error at the start, which names the variable.

use std::env;
use std::fmt::{self, Display};

use reqwest::Url;
use reqwest::header::HeaderValue;

/// What the environment says, or what holds without it.
#[derive(Debug)]
pub struct Settings {
    /// Where the provider is, without a slash at its end.
    pub base_url: String,
    pub key: Option<String>,
    pub model: String,
    /// The address that the service listens at.
    pub listen: String,
}

impl Settings {
    /// Reads the environment. OpenAI gets the key where no other provider is named.
    ///
    /// # Errors
    /// Where a variable cannot be used.
    pub fn from_env() -> Result<Self, Unusable> {
        let key = variable("OPENAI_API_KEY");
        if key.as_deref().is_some_and(|key| HeaderValue::from_str(key).is_err()) {
            // It is not shown: it may be a key for all that.
            return Err(Unusable::new(
                "OPENAI_API_KEY",
                "***",
                "no header can hold such characters",
            ));
        }
        let base_url = variable("OPENAI_BASE_URL").unwrap_or_else(|| match key {
            Some(_) => "https://api.openai.com/v1".to_owned(),
            None => "http://127.0.0.1:8080/v1".to_owned(),
        });
        let unusable = |why: &dyn Display| Unusable::new("OPENAI_BASE_URL", &base_url, why);
        let url = Url::parse(&base_url).map_err(|error| unusable(&error))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unusable(&"it must begin with `http://` or `https://`"));
        }
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            key,
            model: variable("MODEL").unwrap_or_else(|| "default".to_owned()),
            listen: variable("LISTEN").unwrap_or_else(|| "127.0.0.1:3000".to_owned()),
        })
    }
}

/// A variable. White space around it is left out, and one that is empty is none.
fn variable(name: &str) -> Option<String> {
    let value = env::var(name).ok()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// A variable that cannot be used, and why.
#[derive(Debug)]
pub struct Unusable {
    variable: &'static str,
    value: String,
    why: String,
}

impl Unusable {
    pub fn new(variable: &'static str, value: &str, why: impl Display) -> Self {
        Self { variable, value: value.to_owned(), why: why.to_string() }
    }
}

impl Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, value, why } = self;
        write!(f, "{variable} cannot be used, it is `{value}`: {why}")
    }
}

impl std::error::Error for Unusable {}
