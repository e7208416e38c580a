//! What the environment says: which server, which key and which model.

use std::env;

use ureq::http::{HeaderValue, Uri};

use crate::failure::Failure;

/// What the environment says, or what holds without it.
pub struct Settings {
    /// Where the provider is, without a slash at its end.
    pub base_url: String,
    pub key: Option<String>,
    pub model: String,
}

impl Settings {
    /// Reads the environment. OpenAI gets the key where no other server is named. What cannot be used is an error.
    pub fn from_env() -> Result<Self, Failure> {
        let key = variable("OPENAI_API_KEY");
        if key.as_deref().is_some_and(|key| HeaderValue::from_str(key).is_err()) {
            let why = "no header can hold its characters".to_owned();
            return Err(Failure::Setting { variable: "OPENAI_API_KEY", why });
        }
        let base_url = variable("OPENAI_BASE_URL").unwrap_or_else(|| match key {
            Some(_) => "https://api.openai.com/v1".to_owned(),
            None => "http://127.0.0.1:8080/v1".to_owned(),
        });
        let uri = base_url.parse::<Uri>();
        let has_scheme = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        if !uri.as_ref().is_ok_and(has_scheme) {
            let why = format!("`{base_url}` is no URL that begins with `http://` or `https://`");
            return Err(Failure::Setting { variable: "OPENAI_BASE_URL", why });
        }
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            key,
            // llama-server takes any name.
            model: variable("MODEL").unwrap_or_else(|| "default".to_owned()),
        })
    }
}

/// A variable. White space around it is left out, and one that is empty is none.
fn variable(name: &str) -> Option<String> {
    let value = env::var(name).ok()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}
