//! Characters of several bytes, next to every operator and delimiter of each language. No position
//! that a parser or check computes may be inside of a character.

use prompty_check::check::{CheckOptions, check};
use prompty_core::diagnostic::SourceText;
use prompty_template::{built_in, built_in_kinds};

use super::report_as;

/// Characters of 2, 3 and 4 bytes, alone and in a string literal before an operator.
const CHARACTERS: [&str; 5] = ["\u{f6}", "\u{20ac}", "\u{1f980}", "'\u{f6}'", "\"\u{1f980}\" "];

/// Templates that together contain every operator and delimiter, valid and foreign.
const JINJA: &[&str] = &[
    "{{ a == 'b'&& x }}{{ a || b }}{{ a ?? b ?. c :: d }}{{ a => b -> c }}",
    "{{ a === b }}{{ a !== b }}{{ a += 1 }}{{ a++ }}{{ a <> b }}{{ !a ? b : c }}",
    "{{ 0..3 }}{{ 0..=3 }}{{ 1.5e+3 - 0x1F // 2 ** 3 % 4 }}{{ a = b }}",
    "{{ a + b - c * d / e ~ f }}{{ a < b <= c > d >= e != f }}{{ a[1:2:3].b[0](c=1, *d, **e) }}",
    "{{ a | upper | join(', ') }}{{ a | join: ',' }}{{ a is not none and b in c or d if e else f }}",
    "{{ {'a': 1, \"b\": [2, (3,)]} }}{{ '\\u0041\\x41\\n\\'' }}{{ '\\u00' }}{{ '\\q",
    "{%- if a -%}b{%+ elif c +%}d{% else if e %}{% endif %}{#- c -#}{% raw %}{{{% endraw %}",
    "{% for a, b in c if d recursive %}{{ loop.index }}{% else %}{% endfor %}{% set a.b = c %}",
    "{% macro m(a, b=1) %}{{ caller() }}{% endmacro %}{% call(x) m(1) %}{% endcall %}",
    "{ % if a % }{ {name} }{{ a } }{{{ a }}}{% if let Some(x) = y %}{% unknwon %}{% end %}",
    "{% include 'a' ignore missing %}{% extends \"b\" %}{% from 'c' import d as e %}{% block f %}",
    "user[a={{ b }}, c=\"d\"]:\n\u{201C}a\u{201D}\n # System :\n**user:**\n<|im_start|>user\n[user]:",
    "{{ \u{201C}a\u{201D} }}{{ f(a }}{{ [a }}{{ x for x in y }}{{ a.b().c | d.e(1) }}",
    "{{#if a}}{{/if}}{{^b}}{{>c}}{{else}}{{!d}}{{$e}}{{/each}}{{ a",
];

const HANDLEBARS: &[&str] = &[
    "{{#if (equals a 'b')}}c{{else if d}}e{{else}}f{{/if}}{{{g}}}{{&h}}{{~i~}}{{!-- j --}}{{! k }}",
    "{{#each a as |b c|}}{{@index}}{{../d}}{{this.e}}{{[f g].h}}{{@root.i}}{{/each}}{{^j}}{{/j}}",
    "{{> part a=1 b=\"c\"}}{{#> x}}{{/x}}{{#*inline \"y\"}}{{/inline}}{{{{raw}}}}{{{{/raw}}}}\\{{z}}",
    "{{a == b}}{{a | b}}{{a=b}}{{a 'b\\'c' -1.5 true null}}{{(a (b c))}}{{a.[b}}{{#if}}{{/each}}{{a",
    "{{#message role=\"user\"}}a{{/message}}{{set \"a\" b}}{{json a}}{{lookup a 'b'}}{{a/b}}",
];

const MUSTACHE: &[&str] = &[
    "{{#a}}b{{/a}}{{^c}}d{{/c}}{{{e}}}{{&f}}{{! g }}{{>h}}{{.}}{{i.j.k}}{{=<% %>=}}<%l%>",
    "{{#a}}\n  {{#b}}\n  {{/b}}\n{{/a}}\n{{ c }}{{d | e}}{{f == g}}{{h i}}{{#}}{{/}}{{=a}}{{j",
    "{{$a}}{{<b}}{{/b}}{{#lambda}}{{/other}}{{{c}}{{d}}}user:\n{{e}}",
];

const SEMANTIC_KERNEL: &[&str] = &[
    "{{$a}}{{ $b }}{{'c'}}{{\"d\"}}{{f $g}}{{h.i 'j' k='l' m=$n}}{{'o\\'p'}}{{$q r}}{{s 't'u}}",
    "{{}}{{ }}{{{{$a}}}}{{$}}{{$a.b}}{{$a|b}}{{c=d}}{{e 'f' 'g'}}{{h i=}}{{j k=l}}{{'m}}{{$n",
    "{{#if a}}{{/if}}{{a(b)}}{{a.b.c}}{{a'b'}}",
];

/// Texts whose messages are marked by tags, in all languages.
const TAGS: &[&str] = &[
    "<message role=\"user\" name='a'>b &lt;&amp;&#65;&x; <![CDATA[c]]><!-- d --><?e?></message>",
    "<message role=user>a</message ><text>b</text><image detail=\"low\">https://c</image><audio/>",
    "<message><message role=\"\"></mesage>< message></ message><Message role=\"user\">&",
];

/// The template with each string at each place in it.
fn variants(text: &str) -> impl Iterator<Item = String> {
    let places = (0..=text.len()).filter(|place| text.is_char_boundary(*place));
    places.flat_map(move |place| {
        let (before, after) = text.split_at(place);
        CHARACTERS.into_iter().map(move |inserted| format!("{before}{inserted}{after}"))
    })
}

fn templates(kind: &str) -> &'static [&'static str] {
    match kind {
        "jinja2" => JINJA,
        "handlebars" => HANDLEBARS,
        "mustache" => MUSTACHE,
        _ => SEMANTIC_KERNEL,
    }
}

#[track_caller]
fn assert_in_text(start: usize, end: usize, text: &str) {
    assert!(text.get(start..end).is_some(), "{start}..{end} in {text:?}");
}

#[test]
fn no_position_in_a_template_is_inside_of_a_character() {
    for kind in built_in_kinds() {
        let language = built_in(kind).unwrap();
        for template in templates(kind).iter().chain(TAGS) {
            for text in variants(template) {
                match language.parse(&text) {
                    Err(error) => assert_in_text(error.span.start, error.span.end, &text),
                    Ok(tree) => {
                        for finding in language.findings(&text, &tree) {
                            let span = finding.span.unwrap();
                            assert_in_text(span.start, span.end, &text);
                        }
                    }
                }
                for found in report_as(language, &text).diagnostics {
                    let span = found.span.unwrap();
                    assert_in_text(span.start, span.end, &text);
                }
            }
        }
    }
}

#[test]
fn no_position_in_a_prompt_file_is_inside_of_a_character() {
    for kind in built_in_kinds() {
        for (parser, texts) in [("prompty", templates(kind)), ("message-tags", TAGS)] {
            for text in texts.iter().flat_map(|text| variants(text)) {
                let front = format!(
                    "---\nname: t\ntemplate: {{format: {kind}, parser: {parser}}}\n---\n{text}"
                );
                let checked = check(SourceText::new("t", &*front), &CheckOptions::new());
                let source = &checked.source;
                for span in checked.findings().iter().filter_map(|found| found.span) {
                    // Files with findings are appended to the source, but not to its text.
                    if span.start <= source.text().len() {
                        assert_in_text(span.start, span.end, source.text());
                    }
                }
            }
        }
    }
}
