//! A format as a classification and a list of markers, for people and for other tools.

use serde::{Deserialize, Serialize};

use super::{
    Arguments, CallShape, ContentMode, JsonCall, NamePlace, NamedCall, ReplyFormat, Suffix, Tools,
};

/// How a template handles reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ReasoningMode {
    /// Not at all.
    #[default]
    None,
    /// Between an opening and a closing tag.
    TagBased,
    /// From the reply's start up to a delimiter.
    Delimiter,
    /// The prompt ends with the opening tag.
    ForcedOpen,
    /// The prompt ends with the opening tag, or with both where thinking is switched off.
    ForcedClosed,
    /// Only in replies that call tools.
    ToolsOnly,
}

/// How calls are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ToolFormat {
    /// Not at all.
    #[default]
    None,
    /// The whole call is JSON.
    JsonNative,
    /// The name in markup, the arguments as JSON.
    TagWithJson,
    /// The name and each argument in markup.
    TagWithTagged,
}

/// Where a call's id stands, where the call is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum CallIdPosition {
    /// There is none.
    #[default]
    None,
    /// In front of the name.
    PreFuncName,
    /// Between the name and the arguments.
    BetweenFuncAndArgs,
    /// Behind the arguments.
    PostArgs,
}

/// What an analysis found, as a classification and markers: a view of a [`ReplyFormat`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AnalysisResult {
    /// How reasoning is handled.
    pub reasoning: ReasoningMode,
    /// How content is wrapped.
    pub content: ContentMode,
    /// How calls are written.
    pub tools: ToolFormat,
    /// The markers.
    pub markers: MarkerRegistry,
    /// Whether the name is the key of the arguments: `{"get_weather": {…}}`.
    pub fun_name_is_key: bool,
    /// The key of the object that holds name and arguments, where there is one.
    pub function_field: String,
    /// The key of the name.
    pub name_field: String,
    /// The key of the arguments.
    pub args_field: String,
    /// The key of the id.
    pub id_field: String,
    /// The key of an id that the template counts itself.
    pub gen_id_field: String,
    /// The keys in the order in which they are written.
    pub parameter_order: Vec<String>,
    /// Where the id stands, where the call is not JSON.
    pub call_id_pos: CallIdPosition,
    /// Whether calls are written at all.
    pub supports_tools: bool,
    /// Whether a reply may hold more than one.
    pub supports_parallel_calls: bool,
    /// Whether content must be given, even if it is empty.
    pub requires_nonnull_content: bool,
    /// Whether calls stand in a JSON list.
    pub tools_array_wrapped: bool,
    /// All markers: tokens that must not be dropped when a reply is made text.
    pub preserved_tokens: Vec<String>,
}

/// The markers of a format; each empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MarkerRegistry {
    /// What opens reasoning.
    pub reasoning_start: String,
    /// What closes it.
    pub reasoning_end: String,
    /// What opens content.
    pub content_start: String,
    /// What closes it.
    pub content_end: String,
    /// What opens all calls together.
    pub tool_section_start: String,
    /// What closes them.
    pub tool_section_end: String,
    /// What opens each call.
    pub per_call_start: String,
    /// What closes it.
    pub per_call_end: String,
    /// What stands between two calls.
    pub call_separator: String,
    /// What stands in front of the name.
    pub func_name_prefix: String,
    /// What stands behind it.
    pub func_name_suffix: String,
    /// What stands behind the arguments.
    pub func_close: String,
    /// What opens the arguments.
    pub args_start: String,
    /// What closes them.
    pub args_end: String,
    /// What stands in front of an argument's name.
    pub arg_name_prefix: String,
    /// What stands behind it.
    pub arg_name_suffix: String,
    /// What stands in front of an argument's value.
    pub arg_value_prefix: String,
    /// What stands behind it.
    pub arg_value_suffix: String,
    /// What stands between two arguments.
    pub arg_separator: String,
    /// What stands in front of a call's id.
    pub call_id_prefix: String,
    /// What stands behind it.
    pub call_id_suffix: String,
    /// What stands in front of a fenced block of calls.
    pub code_block_marker: String,
    /// The language that the fence names.
    pub code_block_language: String,
    /// What the name begins with that is not the tool's.
    pub function_namespace: String,
}

