//! The cost of auditing a prompt: the work grows with the template, with the tokens of the
//! tokenizer and with the data, but not with the product of two of them.

use prompty_chat::{
    ChatTemplate, ChatTemplates, Continuation, ControlTokens, PromptOptions, SpecialTokens,
};
use prompty_core::ErrorKind;
use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolResult};
use prompty_core::value::{Map, Value};
use prompty_template::RenderLimits;
use work_counting::{Work, assert_linear, count_work};

/// Writes a turn for each message.
const TURNS: &str = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}";

/// A harmless conversation.
fn greeting() -> [Message; 1] {
    [Message::user("Hi there, is 1 < 2?")]
}

/// The work of the first prompt with a template, which includes all detection. Markup is sorted,
/// and each piece is compared a logarithmic number of times.
fn first_prompt(text: &str, size: usize) -> Work {
    let prompt = || ChatTemplate::from_text(text)?.prompt(&greeting(), &[], &PromptOptions::new());
    let (prompt, work) = count_work(prompt);
    prompt.unwrap();
    Work { steps: work.steps / u64::from(size.ilog2()), ..work }
}

/// Numbered parts, joined.
fn numbered(size: usize, part: impl Fn(usize) -> String) -> String {
    (0..size).map(part).collect()
}

#[test]
fn the_first_prompt_takes_work_that_grows_with_the_template() {
    let long = "b".repeat(150);
    let templates: [(&str, &dyn Fn(usize) -> String); 8] = [
        ("fields next to markup", &|size| {
            format!("{TURNS}{{{{ '{}' }}}}", numbered(size, |it| format!("<|{it:05}|>{{")))
        }),
        ("many fields next to long markup", &|size| {
            let digit = |it: usize| it.wrapping_mul(0x9E37_79B9) % 10;
            let fields = numbered(size, |it| format!("{}%{{", digit(it)));
            format!("{TURNS}{{{{ '<|{long}|>{fields}' }}}}")
        }),
        ("markers in one text", &|size| {
            format!("{TURNS}{{{{ '{}' }}}}", numbered(size, |it| format!("<|{it:05}|>")))
        }),
        ("markers in a text each", &|size| {
            format!("{TURNS}{}", numbered(size, |it| format!("{{{{ '<|{it:05}|>' }}}}")))
        }),
        ("markers that are nearly alike", &|size| {
            let markers = numbered(size / 8, |it| format!("<|{long}{it:05}|>"));
            format!("{TURNS}{{{{ '{markers}' }}}}")
        }),
        ("brackets", &|size| format!("{TURNS}{{{{ '{}' }}}}", "[".repeat(8 * size))),
        ("angles", &|size| format!("{TURNS}{{{{ '{}' }}}}", "<a".repeat(4 * size))),
        ("words", &|size| {
            format!("{TURNS}{}", numbered(size, |it| format!("{{{{ 'x{it}' in 'x' }}}}")))
        }),
    ];
    for (what, template) in templates {
        assert_linear(what, 60, |size| first_prompt(&template(size), size));
    }
}

#[test]
fn the_first_prompt_takes_work_that_grows_with_the_tokens_of_the_tokenizer() {
    assert_linear("added tokens", 100, |size| {
        let token = |it| format!("\"{it}\": {{\"content\": \"<|{it:07}|>\", \"special\": true}},");
        let tokens = numbered(size, token);
        let tokens = tokens.trim_end_matches(',');
        let config =
            format!("{{\"added_tokens_decoder\": {{{tokens}}}, \"chat_template\": \"{TURNS}\"}}");
        let (prompt, work) = count_work(|| {
            let templates = ChatTemplates::from_tokenizer_config(&config)?;
            templates.choose(None, false)?.prompt(&greeting(), &[], &PromptOptions::new())
        });
        assert!(prompt.unwrap().data_ranges.is_empty());
        Work { steps: work.steps / u64::from(size.ilog2()), ..work }
    });
}

#[test]
fn the_output_is_searched_for_headers_once() {
    assert_linear("a template that repeats its data", 60, |size| {
        let repeat = format!("{{% for i in range({size}) %}}{{{{ m.content }}}}{{% endfor %}}");
        first_prompt(&TURNS.replace("{{ m.content }}", &repeat), size)
    });
}

/// Makes the messages of a conversation of a size.
type MakeMessages = Box<dyn Fn(usize) -> Vec<Message>>;

