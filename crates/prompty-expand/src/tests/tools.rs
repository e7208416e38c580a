//! Tests of tools: all errors are reported at once, and the code that is added to the user's is as
//! small as possible.

use proc_macro2::TokenStream;
use quote::quote;

use super::{errors, pretty};

fn first_lines(tokens: TokenStream) -> Vec<String> {
    let errors = errors(tokens);
    errors.iter().map(|error| error.lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_struct_becomes_a_tool_by_its_name_and_doc_comment() {
    let written = crate::expand_derive_tool(quote! {
        /// Gets a page.
        ///
        /// Or two.
        struct HTTPGet { page: u8 }
    });
    insta::assert_snapshot!(pretty(&written));
}

#[test]
fn a_function_stays_and_gets_a_struct_of_its_arguments() {
    let written = crate::expand_tool_attribute(
        quote!(name = "post"),
        quote! {
            /// Sends.
            pub async fn send_it(
                #[tool(context)] mail: &Mail,
                /// Who gets it.
                mut to: String,
                #[serde(default)] r#type: u8,
            ) -> Result<(), Full> {
                mail.send(to, r#type).await
            }
        },
    );
    insta::assert_snapshot!(pretty(&written));
}

#[test]
fn a_set_compares_names_and_dispatches_by_them() {
    let written = crate::expand_derive_tool_set(quote! {
        enum Action { Weather(Weather), Send(SendArguments) }
    });
    insta::assert_snapshot!(pretty(&written));
}

#[test]
fn all_errors_of_a_struct_are_reported_at_once() {
    let found = first_lines(crate::expand_derive_tool(quote! {
        #[tool(nam = "x", name = "a b")]
        #[serde(rename_all = "camelCase", bound(deserialize = ""), transparent)]
        struct Weather<'a>(&'a str);
    }));
    let expected = [
        "unknown key `nam` of `tool` on a struct",
        "the arguments of a tool must have names",
        "a tool cannot be `transparent`",
        "a tool cannot borrow its arguments",
        "this tool has no description",
    ];
    assert_eq!(found, expected);
}

#[test]
fn all_errors_of_a_function_are_reported_at_once() {
    let item = quote! {
        unsafe fn send<T>(a: &str, (b, c): (u8, u8), d: impl Sized, #[tool(x)] e: u8, _: u8) {}
    };
    let found = first_lines(crate::expand_tool_attribute(quote!(name = ""), item));
    let expected = [
        "a tool cannot be unsafe",
        "`` is not a valid name of a tool",
        "this tool has no description",
        "a tool cannot borrow its arguments",
        "an argument of a tool must have a name",
        "an argument of a tool must have a concrete type",
        "unknown key `x` of `tool` on a parameter",
        "an argument of a tool must have a name",
        "a tool cannot have type parameters",
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_item_that_is_not_a_function_does_not_change() {
    let written = crate::expand_tool_attribute(
        quote!(),
        quote!(
            struct Weather {
                city: String,
            }
        ),
    );
    assert_eq!(first_lines(written.clone()), ["`#[tool]` can only be used on a function"]);
    assert!(pretty(&written).contains("struct Weather"));
    let written = crate::expand_tool_attribute(
        quote!(),
        quote!(
            const X: u8 = 3;
        ),
    );
    assert_eq!(errors(written.clone()).len(), 1);
    assert!(pretty(&written).contains("const X: u8 = 3;"));
}

#[test]
fn receivers_of_every_form_are_distinguished_from_names() {
    for receiver in [quote!(self), quote!(&self), quote!(&'a mut self), quote!(mut self: Box<Self>)]
    {
        let item = quote! {
            /// Sends.
            fn send(#receiver, x: u8) {}
        };
        let found = first_lines(crate::expand_tool_attribute(quote!(), item));
        assert_eq!(found, ["a method is not a tool"], "{receiver}");
    }
}
