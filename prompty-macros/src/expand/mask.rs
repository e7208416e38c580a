//! Lets rust-analyzer follow names into the text of a template.
//!
//! For each place where an input stands in the template, a copy of the literal is written in which
//! everything is blank but `{name}` at that place. Given to `format_args!` with the literal's span,
//! it makes the editor's go-to-definition, references and rename reach into the text, because
//! rust-analyzer maps names in format strings by their offsets. It stands under `cfg(rust_analyzer)`
//! alone, so that no build ever compiles it.

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::quote;

use crate::model::Prompt;
use crate::source::Source;

/// The masks of a template that stands in a literal; nothing for files.
pub(crate) fn masks(
    facade: &TokenStream,
    prompt: &Prompt,
    source: &Source,
    variables: &[(String, prompty_core::diagnostic::Span)],
) -> TokenStream {
    let Some((token, prefix)) = source.token() else { return TokenStream::new() };
    let masks = variables.iter().filter_map(|(name, span)| {
        let input = prompt.inputs.iter().find(|input| input.name == *name)?;
        // A renamed input has another name in the text than its field has.
        (input.field == name.as_str()).then_some(())?;
        let literal = mask(&token, prefix + span.start, prefix + span.end, name)?;
        spanned(&literal, source.literal.span())
    });
    let masks: Vec<TokenTree> = masks.collect();
    if masks.is_empty() {
        return TokenStream::new();
    }
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let fields = prompt.inputs.iter().map(|input| &input.field);
    let names = prompt.inputs.iter().map(|input| &input.field);
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            fn names #parameters (prompt: &#ident #arguments) #bounds {
                #(let #fields = &prompt.#names;)*
                #(let _ = #facade::__private::core::format_args!(#masks);)*
            }
        };
    }
}

/// The token with everything inside its quotes blank but `{name}` around the given bytes.
pub(crate) fn mask(token: &str, start: usize, end: usize, name: &str) -> Option<String> {
    let closing = token.rfind('"')?;
    let opening = token.find('"')?;
    if start <= opening + 1 || end + 1 > closing || token.get(start..end)? != name {
        return None;
    }
    let mut bytes = token.as_bytes().to_vec();
    bytes.get_mut(opening + 1..closing)?.fill(b' ');
    bytes.get_mut(start..end)?.copy_from_slice(name.as_bytes());
    *bytes.get_mut(start - 1)? = b'{';
    *bytes.get_mut(end)? = b'}';
    String::from_utf8(bytes).ok()
}

fn spanned(token: &str, span: Span) -> Option<TokenTree> {
    let mut literal: Literal = token.parse().ok()?;
    literal.set_span(span);
    Some(TokenTree::Literal(literal))
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn a_mask_has_the_length_of_the_literal_and_the_name_at_its_place() {
        let token = "r#\"Hi {{ name }}é\n\"#";
        let start = token.find("name").unwrap();
        let masked = mask(token, start, start + 4, "name").unwrap();
        assert_eq!(masked.len(), token.len());
        assert_eq!(masked, "r#\"     {name}     \"#");
        assert_eq!(masked.find("name"), Some(start));
    }

    #[test]
    fn a_name_at_another_place_gives_no_mask() {
        assert_eq!(mask("\"{{ a }}\"", 5, 6, "a"), None);
    }
}
