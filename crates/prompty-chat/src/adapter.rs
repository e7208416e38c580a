//! Adapts a request to a template: makes the template's variables. It is the stage after `request`.
//!
//! Messages change most. As in chat APIs, each result of a tool becomes a separate message
//! ([`FlatMessage`]). Then each message gets the role, the form of content, the place of reasoning,
//! and the ids that the template accepts.

use std::collections::HashMap;

use super::capabilities::{Capabilities, ProbedTemplate, text_part};
use super::request::{Continuation, Request};
use prompty_core::message::{
    ContentPart, FlatMessage, Message, ToolCall, ToolSpec, add_metadata, call_to_openai,
    flat_messages, tool_choice_to_openai, tools_to_openai,
};
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;

/// The length of the only ids that some templates accept, in bytes.
const SHORT_ID_LENGTH: usize = 9;

/// The variables for rendering a template for a request. The variables that the caller sets are
/// inserted last, so that they replace all others.
pub(super) fn adapt(template: ProbedTemplate<'_>, request: &Request<'_>) -> Map {
    let ProbedTemplate { engine, tokens, capabilities, .. } = template;
    let options = &request.options;
    let mut variables = tokens.variables();
    variables.insert("messages", adapt_messages(capabilities, &request.messages, None));
    let tools = request.offered_tools();
    for name in &capabilities.nullable_variables {
        variables.insert(name.as_str(), Value::Null);
    }
    if !tools.is_empty() {
        variables.insert("tools", adapt_tools(tools, capabilities));
    }
    if !options.documents.is_empty() {
        variables.insert("documents", options.documents.clone());
    }
    if engine.variables().iter().any(|name| name == "tool_choice") {
        variables.insert("tool_choice", tool_choice_to_openai(&options.tool_choice));
    }
    if let Some(thinking) = options.thinking {
        for switch in &capabilities.thinking_switches {
            let value = if thinking { switch.on.as_ref() } else { Some(&switch.off) };
            if let Some(value) = value {
                variables.insert(switch.variable.as_str(), value.clone());
            }
        }
    }
    let opens_turn = options.add_generation_prompt && options.continuation.is_none();
    variables.insert("add_generation_prompt", opens_turn);
    for name in &capabilities.required_variables {
        if !variables.contains_key(name) {
            variables.insert(name.as_str(), "");
        }
    }
    for (name, value) in options.variables.iter() {
        variables.insert(name, value.clone());
    }
    variables
}

/// The variable `messages`. If there is a `mark`, its string is appended to the last message's
/// content or reasoning, whichever its [`Continuation`] names. In the output, it shows where that
/// text ends.
pub(super) fn adapt_messages(
    capabilities: &Capabilities,
    messages: &[Message],
    mark: Option<(Continuation, &str)>,
) -> Value {
    Adapter { capabilities, mark }.adapt(messages)
}

#[derive(Debug, Clone, Copy)]
struct Adapter<'a> {
    capabilities: &'a Capabilities,
    /// The mark that is appended to the last message's content or reasoning.
    mark: Option<(Continuation, &'a str)>,
}

