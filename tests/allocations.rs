//! A compiled prompt allocates only a little more than its messages need.
//!
//! A `String` that must grow doubles its capacity. So a string whose capacity is close to its
//! length was allocated with enough capacity from the start.

use typed_prompty::{ContentPart, Message, Prompt, prompt};

struct Document {
    title: String,
    text: String,
}

prompt!(
    #[prompt(compiled)]
    Chat { assistant: &str, company: &str, question: &str },
    "
system:
You are {{ assistant }}, a helpful assistant at {{ company }}.
Answer briefly and politely. If you do not know, say so.

assistant:
Hello! How may I help you today?

user:
{{ question }}
"
);

prompt!(
    #[prompt(compiled)]
    Rag { documents: &[Document], question: &str },
    "
system:
Answer from these documents:
{% for document in documents %}
## {{ loop.index }}. {{ document.title | trim }}
{{ document.text }}
{% endfor %}

user:
{{ question }}
"
);

prompt!(
    #[prompt(compiled)]
    Talk { history: &[Message], question: &str },
    "
system:
Be brief.

{{ history }}

user:
{{ question }}
"
);

/// Checks that the capacity of every string is at most its length plus `slack` bytes.
fn assert_tight(messages: &[Message], slack: usize) {
    for message in messages {
        for part in &message.content {
            let ContentPart::Text(text) = part else { continue };
            let capacity = text.capacity();
            assert!(
                capacity <= text.len() + slack,
                "{capacity} bytes for {}: {text:?}",
                text.len()
            );
        }
    }
}

/// The hint counts the blank lines at the ends of a text. They are removed later.
const BLANK_LINES: usize = 6;

#[test]
fn a_chat_allocates_only_what_it_needs() {
    let question = "What is the return policy for opened items?";
    let chat = Chat { assistant: "Ada", company: "Contoso Ltd", question };
    let messages = chat.messages().unwrap();
    assert_eq!(messages.capacity(), 3);
    assert_tight(&messages, BLANK_LINES);
}

#[test]
fn a_loop_allocates_only_what_it_needs() {
    let document = |number: usize| Document {
        title: format!("Document {number}"),
        text: "lorem ipsum ".repeat(80),
    };
    let documents: Vec<Document> = (0..50).map(document).collect();
    let rag = Rag { documents: &documents, question: "Why?" };
    let messages = rag.messages().unwrap();
    assert_eq!(messages.capacity(), 2);
    // The hint counts a number with the maximum length of its type.
    assert_tight(&messages, BLANK_LINES + documents.len() * 20);
}

#[test]
fn a_thread_allocates_only_what_it_needs() {
    let history: Vec<Message> = (0..100).map(|it| Message::user("x".repeat(it))).collect();
    let talk = Talk { history: &history, question: "Why?" };
    let messages = talk.messages().unwrap();
    assert_eq!((messages.len(), messages.capacity()), (102, 103));
    assert_tight(&messages[..1], BLANK_LINES);
    assert_tight(&messages[101..], BLANK_LINES);
}

#[test]
fn the_length_hint_is_at_least_the_length() {
    let chat = Chat { assistant: "Ada", company: "Contoso", question: "Why?" };
    let length: usize = chat.messages().unwrap().iter().map(|it| it.text().len()).sum();
    assert!((length..length + 3 * BLANK_LINES).contains(&chat.len_hint()));
}
