//! The functions of a prompt as tools, and the arguments that the host provides (Prompty §2.9.1).

use super::{Binding, Definition, Input, ToolDefinition, ToolKind, outputs};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::ToolSpec;
use prompty_core::value::internal::json::{JsonStyle, to_string};
use prompty_core::value::{Map, Value};

impl Definition {
    /// The tools of the prompt as requests take them, without the parameters of the host.
    ///
    /// ```
    /// # use prompty_check as typed_prompty;
    /// use typed_prompty::definition::Definition;
    ///
    /// let text = "---
    /// tools:
    ///   - name: find_orders
    ///     kind: function
    ///     parameters: [{name: text, kind: string, required: true}, {name: customer, kind: string}]
    ///     bindings: {customer: {input: customer}}
    /// ---
    /// user:
    /// Hello";
    /// let tools = Definition::from_text(text)?.function_tools()?;
    /// let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;
    /// assert_eq!(serde_json::to_string(&tools[0].parameters).unwrap(), schema);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if [`ToolDefinition::to_tool`] does so for any tool.
    pub fn function_tools(&self) -> Result<Vec<ToolSpec>, Error> {
        let tools: Result<_, _> = self.tools.iter().map(ToolDefinition::to_tool).collect();
        tools.map_err(|error| self.hidden.hide_error(error))
    }
}

impl ToolDefinition {
    /// The function as a tool of a request, without the parameters that the host provides.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Provider`] if the tool is not a function, and [`ErrorKind::Schema`] if
    /// no shape can represent the `jsonSchema` of a parameter.
    pub fn to_tool(&self) -> Result<ToolSpec, Error> {
        let ToolKind::Function { parameters, strict } = &self.kind else {
            return Err(self.not_a_function_error());
        };
        let free = parameters.iter().filter(|it| self.binding_of(&it.name).is_none());
        let shape = outputs::object(free)?;
        let mut schema = match shape.to_schema() {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        // Some providers reject an object without `properties`.
        if !schema.contains_key("properties") {
            schema.insert("properties", Map::new());
        }
        let mut tool = ToolSpec::new(self.name.as_str(), schema);
        tool.description.clone_from(&self.description);
        Ok(if *strict { tool.with_strict() } else { tool })
    }

    /// The arguments of a call, with the parameters that the host provides. They replace values of
    /// the model. If the input of such a parameter is not given, the parameter is removed. An empty
    /// text counts as `{}`.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::value; pub use prompty_check::definition; }
    /// use typed_prompty::value::Map;
    /// use typed_prompty::definition::Definition;
    ///
    /// let text = "---
    /// tools:
    ///   - name: find_orders
    ///     kind: function
    ///     parameters: [{name: text, kind: string}, {name: customer, kind: string}]
    ///     bindings: {customer: {input: user_id}}
    /// ---
    /// user:
    /// Hello";
    /// let definition = Definition::from_text(text)?;
    /// let inputs = Map::from([("user_id", 7)]);
    /// let arguments = definition.tools[0].bind(r#"{"text": "late", "customer": 1}"#, &inputs)?;
    /// assert_eq!(arguments, r#"{"text":"late","customer":7}"#);
    /// # Ok::<(), prompty_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Conversion`] if the arguments are not a JSON object, and
    /// [`ErrorKind::MissingInput`] if the input of a required parameter is not given.
    pub fn bind(&self, arguments: &str, inputs: &Map) -> Result<String, Error> {
        let mut arguments = match arguments.trim() {
            "" => Map::new(),
            json => self.parse_arguments(json)?,
        };
        for binding in &self.bindings {
            match self.bound_value(binding, inputs)? {
                Some(value) => arguments.insert(binding.parameter.as_str(), value.clone()),
                None => arguments.remove(&binding.parameter),
            };
        }
        let style = JsonStyle { exact_floats: true, ..JsonStyle::COMPACT };
        Ok(to_string(&Value::Object(arguments), style))
    }

    /// Parses the arguments of a call, which a model wrote.
    fn parse_arguments(&self, json: &str) -> Result<Map, Error> {
        let wrong = |why: &str| {
            let message = format!("the arguments of a call to `{}` are {why}", self.name);
            Error::new(ErrorKind::Conversion, message)
                .with_help("bind complete calls only, or answer the model with this message")
        };
        match Value::from_json(json) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(wrong("not a JSON object")),
            Err(error) => Err(wrong(&format!("not valid JSON: {error}"))),
        }
    }

    /// The host's value for a parameter; `None` if it is missing and may be missing.
    fn bound_value<'v>(
        &'v self,
        binding: &'v Binding,
        inputs: &'v Map,
    ) -> Result<Option<&'v Value>, Error> {
        let Some(input) = &binding.input else { return Ok(binding.value.as_ref()) };
        let value = inputs.get(input);
        if value.is_some() || self.may_be_missing(&binding.parameter) {
            return Ok(value);
        }
        let message = format!(
            "missing required input `{input}` for the parameter `{}` of the tool `{}`",
            binding.parameter, self.name
        );
        let help = format!("pass a value for `{input}`, or declare a default in the front matter");
        Err(Error::new(ErrorKind::MissingInput, message).with_help(help))
    }

    fn may_be_missing(&self, parameter: &str) -> bool {
        let ToolKind::Function { parameters, .. } = &self.kind else { return false };
        let declared: Option<&Input> = parameters.iter().find(|it| it.name == parameter);
        declared.is_some_and(|it| !it.required)
    }

    fn binding_of(&self, parameter: &str) -> Option<&Binding> {
        self.bindings.iter().find(|binding| binding.parameter == parameter)
    }

    fn not_a_function_error(&self) -> Error {
        let message = format!(
            "the tool `{}` is of the kind `{}`, not a function",
            self.name,
            self.kind.name()
        );
        Error::new(ErrorKind::Provider, message).with_help(
            "provide its operations as functions with `Tool::new(name, parameters)`, and convert the other \
             tools with `ToolDefinition::to_tool`",
        )
    }
}
