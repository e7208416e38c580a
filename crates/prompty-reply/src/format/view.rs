//! A format as a classification and a list of markers, for people and for other tools.

use serde::{Deserialize, Serialize};

use super::{Arguments, CallShape, ContentMode, JsonCall, NamedCall, ReplyFormat, Tools};
use crate::layout::{LayoutPart, Literal, LiteralRole, Mark, Slot};
use prompty_core::value::{Map, Value};

/// The fields of [`MarkerRegistry`] that are not tokens: punctuation, or parts of other markers.
const NO_TOKENS: [&str; 5] =
    ["call_separator", "args_start", "args_end", "code_block_marker", "code_block_language"];

/// How a template handles reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ReasoningMode {
    /// The template has no reasoning.
    #[default]
    None,
    /// The model writes an opening and a closing tag.
    TagBased,
    /// Reasoning extends from the start of the reply to a delimiter.
    Delimiter,
    /// The prompt ends with the opening tag.
    ForcedOpen,
    /// The prompt ends with the opening tag, or with both tags if thinking is disabled.
    ForcedClosed,
    /// Only replies that call tools have reasoning.
    ToolsOnly,
}

/// The notation of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ToolFormat {
    /// The format has no calls.
    #[default]
    None,
    /// The complete call is JSON.
    JsonNative,
    /// The name is in markup, and the arguments are JSON.
    TagWithJson,
    /// The name and each argument are in markup.
    TagWithTagged,
}

/// The position of a call's id, if the call is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum CallIdPosition {
    /// The call has no id.
    #[default]
    None,
    /// Before the name.
    PreFuncName,
    /// Between the name and the arguments.
    BetweenFuncAndArgs,
    /// After the arguments.
    PostArgs,
}

/// The result of an analysis, as a classification and markers. It is a view of a [`ReplyFormat`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AnalysisResult {
    /// How reasoning is handled.
    pub reasoning: ReasoningMode,
    /// How content is wrapped.
    pub content: ContentMode,
    /// The notation of calls.
    pub tools: ToolFormat,
    /// The markers.
    pub markers: MarkerRegistry,
    /// Whether the name is the key of the arguments: `{"get_weather": {…}}`.
    pub fun_name_is_key: bool,
    /// The key of the object that contains name and arguments, if there is one.
    pub function_field: String,
    /// The key of the name.
    pub name_field: String,
    /// The key of the arguments.
    pub args_field: String,
    /// The key of the id.
    pub id_field: String,
    /// The key of an id that the template generates by counting.
    pub gen_id_field: String,
    /// The keys in the order in which they are written.
    pub parameter_order: Vec<String>,
    /// The position of the id, if the call is not JSON.
    pub call_id_pos: CallIdPosition,
    /// Whether the format has calls.
    pub supports_tools: bool,
    /// Whether a reply may contain more than one call.
    pub supports_parallel_calls: bool,
    /// Whether content is required, even if it is empty.
    pub requires_nonnull_content: bool,
    /// Whether calls are in a JSON list.
    pub tools_array_wrapped: bool,
    /// All markers. As tokens, they must not be dropped when a reply is converted to text.
    pub preserved_tokens: Vec<String>,
}

/// The markers of a format. A marker is empty if the format does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MarkerRegistry {
    /// The opener of reasoning.
    pub reasoning_start: String,
    /// The closer of reasoning.
    pub reasoning_end: String,
    /// The opener of content.
    pub content_start: String,
    /// The closer of content.
    pub content_end: String,
    /// The opener of all calls together.
    pub tool_section_start: String,
    /// The closer of all calls together.
    pub tool_section_end: String,
    /// The opener of each call.
    pub per_call_start: String,
    /// The closer of each call.
    pub per_call_end: String,
    /// The separator of two calls.
    pub call_separator: String,
    /// The text before the name.
    pub func_name_prefix: String,
    /// The text after the name.
    pub func_name_suffix: String,
    /// The text after the arguments.
    pub func_close: String,
    /// The opener of the arguments.
    pub args_start: String,
    /// The closer of the arguments.
    pub args_end: String,
    /// The text before an argument's name.
    pub arg_name_prefix: String,
    /// The text after an argument's name.
    pub arg_name_suffix: String,
    /// The text before an argument's value.
    pub arg_value_prefix: String,
    /// The text after an argument's value.
    pub arg_value_suffix: String,
    /// The separator of two arguments.
    pub arg_separator: String,
    /// The text before a call's id.
    pub call_id_prefix: String,
    /// The text after a call's id.
    pub call_id_suffix: String,
    /// The text before a fenced block of calls.
    pub code_block_marker: String,
    /// The language that the fence names.
    pub code_block_language: String,
    /// The prefix of a name that is not part of the tool's name.
    pub function_namespace: String,
}

