//! The engine of chat templates: Python's values, and hostile templates.

use prompty_chat::{ChatTemplate, PromptOptions};
use prompty_core::ErrorKind;
use prompty_core::message::Message;
use prompty_core::value::{Map, Value};
use work_counting::count_work;

/// The output of a template for inputs in JSON.
fn render(template: &str, inputs: &str) -> Result<String, prompty_core::Error> {
    let inputs: Map = Value::from_json(inputs).unwrap().as_object().unwrap().clone();
    ChatTemplate::from_text(template)?.render(&inputs, Some(1_736_942_400))
}

fn written(template: &str) -> String {
    render(template, "{}").unwrap_or_else(|error| panic!("{template}: {error:?}"))
}

/// The texts come from Python's Jinja2 3.1; `null` if it fails.
#[test]
fn expressions_and_statements_render_like_in_python() {
    let cases = include_str!("data/chat_python.jsonl");
    for case in cases.lines().map(|line| Value::from_json(line).unwrap()) {
        let template = case.get("template").and_then(Value::as_str).unwrap();
        let expected = case.get("text").and_then(Value::as_str);
        let found = render(template, "{}").ok();
        assert_eq!(found.as_deref(), expected, "{template}");
    }
}

#[test]
fn values_print_like_in_python() {
    let cases = [
        ("{{ [1, 'a', none, true, 1.5, 'it\\'s'] }}", r#"[1, 'a', None, True, 1.5, "it's"]"#),
        ("{{ {'a': (1,), 'b': []} }}", "{'a': (1,), 'b': []}"),
        ("{{ none }}|{{ true }}|{{ nothing }}", "None|True|"),
        (
            "{{ 1.0 }} {{ 1e16 }} {{ 1.5e-7 }} {{ 10 / 4 }} {{ 7 // 2 }} {{ -7 % 3 }}",
            "1.0 1e+16 1.5e-07 2.5 3 2",
        ),
        ("{{ 'a\\nb' | pprint }}", r"'a\nb'"),
        ("{{ 123456789012345678901234567890 }}", "123456789012345678901234567890"),
    ];
    for (template, expected) in cases {
        assert_eq!(written(template), expected, "{template}");
    }
}

#[test]
fn json_is_written_like_in_python() {
    let data = r#"{"x": {"b": [1, 2.0, "é\u0001\u2028"], "a": {}, "c": null}}"#;
    let cases = [
        ("{{ x | tojson }}", "{\"b\": [1, 2.0, \"é\\u0001\u{2028}\"], \"a\": {}, \"c\": null}"),
        (
            "{{ x | tojson(ensure_ascii=true, sort_keys=true) }}",
            "{\"a\": {}, \"b\": [1, 2.0, \"\\u00e9\\u0001\\u2028\"], \"c\": null}",
        ),
        (
            "{{ x | tojson(separators=(',', ':')) }}",
            "{\"b\":[1,2.0,\"é\\u0001\u{2028}\"],\"a\":{},\"c\":null}",
        ),
        ("{{ [1, {'k': 2}] | tojson(indent=2) }}", "[\n  1,\n  {\n    \"k\": 2\n  }\n]"),
        ("{{ {1: none, true: 2, none: 1.5} | tojson }}", "{\"1\": 2, \"null\": 1.5}"),
    ];
    for (template, expected) in cases {
        assert_eq!(render(template, data).unwrap(), expected, "{template}");
    }
    assert_eq!(render("{{ y | tojson }}", data).unwrap_err().kind(), ErrorKind::Render);
}

#[test]
fn scopes_are_those_of_jinja() {
    let cases = [
        (
            "{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = 5 %}{{ x }}{% endfor %}{{ x }}",
            "15151",
        ),
        ("{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "2"),
        ("{% macro f() %}{{ y }}{% endmacro %}{% set y = 3 %}{{ f() }}", "3"),
        (
            "{% set n = namespace(a=0) %}{% for i in [1, 2] %}{% set n.a = n.a + i %}{% endfor %}{{ n.a }}",
            "3",
        ),
        (
            "{% for i in [1, 2, 3, 4] %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}",
            "13",
        ),
        (
            "{% for i in [[1, [2]], [3, []]] recursive %}{{ i[0] }}{% if i[1] %}({{ loop([[i[1][0], []]]) }}){% endif %}{% endfor %}",
            "1(2)3",
        ),
        (
            "{% macro m(a, b=a) %}{{ a }}{{ b }}{{ caller() if caller }}{% endmacro %}{% call m(1) %}c{% endcall %}{{ m(1, b=2) }}",
            "11c12",
        ),
        ("{%- generation -%} a {%- endgeneration -%}", "a"),
        ("{% set x %} b {% endset %}{{ x | trim }}{% filter upper %}c{% endfilter %}", "bC"),
        ("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}", "3"),
        ("{% set l = [] %}{% set l2 = l %}{% do l.append(1) %}{{ l2 }}", "[1]"),
    ];
    for (template, expected) in cases {
        assert_eq!(written(template), expected, "{template}");
    }
}

#[test]
fn white_space_is_that_of_trimmed_blocks() {
    let cases = [
        ("a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"),
        ("a {%- if true %} b {% endif -%} c", "a b c"),
        ("{#- x -#}\n a{{ 1 }}\n{{ 2 }}", "a1\n2"),
        ("  {%+ if true +%}\nx{% endif %}", "  \nx"),
        ("{% raw %}{{ x }}{% endraw %}\n!", "{{ x }}!"),
        ("a\r\n{% if true %}\r\nb{% endif %}", "a\nb"),
    ];
    for (template, expected) in cases {
        assert_eq!(written(template), expected, "{template:?}");
    }
}

#[test]
fn a_refusal_has_the_message_of_the_template() {
    let error = render("a\n{{ raise_exception('No ' ~ who) }}", r#"{"who": "Ada"}"#).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Refused, "No Ada"));
    assert_eq!(error.place().unwrap().line, 2);
}

#[test]
fn the_caller_sets_the_clock() {
    assert_eq!(written("{{ strftime_now('%d %b %Y') }}"), "15 Jan 2025");
}

#[test]
fn a_syntax_error_has_its_line() {
    let cases = [
        ("a\n{% if x %}", 2, "`{% if x %}` is never closed"),
        ("{{ x", 1, "`{{` is never closed"),
        ("\n\n{% foo %}", 3, "unknown tag `foo`"),
        ("{{ 'a }}", 1, "this string is never closed"),
        ("{{ a b }}", 1, "unexpected `b`, expected `}}`"),
        ("{% include 'x' %}", 1, "`include` is not available"),
    ];
    for (template, line, message) in cases {
        let error = ChatTemplate::from_text(template).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TemplateSyntax, "{template}");
        assert_eq!(error.to_string(), message);
        assert_eq!(error.place().unwrap().line, line, "{template}");
    }
}

#[test]
fn undefined_values_fail_like_in_python() {
    for template in [
        "{{ a.b }}",
        "{{ a + 'b' }}",
        "{{ a() }}",
        "{{ 1 + 'a' }}",
        "{{ 1 in 1 }}",
        "{{ x | nofilter }}",
        "{{ 1 is notest }}",
        "{% for i in 1 %}{% endfor %}",
        "{{ 1 / 0 }}",
        "{{ [] < 1 }}",
        "{% set a.b = 1 %}",
    ] {
        assert_eq!(render(template, "{}").unwrap_err().kind(), ErrorKind::Render, "{template}");
    }
    assert_eq!(
        written("{{ a }}{{ a | length }}{{ a == b }}{{ 'x' in a }}{{ {}.b }}"),
        "0TrueFalse"
    );
}

/// The maximum number of bytes that a render may allocate. It may build four times its maximum
/// output, and a growing buffer is reallocated each time it doubles.
const MOST_BYTES: u64 = 32 * (16 << 20);

/// Without limits, each of these would exhaust the memory, the stack or the time of the program.
#[test]
fn hostile_templates_end_within_their_limits() {
    let templates = [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}".to_owned(),
        format!("{{% set a = 'aaaaaaaa' %}}{}{{{{ a }}}}", "{% set a = a ~ a %}".repeat(60)),
        format!("{{% set a = [1] %}}{}{{{{ a }}}}", "{% set a = [a, a] %}".repeat(60)),
        format!("{{% set a = [1] %}}{}{{{{ a == a }}}}{{% set b = a %}}{{{{ [a] == [b] }}}}", "{% set a = [a, a] %}".repeat(60)),
        format!("{{% set a = [1] %}}{}{{{{ a | tojson }}}}", "{% set a = [a, a] %}".repeat(60)),
        "{% set l = [] %}{% do l.append(l) %}{{ l }}".to_owned(),
        "{% set l = [] %}{% do l.append(l) %}{{ l | tojson }}".to_owned(),
        "{% set l = [] %}{% set m = [] %}{% do l.append(m) %}{% do m.append(l) %}{{ l == m }}".to_owned(),
        "{{ 'a' * 1000000000000 }}".to_owned(),
        "{{ [0] * 1000000000000 }}".to_owned(),
        "{{ '%1000000000d' % 1 }}{{ '{:>999999999}'.format(1) }}".to_owned(),
        "{{ 'a' | center(100000000000) }}".to_owned(),
        "{{ 'a\nb' | indent(100000000000) }}".to_owned(),
        "{{ 9 ** 9 ** 9 }}".to_owned(),
        "{{ range(0, 10000000000) }}".to_owned(),
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}".to_owned(),
        "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}".to_owned(),
        "{% macro f(x) %}{{ [x] | map('string') | list }}{{ f([x, x]) }}{% endmacro %}{{ f(1) }}".to_owned(),
        "{% set s = 'a' * 1000000 %}{{ range(100000) | join(s) }}".to_owned(),
        "{% set s = 'a' * 1000000 %}{{ range(100000) | list | tojson(indent=s) }}".to_owned(),
        "{% set s = 'a' * 1000000 %}{{ ('b ' * 100000) | wordwrap(1, true, s) }}".to_owned(),
        "{% set n = 'nan' | float %}{% set l = [n, 2, n, 1] * 999 %}{{ l | sort | length }}"
            .to_owned(),
        "{% set l = ([1, 2, 3] * 999) + ['a'] + [5, 4] * 99 %}{{ l | sort }}".to_owned(),
        format!(
            "{{% for i in range(99999) %}}{}{{% endfor %}}",
            (0..20_000).map(|i| format!("{{% set a{i} = 1 %}}")).collect::<String>()
        ),
        "{{ 'x' | batch(1, 1) }}{{ 'x' | slice(99999999999) }}".to_owned(),
        "{% set n = namespace() %}{% set n.n = n %}{{ n }}{% for i in range(99999) %}{{ 'a' * 9999 }}{% endfor %}".to_owned(),
    ];
    for template in templates {
        let (result, work) = count_work(|| render(&template, "{}"));
        let shown: String = template.chars().take(70).collect();
        if let Err(error) = result {
            assert!(
                matches!(error.kind(), ErrorKind::Limit | ErrorKind::Render),
                "{shown}: {error:?}"
            );
        }
        assert!(work.bytes <= MOST_BYTES, "{shown}: {work}");
    }
}

