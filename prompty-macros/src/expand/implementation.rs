//! The implementation of `Prompt` for a struct.

use proc_macro2::TokenStream;
use prompty_runtime::check::{Presence, Use};
use quote::{quote, quote_spanned};

use super::{mask, project, statics};
use crate::check::Checked;
use crate::model::{Input, Kind, Prompt};
use crate::source::Source;

/// `impl Prompt for …`, and what goes with it.
pub(crate) fn of(
    facade: &TokenStream,
    prompt: &Prompt,
    source: &Source,
    checked: &Checked,
) -> TokenStream {
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let name = ident.to_string();
    let definition =
        statics::definition(facade, &name, source, &checked.definition, &prompt.inputs);
    let registry = match &prompt.options.registry {
        Some(path) => quote!(#path),
        None => quote!(#facade::Registry::new),
    };
    let inputs = prompt.inputs.iter().map(|input| {
        let usage = checked.report.uses.get(&input.name);
        given(facade, input, usage, source)
    });
    let checks = prompt.inputs.iter().filter(|input| matches!(input.kind, Kind::Value(_)));
    let checks: TokenStream = checks
        .filter_map(|input| {
            let usage = checked.report.uses.get(&input.name)?;
            let (field, span) = (&input.field, source.code_span());
            let of = quote_spanned!(span=> prompt.#field);
            Some(project::checks(facade, &of, (usage, &input.shape), span, 0))
        })
        .collect();
    let checks = (!checks.is_empty()).then(|| {
        quote! {
            #[allow(dead_code)]
            fn check #parameters (prompt: &#ident #arguments) #bounds {
                #checks
            }
        }
    });
    let masks = mask::masks(facade, prompt, source, &checked.report.variables);
    let tracking = source.tracking();
    quote! {
        const _: () = {
            use #facade::__private::core;
            use #facade::__private::project::PlainPart as _;
            #tracking
            #checks
            static PIPELINE: #facade::__private::StaticPipeline =
                #facade::__private::StaticPipeline::new();
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition = #definition;
                fn inputs(&self) -> #facade::Inputs {
                    let inputs = #facade::Inputs::new();
                    #(#inputs)*
                    inputs
                }
                fn render(&self) -> core::result::Result<#facade::Rendered, #facade::Error> {
                    let definition = <Self as #facade::Prompt>::DEFINITION;
                    let pipeline = PIPELINE.get(&definition, #registry)?;
                    pipeline.render(#facade::Prompt::inputs(self))
                }
                fn messages(&self) -> core::result::Result<
                    #facade::__private::Vec<#facade::Message>,
                    #facade::Error,
                > {
                    let definition = <Self as #facade::Prompt>::DEFINITION;
                    let pipeline = PIPELINE.get(&definition, #registry)?;
                    pipeline.prepare(#facade::Prompt::inputs(self))
                }
            }
        };
        #masks
    }
}

/// The statement that adds an input. An input that the template does not use is only looked at, so
/// that the compiler does not call the field dead; the checker has said that it is unused.
fn given(facade: &TokenStream, input: &Input, usage: Option<&Use>, source: &Source) -> TokenStream {
    let (field, name) = (&input.field, &input.name);
    let span = source.code_span();
    let project = quote_spanned!(span=> #facade::__private::project);
    let rich = match input.kind {
        Kind::Value(_) => None,
        Kind::Thread => Some(quote_spanned!(span=> #project::thread(&self.#field))),
        Kind::Image => Some(quote_spanned!(span=> #project::image(&self.#field))),
        Kind::File => Some(quote_spanned!(span=> #project::file(&self.#field))),
        Kind::Audio => Some(quote_spanned!(span=> #project::audio(&self.#field))),
    };
    if let Some(rich) = rich {
        return quote_spanned!(span=>
            let inputs = match #rich {
                core::option::Option::Some(rich) => inputs.with_rich(#name, rich),
                core::option::Option::None => inputs,
            };
        );
    }
    let Some(usage) = usage else {
        return quote_spanned!(span=> let _ = &self.#field;);
    };
    if input.presence == Presence::Required {
        let value = project::value(
            facade,
            &quote_spanned!(span=> self.#field),
            (usage, &input.shape),
            span,
            0,
        );
        return quote_spanned!(span=> let inputs = inputs.with(#name, #value););
    }
    // What is `None` is not given, so that a default takes its place.
    let value =
        project::value(facade, &quote_spanned!(span=> (*given)), (usage, &input.shape), span, 0);
    let otherwise = match &input.default {
        Some(default) => quote_spanned!(span=>
            inputs.with(#name, #facade::ToValue::to_value(&(#default)))
        ),
        None => quote_spanned!(span=> inputs),
    };
    quote_spanned!(span=>
        let inputs = match &self.#field {
            core::option::Option::Some(given) => inputs.with(#name, #value),
            core::option::Option::None => #otherwise,
        };
    )
}
