//! Prompts without role markers, and the white space at the ends of messages.

use typed_prompty::message::{ContentPart, Media, Message, Role};
use typed_prompty::render::{Inputs, PipelineBuilder};
use typed_prompty::{Definition, ErrorKind, Pipeline, Prompt, Untrusted, prompt};

/// The role and the text of the only message.
fn only(messages: &[Message]) -> (Role, String) {
    match messages {
        [message] => (message.role.clone(), message.text()),
        other => panic!("expected one message, found {other:?}"),
    }
}

prompt!(#[prompt(role = "user")] Ask { x: Untrusted<&str> }, "\n\nWhy {{ x }}?\n\n");
prompt!(
    #[prompt(role = "user")]
    AskByEngine { x: &str },
    "\n\nWhy {{ x | reverse | reverse }}?\n\n"
);
prompt!(
    #[prompt(role = "user")]
    See {
        #[prompt(kind = "image")]
        photo: &Media,
        x: &str
    },
    "{{ x }}\n{{ photo }}\n{{ x }}\n"
);

#[derive(Prompt)]
#[prompt(role = "assistant", path = "tests/typed/files/one_message.txt")]
struct OfFile {
    x: String,
}

#[test]
fn a_role_makes_one_message_of_a_template_without_markers() {
    let expected = (Role::User, "Why so?".to_owned());
    assert_eq!(only(&Ask { x: "so".into() }.messages().unwrap()), expected);
    assert_eq!(only(&AskByEngine { x: "so" }.messages().unwrap()), expected);
    let of_file = OfFile { x: "so".to_owned() };
    assert_eq!(only(&of_file.messages().unwrap()), (Role::Assistant, "Why so?".to_owned()));
    let photo = Media::new("u");
    let messages = See { photo: &photo, x: "a" }.messages().unwrap();
    let content: Vec<ContentPart> = messages[0].content.iter().cloned().collect();
    let parts = [ContentPart::from("a"), ContentPart::Image(photo), ContentPart::from("a")];
    assert_eq!((messages.len(), &messages[0].role, content), (1, &Role::User, parts.to_vec()));
}

#[test]
fn a_role_makes_one_message_at_run_time() {
    for format in ["jinja2", "mustache", "handlebars"] {
        let builder = PipelineBuilder::from_text("t", "\nWhy {{ x }}?\n").with_format(format);
        let messages = builder.with_role("user").build().unwrap().prepare([("x", "so")]).unwrap();
        assert_eq!(only(&messages), (Role::User, "Why so?".to_owned()), "{format}");
    }
    let file = "---\ntemplate: {parser: {role: developer}}\n---\nWhy?\n";
    let definition = Definition::from_text(file).unwrap();
    assert_eq!(definition.template.role, Some(Role::Developer));
    let messages = Pipeline::new(&definition).unwrap().prepare(Inputs::new()).unwrap();
    assert_eq!(only(&messages), (Role::Developer, "Why?".to_owned()));
    let tags = PipelineBuilder::from_text("t", "Why?").with_parser("message-tags");
    let messages = tags.with_role("system").build().unwrap().prepare(Inputs::new()).unwrap();
    assert_eq!(only(&messages), (Role::System, "Why?".to_owned()));
}

#[test]
fn a_role_is_refused_if_the_template_marks_messages_or_no_message_has_it() {
    let failure = |builder: PipelineBuilder| builder.build().unwrap_err().to_string();
    let marked = PipelineBuilder::from_text("t", "a\nuser:\nb").with_role("user");
    let message = "a prompt with the role `user` has the role marker `user:`";
    assert!(failure(marked).contains(message));
    let tag = "<message role=\"user\">a</message>";
    let tagged = PipelineBuilder::from_text("t", tag).with_parser("message-tags").with_role("user");
    assert!(failure(tagged).contains("a prompt with the role `user` has a message tag"));
    let unknown = PipelineBuilder::from_text("t", "a").with_role("bot").build().unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::RoleNotAllowed);
    let text = PipelineBuilder::from_text("t", "a").with_role("user").as_text().build();
    assert_eq!(text.unwrap_err().kind(), ErrorKind::RoleNotAllowed);
}

prompt!(
    #[prompt(allow(no_role_marker))]
    Section { has: bool },
    "{% if has %}a{% endif %}"
);
prompt!(
    #[prompt(allow(no_role_marker))]
    SectionByEngine { has: bool, x: &str },
    "{% if has %}{{ x | reverse | reverse }}{% endif %}"
);

#[test]
fn a_template_without_markers_is_one_message_even_if_it_prints_nothing() {
    let expected = (Role::System, String::new());
    assert_eq!(only(&Section { has: false }.messages().unwrap()), expected);
    assert_eq!(only(&SectionByEngine { has: false, x: "" }.messages().unwrap()), expected);
    for format in ["jinja2", "mustache", "handlebars", "semantic-kernel"] {
        let pipeline = PipelineBuilder::from_text("t", " \n").with_format(format).build().unwrap();
        let messages = pipeline.prepare(Inputs::new()).unwrap();
        assert_eq!(only(&messages), (Role::System, " ".to_owned()), "{format}");
    }
    // Only threads: their messages are all messages.
    let threads = PipelineBuilder::from_text("t", "{{ log }}\n").build().unwrap();
    let log = [Message::user("a")];
    let messages = threads.prepare(Inputs::new().with_thread("log", log)).unwrap();
    assert_eq!(only(&messages), (Role::User, "a".to_owned()));
}