impl Adapter<'_> {
    fn adapt(self, messages: &[Message]) -> Value {
        let messages = flat_messages(messages);
        let mut ids = CallIds::assign(&messages, self.capabilities);
        let mut adapted: Vec<Map> = Vec::with_capacity(messages.len());
        // System text that the template cannot write. The next user message gets it.
        let mut pending = String::new();
        let last = messages.len().saturating_sub(1);
        for (index, message) in messages.iter().enumerate() {
            let role = match message.role {
                "developer" if !self.capabilities.developer_role => "system",
                role => role,
            };
            if role == "system" && !self.capabilities.system_role && message.is_text() {
                if !pending.is_empty() {
                    pending.push('\n');
                }
                pending.push_str(&join_texts(&message.content));
                continue;
            }
            let adapter = Self { mark: self.mark.filter(|_| index == last), ..self };
            let mut message = adapter.message(role, message, &mut ids);
            if !pending.is_empty() && role == "user" {
                prepend(&mut message, &std::mem::take(&mut pending));
            }
            adapted.push(message);
        }
        if !pending.is_empty() {
            // No user message follows, so this text becomes one.
            let content = self.capabilities.content_of(&pending);
            adapted.push(Map::from([("role", Value::from("user")), ("content", content)]));
        }
        adapted.into_iter().map(Value::Object).collect()
    }

    /// A message in the form that the template accepts.
    fn message(self, role: &str, message: &FlatMessage<'_>, ids: &mut CallIds) -> Map {
        let mut reasoning = message.reasoning.clone();
        if let Some((Continuation::Reasoning, mark)) = self.mark {
            reasoning.get_or_insert_default().push_str(mark);
        }
        let fields = &self.capabilities.reasoning_fields;
        // The form that the template writes; if it writes none, the usual fields are used.
        let part_form =
            if fields.is_empty() { self.capabilities.reasoning_part.as_ref() } else { None };
        let content = self.content(message, part_form.zip(reasoning.as_deref()));
        let mut map = Map::new();
        let field_reasoning = reasoning.filter(|_| part_form.is_none());
        // transformers sets `thinking` and `reasoning_content`, in this order, which shows if a
        // template prints the message.
        if let Some(reasoning) = &field_reasoning {
            map.insert("thinking", reasoning.as_str());
        }
        map.insert("role", role);
        map.insert("content", content);
        if let Some(reasoning) = field_reasoning {
            if let Some(field) = fields.first() {
                map.insert(field.as_str(), reasoning.as_str());
            }
            map.insert("reasoning_content", reasoning);
        }
        if !message.calls.is_empty() {
            let calls = message.calls.iter().map(|call| {
                let id = ids.next_call(&call.id);
                call_to_openai(&id, &call.name, self.arguments(&call.arguments))
            });
            let calls: Value = calls.collect();
            map.insert("tool_calls", calls);
        }
        if let Some(result) = message.result {
            let (id, name) = ids.next_result(&result.call_id);
            if !id.is_empty() {
                map.insert("tool_call_id", id);
            }
            let name = if result.name.is_empty() { name } else { result.name.clone() };
            if !name.is_empty() {
                map.insert("name", name);
            }
        }
        add_metadata(&mut map, message.metadata);
        map
    }

    /// The content in the form that the template accepts; it is never missing. If the template
    /// expects reasoning as a part, `reasoning` is the form and the text of that part.
    fn content(
        self,
        message: &FlatMessage<'_>,
        reasoning: Option<(&(String, String), &str)>,
    ) -> Value {
        let mark = match self.mark {
            Some((Continuation::Content, mark)) => mark,
            _ => "",
        };
        // Several texts stay separate if the template can join them.
        let is_one = message.content.len() <= 1 && self.capabilities.string_content;
        let is_text = message.is_text() && reasoning.is_none();
        if is_text && (is_one || !self.capabilities.parts_content) {
            return (join_texts(&message.content) + mark).into();
        }
        let mut parts = Vec::new();
        if let Some(((kind, key), reasoning)) = reasoning {
            let part = [("type", Value::from(kind.as_str())), (key, reasoning.into())];
            parts.push(Value::from(Map::from(part)));
        }
        parts.extend(message.content.iter().map(|part| part_for_template(part)));
        if !mark.is_empty() {
            let last = match parts.last_mut() {
                Some(Value::Object(part)) => part.get_mut("text"),
                _ => None,
            };
            match last {
                Some(text) => {
                    *text = format!("{}{mark}", text.as_str().unwrap_or_default()).into();
                }
                None => parts.push(text_part(mark)),
            }
        }
        parts.into()
    }

    /// The arguments of a call: an object, if they are one and the template accepts objects.
    fn arguments(self, arguments: &str) -> Value {
        if self.capabilities.object_arguments {
            if let Ok(value @ Value::Object(_)) = Value::from_json(arguments) {
                return value;
            }
            if arguments.trim().is_empty() {
                return Map::new().into();
            }
        }
        arguments.into()
    }
}

/// The texts of the parts, joined with newlines.
fn join_texts(parts: &[&ContentPart]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.as_text()).collect();
    texts.join("\n")
}

/// Inserts text before the content of a message.
fn prepend(message: &mut Map, text: &str) {
    let content = match message.get("content") {
        Some(Value::String(content)) => Value::from(format!("{text}\n{content}")),
        Some(Value::Array(parts)) => {
            std::iter::once(text_part(text)).chain(parts.iter().cloned()).collect()
        }
        _ => Value::from(text),
    };
    message.insert("content", content);
}

/// A part in the form of chat templates: `{type: "text", text}`, `{type: "image", …}` and so on.
fn part_for_template(part: &ContentPart) -> Value {
    let Some(media) = part.as_media() else {
        return text_part(part.as_text().unwrap_or_default());
    };
    let (kind, value) = (part.kind(), media.value.as_str());
    if value.is_empty() {
        return Map::from([("type", kind)]).into();
    }
    Map::from([("type", kind), ("url", value), (kind, value)]).into()
}

