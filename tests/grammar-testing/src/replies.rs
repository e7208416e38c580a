//! Draws replies from the layout of a format: each required literal, optional literals at random,
//! and invented data in the slots. Each reply comes with its expected result.
//!
//! Some replies are not drawn, because a layout cannot guarantee how they are read:
//! - An opener is only missing if the next literal shows that a call begins.
//! - Content before calls without an opener is not drawn: it could end like the start of a call.
//! - Of the closers of a call with arguments in tags, one always remains. Only it shows the end of
//!   the arguments.
//! - White space after the end of the turn is not drawn, because that token stops the model.

use serde_json::{Map, Value, json};

use crate::Dice;

/// The expected content of a drawn reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExpectedReply {
    /// The reasoning.
    pub reasoning: String,
    /// The content.
    pub content: String,
    /// The name and the arguments of each call.
    pub calls: Vec<(String, Value)>,
    /// The ids of the calls, if the layout has a slot for them.
    pub ids: Vec<String>,
}

/// A drawn reply.
#[derive(Debug, Clone, Default)]
pub struct DrawnReply {
    /// Its text.
    pub text: String,
    /// Its expected content.
    pub expected: ExpectedReply,
    /// The ends of its literals, with their marks.
    pub ends: Vec<(usize, String)>,
}

/// How closely a reply follows the markup of the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkupStyle {
    /// The complete markup, as the template writes it.
    Canonical,
    /// Optional markup and white space are left out at random.
    Loose,
}

/// Words of texts. None is read as a value of another type.
const WORDS: [&str; 12] = [
    "rain",
    "in Köln",
    "a < b",
    "日本",
    "it's",
    "say \"so\"",
    "x, y",
    "{z}",
    "done.",
    "two\nlines",
    "<b>bold</b>",
    "}])",
];

/// Draws a reply from a layout in JSON, with a number of calls of the tools, which have the form of
/// the API.
pub fn draw_reply(
    layout: &Value,
    tools: &Value,
    calls: usize,
    style: MarkupStyle,
    dice: &mut Dice,
) -> DrawnReply {
    let kinds = repeated(layout).unwrap().clone();
    let mut writer = ReplyWriter {
        kinds,
        dice,
        style,
        kept_closer: None,
        is_content_last: false,
        reply: DrawnReply::default(),
        call: DrawnCall::default(),
    };
    if draw_one_of(writer.dice, 2) {
        writer.reply.expected.reasoning = writer.words();
    }
    if draw_one_of(writer.dice, 2) || calls == 0 {
        writer.reply.expected.content = writer.words();
    }
    for _ in 0..calls {
        let tool = &tools[writer.dice.below(tools.as_array().unwrap().len())]["function"];
        let call = (tool["name"].as_str().unwrap().to_owned(), writer.arguments(tool));
        writer.reply.expected.calls.push(call);
    }
    let opens = |mark: &str| matches!(mark, "SectionOpen" | "CallOpen" | "NamePrefix");
    let marks = literals(layout).into_iter().filter(|it| !text(&it["marker"]).trim().is_empty());
    let marks: Vec<String> = marks.map(|it| text(&it["mark"]).to_owned()).collect();
    let is_bare = !marks.iter().any(|mark| opens(mark)) && header_of(layout).is_none();
    if is_bare && calls > 0 {
        writer.reply.expected.content.clear();
    }
    let closers: Vec<String> = marks.into_iter().filter(|mark| is_closer(mark)).collect();
    if find_unit(layout, "Argument").is_some() {
        writer.kept_closer = closers.get(writer.dice.below(closers.len())).cloned();
    }
    if writer.omits_optional() && calls > 0 && !closers.is_empty() {
        (writer.is_content_last, writer.kept_closer) = (true, closers.last().cloned());
    }
    if find_slot(layout, "Reasoning").is_none() {
        writer.reply.expected.reasoning.clear();
    }
    match find_slot(layout, "Header").cloned() {
        Some(header) => writer.messages(&header),
        None => writer.parts(),
    }
    // If replies are messages, the last one needs no closer.
    let end = layout["Row"][1]["Choice"].get(0).filter(|_| header_of(layout).is_none());
    if let Some(end) = end {
        writer.part(end);
        let canonical = text(&end["Literal"]["marker"]);
        let white_space = canonical.strip_prefix(canonical.trim_end()).unwrap_or_default();
        let trimmed = writer.reply.text.strip_suffix(white_space).map(str::to_owned);
        writer.reply.text = trimmed.unwrap_or(writer.reply.text);
    }
    writer.reply
}

