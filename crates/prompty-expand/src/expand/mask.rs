//! Lets rust-analyzer follow names into the text of a template.
//!
//! rust-analyzer finds names in format strings by their offsets. So for each use of an input in the
//! template, the generated code passes a mask to `format_args!`: a copy of the template's literal
//! that is blank except for `{name}` at the place of the use. The mask has the span of the literal:
//!
//! ```text
//! "user:\nHi {{ name }}!"   the literal, with one use of `name`
//! "            {name}   "   its mask: the name and all bytes keep their offsets
//! ```
//!
//! Go-to-definition, references and rename then work inside the template. The masks are under
//! `cfg(rust_analyzer)`, so no build compiles them.

use proc_macro2::{Literal, TokenStream, TokenTree};
use prompty_core::diagnostic::SourceSpan;
use quote::quote;

use crate::model::Prompt;
use crate::source::Source;

/// Generates a function that is never called and contains the masks. `variables` are the names that
/// the template uses, with their places. A template in a file has no masks.
pub(crate) fn masks_for_editors(
    facade: &TokenStream,
    prompt: &Prompt,
    source: &Source,
    variables: &[(String, SourceSpan)],
) -> TokenStream {
    let masks =
        variables.iter().filter_map(|(name, span)| mask_of_use(prompt, source, name, *span));
    let masks: Vec<TokenTree> = masks.collect();
    if masks.is_empty() {
        return TokenStream::new();
    }
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let fields = prompt.inputs.iter().map(|input| &input.field);
    let names = fields.clone();
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

/// The mask for a name that is used at a place. `None` if an editor cannot follow the name.
fn mask_of_use(
    prompt: &Prompt,
    source: &Source,
    name: &str,
    used_at: SourceSpan,
) -> Option<TokenTree> {
    let literal = source.token()?;
    let input = prompt.inputs.iter().find(|input| input.name() == name)?;
    // A generated field has the span of the prompt's type, so an editor would rename the type. If
    // an input is renamed, its name differs from the name of its field.
    if !input.is_written || input.field != name {
        return None;
    }
    let place = literal.span_in_token(used_at)?;
    let mut mask: Literal = mask_token(&literal.token, place, name)?.parse().ok()?;
    mask.set_span(source.literal.span());
    Some(TokenTree::Literal(mask))
}

/// Blanks the text between the quotes of a token, except for `{name}`. `place` is the place of the
/// name in the token; the braces replace the bytes before and after it.
fn mask_token(token: &str, place: SourceSpan, name: &str) -> Option<String> {
    let inside = token.find('"')? + 1..token.rfind('"')?;
    let has_bytes_around = inside.start < place.start && place.end < inside.end;
    if !has_bytes_around || token.get(place.start..place.end)? != name {
        return None;
    }
    let mut bytes = token.as_bytes().to_vec();
    bytes.get_mut(inside)?.fill(b' ');
    bytes.get_mut(place.start..place.end)?.copy_from_slice(name.as_bytes());
    *bytes.get_mut(place.start - 1)? = b'{';
    *bytes.get_mut(place.end)? = b'}';
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{SourceSpan, mask_token};

    #[test]
    fn a_mask_keeps_the_length_of_the_literal_and_the_place_of_the_name() {
        let token = "r#\"Hi {{ name }}é\n\"#";
        let start = token.find("name").unwrap();
        let masked = mask_token(token, SourceSpan::new(start, start + 4), "name").unwrap();
        assert_eq!(masked.len(), token.len());
        assert_eq!(masked, "r#\"     {name}     \"#");
        assert_eq!(masked.find("name"), Some(start));
    }

    #[test]
    fn a_name_at_another_place_gives_no_mask() {
        assert_eq!(mask_token("\"{{ a }}\"", SourceSpan::new(5, 6), "a"), None);
    }
}