/// Tools in the form of chat APIs, with an empty description if the template requires one.
fn adapt_tools(tools: &[ToolSpec], capabilities: &Capabilities) -> Value {
    let describe = |entry: &mut Map| {
        if entry.get("description").is_none_or(Value::is_null) {
            entry.insert("description", "");
        }
    };
    let adapt = |tool: &Value| {
        let mut tool = tool.clone();
        if let Value::Object(tool) = &mut tool
            && let Some(Value::Object(function)) = tool.get_mut("function")
        {
            if capabilities.tool_descriptions_required {
                describe(function);
            }
            if capabilities.parameter_descriptions_required
                && let Some(Value::Object(parameters)) = function.get_mut("parameters")
                && let Some(Value::Object(properties)) = parameters.get_mut("properties")
            {
                for name in properties.clone().keys() {
                    if let Some(Value::Object(property)) = properties.get_mut(name) {
                        describe(property);
                    }
                }
            }
        }
        tool
    };
    tools_to_openai(tools).as_array().unwrap_or_default().iter().map(adapt).collect()
}

/// A mark that `text` does not contain: a stem, and one sign more than follows the stem anywhere.
pub(super) fn mark_absent_from(text: &str) -> String {
    const STEM: &str = "Zq\u{2042}mark";
    const SIGN: char = '\u{2042}';
    let rests = text.split(STEM).skip(1);
    add_steps(text.len());
    let longest = rests.map(|rest| rest.chars().take_while(|it| *it == SIGN).count()).max();
    let more = longest.map_or(0, |longest| longest + 1);
    format!("{STEM}{}", SIGN.to_string().repeat(more))
}

/// The ids of calls, in the form that the template accepts.
struct CallIds {
    calls: Vec<AssignedId>,
    /// The number of calls that have been adapted.
    adapted_calls: usize,
    /// The index of the last adapted call with each id.
    last_with_id: HashMap<String, usize>,
    /// The number of results that have been adapted.
    adapted_results: usize,
}

struct AssignedId {
    /// The id for the template.
    assigned: String,
    /// The name of the tool that is called.
    tool: String,
}

impl CallIds {
    /// Assigns an id to each call: its own, if the template accepts that.
    fn assign(messages: &[FlatMessage<'_>], capabilities: &Capabilities) -> Self {
        let calls = messages.iter().flat_map(|message| &message.calls);
        let assign = |(index, call): (usize, &&ToolCall)| {
            let is_short = call.id.len() == SHORT_ID_LENGTH
                && call.id.bytes().all(|it| it.is_ascii_alphanumeric());
            let is_accepted = match call.id.is_empty() {
                true => !capabilities.ids_required && !capabilities.short_ids,
                false => is_short || !capabilities.short_ids,
            };
            // The generated id has nine letters and digits, which every template accepts.
            let assigned = if is_accepted { call.id.clone() } else { format!("call{index:05}") };
            AssignedId { assigned, tool: call.name.clone() }
        };
        let calls = calls.enumerate().map(assign).collect();
        Self { calls, adapted_calls: 0, last_with_id: HashMap::new(), adapted_results: 0 }
    }

    /// The id of the next call.
    fn next_call(&mut self, id: &str) -> String {
        let assigned = self.calls.get(self.adapted_calls).map(|call| call.assigned.clone());
        self.last_with_id.insert(id.to_owned(), self.adapted_calls);
        self.adapted_calls += 1;
        assigned.unwrap_or_else(|| id.to_owned())
    }

    /// The id and the tool of the call that the next result answers: the last call with the
    /// result's id. A result without an id answers the calls in order.
    fn next_result(&mut self, id: &str) -> (String, String) {
        let index = match id.is_empty() {
            true => Some(self.adapted_results).filter(|index| *index < self.adapted_calls),
            false => self.last_with_id.get(id).copied(),
        };
        self.adapted_results += 1;
        add_steps(1);
        match index.and_then(|index| self.calls.get(index)) {
            Some(call) => (call.assigned.clone(), call.tool.clone()),
            None => (id.to_owned(), String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use work_counting::{assert_linear, count_work};

    use super::mark_absent_from;

    #[test]
    fn a_mark_is_found_in_work_that_grows_with_the_text() {
        let known = "Zq\u{2042}mark\u{2042} ".to_owned() + &mark_absent_from("").repeat(3);
        assert_linear("a mark", 500, |size| {
            let text = known.clone() + &"\u{2042}".repeat(size);
            let (mark, work) = count_work(|| mark_absent_from(&text));
            assert!(!text.contains(&mark));
            work
        });
    }
}
