//! A template cannot multiply threads and media: each use after the first one is charged against
//! the limits of the render.

use prompty_core::ErrorKind;
use prompty_core::error::Error;
use prompty_core::message::{ContentPart, Media, Message};
use prompty_core::value::Value;
use prompty_runtime::parse::OnForgedMarker;
use prompty_runtime::registry::{Parser, Registry};
use prompty_runtime::render::{Inputs, Pipeline, PipelineBuilder};
use prompty_template::RenderLimits;
use work_counting::count_work;

const MIB: usize = 1 << 20;

/// A loop around a rich input in each language, and by each way of copying a placeholder.
const LOOPS: [(&str, &str, &str); 6] = [
    ("jinja2", "prompty", "user:\n{% for x in xs %}{{ rich }}{% endfor %}"),
    ("jinja2", "prompty", "{% for x in xs %}\nuser:\n{{ rich }}\n{% endfor %}"),
    ("mustache", "prompty", "user:\n{{#xs}}{{rich}}{{/xs}}"),
    ("handlebars", "prompty", "user:\n{{#each xs}}{{@root.rich}}{{/each}}"),
    (
        "jinja2",
        "message-tags",
        "<message role=\"user\">{% for x in xs %}{{ rich }}{% endfor %}</message>",
    ),
    (
        "handlebars",
        "message-tags",
        "{{#message role=\"user\"}}{{#each xs}}{{@root.rich}}{{/each}}{{/message}}",
    ),
];

fn pipeline(format: &str, parser: &str, text: &str) -> Pipeline {
    builder(format, parser, text).build().unwrap()
}

fn builder(format: &str, parser: &str, text: &str) -> PipelineBuilder {
    PipelineBuilder::from_text("test", text).with_format(format).with_parser(parser)
}

fn inputs(repetitions: i64) -> Inputs {
    let xs: Value = (0..repetitions).map(Value::from).collect();
    Inputs::new().with("xs", xs)
}

fn photo(bytes: usize) -> Media {
    Media::new("x".repeat(bytes))
}

fn assert_limited<T: std::fmt::Debug>(result: Result<T, Error>, template: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{template}: {error}");
    assert!(error.to_string().contains("`rich`"), "{template}: {error}");
}

#[test]
fn an_image_in_a_loop_does_not_take_more_memory_than_the_limit() {
    for (format, parser, text) in LOOPS {
        let pipeline = pipeline(format, parser, text);
        let given = inputs(40).with_image("rich", photo(MIB));
        let (result, work) = count_work(|| pipeline.prepare(given));
        assert!(work.held < MIB as u64, "{text}: {work}");
        assert_limited(result, text);
    }
}

#[test]
fn a_thread_in_a_loop_does_not_make_more_messages_than_the_limit() {
    for (format, parser, text) in LOOPS {
        let pipeline = pipeline(format, parser, text);
        let given = inputs(9_000).with_thread("rich", vec![Message::user("Hi"); 200]);
        let (result, work) = count_work(|| pipeline.prepare(given));
        assert!(work.held < 4 * MIB as u64, "{text}: {work}");
        assert_limited(result, text);
    }
}

#[test]
fn small_repetitions_are_allowed_in_each_language() {
    for (format, parser, text) in LOOPS {
        let given = inputs(40).with_image("rich", photo(100));
        let messages = pipeline(format, parser, text).prepare(given).unwrap();
        let count: usize = messages.iter().map(|message| message.content.len()).sum();
        assert!(count >= 40, "{text}: {count}");
    }
}

#[test]
fn each_input_may_be_used_once_whatever_its_size() {
    let text = "system:\n{{ thread }}\nuser:\n{{ rich }}{{ other }}";
    let given = Inputs::new()
        .with_image("rich", photo(30 * MIB))
        .with_audio("other", photo(30 * MIB))
        .with_thread("thread", vec![Message::user("x".repeat(30 * MIB))]);
    let messages = pipeline("jinja2", "prompty", text).prepare(given).unwrap();
    let [_, user] = messages.as_slice() else { panic!("{}", messages.len()) };
    assert!(matches!(&user.content[..], [ContentPart::Image(_), ContentPart::Audio(_)]));
}

#[test]
fn the_limit_of_the_output_is_the_limit_of_repetitions() {
    let given = || Inputs::new().with_image("rich", photo(MIB));
    let build = |text: &str, limit| {
        let limits = RenderLimits::default().with_max_output(limit);
        builder("jinja2", "prompty", text).with_limits(limits).build().unwrap()
    };
    let twice = "user:\n{{ rich }}{{ rich }}";
    assert_limited(build(twice, MIB).prepare(given()), twice);
    assert_eq!(build(twice, 2 * MIB).prepare(given()).unwrap()[0].content.len(), 2);
}

#[test]
fn repetitions_of_different_inputs_are_added() {
    let text = "user:\n{{ a }}{{ a }}{{ rich }}{{ rich }}";
    let given =
        |bytes| Inputs::new().with_file("a", photo(10 * MIB)).with_image("rich", photo(bytes));
    let pipeline = pipeline("jinja2", "prompty", text);
    assert_limited(pipeline.prepare(given(10 * MIB)), text);
    assert_eq!(pipeline.prepare(given(MIB)).unwrap()[0].content.len(), 4);
}

#[test]
fn empty_threads_are_charged_for_the_messages_that_they_split() {
    let text = "user[id=1]:\n{% for x in xs %}a{{ rich }}{% endfor %}";
    let given = inputs(20_000).with_thread("rich", vec![]);
    let limits = RenderLimits::default().with_max_output(MIB);
    let pipeline = builder("jinja2", "prompty", text).with_limits(limits).build().unwrap();
    assert_limited(pipeline.prepare(given), text);
}

#[derive(Debug)]
struct HostParser;

impl Parser for HostParser {
    fn parse(
        &self,
        _: &prompty_runtime::nonce::Rendered,
        _: OnForgedMarker,
    ) -> Result<Vec<Message>, Error> {
        Ok(Vec::new())
    }
}

#[test]
fn a_parser_of_the_host_gets_no_text_that_exceeds_the_limit() {
    let text = "user:\n{{ rich }}{{ rich }}";
    let registry = Registry::new().with_parser("host", HostParser);
    let pipeline = builder("jinja2", "host", text).with_registry(&registry).build().unwrap();
    assert_limited(pipeline.render(Inputs::new().with_image("rich", photo(20 * MIB))), text);
    assert!(pipeline.prepare(Inputs::new().with_image("rich", photo(MIB))).is_ok());
}

#[test]
fn the_beginning_of_a_placeholder_in_data_does_not_hide_a_thread() {
    let text = "user:\n{{ name }}{{ rich }}";
    let given = Inputs::new()
        .with("name", "__PROMPTY_THREAD")
        .with_thread("rich", vec![Message::assistant("earlier")]);
    let messages = pipeline("jinja2", "prompty", text).prepare(given).unwrap();
    let texts: Vec<String> = messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["__PROMPTY_THREAD", "earlier"]);
}
