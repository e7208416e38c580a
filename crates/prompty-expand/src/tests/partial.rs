//! Tests of `#[derive(Partial)]`: the struct that grows, and its errors.

use quote::quote;

use super::{errors, pretty};

#[test]
fn a_struct_grows_field_by_field() {
    let written = crate::expand_derive_partial(quote! {
        #[serde(rename_all = "camelCase")]
        pub struct Ticket {
            /// At the top.
            pub first_line: String,
            #[serde(rename(deserialize = "kind"))]
            r#type: Option<Kind>,
            #[partial(whole)]
            id: Uuid,
            #[serde(skip)]
            seen: bool,
        }
    });
    insta::assert_snapshot!(pretty(&written));
}

#[test]
fn a_type_without_named_fields_grows_like_its_content() {
    let written: Vec<String> = [
        quote!(
            struct Id(String);
        ),
        quote!(
            enum Tone {
                Calm,
                Angry,
            }
        ),
        quote!(
            enum Choice {
                Text(String),
                Nothing,
            }
        ),
        quote!(
            #[serde(from = "Raw")]
            struct Other {
                a: u8,
            }
        ),
    ]
    .into_iter()
    .map(|input| pretty(&crate::expand_derive_partial(input)))
    .collect();
    insta::assert_snapshot!(written.join("\n"));
}

#[test]
fn all_errors_are_reported_at_once() {
    let reported = errors(crate::expand_derive_partial(quote! {
        #[partial(nam = X)]
        struct Ticket {
            #[serde(flatten)]
            rest: Rest,
            #[serde(with = "hex")]
            id: Vec<u8>,
            #[serde(alias = "name")]
            #[partial(skip)]
            title: String,
        }
    }));
    let first: Vec<&str> = reported.iter().filter_map(|it| it.lines().next()).collect();
    assert_eq!(
        first,
        [
            "unknown key `nam` of `partial` on a type",
            "the field `rest` cannot be read while the reply streams, because it is flattened",
            "the field `id` cannot be read while the reply streams, because a function reads its complete value",
        ]
    );
}

#[test]
fn an_option_on_a_field_without_a_name_is_an_error() {
    let reported = errors(crate::expand_derive_partial(quote! {
        struct Id(#[partial(whole)] String);
    }));
    assert_eq!(reported.len(), 1);
    assert!(reported[0].contains("no effect on a field without a name"), "{reported:?}");
}