/// Characters of 2, 3 and 4 bytes, a mark that belongs to the letter before it, and string literals.
const CHARACTERS: [&str; 6] =
    ["\u{f6}", "\u{20ac}", "\u{1f980}", "\u{301}", "'\u{f6}'", "\"\u{1f980}\" "];

/// Templates that together contain the operators, tags and methods of chat templates.
const TEMPLATES: &[&str] = &[
    "{{ x == 'b'&& y }}{{ a[1:2:-1].b['c'](d=1, *e, **f) }}{{ 'a' % x }}{{ '%5.2s|%d' % ('b', 3) }}",
    "{{ 'a{0:>4}{b!r}'.format('c', b='d') }}{{ 'a.b'.split('.', 1)[-1] }}{{ 'ab'[::-1] }}{{ 'x' * 3 }}",
    "{{ ' ab '.strip(' a').title().center(9, '*') }}{{ 'aba'.replace('b', 'c').find('c') }}{{ 'a\nb'.splitlines() }}",
    "{{ 'a b' | wordwrap(1) | indent(2, first=true) | truncate(3) | urlize }}{{ ['b', 'a'] | sort | join(', ') }}",
    "{{ {'a': [1, none]} | tojson(indent=2) }}{{ 'a' | e | upper | capitalize | list | first }}{{ 'ab'.partition('b') }}",
    "{{ '\\u0041\\x41\\n\\101' }}{{ strftime_now('%d %B') }}{{ raise_exception('a' ~ b) if c }}{{ 'a'.encode('b') }}",
    "{%- for m in messages if m -%}<|{{ m.role }}|>{{ m.content | trim }}{% else %}{% break %}{% endfor %}{#- c -#}",
    "{% macro m(a, b=1) %}{{ caller(a) }}{% endmacro %}{% call(x) m('y') %}{{ x }}{% endcall %}{% set n.o = p %}{{ q",
];

