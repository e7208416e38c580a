//! Requests: a conversation becomes the body of an HTTP request.
//!
//! The peer has two rows. *Built*: its messages are built for each request, from the service's own
//! turns. *Kept*: the service keeps its messages, and each request copies them, because it owns
//! them.

use std::hint::black_box;
use std::rc::Rc;

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls,
    ChatCompletionRequestAssistantMessageArgs, ChatCompletionRequestMessage,
    ChatCompletionRequestSystemMessageArgs, ChatCompletionRequestToolMessageArgs,
    ChatCompletionRequestUserMessageArgs, ChatCompletionTool, ChatCompletionTools,
    CreateChatCompletionRequestArgs, FunctionCall, FunctionObjectArgs, ResponseFormat,
    ResponseFormatJsonSchema,
};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use typed_prompty::Message;
use typed_prompty::message::{ContentPart, Role, ToolCall, ToolResult, ToolSpec};
use typed_prompty::output::Output;
use typed_prompty::value::Map;
use typed_prompty::wire::Request;

use crate::Work;

const MODEL: &str = "gpt-4o";
const LIMIT: u32 = 800;
/// Our name for the schema of an output.
const OUTPUT: &str = "structured_output";

/// A turn of a conversation, in the form of a service.
enum Turn {
    System(String),
    User(String),
    Assistant(String),
    Call { id: String, arguments: String },
    Result { id: String, text: String },
}

/// The type of the answer.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Triage {
    /// What the customer wants, in a sentence.
    summary: String,
    /// How urgent it is, from 1 to 5.
    urgency: u8,
    /// The orders that it is about.
    orders: Vec<Order>,
}

/// An order.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Order {
    /// Its number.
    number: u32,
    /// What is wrong with it.
    fault: String,
}

/// A tool's arguments.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Look {
    /// What to look for.
    query: String,
    /// At most so many results.
    limit: Option<u32>,
    /// Where to look: the name of a collection.
    collection: Option<String>,
}

pub fn works() -> Vec<Work> {
    let sizes = [2, 20, 200];
    sizes
        .into_iter()
        .flat_map(|count| [(count, false), (count, true)])
        .flat_map(|(count, has_tools)| plain(count, has_tools))
        .chain(outputs())
        .collect()
}