impl AnalysisResult {
    /// Creates the view of a format.
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
            result.add_tools(tools);
        }
        result.markers = MarkerRegistry::of_layout(&LayoutPart::of_format(format));
        result.preserved_tokens = result.markers.tokens();
        result
    }

    fn add_tools(&mut self, tools: &Tools) {
        self.supports_tools = true;
        self.supports_parallel_calls = tools.parallel;
        match &tools.shape {
            CallShape::Json(call) => self.add_json(call, tools.array),
            CallShape::Named(call) => self.add_named(call),
        }
    }

    fn add_json(&mut self, call: &JsonCall, array: bool) {
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

    fn add_named(&mut self, call: &NamedCall) {
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
    /// Collects the markers of a layout. Several literals of one kind, and the words between them,
    /// are joined: `" type="`, `string` and `>` become one suffix.
    fn of_layout(layout: &LayoutPart) -> Self {
        let mut registry = Self::default();
        if let Some(markers) = layout.markers_around(&Slot::Reasoning) {
            registry.reasoning_start = markers.text_before_at_start();
            registry.reasoning_end = markers.close.to_string();
        }
        if let Some(markers) = layout.markers_around(&Slot::Content) {
            registry.content_start = markers.text_before_at_start();
            registry.content_end = markers.close.to_string();
        }
        let parts = layout.parts();
        // The kind of the last literal. A varying word is appended to its marker.
        let mut last = Mark::TurnEnd;
        for part in &parts {
            match part {
                LayoutPart::Literal(Literal { mark: Mark::WordEnd, marker, .. }) => {
                    registry.append(last, &marker.to_string());
                }
                LayoutPart::Literal(Literal { mark, marker, .. })
                | LayoutPart::Repeat { separator: Literal { mark, marker, .. }, .. } => {
                    registry.append(*mark, &marker.to_string());
                    // The fence that closes a block names no language.
                    if mark.role() != LiteralRole::Closes {
                        registry.set_fence(&marker.text);
                    }
                    last = *mark;
                }
                LayoutPart::Slot(slot) => registry.add_slot(slot, last),
                _ => {}
            }
        }
        // If only the header of a message has the name, its texts are the markers of the name.
        let is_name = |part: &&LayoutPart| {
            matches!(part, LayoutPart::Slot(Slot::Name { .. } | Slot::Object(_)))
        };
        let header = layout.header().filter(|_| !parts.iter().any(is_name));
        if let (Some(header), Some(end)) = (header, layout.marked(Mark::HeaderEnd).next()) {
            registry.func_name_prefix = header.recipient.to_string();
            registry.func_name_suffix = format!("{}{end}", header.suffix);
            registry.function_namespace = header.namespace.to_string();
        }
        registry.split_suffix();
        registry
    }

    /// Adds what the slot itself says. `last` is the kind of the literal before it.
    fn add_slot(&mut self, slot: &Slot, last: Mark) {
        match slot {
            Slot::Name { namespace } => self.function_namespace = namespace.to_string(),
            Slot::Word { of_texts } => self.append(last, of_texts.first().map_or("", |it| it)),
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

    /// Appends text to the marker of this kind.
    fn append(&mut self, mark: Mark, text: &str) {
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

    /// Separates the closer of a key from the opener of its value, if they are several markers:
    /// `</key><value>` becomes `</key>` and `<value>`.
    fn split_suffix(&mut self) {
        let text = &self.arg_name_suffix;
        let last = text.rfind('<').filter(|at| *at > 0 && text.trim_end().ends_with('>'));
        if let Some(last) = last {
            self.arg_value_prefix = self.arg_name_suffix.split_off(last);
        }
    }

    /// If a marker contains a fence, as in "Call:" before "```json", stores the text before the
    /// fence and the language.
    fn set_fence(&mut self, marker: &str) {
        if let Some((front, language)) = marker.split_once("```") {
            self.code_block_marker = front.trim().to_owned();
            self.code_block_language = language.trim().to_owned();
        }
    }

    /// All markers that are not empty, without the white space around them.
    fn tokens(&self) -> Vec<String> {
        // The markers are strings, so the conversion cannot fail.
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
