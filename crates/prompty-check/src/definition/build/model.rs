//! The model, its connection and its options (Prompty §2.5, §2.6).

use super::super::host::HostParts;
use super::super::node::Node;
use super::super::{Connection, Model, ModelOptions};
use super::context::{Context, KnownKeys, join};

const MODEL: KnownKeys = KnownKeys {
    place: "`model`",
    keys: &["id", "provider", "apiType", "connection", "options"],
    // `first_version` converts those keys.
    renamed: &[],
    other_names: &[],
};

const OPTIONS: KnownKeys = KnownKeys {
    place: "`model.options`",
    keys: &[
        "temperature",
        "maxOutputTokens",
        "topP",
        "topK",
        "frequencyPenalty",
        "presencePenalty",
        "seed",
        "stopSequences",
        "allowMultipleToolCalls",
        "additionalProperties",
    ],
    renamed: &[
        ("max_tokens", "`maxOutputTokens`"),
        ("maxTokens", "`maxOutputTokens`"),
        ("top_p", "`topP`"),
        ("frequency_penalty", "`frequencyPenalty`"),
        ("presence_penalty", "`presencePenalty`"),
        ("stop", "`stopSequences`"),
        ("stream", "`stream` under `additionalProperties`"),
    ],
    other_names: &[],
};

/// The tables of this file.
pub(super) const TABLES: [&KnownKeys; 2] = [&MODEL, &OPTIONS];

/// Reads a model, or a string that is its id.
pub(super) fn model(context: &mut Context<'_>, node: &Node) -> Option<Model> {
    if let Some(id) = node.as_text() {
        let host = HostParts::from_entry("id", node.host());
        return Some(Model { id: Some(id.to_owned()), host, ..Model::default() });
    }
    let mapping = context.map(node, "model")?;
    let mut model = Model { host: mapping.host(), ..Model::default() };
    for (key, entry) in mapping.iter() {
        let value = &entry.value;
        match key {
            "id" => model.id = context.text(value, "model.id"),
            "provider" => model.provider = context.text(value, "model.provider"),
            "apiType" => model.api_type = context.text(value, "model.apiType"),
            "connection" => model.connection = connection(context, value, "model.connection"),
            "options" => model.options = options(context, value),
            _ => context.unknown_key(key, entry, &MODEL, &mut model.unknown),
        }
    }
    Some(model)
}

/// Reads a connection. Its keys depend on its kind, which may be one of the host.
pub(super) fn connection(context: &mut Context<'_>, node: &Node, path: &str) -> Option<Connection> {
    let mapping = context.map(node, path)?;
    let mut connection = Connection { host: mapping.host(), ..Connection::default() };
    for (key, entry) in mapping.iter() {
        let value = &entry.value;
        let mut text = || context.text(value, &join(path, key));
        match key {
            "kind" => connection.kind = text().unwrap_or_default(),
            "name" => connection.name = text(),
            "endpoint" => connection.endpoint = text(),
            "apiKey" => connection.api_key = text(),
            _ => {
                connection.other.insert(key, value.to_value());
            }
        }
    }
    Some(connection)
}

fn options(context: &mut Context<'_>, node: &Node) -> Option<ModelOptions> {
    let mapping = context.map(node, "model.options")?;
    let mut options = ModelOptions { host: mapping.host(), ..ModelOptions::default() };
    for (key, entry) in mapping.iter() {
        let value = &entry.value;
        let path = join("model.options", key);
        match key {
            "temperature" => options.temperature = context.number(value, &path),
            "maxOutputTokens" => options.max_output_tokens = context.integer(value, &path),
            "topP" => options.top_p = context.number(value, &path),
            "topK" => options.top_k = context.integer(value, &path),
            "frequencyPenalty" => options.frequency_penalty = context.number(value, &path),
            "presencePenalty" => options.presence_penalty = context.number(value, &path),
            "seed" => options.seed = context.integer(value, &path),
            "stopSequences" => options.stop_sequences = context.texts(value, &path),
            "allowMultipleToolCalls" => {
                options.allow_multiple_tool_calls = context.boolean(value, &path);
            }
            "additionalProperties" => {
                options.additional_properties = context.free_map(value, &path);
            }
            _ => context.unknown_key(key, entry, &OPTIONS, &mut options.unknown),
        }
    }
    Some(options)
}
