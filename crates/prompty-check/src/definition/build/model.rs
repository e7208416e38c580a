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
        let node = &entry.value;
        match key {
            "id" => model.id = context.text(node, "model.id"),
            "provider" => model.provider = context.text(node, "model.provider"),
            "apiType" => model.api_type = context.text(node, "model.apiType"),
            "connection" => model.connection = connection(context, node, "model.connection"),
            "options" => model.options = options(context, node),
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
        let node = &entry.value;
        let path = join("model.options", key);
        match key {
            "temperature" => options.temperature = context.number(node, &path),
            "maxOutputTokens" => options.max_output_tokens = context.integer(node, &path),
            "topP" => options.top_p = context.number(node, &path),
            "topK" => options.top_k = context.integer(node, &path),
            "frequencyPenalty" => options.frequency_penalty = context.number(node, &path),
            "presencePenalty" => options.presence_penalty = context.number(node, &path),
            "seed" => options.seed = context.integer(node, &path),
            "stopSequences" => options.stop_sequences = context.texts(node, &path),
            "allowMultipleToolCalls" => {
                options.allow_multiple_tool_calls = context.boolean(node, &path);
            }
            "additionalProperties" => {
                options.additional_properties = context.free_map(node, &path);
            }
            _ => context.unknown_key(key, entry, &OPTIONS, &mut options.unknown),
        }
    }
    Some(options)
}
