//! Capabilities of models, from a table of the caller (Prompty §15).

use std::collections::BTreeMap;

use prompty_core::error::{Error, ErrorKind};
use serde::Deserialize;

use super::models::ModelInfo;

/// The capabilities of providers' models, by the prefixes of their ids. Not all providers list them
/// with their models.
///
/// This library has no such table, because it would be out of date. The caller reads one from JSON
/// or through serde.
///
/// ```
/// # mod typed_prompty { pub use prompty_wire as wire; }
/// use typed_prompty::wire::{CapabilityTable, ModelInfo};
///
/// let table = CapabilityTable::from_json(
///     r#"{"providers": {"acme": [
///         {"prefix": "owl", "contextWindow": 4096, "inputModalities": ["text"]},
///         {"prefix": "owl-large", "contextWindow": 32768}
///     ]}}"#,
/// )?;
/// let mut model = ModelInfo::new("owl-large-2030");
/// assert!(table.enrich("acme", &mut model));
/// assert_eq!((model.context_window, model.input_modalities), (Some(32768), None));
/// assert!(!table.enrich("acme", &mut ModelInfo::new("owlet")));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(expecting = "an object with `providers`")]
pub struct CapabilityTable {
    providers: BTreeMap<String, Vec<Capabilities>>,
}

/// The capabilities of the models whose ids have a prefix.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object with `prefix`")]
struct Capabilities {
    prefix: String,
    context_window: Option<u64>,
    input_modalities: Option<Vec<String>>,
    output_modalities: Option<Vec<String>>,
}

impl CapabilityTable {
    /// Reads a table from JSON: `{"providers": {"NAME": [{"prefix": …}, …], …}}`. Each entry has
    /// `contextWindow`, `inputModalities` and `outputModalities` if they are known. Other keys are
    /// ignored.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Conversion`] if the JSON does not have that form.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        serde_json::from_str(json).map_err(|error| {
            let message = format!("cannot read the capability table: {error}");
            Error::new(ErrorKind::Conversion, message).with_help(
                "use the form {\"providers\": {\"acme\": [{\"prefix\": \"owl\", \"contextWindow\": \
                 4096, \"inputModalities\": [\"text\"], \"outputModalities\": [\"text\"]}]}}",
            )
        })
    }

    /// Adds the capabilities that the provider did not list. Returns whether the table has the
    /// model.
    ///
    /// The provider's entry with the longest prefix applies. A prefix must end at the end of the
    /// id, or before a character that is neither a letter nor a digit: `owl` matches `owl-2` and
    /// `owl:free`, but not `owl2`. Values from the provider stay, even empty lists.
    pub fn enrich(&self, provider: &str, model: &mut ModelInfo) -> bool {
        let Some(known) = self.find(provider, &model.id) else { return false };
        model.context_window = model.context_window.or(known.context_window);
        fill(&mut model.input_modalities, known.input_modalities.as_ref());
        fill(&mut model.output_modalities, known.output_modalities.as_ref());
        true
    }

    fn find(&self, provider: &str, id: &str) -> Option<&Capabilities> {
        let entries = self.providers.get(provider)?.iter();
        entries.filter(|it| matches_prefix(&it.prefix, id)).max_by_key(|it| it.prefix.len())
    }
}

/// Whether an id begins with a prefix that ends at the end of a word. A prefix that also matches a
/// newer, different model cannot be recognised. The table then needs a longer entry for that model.
fn matches_prefix(prefix: &str, id: &str) -> bool {
    let rest = id.strip_prefix(prefix).filter(|_| !prefix.is_empty());
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn fill(own: &mut Option<Vec<String>>, known: Option<&Vec<String>>) {
    if own.is_none() {
        *own = known.cloned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> CapabilityTable {
        let json = r#"{"note": "ours", "providers": {"acme": [
            {"prefix": "owl-2", "contextWindow": 2, "outputModalities": []},
            {"prefix": "owl", "contextWindow": 1, "inputModalities": ["text"]},
            {"prefix": "", "contextWindow": 9}
        ], "other": []}}"#;
        CapabilityTable::from_json(json).unwrap()
    }

    fn window(id: &str) -> Option<u64> {
        let mut model = ModelInfo::new(id);
        table().enrich("acme", &mut model);
        model.context_window
    }

    #[test]
    fn the_longest_prefix_that_ends_with_a_word_counts() {
        assert_eq!(window("owl"), Some(1));
        assert_eq!(window("owl-large"), Some(1));
        assert_eq!(window("owl-2"), Some(2));
        assert_eq!(window("owl-2:free"), Some(2));
        assert_eq!(window("owl-20"), Some(1));
        assert_eq!(window("owlé"), None);
        assert_eq!(window("Owl"), None);
        assert_eq!(window("-"), None);
    }

    #[test]
    fn values_of_the_provider_stay_even_empty_lists() {
        let mut model = ModelInfo::new("owl-2");
        model.context_window = Some(77);
        model.input_modalities = Some(Vec::new());
        assert!(table().enrich("acme", &mut model));
        assert_eq!(model.context_window, Some(77));
        assert_eq!(model.input_modalities, Some(Vec::new()));
        assert_eq!(model.output_modalities, Some(Vec::new()));
    }

    #[test]
    fn only_the_entries_of_the_provider_count() {
        let mut model = ModelInfo::new("owl");
        assert!(!table().enrich("other", &mut model));
        assert!(!table().enrich("nobody", &mut model));
        assert_eq!(model, ModelInfo::new("owl"));
    }

    #[test]
    fn a_table_of_another_form_is_an_error_that_shows_the_form() {
        for json in ["[]", "{}", r#"{"providers": {"acme": [{"contextWindow": 1}]}}"#] {
            let error = CapabilityTable::from_json(json).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conversion, "{json}");
            assert!(error.help().unwrap().contains("prefix"), "{json}");
        }
    }
}
