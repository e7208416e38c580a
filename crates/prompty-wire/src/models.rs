//! Models as providers list them (Prompty §15).

use prompty_core::value::internal::excerpt;
use prompty_core::value::{Map, Value};
use serde::{Deserialize, Serialize};

use super::complete_answer;
use super::error::WireError;
use super::value_budget::bounded_value;

/// A model that a provider offers. Unknown values are `None`; an empty list means that the model
/// has none.
///
/// As JSON it has the names of the specification: `displayName`, `contextWindow` and so on.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::value; pub use prompty_wire as wire; }
/// use typed_prompty::value::Value;
/// use typed_prompty::wire::ModelListing;
///
/// let entry = Value::from_json(r#"{"id": "small-1", "object": "model", "owned_by": "acme"}"#)?;
/// let model = ModelListing::OpenAi.model(&entry)?;
/// assert_eq!((model.id.as_str(), model.owned_by.as_deref()), ("small-1", Some("acme")));
/// assert_eq!(model.additional.get("object").and_then(Value::as_str), Some("model"));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelInfo {
    /// The id for requests.
    pub id: String,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Its author or owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned_by: Option<String>,
    /// The maximum number of tokens in a request and its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The kinds of input, such as `text` and `image`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_modalities: Option<Vec<String>>,
    /// The kinds of output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_modalities: Option<Vec<String>>,
    /// The complete entry of the provider's list.
    #[serde(default, rename = "additionalProperties", skip_serializing_if = "Map::is_empty")]
    pub additional: Map,
}

impl ModelInfo {
    /// A model with only an id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }
}

/// The format of a list of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ModelListing {
    /// OpenAI's, at `GET /models`, which many hosts and servers use, too.
    #[default]
    OpenAi,
    /// Anthropic's, at `GET /models`.
    Anthropic,
    /// The deployments of Microsoft Foundry: those of a project, and those of the resource manager.
    Foundry,
}

/// A list of models, or a page of one.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ModelList {
    /// The models, in the provider's order.
    pub models: Vec<ModelInfo>,
    /// The next page, if there is one: the value of `after_id` for Anthropic, a URL for Foundry.
    pub next: Option<String>,
}

impl ModelListing {
    /// Reads one entry of the list.
    ///
    /// # Errors
    ///
    /// Returns an error of [`WireErrorKind::Unreadable`](super::WireErrorKind::Unreadable) if it
    /// has no id.
    pub fn model(self, entry: &Value) -> Result<ModelInfo, WireError> {
        let paths = self.paths(entry);
        let Some(id) = text(entry, paths.id) else {
            let name = paths.id.iter().flat_map(|path| path.iter()).next().unwrap_or(&"id");
            let message = format!("an entry of the model list has no `{name}`");
            return Err(WireError::unreadable(message).with_help(WRONG_LIST));
        };
        let owner = match self {
            Self::Anthropic => Some("anthropic".to_owned()),
            Self::OpenAi | Self::Foundry => text(entry, paths.owned_by),
        };
        Ok(ModelInfo {
            id,
            display_name: text(entry, paths.display_name),
            owned_by: owner,
            context_window: number(entry, paths.context_window),
            input_modalities: texts(entry, paths.input_modalities),
            output_modalities: texts(entry, paths.output_modalities),
            additional: entry.as_object().cloned().unwrap_or_default(),
        })
    }

