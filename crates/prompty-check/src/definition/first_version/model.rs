//! Converts the model of the first version: `api`, `configuration` and `parameters`.
//!
//! ```text
//! api: chat                                 apiType: chat
//! configuration:                            provider: foundry
//!   type: azure_openai                ->    id: gpt
//!   azure_deployment: gpt                   connection: {kind: foundry, endpoint: https://a.b}
//!   azure_endpoint: https://a.b             options:
//! parameters: {max_tokens: 9, user: me}       maxOutputTokens: 9
//!                                             additionalProperties: {user: me}
//! ```

use super::entries::{
    Entries, OldKey, add, add_new, add_renamed, derived_entry, derived_text, map_node, start_of,
};
use crate::definition::node::{Entry, Mapping, Node, NodeKind};

/// The keys of a model that only the first version has, with the keys of the second version. The
/// finding about the file points to the first of them that the model has.
const RENAMED: [(&str, &str); 3] =
    [("configuration", "connection"), ("parameters", "options"), ("api", "apiType")];

/// The keys of a configuration that name the model, the most specific first.
const IDS: [&str; 5] = ["azure_deployment", "deployment", "name", "model", "model_name"];

/// The parameters that are options of the second version, by their old and new names. All others
/// went to the model's API unchanged, as additional properties do.
const OPTIONS: [(&str, &str); 20] = [
    ("temperature", "temperature"),
    ("max_tokens", "maxOutputTokens"),
    ("maxTokens", "maxOutputTokens"),
    ("max_completion_tokens", "maxOutputTokens"),
    ("maxOutputTokens", "maxOutputTokens"),
    ("top_p", "topP"),
    ("topP", "topP"),
    ("top_k", "topK"),
    ("topK", "topK"),
    ("frequency_penalty", "frequencyPenalty"),
    ("frequencyPenalty", "frequencyPenalty"),
    ("presence_penalty", "presencePenalty"),
    ("presencePenalty", "presencePenalty"),
    ("seed", "seed"),
    ("stop", "stopSequences"),
    ("stopSequences", "stopSequences"),
    ("parallel_tool_calls", "allowMultipleToolCalls"),
    ("allowMultipleToolCalls", "allowMultipleToolCalls"),
    ("additionalProperties", "additionalProperties"),
    ("additional_properties", "additionalProperties"),
];

/// The keys of the first version in a model.
pub(super) fn old_keys(node: &Node) -> impl Iterator<Item = OldKey> {
    RENAMED.into_iter().filter_map(|(key, new_name)| {
        let span = node.as_map()?.entries.get(key)?.key;
        Some(OldKey { key, new_name, span })
    })
}

/// Converts a model. A node that is not a map is returned unchanged.
pub(super) fn convert_model(node: &Node) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = Entries::with_capacity(mapping.entries.len() + 2);
    for (key, entry) in &mapping.entries {
        match &**key {
            "api" => add_renamed(&mut entries, mapping, "api", "apiType", entry.clone()),
            "configuration" => split_configuration(&mut entries, mapping, entry),
            "parameters" => {
                let options = entry.with(options(&entry.value));
                add_renamed(&mut entries, mapping, "parameters", "options", options);
            }
            _ => add(&mut entries, key, entry.clone()),
        }
    }
    map_node(mapping.with_entries(entries), node)
}

/// Splits a configuration (`entry`) into the model's id, its provider, and the connection. `old` is
/// the model of the first version, and `model` is the new one.
fn split_configuration(model: &mut Entries, old: &Mapping, entry: &Entry) {
    let Some(configuration) = entry.value.as_map() else {
        add_renamed(model, old, "configuration", "connection", entry.clone());
        return;
    };
    let has = |key: &str| configuration.entries.contains_key(key);
    let id_key = IDS.into_iter().find(|key| has(key) && !old.entries.contains_key("id"));
    let has_own_provider = old.entries.contains_key("provider");
    let mut connection = Entries::with_capacity(configuration.entries.len() + 1);
    for (key, setting) in &configuration.entries {
        match &**key {
            key if Some(key) == id_key => add(model, "id", setting.clone()),
            "type" if !has_own_provider => {
                let provider = match setting.value.as_text() {
                    Some("azure_openai") => derived_text("foundry", &setting.value),
                    _ => setting.value.clone(),
                };
                add(model, "provider", setting.with(provider));
            }
            "azure_endpoint" | "base_url" => {
                add_renamed(&mut connection, configuration, key, "endpoint", setting.clone());
            }
            "api_key" => {
                add_renamed(&mut connection, configuration, key, "apiKey", setting.clone());
            }
            // The name of a connection that the host configures. If `name` exists and is not the
            // model's id, it is the name of the connection, and this key keeps its name.
            "connection" if id_key == Some("name") || !has("name") => {
                add(&mut connection, "name", setting.clone());
            }
            _ => add(&mut connection, key, setting.clone()),
        }
    }
    if connection.is_empty() {
        return;
    }
    if !connection.contains_key("kind") {
        let kind = NodeKind::Text(kind_of_connection(configuration, &connection).into());
        connection.insert_first("kind".into(), derived_entry(entry, kind));
    }
    let value = map_node(configuration.with_entries(connection), &entry.value);
    add_renamed(model, old, "configuration", "connection", entry.with(value));
}

/// The kind of a connection, which the first version does not have.
fn kind_of_connection(configuration: &Mapping, connection: &Entries) -> &'static str {
    let service = configuration.get("type").and_then(Node::as_text).unwrap_or_default();
    // `connection` has become the name of a connection that the host configures.
    if configuration.entries.contains_key("connection") && connection.contains_key("name") {
        "reference"
    } else if service.starts_with("azure") && !connection.contains_key("apiKey") {
        "foundry"
    } else {
        "key"
    }
}

/// Converts the parameters of a model.
fn options(node: &Node) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = Entries::with_capacity(mapping.entries.len());
    let mut others = Entries::new();
    for (key, entry) in &mapping.entries {
        match OPTIONS.iter().find(|(old, _)| *old == &**key) {
            Some((old, new)) => add_renamed(&mut entries, mapping, old, new, entry.clone()),
            None => add(&mut others, key, entry.clone()),
        }
    }
    let Some((_, first)) = others.get_index(0) else {
        return map_node(mapping.with_entries(entries), node);
    };
    let empty = || Entry {
        key: start_of(first.key),
        value: map_node(mapping.with_entries(Entries::new()), node),
    };
    // The file may already have additional properties. A parameter that cannot be added to them
    // keeps its place, and is later reported as an unknown key.
    let additional = entries.get_or_insert_with("additionalProperties".into(), empty);
    let Some(given) = additional.value.as_map() else {
        entries.extend(others);
        return map_node(mapping.with_entries(entries), node);
    };
    let mut merged = given.entries.clone();
    let kept = add_new(&mut merged, others);
    additional.value = map_node(given.with_entries(merged), &additional.value);
    entries.extend(kept);
    map_node(mapping.with_entries(entries), node)
}
