//! The cases of the specification for requests, responses, streams and lists of models.

use prompty_core::message::thread_from_value;
use prompty_core::value::Value;
use serde_json::{Value as Json, json};
use typed_prompty::reply::{Event, Reply};
use typed_prompty::wire::{
    CapabilityTable, EmbeddingRequest, Embeddings, ImageRequest, Images, ModelInfo, ModelListing,
    Protocol, Request, WireErrorKind, audio_format,
};
use typed_prompty::{Definition, Error};

use crate::frame::{Area, Case, Outcome};
use crate::prompt;

/// The areas in the order of the report.
pub(crate) const AREAS: [Area; 6] = [
    Area::new("prompty/wire", request),
    Area::new("prompty/wire_audio", audio),
    Area::new("prompty/process", response),
    Area::new("prompty/stream", stream),
    Area::new("prompty/enrichment", enrichment),
    Area::new("prompty/discovery", discovery),
];

fn protocol(case: &Case<'_>) -> Protocol {
    match (case.given("provider").as_str(), case.given("api").as_str()) {
        (Some("anthropic"), _) => Protocol::AnthropicMessages,
        (_, Some("responses")) => Protocol::OpenAiResponses,
        _ => Protocol::OpenAiChat,
    }
}

/// Compares a result with the expected result under a name.
fn compare(case: &Case<'_>, name: &str, found: Result<Json, Error>) -> Outcome {
    match found {
        Ok(found) => prompt::equal(&found, &case.json["expect"][name]),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

fn request(case: &Case<'_>) -> Outcome {
    compare(case, "request", body(case))
}

/// The body of the request for a prompt with the case's tools, options and outputs.
fn body(case: &Case<'_>) -> Result<Json, Error> {
    let front_matter = json!({
        "model": {"id": case.given("model"), "options": case.given("options")},
        "tools": case.given("tools"),
        "outputs": case.given("outputs"),
    });
    // JSON is a subset of YAML.
    let definition = Definition::from_text(format!("---\n{front_matter}\n---\n"))?;
    let messages = thread_from_value(&Value::from_serialize(case.given("messages"))?)?;
    let model = case.given("model").as_str().unwrap();
    let options = definition.model.as_ref().and_then(|model| model.options.clone());
    let options = options.unwrap_or_default();
    let json = match case.given("api").as_str() {
        Some("embedding") => {
            EmbeddingRequest::from_messages(model, &messages)?.with_options(&options).to_json()?
        }
        Some("image") => {
            ImageRequest::from_messages(model, &messages)?.with_options(&options).to_json()?
        }
        _ => {
            let mut request = Request::new(model, &messages)
                .with_protocol(protocol(case))
                .with_tools(definition.function_tools()?)
                .with_options(&options);
            if let Some(shape) = definition.output_shape()? {
                request = request.with_response_format(&shape);
            }
            request.to_json()?
        }
    };
    Ok(serde_json::from_str(&json).unwrap())
}

fn audio(case: &Case<'_>) -> Outcome {
    let format = audio_format(case.given("media_type").as_str().unwrap());
    prompt::equal(&json!(format), &case.json["expect"]["format"])
}

fn response(case: &Case<'_>) -> Outcome {
    let body = case.given("response").to_string();
    let body = body.as_bytes();
    compare(
        case,
        "result",
        match case.given("api").as_str() {
            Some("embedding") => {
                Embeddings::read(200, body).map(|it| vectors(&it)).map_err(Error::from)
            }
            Some("image") => Images::read(200, body).map(places).map_err(Error::from),
            _ => {
                let reply = protocol(case).read(200, body).map_err(Error::from);
                reply.map(|reply| result(&reply, *case.given("has_outputs") == true))
            }
        },
    )
}

fn vectors(response: &Embeddings) -> Json {
    // Printing an `f32` gives the decimal fraction of the response.
    let number = |number: &f32| number.to_string().parse::<f64>().unwrap();
    let vectors = response.vectors.iter().map(|vector| vector.iter().map(number).collect::<Json>());
    one_or_all(vectors.collect())
}

fn places(response: Images) -> Json {
    one_or_all(response.images.into_iter().map(|image| image.media.value.into()).collect())
}

fn one_or_all(mut all: Vec<Json>) -> Json {
    if all.len() == 1 { all.remove(0) } else { all.into() }
}

/// The result of a response, as the specification defines it (§8).
fn result(reply: &Reply, has_outputs: bool) -> Json {
    if !reply.calls().is_empty() {
        let calls = reply.calls().iter();
        return calls
            .map(|it| json!({"id": it.id, "name": it.name, "arguments": it.arguments}))
            .collect();
    }
    // Our replies keep a refusal separate from the content, so it is not mistaken for an answer.
    let text = reply.refusal().unwrap_or(reply.content());
    match has_outputs {
        true => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        false => text.into(),
    }
}

fn stream(case: &Case<'_>) -> Outcome {
    let (mut stream, mut chunks) = (protocol(case).reader(), Vec::new());
    let events = case.given("events").as_array().unwrap();
    for event in events.iter().filter_map(|event| event.get("chunk")) {
        for event in stream.push(&event.to_string()) {
            if let Event::Content { text } = event {
                chunks.push(json!({"kind": "text", "value": text}));
            }
        }
    }
    let broken = events.iter().find_map(|event| event["transport_error"].as_str());
    let ended = match broken {
        Some(message) => Err(stream.fail(message)),
        None => stream.finish(),
    };
    let reply = match &ended {
        Ok(reply) => reply,
        Err(error) => error.partial().unwrap(),
    };
    let failure = match (&ended, reply.refusal()) {
        (_, Some(refusal)) => Some(("determinate", format!("Model refused: {refusal}"))),
        (Err(error), _) if error.kind() == WireErrorKind::Transport => {
            Some(("indeterminate", error.to_string()))
        }
        (Err(error), _) => Some(("determinate", error.to_string())),
        (Ok(_), None) => None,
    };
    if let Some((outcome, message)) = &failure {
        chunks
            .push(json!({"kind": "failure", "failure": {"outcome": outcome, "message": message}}));
    }
    let is_open = failure.as_ref().is_some_and(|(outcome, _)| *outcome == "indeterminate");
    let found = json!({
        "chunks": chunks,
        "partial_text": reply.content(),
        "requires_reconciliation": is_open,
        "completion_committed": failure.is_none(),
    });
    prompt::equal(&found, &case.json["expect"])
}

fn enrichment(case: &Case<'_>) -> Outcome {
    let table = case.folder.join("fixtures/model_capabilities.json");
    let table = CapabilityTable::from_json(&std::fs::read_to_string(table).unwrap()).unwrap();
    let mut model: ModelInfo = serde_json::from_value(case.given("model_info").clone()).unwrap();
    table.enrich(case.given("provider").as_str().unwrap(), &mut model);
    compare(case, "model_info", Ok(json!(model)))
}

fn discovery(case: &Case<'_>) -> Outcome {
    let listing = match case.given("provider").as_str() {
        Some("anthropic") => ModelListing::Anthropic,
        Some("foundry") => ModelListing::Foundry,
        _ => ModelListing::OpenAi,
    };
    let entry = Value::from_serialize(case.given("raw")).unwrap();
    compare(case, "model_info", listing.model(&entry).map(|it| json!(it)).map_err(Error::from))
}