fn header_of(layout: &Value) -> Option<&Value> {
    find_slot(layout, "Header")
}

/// The part that the outermost repetition repeats.
fn repeated(layout: &Value) -> Option<&Value> {
    layout["Row"][0]["Repeat"].get("part")
}

/// A slot of the layout by its name.
fn find_slot<'l>(part: &'l Value, name: &str) -> Option<&'l Value> {
    match part {
        Value::Object(map) => map.iter().find_map(|(key, inside)| match (&**key, inside) {
            ("Slot", Value::String(slot)) if slot == name => Some(inside),
            ("Slot", Value::Object(slot)) if slot.contains_key(name) => slot.get(name),
            _ => find_slot(inside, name),
        }),
        Value::Array(items) => items.iter().find_map(|item| find_slot(item, name)),
        _ => None,
    }
}

/// A unit of the layout by its name.
fn find_unit<'l>(part: &'l Value, name: &str) -> Option<&'l Value> {
    match part {
        Value::Object(map) => map.iter().find_map(|(key, inside)| match &**key {
            "Unit" if inside[0] == name => Some(&inside[1]),
            _ => find_unit(inside, name),
        }),
        Value::Array(items) => items.iter().find_map(|item| find_unit(item, name)),
        _ => None,
    }
}

/// All literals of a part, in the order in which they are written.
fn literals(part: &Value) -> Vec<&Value> {
    match part {
        Value::Object(map) => {
            let inside = |(key, inside): (&String, _)| match &**key {
                "Literal" => vec![inside],
                // Separators are between the parts.
                "separator" | "Slot" => vec![],
                _ => literals(inside),
            };
            map.iter().flat_map(inside).collect()
        }
        Value::Array(items) => items.iter().flat_map(literals).collect(),
        _ => vec![],
    }
}

/// Whether a literal closes a call, or all calls.
fn is_closer(mark: &str) -> bool {
    matches!(mark, "CallClose" | "SectionClose" | "ListClose" | "NamedClose")
}

fn draw_one_of(dice: &mut Dice, one_of: usize) -> bool {
    dice.below(one_of) == 0
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The call that is currently written.
#[derive(Debug, Clone, Default)]
struct DrawnCall {
    name: String,
    arguments: Map<String, Value>,
    argument: (String, Value),
    id: String,
}

struct ReplyWriter<'d> {
    /// The part of the layout that a reply repeats.
    kinds: Value,
    dice: &'d mut Dice,
    style: MarkupStyle,
    /// Whether content follows the calls. No grammar allows that.
    is_content_last: bool,
    /// The closer of calls that is never left out.
    kept_closer: Option<String>,
    reply: DrawnReply,
    call: DrawnCall,
}

