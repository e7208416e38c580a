//! The implementation of `Prompt` for a struct.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_runtime::check::{Presence, Use};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::compiled::{Compiled, Rendering};
use super::project::{Projector, Used};
use super::site::Sites;
use super::{listing, mask, statics};
use crate::check::Checked;
use crate::model::{Input, Kind, Prompt};
use crate::source::Source;

/// `impl Prompt for …`, and what goes with it.
pub(crate) fn expand_implementation(
    facade: &TokenStream,
    prompt: &Prompt,
    source: &Source,
    checked: &Checked,
    rendering: &Rendering,
) -> TokenStream {
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let name = ident.to_string();
    let definition =
        statics::definition(facade, &name, source, &checked.definition, &prompt.inputs);
    let masks = mask::masks(facade, prompt, source, &checked.report.variables);
    let tracking = source.tracking();
    let renders = rendering.documentation();
    let engine = rendering.because().map(|reason| quote!(.with_engine(#reason)));
    let listing = listing::expand_listing(facade, ident);
    let rendering = match rendering {
        Rendering::Compiled(compiled) => straight(facade, prompt, compiled),
        Rendering::Engine(_) => by_engine(facade, prompt, source, checked),
    };
    let Parts { outside, methods } = rendering;
    quote! {
        const _: () = {
            use #facade::__private::core;
            #[allow(unused_imports)]
            use core::{convert::From as _, default::Default as _, iter::Iterator as _};
            #tracking
            const __DEFINITION: #facade::StaticDefinition = #definition #engine;
            #listing
            #outside
            #[doc = #renders]
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition = __DEFINITION;
                #methods
            }
        };
        #masks
    }
}

/// What goes into the implementation, and what beside it.
struct Parts {
    outside: TokenStream,
    methods: TokenStream,
}

/// The methods of a prompt that is straight-line code.
fn straight(facade: &TokenStream, prompt: &Prompt, compiled: &Compiled) -> Parts {
    let Compiled { messages, size, outside, .. } = compiled;
    let name = prompt.ident.to_string();
    let fields = prompt.inputs.iter().map(|input| &input.field);
    let methods = quote! {
        fn messages(&self) -> core::result::Result<
            #facade::__private::Vec<#facade::Message>,
            #facade::Error,
        > {
            let prompt = self;
            // A field that the template does not read is not dead: the checker says it is unused.
            #(let _ = &prompt.#fields;)*
            let _span = #facade::__private::EnteredSpan::prepare(#name);
            core::result::Result::Ok(#messages)
        }
        fn len_hint(&self) -> core::primitive::usize {
            let prompt = self;
            #size
        }
    };
    let outside = quote! {
        #[allow(unused_imports)]
        use #facade::__private::place::{
            Comparable as _, ComparableValue as _, Mapped as _, MappedValue as _, Measurable as _,
            MeasurableValue as _, NeverMissing as _, NotComparable as _, NotMapped as _,
            NotMeasurable as _, NotPrintable as _, OptionTruth as _, OptionMissing as _, PlainTruth as _, PlainPlace as _,
            PresenceTruth as _, Printable as _, PrintableValue as _, PrintedMissing as _,
        };
        #[allow(unused_imports)]
        use #facade::__private::trust::PlainTrust as _;
        #outside
    };
    Parts { outside, methods }
}

/// The methods of a prompt that is rendered by the template engine.
fn by_engine(facade: &TokenStream, prompt: &Prompt, source: &Source, checked: &Checked) -> Parts {
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let registry = match &prompt.options.registry {
        Some(path) => quote!(#path),
        None => quote!(#facade::Registry::new),
    };
    let sites = Sites::default();
    let projector = Projector { facade, source, prompt, sites: &sites };
    let inputs = prompt.inputs.iter().map(|input| {
        let usage = checked.report.uses.get(&input.name);
        given(projector, input, usage)
    });
    let inputs: Vec<TokenStream> = inputs.collect();
    let checks = checks(projector, checked);
    let checks = (!checks.is_empty()).then(|| {
        quote! {
            #[allow(dead_code)]
            fn check #parameters (prompt: &#ident #arguments) #bounds {
                #checks
            }
        }
    });
    let sites = sites.items();
    let outside = quote! {
        #[allow(unused_imports)]
        use #facade::__private::place::{
            NeverMissing as _, OptionTruth as _, OptionMissing as _, PlainTruth as _,
            PresenceTruth as _, PrintedMissing as _,
        };
        use #facade::__private::project::PlainPart as _;
        #sites
        #checks
        static PIPELINE: #facade::__private::StaticPipeline =
            #facade::__private::StaticPipeline::new();
        fn inputs #parameters (prompt: &#ident #arguments) -> #facade::Inputs #bounds {
            let inputs = #facade::Inputs::new();
            #(#inputs)*
            inputs
        }
    };
    let methods = quote! {
        fn render(&self) -> core::result::Result<#facade::Rendered, #facade::Error> {
            let definition = <Self as #facade::Prompt>::DEFINITION;
            PIPELINE.get(&definition, #registry)?.render(inputs(self))
        }
        fn messages(&self) -> core::result::Result<
            #facade::__private::Vec<#facade::Message>,
            #facade::Error,
        > {
            let definition = <Self as #facade::Prompt>::DEFINITION;
            PIPELINE.get(&definition, #registry)?.prepare(inputs(self))
        }
    };
    Parts { outside, methods }
}

/// What rustc has to check beside the conversions.
fn checks(projector: Projector<'_>, checked: &Checked) -> TokenStream {
    let values =
        projector.prompt.inputs.iter().filter(|input| matches!(input.kind, Kind::Value(_)));
    let checks = values.filter_map(|input| {
        let usage = checked.report.uses.get(&input.name)?;
        let span = projector.source.code_span();
        let field = at(&input.field, span);
        let of = quote_spanned!(span=> prompt.#field);
        Some(projector.checks(Used { of: &of, usage, shape: &input.shape }))
    });
    checks.collect()
}

/// The statement that adds an input. An input that the template does not use is only looked at, so
/// that the compiler does not call the field dead; the checker has said that it is unused.
fn given(projector: Projector<'_>, input: &Input, usage: Option<&Use>) -> TokenStream {
    let (facade, source) = (projector.facade, projector.source);
    if let Some(rich) = rich(facade, input) {
        return rich;
    }
    let (name, span) = (&input.name, source.code_span());
    let field = at(&input.field, span);
    let Some(usage) = usage else {
        return quote_spanned!(span=> let _ = &prompt.#field;);
    };
    if input.presence == Presence::Required {
        let of = quote_spanned!(span=> prompt.#field);
        let value = projector.value(Used { of: &of, usage, shape: &input.shape });
        return quote_spanned!(span=> let inputs = inputs.with(#name, #value););
    }
    // What is `None` is not given, so that a default takes its place.
    let only_asked = !usage.whole && usage.item.is_none() && usage.attributes.is_empty();
    let of = if only_asked {
        quote_spanned!(span=> prompt.#field)
    } else {
        quote_spanned!(span=> (*given))
    };
    let value = projector.value(Used { of: &of, usage, shape: &input.shape });
    let given = if only_asked { quote!(_) } else { quote_spanned!(span=> given) };
    let otherwise = match &input.default {
        Some(default) => quote_spanned!(span=>
            inputs.with(#name, #facade::ToValue::to_value(&(#default)))
        ),
        None => quote_spanned!(span=> inputs),
    };
    quote_spanned!(span=>
        let inputs = match &prompt.#field {
            core::option::Option::Some(#given) => inputs.with(#name, #value),
            core::option::Option::None => #otherwise,
        };
    )
}

/// The statement that adds a thread or a medium; `None` for all other inputs.
fn rich(facade: &TokenStream, input: &Input) -> Option<TokenStream> {
    // That a type is none of them is its own fault, not the template's.
    let span = Span::call_site().located_at(input.ty.span());
    let (field, name) = (at(&input.field, span), &input.name);
    let project = quote_spanned!(span=> #facade::__private::project);
    let (ability, convert, rich) = match input.kind {
        Kind::Value(_) => return None,
        Kind::Thread => ("AsThread", "as_thread", "thread"),
        Kind::Image => ("ToMedia", "to_media", "image"),
        Kind::File => ("ToMedia", "to_media", "file"),
        Kind::Audio => ("ToMedia", "to_media", "audio"),
    };
    let [ability, convert, rich] = [ability, convert, rich].map(|name| Ident::new(name, span));
    // The trait is imported, since rustc draws a call whose path was written elsewhere together with
    // all that stands between.
    let rich = quote_spanned!(span=> {
        use #facade::__private::rich::#ability;
        let given = &prompt.#field;
        let given = #ability::#convert(given);
        #project::#rich(given)
    });
    Some(quote_spanned!(span=>
        let inputs = match #rich {
            core::option::Option::Some(rich) => inputs.with_rich(#name, rich),
            core::option::Option::None => inputs,
        };
    ))
}

/// A field's name at another place: a span that mixes places of the user's and of the macro's is
/// drawn as the whole call.
fn at(field: &Ident, span: Span) -> Ident {
    let mut field = field.clone();
    field.set_span(span);
    field
}