impl AnalysisResult {
    /// The view of a format.
    ///
    /// ```
    /// use prompty_model::reply::format::view::{AnalysisResult, ReasoningMode};
    /// use prompty_model::reply::format::{Reasoning, ReplyFormat};
    ///
    /// let mut format = ReplyFormat::plain();
    /// format.reasoning = Some(Reasoning::tags("<think>\n", "\n</think>"));
    /// let result = AnalysisResult::from_format(&format);
    /// assert_eq!(result.reasoning, ReasoningMode::TagBased);
    /// assert_eq!(result.markers.reasoning_end, "\n</think>");
    /// assert_eq!(result.preserved_tokens, ["<think>", "</think>"]);
    /// ```
    pub fn from_format(format: &ReplyFormat) -> Self {
        let mut result = Self {
            content: format.content.mode,
            requires_nonnull_content: format.content.requires_nonnull,
            ..Self::default()
        };
        if let Some(reasoning) = &format.reasoning {
            result.reasoning = match reasoning.mode {
                super::ReasoningMode::TagBased => ReasoningMode::TagBased,
                super::ReasoningMode::Delimiter => ReasoningMode::Delimiter,
                super::ReasoningMode::ForcedOpen => ReasoningMode::ForcedOpen,
                super::ReasoningMode::ForcedClosed => ReasoningMode::ForcedClosed,
                super::ReasoningMode::ToolsOnly => ReasoningMode::ToolsOnly,
            };
            result.markers.reasoning_start = reasoning.open.to_string();
            result.markers.reasoning_end = reasoning.close.to_string();
        }
        result.markers.content_start = format.content.open.to_string();
        result.markers.content_end = format.content.close.to_string();
        if let Some(tools) = &format.tools {
            result.with_tools(tools, format);
        }
        result.preserved_tokens = result.markers.tokens();
        result
    }

    fn with_tools(&mut self, tools: &Tools, format: &ReplyFormat) {
        self.supports_tools = true;
        self.supports_parallel_calls = tools.parallel;
        let markers = &mut self.markers;
        markers.tool_section_start = tools.section_open.to_string();
        markers.tool_section_end = tools.section_close.to_string();
        markers.per_call_start = tools.call_open.to_string();
        markers.per_call_end = tools.call_close.to_string();
        markers.call_separator = tools.separator.to_string();
        markers.with_fence(&tools.section_open.text);
        markers.with_fence(&tools.call_open.text);
        match &tools.shape {
            CallShape::Json(call) => self.with_json(call, tools.array),
            CallShape::Named(call) => self.with_named(call, format),
        }
    }

    fn with_json(&mut self, call: &JsonCall, array: bool) {
        self.tools = ToolFormat::JsonNative;
        self.tools_array_wrapped = array;
        self.fun_name_is_key = call.name_is_key;
        self.function_field = call.function_field.to_string();
        self.name_field = call.name_field.to_string();
        self.args_field = call.args_field.to_string();
        self.id_field = call.id_field.to_string();
        self.gen_id_field = call.gen_id_field.to_string();
        self.parameter_order = call.order.iter().map(ToString::to_string).collect();
    }

