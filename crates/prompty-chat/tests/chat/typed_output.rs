//! Typed outputs of local models: the content follows the type, the reasoning before it is free,
//! and everything that the grammar admits can be parsed.

use std::collections::BTreeMap;

use grammar_testing::{Dice, Gbnf};
use prompty_chat::{ChatTemplate, ChatTemplates, ChatTurn, PromptOptions};
use prompty_core::message::{Message, ToolChoice, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_output::output::Output;
use prompty_reply::grammar::schema::SchemaOptions;
use prompty_reply::grammar::{Grammar, GrammarOptions};

use crate::grammar_support::Lark;
use crate::reply_grammars::templates;

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Ticket {
    title: String,
    /// From 1 (some day) to 5 (now).
    #[schemars(range(min = 1, max = 5))]
    urgency: u8,
    state: State,
    labels: Vec<String>,
    about: Option<About>,
    counts: BTreeMap<String, i32>,
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
    Closed,
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
enum About {
    Place(String),
    Order { number: u32 },
}

/// A template with reasoning in tags, whose prompt does not open them.
const REASONING: &str = concat!(
    "{% for message in messages %}<|{{ message.role }}|>",
    "{% if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}",
    "{{ message.content }}<|end|>{% endfor %}",
    "{% if add_generation_prompt %}<|assistant|>{% endif %}",
);

fn turn<T>(template: &ChatTemplate, tools: &[ToolSpec], output: &Output<T>) -> ChatTurn {
    let options = PromptOptions::new().with_output(output);
    template.apply(&[Message::user("Hi")], tools, &options).unwrap()
}

/// The grammar of a turn, in the three notations.
struct Notations {
    gbnf: Gbnf,
    lark: Lark,
    tag: Gbnf,
}

impl Notations {
    fn of(turn: &ChatTurn) -> Self {
        let grammar = turn.grammar.as_ref().unwrap();
        let schema = |schema: &serde_json::Value| {
            let schema = Value::from_json(&schema.to_string()).unwrap();
            let options = SchemaOptions::new().widen(true);
            Grammar::of_schema(&schema, &options).unwrap().grammar.to_gbnf()
        };
        let tag = serde_json::from_str(&grammar.to_structural_tag().to_json()).unwrap();
        Self {
            gbnf: Gbnf::parse(&grammar.to_gbnf()).unwrap(),
            lark: Lark::parse(grammar.to_lark()),
            tag: Gbnf::from_structural_tag(&tag, &schema).unwrap(),
        }
    }

    fn admit(&self, text: &str) -> [bool; 3] {
        [self.gbnf.admits(text), self.lark.admits(text), self.tag.admits(text)]
    }
}

#[test]
fn the_content_follows_the_type_and_the_reasoning_is_free() {
    let template = ChatTemplate::from_text(REASONING).unwrap();
    let output = Output::<Ticket>::new();
    let turn = turn(&template, &[], &output);
    let forms = Notations::of(&turn);
    let ticket = r#"{"title": "Fire", "urgency": 5, "state": "open", "labels": [], "about": {"Order": {"number": 7}}, "counts": {"a": 1}}"#;
    let replies = [
        (ticket.to_owned(), true),
        (format!("<think>A {{\"title\": 1}}? No.</think>{ticket}"), true),
        (format!("```json\n{ticket}\n```"), true),
        (format!("Sure: {ticket}"), false),
        (ticket.replace('5', "6"), false),
        (ticket.replace("open", "shut"), false),
        (ticket.replace("\"labels\": [], ", ""), false),
        ("<think>Hm.</think>Fire!".to_owned(), false),
    ];
    for (reply, is_admitted) in replies {
        assert_eq!(forms.admit(&reply), [is_admitted; 3], "{reply}");
        if is_admitted {
            let read = turn.parser.parse(&reply);
            let ticket = output.parse(read.content()).unwrap();
            assert!(ticket.repairs.is_empty());
            assert_eq!((ticket.value.urgency, ticket.value.state), (5, State::Open));
        }
    }
}

#[test]
fn every_template_gives_a_grammar_whose_replies_parse_as_the_type() {
    let output = Output::<Ticket>::new();
    let (mut formats, mut samples) = (0, 0);
    for path in templates() {
        let found = ChatTemplates::from_path(&path).unwrap();
        let template = found.choose(None, false).unwrap();
        let options = PromptOptions::new().with_output(&output);
        let Ok(turn) = template.apply(&[Message::user("Hi")], &[], &options) else { continue };
        let forms = Notations::of(&turn);
        assert!(!turn.grammar.as_ref().unwrap().lazy);
        formats += 1;
        for seed in 0..8 {
            let text = forms.gbnf.sample(&mut Dice::new(seed), 30, seed % 2 == 0);
            // The only escape that llguidance does not know.
            if !text.contains("\\/") {
                assert_eq!(forms.lark.refused_from(&text), None, "{}: {text}", path.display());
            }
            assert!(forms.tag.admits(&text), "{}: {text}", path.display());
            let read = turn.parser.parse(&text);
            if let Err(error) = output.parse(read.content()) {
                panic!("{}: {error}\n{text}", path.display());
            }
            samples += 1;
        }
    }
    assert!(formats > 12, "{samples} replies in {formats} formats");
}

#[test]
fn a_number_has_an_object_around_it_and_a_text_no_grammar() {
    let template = ChatTemplate::from_text(REASONING).unwrap();
    let number = turn(&template, &[], &Output::<u8>::new());
    let forms = Notations::of(&number);
    assert_eq!(forms.admit(r#"{"value": 7, "reply": "It is 7."}"#), [true; 3]);
    assert_eq!(forms.admit("7"), [false; 3]);
    assert!(turn(&template, &[], &Output::<String>::new()).grammar.is_none());
}

#[test]
fn constraints_outside_the_grammar_are_checked_by_the_type() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only its schema counts")]
    struct Even {
        #[schemars(extend("multipleOf" = 7))]
        number: u32,
    }
    let template = ChatTemplate::from_text(REASONING).unwrap();
    let output = Output::<Even>::new();
    let turn = turn(&template, &[], &output);
    let widened = &turn.grammar.as_ref().unwrap().widened;
    assert_eq!(widened.len(), 1, "{widened:?}");
    assert!(Notations::of(&turn).gbnf.admits(r#"{"number": 8}"#));
    assert!(output.parse(r#"{"number": 8}"#).is_err());
    // To get an error instead, the caller sets the options.
    let strict = PromptOptions::new().with_output(&output).with_grammar(GrammarOptions::new());
    assert!(template.apply(&[Message::user("Hi")], &[], &strict).is_err());
}

#[test]
fn with_tools_the_model_may_call_or_answer() {
    let path = templates().into_iter().find(|path| {
        let found = ChatTemplates::from_path(path).unwrap();
        found.choose(None, true).unwrap().format().is_ok_and(|it| it.tools.is_some())
    });
    let found = ChatTemplates::from_path(path.unwrap()).unwrap();
    let template = found.choose(None, true).unwrap();
    let time = ToolSpec::new("time", Map::from([("type", "object")]));
    let options =
        PromptOptions::new().with_tool_choice(ToolChoice::Auto).with_output(&Output::<u8>::new());
    let turn = template.apply(&[Message::user("Hi")], &[time], &options).unwrap();
    let forms = Notations::of(&turn);
    let (mut calls, mut answers) = (0, 0);
    for seed in 0..40 {
        let text = forms.gbnf.sample(&mut Dice::new(seed), 20, true);
        let reply = turn.parser.parse(&text);
        match reply.calls().is_empty() {
            true => answers += usize::from(Output::<u8>::new().parse(reply.content()).is_ok()),
            false => calls += 1,
        }
    }
    assert!(calls > 0 && answers > 0 && calls + answers == 40, "{calls} calls, {answers} answers");
}
