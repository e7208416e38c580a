//! The settings from the environment. An invalid value is an error that names the variable.

use std::env;
use std::fmt::{self, Display};

use reqwest::Url;
use reqwest::header::HeaderValue;

/// The settings from the environment, or their defaults.
#[derive(Debug)]
pub struct Settings {
    /// The URL of the provider, without a slash at the end.
    pub base_url: String,
    pub key: Option<String>,
    pub model: String,
    /// The address that the service listens at.
    pub listen: String,
}

impl Settings {
    /// Reads the environment. A key without a URL selects OpenAI.
    ///
    /// # Errors
    /// Returns an error if the value of a variable is not valid.
    pub fn from_env() -> Result<Self, SettingError> {
        Self::read(|name| env::var(name).ok())
    }

    fn read(environment: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        // White space around a value is removed. An empty value counts as unset.
        let variable = |name| {
            let value = environment(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let key = variable("OPENAI_API_KEY");
        if key.as_deref().is_some_and(|key| HeaderValue::from_str(key).is_err()) {
            // The value is not shown, because it may still be a secret.
            return Err(SettingError::new(
                "OPENAI_API_KEY",
                "***",
                "it contains characters that are not allowed in a header",
            ));
        }
        let base_url = variable("OPENAI_BASE_URL").unwrap_or_else(|| match key {
            Some(_) => "https://api.openai.com/v1".to_owned(),
            None => "http://127.0.0.1:8080/v1".to_owned(),
        });
        let unusable = |why: &dyn Display| SettingError::new("OPENAI_BASE_URL", &base_url, why);
        let url = Url::parse(&base_url).map_err(|error| unusable(&error))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unusable(&"expected a URL with `http://` or `https://`"));
        }
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            key,
            model: variable("MODEL").unwrap_or_else(|| "default".to_owned()),
            listen: variable("LISTEN").unwrap_or_else(|| "127.0.0.1:3000".to_owned()),
        })
    }
}

/// The error for an environment variable with an invalid value.
#[derive(Debug)]
pub struct SettingError {
    variable: &'static str,
    value: String,
    why: String,
}

impl SettingError {
    pub fn new(variable: &'static str, value: &str, why: impl Display) -> Self {
        Self { variable, value: value.to_owned(), why: why.to_string() }
    }
}

impl Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, value, why } = self;
        write!(f, "{variable} has the invalid value `{value}`: {why}")
    }
}

impl std::error::Error for SettingError {}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]
mod tests {
    use super::*;

    /// The settings from these variables.
    fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingError> {
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
