//! Tests of masks, with which an editor finds names in a template by their offsets.

use proc_macro2::TokenStream;
use quote::quote;

use super::arguments;

/// The expansion of a derive with a literal as its template.
fn derived(literal: &str) -> TokenStream {
    let literal: TokenStream = literal.parse().unwrap();
    crate::expand_derive_prompt(quote! {
        #[prompt(source = #literal)]
        struct Ask {
            name: String,
            items: Vec<Item>,
        }
    })
}

fn masks(literal: &str) -> Vec<String> {
    let masks = arguments(derived(literal), "format_args");
    masks.iter().map(|mask| mask.token().to_string()).collect()
}

/// The expected masks: for each place of a variable a copy of the literal that is blank except for
/// `{variable}` there.
fn expected(literal: &str, places: &[(&str, &str)]) -> Vec<String> {
    let opening = literal.find('"').unwrap() + 1;
    let closing = literal.rfind('"').unwrap();
    let places = places.iter().map(|(before, name)| {
        let start = literal.find(before).unwrap() + before.len();
        let mut mask = literal.as_bytes().to_vec();
        mask[opening..closing].fill(b' ');
        mask[start - 1..=start + name.len()].copy_from_slice(format!("{{{name}}}").as_bytes());
        assert!(literal.split_at(start).1.starts_with(name));
        String::from_utf8(mask).unwrap()
    });
    places.collect()
}

const PLACES: [(&str, &str); 4] =
    [("Hi {{ ", "name"), ("for item in ", "items"), ("(", "name"), ("{% if ", "items")];

/// A template with each place of a variable once. Loop variables have no field.
const TEMPLATE: &str = "user:
Hi {{ name }} – Grüße, 你好 \u{1f600}:
{% for item in items %}{{ item.title }} ({{name}}){% endfor %}
{% if items | length > 2 %}many{% endif %}
";

/// The same places, but the third one has no spaces inside its braces.
fn places() -> Vec<(&'static str, &'static str)> {
    let mut places = PLACES.to_vec();
    places[2] = ("({{", "name");
    places
}

#[test]
fn a_mask_has_the_name_at_its_place_in_a_plain_literal() {
    let literal = format!("\"{TEMPLATE}\"");
    assert_eq!(masks(&literal), expected(&literal, &places()));
}

#[test]
fn a_mask_has_the_name_at_its_place_in_a_raw_literal() {
    let literal = format!("r\"{TEMPLATE}\"");
    assert_eq!(masks(&literal), expected(&literal, &places()));
}

#[test]
fn hashes_around_a_raw_literal_are_counted() {
    for hashes in ["#", "##", "####"] {
        let literal = format!("r{hashes}\"{TEMPLATE} a \"quoted\" word\"{hashes}");
        assert_eq!(masks(&literal), expected(&literal, &places()));
        assert!(masks(&literal).iter().all(|mask| mask.len() == literal.len()));
    }
}

#[test]
fn escapes_in_a_literal_keep_their_length() {
    let literal = format!("\"\\u{{2603}}\\n\\\"{TEMPLATE}\\t{{{{ name }}}}\"");
    let mut places = places();
    places.push(("\\t{{ ", "name"));
    assert_eq!(masks(&literal), expected(&literal, &places));
}

#[test]
fn a_renamed_input_has_no_mask_since_its_field_has_another_name() {
    let expansion = crate::expand_derive_prompt(quote! {
        #[prompt(source = "user:\n{{ fullName }}")]
        struct Ask {
            #[prompt(rename = "fullName")]
            name: String,
        }
    });
    assert!(arguments(expansion, "format_args").is_empty());
}

#[test]
fn a_file_has_no_masks() {
    let expansion = crate::expand_derive_prompt(quote! {
        #[prompt(path = "../prompts/support.prompty", allow(unused_input))]
        struct Ask {
            company: String,
            passages: Vec<Item>,
            question: String,
        }
    });
    assert!(arguments(expansion, "format_args").is_empty());
}

#[test]
fn prompts_of_declared_inputs_have_masks_too() {
    let literal: TokenStream = "r\"user:\n{{ name }}\"".parse().unwrap();
    let expansion = super::prompt(quote!(Ask { name: &str }, #literal));
    let masks = arguments(expansion, "format_args");
    assert_eq!(masks[0].token().to_string(), "r\"        {name}  \"");
}

#[test]
fn no_build_compiles_a_mask() {
    let file: syn::File = syn::parse2(derived(&format!("r\"{TEMPLATE}\""))).unwrap();
    let mut found = 0;
    for item in &file.items {
        let text = quote!(#item).to_string();
        if !text.contains("format_args") {
            continue;
        }
        found += 1;
        let syn::Item::Const(item) = item else { panic!("{text}") };
        let syn::Expr::Block(block) = &*item.expr else { panic!("{text}") };
        let [syn::Stmt::Item(syn::Item::Fn(function))] = block.block.stmts.as_slice() else {
            panic!("{text}");
        };
        let attribute = &function.attrs[0];
        assert_eq!(quote!(#attribute).to_string(), "# [cfg (rust_analyzer)]");
    }
    assert_eq!(found, 1, "all masks are in one constant");
}