prompt!(Breaks { x: &str }, "user:\n{{ x }}\nassistant:\n{% if x %}{{ x }}{% endif %}");
prompt!(
    BreaksOfWriter {
        x: &str,
        #[prompt(kind = "image")]
        photo: &Media
    },
    "user:\n{{ x }}{{ photo }}{{ x }}\n{% if x %}\nassistant:\n{{ x }}\n{% endif %}"
);

#[test]
fn a_windows_line_break_at_the_end_of_a_message_is_one_line_break() {
    for (x, expected) in
        [("\r\n\r\na\r\n", "a"), ("\n\r\na\r\n\n", "a"), ("\ra\r", "\ra\r"), ("\r\n \r\n", " ")]
    {
        let texts =
            |messages: &[Message]| -> Vec<String> { messages.iter().map(Message::text).collect() };
        let compiled = Breaks { x }.messages().unwrap();
        let source = Breaks::DEFINITION.source;
        let pipeline = PipelineBuilder::from_text("t", source).build().unwrap();
        let rendered = pipeline.prepare([("x", x)]).unwrap();
        assert_eq!(texts(&compiled), [expected, expected], "{x:?}");
        assert_eq!(texts(&rendered), [expected, expected], "{x:?}");
        let photo = Media::new("u");
        let compiled = BreaksOfWriter { x, photo: &photo }.messages().unwrap();
        let source = BreaksOfWriter::DEFINITION.source;
        let pipeline = PipelineBuilder::from_text("t", source).build().unwrap();
        let rendered =
            pipeline.prepare(Inputs::new().with("x", x).with_image("photo", Media::new("u")));
        assert_eq!(compiled, rendered.unwrap(), "{x:?}");
        assert_eq!(compiled[0].content.len(), 3, "{x:?}");
        assert_eq!(compiled[0].content[0], ContentPart::from(expected), "{x:?}");
        assert_eq!(compiled[1].text(), expected, "{x:?}");
    }
}

prompt!(
    #[prompt(white_space = "keep")]
    Keep { x: &str, y: &str },
    "\n\nsystem:\n\n\n{{ x }}\n\nuser:\n{{ x }} \n {{ y }}\nassistant:\n\n\n"
);
prompt!(
    #[prompt(white_space = "keep")]
    KeepByEngine { x: &str, y: &str },
    "system:\n{{ x }}{% if y %}\n\nuser:\n{{ y }}\n{% endif %}"
);

#[test]
fn kept_white_space_is_that_of_inputs_compiled_and_at_run_time() {
    let (x, y) = ("\r\n\na\n", "\n");
    let expected = ["\r\n\na\n", "\r\n\na\n \n \n", ""];
    let texts =
        |messages: Vec<Message>| -> Vec<String> { messages.iter().map(Message::text).collect() };
    assert_eq!(texts(Keep { x, y }.messages().unwrap()), expected);
    assert_eq!(Keep::DEFINITION.engine_because, None);
    let source = Keep::DEFINITION.source;
    let builder = PipelineBuilder::from_text("t", source).with_kept_white_space();
    let given = builder.build().unwrap().prepare([("x", x), ("y", y)]).unwrap();
    assert_eq!(texts(given), expected);
    let file = format!("---\ntemplate: {{parser: {{white_space: keep}}}}\n---\n{source}");
    let loaded = Pipeline::new(&Definition::from_text(&*file).unwrap()).unwrap();
    assert_eq!(texts(loaded.prepare([("x", x), ("y", y)]).unwrap()), expected);
    assert!(KeepByEngine::DEFINITION.engine_because.is_some());
    // A line break before `{% endif %}` is not next to the end of the template.
    let kept = KeepByEngine { x, y }.messages().unwrap();
    assert_eq!(texts(kept), ["\r\n\na\n", "\n\n"]);
    let rendered = builder_of(source).render([("x", x), ("y", y)]).unwrap();
    assert_eq!(rendered.plain_text(), source.replace("{{ x }}", x).replace("{{ y }}", y));
}

fn builder_of(source: &str) -> Pipeline {
    PipelineBuilder::from_text("t", source).with_kept_white_space().build().unwrap()
}

#[test]
fn kept_white_space_is_that_of_all_languages_and_next_to_media_it_is_dropped() {
    for (format, x) in
        [("mustache", "{{{x}}}"), ("handlebars", "{{{x}}}"), ("semantic-kernel", "{{$x}}")]
    {
        let template = format!("user:\n{x}\n\nassistant:\n{x}\n");
        let builder = PipelineBuilder::from_text("t", &template).with_format(format);
        let pipeline = builder.with_kept_white_space().build().unwrap();
        let messages = pipeline.prepare([("x", "\na\n")]).unwrap();
        let texts: Vec<String> = messages.iter().map(Message::text).collect();
        assert_eq!(texts, ["\na\n", "\na\n"], "{format}");
    }
    let pipeline = builder_of("user:\n{{ x }}\n{{ photo }}\n{{ x }}\n");
    let part = ContentPart::Image(Media::new("u"));
    let inputs = Inputs::new().with("x", "\na\n").with_image("photo", Media::new("u"));
    let content = pipeline.prepare(inputs).unwrap().remove(0).content;
    let parts: Vec<ContentPart> = content.iter().cloned().collect();
    assert_eq!(parts, [ContentPart::from("\na"), part, ContentPart::from("a\n")]);
}
