//! Messages in Semantic Kernel's XML and in ChatML.

use prompty_core::ErrorKind;
use prompty_core::message::{ContentPart, Media, Message, Role, ToolCall};
use prompty_runtime::parse::{
    messages_from_semantic_kernel, messages_to_chat_ml, messages_to_semantic_kernel,
};
use proptest::prelude::*;

#[test]
fn parts_and_metadata_have_elements_and_attributes() {
    let photo = Media::new("https://example.com/?a&b").with_media_type("image/png");
    let data = Media::new("AAAA").with_media_type("application/pdf");
    let parts = [ContentPart::from("a\r\n b "), ContentPart::Image(photo), ContentPart::File(data)];
    let messages =
        [Message::new(Role::User, parts).with_metadata("name", "\"A\"\n").with_metadata("n", 1)];
    let xml = messages_to_semantic_kernel(&messages).unwrap();
    assert_eq!(
        xml,
        "<message role=\"user\" name=\"&quot;A&quot;&#10;\" n=\"1\"><text>a&#13;\n b&#32;</text>\
         <image mimetype=\"image/png\">https://example.com/?a&amp;b</image>\
         <binary mimetype=\"application/pdf\">data:application/pdf;base64,AAAA</binary></message>"
    );
}

#[test]
fn unsupported_content_is_an_error_with_the_index_of_its_message() {
    let call = ContentPart::ToolCall(ToolCall::new("1", "f", "{}"));
    let path = ContentPart::Image(Media::new("/etc/passwd").with_media_type("image/png"));
    let wrong = [
        Message::new(Role::Assistant, [call]),
        Message::new(Role::User, [path]),
        Message::new(Role::from("narrator\""), "x"),
        Message::user("a\u{1b}[2J"),
        Message::user("x").with_metadata("a b", "c"),
        Message::user("x").with_metadata("role", "system"),
        Message::user("x").with_metadata("name", "\0"),
        Message::user("x").with_metadata("xmlns", "a"),
        Message::user("x").with_metadata("XML-a", "a"),
        Message::user("x").with_metadata("a:b", "c"),
        Message::user("x").with_metadata("1a", "c"),
        (0..64).fold(Message::user("x"), |it, index| it.with_metadata(&format!("a{index}"), "")),
    ];
    for message in wrong {
        let error = messages_to_semantic_kernel(&[Message::user("x"), message]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conversion);
        assert!(error.to_string().contains("at [1]: "), "{error}");
    }
}

#[test]
fn chat_ml_rejects_its_own_markup() {
    let refused = |message: Message| messages_to_chat_ml(&[message]).unwrap_err().kind();
    assert_eq!(refused(Message::user("a<|im_end|>b")), ErrorKind::ControlTokens);
    assert_eq!(refused(Message::user("a<|<|endoftext|>b")), ErrorKind::ControlTokens);
    let pieces = [ContentPart::from("<|im_"), ContentPart::from("end|>")];
    assert_eq!(refused(Message::new(Role::User, pieces)), ErrorKind::ControlTokens);
    assert_eq!(refused(Message::new(Role::from("user\n"), "x")), ErrorKind::Conversion);
    let image = ContentPart::Image(Media::new("https://example.com/a.png"));
    assert_eq!(refused(Message::new(Role::User, [image])), ErrorKind::Conversion);
    let written = messages_to_chat_ml(&[Message::user("a <| b |> c <|im_end")]).unwrap();
    assert_eq!(written, "<|im_start|>user\na <| b |> c <|im_end<|im_end|>\n");
}

fn role() -> impl Strategy<Value = Role> {
    prop::sample::select(vec![
        Role::System,
        Role::User,
        Role::Assistant,
        Role::Developer,
        Role::Tool,
    ])
}

/// Texts with characters that a parser of tags handles specially.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "</message>",
        "<message role=\"system\">",
        "<text>",
        "<![CDATA[",
        "]]>",
        "&lt;",
        "&",
        "<!--",
        "-->",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\u{a0}",
        "ä",
        "x",
        "\"",
        "'",
        "<|im_end|>",
        "{{x}}",
    ]);
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

/// Media with a URL.
fn medium() -> impl Strategy<Value = Media> {
    let address = (prop::sample::select(vec!["https://a.b/", "data:", "HTTP://"]), text());
    let [kind, detail] = [(); 2].map(|()| prop::option::of(text()));
    (address, kind, detail).prop_map(|((scheme, rest), kind, detail)| {
        let mut media = Media::new(format!("{scheme}{rest}"));
        (media.media_type, media.detail) = (kind, detail);
        media
    })
}

fn part() -> impl Strategy<Value = ContentPart> {
    prop_oneof![
        Just(ContentPart::from("")),
        text().prop_map(ContentPart::from),
        medium().prop_map(ContentPart::Image),
        medium().prop_map(ContentPart::Audio),
        medium().prop_map(ContentPart::File),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let name = "[a-zA-Z_][a-zA-Z0-9_.-]{0,4}".prop_filter("is not an attribute", |name| {
        name != "role" && !name.to_ascii_lowercase().starts_with("xml")
    });
    let metadata = prop::collection::vec((name, text()), 0..4);
    (role(), prop::collection::vec(part(), 1..5), metadata).prop_map(|(role, parts, metadata)| {
        let message = Message::new(role, parts);
        metadata.into_iter().fold(message, |it, (name, value)| it.with_metadata(&name, value))
    })
}

proptest! {
    #[test]
    fn messages_survive_a_round_trip_through_xml(
        messages in prop::collection::vec(message(), 0..5)
    ) {
        let xml = messages_to_semantic_kernel(&messages).unwrap();
        prop_assert_eq!(messages_from_semantic_kernel(&xml).unwrap(), messages, "{}", xml);
    }

    #[test]
    fn chat_ml_has_as_many_marks_as_messages(texts in prop::collection::vec(text(), 1..5)) {
        let messages: Vec<Message> = texts.iter().map(Message::user).collect();
        if let Ok(written) = messages_to_chat_ml(&messages) {
            prop_assert_eq!(written.matches("<|im_end|>").count(), messages.len());
            prop_assert_eq!(written.matches("<|").count(), 2 * messages.len());
        }
    }
}
