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
        Self::read(|name| env::var(name).ok())
    }

    fn read(environment: impl Fn(&str) -> Option<String>) -> Result<Self, Unusable> {
        // White space around a value is left out, and one that is empty is none.
        let variable = |name| {
            let value = environment(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is a failure")]
mod tests {
    use super::*;

    /// The settings by these variables.
    fn read(variables: &[(&str, &str)]) -> Result<Settings, Unusable> {
        Settings::read(|name| {
            let variable = variables.iter().find(|it| it.0 == name)?;
            Some(variable.1.to_owned())
        })
    }

    #[test]
    fn the_key_goes_to_openai_or_to_the_server_that_is_named() {
        let key = ("OPENAI_API_KEY", " sk-1\n");
        let settings = read(&[key]).unwrap();
        assert_eq!(settings.base_url, "https://api.openai.com/v1");
        assert_eq!(settings.key.as_deref(), Some("sk-1"));
        let named = read(&[key, ("OPENAI_BASE_URL", "http://10.0.0.1:8000/v1/")]).unwrap();
        assert_eq!(named.base_url, "http://10.0.0.1:8000/v1");
    }

    #[test]
    fn without_a_key_the_server_is_a_local_one() {
        let settings = read(&[("OPENAI_API_KEY", ""), ("OPENAI_BASE_URL", "")]).unwrap();
        assert_eq!((&*settings.base_url, settings.key), ("http://127.0.0.1:8080/v1", None));
    }

    #[test]
    fn what_cannot_be_used_is_an_error_that_names_the_variable() {
        for url in ["not a url", "localhost:8080/v1", "ftp://localhost/v1", "/v1"] {
            let error = read(&[("OPENAI_BASE_URL", url)]).map(drop).unwrap_err().to_string();
            assert!(error.contains("OPENAI_BASE_URL") && error.contains(url), "{error}");
        }
        let error = read(&[("OPENAI_API_KEY", "sk-1\nsk-2")]).map(drop).unwrap_err().to_string();
        assert!(error.contains("OPENAI_API_KEY") && !error.contains("sk-1"), "{error}");
    }
}
