//! The settings from the environment: the server, the key and the model.

use std::env;

use ureq::http::{HeaderValue, Uri};

use crate::failure::Failure;

/// The settings from the environment, or their defaults.
pub struct Settings {
    /// The URL of the provider, without a slash at the end.
    pub base_url: String,
    pub key: Option<String>,
    pub model: String,
}

impl Settings {
    /// Reads the environment. A key without a URL selects OpenAI. Invalid values are errors.
    pub fn from_env() -> Result<Self, Failure> {
        Self::read(|name| env::var(name).ok())
    }

    fn read(environment: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        // White space around a value is removed. An empty value counts as unset.
        let variable = |name| {
            let value = environment(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let key = variable("OPENAI_API_KEY");
        if key.as_deref().is_some_and(|key| HeaderValue::from_str(key).is_err()) {
            let why = "it contains characters that are not allowed in a header".to_owned();
            return Err(Failure::Setting { variable: "OPENAI_API_KEY", why });
        }
        let base_url = variable("OPENAI_BASE_URL").unwrap_or_else(|| match key {
            Some(_) => "https://api.openai.com/v1".to_owned(),
            None => "http://127.0.0.1:8080/v1".to_owned(),
        });
        let uri = base_url.parse::<Uri>();
        let has_scheme = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        if !uri.as_ref().is_ok_and(has_scheme) {
            let why = format!("expected a URL with `http://` or `https://`, found `{base_url}`");
            return Err(Failure::Setting { variable: "OPENAI_BASE_URL", why });
        }
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            key,
            // llama-server accepts any name.
            model: variable("MODEL").unwrap_or_else(|| "default".to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings from these variables.
    fn read(variables: &[(&str, &str)]) -> Result<Settings, Failure> {
        Settings::read(|name| {
            let variable = variables.iter().find(|it| it.0 == name)?;
            Some(variable.1.to_owned())
        })
    }

    #[test]
    fn the_key_goes_to_openai_or_to_the_configured_server() {
        let key = ("OPENAI_API_KEY", " sk-1\n");
        let settings = read(&[key]).unwrap();
        assert_eq!(settings.base_url, "https://api.openai.com/v1");
        assert_eq!(settings.key.as_deref(), Some("sk-1"));
        let named = read(&[key, ("OPENAI_BASE_URL", "http://10.0.0.1:8000/v1/")]).unwrap();
        assert_eq!(named.base_url, "http://10.0.0.1:8000/v1");
    }

    #[test]
    fn without_a_key_the_server_is_local() {
        let settings = read(&[("OPENAI_API_KEY", ""), ("OPENAI_BASE_URL", "")]).unwrap();
        assert_eq!((&*settings.base_url, settings.key), ("http://127.0.0.1:8080/v1", None));
    }

    #[test]
    fn an_invalid_value_is_an_error_that_names_the_variable() {
        for url in ["not a url", "localhost:8080/v1", "ftp://localhost/v1", "/v1"] {
            let error = read(&[("OPENAI_BASE_URL", url)]).map(drop).unwrap_err().to_string();
            assert!(error.contains("OPENAI_BASE_URL") && error.contains(url), "{error}");
        }
        let error = read(&[("OPENAI_API_KEY", "sk-1\nsk-2")]).map(drop).unwrap_err().to_string();
        assert!(error.contains("OPENAI_API_KEY") && !error.contains("sk-1"), "{error}");
    }
}
