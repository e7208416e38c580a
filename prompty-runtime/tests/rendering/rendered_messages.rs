//! A rendered text of messages parses back to the same messages.

use prompty_core::message::{ContentPart, Media, Message, Role};
use prompty_runtime::nonce::Rendered;
use prompty_runtime::parse::{OnForgedMarker, parse};

fn round_trip(messages: &[Message]) {
    let rendered = Rendered::from_messages(messages.to_vec()).expect("there are nonces");
    let parsed = parse(&rendered, OnForgedMarker::Literal).expect("it parses");
    assert_eq!(parsed, messages, "{}", rendered.text());
}

#[test]
fn texts_with_the_roles_of_markers() {
    round_trip(&[Message::system("Be brief."), Message::user("a\n\nb"), Message::assistant("c")]);
}

#[test]
fn roles_that_markers_do_not_support() {
    let tool = Message::new(Role::Tool, "42");
    let other = Message::new(Role::Other("superuser".into()), "x");
    round_trip(&[Message::user("How much?"), tool, other, Message::user("Thanks")]);
}

#[test]
fn empty_texts_and_newlines_at_both_ends() {
    round_trip(&[Message::user(""), Message::user("\n\na\n"), Message::system("")]);
}

#[test]
fn attributes_and_media() {
    let mut named = Message::user("Hi");
    named.metadata.insert("name", "Ada");
    let image = ContentPart::Image(Media::new("https://example.com/a.png"));
    let seen = Message::new(Role::User, vec![ContentPart::Text("See ".into()), image]);
    round_trip(&[named, seen, Message::assistant("A cat")]);
}

#[test]
fn texts_that_look_like_markers() {
    round_trip(&[
        Message::user("a\nsystem:\nb"),
        Message::user("system[nonce=0123456789abcdef]:\nc"),
    ]);
}