/// A conversation: a system message, then questions, calls, results and answers.
fn turns(count: usize) -> Vec<Turn> {
    let text = |what: &str, at: usize| {
        format!("{what} {at}: \u{201e}gro\u{df}\u{201c} or \"large\", and what follows from it.\n")
            .repeat(3)
    };
    let turn = |at: usize| match at {
        0 => Turn::System(text("You are helpful", at)),
        _ => match at % 4 {
            1 => Turn::User(text("Question", at)),
            2 => Turn::Call {
                id: format!("call_{at}"),
                arguments: format!(r#"{{"query":"order {at}","limit":5}}"#),
            },
            3 => Turn::Result { id: format!("call_{}", at - 1), text: text("Result", at) },
            _ => Turn::Assistant(text("Answer", at)),
        },
    };
    (0..count).map(turn).collect()
}

fn plain(count: usize, has_tools: bool) -> [Work; 2] {
    let turns = Rc::new(turns(count));
    let messages: Rc<Vec<Message>> = Rc::new(turns.iter().map(message).collect());
    let kept: Rc<Vec<_>> = Rc::new(turns.iter().map(peer_message).collect());
    let (tools, peer_tools) = if has_tools { self::tools() } else { (Vec::new(), Vec::new()) };
    let (tools, peer_tools) = (Rc::new(tools), Rc::new(peer_tools));
    let ours = {
        let (messages, tools) = (Rc::clone(&messages), Rc::clone(&tools));
        move || {
            let request = Request::new(MODEL, &messages).with_tools(&*tools);
            request
                .with_temperature(0.5)
                .with_max_output_tokens(LIMIT.into())
                .to_json()
                .expect("the request is valid")
        }
    };
    let peer = move |messages: Vec<ChatCompletionRequestMessage>| {
        let mut request = CreateChatCompletionRequestArgs::default();
        request.model(MODEL).messages(messages).temperature(0.5_f32).max_completion_tokens(LIMIT);
        if !peer_tools.is_empty() {
            request.tools(Vec::clone(&peer_tools));
        }
        serde_json::to_string(&request.build().expect("the request is complete"))
            .expect("the request is serializable")
    };
    let built = {
        let (turns, peer) = (turns, peer.clone());
        move || peer(turns.iter().map(peer_message).collect())
    };
    let kept = move || peer(Vec::clone(&kept));
    let name = match has_tools {
        true => format!("request, {count} messages, 5 tools"),
        false => format!("request, {count} messages"),
    };
    assert_same(&name, &ours(), &built());
    assert_same(&name, &ours(), &kept());
    [
        work(format!("{name}; peer built"), ours.clone(), built),
        work(format!("{name}; peer kept"), ours, kept),
    ]
}

/// The schema of an answer for OpenAI's strict mode, as a service writes it with only schemars.
fn strict_schema<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = settings.with_transform(RecursiveTransform(|schema: &mut Schema| {
        let Some(object) = schema.as_object_mut() else { return };
        for refused in ["format", "default"] {
            object.remove(refused);
        }
        if let Some(Json::Object(properties)) = object.get("properties") {
            let names = properties.keys().cloned().collect::<Vec<_>>();
            object.insert("required".to_owned(), names.into());
            object.insert("additionalProperties".to_owned(), false.into());
        }
    }));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Requests for an answer of a type, which each request names or whose output is kept. Schemars
/// creates the schema for each request, or once. Ours creates it once for each type.
fn outputs() -> [Work; 2] {
    let messages: Rc<Vec<Message>> = Rc::new(turns(2).iter().map(message).collect());
    let kept: Rc<Vec<_>> = Rc::new(turns(2).iter().map(peer_message).collect());
    let output = Output::<Triage>::new();
    let peer = move |schema: Json| {
        let mut request = CreateChatCompletionRequestArgs::default();
        let json_schema = ResponseFormatJsonSchema {
            name: OUTPUT.to_owned(),
            schema,
            strict: Some(true),
            description: None,
        };
        request.model(MODEL).messages(Vec::clone(&kept));
        request.response_format(ResponseFormat::JsonSchema { json_schema });
        serde_json::to_string(&request.build().expect("the request is complete"))
            .expect("the request is serializable")
    };
    let by_type = {
        let messages = Rc::clone(&messages);
        move || {
            Request::new(MODEL, &messages)
                .with_output::<Triage>()
                .to_json()
                .expect("the request is valid")
        }
    };
    let peer_by_type = {
        let peer = peer.clone();
        move || peer(strict_schema::<Triage>())
    };
    let kept = move || {
        Request::new(MODEL, &messages)
            .with_response_format(&output)
            .to_json()
            .expect("the request is valid")
    };
    let peer_kept = {
        let schema = strict_schema::<Triage>();
        move || peer(schema.clone())
    };
    [
        work("request, 2 messages, an output by its type".to_owned(), by_type, peer_by_type),
        work("request, 2 messages, an output that is kept".to_owned(), kept, peer_kept),
    ]
}

fn work(
    name: String,
    ours: impl Fn() -> String + 'static,
    peer: impl Fn() -> String + 'static,
) -> Work {
    Work::new(name, move || drop(black_box(ours())), move || drop(black_box(peer())))
}

/// Asserts that ours and the peer write the same request.
fn assert_same(name: &str, ours: &str, peer: &str) {
    let json = |text: &str| serde_json::from_str::<Json>(text).expect("it is JSON");
    let (mut ours, mut peer) = (json(ours), json(peer));
    // Next to calls, ours writes `null` as the content, which some servers demand. The peer leaves
    // it out.
    for message in ours["messages"].as_array_mut().expect("the request has messages") {
        message
            .as_object_mut()
            .expect("a message is an object")
            .retain(|_, value| !value.is_null());
    }
    peer.as_object_mut().expect("a request is an object").retain(|_, value| !value.is_null());
    assert_eq!(ours, peer, "{name}");
}

fn message(turn: &Turn) -> Message {
    match turn {
        Turn::System(text) => Message::system(text),
        Turn::User(text) => Message::user(text),
        Turn::Assistant(text) => Message::assistant(text),
        Turn::Call { id, arguments } => {
            let call = ContentPart::ToolCall(ToolCall::new(id, "look_0", arguments));
            Message::new(Role::Assistant, vec![call])
        }
        Turn::Result { id, text } => ToolResult::new(id, text).into(),
    }
}

fn peer_message(turn: &Turn) -> ChatCompletionRequestMessage {
    let defaults = "all fields have defaults";
    match turn {
        Turn::System(text) => {
            let mut message = ChatCompletionRequestSystemMessageArgs::default();
            message.content(text.as_str()).build().expect(defaults).into()
        }
        Turn::User(text) => {
            let mut message = ChatCompletionRequestUserMessageArgs::default();
            message.content(text.as_str()).build().expect(defaults).into()
        }
        Turn::Assistant(text) => {
            let mut message = ChatCompletionRequestAssistantMessageArgs::default();
            message.content(text.as_str()).build().expect(defaults).into()
        }
        Turn::Call { id, arguments } => {
            let function = FunctionCall { name: "look_0".to_owned(), arguments: arguments.clone() };
            let call = ChatCompletionMessageToolCall { id: id.clone(), function };
            let calls = vec![ChatCompletionMessageToolCalls::Function(call)];
            let mut message = ChatCompletionRequestAssistantMessageArgs::default();
            message.tool_calls(calls).build().expect(defaults).into()
        }
        Turn::Result { id, text } => {
            let mut message = ChatCompletionRequestToolMessageArgs::default();
            message.tool_call_id(id).content(text.as_str()).build().expect(defaults).into()
        }
    }
}

/// Five tools, in the forms of both.
fn tools() -> (Vec<ToolSpec>, Vec<ChatCompletionTools>) {
    let schema = schema_for!(Look);
    let json = serde_json::to_value(&schema).expect("a schema is JSON");
    let map: Map = serde_json::from_value(json.clone()).expect("a schema is an object");
    let tool = |at: usize| {
        let (name, description) =
            (format!("look_{at}"), "Looks something up in one of the collections.");
        let function = FunctionObjectArgs::default()
            .name(&name)
            .description(description)
            .parameters(json.clone())
            .build()
            .expect("the request is complete");
        let peer = ChatCompletionTools::Function(ChatCompletionTool { function });
        (ToolSpec::new(name, map.clone()).with_description(description), peer)
    };
    (0..5).map(tool).unzip()
}
