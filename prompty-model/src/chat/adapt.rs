//! Messages in the form that a template takes.

use super::capabilities::Capabilities;
use super::messages::{FlatMessage, add_metadata, call_value, flat, part_to_template};
use super::prompt::Continuation;
use prompty_core::message::{ContentPart, Message};
use prompty_core::value::{Map, Value};

/// Makes the variable `messages`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Adapter<'a> {
    pub(super) can: &'a Capabilities,
    /// What is written behind the last message's content or reasoning, to find its end.
    pub(super) mark: Option<(Continuation, &'a str)>,
}

impl Adapter<'_> {
    pub(super) fn messages(self, messages: &[Message]) -> Value {
        let flat = flat(messages);
        let mut ids = Ids::of(&flat, self.can);
        let mut list: Vec<Map> = Vec::with_capacity(flat.len());
        // The text of system messages that the template cannot write, for the message behind.
        let mut held = String::new();
        let last = flat.len().saturating_sub(1);
        for (index, message) in flat.iter().enumerate() {
            let role = match message.role {
                "developer" if !self.can.developer_role => "system",
                role => role,
            };
            if role == "system" && !self.can.system_role && message.is_text() {
                if !held.is_empty() {
                    held.push('\n');
                }
                held.push_str(&joined(&message.content));
                continue;
            }
            let mark = self.mark.filter(|_| index == last);
            let mut adapted = self.message(role, message, &mut ids, mark);
            if !held.is_empty() && role == "user" {
                prepend(&mut adapted, &std::mem::take(&mut held));
            }
            list.push(adapted);
        }
        if !held.is_empty() {
            // There is nothing behind it, so it is what the user says.
            list.push(Map::from([("role", Value::from("user")), ("content", self.text(held))]));
        }
        list.into_iter().map(Value::Object).collect()
    }

    /// A text as content.
    fn text(self, text: String) -> Value {
        if self.can.string_content || !self.can.parts_content {
            return text.into();
        }
        let part = Map::from([("type", Value::from("text")), ("text", text.into())]);
        vec![Value::from(part)].into()
    }

    fn message(
        self,
        role: &str,
        message: &FlatMessage<'_>,
        ids: &mut Ids,
        mark: Option<(Continuation, &str)>,
    ) -> Map {
        let mut map = Map::from([("role", role)]);
        let mut reasoning = message.reasoning.clone();
        if let Some((Continuation::Reasoning, mark)) = mark {
            reasoning.get_or_insert_default().push_str(mark);
        }
        let fields = &self.can.reasoning_fields;
        // The form that the template writes; where it writes none, the common field.
        let as_part = if fields.is_empty() { self.can.reasoning_part.as_ref() } else { None };
        let content = self.content(message, as_part.zip(reasoning.as_deref()), mark);
        map.insert("content", content);
        if let Some(reasoning) = reasoning.filter(|_| as_part.is_none()) {
            let field = fields.first().map_or("reasoning_content", String::as_str);
            map.insert(field, reasoning);
        }
        if !message.calls.is_empty() {
            let calls = message.calls.iter().map(|call| {
                let id = ids.of_call(&call.id);
                call_value(&id, &call.name, self.arguments(&call.arguments))
            });
            let calls: Value = calls.collect();
            map.insert("tool_calls", calls);
        }
        if let Some(result) = message.result {
            let (id, name) = ids.of_result(&result.call_id);
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

    /// The content as the template takes it; never absent.
    fn content(
        self,
        message: &FlatMessage<'_>,
        in_parts: Option<(&(String, String), &str)>,
        mark: Option<(Continuation, &str)>,
    ) -> Value {
        let mark = match mark {
            Some((Continuation::Content, mark)) => mark,
            _ => "",
        };
        // Several texts stay apart where the template can put them together.
        let is_one = message.content.len() <= 1 && self.can.string_content;
        let is_text = message.is_text() && in_parts.is_none();
        if is_text && (is_one || !self.can.parts_content) {
            return (joined(&message.content) + mark).into();
        }
        let mut parts = Vec::new();
        if let Some(((kind, key), reasoning)) = in_parts {
            let part = [("type", Value::from(kind.as_str())), (key, reasoning.into())];
            parts.push(Value::from(Map::from(part)));
        }
        parts.extend(message.content.iter().map(|part| part_to_template(part)));
        if !mark.is_empty() {
            match parts.pop() {
                Some(Value::Object(mut part)) if part.contains_key("text") => {
                    let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
                    let text = format!("{text}{mark}");
                    part.insert("text", text);
                    parts.push(part.into());
                }
                other => {
                    parts.extend(other);
                    parts.push(Map::from([("type", "text"), ("text", mark)]).into());
                }
            }
        }
        parts.into()
    }

    /// The arguments of a call as a map, where the template takes that and they are one.
    fn arguments(self, arguments: &str) -> Value {
        if self.can.object_arguments {
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

/// The texts of some parts with a newline between them.
fn joined(parts: &[&ContentPart]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.as_text()).collect();
    texts.join("\n")
}

/// Puts a text before the content of a message.
fn prepend(message: &mut Map, text: &str) {
    let content = match message.get("content") {
        Some(Value::String(content)) => Value::from(format!("{text}\n{content}")),
        Some(Value::Array(parts)) => {
            let first = Map::from([("type", "text"), ("text", text)]);
            let parts = std::iter::once(Value::from(first)).chain(parts.iter().cloned());
            parts.collect()
        }
        _ => Value::from(text),
    };
    message.insert("content", content);
}

/// Tools with a description where the template wants one.
pub(super) fn described(tools: &Value, can: &Capabilities) -> Value {
    let with_description = |map: &Map| {
        let mut map = map.clone();
        if map.get("description").is_none_or(Value::is_null) {
            map.insert("description", "");
        }
        map
    };
    let of_property = |(name, property): (&str, &Value)| match property {
        Value::Object(property) => (name.to_owned(), Value::from(with_description(property))),
        other => (name.to_owned(), other.clone()),
    };
    let of_function = |function: &Map| {
        let mut function = match can.tool_descriptions_required {
            true => with_description(function),
            false => function.clone(),
        };
        let parameters = function.get("parameters").and_then(Value::as_object).cloned();
        if let Some(mut parameters) = parameters.filter(|_| can.parameter_descriptions_required) {
            if let Some(Value::Object(properties)) = parameters.get("properties") {
                let properties: Map = properties.iter().map(of_property).collect();
                parameters.insert("properties", properties);
            }
            function.insert("parameters", parameters);
        }
        function
    };
    let of_tool = |tool: &Value| {
        let Value::Object(tool) = tool else { return tool.clone() };
        let mut tool = tool.clone();
        if let Some(Value::Object(function)) = tool.get("function") {
            let function = of_function(function);
            tool.insert("function", function);
        }
        Value::from(tool)
    };
    tools.as_array().unwrap_or_default().iter().map(of_tool).collect()
}

/// A text that another does not hold.
pub(super) fn mark(text: &str) -> String {
    const STEM: &str = "Zq\u{2042}mark";
    let behind = text.split(STEM).skip(1);
    let longest = behind.map(|rest| rest.chars().take_while(|it| *it == '\u{2042}').count()).max();
    let more = longest.map_or(0, |longest| longest + 1);
    format!("{STEM}{}", "\u{2042}".repeat(more))
}

/// The ids of calls, as the template takes them.
struct Ids {
    /// What the messages call each, what the template is told, and the tool's name.
    known: Vec<(String, String, String)>,
    /// How many calls have been asked for.
    calls: usize,
    /// How many results have been asked for.
    results: usize,
}

impl Ids {
    fn of(messages: &[FlatMessage<'_>], can: &Capabilities) -> Self {
        let mut known = Vec::new();
        for call in messages.iter().flat_map(|message| &message.calls) {
            let is_short =
                call.id.len() == 9 && call.id.bytes().all(|it| it.is_ascii_alphanumeric());
            let id = match call.id.is_empty() {
                true if can.ids_required || can.short_ids => made_up(known.len()),
                false if can.short_ids && !is_short => made_up(known.len()),
                _ => call.id.clone(),
            };
            known.push((call.id.clone(), id, call.name.clone()));
        }
        Self { known, calls: 0, results: 0 }
    }

    fn of_call(&mut self, id: &str) -> String {
        let told = self.known.get(self.calls).map(|(_, told, _)| told.clone());
        self.calls += 1;
        told.unwrap_or_else(|| id.to_owned())
    }

    /// The id and the name of the call that a result answers: the last one with that id, or else the
    /// next in order.
    fn of_result(&mut self, id: &str) -> (String, String) {
        let before = self.known.get(..self.calls).unwrap_or_default();
        let found = match id.is_empty() {
            true => before.get(self.results),
            false => before.iter().rev().find(|(known, _, _)| known == id),
        };
        self.results += 1;
        match found {
            Some((_, told, name)) => (told.clone(), name.clone()),
            None => (id.to_owned(), String::new()),
        }
    }
}

/// An id of nine letters and digits, which every template takes.
fn made_up(index: usize) -> String {
    format!("call{index:05}")
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn a_mark_is_found_in_time_whatever_a_text_holds() {
        let text =
            "Zq\u{2042}mark\u{2042} ".to_owned() + &mark("").repeat(3) + &"\u{2042}".repeat(50_000);
        let start = std::time::Instant::now();
        assert!(!text.contains(&mark(&text)));
        assert!(start.elapsed().as_secs() < 1, "{:?}", start.elapsed());
    }
}
