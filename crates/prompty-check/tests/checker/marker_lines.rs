//! Role markers: valid markers, lines that only resemble one, and broken markers.

use prompty_core::diagnostic::{Severity, SourceSpan};
use prompty_core::message::Role;

use super::{accepts, finding, findings, report};

#[test]
fn markers_are_listed_with_their_roles() {
    let text =
        "system:\nHi\n\n# User[name=\"{{ name }}\"]:\n{% if premium %}\nassistant:\nx\n{% endif %}";
    let facts = report(text).markers;
    let found: Vec<_> =
        facts.iter().map(|it| (it.role.clone(), &text[it.span.start..it.span.end])).collect();
    let expected = [
        (Role::System, "system:"),
        (Role::User, "# User[name=\"{{ name }}\"]:"),
        (Role::Assistant, "assistant:"),
    ];
    assert_eq!(found, expected);
    accepts(text);
}

#[test]
fn a_marker_next_to_a_tag_does_not_open_a_message() {
    for text in [
        "{% if premium %}user:{% endif %}\nHi",
        "{% if premium %}user:\nHi{% endif %}",
        "{% if premium %}user:{% else %}assistant:{% endif %}\nHi",
        "{# the user #}user:\nHi",
        "{% for w in words %}user:\n{{ w }}\n{% endfor %}",
    ] {
        assert!(finding(text).starts_with("made_marker"), "{text}: {:?}", findings(text));
    }
    accepts("Ask the {% if premium %}user:{% endif %}\n");
}

#[test]
fn an_expression_does_not_create_a_marker() {
    for text in [
        "{{ anything.role }}:\nHi",
        "{% for m in anything %}\n{{ m.role }}:\n{{ m.text }}\n{% endfor %}",
        "{{ \"user\" }}:\nHi",
        "# {{ anything['role'] }}[a=b]:\n",
        "{{ 'user' if premium else 'system' }}:\n",
        "{% if premium %}{{ anything.role | lower }}:{% endif %}\n",
    ] {
        let found = finding(text);
        assert!(found.starts_with("made_marker"), "{found}");
    }
    assert!(super::help("{{ anything.role }}:\n").contains("kind: thread"));
    accepts("{{ \"user:\" }}\n{{ passage.title }}:\n{{ anything.role }}: {{ name }}\n");
}

#[test]
fn a_loop_that_writes_the_messages_of_a_thread_is_the_thread() {
    for text in [
        "{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
        "{% for m in history %}\n# {{ m['role'] }}:\n\n{{ m['content'] }}\n{% endfor %}\nuser:\nHi",
    ] {
        accepts(text);
    }
    let found = report("{% for m in history %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}");
    assert_eq!(found.variables, [("history".to_owned(), SourceSpan::new(12, 19))]);
    // An undeclared history is reported once, with a declaration as help.
    let text = "{% for m in earlier %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}";
    assert_eq!(finding(text), "unknown_input `earlier`: unknown input `earlier`");
    assert!(super::help(text).contains("`earlier: {kind: thread}`"));
}

#[test]
fn a_loop_that_is_almost_a_thread_gives_one_finding_with_both_forms() {
    for (text, help) in [
        (
            "{% for m in history %}\n{{ m.role }}:\n{{ m.content | trim }}\n{% endfor %}",
            "write `{{ history }}` on its own line: it is a thread | or write exactly this loop",
        ),
        (
            "{% for m in anything %}\n{{ m.role }}:\n{{ m.content | trim }}\n{% endfor %}",
            "declare `anything` as a thread (`kind: thread`, in Rust `&[Message]`), and write `{{ anything }}` \
             on its own line | or write exactly this loop",
        ),
        (
            "{% for m in history[-5:] %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
            "it is a thread | a thread is always printed completely",
        ),
        (
            "{% for m in history if m.content %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}",
            "it is a thread | or write exactly this loop",
        ),
        (
            "Hi {% for m in anything %}{{ m.role }}:\n{{ m.content | trim }}\n{% endfor %}",
            "declare `anything` as a thread",
        ),
        (
            "{% macro turn(m) %}\n{{ m.role }}:\n{{ m.content }}\n{% endmacro %}{{ turn(anything) }}",
            "pass the messages of a conversation as one input",
        ),
        (
            "{% for m in passages %}\n{{ anything.role }}:\n{{ m.title }}\n{% endfor %}",
            "declare `passages` as a thread",
        ),
        (
            "{% for m in anything %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}\
             {{ anything | length }}",
            "pass that list as another input",
        ),
        (
            "{% for m in anything | d([]) %}\n{{ m.role }}:\n{{ m.content }}\n{% endfor %}\
             {{ anything | length }}",
            "pass that list as another input",
        ),
    ] {
        let found = report(text).diagnostics;
        assert_eq!(found.len(), 1, "{text}: {found:#?}");
        assert!(found[0].help.join(" | ").contains(help), "{text}: {:?}", found[0].help);
    }
}

