//! Lets rust-analyzer follow names into the text of a template.
//!
//! For each place of an input in the template there is a mask: a copy of the literal that is blank
//! except for `{name}` at that place. `format_args!` gets it with the literal's span. rust-analyzer
//! finds names in format strings by their offsets, so go-to-definition, references and rename work
//! inside the template. The masks are under `cfg(rust_analyzer)`, so no build compiles them.

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::quote;

use crate::model::Prompt;
use crate::source::Source;

/// The masks of a template in a literal; empty for a file.
pub(crate) fn masks(
    facade: &TokenStream,
    prompt: &Prompt,
    source: &Source,
    variables: &[(String, prompty_core::diagnostic::SourceSpan)],
) -> TokenStream {
    let Some(token) = source.token() else { return TokenStream::new() };
    let masks = variables.iter().filter_map(|(name, span)| {
        let input = prompt.inputs.iter().find(|input| input.name() == name)?;
        // A generated field has the span of the prompt's type, so an editor would rename the type.
        // The name of a renamed input differs from the name of its field.
        (input.is_written && input.field == name.as_str()).then_some(())?;
        let at = token.span_in_token(*span)?;
        let literal = mask(&token.token, at.start, at.end, name)?;
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

/// The token, blank between its quotes except for `{name}` at the given bytes.
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
    fn a_mask_keeps_the_length_of_the_literal_and_the_place_of_the_name() {
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
