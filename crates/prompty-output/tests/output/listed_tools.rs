//! Tools that are known only at run time, alone and together with typed ones.

use prompty_core::Error;
use prompty_core::error::ErrorKind;
use prompty_core::message::{Strictness, ToolCall, ToolResult, ToolSpec};
use prompty_core::value::{Map, Value};
use prompty_output::tools::{AsyncToolbox, Tool, ToolErrorKind, Toolbox};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    city: String,
}

impl Tool for Weather {
    const NAME: &'static str = "weather";
    const DESCRIPTION: &'static str = "The weather in a city.";
}

/// What an MCP server lists.
const LISTED: &str = r##"[
    {"name": "search", "title": "Search", "description": "Searches the files.", "inputSchema": {
        "type": "object",
        "properties": {
            "word": {"type": "string", "minLength": 1},
            "filters": {"type": "array", "items": {"$ref": "#/$defs/filter"}},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9}
        },
        "required": ["word"],
        "additionalProperties": false,
        "$defs": {"filter": {"type": "object", "properties": {"a/b": {"enum": ["x", "y"]}}}}
    }},
    {"name": "clear", "inputSchema": {"type": "object"}}
]"##;

fn listed() -> Vec<ToolSpec> {
    let listed = Value::from_json(LISTED).unwrap();
    listed.as_array().unwrap().iter().map(|it| ToolSpec::from_listed(it).unwrap()).collect()
}

fn echo() -> Toolbox<'static> {
    Toolbox::new().with_tools(listed(), |name: &str, arguments: Map| match name {
        "search" => Ok(Value::from(arguments)),
        name => Err(format!("`{name}` is not allowed")),
    })
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("1", name, arguments)
}

fn text(result: &ToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

#[test]
fn listed_and_typed_tools_are_in_one_toolbox() {
    let toolbox = echo().with(|weather: Weather| format!("Warm in {}.", weather.city));
    let names: Vec<String> = toolbox.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["search", "clear", "weather"]);
    assert_eq!(toolbox.tools()[0].description.as_deref(), Some("Searches the files."));
    let calls = [
        call("search", r#"{"word": "a", "limit": 12345678901234567890}"#),
        call("search", r#"{"word": "a", "limit": 3}"#),
        call("clear", ""),
        call("weather", r#"{"city": "Rome"}"#),
        call("other", "{}"),
    ];
    let answers: Vec<(bool, String)> =
        toolbox.answer_all(&calls).iter().map(|it| (it.is_error, text(it).to_owned())).collect();
    let expected = [
        (
            true,
            "error: the arguments of `search` do not match its parameters: at limit: \
             must be at most 9, found 12345678901234567890\n\
             help: `limit` must match {\"type\":\"integer\",\"minimum\":1,\"maximum\":9}",
        ),
        (false, r#"{"word":"a","limit":3}"#),
        (true, "error: `clear` is not allowed"),
        (false, "Warm in Rome."),
        (true, "error: unknown tool `other`\nhelp: available tools: `search`, `clear`, `weather`"),
    ];
    assert_eq!(answers, expected.map(|(is_error, text)| (is_error, text.to_owned())));
}

#[test]
fn an_error_has_the_place_and_what_was_expected() {
    let rejection = |arguments| {
        let error = echo().call(&call("search", arguments)).unwrap_err();
        assert_eq!(error.kind(), ToolErrorKind::Arguments);
        (error.place().map(str::to_owned), error.help().unwrap().to_owned())
    };
    let (place, help) = rejection("{}");
    assert_eq!(place, None);
    assert_eq!(help, "the tool accepts `word`, and optionally `filters`, `limit`");
    let (place, help) = rejection(r#"{"word": "a", "filters": [{}, {"a/b": "z"}]}"#);
    assert_eq!(place.as_deref(), Some(r#"filters[1]["a/b"]"#));
    assert_eq!(help, r#"`filters[1]["a/b"]` must match {"enum":["x","y"]}"#);
    assert_eq!(rejection(r#"{"word": ""}"#).0.as_deref(), Some("word"));
    assert_eq!(rejection("[1]").1, r#"give the arguments by name: {"name": value}"#);
    assert_eq!(rejection(r#"{"word": "a"#).1, "write the arguments as one JSON object");
}

#[test]
fn an_optional_argument_may_be_null() {
    // Strict modes write a missing argument as `null`.
    let answer = echo().answer(&call("search", r#"{"word": "a", "limit": null}"#));
    assert_eq!(text(&answer), r#"{"word":"a"}"#);
}

/// A reader that keeps another one of two equal names would pass on what was not validated.
#[test]
fn the_arguments_that_were_validated_are_passed_on() {
    let toolbox = echo();
    let answer = toolbox.answer(&call("search", r#"{"word": 7, "word": "a"}"#));
    let other = toolbox.answer(&call("search", r#"{"word": "a", "word": 7}"#));
    assert_ne!(answer.is_error, other.is_error);
    assert!([text(&answer), text(&other)].contains(&r#"{"word":"a"}"#));
}

#[test]
fn arguments_may_be_a_type_of_the_program() {
    #[derive(serde::Deserialize)]
    struct Search {
        word: String,
        limit: Option<u8>,
    }
    let run = |_: &str, Search { word, limit }: Search| format!("{word} {limit:?}");
    let toolbox = Toolbox::new().with_tools(listed(), run);
    let answer = toolbox.answer(&call("search", r#"{"word": "a", "limit": 3.0}"#));
    assert_eq!(text(&answer), "a Some(3)");
    let error = toolbox.call(&call("clear", "{}")).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::Arguments);
    let json = |_: &str, it: serde_json::Map<String, serde_json::Value>| it.len();
    let toolbox = Toolbox::new().with_tools(listed(), json);
    assert_eq!(text(&toolbox.answer(&call("search", r#"{"word": "a"}"#))), "1");
}

#[test]
fn a_function_may_wait() {
    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(future).poll(&mut context) {
            std::task::Poll::Ready(value) => value,
            std::task::Poll::Pending => unreachable!("no function waits for another thread"),
        }
    }
    let toolbox = AsyncToolbox::new()
        .with(|weather: Weather| weather.city.len())
        .with_tools_async(listed(), |name, arguments: Map| async move {
            format!("{name}: {} arguments", arguments.len())
        });
    let calls = [call("search", r#"{"word": "a"}"#), call("weather", r#"{"city": "Rome"}"#)];
    let answers = block_on(toolbox.answer_all(&calls));
    assert_eq!(answers.iter().map(text).collect::<Vec<_>>(), ["search: 1 arguments", "4"]);
    assert!(block_on(toolbox.answer(&call("search", "{}"))).is_error);
}

#[test]
fn tools_are_read_in_the_forms_of_chat_apis() -> Result<(), Error> {
    let read = |json: &str| ToolSpec::from_listed(&Value::from_json(json)?);
    let tool = read(
        r#"{"type": "function", "function": {"name": "now", "parameters": {}, "strict": true}}"#,
    )?;
    assert_eq!(tool, ToolSpec::new("now", Map::new()).with_strictness(Strictness::On));
    let tool = read(r#"{"name": "now", "description": "The time.", "input_schema": {}}"#)?;
    assert_eq!(tool, ToolSpec::new("now", Map::new()).with_description("The time."));

    let error = read(r#"{"name": "now"}"#).unwrap_err();
    let message = "expected an object as `inputSchema` of the tool `now`, found nothing";
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::WrongInput, message));
    let error = read("[7]").unwrap_err();
    assert_eq!(error.to_string(), "expected a tool with a `name`, found [7]");
    Ok(())
}