    /// Reads a complete list, or a page of one, from its HTTP status and its body.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_wire as wire; }
    /// use typed_prompty::wire::ModelListing;
    ///
    /// let body = br#"{"data": [{"id": "a"}, {"id": "b"}], "has_more": true, "last_id": "b"}"#;
    /// let list = ModelListing::Anthropic.read(200, body)?;
    /// assert_eq!(list.models.len(), 2);
    /// assert_eq!(list.next.as_deref(), Some("b"));
    /// # Ok::<(), prompty_wire::WireError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the status or the body is that of an error, the body is not a list of
    /// models, or none of them has an id. If only some entries have no id, those are left out,
    /// because no request can name them.
    pub fn read(self, status: u16, body: &[u8]) -> Result<ModelList, WireError> {
        let json = complete_answer::json(status, body)?;
        let body = bounded_value(&json).ok_or_else(|| {
            let message = format!("cannot read the provider's answer: {}", excerpt(&json));
            WireError::unreadable(message).with_help(WRONG_LIST)
        })?;
        let lists = [Some(&body), body.get("data"), body.get("value")];
        let Some(entries) = lists.into_iter().flatten().find_map(Value::as_array) else {
            let message = "the provider's answer is not a list of models";
            return Err(WireError::unreadable(message).with_help(WRONG_LIST));
        };
        let (mut models, mut wrong) = (Vec::new(), None);
        for entry in entries {
            match self.model(entry) {
                Ok(model) => models.push(model),
                Err(error) => wrong = wrong.or(Some(error)),
            }
        }
        if let (true, Some(error)) = (models.is_empty(), wrong) {
            return Err(error);
        }
        let has_more = body.get("has_more").and_then(Value::as_bool) == Some(true);
        let last = text(&body, &[&["last_id"]]).filter(|_| has_more);
        Ok(ModelList { models, next: last.or_else(|| text(&body, &[&["nextLink"]])) })
    }

    /// The paths of the values in an entry.
    fn paths(self, entry: &Value) -> &'static FieldPaths {
        match self {
            Self::OpenAi => &OPENAI,
            Self::Anthropic => &ANTHROPIC,
            Self::Foundry if entry.get("properties").is_some() => &FOUNDRY_RESOURCE,
            Self::Foundry if entry.get("name").is_some() => &FOUNDRY_PROJECT,
            // Its plain list of models has OpenAI's format.
            Self::Foundry => &OPENAI,
        }
    }
}

const WRONG_LIST: &str = "check that the URL and the `ModelListing` match";

