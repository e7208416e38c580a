//! The errors of all steps convert into each other. `?` is enough from the text of a prompt to the
//! results of its tools, and the last error still has the kind and the help of the first one.
#![cfg(all(feature = "output", feature = "render", feature = "tools", feature = "wire"))]

use typed_prompty::check::{CheckOptions, check};
use typed_prompty::diagnostic::SourceText;
use typed_prompty::message::ToolResult;
use typed_prompty::reply::Reply;
use typed_prompty::tools::{Call, Tool, ToolSet};
use typed_prompty::wire::{Request, WireError, WireErrorKind};
use typed_prompty::{Definition, Error, ErrorKind, Message, Pipeline, Registry};

/// Looks a city up.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct LookUp {
    city: String,
}

#[derive(ToolSet)]
enum Action {
    LookUp(LookUp),
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Answer {
    city: String,
}

const PROMPT: &str =
    "---\ninputs: {question: {kind: string, required: true}}\n---\nuser:\n{{ question }}\n";

/// The replies of the provider, in the order of the requests: an answer, then a tool call.
struct Provider {
    answer: String,
    call: String,
}

impl Provider {
    fn new(content: &str, arguments: &str) -> Self {
        let choice = |message: &str| format!(r#"{{"choices": [{{"message": {message}}}]}}"#);
        let function = format!(r#"{{"name": "look_up", "arguments": "{arguments}"}}"#);
        let calls = format!(r#"[{{"id": "1", "type": "function", "function": {function}}}]"#);
        Self {
            answer: choice(&format!(r#"{{"role": "assistant", "content": "{content}"}}"#)),
            call: choice(&format!(r#"{{"role": "assistant", "tool_calls": {calls}}}"#)),
        }
    }
}

/// From the text of a prompt to the messages of a request.
fn messages(prompt: &str, input: &str) -> Result<Vec<Message>, Error> {
    let definition = Definition::from_text(prompt)?;
    let options = CheckOptions::new().with_host(&Registry::new());
    check(&definition, &options).into_result()?;
    Pipeline::new(&definition)?.prepare([(input, "Where is the Rhine?")])
}

/// From the text of a prompt to a complete reply.
fn answer(prompt: &str, input: &str, status: u16, body: &str) -> Result<Reply, WireError> {
    let messages = messages(prompt, input)?;
    let request = Request::new("small", &messages).with_output::<Answer>();
    request.to_json()?;
    Ok(request.read(status, body.as_bytes())?.complete()?)
}

/// From the text of a prompt to the results of tools.
fn results(
    prompt: &str,
    input: &str,
    status: u16,
    provider: &Provider,
) -> Result<Vec<ToolResult>, Error> {
    let reply = answer(prompt, input, status, &provider.answer)?;
    let question = [Message::user(reply.output::<Answer>()?.city)];
    let request = Request::new("small", &question).with_tools(Action::tools());
    request.to_json()?;
    let reply = request.read(200, provider.call.as_bytes())?.complete()?;
    let mut results = Vec::new();
    for call in reply.calls() {
        let Action::LookUp(LookUp { city }) = Action::from_call(call)?;
        results.push(call.answer(&format!("{city} is on the Rhine."))?);
    }
    Ok(results)
}

const CITY: &str = r#"{\"city\": \"Bonn\"}"#;

#[test]
fn a_valid_prompt_passes_all_steps() {
    let results = results(PROMPT, "question", 200, &Provider::new(CITY, CITY)).unwrap();
    assert_eq!(results[0].content[0].as_text(), Some("Bonn is on the Rhine."));
}

#[test]
fn an_error_of_any_step_keeps_its_kind() {
    let misspelt = PROMPT.replace("{{ question }}", "{{ quetsion }}");
    let unclosed = PROMPT.replace("true}}", "true}");
    let (good, none, cut) = (CITY, "no city", r#"{\"city\": "#);
    let failed = |prompt: &str, input, status, content, arguments| {
        let provider = Provider::new(content, arguments);
        let found = results(prompt, input, status, &provider).err();
        found.unwrap_or_else(|| panic!("{prompt}: {input}, {status}, {content}, {arguments}"))
    };
    let cases = [
        (failed(&unclosed, "question", 200, good, good), "unclosed bracket"),
        (failed(&misspelt, "question", 200, good, good), "unknown input `quetsion`"),
        (failed(PROMPT, "other", 200, good, good), "missing required input `question`"),
        (failed(PROMPT, "question", 503, good, good), "503"),
        (failed(PROMPT, "question", 200, none, good), "expected a JSON value, found none"),
        (failed(PROMPT, "question", 200, good, cut), "look_up"),
    ];
    for (error, expected) in &cases {
        assert!(error.to_string().contains(expected), "{expected}: {error}");
    }
    let kinds: Vec<ErrorKind> = cases.iter().map(|(error, _)| error.kind()).collect();
    assert_eq!(
        kinds,
        [
            ErrorKind::FrontMatter,
            ErrorKind::TemplateSyntax,
            ErrorKind::MissingInput,
            ErrorKind::Provider,
            ErrorKind::Conversion,
            ErrorKind::IncompleteCall,
        ]
    );
}

#[test]
fn checking_a_source_text_gives_its_first_error() {
    let wrong_kind = PROMPT.replace("kind: string", "kind: strng");
    let checked = check(SourceText::new("t", wrong_kind), &CheckOptions::new());
    let error = checked.into_result().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FrontMatter);
    assert!(error.to_string().contains("strng"), "{error}");
    assert_eq!(error.place().map(|place| place.line), Some(2));
}

#[test]
fn an_error_of_an_earlier_step_keeps_its_help() {
    let misspelt = PROMPT.replace("{{ question }}", "{{ quetsion }}");
    let first = messages(&misspelt, "question").unwrap_err();
    assert_eq!(first.help(), Some("an input with a similar name exists: `question`"));
    assert_eq!(first.place().map(|place| (place.line, place.column)), Some((5, 4)));
    let error = answer(&misspelt, "question", 200, "").unwrap_err();
    assert_eq!((error.kind(), error.help()), (WireErrorKind::Unsupported, first.help()));
    let error = Error::from(error);
    assert_eq!(
        (error.kind(), error.help(), error.place()),
        (first.kind(), first.help(), first.place())
    );
}
