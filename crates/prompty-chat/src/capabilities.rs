//! Detects what a chat template can do, by rendering small conversations and searching the output
//! for their texts. A template's name decides nothing; its text only limits which names are tried.

use std::cell::Cell;

use super::engine::Engine;
use super::probes::{ProbeBudget, ProbeLimits};
use super::special_tokens::SpecialTokens;
use prompty_core::message::{ToolSpec, call_to_openai, tools_to_openai};
use prompty_core::value::{Map, Value};

/// Strings that no template contains.
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
    /// Nine letters and digits: some templates accept no other ids.
    pub(super) const ID: &str = "zqId00001";
    pub(super) const OTHER_ID: &str = "zqId00002";
    pub(super) const LONG_ID: &str = "zq-long_identifier-0001";
    pub(super) const ROLE: &str = "zqrolezq";
    pub(super) const NUMBER: i32 = 987_123;
    pub(super) const DESCRIPTION: &str = "zqdescrzq";
}

/// Fields of a message that templates read its reasoning from, in the order of preference.
pub(super) const REASONING_FIELDS: [&str; 7] = [
    "reasoning_content",
    "reasoning",
    "thinking",
    "thinking_content",
    "thought",
    "thoughts",
    "tool_plan",
];
/// Forms of a content part that contains reasoning: its `type`, and the key of its text. The first
/// one that a template writes is used.
pub(super) const REASONING_PARTS: [(&str, &str); 3] =
    [("thinking", "thinking"), ("reasoning", "reasoning"), ("reasoning", "text")];
/// The maximum number of variables that are tried if a template fails without some of them.
const MOST_VARIABLES: usize = 16;
/// The maximum number of values that are tried if a template compares a variable with them.
const MOST_COMPARED: usize = 8;
/// Words in the names of variables that switch reasoning on and off.
const SWITCH_WORDS: [&str; 4] = ["think", "reason", "thought", "cot"];

/// What a chat template can do.
///
/// ```
/// # mod typed_prompty { pub use prompty_chat as chat; }
/// use typed_prompty::chat::ChatTemplate;
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
    /// The template writes a system message.
    pub system_role: bool,
    /// The template writes a developer message differently from other roles.
    pub developer_role: bool,
    /// The template accepts a string as content.
    pub string_content: bool,
    /// The template accepts a list of parts as content.
    pub parts_content: bool,
    /// The template writes the tools that are offered.
    pub tools: bool,
    /// The template refuses a tool without a description.
    pub tool_descriptions_required: bool,
    /// The template refuses a tool whose parameter has no description.
    pub parameter_descriptions_required: bool,
    /// The template writes tool calls.
    pub tool_calls: bool,
    /// The arguments of a call may be an object.
    pub object_arguments: bool,
    /// The arguments of a call may be a string of JSON.
    pub text_arguments: bool,
    /// A message may have several calls.
    pub parallel_calls: bool,
    /// The template writes the results of tool calls.
    pub tool_results: bool,
    /// The template writes the ids of calls.
    pub call_ids: bool,
    /// The template refuses a call without an id.
    pub ids_required: bool,
    /// The template accepts only ids of nine letters and digits.
    pub short_ids: bool,
    /// A message with calls may have `null` for its content.
    pub null_content: bool,
    /// The user and the assistant must take turns.
    pub alternation: bool,
    /// The fields of a message that the template writes as reasoning, the preferred one first.
    pub reasoning_fields: Vec<String>,
    /// The form of a content part that the template writes as reasoning: its `type` and text key.
    pub reasoning_part: Option<(String, String)>,
    /// The variables that switch reasoning on and off.
    pub thinking_switches: Vec<ThinkingSwitch>,
    /// Variables that the template needs to render anything.
    pub required_variables: Vec<String>,
    /// Those of `tools` and `documents` that may be `null` if there are none, as transformers sets
    /// them. A template that iterates over such a variable without a test would fail on `null`, so
    /// the variable is then not set.
    pub nullable_variables: Vec<String>,
}

