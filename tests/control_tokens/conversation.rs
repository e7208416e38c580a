//! Conversations with a text in each slot for data.

use typed_prompty::chat::{ChatTemplate, ChatTurn, Continuation, ControlTokens, PromptOptions};
use typed_prompty::message::{ContentPart, Message, Role, ToolCall, ToolResult, ToolSpec};
use typed_prompty::{Error, Map, Value};

/// The slots for data.
pub(crate) const SLOTS: [&str; 11] = [
    "system",
    "user",
    "reasoning",
    "content",
    "argument",
    "key",
    "tool",
    "id",
    "result",
    "described",
    "last",
];

/// A text for each of the slots.
#[derive(Debug, Clone)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<String>,
    /// The slots whose texts are an attack.
    pub(crate) hostile: Vec<usize>,
}

impl Texts {
    /// A word for each slot.
    pub(crate) fn benign() -> Self {
        let texts = (0..SLOTS.len()).map(|slot| format!("word{slot:02}w")).collect();
        Self { texts, hostile: Vec::new() }
    }

    /// The same with other words for the hostile slots.
    pub(crate) fn harmless(&self) -> Self {
        let mut texts = self.texts.clone();
        for slot in &self.hostile {
            let text = &self.texts[*slot];
            // White space at the ends is not an attack.
            let core = text.trim();
            let word = Self::word(*slot);
            texts[*slot] =
                if core.is_empty() { text.clone() } else { text.replacen(core, &word, 1) };
        }
        Self { texts, hostile: Vec::new() }
    }

    pub(crate) fn word(slot: usize) -> String {
        format!("harmless{slot:02}h")
    }

    /// The arguments of the call.
    pub(crate) fn arguments(&self) -> String {
        Value::from(Map::from([(self.text_of("key"), self.text_of("argument"))])).to_json()
    }

    fn text_of(&self, slot: &str) -> &str {
        &self.texts[SLOTS.iter().position(|it| *it == slot).unwrap()]
    }
}

/// A kind of conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Question,
    Talk,
    SystemTalk,
    Calls,
    Continued,
    Thinking,
}

impl Shape {
    /// The shapes that a template accepts.
    pub(crate) fn accepted_by(template: &ChatTemplate, options: &PromptOptions) -> Vec<Self> {
        let all = [
            Self::Question,
            Self::Talk,
            Self::SystemTalk,
            Self::Calls,
            Self::Continued,
            Self::Thinking,
        ];
        let ignoring = options.clone().with_control_tokens(ControlTokens::Ignore);
        let accepts = |shape: &Self| {
            let mut options = ignoring.clone();
            if let Some(continuation) = shape.continuation() {
                options = options.with_continuation(continuation);
            }
            shape.apply(template, &Texts::benign(), &options).is_ok()
        };
        all.into_iter().filter(accepts).collect()
    }

    /// The slots that the conversation contains.
    pub(crate) fn slots(self) -> &'static [usize] {
        match self {
            Self::Question => &[1],
            Self::Talk => &[1, 2, 3, 10],
            Self::SystemTalk => &[0, 1, 2, 3, 10],
            Self::Calls => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            Self::Continued => &[0, 1, 2, 3],
            Self::Thinking => &[0, 1, 2],
        }
    }

    /// The part of the last message that the reply continues.
    pub(crate) fn continuation(self) -> Option<Continuation> {
        match self {
            Self::Continued => Some(Continuation::Content),
            Self::Thinking => Some(Continuation::Reasoning),
            _ => None,
        }
    }

    pub(crate) fn apply(
        self,
        template: &ChatTemplate,
        texts: &Texts,
        options: &PromptOptions,
    ) -> Result<ChatTurn, Error> {
        let (messages, tools) = self.conversation(texts);
        template.apply(&messages, &tools, options)
    }

    fn conversation(self, texts: &Texts) -> (Vec<Message>, Vec<ToolSpec>) {
        let text = |slot: &str| texts.text_of(slot).to_owned();
        let question = Message::user(text("user"));
        let reasoning = ContentPart::Reasoning(text("reasoning"));
        let content = ContentPart::Text(text("content"));
        let answer = Message::new(Role::Assistant, [reasoning.clone(), content.clone()]);
        let last = Message::user(text("last"));
        let messages = match self {
            Self::Question => vec![question],
            Self::Talk => vec![question, answer, last],
            Self::SystemTalk => vec![Message::system(text("system")), question, answer, last],
            Self::Continued => vec![Message::system(text("system")), question, answer],
            Self::Thinking => {
                let thinking = Message::new(Role::Assistant, [reasoning]);
                vec![Message::system(text("system")), question, thinking]
            }
            Self::Calls => {
                let call = ToolCall::new(text("id"), text("tool"), texts.arguments());
                let result = ToolResult::new(text("id"), text("result")).with_name(text("tool"));
                vec![
                    question,
                    Message::new(Role::Assistant, [reasoning, ContentPart::ToolCall(call)]),
                    Message::new(Role::Tool, [ContentPart::ToolResult(result)]),
                    Message::new(Role::Assistant, [content]),
                    last,
                ]
            }
        };
        let described =
            Map::from([("type", "string"), ("description", texts.text_of("described"))]);
        let properties = Map::from([(texts.text_of("key"), described)]);
        let required = Value::from_iter([Value::from(texts.text_of("key"))]);
        let parameters = Map::from([
            ("type", Value::from("object")),
            ("properties", properties.into()),
            ("required", required),
        ]);
        let tool = ToolSpec::new(text("tool"), parameters).with_description(text("described"));
        let tools = if self == Self::Calls { vec![tool] } else { Vec::new() };
        (messages, tools)
    }
}
