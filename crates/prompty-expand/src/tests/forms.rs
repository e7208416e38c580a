//! Snapshots of expansions, one for each form.

use quote::quote;

use super::{pretty, prompt};

#[test]
fn from_front_matter() {
    let expansion = prompt(quote! {
        pub Greet,
        "---\ndescription: Greets.\ninputs:\n  name: { kind: string, required: true, description: Who. }\n  tone: { kind: string, enumValues: [warm, cold], default: warm }\n---\nuser:\nHello {{ name }}, {{ tone }}\n"
    });
    insta::assert_snapshot!(pretty(&expansion));
}

#[test]
fn with_declared_inputs() {
    let expansion = prompt(quote! {
        Ask { passages: &[Passage] },
        "user:\n{% for passage in passages %}{{ passage.title }}{% endfor %}\n"
    });
    insta::assert_snapshot!(pretty(&expansion));
}

#[test]
fn as_messages() {
    let expansion = prompt(quote! {
        Greet { name: &str, history: &[Message] },
        system: "Be brief.",
        ..history,
        user: "{name}"
    });
    insta::assert_snapshot!(pretty(&expansion));
}

#[test]
fn as_an_expression() {
    let expansion = prompt(quote!(system: "Be brief.", ..history, user: "{name}"));
    let expansion = quote!(fn messages() -> Vec<Message> { #expansion });
    insta::assert_snapshot!(pretty(&expansion));
}

#[cfg(feature = "render")]
#[test]
fn derived_and_rendered_by_the_engine() {
    let expansion = crate::expand_derive_prompt(quote! {
        #[prompt(source = "user:\n{% set x = item.name %}{{ x }} {{ photo }}", registry = registry)]
        struct Ask<'a, T> {
            item: &'a Item<T>,
            #[prompt(kind = "image")]
            photo: Option<Media>,
        }
    });
    insta::assert_snapshot!(pretty(&expansion));
}

#[test]
fn derived_values() {
    let of_struct = crate::expand_derive_to_value(quote! {
        struct Point<T> {
            x: T,
            #[prompt(rename = "height")]
            y: T,
            #[prompt(skip)]
            cache: u8,
        }
    });
    let of_enum = crate::expand_derive_to_value(quote! {
        #[prompt(crate = facade)]
        enum Tone { Warm, #[prompt(rename = "very cold")] Cold }
    });
    insta::assert_snapshot!(pretty(&quote!(#of_struct #of_enum)));
}

#[test]
fn all_paths_begin_at_the_facade() {
    // The facade has another name here, so the usual name must not occur.
    let expansions = [
        crate::expand_prompt(
            quote!([renamed] A { x: &T }, "user:\n{{ x.y }} {% if x %}{% endif %}"),
        ),
        crate::expand_prompt(quote!([renamed] A, "---\ninputs: { x: 1 }\n---\nuser:\n{{ x }}")),
        crate::expand_prompt(quote!([renamed] A { x: u8 }, user: "{x}")),
        crate::expand_prompt(quote!([renamed] A { x: u8 }, "user:\n{{ y }}")),
        crate::expand_derive_prompt(quote!(
            #[prompt(source = "user:\n{{ x }}", crate = renamed)]
            struct A {
                x: u8,
            }
        )),
        crate::expand_derive_to_value(quote!(
            #[prompt(crate = "renamed")]
            struct A {
                x: u8,
            }
        )),
    ];
    for expansion in expansions {
        let text = expansion.to_string();
        assert!(text.contains("renamed") && !text.contains("typed_prompty"), "{text}");
        for name in ["std ::", "Some (", "None ,", "Ok (", "vec !", "String"] {
            let is_bare =
                text.match_indices(name).any(|(at, _)| !text.split_at(at).0.ends_with(":: "));
            assert!(!is_bare, "`{name}` without a path: {text}");
        }
    }
}
