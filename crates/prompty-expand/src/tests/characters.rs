//! Characters of several bytes, and escapes, at every position in the source of each macro. No
//! position that a macro computes may be inside of a character.

use proc_macro2::TokenStream;
use quote::quote;

use crate::location::tests::located;

/// Characters of 2, 3 and 4 bytes, a mark that belongs to the letter before it, and escapes.
const INSERTED: [&str; 7] = ["ö", "€", "🦀", "\u{301}", "\\u{f6}", "\\x41", "\\\n  "];

const PROMPTS: &[&str] = &[
    r#"pub Ask, "---\ninputs: {a: {kind: string, default: \"b\"}}\n---\nuser:\n{{ a == 'b'&& x }}""#,
    r#"Ask { a: &str, b: Vec<u8> }, "user:\n{% for i in b %}{{ i }}{% endfor %}{{ a | uper }}""#,
    r##"Ask { a: bool }, r#"user: {% if a %}"x"{% else if b %}y{% endif %}{{ a ?? c }}"#"##,
    r#"Ask { a: &str }, system: "{a}: {{x}} {a:>4}", ..b, user: "{b} { {a""#,
    r#"user: "Hi {name}, {0}", #[prompt(roles(user))] ..history"#,
    r#"#[prompt(output = "Answer", allow(unused_input), strict)] Ask { #[prompt(default = "x")] a: &str }, "user: x""#,
    r#"Ask, "prompts/ask.prompty""#,
    r#"Ask { a: &str }, "---\ntemplate: handlebars\n---\nuser:\n{{#if a}}{{{a}}}{{/iff}}""#,
];

const DERIVES: &[&str] = &[
    r#"#[prompt(source = "user:\n{{ a.b }} {{ c }}", crate = "x::y")] struct A<'a> { a: &'a B, #[prompt(rename = "d e")] c: u8 }"#,
    r#"#[prompt(path = "a/b.prompty")] struct A { #[prompt(kind = "image", roles("user"))] a: Media }"#,
    r#"/// Be ${brief}. struct A { /// Text ${a}. a: String, #[prompt(slot = "input", title = "[X]")] b: String }"#,
    r#"#[prompt(system = "Be ${a} and ${b.c}.", slots)] struct A { #[prompt(block = "TITLE")] a: String, #[prompt(slot = "instruct")] b: String }"#,
];

const TOOLS: &[&str] = &[
    r#"/// Gets "it". #[tool(name = "a-b", description = "c")] #[serde(rename_all = "kebab-case")] struct A { #[serde(rename = "d")] e: u8 }"#,
];

#[cfg(feature = "local")]
const CHAT_TEMPLATES: &[&str] = &[
    r#"Local, "{% for m in messages %}<|{{ m.role }}|>{{ m['content'] }}{% endfor %}{{ x ", eos_token = "</s>""#,
];

/// Expands a macro with each text at each place in its source, as far as the result is Rust tokens.
/// Returns how many are.
fn expand_variants(source: &str, expand: fn(TokenStream) -> TokenStream) -> usize {
    let places = (0..=source.len()).filter(|place| source.is_char_boundary(*place));
    let variants = places.flat_map(|place| {
        let (before, after) = source.split_at(place);
        INSERTED.into_iter().map(move |inserted| format!("{before}{inserted}{after}"))
    });
    let tokens = variants.filter_map(|text| text.parse::<TokenStream>().ok());
    located("src/main.rs".into(), "/nowhere".into(), || tokens.map(expand).count())
}

#[track_caller]
fn assert_no_panic(sources: &[&str], expand: fn(TokenStream) -> TokenStream) {
    for source in sources {
        let expanded = expand_variants(source, expand);
        assert!(expanded > source.len(), "only {expanded} variants of {source}");
    }
}

#[test]
fn no_position_in_a_prompt_is_inside_of_a_character() {
    assert_no_panic(PROMPTS, |tokens| crate::expand_prompt(quote!([::typed_prompty] #tokens)));
}

#[test]
fn no_position_in_a_derived_prompt_is_inside_of_a_character() {
    assert_no_panic(DERIVES, crate::expand_derive_prompt);
    assert_no_panic(DERIVES, crate::expand_derive_to_value);
}

#[cfg(feature = "tools")]
#[test]
fn no_position_in_a_tool_is_inside_of_a_character() {
    assert_no_panic(TOOLS, crate::expand_derive_tool);
    assert_no_panic(TOOLS, crate::expand_derive_partial);
}

#[cfg(feature = "local")]
#[test]
fn no_position_in_a_chat_template_is_inside_of_a_character() {
    assert_no_panic(CHAT_TEMPLATES, |tokens| {
        crate::expand_chat_template(quote!([::typed_prompty] #tokens))
    });
}