/// Conversations of a size, with their names.
fn conversations() -> [(&'static str, MakeMessages); 8] {
    let call = |id: usize| ContentPart::ToolCall(ToolCall::new(format!("c{id:05}"), "f", "{}"));
    [
        ("markup in one text", Box::new(|size| vec![Message::user("<|end|> and ".repeat(size))])),
        ("starts of markup", Box::new(|size| vec![Message::user("<|en".repeat(size))])),
        ("one letter", Box::new(|size| vec![Message::user("<".repeat(size))])),
        (
            "markup in many messages",
            Box::new(|size| (0..size).map(|it| Message::user(format!("<|end|>{it:05}"))).collect()),
        ),
        (
            "the same markup in many messages",
            Box::new(|size| (0..size).map(|_| Message::user("<|end|>")).collect()),
        ),
        (
            "markup in many parts",
            Box::new(|size| {
                let part = |it| ContentPart::Text(format!("<|end|>{it:05}"));
                vec![Message::new(Role::User, (0..size).map(part).collect::<Vec<_>>())]
            }),
        ),
        (
            "markup in many names",
            Box::new(|size| {
                let entry = |it| (format!("<|end|>{it:05}"), Value::from(1));
                let map = Value::from((0..size).map(entry).collect::<Map>());
                vec![Message::user("<|end|>").with_metadata("map", map)]
            }),
        ),
        (
            "results of the first of many calls",
            Box::new(move |size| {
                let calls = (0..size).map(|id| Message::new(Role::Assistant, [call(id)]));
                let results = (0..size).map(|_| Message::from(ToolResult::new("c00000", "x")));
                std::iter::once(Message::user("Hi")).chain(calls).chain(results).collect()
            }),
        ),
    ]
}

#[test]
fn a_prompt_takes_work_that_grows_with_its_data() {
    // One template that writes data unchanged, and one that splits it.
    let split = TURNS.replace("m.content", "(m.content | string).split(' ') | join('-')");
    let limits = RenderLimits::default().with_fuel(100_000_000);
    for text in [TURNS, &split] {
        let template = ChatTemplate::from_text_within(text, limits).unwrap();
        template.prompt(&greeting(), &[], &PromptOptions::new()).unwrap();
        for (what, conversation) in conversations() {
            assert_linear(what, 60, |size| {
                let messages = conversation(size);
                count_work(|| template.prompt(&messages, &[], &PromptOptions::new())).1
            });
        }
    }
}

#[test]
fn a_continued_message_of_many_parts_takes_work_that_grows_with_them() {
    let template = ChatTemplate::from_text(TURNS).unwrap();
    template.apply(&greeting(), &[], &PromptOptions::new()).unwrap();
    let options = PromptOptions::new().with_continuation(Continuation::Content);
    assert_linear("a continued message", 60, |size| {
        let part = |it| ContentPart::Text(format!("<|end|>{it:05}"));
        let parts: Vec<_> = (0..size).map(part).collect();
        let messages = [Message::user("Hi"), Message::new(Role::Assistant, parts)];
        let (turn, work) = count_work(|| template.apply(&messages, &[], &options).unwrap());
        assert_eq!(turn.data_ranges.len(), size);
        work
    });
}

#[test]
fn a_template_that_searches_for_many_words_takes_work_that_grows_with_words_and_data() {
    assert_linear("words that are searched for", 60, |size| {
        let words = numbered(size, |it| format!("{{{{ '' if '/x{it:05}' in 'x' }}}}"));
        let text = words + &TURNS.replace("m.content", "m.content.split('/') | join");
        let template = ChatTemplate::from_text(&text).unwrap();
        template.prompt(&greeting(), &[], &PromptOptions::new()).unwrap();
        let messages = [Message::user("/x00000 1 < 2 ".repeat(size))];
        let (prompt, work) = count_work(|| template.prompt(&messages, &[], &PromptOptions::new()));
        prompt.unwrap();
        Work { steps: work.steps / u64::from(size.ilog2()), ..work }
    });
}

#[test]
fn a_template_that_is_too_large_is_refused() {
    let text = |bytes: usize| TURNS.to_owned() + &"x".repeat(bytes - TURNS.len());
    assert!(ChatTemplate::from_text(&text(1 << 20)).is_ok());
    let large = text((1 << 20) + 1);
    let error = ChatTemplate::from_text(&large).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.to_string(), "the chat template has 1048577 bytes, but the limit is 1048576");
    assert!(error.help().unwrap().contains("check that this is the chat template of the model"));
    let config = Value::from(Map::from([("chat_template", large.as_str())])).to_json();
    let error = ChatTemplates::from_tokenizer_config(&config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn markup_above_the_limit_is_refused() {
    let mut tokens = SpecialTokens::new();
    tokens.others = (0..30_000).map(|it| format!("<|{it:0100}|>")).collect();
    let template = ChatTemplate::from_text(TURNS).unwrap().with_special_tokens(tokens);
    let error = template.prompt(&greeting(), &[], &PromptOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.help().unwrap().contains("ControlTokens::Ignore"));
    let trusting = PromptOptions::new().with_control_tokens(ControlTokens::Ignore);
    assert!(template.prompt(&greeting(), &[], &trusting).is_ok());
}