    fn with_named(&mut self, call: &NamedCall, format: &ReplyFormat) {
        let markers = &mut self.markers;
        markers.func_name_prefix = call.prefix.to_string();
        markers.func_name_suffix = suffix_text(&call.suffix);
        markers.func_close = call.close.to_string();
        markers.function_namespace = call.namespace.to_string();
        markers.with_fence(&call.suffix.text.text);
        if let (NamePlace::Header, Some(headers)) = (call.name, &format.headers) {
            markers.func_name_prefix = headers.recipient.to_string();
            markers.func_name_suffix += &headers.end.to_string();
            markers.function_namespace = headers.namespace.to_string();
        }
        if let Some(id) = &call.id {
            self.call_id_pos = match id.position {
                super::CallIdPosition::PreFuncName => CallIdPosition::PreFuncName,
                super::CallIdPosition::BetweenFuncAndArgs => CallIdPosition::BetweenFuncAndArgs,
                super::CallIdPosition::PostArgs => CallIdPosition::PostArgs,
            };
            markers.call_id_prefix = id.prefix.to_string();
            markers.call_id_suffix = id.suffix.to_string();
        }
        self.tools = ToolFormat::TagWithTagged;
        match &call.arguments {
            Arguments::Json => {
                self.tools = ToolFormat::TagWithJson;
                markers.args_start = "{".to_owned();
                markers.args_end = "}".to_owned();
            }
            Arguments::Tagged { key_open, key_close, value_close, separator, .. } => {
                markers.arg_name_prefix = key_open.to_string();
                (markers.arg_name_suffix, markers.arg_value_prefix) =
                    split_suffix(&suffix_text(key_close));
                markers.arg_value_suffix = value_close.to_string();
                markers.arg_separator = separator.to_string();
            }
            Arguments::Nested { open_prefix, open_suffix, close_prefix, .. } => {
                markers.arg_name_prefix = open_prefix.to_string();
                markers.arg_name_suffix = open_suffix.to_string();
                markers.arg_value_suffix = close_prefix.to_string();
            }
            Arguments::Literal { open, assign, separator, quote, close } => {
                markers.args_start = open.to_string();
                markers.args_end = close.to_string();
                markers.arg_name_suffix = assign.to_string();
                markers.arg_separator = separator.to_string();
                markers.arg_value_prefix = quote.to_string();
                markers.arg_value_suffix = quote.to_string();
            }
        }
    }
}

impl MarkerRegistry {
    /// A fence in a marker, with what stands in front of it and the language that it names.
    fn with_fence(&mut self, marker: &str) {
        if let Some((front, language)) = marker.split_once("```") {
            self.code_block_marker = front.trim().to_owned();
            self.code_block_language = language.trim().to_owned();
        }
    }

    /// All markers that are not empty, without the white space around them.
    fn tokens(&self) -> Vec<String> {
        let markers = [
            &self.reasoning_start,
            &self.reasoning_end,
            &self.content_start,
            &self.content_end,
            &self.tool_section_start,
            &self.tool_section_end,
            &self.per_call_start,
            &self.per_call_end,
            &self.func_name_prefix,
            &self.function_namespace,
            &self.func_name_suffix,
            &self.func_close,
            &self.arg_name_prefix,
            &self.arg_name_suffix,
            &self.arg_value_prefix,
            &self.arg_value_suffix,
            &self.arg_separator,
            &self.call_id_prefix,
            &self.call_id_suffix,
        ];
        let mut tokens: Vec<String> = Vec::new();
        for marker in markers.map(|it| it.trim()) {
            if !marker.is_empty() && !tokens.iter().any(|it| it == marker) {
                tokens.push(marker.to_owned());
            }
        }
        tokens
    }
}

/// A suffix as the template writes it in front of a text.
fn suffix_text(suffix: &Suffix) -> String {
    let mut text = suffix.text.to_string();
    if let Some(hint) = &suffix.hint {
        text += hint.string.first().map_or("", |it| it);
        text += &hint.end.to_string();
    }
    text
}

/// What closes a name and what opens its value, where the text is more than one marker.
fn split_suffix(text: &str) -> (String, String) {
    let last = text.rfind('<').filter(|at| *at > 0 && text.trim_end().ends_with('>'));
    let (name, value) = last.and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
    (name.to_owned(), value.to_owned())
}
