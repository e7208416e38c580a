//! Functions as tools.

use std::fmt;
use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use typed_prompty::tools::{Tool, ToolErrorKind, tool};

use super::{SendArguments, call, send, text};

/// Runs a future, polling it in a loop.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

#[test]
fn the_function_and_its_argument_type_can_be_called() {
    assert_eq!(send("Ada".into(), "Hello".into()), Ok(5));
    let arguments = SendArguments { to: "Ada".into(), text: "Hello".into() };
    assert_eq!(arguments.call(), Ok(5));
}

#[test]
fn an_answer_is_the_text_of_the_returned_value() {
    let answer = |to: &str| SendArguments { to: to.into(), text: "Hello".into() }.answer();
    assert_eq!(answer("Ada").unwrap(), "5");
    let error = answer("nobody").unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ToolErrorKind::Failed, "unknown recipient `nobody`")
    );
}

#[derive(Debug, PartialEq, serde::Serialize)]
pub(crate) struct Sent {
    id: u64,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the mailbox is full")
    }
}

type Outcome<T> = Result<T, Full>;

/// Posts a letter.
///
/// It takes some days.
#[tool(name = "post_letter", arguments = Letter, derive(Debug, Clone))]
pub(crate) async fn post(
    #[tool(context)] letters: &mut Vec<String>,
    mut to: String,
    /// What it says,
    /// in full.
    text: String,
    #[tool(description = "How fast.")]
    #[serde(default, rename = "inHaste")]
    haste: bool,
    r#type: Option<u8>,
) -> Outcome<Sent> {
    if letters.len() > 1 {
        return Err(Full);
    }
    to.push_str(if haste { "!" } else { "." });
    letters.push(format!("{to} {text} {type:?}"));
    ready(Ok(Sent { id: 7 })).await
}

#[test]
fn a_function_may_be_async_and_take_a_context() {
    let mut letters = Vec::new();
    let arguments = r#"{"to": "Ada", "text": "Hi", "inHaste": true, "type": 3}"#;
    let letter = Letter::from_call(&call("post_letter", arguments)).unwrap();
    assert_eq!(block_on(letter.clone().answer(&mut letters)).unwrap(), r#"{"id":7}"#);
    assert_eq!(block_on(letter.clone().call(&mut letters)), Ok(Sent { id: 7 }));
    assert_eq!(letters, ["Ada! Hi Some(3)"; 2]);
    let error = block_on(letter.answer(&mut letters)).unwrap_err();
    assert_eq!(text(&error.to_result(&call("post_letter", ""))), "error: the mailbox is full");
}

#[test]
fn parameters_are_described_and_renamed() {
    let tool = Letter::tool();
    assert_eq!(tool.description.as_deref(), Some("Posts a letter.\n\nIt takes some days."));
    let properties = tool.parameters.get("properties").unwrap();
    let expected = concat!(
        r#"{"to": {"type": "string"}, "text": {"type": "string", "#,
        r#""description": "What it says,\nin full."}, "inHaste": {"type": "boolean", "#,
        r#""description": "How fast.", "default": false}, "type": {"type": "integer", "minimum": 0, "maximum": 255}}"#
    );
    assert_eq!(properties.to_json(), expected);
}

/// Counts.
#[tool]
const fn count() -> u8 {
    3
}

/// Does nothing.
#[tool]
fn nothing() {}

#[test]
fn a_function_may_return_a_value_that_is_not_a_result() {
    assert_eq!(CountArguments {}.answer().unwrap(), "3");
    assert_eq!(CountArguments {}.call(), 3);
    assert_eq!(NothingArguments {}.answer().unwrap(), "null");
    assert!(CountArguments::from_call(&call("count", r#"{"x": 1}"#)).is_err());
}

/// Gives the number.
///
/// - once
///     - or twice
#[tool]
fn number(number: u8, #[tool(context)] given: u8) -> u8 {
    number + given
}

/// Counts up to two.
#[tool]
#[deprecated]
fn _2_up(number: u8) -> u8 {
    number.min(2)
}

#[test]
fn parameters_and_functions_may_have_any_name() {
    let arguments = NumberArguments::from_call(&call("number", r#"{"number": 3}"#)).unwrap();
    assert_eq!(arguments.answer(4).unwrap(), "7");
    assert_eq!(NumberArguments::DESCRIPTION, "Gives the number.\n\n- once\n    - or twice");
    assert_eq!(_2UpArguments { number: 3 }.call(), 2);
}

/// Greets.
#[tool]
async fn greet<'a, N>(
    #[tool(context)] greetings: &'a [&'a str],
    #[tool(context)] name: N,
    which: usize,
) -> Result<(&'a str, String), &'a str>
where
    N: fmt::Display,
{
    ready(()).await;
    greetings.get(which).map(|it| (*it, name.to_string())).ok_or("no such greeting")
}

#[test]
fn the_context_of_a_function_may_have_any_type() {
    let greetings = ["Hello", "Hi"];
    assert_eq!(
        block_on(GreetArguments { which: 1 }.call(&greetings, 7)).unwrap(),
        ("Hi", "7".into())
    );
    let text = block_on(GreetArguments { which: 0 }.answer(&greetings, "Ada")).unwrap();
    assert_eq!(text, r#"["Hello","Ada"]"#);
    let error = block_on(GreetArguments { which: 2 }.answer(&greetings, 'A')).unwrap_err();
    assert_eq!(error.to_string(), "no such greeting");
}

/// Keeps all other arguments.
#[tool]
fn keep(name: String, #[serde(flatten)] rest: std::collections::BTreeMap<String, u8>) -> String {
    format!("{name} {rest:?}")
}

#[test]
fn a_flattened_parameter_takes_the_other_arguments() {
    let arguments = r#"{"name": "Ada", "a": 1, "b": 2}"#;
    let kept = KeepArguments::from_call(&call("keep", arguments)).unwrap();
    assert_eq!(kept.answer().unwrap(), r#"Ada {"a": 1, "b": 2}"#);
    let schema = KeepArguments::tool().parameters;
    let others = schema.get("additionalProperties").unwrap().to_json();
    assert_eq!(others, r#"{"type": "integer", "minimum": 0, "maximum": 255}"#);
}

#[doc = concat!("Made ", "of parts,")]
/// and of lines.
#[tool]
fn made() {}

#[test]
fn a_doc_comment_may_be_made_by_a_macro() {
    assert_eq!(MadeArguments::DESCRIPTION, "Made of parts,\nand of lines.");
}