/// The possible paths of a value in an entry, the preferred one first.
type JsonPaths = &'static [&'static [&'static str]];

/// The paths of all values of an entry.
struct FieldPaths {
    id: JsonPaths,
    display_name: JsonPaths,
    owned_by: JsonPaths,
    context_window: JsonPaths,
    input_modalities: JsonPaths,
    output_modalities: JsonPaths,
}

/// OpenAI itself lists only the id and the owner. Other hosts with its protocol list more.
const OPENAI: FieldPaths = FieldPaths {
    id: &[&["id"]],
    display_name: &[&["display_name"], &["name"]],
    owned_by: &[&["owned_by"]],
    context_window: &[
        &["context_length"],
        &["context_window"],
        &["max_context_length"],
        &["max_model_len"],
        &["maxContextLength"],
        &["meta", "n_ctx_train"],
    ],
    input_modalities: &[&["input_modalities"], &["architecture", "input_modalities"]],
    output_modalities: &[&["output_modalities"], &["architecture", "output_modalities"]],
};

const ANTHROPIC: FieldPaths = FieldPaths {
    id: &[&["id"]],
    display_name: &[&["display_name"]],
    owned_by: &[],
    context_window: &[&["context_length"], &["max_input_tokens"]],
    input_modalities: &[&["input_modalities"]],
    output_modalities: &[&["output_modalities"]],
};

const FOUNDRY_PROJECT: FieldPaths = FieldPaths {
    id: &[&["name"]],
    display_name: &[&["modelName"]],
    owned_by: &[&["modelPublisher"]],
    context_window: &[&["maxContextLength"]],
    input_modalities: &[],
    output_modalities: &[],
};

const FOUNDRY_RESOURCE: FieldPaths = FieldPaths {
    id: &[&["name"]],
    display_name: &[&["properties", "model", "name"]],
    owned_by: &[&["properties", "model", "publisher"]],
    context_window: &[&["properties", "model", "maxContextLength"]],
    input_modalities: &[&["properties", "capabilities", "supportedInputModalities"]],
    output_modalities: &[&["properties", "capabilities", "supportedOutputModalities"]],
};

/// The value at the first path whose value has the type.
fn find<'v, T>(
    entry: &'v Value,
    paths: JsonPaths,
    read: impl Fn(&'v Value) -> Option<T>,
) -> Option<T> {
    paths.iter().find_map(|path| {
        let found = path.iter().try_fold(entry, |value, name| value.get(name));
        found.and_then(&read)
    })
}

fn text(entry: &Value, paths: JsonPaths) -> Option<String> {
    find(entry, paths, |value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
}

fn number(entry: &Value, paths: JsonPaths) -> Option<u64> {
    find(entry, paths, |value| u64::try_from(value.as_integer()?).ok())
}

fn texts(entry: &Value, paths: JsonPaths) -> Option<Vec<String>> {
    find(entry, paths, |value| {
        Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WireErrorKind;

    fn model(listing: ModelListing, json: &str) -> ModelInfo {
        listing.model(&Value::from_json(json).unwrap()).unwrap()
    }

    #[test]
    fn more_fields_than_openai_has_are_read() {
        let json = r#"{"id": "lab/owl-7b", "name": "Owl", "max_model_len": 4096, "architecture":
            {"input_modalities": ["text", "audio"], "output_modalities": []}}"#;
        let found = model(ModelListing::OpenAi, json);
        assert_eq!(found.display_name.as_deref(), Some("Owl"));
        assert_eq!(found.context_window, Some(4096));
        assert_eq!(found.input_modalities.unwrap(), ["text", "audio"]);
        assert_eq!(found.output_modalities, Some(Vec::new()));
    }

    #[test]
    fn a_value_of_another_type_is_only_kept_in_the_entry() {
        let found = model(ModelListing::OpenAi, r#"{"id": "owl", "context_length": "long"}"#);
        assert_eq!(found.context_window, None);
        assert_eq!(found.additional.get("context_length").unwrap().as_str(), Some("long"));
    }

    #[test]
    fn both_forms_of_deployments_are_read() {
        let flat = r#"{"name": "mine", "modelName": "owl", "modelPublisher": "Lab"}"#;
        let nested =
            r#"{"name": "mine", "properties": {"model": {"name": "owl", "publisher": "Lab"}}}"#;
        for json in [flat, nested] {
            let found = model(ModelListing::Foundry, json);
            assert_eq!(found.id, "mine");
            assert_eq!(found.display_name.as_deref(), Some("owl"));
            assert_eq!(found.owned_by.as_deref(), Some("Lab"));
        }
    }

    #[test]
    fn lists_are_read_under_each_name_that_they_have() {
        for body in [
            r#"{"data": [{"id": "owl"}]}"#,
            r#"{"value": [{"name": "owl"}], "nextLink": "https://x.example/2"}"#,
            r#"[{"id": "owl"}]"#,
        ] {
            let list = ModelListing::Foundry.read(200, body.as_bytes()).unwrap();
            assert_eq!(list.models.len(), 1, "{body}");
            assert_eq!(list.next.is_some(), body.contains("nextLink"));
        }
    }

    #[test]
    fn a_last_page_has_no_next_one() {
        let body = br#"{"data": [{"id": "owl"}], "has_more": false, "last_id": "owl"}"#;
        assert_eq!(ModelListing::Anthropic.read(200, body).unwrap().next, None);
    }

    #[test]
    fn other_json_than_a_model_list_is_an_error_with_help() {
        for body in [r#"{"models": 1}"#, r#"{"data": [{"name": "owl"}]}"#, "<html>", "\u{7f}"] {
            let error = ModelListing::OpenAi.read(200, body.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), WireErrorKind::Unreadable, "{body}");
            assert!(error.help().is_some(), "{body}");
        }
        let error = ModelListing::OpenAi.read(401, br#"{"error": {"message": "no key"}}"#);
        assert_eq!(error.unwrap_err().kind(), WireErrorKind::Provider);
    }

    #[test]
    fn a_model_is_stored_and_read_back() {
        let found = model(ModelListing::OpenAi, r#"{"id": "owl", "context_window": 10}"#);
        let json = Value::from_serialize(&found).unwrap();
        assert!(json.to_json().starts_with(r#"{"id": "owl", "contextWindow": 10, "additional"#));
        assert_eq!(json.deserialize::<ModelInfo>().unwrap(), found);
    }
}
