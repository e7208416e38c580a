//! What a chat template can do, found by rendering small conversations and looking for what was put
//! into them. Nothing is concluded from a template's text or name; its text only says which names
//! are worth trying.

use super::messages::call_value;
use super::source::ChatTemplate;
use prompty_core::value::{Map, Value};

/// Texts that no template has of its own.
mod probe {
    pub(super) const SYSTEM: &str = "Zq1sysZq";
    pub(super) const USER: &str = "Zq2usrZq";
    pub(super) const SECOND: &str = "Zq3sndZq";
    pub(super) const ANSWER: &str = "Zq4answZq";
    pub(super) const TOOL: &str = "zq5toolzq";
    pub(super) const OTHER_TOOL: &str = "zq6othrzq";
    pub(super) const KEY: &str = "zq7keyzq";
    pub(super) const VALUE: &str = "Zq8valZq";
    pub(super) const RESULT: &str = "Zq9resZq";
    pub(super) const REASONING: &str = "Zq0rsnZq";
    /// Nine letters and digits: some templates take no other ids.
    pub(super) const ID: &str = "zqId00001";
    pub(super) const OTHER_ID: &str = "zqId00002";
    pub(super) const LONG_ID: &str = "zq-long_identifier-0001";
    pub(super) const ROLE: &str = "zqrolezq";
    pub(super) const NUMBER: i32 = 987_123;
    pub(super) const DESCRIPTION: &str = "zqdescrzq";
}

/// Names under which the reasoning of a message may stand.
const REASONING_FIELDS: [&str; 7] = [
    "reasoning_content",
    "reasoning",
    "thinking",
    "thinking_content",
    "thought",
    "thoughts",
    "tool_plan",
];
/// Forms of a part of the content that is reasoning: its `type`, and where its text stands.
const REASONING_PARTS: [(&str, &str); 3] =
    [("thinking", "thinking"), ("reasoning", "reasoning"), ("reasoning", "text")];
/// How many variables are tried, where a template cannot do without some.
const MOST_VARIABLES: usize = 16;
/// Words in the names of variables that switch reasoning on and off.
const SWITCH_WORDS: [&str; 4] = ["think", "reason", "thought", "cot"];

/// What a chat template can do.
///
/// ```
/// use prompty_model::chat::ChatTemplate;
///
/// let text = "{% for m in messages %}{% if m.role == 'system' %}\
///             {{ raise_exception('no system role') }}{% endif %}{{ m.content }}\n{% endfor %}";
/// let template = ChatTemplate::from_text(text)?;
/// let can = template.capabilities();
/// assert!(can.string_content && !can.system_role && !can.tool_calls);
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    /// A system message is written.
    pub system_role: bool,
    /// A developer message is written in a way of its own.
    pub developer_role: bool,
    /// Content that is one text is written.
    pub string_content: bool,
    /// Content that is a list of parts is written.
    pub parts_content: bool,
    /// The tools that are offered are written.
    pub tools: bool,
    /// A tool without a description is refused.
    pub tool_descriptions_required: bool,
    /// A parameter of a tool without a description is refused.
    pub parameter_descriptions_required: bool,
    /// Calls of tools are written.
    pub tool_calls: bool,
    /// The arguments of a call may be a map.
    pub object_arguments: bool,
    /// The arguments of a call may be JSON text.
    pub text_arguments: bool,
    /// A message may have several calls.
    pub parallel_calls: bool,
    /// What a tool answered is written.
    pub tool_results: bool,
    /// The ids of calls are written.
    pub call_ids: bool,
    /// A call without an id is refused.
    pub ids_required: bool,
    /// Only ids of nine letters and digits are taken.
    pub short_ids: bool,
    /// A message with calls may have `null` for its content.
    pub null_content: bool,
    /// The user and the assistant must take turns.
    pub alternation: bool,
    /// The fields of a message whose text is written as reasoning, in the order of preference.
    pub reasoning_fields: Vec<String>,
    /// The form of a part of the content that is written as reasoning: its `type`, and the key of
    /// its text.
    pub reasoning_part: Option<(String, String)>,
    /// The variables that switch reasoning on and off.
    pub thinking_switches: Vec<ThinkingSwitch>,
    /// Variables of its own that the template cannot do without.
    pub required_variables: Vec<String>,
}

