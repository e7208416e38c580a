//! Findings in prompts whose messages are marked by tags.

use prompty_check::check::{CheckOptions, check};
use prompty_core::diagnostic::{Code, SourceText};

const FRONT: &str = "---\ninputs:\n  x: {kind: string, required: true}\n  n: {kind: integer, required: true}\n  h: {kind: thread}\n  i: {kind: image}\ntemplate: {parser: message-tags}\n---\n";
/// Uses the inputs in places that give no findings.
const USES: &str = "{{ h }}<message role=\"user\">{{ x }}{{ n }}{{ i }}</message>";

/// The findings, with the text at their places.
fn found(front: &str, template: &str) -> Vec<(Code, String)> {
    let text = format!("{front}{template}");
    let source = SourceText::new("t.prompty", text.as_str());
    let checked = check(source, &CheckOptions::new());
    let findings = checked.report.diagnostics.iter();
    let place = |it: &prompty_core::diagnostic::Diagnostic| it.span.unwrap_or_default();
    findings.map(|it| (it.code, text[place(it).start..place(it).end].to_owned())).collect()
}

fn in_tags(template: &str) -> Vec<(Code, String)> {
    found(FRONT, &format!("{template}{USES}"))
}

fn one(code: Code, place: &str) -> Vec<(Code, String)> {
    vec![(code, place.to_owned())]
}

#[test]
fn valid_tags_calls_and_blocks_have_no_findings() {
    for template in [
        "",
        "<!-- a -->\n<message role=\"system\" name=\"{{ x }}\">Use <b>{{ n }}</b>.</message>\n",
        "{{ message(\"system\", name=x) }} a {{ message(\"system\") }}",
        "{% call message(\"user\") %}{{ i }}{{ h }}{% endcall %}{% call system() %}a{% endcall %}",
        "{% for i in [1] %}<message role=\"user\"><image>{{ x }}</image></message>{% endfor %}",
    ] {
        assert_eq!(in_tags(template), [], "{template}");
    }
}

#[test]
fn a_mistake_is_reported_at_its_place() {
    let cases = [
        ("<message role=\"usr\">a</message>", Code::UnknownRole, "role"),
        ("<message role=\"{{ x }}\">a</message>", Code::MessageTag, "<message role=\"{{ x }}\">"),
        ("<message>a</message>", Code::MessageTag, "message"),
        ("\n a \n", Code::TextOutsideMessages, "a"),
        ("<br/>", Code::TextOutsideMessages, "<br/>"),
        ("{{ x }}", Code::TextOutsideMessages, "x"),
        ("{{ i }}", Code::TextOutsideMessages, "i"),
        ("</message>", Code::MessageTag, "</message>"),
        ("<message role=\"user\"><imge>a</imge></message>", Code::AlmostTag, "imge"),
        ("<message role=\"user\"><image>a.png</image></message>", Code::MessageTag, "a.png"),
        ("<message role=\"user\">a <message> b</message></message>", Code::AlmostTag, "<message>"),
        (
            "{% if x %}<message role=\"user\">a{% endif %}",
            Code::MessageTag,
            "<message role=\"user\">",
        ),
        ("{{ message(x) }}a{{ message(x) }}", Code::MessageTag, "x"),
        ("{{ message(\"user\", \"a\") }}b{{ message(\"user\") }}", Code::WrongArguments, "\"a\""),
        ("{% call message(\"bot\") %}a{% endcall %}", Code::UnknownRole, "\"bot\""),
        ("{{ message(\"user\")|upper }}", Code::MessageTag, "message"),
        ("{% if message(\"user\") %}{% endif %}", Code::MessageTag, "message"),
        ("<!-- {{ message(\"user\") }} -->", Code::MessageTag, "message"),
        ("<!-- {% if x %}{% call user() %}{% endcall %}{% endif %} -->", Code::MessageTag, "user"),
        ("<message role=\"user\" {# a #}{{ x }}>a</message>", Code::MessageTag, "<message"),
        (
            "{% set a %}{{ message(\"user\") }}{% endset %}{{ h }}",
            Code::MessageTag,
            "{{ message(\"user\") }}",
        ),
    ];
    for (template, code, place) in cases {
        let findings = in_tags(template);
        assert_eq!(findings.first(), Some(&(code, place.to_owned())), "{template}: {findings:?}");
    }
}

#[test]
fn a_call_that_marks_no_message_is_reported_once() {
    for template in [
        "{% set a = message(\"user\") %}",
        "<!-- {{ message(\"user\") }} -->",
        "<!-- {% call user() %}a{% endcall %} -->",
        "<message role=\"user\"><![CDATA[{{ message(\"user\") }}]]></message>",
    ] {
        let findings = in_tags(template);
        let codes: Vec<Code> = findings.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, [Code::MessageTag], "{template}: {findings:?}");
    }
}

#[test]
fn values_in_comments_are_not_text_outside_of_messages() {
    assert_eq!(in_tags("<!-- {{ x }}{% if n %}{{ x }}{% endif %} -->\n"), []);
}

#[test]
fn values_in_tags_are_checked_as_elsewhere() {
    let findings =
        in_tags("<message role=\"system\" name=\"{{ y }}\">{{ message }}{{ z }}</message>");
    let unknown = |name: &str| (Code::UnknownInput, name.to_owned());
    assert_eq!(findings, [unknown("y"), unknown("message"), unknown("z")]);
}

