//! Converts a definition into a value with the keys of the format.

use super::{
    Connection, Definition, Input, Model, ModelOptions, TemplateOptions, ToolDefinition, ToolKind,
    ValueType,
};
use prompty_core::message::ThreadRoles;
use prompty_core::value::{Map, Value};

impl Definition {
    /// Converts the definition into a map with the keys of the format: `kind: prompt`, `name`,
    /// `displayName` and so on. Keys without a value are omitted.
    ///
    /// The map contains everything that was loaded, **including credentials**, which `Debug` hides.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("kind", "prompt");
        put(&mut map, "name", self.name.as_ref());
        put(&mut map, "displayName", self.display_name.as_ref());
        put(&mut map, "description", self.description.as_ref());
        put_map(&mut map, "metadata", &self.metadata);
        put(&mut map, "model", self.model.as_ref().map(model));
        put_list(&mut map, "inputs", &self.inputs, input);
        put(&mut map, "outputs", self.output_type.as_ref());
        put_list(&mut map, "outputs", &self.outputs, input);
        put_list(&mut map, "tools", &self.tools, tool);
        map.insert("template", template(&self.template));
        map.insert("instructions", &self.instructions);
        with_unknown(map, &self.unknown)
    }
}

fn put<T: Into<Value>>(map: &mut Map, key: &str, value: Option<T>) {
    if let Some(value) = value {
        map.insert(key, value);
    }
}

fn put_map(map: &mut Map, key: &str, value: &Map) {
    if !value.is_empty() {
        map.insert(key, value.clone());
    }
}

fn put_list<T>(map: &mut Map, key: &str, items: &[T], print: fn(&T) -> Value) {
    if !items.is_empty() {
        map.insert(key, items.iter().map(print).collect::<Value>());
    }
}

fn put_true(map: &mut Map, key: &str, value: bool) {
    if value {
        map.insert(key, true);
    }
}

/// Adds the unknown keys to a map. They never replace a key that the map already has.
fn with_unknown(mut map: Map, unknown: &Map) -> Value {
    for (key, value) in unknown.iter() {
        if !map.contains_key(key) {
            map.insert(key, value.clone());
        }
    }
    Value::Object(map)
}

fn model(model: &Model) -> Value {
    let mut map = Map::new();
    put(&mut map, "id", model.id.as_ref());
    put(&mut map, "provider", model.provider.as_ref());
    put(&mut map, "apiType", model.api_type.as_ref());
    put(&mut map, "connection", model.connection.as_ref().map(connection));
    put(&mut map, "options", model.options.as_ref().map(options));
    with_unknown(map, &model.unknown)
}

fn connection(connection: &Connection) -> Value {
    let mut map = Map::new();
    put(&mut map, "kind", Some(&connection.kind).filter(|kind| !kind.is_empty()));
    put(&mut map, "name", connection.name.as_ref());
    put(&mut map, "endpoint", connection.endpoint.as_ref());
    put(&mut map, "apiKey", connection.api_key.as_ref());
    with_unknown(map, &connection.other)
}

fn options(options: &ModelOptions) -> Value {
    let mut map = Map::new();
    put(&mut map, "temperature", options.temperature);
    put(&mut map, "maxOutputTokens", options.max_output_tokens);
    put(&mut map, "topP", options.top_p);
    put(&mut map, "topK", options.top_k);
    put(&mut map, "frequencyPenalty", options.frequency_penalty);
    put(&mut map, "presencePenalty", options.presence_penalty);
    put(&mut map, "seed", options.seed);
    put_list(&mut map, "stopSequences", &options.stop_sequences, |text| text.into());
    put(&mut map, "allowMultipleToolCalls", options.allow_multiple_tool_calls);
    put_map(&mut map, "additionalProperties", &options.additional_properties);
    with_unknown(map, &options.unknown)
}

fn input(input: &Input) -> Value {
    let mut map = Map::new();
    put(&mut map, "name", Some(&input.name).filter(|name| !name.is_empty()));
    put(&mut map, "kind", Some(input.value_type.name()).filter(|kind| !kind.is_empty()));
    put(&mut map, "description", input.description.as_ref());
    put_true(&mut map, "required", input.required);
    put_true(&mut map, "nullable", input.value_type.is_nullable());
    put(&mut map, "default", input.default.clone());
    put(&mut map, "example", input.example.clone());
    put_list(&mut map, "enumValues", &input.enum_values, Value::clone);
    put_true(&mut map, "strict", input.strict);
    if input.roles != ThreadRoles::DEFAULT {
        map.insert("roles", input.roles.names().map(Value::from).collect::<Value>());
    }
    put(&mut map, "jsonSchema", input.schema.clone());
    match input.value_type.non_null() {
        ValueType::Array(Some(items)) => {
            map.insert("items", self::input(items));
        }
        ValueType::Object(fields) => put_list(&mut map, "properties", fields, self::input),
        ValueType::Union(branches) => {
            let key = if input.one_of { "oneOf" } else { "anyOf" };
            put_list(&mut map, key, branches, self::input);
        }
        _ => {}
    }
    with_unknown(map, &input.unknown)
}

fn template(template: &TemplateOptions) -> Value {
    let mut format = Map::from([("kind", &template.format)]);
    put_true(&mut format, "strict", template.strict);
    put_true(&mut format, "trim_blocks", template.trim_blocks);
    put_true(&mut format, "lstrip_blocks", template.lstrip_blocks);
    let mut parser = Map::from([("kind", &template.parser)]);
    if let Some(role) = &template.role {
        parser.insert("role", role.as_str());
    }
    if template.keeps_white_space {
        parser.insert("white_space", "keep");
    }
    // Further options of the format and the parser are under these two keys of `unknown`.
    let mut unknown = template.unknown.clone();
    let mut part = |name: &str, map: Map| match unknown.remove(name) {
        Some(Value::Object(others)) => with_unknown(map, &others),
        _ => Value::Object(map),
    };
    let map = Map::from([("format", part("format", format)), ("parser", part("parser", parser))]);
    with_unknown(map, &unknown)
}

fn tool(tool: &ToolDefinition) -> Value {
    let mut map = Map::from([("name", tool.name.as_str()), ("kind", tool.kind.name())]);
    put(&mut map, "description", tool.description.as_ref());
    match &tool.kind {
        ToolKind::Function { parameters, strict } => {
            put_list(&mut map, "parameters", parameters, input);
            put_true(&mut map, "strict", *strict);
        }
        ToolKind::Mcp { connection: server, server_name, approval_mode, allowed_tools } => {
            put(&mut map, "connection", server.as_ref().map(connection));
            put(&mut map, "serverName", server_name.as_ref());
            put(&mut map, "approvalMode", approval_mode.clone());
            put_list(&mut map, "allowedTools", allowed_tools, |name| name.into());
        }
        ToolKind::OpenApi { connection: service, specification } => {
            put(&mut map, "connection", service.as_ref().map(connection));
            put(&mut map, "specification", specification.clone());
        }
        ToolKind::Custom { connection: host, options, .. } => {
            put(&mut map, "connection", host.as_ref().map(connection));
            put_map(&mut map, "options", options);
        }
    }
    let bindings = tool.bindings.iter().map(|binding| {
        let value = match (&binding.input, &binding.value) {
            (Some(input), _) => Value::from(Map::from([("input", input)])),
            (None, value) => value.clone().unwrap_or_default(),
        };
        (binding.parameter.as_str(), value)
    });
    put_map(&mut map, "bindings", &bindings.collect());
    with_unknown(map, &tool.unknown)
}