/// A variable of a template that switches reasoning on and off.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ThinkingSwitch {
    /// The variable's name.
    pub variable: String,
    /// Its value for on; nothing where it must not be set.
    pub on: Option<Value>,
    /// Its value for off.
    pub off: Value,
}

impl Capabilities {
    pub(super) fn probe(template: &ChatTemplate) -> Self {
        let mut prober = Prober { template, found: Self::default() };
        prober.content();
        if !prober.found.string_content && !prober.found.parts_content {
            prober.required_variables();
        }
        prober.roles();
        prober.tools();
        prober.calls();
        prober.switches();
        prober.reasoning();
        prober.found
    }
}

/// No variables beside the messages.
const NOTHING: &[(&str, Value)] = &[];

struct Prober<'t> {
    template: &'t ChatTemplate,
    found: Capabilities,
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(Map::from(entries))
}

fn text_part(text: &str) -> Value {
    map([("type", "text".into()), ("text", text.into())])
}

/// Whether a text stands somewhere, and not as a part of printed data.
fn is_written(output: &str, text: &str) -> bool {
    output.match_indices(text).any(|(at, _)| {
        let before = output.get(..at).unwrap_or_default();
        let behind = output.get(at + text.len()..).unwrap_or_default();
        let quote = before.chars().next_back().filter(|quote| matches!(quote, '\'' | '"'));
        !quote.is_some_and(|quote| behind.starts_with(quote) && !before.ends_with("=\""))
    })
}

