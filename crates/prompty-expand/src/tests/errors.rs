//! Tests that all errors are reported at once, and that valid parts are still generated.

use quote::quote;

use super::{errors, pretty, prompt};

/// The first lines of the errors of a derive.
fn derived(input: proc_macro2::TokenStream) -> Vec<String> {
    first_lines(&errors(crate::expand_derive_prompt(input)))
}

fn first_lines(errors: &[String]) -> Vec<String> {
    errors.iter().map(|error| error.lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn all_errors_of_attributes_are_reported_at_once() {
    let found = derived(quote! {
        #[prompt(source = "user:\nx", sorce = "y", allow(nothing), strict)]
        #[prompt(source = "user:\ny")]
        struct Ask {
            #[prompt(kind = "picture", renam = "x")]
            a: String,
            #[prompt(path = "x")]
            b: String,
            #[prompt(default = 3)]
            c: Option<String>,
        }
    });
    let expected = [
        "unknown key `sorce` of `prompt` on a type",
        "`source` is specified twice",
        "unknown key `renam` of `prompt` on a field",
        "unknown kind `picture` of a field",
        "`path` can only be used on the type",
        "the default is an integer, but the field is of kind `string`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_path_of_the_facade_is_given_with_quotes_or_without() {
    for path in [quote!(a::b), quote!("a::b"), quote!(::a::b), quote!("::a::b"), quote!(crate)] {
        let found = derived(quote! {
            #[prompt(source = "user:\nx", crate = #path)]
            struct Ask {}
        });
        assert_eq!(found, Vec::<String>::new(), "{path}");
    }
    assert_eq!(
        derived(quote!(
            #[prompt(crate = 3)]
            struct Ask {}
        ))
        .len(),
        1
    );
    assert_eq!(
        derived(quote!(
            #[prompt(crate = "a b")]
            struct Ask {}
        ))
        .len(),
        1
    );
}

#[test]
fn the_path_of_the_facade_is_given_once() {
    let found = derived(quote! {
        #[prompt(source = "user:\nx", crate = a, crate = b)]
        struct Ask {}
    });
    assert_eq!(found, ["`crate` is specified twice"]);
}

#[test]
fn the_text_and_the_facade_of_the_macro_are_not_in_its_attributes() {
    for (key, value) in [("path", "a.prompty"), ("source", "user: x"), ("crate", "a")] {
        let key: proc_macro2::TokenStream = key.parse().unwrap();
        let expected = [format!("`{key}` cannot be used in `prompt!`")];
        for input in [
            quote!(
                #[prompt(#key = #value)]
                Ask,
                "user:\nx"
            ),
            quote!(
                #[prompt(#key = #value)]
                Ask {},
                "user:\nx"
            ),
            quote!(#[prompt(#key = #value)] Ask {}, user: "x"),
        ] {
            assert_eq!(first_lines(&errors(prompt(input.clone()))), expected, "{input}");
        }
    }
}

#[test]
fn all_errors_of_a_template_are_reported_in_the_order_of_the_text() {
    let found = errors(prompt(quote!(Ask { name: &str }, "user:\n{{ b }} {{ a | x }} {{ name }}")));
    let found = first_lines(&found);
    assert_eq!(found, ["unknown input `b`", "unknown input `a`", "unknown filter `x`"]);
}

#[test]
fn a_wrong_prompt_is_still_a_prompt() {
    let expansions = [
        prompt(quote!(pub Ask { name: &str }, "user:\n{{ nme }} {{ name }}")),
        prompt(quote!(pub Ask { name: &str }, usr: "{name}")),
        crate::expand_derive_prompt(quote!(
            struct Ask {
                name: String,
            }
        )),
    ];
    for expansion in expansions {
        assert_eq!(errors(expansion.clone()).len(), 1, "{expansion}");
        let text = pretty(&expansion);
        assert!(text.contains("::typed_prompty::Prompt for Ask"), "{text}");
    }
}

#[test]
fn a_prompt_with_unknown_inputs_becomes_a_type_with_the_error() {
    let expansions = [
        prompt(quote!(pub Ask, "---\ninputs: [\n---\nuser:\nx\n")),
        prompt(quote!(pub Ask, "---\ninputs: question\n---\nuser:\nx\n")),
        prompt(quote!(pub Ask, "no/such/file.prompty")),
    ];
    for expansion in expansions {
        assert_eq!(errors(expansion.clone()).len(), 1, "{expansion}");
        let text = pretty(&expansion);
        assert!(text.contains("pub type Ask<'prompt> = "), "{text}");
    }
}

#[test]
fn errors_about_invalid_forms_suggest_a_form() {
    let messages = [
        (quote!(), "`prompt!` needs a prompt"),
        (quote!("user:\nx"), "a prompt needs a name before its text"),
        (quote!(Ask), "`Ask` has no text"),
        (quote!(Ask, user: "x"), "a prompt that is written as messages must declare its inputs"),
        (quote!(Ask, "user:\nx", 3), "unexpected tokens after the prompt's text"),
        (quote!(Ask, TEXT), "the prompt's text must be a string literal"),
        (quote!(user: TEXT), "a message must be a string literal"),
        (
            quote!(Ask<T>, "user:\nx\n"),
            "a prompt whose front matter declares its inputs cannot have type parameters",
        ),
    ];
    for (input, message) in messages {
        let found = errors(prompt(input.clone()));
        assert_eq!(first_lines(&found), [message], "{input}");
        assert!(found[0].contains("= help: "), "{}", found[0]);
    }
}
