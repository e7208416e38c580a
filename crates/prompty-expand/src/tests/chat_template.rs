//! Tests of the code that `chat_template!` generates.

use proc_macro2::TokenStream;
use quote::quote;

use super::{errors, pretty};

/// The expansion of `chat_template!` with the given path of the facade.
#[allow(clippy::needless_pass_by_value, reason = "the arguments are created at the call")]
fn chat_template(facade: TokenStream, input: TokenStream) -> TokenStream {
    crate::expand_chat_template(quote!([#facade] #input))
}

/// A template with reasoning, content and calls.
const TEMPLATE: &str = "{% for m in messages %}<{{ m.role }}>\
    {% if m.reasoning_content %}<hm>{{ m.reasoning_content }}</hm>{% endif %}{{ m.content }}\
    {% for c in m.tool_calls or [] %}<do>{{ c.function.name }}({{ c.function.arguments | tojson }})\
    </do>{% endfor %}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";

#[test]
fn the_format_is_a_constant() {
    let expansion =
        chat_template(quote!(::typed_prompty), quote!(pub Local, #TEMPLATE, eos_token = "</s>"));
    insta::assert_snapshot!(pretty(&expansion));
}

#[test]
fn all_paths_begin_at_the_facade() {
    let expansion = chat_template(quote!(renamed), quote!(Local, source = #TEMPLATE));
    let text = expansion.to_string();
    assert!(text.contains("renamed") && !text.contains("typed_prompty"), "{text}");
    for name in ["std ::", "Some (", "None ,", "Cow ::", "LazyLock ::", "str]", "bool"] {
        let is_bare = text.match_indices(name).any(|(at, _)| !text.split_at(at).0.ends_with(":: "));
        assert!(!is_bare, "`{name}` without a path: {text}");
    }
}

#[test]
fn all_errors_are_reported_at_once_and_the_type_is_generated() {
    let input = quote!(pub Local, "{{ x", "{{ y }}", nme = "a", eos = "b");
    let expansion = chat_template(quote!(facade), input);
    let found = errors(expansion.clone());
    let found: Vec<&str> = found.iter().filter_map(|error| error.lines().next()).collect();
    let expected = [
        "the template is specified twice",
        "unknown key `nme` of `chat_template!`",
        "unknown key `eos` of `chat_template!`",
        "`{{` is never closed",
    ];
    assert_eq!(found, expected);
    assert!(expansion.to_string().contains("pub struct Local"), "{expansion}");
}

#[test]
fn the_documentation_shows_the_analysis() {
    let text = chat_template(quote!(facade), quote!(Local, #TEMPLATE)).to_string();
    for part in ["Format: reasoning `TAG_BASED`", "calls `TAG_WITH_JSON`, many", "| `<hm>` |"] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
}