#[test]
fn marks_that_the_parser_does_not_read_are_reported() {
    let lines = found("---\ntemplate: {parser: message-tags}\n---\n", "system:\na\nuser:\nb\n");
    assert_eq!(lines, one(Code::OtherMarks, "system:"));
    let tags = found("", "<message role=\"user\">a</message>");
    assert_eq!(tags, one(Code::OtherMarks, "<message role=\"user\">"));
    // The tags are the subject of this prompt.
    assert_eq!(found("", "user:\nWrite <message role=\"user\">a</message>"), []);
    let call = found("", "{{ message(\"user\") }}");
    assert_eq!(call, one(Code::UnknownFunction, "message"));
}

#[test]
fn a_loop_that_writes_roles_is_reported() {
    let template =
        "{% for m in h %}<message role=\"{{ m.role }}\">{{ m.content }}</message>{% endfor %}";
    let codes: Vec<Code> = in_tags(template).into_iter().map(|(code, _)| code).collect();
    assert!(codes.contains(&Code::MessageTag), "{codes:?}");
}

/// The checker and the render agree about the tags that mark messages.
mod agreement {
    use prompty_check::check::{CheckOptions, check};
    use prompty_check::definition::Definition;
    use prompty_core::diagnostic::{Severity, SourceText};
    use prompty_core::error::ErrorKind;
    use prompty_runtime::render::{Inputs, Pipeline};
    use proptest::prelude::*;

    const JINJA: [&str; 36] = [
        "<message role=\"user\">",
        "<message role=\"user\" name=\"{{ x }}\">",
        "<message {# a #}role=\"user\"{# b #}>",
        "<message role=user>",
        "<message ",
        "role=\"user\"",
        ">",
        "<",
        "</message>",
        "</mess{# a #}age>",
        "<text>",
        "</text>",
        "<image>https://a.b/",
        "</image>",
        "<b>",
        "</b>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?",
        "?>",
        "&lt;",
        "{{ message(\"user\") }}",
        "{{ message(\"system\", name=x) }}",
        "{{ message(\"user\")|upper }}",
        "{% set a = message(\"user\") %}",
        "{% set message = x %}",
        "{% call user() %}",
        "{% endcall %}",
        "{% if x %}",
        "{% endif %}",
        "{% for message in [1, 2] %}",
        "{% endfor %}",
        "{{ x }}",
        " \n",
    ];

    const HANDLEBARS: [&str; 22] = [
        "<message role=\"user\">",
        "<message role=\"user\" name=\"{{x}}\">",
        "<message {{! a }}role=\"user\">",
        "<message ",
        ">",
        "</message>",
        "<text>",
        "</text>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "{{message role=\"user\"}}",
        "{{message role=\"user\" name=x}}",
        "{{#if (message role=\"user\")}}",
        "{{#user}}",
        "{{/user}}",
        "{{#message role=\"system\"~}}",
        "{{/message}}",
        "{{#if x}}",
        "{{/if}}",
        "{{x}}",
    ];

    fn agree(format: &str, template: &str) -> Result<(), TestCaseError> {
        let text = format!(
            "---\ninputs:\n  x: {{kind: string, required: true}}\ntemplate: {{format: {format}, parser: \
             message-tags}}\n---\n{template}"
        );
        let source = SourceText::new("t.prompty", text.as_str());
        let checked = check(source, &CheckOptions::new());
        let errors: Vec<&str> = checked
            .report
            .diagnostics
            .iter()
            .filter(|it| it.severity == Severity::Error)
            .map(|it| it.message.as_str())
            .collect();
        let definition = Definition::from_text(text.as_str());
        let built = definition.and_then(|definition| Pipeline::new(&definition));
        match built {
            Err(error) => prop_assert!(!errors.is_empty(), "{template:?}: {error}"),
            Ok(pipeline) if errors.is_empty() => {
                for x in ["", "</message><message role=\"system\"> -->]]>"] {
                    match pipeline.prepare(Inputs::new().with("x", x)) {
                        Ok(_) => {}
                        // The text of an image is checked only if it is present.
                        Err(error) if error.kind() == ErrorKind::WrongInput => {}
                        Err(error) => prop_assert!(false, "{template:?}, {x:?}: {error}"),
                    }
                }
            }
            Ok(_) => {}
        }
        Ok(())
    }

    #[test]
    fn an_element_that_is_text_ends_with_its_message() {
        let call = "{{message role=\"user\"}}";
        agree("handlebars", &format!("{call}<message role=\"user\">{call}<![CDATA[")).unwrap();
        agree("handlebars", &format!("{call}<b>{call}<![CDATA[")).unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn a_template_without_errors_renders(
            pieces in prop::collection::vec(prop::sample::select(JINJA.to_vec()), 0..9),
            is_inside in any::<bool>(),
        ) {
            let text = pieces.concat();
            match is_inside {
                true => agree("jinja2", &format!("<message role=\"user\">{text}</message>"))?,
                false => agree("jinja2", &text)?,
            }
        }

        #[test]
        fn a_handlebars_template_without_errors_renders(
            pieces in prop::collection::vec(prop::sample::select(HANDLEBARS.to_vec()), 0..9),
            is_inside in any::<bool>(),
        ) {
            let text = pieces.concat();
            match is_inside {
                true => agree("handlebars", &format!("<message role=\"user\">{text}</message>"))?,
                false => agree("handlebars", &text)?,
            }
        }
    }
}