impl Prober<'_> {
    /// What the template writes; nothing where it refuses or fails.
    fn render(&self, messages: Vec<Value>, more: &[(impl AsRef<str>, Value)]) -> Option<String> {
        let mut variables = self.template.tokens_as_variables();
        variables.insert("messages", messages);
        variables.insert("add_generation_prompt", false);
        for name in &self.found.required_variables {
            variables.insert(name.as_str(), "");
        }
        for (name, value) in more {
            variables.insert(name.as_ref(), value.clone());
        }
        self.template.render(&variables, Some(0)).ok()
    }

    /// Content in the form that the template takes.
    fn content_of(&self, text: &str) -> Value {
        match self.found.string_content || !self.found.parts_content {
            true => text.into(),
            false => vec![text_part(text)].into(),
        }
    }

    fn message(&self, role: &str, text: &str) -> Value {
        map([("role", role.into()), ("content", self.content_of(text))])
    }

    fn user(&self) -> Value {
        self.message("user", probe::USER)
    }

    fn content(&mut self) {
        let with = |content: Value| vec![map([("role", "user".into()), ("content", content)])];
        let string = self.render(with(probe::USER.into()), NOTHING);
        self.found.string_content = string.is_some_and(|it| it.contains(probe::USER));
        let parts = vec![text_part(probe::USER), text_part(probe::SECOND)];
        let parts = self.render(with(parts.into()), NOTHING);
        self.found.parts_content = parts.is_some_and(|output| {
            is_written(&output, probe::USER) && is_written(&output, probe::SECOND)
        });
        let twice = vec![self.user(), self.message("user", probe::SECOND)];
        self.found.alternation = self.render(twice, NOTHING).is_none();
    }

    /// Finds the variables without which even one message of the user cannot be written.
    fn required_variables(&mut self) {
        let variables = self.template.variables();
        let known = ["messages", "tools", "add_generation_prompt", "bos_token", "eos_token"];
        let own = variables.iter().filter(|name| !known.contains(&name.as_str())).cloned();
        let mut required: Vec<String> = own.take(MOST_VARIABLES).collect();
        let mut works = |required: &[String]| {
            self.found.required_variables = required.to_vec();
            self.content();
            self.found.string_content || self.found.parts_content
        };
        if !works(&required) {
            works(&[]);
            return;
        }
        let mut index = 0;
        while index < required.len() {
            let mut fewer = required.clone();
            fewer.remove(index);
            match works(&fewer) {
                true => required = fewer,
                false => index += 1,
            }
        }
        works(&required);
    }

    fn roles(&mut self) {
        let after = |role: &str| vec![self.message(role, probe::SYSTEM), self.user()];
        let system = self.render(after("system"), NOTHING);
        let developer = self.render(after("developer"), NOTHING);
        let unknown = self.render(after(probe::ROLE), NOTHING);
        self.found.system_role = system.is_some_and(|output| output.contains(probe::SYSTEM));
        // A template that writes any role does not know this one.
        self.found.developer_role = developer.is_some_and(|output| {
            let as_unknown = unknown.map(|it| it.replace(probe::ROLE, "developer"));
            output.contains(probe::SYSTEM) && as_unknown.is_none_or(|it| it != output)
        });
    }

    /// A tool, with or without its descriptions.
    fn tool(name: &str, is_described: bool, has_described_parameter: bool) -> Value {
        let describe = |entry: &mut Map, is_described| {
            if is_described {
                entry.insert("description", probe::DESCRIPTION);
            }
        };
        let mut property = Map::from([("type", "string")]);
        describe(&mut property, has_described_parameter);
        let parameters = map([
            ("type", "object".into()),
            ("properties", map([(probe::KEY, property.into())])),
            ("required", vec![probe::KEY].into()),
        ]);
        let mut function = Map::from([("name", Value::from(name))]);
        describe(&mut function, is_described);
        function.insert("parameters", parameters);
        map([("type", "function".into()), ("function", function.into())])
    }

    fn both_tools() -> (&'static str, Value) {
        let tools = [probe::TOOL, probe::OTHER_TOOL].map(|name| Self::tool(name, true, true));
        ("tools", tools.into())
    }

    fn tools(&mut self) {
        let offer = |tool: bool, parameter: bool| {
            let tools = Value::from([Self::tool(probe::TOOL, tool, parameter)]);
            self.render(vec![self.user()], &[("tools", tools)])
        };
        let tools = offer(true, true).is_some_and(|output| output.contains(probe::TOOL));
        let of_tools = tools && offer(false, true).is_none();
        let of_parameters = tools && offer(true, false).is_none();
        self.found.tools = tools;
        self.found.tool_descriptions_required = of_tools;
        self.found.parameter_descriptions_required = of_parameters;
    }

    /// An assistant's message with one call.
    fn calling(content: Value, calls: Vec<Value>) -> Value {
        map([("role", "assistant".into()), ("content", content), ("tool_calls", calls.into())])
    }

    fn arguments(is_object: bool) -> Value {
        match is_object {
            true => map([(probe::KEY, probe::VALUE.into())]),
            false => format!("{{\"{}\": \"{}\"}}", probe::KEY, probe::VALUE).into(),
        }
    }

    fn calls(&mut self) {
        // As messages without content are written.
        let takes_text = self.found.string_content || !self.found.parts_content;
        let empty = || if takes_text { Value::from("") } else { Vec::<Value>::new().into() };
        let render = |turns: Vec<Value>| {
            let mut messages = vec![self.user()];
            messages.extend(turns);
            self.render(messages, &[Self::both_tools()])
        };
        let call =
            |id: &str, is_object: bool| call_value(id, probe::TOOL, Self::arguments(is_object));
        let one = |call: Value| render(vec![Self::calling(empty(), vec![call])]);
        // The tools alone hold the name and the key, so only the value says that a call is there.
        let with_object = one(call(probe::ID, true)).filter(|it| it.contains(probe::VALUE));
        let with_text = one(call(probe::ID, false)).filter(|it| it.contains(probe::VALUE));
        let as_python = format!("'{}': ", probe::KEY);
        let as_quoted = format!("\\\"{}\\\"", probe::KEY);
        let object = with_object.as_ref().is_some_and(|output| !output.contains(&as_python));
        let text = with_text.as_ref().is_some_and(|output| !output.contains(&as_quoted));
        let (object, text) = match (object, text) {
            // What is printed as Python prints it is better than nothing.
            (false, false) => (with_object.is_some(), with_object.is_none() && with_text.is_some()),
            either => either,
        };
        let written = if object { with_object } else { with_text };
        let mut found = self.found.clone();
        (found.object_arguments, found.text_arguments) = (object, text);
        found.tool_calls = object || text;
        if !found.tool_calls {
            self.found = found;
            return;
        }
        let written = written.unwrap_or_default();
        found.call_ids = written.contains(probe::ID);
        found.ids_required = one(call("", object)).is_none();
        found.short_ids = one(call(probe::LONG_ID, object)).is_none();
        let other = call_value(probe::OTHER_ID, probe::OTHER_TOOL, Self::arguments(object));
        let twice = vec![call(probe::ID, object), other];
        let twice = render(vec![Self::calling(empty(), twice)]);
        found.parallel_calls =
            twice.is_some_and(|output| output.matches(probe::VALUE).count() >= 2);
        let nones = |output: &str| output.matches("None").count();
        let null = render(vec![Self::calling(Value::Null, vec![call(probe::ID, object)])]);
        found.null_content = null.is_some_and(|output| {
            output.contains(probe::VALUE) && nones(&output) == nones(&written)
        });
        let result = map([
            ("role", "tool".into()),
            ("tool_call_id", probe::ID.into()),
            ("name", probe::TOOL.into()),
            ("content", self.content_of(probe::RESULT)),
        ]);
        let answered = vec![Self::calling(empty(), vec![call(probe::ID, object)]), result];
        let answered = render(answered);
        if let Some(output) = &answered {
            found.call_ids |= output.contains(probe::ID);
        }
        found.tool_results = answered.is_some_and(|output| output.contains(probe::RESULT));
        self.found = found;
    }

    fn reasoning(&mut self) {
        let engine = self.template.engine();
        let is_named = |name: &str| {
            let named = |names: &[String]| names.iter().any(|known| known == name);
            named(engine.attributes()) || named(engine.string_constants())
        };
        let settings = self.settings();
        let has_calls = self.found.tool_calls;
        let call = call_value(probe::ID, probe::TOOL, Self::arguments(self.found.object_arguments));
        let written = |message: Map| {
            let mut calling = message.clone();
            calling.insert("tool_calls", vec![call.clone()]);
            if !matches!(calling.get("content"), Some(Value::Array(_))) {
                calling.insert("content", "");
            }
            let shows = |message: &Map, on: &[(String, Value)]| {
                let output = self.render(vec![self.user(), message.clone().into()], on);
                output.is_some_and(|output| is_written(&output, probe::REASONING))
            };
            settings.iter().any(|on| shows(&message, on) || (has_calls && shows(&calling, on)))
        };
        let mut fields = Vec::new();
        for field in REASONING_FIELDS.into_iter().filter(|field| is_named(field)) {
            let mut message = Map::from([
                ("role", Value::from("assistant")),
                ("content", self.content_of(probe::ANSWER)),
            ]);
            message.insert(field, probe::REASONING);
            if written(message) {
                fields.push(field.to_owned());
            }
        }
        let mut part = None;
        for (kind, key) in REASONING_PARTS.into_iter().filter(|(kind, _)| is_named(kind)) {
            let reasoning = map([("type", kind.into()), (key, probe::REASONING.into())]);
            let parts = vec![reasoning, text_part(probe::ANSWER)];
            let message =
                Map::from([("role", Value::from("assistant")), ("content", parts.into())]);
            if written(message) {
                part = Some((kind.to_owned(), key.to_owned()));
                break;
            }
        }
        self.found.reasoning_fields = fields;
        self.found.reasoning_part = part;
    }

    /// The settings in which reasoning may be written: all that switches it on; and beside that,
    /// what says whether past reasoning stays, first one way and then the other.
    fn settings(&self) -> Vec<Vec<(String, Value)>> {
        let switches = &self.found.thinking_switches;
        let set = |switch: &'_ ThinkingSwitch| Some((switch.variable.clone(), switch.on.clone()?));
        let mut on: Vec<(String, Value)> = switches.iter().filter_map(set).collect();
        let (tools, offered) = Self::both_tools();
        on.push((tools.to_owned(), offered));
        let others: Vec<&str> = self
            .candidates()
            .into_iter()
            .filter(|name| !switches.iter().any(|switch| switch.variable == **name))
            .filter(|name| !self.is_printed(name))
            .collect();
        if others.is_empty() {
            return vec![on];
        }
        let with = |value: bool| {
            let others = others.iter().map(|name| ((*name).to_owned(), Value::Bool(value)));
            on.iter().cloned().chain(others).collect()
        };
        let (yes, no) = (with(true), with(false));
        vec![on, yes, no]
    }

    /// The variables whose names speak of reasoning.
    fn candidates(&self) -> Vec<&str> {
        let variables = self.template.engine().variables().iter().map(String::as_str);
        let speaks = |name: &&str| SWITCH_WORDS.iter().any(|word| name.contains(word));
        variables.filter(speaks).collect()
    }

    fn switches(&mut self) {
        let found = self.candidates().into_iter().filter_map(|name| self.switch(name)).collect();
        self.found.thinking_switches = found;
    }

    /// What a variable does to reasoning, if it does anything.
    fn switch(&self, name: &str) -> Option<ThinkingSwitch> {
        let with = |value: Option<&Value>| {
            let mut more = vec![("add_generation_prompt", Value::Bool(true))];
            more.extend(value.map(|value| (name, value.clone())));
            let plain = self.render(vec![self.user()], &more)?;
            more.push(Self::both_tools());
            Some((plain, self.render(vec![self.user()], &more)))
        };
        let variable = name.to_owned();
        let (yes, no) = (Value::Bool(true), Value::Bool(false));
        if let (Some(with_yes), Some(with_no)) = (with(Some(&yes)), with(Some(&no)))
            && with_yes != with_no
            && !self.is_printed(name)
        {
            let is_inverted = ["disable", "no_", "skip"].iter().any(|word| name.contains(word));
            let (on, off) = if is_inverted { (no, yes) } else { (yes, no) };
            return Some(ThinkingSwitch { variable, on: Some(on), off });
        }
        // It may be compared with words or numbers instead.
        let compared: Vec<&Value> = self.template.engine().compared_with(name).take(8).collect();
        let off = compared.iter().copied().find(|value| says_off(value))?;
        let on = compared.iter().copied().filter(|value| value.as_str().is_some());
        let on = on.filter(|value| !says_off(value)).map(Some).chain([None]);
        let opened = |value: Option<&Value>| {
            let mut more: Vec<_> = value.map(|value| (name, value.clone())).into_iter().collect();
            let without = self.render(vec![self.user()], &more)?;
            more.push(("add_generation_prompt", true.into()));
            let text = self.render(vec![self.user()], &more)?;
            text.strip_prefix(&*without).map(ToOwned::to_owned)
        };
        // What is only printed does not change how the turn opens.
        let closed = opened(Some(off))?;
        let mut on = on.filter(|on| opened(*on).is_some_and(|it| it != closed));
        let on = on.next()?.cloned();
        Some(ThinkingSwitch { variable, on, off: off.clone() })
    }

    /// Whether the template writes a variable's value, which then is more than a switch.
    fn is_printed(&self, name: &str) -> bool {
        let is_written = |value: Value, written: &str| {
            let more = [("add_generation_prompt", true.into()), (name, value)];
            let output = self.render(vec![self.user()], &more);
            output.is_some_and(|output| output.contains(written))
        };
        is_written(probe::NUMBER.into(), &probe::NUMBER.to_string())
            || is_written(probe::SYSTEM.into(), probe::SYSTEM)
    }
}

/// Whether a value that a template compares with means that something is off.
fn says_off(value: &Value) -> bool {
    const WORDS: [&str; 7] = ["no", "none", "off", "false", "never", "disable", "disabled"];
    match value {
        Value::Integer(number) => *number == 0,
        Value::String(text) => {
            text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|it| WORDS.contains(&it))
        }
        _ => false,
    }
}