/// The steps of the engine, its errors and the analysis compute positions in texts. None of them may
/// be inside of a character.
#[test]
fn no_position_in_a_template_is_inside_of_a_character() {
    for template in TEMPLATES {
        let places = (0..=template.len()).filter(|place| template.is_char_boundary(*place));
        for (before, after) in places.map(|place| template.split_at(place)) {
            for inserted in CHARACTERS {
                let text = format!("{before}{inserted}{after}");
                if let Ok(compiled) = ChatTemplate::from_text(&text) {
                    let _ = compiled.render(&Map::new(), Some(0));
                }
            }
        }
    }
}

#[test]
fn no_position_in_a_conversation_is_inside_of_a_character() {
    let template = "{% for m in messages %}<|{{ m.role }}|>{% if m.reasoning_content %}<think>\
        {{ m.reasoning_content }}</think>{% endif %}{{ m.content | trim }}<|end|>{% endfor %}";
    for inserted in ["\u{f6}", "\u{1f980}"] {
        for place in (0..=template.len()).filter(|place| template.is_char_boundary(*place)) {
            let (before, after) = template.split_at(place);
            let Ok(compiled) = ChatTemplate::from_text(&format!("{before}{inserted}{after}"))
            else {
                continue;
            };
            let _ = compiled.analyze();
            let text = format!("<|{inserted}end|>{inserted}");
            let _ = compiled.prompt(&[Message::user(text)], &[], &PromptOptions::default());
        }
    }
}
