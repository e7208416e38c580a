//! Converts the model of the first version: `api`, `configuration` and `parameters`.

use std::sync::Arc;

use super::entries::{Entries, derived_entry, derived_text, insert_new, map_node, start_of};
use crate::definition::node::{Entry, Mapping, Node, NodeKind};

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

pub(super) fn model(node: &Node) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = Entries::with_capacity(mapping.entries.len() + 2);
    for (key, entry) in &mapping.entries {
        match &**key {
            "api" => insert_new(&mut entries, mapping, "api", "apiType", entry.clone()),
            "configuration" => configuration(&mut entries, mapping, entry),
            "parameters" => {
                let options = Entry { key: entry.key, value: options(&entry.value) };
                insert_new(&mut entries, mapping, "parameters", "options", options);
            }
            _ => {
                entries.insert(Arc::clone(key), entry.clone());
            }
        }
    }
    map_node(mapping.with_entries(entries), node)
}

/// Splits a configuration into the model's id, its provider, and the connection.
fn configuration(model: &mut Entries, from: &Mapping, entry: &Entry) {
    let Some(configuration) = entry.value.as_map() else {
        insert_new(model, from, "configuration", "connection", entry.clone());
        return;
    };
    let has = |key: &str| configuration.entries.contains_key(key);
    let id = IDS.into_iter().find(|key| has(key) && !from.entries.contains_key("id"));
    let has_own_provider = from.entries.contains_key("provider");
    let is_azure = configuration.get("type").and_then(Node::as_text);
    let is_azure = is_azure.is_some_and(|kind| kind.starts_with("azure"));

    let mut connection = Entries::with_capacity(configuration.entries.len() + 1);
    for (key, entry) in &configuration.entries {
        match &**key {
            key if Some(key) == id => {
                model.insert("id".into(), entry.clone());
            }
            "type" if !has_own_provider => {
                let provider = match entry.value.as_text() {
                    Some("azure_openai") => derived_text("foundry", &entry.value),
                    _ => entry.value.clone(),
                };
                model.insert("provider".into(), Entry { key: entry.key, value: provider });
            }
            "azure_endpoint" | "base_url" => {
                insert_new(&mut connection, configuration, key, "endpoint", entry.clone());
            }
            "api_key" => insert_new(&mut connection, configuration, key, "apiKey", entry.clone()),
            // The name of a connection that is configured in the host.
            "connection" if id == Some("name") || !has("name") => {
                connection.insert("name".into(), entry.clone());
            }
            _ => {
                connection.insert(Arc::clone(key), entry.clone());
            }
        }
    }
    if connection.is_empty() {
        return;
    }
    let kind = if has("connection") && connection.contains_key("name") {
        "reference"
    } else if is_azure && !connection.contains_key("apiKey") {
        "foundry"
    } else {
        "key"
    };
    if !connection.contains_key("kind") {
        let kind = derived_entry(entry, NodeKind::Text(kind.into()));
        connection.insert_first("kind".into(), kind);
    }
    let value = map_node(configuration.with_entries(connection), &entry.value);
    insert_new(model, from, "configuration", "connection", Entry { key: entry.key, value });
}

fn options(node: &Node) -> Node {
    let Some(mapping) = node.as_map() else { return node.clone() };
    let mut entries = Entries::with_capacity(mapping.entries.len());
    let mut others = Entries::new();
    for (key, entry) in &mapping.entries {
        match OPTIONS.iter().find(|(old, _)| *old == &**key) {
            Some((old, new)) => {
                insert_new(&mut entries, &Mapping::default(), old, new, entry.clone());
            }
            None => {
                others.insert(Arc::clone(key), entry.clone());
            }
        }
    }
    let Some((_, first)) = others.get_index(0) else {
        return map_node(mapping.with_entries(entries), node);
    };
    let empty = || Entry {
        key: start_of(first.key),
        value: map_node(mapping.with_entries(Entries::new()), node),
    };
    let additional = entries.get_or_insert_with("additionalProperties".into(), empty);
    if let Some(given) = additional.value.as_map() {
        let mut merged = given.entries.clone();
        for (key, entry) in others {
            merged.get_or_insert_with(key, || entry);
        }
        additional.value = map_node(given.with_entries(merged), &additional.value);
    }
    map_node(mapping.with_entries(entries), node)
}
