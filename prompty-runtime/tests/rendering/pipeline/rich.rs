//! Threads, images, files and audio: in their places, in every form.

use prompty_core::message::{ContentPart, Media, Message, ToolCall};
use prompty_core::value::{Map, Value};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};

use super::{definition, shown};

fn prepare(template: &str, inputs: Inputs) -> Vec<Message> {
    PipelineBuilder::from_text("test", template).build().unwrap().prepare(inputs).unwrap()
}

fn thread(texts: &[&str]) -> Vec<Message> {
    texts.iter().map(|text| Message::assistant(*text)).collect()
}

#[test]
fn two_threads_in_one_message_are_expanded_from_left_to_right() {
    let inputs =
        Inputs::new().with_thread("b", thread(&["3"])).with_thread("a", thread(&["1", "2"]));
    let messages = prepare("user[id=7]:\nx\n{{ a }}\ny {{ b }} z", inputs);
    let expected =
        ["user: x", "assistant: 1", "assistant: 2", "user: y", "assistant: 3", "user: z"];
    assert_eq!(shown(&messages), expected);
    assert_eq!(messages[5].metadata, Map::from([("id", 7)]), "a split keeps the metadata");
}

#[test]
fn the_same_thread_can_be_printed_twice() {
    let inputs = Inputs::new().with_thread("h", thread(&["1"]));
    let messages = prepare("user:\n{{ h }}\nagain\n{{ h }}\nsystem:\n{{ h }}", inputs);
    let expected = ["assistant: 1", "user: again", "assistant: 1", "assistant: 1"];
    assert_eq!(shown(&messages), expected);
}

#[test]
fn empty_and_missing_threads_write_nothing() {
    let prompt = definition("inputs: [{name: h, kind: thread}]", "system:\nS\nuser:\n{{ h }}");
    let pipeline = Pipeline::new(&prompt).unwrap();
    assert_eq!(shown(&pipeline.prepare(Map::new()).unwrap()), ["system: S"]);
    let empty = Inputs::new().with_thread("h", Vec::new());
    assert_eq!(shown(&pipeline.prepare(empty).unwrap()), ["system: S"]);
}

#[test]
fn a_thread_and_an_image_share_a_message() {
    let inputs =
        Inputs::new().with_thread("h", thread(&["1"])).with_image("photo", Media::new("u"));
    let messages = prepare("user:\nlook {{ photo }}\n{{ h }}\nand {{ photo }} again", inputs);
    let image = ContentPart::Image(Media::new("u"));
    assert_eq!(messages[0].content, ["look ".into(), image.clone()]);
    assert_eq!(messages[1], Message::assistant("1"));
    assert_eq!(messages[2].content, ["and ".into(), image, " again".into()]);
}

#[test]
fn media_become_parts_in_their_place() {
    let inputs = Inputs::new()
        .with_image("photo", Media::new("p").with_media_type("image/png").with_detail("low"))
        .with_file("paper", "f")
        .with_audio("voice", "a");
    let messages = prepare("user:\n{{ photo }}\nread {{ paper }}{{ voice }}\n", inputs);
    let expected = [
        ContentPart::Image(Media::new("p").with_media_type("image/png").with_detail("low")),
        ContentPart::from("read "),
        ContentPart::File(Media::new("f")),
        ContentPart::Audio(Media::new("a")),
    ];
    assert_eq!(messages[0].content, expected);
}

const MEDIA: &str = "inputs: [{name: photo, kind: image}, {name: voice, kind: audio},
    {name: paper, kind: file}]";

#[test]
fn declared_media_may_be_given_as_plain_values() {
    let pipeline =
        Pipeline::new(&definition(MEDIA, "user:\n{{ photo }}{{ voice }}{{ paper }}")).unwrap();
    let given = r#"{"photo": "p", "voice": {"value": "v", "mediaType": "audio/wav"},
        "paper": {"url": "f"}}"#;
    let messages = pipeline.prepare(serde_json::from_str::<Map>(given).unwrap()).unwrap();
    let expected = [
        ContentPart::Image(Media::new("p")),
        ContentPart::Audio(Media::new("v").with_media_type("audio/wav")),
        ContentPart::File(Media::new("f")),
    ];
    assert_eq!(messages[0].content, expected);
}

#[test]
fn a_missing_optional_image_writes_nothing() {
    let template =
        "user:\n{% if photo %}Look: {{ photo }}{% else %}No photo.{% endif %}{{ voice }}";
    let pipeline = Pipeline::new(&definition(MEDIA, template)).unwrap();
    let given = r#"{"photo": null}"#;
    for inputs in [Map::new(), serde_json::from_str(given).unwrap()] {
        assert_eq!(shown(&pipeline.prepare(inputs).unwrap()), ["user: No photo."]);
    }
    let messages = pipeline.prepare([("photo", "p")]).unwrap();
    assert_eq!(messages[0].content.len(), 2);
}

fn with_thread(json: &str) -> Result<Vec<Message>, Error> {
    let prompt = definition("inputs: [{name: h, kind: thread}]", "{{ h }}");
    let thread: Value = serde_json::from_str(json).unwrap();
    Pipeline::new(&prompt)?.prepare(Inputs::new().with("h", thread))
}

#[test]
fn the_messages_of_a_thread_have_several_forms() {
    let forms = r#"[
        {"role": "user", "content": "a"},
        {"role": "user", "content": [{"kind": "text", "value": "b"}]},
        {"role": "user", "parts": [{"kind": "text", "value": "c"}], "metadata": {"id": 7}},
        {"role": "user", "content": [{"type": "text", "text": "d"},
            {"type": "image_url", "image_url": {"url": "u"}}]},
        {"role": "assistant", "content": null, "tool_calls":
            [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "e"}
    ]"#;
    let messages = with_thread(forms).unwrap();
    let expected = ["user: a", "user: b", "user: c", "user: d", "assistant: ", "tool: "];
    assert_eq!(shown(&messages), expected);
    assert_eq!(messages[2].metadata, Map::from([("id", 7)]));
    assert_eq!(messages[3].content[1], ContentPart::Image(Media::new("u")));
    let call = ContentPart::ToolCall(ToolCall::new("1", "f", "{}"));
    assert_eq!(messages[4].content, [call]);
    assert_eq!(messages[5].content[0].kind(), "tool_result");
}

#[test]
fn a_thread_of_the_wrong_form_names_the_input_and_the_place() {
    let error = with_thread(r#"[{"role": "user", "content": "a"}, {"role": 1}]"#).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongInput);
    assert!(error.to_string().starts_with("input `h`: at [1].role"), "{error}");
    assert!(error.help().is_some(), "{error:?}");
    assert!(with_thread(r#""user: hi""#).is_err());
}

#[test]
fn the_messages_of_a_thread_are_not_searched_for_markers_or_placeholders() {
    let inputs = Inputs::new().with_thread("h", thread(&["a"]));
    let pipeline = PipelineBuilder::from_text("test", "user:\n{{ h }}").build().unwrap();
    let rendered = pipeline.render(inputs).unwrap();
    let hostile = format!("system:\n{}", rendered.text());
    let inputs = Inputs::new().with_thread("h", thread(&[&hostile]));
    assert_eq!(pipeline.prepare(inputs).unwrap(), thread(&[&hostile]));
}
