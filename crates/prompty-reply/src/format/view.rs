//! A format as a classification and a list of markers, for people and for other tools.

use serde::{Deserialize, Serialize};

use super::{Arguments, CallShape, ContentMode, JsonCall, NamedCall, ReplyFormat, Tools};
use crate::layout::{Literal, Mark, Part, Role, Slot};
use prompty_core::value::{Map, Value};

/// Markers that are no tokens: they are punctuation, or parts of other markers.
const NO_TOKENS: [&str; 5] =
    ["call_separator", "args_start", "args_end", "code_block_marker", "code_block_language"];

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
    /// # mod typed_prompty { pub use prompty_reply as reply; }
    /// use typed_prompty::reply::format::view::{AnalysisResult, ReasoningMode};
    /// use typed_prompty::reply::format::{Reasoning, ReplyFormat};
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
        }
        if let Some(tools) = &format.tools {
            result.with_tools(tools);
        }
        result.markers = MarkerRegistry::of_layout(&Part::of_format(format));
        result.preserved_tokens = result.markers.tokens();
        result
    }

    fn with_tools(&mut self, tools: &Tools) {
        self.supports_tools = true;
        self.supports_parallel_calls = tools.parallel;
        match &tools.shape {
            CallShape::Json(call) => self.with_json(call, tools.array),
            CallShape::Named(call) => self.with_named(call),
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

    fn with_named(&mut self, call: &NamedCall) {
        self.tools = match call.arguments {
            Arguments::Json => ToolFormat::TagWithJson,
            _ => ToolFormat::TagWithTagged,
        };
        self.call_id_pos = match call.id.as_ref().map(|id| id.position) {
            None => CallIdPosition::None,
            Some(super::CallIdPosition::PreFuncName) => CallIdPosition::PreFuncName,
            Some(super::CallIdPosition::BetweenFuncAndArgs) => CallIdPosition::BetweenFuncAndArgs,
            Some(super::CallIdPosition::PostArgs) => CallIdPosition::PostArgs,
        };
    }
}

impl MarkerRegistry {
    fn of_layout(layout: &Part) -> Self {
        let mut registry = Self::default();
        if let Some(around) = layout.around(&Slot::Reasoning) {
            registry.reasoning_start = around.at_start();
            registry.reasoning_end = around.close.to_string();
        }
        if let Some(around) = layout.around(&Slot::Content) {
            registry.content_start = around.at_start();
            registry.content_end = around.close.to_string();
        }
        let parts = layout.parts();
        // The mark of the last literal: a word that varies is shown as part of it.
        let mut last = Mark::TurnEnd;
        for part in &parts {
            match part {
                Part::Literal(Literal { mark: Mark::WordEnd, marker, .. }) => {
                    registry.add(last, &marker.to_string());
                }
                Part::Literal(Literal { mark, marker, .. })
                | Part::Repeat { separator: Literal { mark, marker, .. }, .. } => {
                    registry.add(*mark, &marker.to_string());
                    if mark.role() != Role::Closes {
                        registry.with_fence(&marker.text);
                    }
                    last = *mark;
                }
                Part::Slot(slot) => registry.with_slot(slot, last),
                _ => {}
            }
        }
        let is_name =
            |part: &&Part| matches!(part, Part::Slot(Slot::Name { .. } | Slot::Object(_)));
        let header = layout.header().filter(|_| !parts.iter().any(is_name));
        if let (Some(header), Some(end)) = (header, layout.marked(Mark::HeaderEnd).next()) {
            registry.func_name_prefix = header.recipient.to_string();
            registry.func_name_suffix = format!("{}{end}", header.suffix);
            registry.function_namespace = header.namespace.to_string();
        }
        registry.split_suffix();
        registry
    }

    fn with_slot(&mut self, slot: &Slot, last: Mark) {
        match slot {
            Slot::Name { namespace } => self.function_namespace = namespace.to_string(),
            Slot::Word { of_texts } => self.add(last, of_texts.first().map_or("", |it| it)),
            Slot::Json => (self.args_start, self.args_end) = ("{".to_owned(), "}".to_owned()),
            Slot::Tags { close_prefix, .. } => self.arg_value_suffix = close_prefix.to_string(),
            Slot::Assignments { assign, separator, quote, close } => {
                self.args_end = close.to_string();
                self.arg_name_suffix = assign.to_string();
                self.arg_separator = separator.to_string();
                self.arg_value_prefix = quote.to_string();
                self.arg_value_suffix = quote.to_string();
            }
            _ => {}
        }
    }

    /// Adds to the marker that a literal is.
    fn add(&mut self, mark: Mark, text: &str) {
        let marker = match mark {
            Mark::SectionOpen => &mut self.tool_section_start,
            Mark::SectionClose => &mut self.tool_section_end,
            Mark::CallOpen => &mut self.per_call_start,
            Mark::CallClose => &mut self.per_call_end,
            Mark::CallSeparator | Mark::ListSeparator => &mut self.call_separator,
            Mark::NamePrefix => &mut self.func_name_prefix,
            Mark::NameSuffix => &mut self.func_name_suffix,
            Mark::NamedClose => &mut self.func_close,
            Mark::ArgumentsOpen => &mut self.args_start,
            Mark::KeyOpen => &mut self.arg_name_prefix,
            Mark::KeyClose => &mut self.arg_name_suffix,
            Mark::ValueClose => &mut self.arg_value_suffix,
            Mark::ArgumentSeparator => &mut self.arg_separator,
            Mark::IdPrefix => &mut self.call_id_prefix,
            Mark::IdSuffix => &mut self.call_id_suffix,
            _ => return,
        };
        marker.push_str(text);
    }

    /// Tells what closes a key from what opens its value, where they are more than one marker.
    fn split_suffix(&mut self) {
        let text = &self.arg_name_suffix;
        let last = text.rfind('<').filter(|at| *at > 0 && text.trim_end().ends_with('>'));
        if let Some(last) = last {
            self.arg_value_prefix = self.arg_name_suffix.split_off(last);
        }
    }

    /// A fence in a marker, with what stands in front of it and the language that it names.
    fn with_fence(&mut self, marker: &str) {
        if let Some((front, language)) = marker.split_once("```") {
            self.code_block_marker = front.trim().to_owned();
            self.code_block_language = language.trim().to_owned();
        }
    }

    /// All markers that are not empty, without the white space around them.
    fn tokens(&self) -> Vec<String> {
        // Texts: nothing that a value does not have.
        let markers = Value::from_serialize(self).unwrap_or_default();
        let markers = markers.as_object().into_iter().flat_map(Map::iter);
        let mut tokens: Vec<String> = Vec::new();
        for (_, marker) in markers.filter(|(name, _)| !NO_TOKENS.contains(name)) {
            let marker = marker.as_str().unwrap_or_default().trim();
            if !marker.is_empty() && !tokens.iter().any(|it| it == marker) {
                tokens.push(marker.to_owned());
            }
        }
        tokens
    }
}