/// A variable of a template that switches reasoning on and off.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::value; pub use prompty_chat as chat; }
/// use typed_prompty::chat::ChatTemplate;
/// use typed_prompty::value::Value;
///
/// let template = ChatTemplate::from_text(
///     "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<bot>\
///      {% if enable_thinking is defined and not enable_thinking %}<hm></hm>{% endif %}{% endif %}",
/// )?;
/// let switch = &template.capabilities().thinking_switches[0];
/// assert_eq!((&*switch.variable, &switch.off), ("enable_thinking", &Value::Bool(false)));
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ThinkingSwitch {
    /// The variable's name.
    pub variable: String,
    /// The value that switches reasoning on; `None` if the variable must be left unset for that.
    pub on: Option<Value>,
    /// The value that switches reasoning off.
    pub off: Value,
}

/// A compiled template with its special tokens and capabilities: all that the stages from a request
/// to a prompt read of a template.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProbedTemplate<'t> {
    pub(super) engine: &'t Engine,
    pub(super) tokens: &'t SpecialTokens,
    pub(super) capabilities: &'t Capabilities,
    /// The budget that is left for other probes.
    pub(super) budget: ProbeBudget,
}

impl Capabilities {
    /// A string as content, in the form that the template accepts.
    pub(super) fn content_of(&self, text: &str) -> Value {
        match self.string_content || !self.parts_content {
            true => text.into(),
            false => vec![text_part(text)].into(),
        }
    }

    /// Renders the probes. After a limit is exceeded, nothing more is detected.
    pub(super) fn probe(
        engine: &Engine,
        tokens: &SpecialTokens,
        limits: ProbeLimits,
    ) -> (Self, ProbeBudget) {
        let budget = Cell::new(ProbeBudget::new(limits));
        let mut prober = CapabilityProber { engine, tokens, found: Self::default(), budget };
        prober.detect_content();
        if !prober.found.string_content && !prober.found.parts_content {
            prober.detect_required_variables();
        }
        prober.detect_roles();
        prober.detect_nullable_variables();
        prober.detect_tools();
        prober.detect_calls();
        prober.detect_switches();
        prober.detect_reasoning();
        (prober.found, prober.budget.get())
    }
}

/// No variables in addition to the messages.
const NO_VARIABLES: &[(&str, Value)] = &[];

/// Renders the probes. Each `detect_` function sets some of the capabilities; a later one may need
/// those of an earlier one.
struct CapabilityProber<'t> {
    engine: &'t Engine,
    tokens: &'t SpecialTokens,
    found: Capabilities,
    budget: Cell<ProbeBudget>,
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(Map::from(entries))
}

/// A content part with text.
pub(super) fn text_part(text: &str) -> Value {
    map([("type", "text".into()), ("text", text.into())])
}

/// Whether an output contains a string outside of the quotes of a printed list or map. The quotes
/// of an attribute, as in `<p name="…">`, do not count as such.
fn contains_unquoted(output: &str, text: &str) -> bool {
    let mut found = output.match_indices(text).filter_map(|(at, _)| {
        let (before, rest) = output.split_at_checked(at)?;
        Some((before, rest.strip_prefix(text)?))
    });
    found.any(|(before, after)| {
        let quote = before.chars().next_back().filter(|quote| matches!(quote, '\'' | '"'));
        !quote.is_some_and(|quote| after.starts_with(quote) && !before.ends_with("=\""))
    })
}