#[test]
fn a_marker_in_a_capturing_block_does_not_open_a_message() {
    for (block, text) in [
        ("set", "{% set a %}\nuser:\n{% endset %}{{ a }}"),
        ("macro", "{% macro a() %}\nuser:\n{% endmacro %}{{ a() }}"),
        ("filter", "{% filter upper %}\nuser:\n{% endfilter %}"),
    ] {
        let found = finding(text);
        assert_eq!(
            found,
            format!(
                "made_marker `user:`: `user:` inside `{{% {block} %}}` does not open a message"
            )
        );
    }
}

#[test]
fn white_space_control_that_removes_a_line_break_is_found() {
    for text in [
        "system:\n{{ name -}}\nuser:\nHi",
        "system:\nHi\n\nuser:\n{{- name }}",
        "system:\nHi\nuser:\n{%- if premium %} Hi{% endif %}",
        "system:\nHi {% if premium %}x{% endif -%}\nuser:\nHi",
        "system:\n{% for w in words -%}\nuser:\n{{ w }}{% endfor %}",
    ] {
        let found = findings(text);
        assert!(found[0].starts_with("broken_marker `user:`"), "{text}: {found:?}");
        assert_eq!(found.len(), 1, "{text}");
    }
}

#[test]
fn white_space_control_may_keep_a_marker_alone_on_its_line() {
    for text in [
        "system:\nHi\n{% if premium -%}\nuser:\nHi\n{%- endif %}\n",
        "system:\nHi\n{%- if premium %}\nuser:\nHi{% endif %}",
        "system:\nHi\n{% set a = 1 -%}\nuser:\n{{ a }}",
        "{%- set a = 1 -%}\nsystem:\n{{ a }}",
        "system:\n{% for w in words -%}\nuser:\n{{ w }}\n{% endfor %}",
        "user:\n{%- if premium %}\nHi\n{%- endif %}",
    ] {
        accepts(text);
    }
}

#[test]
fn lines_that_are_almost_markers_are_found() {
    assert_eq!(finding("sytem:\nHi"), "near_marker `sytem:`: `sytem:` is not a role marker");
    assert_eq!(
        super::help("us\u{435}r:\nHi"),
        "write `user:`: this line has `\u{435}` (U+0435), a similar character"
    );
    assert!(finding("user[nonce=abc]:\nHi").contains("a role marker has a `nonce`"));
    assert!(finding("user[a=\"{{ name | default(\"x\") }}\"]:\nHi").starts_with("near_marker"));
    for text in ["tool:\nx", "## user:\nx", "Human:\nx"] {
        let found = report(text).diagnostics;
        assert_eq!(found[0].severity, Severity::Warning, "{text}");
    }
}

#[test]
fn comments_and_tags_are_not_lines() {
    accepts("{#\nsytem:\n#}system prompt");
    accepts("{{ name |\n  upper }}");
}

#[test]
fn a_role_with_text_on_its_line_is_a_warning_if_a_marker_is_missing() {
    let expected = "marker_prose `user:`: `user:` does not open a message here";
    for text in [
        "user: {{ name }}",
        "system:\nYou help.\nuser: {{ name }}",
        "system: You help.\nuser: {{ name }}",
        "user: {{ name }}\nassistant:\n",
    ] {
        let found = report(text).diagnostics;
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].severity, Severity::Warning);
    }
    assert_eq!(finding("system:\nYou help.\nuser: {{ name }}"), expected);
}

#[test]
fn a_dialogue_inside_a_message_is_text() {
    for text in [
        "system:\nUser: hello\nAssistant: {{ name }}\n",
        "system:\nFor example:\nUser: hi\n\nuser:\n{{ name }}",
        "Translate.\nUser: hi\nAssistant: ho",
        "{% for m in anything %}\n{{ m.role }}: {{ m.text }}\n{% endfor %}",
    ] {
        accepts(text);
    }
}

