//! All that a field can be: a slot of each kind, a title of its own, a value for placeholders, or nothing.

use typed_prompty::message::{ContentPart, Media, ToolSpec};
use typed_prompty::shape::Shape;
use typed_prompty::slots::{SlotPrompt, SlotTool};
use typed_prompty::{Map, Message, Prompt, Untrusted};

#[derive(Prompt)]
#[prompt(slots(
    system = "
        You help customers of ${company}.
        Answer in ${type} words.
    ",
    examples = "Hi: Hello!",
    "House rules" = "Be kind.",
))]
struct Ask<'a> {
    company: &'a str,
    r#type: u32,
    #[prompt(slot = "developer")]
    directions: Option<String>,
    #[prompt(slot = "chat_history", roles(system, user, assistant))]
    history: &'a [Message],
    #[prompt(slot = "info")]
    facts: Vec<&'a str>,
    #[prompt(slot = "tools")]
    tools: Vec<SlotTool>,
    #[prompt(slot = "action_results")]
    results: Map,
    #[prompt(title = "STYLE")]
    style: Option<String>,
    #[prompt(slot = "input")]
    question: &'a str,
    #[prompt(slot = "attachment")]
    photos: Option<ContentPart>,
    #[prompt(slot = "output")]
    answer: Option<&'a Shape>,
    #[prompt(slot = "output_format")]
    format: Option<&'a str>,
    #[prompt(slot = "options")]
    options: Map,
    #[prompt(skip)]
    _id: u64,
}

#[derive(Prompt)]
#[prompt(part)]
struct Agent {
    #[prompt(slot = "tools")]
    tools: [ToolSpec; 0],
    #[prompt(slot = "chat_history")]
    history: Option<Untrusted<Vec<Message>>>,
}

#[derive(Prompt)]
#[prompt(slots(input = "Hello!"))]
struct Greet;

#[test]
fn main() {
    let shape = Shape::list_of(Shape::text());
    let ask = Ask {
        company: "Contoso",
        r#type: 9,
        directions: None,
        history: &[Message::user("Hi"), Message::assistant("Hello")],
        facts: vec!["open"],
        tools: vec![SlotTool::new("search", "Searches", Shape::object([("query", Shape::text())]))],
        results: Map::new(),
        style: None,
        question: "${company}?",
        photos: Some(ContentPart::Image(Media::new("https://example.com/cat.png"))),
        answer: Some(&shape),
        format: None,
        options: Map::from([("temperature", 1)]),
        _id: 1,
    };
    assert!(ask.to_messages().is_err());
    let agent = Agent { tools: [], history: None };
    assert!(agent.slots().is_ok());
    assert_eq!(Greet.to_messages().unwrap(), [Message::user("Hello!")]);
}