impl CapabilityProber<'_> {
    /// The template's output; `None` if it refuses or fails.
    fn render(&self, messages: Vec<Value>, more: &[(impl AsRef<str>, Value)]) -> Option<String> {
        let mut variables = self.tokens.variables();
        variables.insert("messages", messages);
        variables.insert("add_generation_prompt", false);
        for name in &self.found.required_variables {
            variables.insert(name.as_str(), "");
        }
        for (name, value) in more {
            variables.insert(name.as_ref(), value.clone());
        }
        let mut budget = self.budget.get();
        let rendered = budget.render(self.engine, &variables, 0);
        self.budget.set(budget);
        rendered.ok().map(|written| written.text)
    }

    fn message(&self, role: &str, text: &str) -> Value {
        map([("role", role.into()), ("content", self.found.content_of(text))])
    }

    fn user(&self) -> Value {
        self.message("user", probe::USER)
    }

    /// Whether content may be a string or a list of parts, and whether two user messages may be
    /// consecutive.
    fn detect_content(&mut self) {
        let user = |content: Value| vec![map([("role", "user".into()), ("content", content)])];
        let string = self.render(user(probe::USER.into()), NO_VARIABLES);
        self.found.string_content = string.is_some_and(|it| it.contains(probe::USER));
        let parts = vec![text_part(probe::USER), text_part(probe::SECOND)];
        let parts = self.render(user(parts.into()), NO_VARIABLES);
        self.found.parts_content = parts.is_some_and(|output| {
            contains_unquoted(&output, probe::USER) && contains_unquoted(&output, probe::SECOND)
        });
        let twice = vec![self.user(), self.message("user", probe::SECOND)];
        self.found.alternation = self.render(twice, NO_VARIABLES).is_none();
    }

    /// Finds the variables that the template needs to write even one user message. It starts with
    /// all variables of the template, and leaves out each one without which the rest still works.
    /// Each call of `works` also sets the fields of [`Self::found`] for its variables.
    fn detect_required_variables(&mut self) {
        let variables = self.engine.variables();
        let known = ["messages", "tools", "add_generation_prompt", "bos_token", "eos_token"];
        let own = variables.iter().filter(|name| !known.contains(&name.as_str())).cloned();
        let mut required: Vec<String> = own.take(MOST_VARIABLES).collect();
        let mut works = |required: &[String]| {
            self.found.required_variables = required.to_vec();
            self.detect_content();
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
            if works(&fewer) { required = fewer } else { index += 1 }
        }
        works(&required);
    }

    /// Whether the template writes system messages and developer messages.
    fn detect_roles(&mut self) {
        let after = |role: &str| vec![self.message(role, probe::SYSTEM), self.user()];
        let system = self.render(after("system"), NO_VARIABLES);
        let developer = self.render(after("developer"), NO_VARIABLES);
        let unknown = self.render(after(probe::ROLE), NO_VARIABLES);
        self.found.system_role = system.is_some_and(|output| output.contains(probe::SYSTEM));
        // A template that writes every role in the same way does not know `developer`.
        self.found.developer_role = developer.is_some_and(|output| {
            let as_unknown = unknown.map(|it| it.replace(probe::ROLE, "developer"));
            output.contains(probe::SYSTEM) && as_unknown.is_none_or(|it| it != output)
        });
    }

    /// A tool, with or without descriptions of itself and its parameter.
    fn tool(name: &str, is_described: bool, has_described_parameter: bool) -> ToolSpec {
        let mut property = Map::from([("type", "string")]);
        if has_described_parameter {
            property.insert("description", probe::DESCRIPTION);
        }
        let parameters = Map::from([
            ("type", Value::from("object")),
            ("properties", map([(probe::KEY, property.into())])),
            ("required", vec![probe::KEY].into()),
        ]);
        let mut tool = ToolSpec::new(name, parameters);
        tool.description = is_described.then(|| probe::DESCRIPTION.to_owned());
        tool
    }

    fn both_tools() -> (&'static str, Value) {
        let tools = [probe::TOOL, probe::OTHER_TOOL].map(|name| Self::tool(name, true, true));
        ("tools", tools_to_openai(&tools))
    }

    /// Which variables the template accepts as `null`.
    fn detect_nullable_variables(&mut self) {
        let reads = |name: &&str| self.engine.variables().iter().any(|it| it == name);
        let accepts =
            |name: &&str| self.render(vec![self.user()], &[(*name, Value::Null)]).is_some();
        let nullable = ["tools", "documents"].into_iter().filter(reads).filter(accepts);
        self.found.nullable_variables = nullable.map(str::to_owned).collect();
    }

    /// Whether the template writes tools, and which descriptions it requires.
    fn detect_tools(&mut self) {
        let offer = |is_described: bool, has_described_parameter: bool| {
            let tool = Self::tool(probe::TOOL, is_described, has_described_parameter);
            self.render(vec![self.user()], &[("tools", tools_to_openai(&[tool]))])
        };
        let tools = offer(true, true).is_some_and(|output| output.contains(probe::TOOL));
        let needs_description = tools && offer(false, true).is_none();
        let needs_parameter_description = tools && offer(true, false).is_none();
        self.found.tools = tools;
        self.found.tool_descriptions_required = needs_description;
        self.found.parameter_descriptions_required = needs_parameter_description;
    }

    /// A message of the assistant with tool calls.
    fn calling(content: Value, calls: Vec<Value>) -> Value {
        map([("role", "assistant".into()), ("content", content), ("tool_calls", calls.into())])
    }

    fn call(id: &str, is_object: bool) -> Value {
        call_to_openai(id, probe::TOOL, Self::arguments(is_object))
    }

    fn arguments(is_object: bool) -> Value {
        match is_object {
            true => map([(probe::KEY, probe::VALUE.into())]),
            false => format!("{{\"{}\": \"{}\"}}", probe::KEY, probe::VALUE).into(),
        }
    }

    /// Empty content, in the form that the template accepts.
    fn empty_content(&self) -> Value {
        let takes_text = self.found.string_content || !self.found.parts_content;
        if takes_text { Value::from("") } else { Vec::<Value>::new().into() }
    }

    /// The output for a user message and the messages after it, with tools.
    fn render_with_tools(&self, following: Vec<Value>) -> Option<String> {
        let mut messages = vec![self.user()];
        messages.extend(following);
        self.render(messages, &[Self::both_tools()])
    }

    /// The output for one call. The list of tools already contains its name and key, so only its
    /// value shows that the call was written.
    fn render_call(&self, id: &str, is_object: bool) -> Option<String> {
        let message = Self::calling(self.empty_content(), vec![Self::call(id, is_object)]);
        self.render_with_tools(vec![message])
    }

    /// Whether the template writes calls, and in which form it expects their arguments.
    fn detect_calls(&mut self) {
        let contains_value = |output: &String| output.contains(probe::VALUE);
        let with_object = self.render_call(probe::ID, true).filter(contains_value);
        let with_text = self.render_call(probe::ID, false).filter(contains_value);
        // An object that is printed, `{'key': …}`, and a string in another one, `"{\"key\": …}"`,
        // show that the template expects the other form.
        let as_python = format!("'{}': ", probe::KEY);
        let as_quoted = format!("\\\"{}\\\"", probe::KEY);
        let object = with_object.as_ref().is_some_and(|output| !output.contains(&as_python));
        let text = with_text.as_ref().is_some_and(|output| !output.contains(&as_quoted));
        let (object, text) = match (object, text) {
            // Arguments in Python's notation are better than none.
            (false, false) => (with_object.is_some(), with_object.is_none() && with_text.is_some()),
            either => either,
        };
        let Some(output) = (if object { with_object } else { with_text.filter(|_| text) }) else {
            return;
        };
        (self.found.object_arguments, self.found.text_arguments) = (object, text);
        self.found.tool_calls = true;
        self.detect_call_features(object, &output);
    }

    /// What else the template can do with calls. `output` shows one call, whose arguments are an
    /// object if `object` is true.
    fn detect_call_features(&mut self, object: bool, output: &str) {
        let call = |id: &str| Self::call(id, object);
        let other = call_to_openai(probe::OTHER_ID, probe::OTHER_TOOL, Self::arguments(object));
        let two_calls = Self::calling(self.empty_content(), vec![call(probe::ID), other]);
        let two_calls = self.render_with_tools(vec![two_calls]);
        let null_content = Self::calling(Value::Null, vec![call(probe::ID)]);
        let null_content = self.render_with_tools(vec![null_content]);
        // A template that cannot handle `null` prints it as a word.
        let count_none = |output: &str| output.matches("None").count();
        let result = map([
            ("role", "tool".into()),
            ("tool_call_id", probe::ID.into()),
            ("name", probe::TOOL.into()),
            ("content", self.found.content_of(probe::RESULT)),
        ]);
        let answered = Self::calling(self.empty_content(), vec![call(probe::ID)]);
        let answered = self.render_with_tools(vec![answered, result]);
        let contains = |output: &Option<String>, text: &str| {
            output.as_ref().is_some_and(|output| output.contains(text))
        };

        let ids_required = self.render_call("", object).is_none();
        let short_ids = self.render_call(probe::LONG_ID, object).is_none();
        let found = &mut self.found;
        (found.ids_required, found.short_ids) = (ids_required, short_ids);
        found.call_ids = output.contains(probe::ID) || contains(&answered, probe::ID);
        found.parallel_calls =
            two_calls.is_some_and(|output| output.matches(probe::VALUE).count() >= 2);
        found.null_content = null_content.is_some_and(|with_null| {
            with_null.contains(probe::VALUE) && count_none(&with_null) == count_none(output)
        });
        found.tool_results = contains(&answered, probe::RESULT);
    }

    /// The fields and the form of a part that the template writes as reasoning. Only words of the
    /// template are tried, each in a message with content and in a message with a call.
    fn detect_reasoning(&mut self) {
        let is_in_template = |name: &str| {
            let contains = |names: &[String]| names.iter().any(|known| known == name);
            contains(self.engine.attributes()) || contains(self.engine.string_constants())
        };
        let settings = self.reasoning_settings();
        let has_calls = self.found.tool_calls;
        let call = Self::call(probe::ID, self.found.object_arguments);
        let is_written = |message: Map| {
            let mut calling = message.clone();
            calling.insert("tool_calls", vec![call.clone()]);
            if !matches!(calling.get("content"), Some(Value::Array(_))) {
                calling.insert("content", "");
            }
            let shows = |message: &Map, on: &[(String, Value)]| {
                let output = self.render(vec![self.user(), message.clone().into()], on);
                output.is_some_and(|output| contains_unquoted(&output, probe::REASONING))
            };
            settings.iter().any(|on| shows(&message, on) || (has_calls && shows(&calling, on)))
        };
        let answer =
            |content: Value| Map::from([("role", "assistant".into()), ("content", content)]);
        let writes_field = |field: &&str| {
            let mut message = answer(self.found.content_of(probe::ANSWER));
            message.insert(*field, probe::REASONING);
            is_in_template(field) && is_written(message)
        };
        let fields = REASONING_FIELDS.into_iter().filter(writes_field).map(str::to_owned).collect();
        let mut parts = REASONING_PARTS.into_iter().filter(|(kind, _)| is_in_template(kind));
        let part = parts.find(|(kind, key)| {
            let reasoning = map([("type", (*kind).into()), (*key, probe::REASONING.into())]);
            is_written(answer(vec![reasoning, text_part(probe::ANSWER)].into()))
        });
        let part = part.map(|(kind, key)| (kind.to_owned(), key.to_owned()));
        (self.found.reasoning_fields, self.found.reasoning_part) = (fields, part);
    }

    /// The sets of variables to try when looking for reasoning. Each set switches reasoning on. The
    /// other variables that have to do with reasoning are unset, then all true, then all false.
    fn reasoning_settings(&self) -> Vec<Vec<(String, Value)>> {
        let switches = &self.found.thinking_switches;
        let set = |switch: &'_ ThinkingSwitch| Some((switch.variable.clone(), switch.on.clone()?));
        let mut on: Vec<(String, Value)> = switches.iter().filter_map(set).collect();
        let (tools, offered) = Self::both_tools();
        on.push((tools.to_owned(), offered));
        let others: Vec<&str> = self
            .switch_candidates()
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

    /// The variables whose names contain a word about reasoning.
    fn switch_candidates(&self) -> Vec<&str> {
        let variables = self.engine.variables().iter().map(String::as_str);
        let is_candidate = |name: &&str| SWITCH_WORDS.iter().any(|word| name.contains(word));
        variables.filter(is_candidate).collect()
    }

    /// The variables that switch thinking.
    fn detect_switches(&mut self) {
        let names = self.switch_candidates().into_iter();
        self.found.thinking_switches = names.filter_map(|name| self.switch(name)).collect();
    }

    /// The values of a variable that switch reasoning on and off, if it does that.
    fn switch(&self, name: &str) -> Option<ThinkingSwitch> {
        let with = |value: Option<&Value>| {
            let mut more = vec![("add_generation_prompt", Value::Bool(true))];
            more.extend(value.map(|value| (name, value.clone())));
            let plain = self.render(vec![self.user()], &more)?;
            // A template may read the variable only if tools are offered.
            more.push(Self::both_tools());
            Some((plain, self.render(vec![self.user()], &more)))
        };
        let (yes, no) = (Value::Bool(true), Value::Bool(false));
        if let (Some(with_yes), Some(with_no)) = (with(Some(&yes)), with(Some(&no)))
            && with_yes != with_no
            && !self.is_printed(name)
        {
            let is_inverted = ["disable", "no_", "skip"].iter().any(|word| name.contains(word));
            let (on, off) = if is_inverted { (no, yes) } else { (yes, no) };
            return Some(ThinkingSwitch { variable: name.to_owned(), on: Some(on), off });
        }
        self.compared_switch(name)
    }

    /// Like [`switch`](Self::switch), for a variable that the template compares with words or
    /// numbers. The first value that means "off" is used, and the first other value with which the
    /// assistant's turn opens differently; that may be no value.
    fn compared_switch(&self, name: &str) -> Option<ThinkingSwitch> {
        let compared: Vec<&Value> = self.engine.compared_with(name).take(MOST_COMPARED).collect();
        let off = compared.iter().copied().find(|value| means_off(value))?;
        let on = compared.iter().copied().filter(|value| value.as_str().is_some());
        let on = on.filter(|value| !means_off(value)).map(Some).chain([None]);
        let opening = |value: Option<&Value>| {
            let mut more: Vec<_> = value.map(|value| (name, value.clone())).into_iter().collect();
            let without = self.render(vec![self.user()], &more)?;
            more.push(("add_generation_prompt", true.into()));
            let text = self.render(vec![self.user()], &more)?;
            text.strip_prefix(&*without).map(ToOwned::to_owned)
        };
        // A variable that is only printed does not change how the turn opens.
        let with_off = opening(Some(off))?;
        let mut on = on.filter(|on| opening(*on).is_some_and(|it| it != with_off));
        let on = on.next()?.cloned();
        Some(ThinkingSwitch { variable: name.to_owned(), on, off: off.clone() })
    }

    /// Whether the template prints the value of a variable. Such a variable is not only a switch.
    fn is_printed(&self, name: &str) -> bool {
        let prints = |value: Value, text: &str| {
            let more = [("add_generation_prompt", true.into()), (name, value)];
            let output = self.render(vec![self.user()], &more);
            output.is_some_and(|output| output.contains(text))
        };
        prints(probe::NUMBER.into(), &probe::NUMBER.to_string())
            || prints(probe::SYSTEM.into(), probe::SYSTEM)
    }
}

/// Whether a value that the template compares a variable with means "off".
fn means_off(value: &Value) -> bool {
    const WORDS: [&str; 7] = ["no", "none", "off", "false", "never", "disable", "disabled"];
    match value {
        Value::Integer(number) => *number == 0,
        Value::String(text) => {
            text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|it| WORDS.contains(&it))
        }
        _ => false,
    }
}