impl ReplyWriter<'_> {
    /// Whether the next optional literal is left out.
    fn omits_optional(&mut self) -> bool {
        self.style == MarkupStyle::Loose && draw_one_of(self.dice, 3)
    }

    fn words(&mut self) -> String {
        let count = 1 + self.dice.below(3);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.dice.below(WORDS.len())]).collect();
        // No text begins like a call, or ends with the beginning of a literal.
        format!("So {} then", words.join(" "))
    }

    /// Arguments that match the tool's schema, in its order.
    fn arguments(&mut self, tool: &Value) -> Value {
        let mut arguments = Map::new();
        for (name, schema) in tool["parameters"]["properties"].as_object().into_iter().flatten() {
            if draw_one_of(self.dice, 3) {
                continue;
            }
            let value = self.value(schema);
            arguments.insert(name.clone(), value);
        }
        arguments.into()
    }

    fn value(&mut self, schema: &Value) -> Value {
        match text(&schema["type"]) {
            "string" => self.words().into(),
            "integer" => json!(self.dice.below(2000)),
            "boolean" => draw_one_of(self.dice, 2).into(),
            "array" => (0..self.dice.below(3)).map(|_| self.value(&schema["items"])).collect(),
            _ => {
                let properties = schema["properties"].as_object().into_iter().flatten();
                let properties: Vec<_> = properties.collect();
                let entries =
                    properties.into_iter().map(|(name, it)| (name.clone(), self.value(it)));
                Value::Object(entries.collect())
            }
        }
    }

    /// Reasoning, content and calls with their markers.
    fn parts(&mut self) {
        let kinds = self.kinds.clone();
        let expected = &self.reply.expected;
        let content = ("Content", !expected.content.is_empty());
        let calls = ("Calls", !expected.calls.is_empty());
        let rest = if self.is_content_last { [calls, content] } else { [content, calls] };
        let reasoning = ("Reasoning", !expected.reasoning.is_empty());
        for (unit, is_present) in [reasoning].into_iter().chain(rest) {
            if let Some(part) = find_unit(&kinds, unit).filter(|_| is_present) {
                self.part(part);
            }
        }
    }

    /// Reasoning, content and calls as messages. The prompt ends with the opener of the first.
    fn messages(&mut self, header: &Value) {
        let kinds = self.kinds.clone();
        let row = kinds["Row"].as_array().unwrap();
        let expected = self.reply.expected.clone();
        let header_text = |key: &str| text(&header[key][0]).to_owned();
        let mut messages = Vec::new();
        if !expected.reasoning.is_empty() {
            messages.push((header_text("reasoning"), json!({"Slot": "Reasoning"})));
        }
        if !expected.content.is_empty() {
            messages.push((header_text("content"), json!({"Slot": "Content"})));
        }
        let calls = find_unit(&kinds, "Calls").cloned().unwrap_or_default();
        for (name, _) in &expected.calls {
            let (recipient, namespace) = (text(&header["recipient"]), text(&header["namespace"]));
            let header = format!("{recipient}{namespace}{name}{}", text(&header["suffix"]));
            messages.push((header, calls.clone()));
        }
        let mut next_call = 0;
        for (at, (header, body)) in messages.iter().enumerate() {
            if at > 0 {
                self.literal(literal_of(&row[0]));
            }
            self.reply.text += header;
            self.literal(&row[2]["Literal"]);
            if body.get("Slot").is_some() {
                self.part(body);
            } else {
                // A message has one call.
                self.reply.expected.calls = vec![expected.calls[next_call].clone()];
                next_call += 1;
                self.part(body);
            }
            // If another message opens, this one needs no closer.
            if at + 1 < messages.len() && !self.omits_optional() {
                let close = literals(&row[4]).first().map(|&it| it.clone());
                close.iter().for_each(|close| self.literal(close));
            }
        }
        self.reply.expected.calls = expected.calls;
    }

    fn part(&mut self, part: &Value) {
        let (kind, inside) = part.as_object().unwrap().iter().next().unwrap();
        match &**kind {
            "Literal" => self.literal(inside),
            "Slot" => self.slot(inside),
            "Row" => self.row(inside.as_array().unwrap()),
            "Choice" => {
                if let Some(one) = inside.get(0) {
                    self.part(one);
                }
            }
            // The template's spelling is first, followed by the alternatives of replies.
            "Spellings" => {
                let other = inside[1].get(0).filter(|_| self.omits_optional());
                self.part(other.unwrap_or(&inside[0]));
            }
            "Unit" => self.part(&inside[1]),
            "Optional" => {
                if !self.omits_optional() {
                    self.part(inside);
                }
            }
            "Repeat" => self.repeat(inside),
            _ => panic!("unknown part: {kind}"),
        }
    }

    fn row(&mut self, parts: &[Value]) {
        for (at, part) in parts.iter().enumerate() {
            let literal = literal_of(part);
            let opens_call = matches!(text(&literal["mark"]), "SectionOpen" | "CallOpen");
            if opens_call && shows_a_call(&parts[at + 1..]) && self.omits_optional() {
                continue;
            }
            let mark = text(&literal["mark"]);
            let follows_opener = !text(&literal_of(&parts[0])["marker"]).is_empty();
            if mark == "ListOpen" && follows_opener && self.omits_optional() {
                continue;
            }
            let is_kept = self.kept_closer.as_deref().is_some_and(|kept| kept == mark);
            if is_closer(mark) && !is_kept && self.omits_optional() {
                continue;
            }
            self.part(part);
        }
    }

    fn repeat(&mut self, repeat: &Value) {
        let is_call = find_unit(&repeat["part"], "Call").is_some();
        let count =
            if is_call { self.reply.expected.calls.len() } else { self.call.arguments.len() };
        for at in 0..count {
            if at > 0 {
                self.literal(&repeat["separator"]);
            }
            if is_call {
                let (name, arguments) = self.reply.expected.calls[at].clone();
                let id = format!("call{}x", self.dice.below(1000));
                let arguments = arguments.as_object().unwrap().clone();
                self.call = DrawnCall { name, arguments, id, ..DrawnCall::default() };
            } else {
                let (key, value) = self.call.arguments.iter().nth(at).unwrap();
                self.call.argument = (key.clone(), value.clone());
            }
            self.part(&repeat["part"]);
        }
    }

    fn literal(&mut self, literal: &Value) {
        let canonical = text(&literal["marker"]);
        let mark = canonical.trim();
        if mark.is_empty() {
            // Only white space. It is required if nothing else separates two things.
            let is_between = matches!(text(&literal["mark"]), "KeyClose" | "NameSuffix");
            if is_between || !self.omits_optional() {
                self.reply.text += canonical;
            }
            return;
        }
        let (before, after) = canonical.split_once(mark).unwrap();
        if !self.omits_optional() {
            self.reply.text += before;
        }
        // White space inside of a mark may be of any kind, or missing.
        let between = ["", " ", "\n", "\n\n "][self.dice.below(4)];
        match self.omits_optional() {
            true => self.reply.text += &mark.split_whitespace().collect::<Vec<_>>().join(between),
            false => self.reply.text += mark,
        }
        // A mark that ends in a word must be followed by the end of the word.
        let ends_in_word = mark.ends_with(char::is_alphanumeric);
        let end_of_mark = self.reply.text.len();
        if ends_in_word || !self.omits_optional() {
            self.reply.text += after;
        }
        let end = if ends_in_word { self.reply.text.len() } else { end_of_mark };
        self.reply.ends.push((end, text(&literal["mark"]).to_owned()));
    }

    fn slot(&mut self, slot: &Value) {
        let (name, of) = match slot {
            Value::Object(map) => {
                let (name, of) = map.iter().next().unwrap();
                (name.clone(), of.clone())
            }
            name => (text(name).to_owned(), Value::Null),
        };
        let (key, value) = self.call.argument.clone();
        let slot_text = match &*name {
            "Reasoning" => self.reply.expected.reasoning.clone(),
            "Content" => self.reply.expected.content.clone(),
            "Name" => format!("{}{}", text(&of["namespace"]), self.call.name),
            "Id" => {
                self.reply.expected.ids.push(self.call.id.clone());
                self.call.id.clone()
            }
            "Word" if self.call.argument.0.is_empty() => self.dice.below(30).to_string(),
            "Word" => match (value.is_string(), of["of_texts"].get(0)) {
                (true, Some(word)) => text(word).to_owned(),
                // Any word, if no word means a string.
                (true, None) | (false, _) => word_of(&value, &of["of_texts"]).to_owned(),
            },
            "Json" => {
                let arguments = Value::Object(self.call.arguments.clone());
                match self.omits_optional() {
                    true => serde_json::to_string_pretty(&arguments).unwrap(),
                    false => arguments.to_string(),
                }
            }
            "Object" => self.object(&of),
            "Key" => key,
            "Value" => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            "Tags" => self.tags(&value, &key, &of),
            "Assignments" => self.assignments(&of),
            _ => panic!("unknown slot: {name}"),
        };
        self.reply.text += &slot_text;
    }

    /// A call as a JSON object.
    fn object(&mut self, call: &Value) -> String {
        let arguments = Value::Object(self.call.arguments.clone());
        if call["name_is_key"] == true {
            return json!({self.call.name.clone(): arguments}).to_string();
        }
        let mut order: Vec<&str> =
            call["order"].as_array().into_iter().flatten().map(text).collect();
        if order.is_empty() {
            order = ["id_field", "gen_id_field", "name_field", "args_field"]
                .map(|key| text(&call[key]))
                .into();
        }
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        for key in order.into_iter().filter(|key| !key.is_empty()) {
            let is = |field: &str| text(&call[field]) == key;
            let value = if is("name_field") {
                Value::from(&*self.call.name)
            } else if is("args_field") {
                arguments.clone()
            } else if is("id_field") || is("gen_id_field") {
                Value::from(&*self.call.id)
            } else if is("function_field") {
                continue;
            } else {
                Value::from("function")
            };
            let is_inner = is("name_field") || is("args_field");
            let field = format!("{}:{value}", Value::from(key));
            match is_inner && !text(&call["function_field"]).is_empty() {
                true => inside.push(field),
                false => outside.push(field),
            }
        }
        if !inside.is_empty() {
            outside.push(format!("{}:{{{}}}", call["function_field"], inside.join(",")));
        }
        format!("{{{}}}", outside.join(","))
    }

    /// A value in its own tags, up to the tag that closes the argument.
    fn tags(&mut self, value: &Value, key: &str, of: &Value) -> String {
        let kinds = self.kinds.clone();
        let argument = find_unit(&kinds, "Argument").unwrap();
        let markers: Vec<&str> = literals(argument).iter().map(|it| text(&it["marker"])).collect();
        let mut inside = |key: &str, value: &Value| {
            format!("{}{key}{}{}", markers[0], markers[1], self.tags(value, key, of))
        };
        let inner = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().map(|it| inside(text(&of["item"]), it)).collect(),
            Value::Object(map) => map.iter().map(|(key, it)| inside(key, it)).collect(),
            other => other.to_string(),
        };
        format!("{inner}{}{key}{}", text(&of["close_prefix"]), text(&of["close_suffix"]))
    }

    fn assignments(&mut self, of: &Value) -> String {
        let field = |(key, value): (&String, &Value)| {
            format!("{key}{}{}", text(&of["assign"]), literal(value, text(&of["quote"])))
        };
        let fields: Vec<String> = self.call.arguments.iter().map(field).collect();
        format!("{}{}", fields.join(text(&of["separator"])), text(&of["close"]))
    }
}