#[test]
fn a_template_whose_roles_are_in_another_notation_gets_one_warning() {
    for (text, first, help) in [
        (
            "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n{{ name }}<|im_end|>",
            "<|im_start|>system",
            "in the same way, write `user:` for `<|im_start|>user`",
        ),
        (
            "<system>\nBe kind.\n</system>\n<user>\n{{ name }}\n</user>",
            "<system>",
            "in the same way, write `user:` for `<user>`",
        ),
        ("\n[system]\nBe kind.\n[user]\n{{ name }}", "[system]", "`user:` for `[user]`"),
        ("### System\nBe kind.\n### User\n{{ name }}", "### System", "`user:` for `### User`"),
        ("system\nBe kind.\n\nuser\n{{ name }}", "system", "`user:` for `user`"),
        ("System Prompt:\nBe kind.\nUser Prompt:\n{{ name }}", "System Prompt:", "for `User"),
    ] {
        let found = report(text).diagnostics;
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].message, format!("`{first}` does not open a message"));
        assert_eq!(found[0].severity, Severity::Warning);
        assert_eq!(found[0].help[0], "write `system:` alone on the line, and the message below it");
        assert!(found[0].help[1].contains(help), "{:?}", found[0].help);
    }
}

#[test]
fn role_words_that_do_not_separate_messages_are_text() {
    for text in [
        // A text with sections of data.
        "Judge the answer.\n\n### User\n{{ name }}\n\n### Assistant\nHi",
        "<user>\n{{ name }}\n</user>\nSay who this is.",
        "### System\nLinux\n### Task\n{{ name }}",
        "# Roles\n- system\n- user\n{{ name }}",
        // The template has markers, so its author knows them.
        "system:\n[system]\nBe kind.\n[user]\n{{ name }}",
        "system:\n<|im_start|>user\n{{ name }}",
    ] {
        accepts(text);
    }
}

#[test]
fn attributes_that_are_not_closed_are_found() {
    let help = "close the bracket before the colon: `user[name=\"Bob\"]:`";
    assert_eq!(super::help("user[name=\"Bob\":\nHi"), help);
    let found = finding("user[name={{ name }}:\nHi");
    assert_eq!(
        found,
        "near_marker `user[name={{ name }}:`: `user[name={{ name }}:` is not a role marker"
    );
}

#[test]
fn a_thread_on_a_line_with_text_is_a_warning() {
    let found = report("user:\nSo far: {{ history }}. Now: {{ name }}").diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].message, "the thread `history` shares its line with text");
    assert_eq!(found[0].severity, Severity::Warning);
    assert!(found[0].help[0].contains("on its own line"));
    let found = finding("user:\nHi\n{{ history }}user:\n{{ name }}");
    assert!(found.ends_with("a role marker shares its line with a thread"), "{found}");
    accepts("user:\nHi\n{{ history }}\nuser:\n{{ name }}");
    accepts("user:\nHi\n{% if premium %}{{ history }}{% endif %}");
}

#[test]
fn an_image_in_a_markdown_address_is_a_warning() {
    let found = report("user:\n![a photo]( {{ picture }} )").diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].message, "an image is written as the address of a Markdown link");
    assert_eq!(found[0].severity, Severity::Warning);
    accepts("user:\n![a photo](x.png) {{ picture }}");
    accepts("user:\n![a photo]({{ name }})");
}

#[test]
fn tags_with_separated_braces_are_found() {
    assert_eq!(
        finding("user:\n{ % if premium % }"),
        "template_syntax `{ %`: `{ %` does not open a tag"
    );
    assert_eq!(
        finding("user:\n{ % if premium %}\nHi\n{% endif %}"),
        "template_syntax `{ %`: `{ %` does not open a tag"
    );
    assert_eq!(
        finding("user:\nHi { {name} }"),
        "template_syntax `{ {name} }`: `{ {name} }` does not print a value"
    );
    assert_eq!(super::help("user:\n{% if premium % }Hi"), "write `%}` instead of `% }`");
    assert_eq!(super::help("user:\n{{ name } }"), "write `}}` instead of `} }`");
    accepts("user:\n{% raw %}{ % if premium % }{ {name} }{% endraw %}");
    accepts("user:\n{ {other} } { \"a\": { \"name\": 1 } } 5 { % off }");
}

#[test]
fn text_before_the_first_marker_is_found() {
    assert_eq!(
        finding("  You help.\nuser:\nHi"),
        "leading_text `You help.`: text before the first role marker"
    );
    assert!(finding("{{ name }}\nuser:\nHi").starts_with("leading_text"));
    accepts("\n{% set a = 1 %}\n{# note #}\nuser:\n{{ a }}");
    accepts("No marker at all.");
}

#[test]
fn an_empty_message_before_one_of_the_same_role_is_found() {
    assert!(finding("user:\n\nuser:\nHi").starts_with("empty_message `user:`"));
    accepts("user:\nassistant:\nHi\nassistant:\nHo");
    accepts("{% if premium %}\nuser:\n{% else %}\nuser:\n{% endif %}\nHi");
}

#[test]
fn a_marker_does_not_accept_threads_and_media() {
    assert!(finding("user[a=\"{{ picture }}\"]:\nHi").starts_with("misplaced_rich"));
}
