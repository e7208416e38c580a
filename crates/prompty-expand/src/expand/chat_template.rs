//! Generates the type of a chat template: the format as a constant, parsers of replies, and the
//! template itself. The parser that is made from the constant is the same as at run time.

use proc_macro2::{Span, TokenStream};
use prompty_reply::format::ReplyFormat;
use quote::{quote, quote_spanned};

use super::{derives, format};
use crate::parse::chat_template::ChatTemplateInvocation;

/// The result of analysing a chat template.
#[derive(Default)]
pub(crate) struct AnalyzedTemplate {
    pub(crate) text: String,
    /// The special tokens that have names, as JSON text.
    pub(crate) tokens: String,
    pub(crate) other_tokens: Vec<String>,
    /// As JSON text; empty if there is none.
    pub(crate) response_template: String,
    /// The result of the analysis, as Markdown.
    pub(crate) documentation: String,
    /// The name of the file in messages.
    pub(crate) file: Option<String>,
    pub(crate) stops: Vec<String>,
    pub(crate) preserved_tokens: Vec<String>,
    pub(crate) format: ReplyFormat,
}

impl AnalyzedTemplate {
    /// The result for an invalid template. The type is still generated, so that one mistake is one
    /// error.
    pub(crate) fn of_invalid_template() -> Self {
        Self { tokens: "{}".to_owned(), ..Self::default() }
    }
}

/// The type, with its constants and functions.
pub(crate) fn expand_type(
    invocation: &ChatTemplateInvocation,
    known: &AnalyzedTemplate,
) -> syn::Result<TokenStream> {
    let ChatTemplateInvocation { facade, attributes, visibility, ident, .. } = invocation;
    let AnalyzedTemplate {
        text,
        tokens,
        other_tokens,
        response_template,
        stops,
        preserved_tokens,
        ..
    } = known;
    let format = format::format_to_tokens(facade, &known.format)
        .map_err(|message| syn::Error::new(ident.span(), message))?;
    let private = quote!(#facade::__private);
    let derives = derives::derive_both(facade, attributes);
    let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let title = match &known.file {
        Some(file) => format!("The chat template `{file}`, and how its model writes replies."),
        None => "A chat template, and how its model writes replies.".to_owned(),
    };
    let documentation = match documented {
        true => format!("\n{}", known.documentation),
        false => format!("{title}\n\n{}", known.documentation),
    };
    // In an error about the type, rustc then shows its name, not the complete macro call.
    Ok(quote_spanned! {Span::call_site().located_at(ident.span())=>
        #(#attributes)*
        #[doc = #documentation]
        #derives
        #visibility struct #ident;

        #[allow(dead_code)]
        impl #ident {
            /// The format in which the model writes a reply, as found by the analysis of its chat
            /// template.
            pub const FORMAT: #facade::reply::format::ReplyFormat = #format;

            /// Texts at which the model should stop.
            pub const STOPS: &'static [&'static #private::str] = &[#(#stops),*];

            /// Special tokens that the parser needs. Configure the server to keep them in replies.
            pub const PRESERVED_TOKENS: &'static [&'static #private::str] =
                &[#(#preserved_tokens),*];

            /// A parser of replies that accepts any tool name. It is created once; a copy is cheap.
            #[must_use]
            pub fn parser() -> #facade::reply::ReplyParser {
                static PARSER: #private::LazyLock<#facade::reply::ReplyParser> =
                    #private::LazyLock::new(|| #facade::reply::ReplyParser::new(#ident::FORMAT));
                #private::Clone::clone(&*PARSER)
            }

            /// The parser for the reply to an existing prompt, for example one that the server
            /// rendered. It starts in the state in which the end of the prompt leaves it.
            #[must_use]
            pub fn parser_for_prompt(
                prompt: &#private::str,
                tools: &[#facade::message::ToolSpec],
                options: &#facade::reply::ReplyOptions,
            ) -> #facade::reply::ReplyParser {
                Self::parser()
                    .with_options(#private::Clone::clone(options))
                    .with_tools(tools)
                    .with_prompt(prompt)
            }
        }

        #[allow(dead_code)]
        impl #ident {
            /// The template, compiled once, to render messages. Its reply format is known, so it is
            /// not analysed again.
            #[must_use]
            pub fn template() -> &'static #facade::chat::ChatTemplate {
                static TEMPLATE: #private::LazyLock<#facade::chat::ChatTemplate> =
                    #private::LazyLock::new(|| {
                        let template = #facade::chat::embed::StaticTemplate {
                            text: #text,
                            tokens: #tokens,
                            other_tokens: &[#(#other_tokens),*],
                            response_template: #response_template,
                            format: #ident::FORMAT,
                        };
                        template.template()
                    });
                &TEMPLATE
            }
        }
    })
}