/// The type of a value other than a string, as the markup names it.
fn word_of(value: &Value, of_texts: &Value) -> &'static str {
    let word = match value {
        Value::Number(_) => "integer",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        _ => "object",
    };
    // Markup that only distinguishes strings from other types has two words.
    if of_texts[0] == "true" { "false" } else { word }
}

/// A value in Python's syntax, or between quoting tokens.
fn literal(value: &Value, quote: &str) -> String {
    let joined = |parts: Vec<String>| parts.join(",");
    match value {
        Value::Bool(yes) if quote.is_empty() => if *yes { "True" } else { "False" }.to_owned(),
        Value::String(text) if !quote.is_empty() => format!("{quote}{text}{quote}"),
        Value::Array(items) => {
            format!("[{}]", joined(items.iter().map(|it| literal(it, quote)).collect()))
        }
        Value::Object(map) => {
            let key = |key: &str| match quote.is_empty() {
                true => Value::from(key).to_string(),
                false => key.to_owned(),
            };
            let fields =
                map.iter().map(|(it, value)| format!("{}:{}", key(it), literal(value, quote)));
            format!("{{{}}}", joined(fields.collect()))
        }
        other => other.to_string(),
    }
}

/// Whether the beginning of some parts shows that a call begins: it is markup that prose does not
/// have.
fn shows_a_call(parts: &[Value]) -> bool {
    let has_data_first =
        |part: &Value| part.get("Slot").is_some() || part["Unit"][1].get("Slot").is_some();
    let first = parts.iter().find_map(|part| {
        let marked = literals(part).into_iter().find(|it| !text(&it["marker"]).trim().is_empty());
        if has_data_first(part) { Some(&Value::Null) } else { marked }
    });
    first.is_some_and(|literal| {
        matches!(text(&literal["mark"]), "CallOpen" | "NamePrefix")
            && text(&literal["marker"]).contains(['<', '['])
    })
}

/// The literal of a part, in the template's spelling.
fn literal_of(part: &Value) -> &Value {
    match part.get("Spellings") {
        Some(spellings) => &spellings[0]["Literal"],
        None => &part["Literal"],
    }
}
