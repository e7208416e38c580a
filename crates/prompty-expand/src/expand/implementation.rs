//! Generates the implementation of `Prompt` for a struct, its entry in the list of prompts, and a
//! fallback for a prompt with errors. The fallback compiles, so that one mistake causes one error.

use proc_macro2::{Ident, Span, TokenStream};
use prompty_check::check::{Presence, Use};
use prompty_core::message::RichKind;
use quote::{format_ident, quote, quote_spanned};
use syn::Generics;
use syn::spanned::Spanned;

use super::compiled::{CompiledTemplate, Rendering};
use super::conversion::{InputConverter, UsedValue};
use super::site::SiteTraits;
use super::{CheckedPrompt, mask, output, respanned, statics, text_prompt};
use crate::check::CheckedTemplate;
use crate::model::{Head, InputField, Prompt};

/// Generates `impl Prompt for …` and the items that it needs.
pub(crate) fn implement_prompt(known: CheckedPrompt<'_>, rendering: &Rendering) -> TokenStream {
    let CheckedPrompt { facade, prompt, source, checked } = known;
    let ident = &prompt.ident;
    let (parameters, arguments, bounds) = prompt.generics.split_for_impl();
    let name = ident.to_string();
    let definition =
        statics::definition(facade, &name, source, &checked.definition, &prompt.inputs);
    let masks = mask::masks_for_editors(facade, prompt, source, &checked.report.variables);
    let tracking = source.tracking();
    let renders = rendering.documentation();
    let engine = rendering.engine_reason().map(|reason| quote!(.with_engine(#reason)));
    let listing = listing_item(facade, ident);
    let implemented = trait_name(known.is_text());
    let ImplementationItems { outside, methods } = match rendering {
        Rendering::Compiled(compiled) => compiled_methods(known, compiled),
        Rendering::Engine(_) => engine_methods(known),
    };
    let output = output::methods(facade, prompt);
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
            impl #parameters #facade::#implemented for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition = __DEFINITION;
                #methods
            }
        };
        #output
        #masks
    }
}

/// The trait that a prompt implements.
fn trait_name(is_text: bool) -> Ident {
    Ident::new(if is_text { "TextPrompt" } else { "Prompt" }, Span::call_site())
}

/// Generates the head of the method that renders the prompt, and for a text prompt the type of its
/// text.
fn rendering_method(facade: &TokenStream, prompt: &Prompt, is_text: bool) -> TokenStream {
    if is_text {
        let text = text_prompt::text_type(facade, prompt);
        return quote! {
            type Text = #text;
            fn text(&self) -> core::result::Result<Self::Text, #facade::Error>
        };
    }
    quote! {
        fn messages(&self) -> core::result::Result<
            #facade::__private::Vec<#facade::Message>,
            #facade::Error,
        >
    }
}

/// The items inside and next to the implementation.
struct ImplementationItems {
    outside: TokenStream,
    methods: TokenStream,
}

/// The methods of a prompt that is compiled to straight-line code.
fn compiled_methods(known: CheckedPrompt<'_>, compiled: &CompiledTemplate) -> ImplementationItems {
    let CheckedPrompt { facade, prompt, checked, .. } = known;
    let CompiledTemplate { messages, size, outside, .. } = compiled;
    let name = prompt.ident.to_string();
    let fields = prompt.inputs.iter().map(|input| &input.field);
    let thread_checks = checks_of_threads(known);
    let requirement = output::requirement(prompt, &checked.report.uses);
    let requirement = requirement.map(|requirement| quote!(#requirement?;));
    let head = rendering_method(facade, prompt, known.is_text());
    let receiver = text_prompt::receiver(facade, prompt);
    // The size would need the texts of other prompts.
    let size = (!text_prompt::has_text_inputs(prompt)).then(|| {
        quote! {
            fn len_hint(&self) -> core::primitive::usize {
                let prompt = self;
                #size
            }
        }
    });
    let rendered = match known.is_text() {
        true => quote!(core::convert::From::from(#messages)),
        false => quote!(#messages),
    };
    let methods = quote! {
        #head {
            let prompt = #receiver;
            // This reads all fields, so that rustc does not report a field as dead. The checker
            // reports inputs that the template does not use.
            #(let _ = &prompt.#fields;)*
            #thread_checks
            let _span = #facade::__private::EnteredSpan::prepare(#name);
            #requirement
            core::result::Result::Ok(#rendered)
        }
        #size
    };
    let inputs_struct = text_prompt::inputs_struct(facade, prompt);
    let outside = quote! {
        #[allow(unused_imports)]
        use #facade::__private::tiers::*;
        #inputs_struct
        #outside
    };
    ImplementationItems { outside, methods }
}

/// The methods of a prompt that the template engine renders.
fn engine_methods(known: CheckedPrompt<'_>) -> ImplementationItems {
    let CheckedPrompt { facade, prompt, source, checked } = known;
    let (parameters, _, bounds) = prompt.generics.split_for_impl();
    let receiver_type = text_prompt::receiver_type(prompt);
    let registry = match &prompt.options.registry {
        Some(path) => quote!(#path),
        None => quote!(#facade::Registry::new),
    };
    let traits = SiteTraits::default();
    let is_handlebars = checked.definition.template.format == "handlebars";
    let converter = InputConverter { facade, source, prompt, traits: &traits, is_handlebars };
    let inputs = prompt.inputs.iter().map(|input| {
        let usage = checked.report.uses.get(input.name());
        input_statement(converter, input, usage)
    });
    let inputs: Vec<TokenStream> = inputs.collect();
    let checks = checks_of_uses(converter, checked);
    let check_function = (!checks.is_empty()).then(|| {
        quote! {
            #[allow(dead_code)]
            fn check #parameters (prompt: &#receiver_type) #bounds {
                #checks
            }
        }
    });
    let traits = traits.items();
    let thread_checks = checks_of_threads(known);
    let requirement = match output::requirement(prompt, &checked.report.uses) {
        Some(requirement) => quote!(#facade::__private::Option::Some(|| #requirement)),
        None => quote!(#facade::__private::Option::None),
    };
    let inputs_struct = text_prompt::inputs_struct(facade, prompt);
    let receiver = text_prompt::receiver(facade, prompt);
    let outside = quote! {
        #[allow(unused_imports)]
        use #facade::__private::tiers::*;
        #traits
        #inputs_struct
        #check_function
        static PIPELINE: #facade::__private::StaticPipeline =
            #facade::__private::StaticPipeline::new();
        fn inputs #parameters (prompt: &#receiver_type) -> #facade::Inputs #bounds {
            #thread_checks
            let inputs = #facade::Inputs::new();
            #(#inputs)*
            inputs
        }
    };
    let head = rendering_method(facade, prompt, known.is_text());
    let pipeline = quote!(PIPELINE.get(&__DEFINITION, #registry, #requirement)?);
    let methods = match known.is_text() {
        true => quote! {
            #head {
                #pipeline.text(inputs(#receiver)).map(core::convert::From::from)
            }
        },
        false => quote! {
            fn render(&self) -> core::result::Result<#facade::Rendered, #facade::Error> {
                #pipeline.render(inputs(#receiver))
            }
            #head {
                #pipeline.prepare(inputs(#receiver))
            }
        },
    };
    ImplementationItems { outside, methods }
}

/// Generates the checks of all inputs that are not part of the conversions.
fn checks_of_uses(converter: InputConverter<'_>, checked: &CheckedTemplate) -> TokenStream {
    let values = converter.prompt.inputs.iter().filter(|input| input.rich().is_none());
    let checks = values.filter_map(|input| {
        let usage = checked.report.uses.get(input.name())?;
        let span = converter.source.code_span();
        let field = respanned(&input.field, span);
        let place = quote_spanned!(span=> prompt.#field);
        Some(converter.checks(UsedValue::of_input(&place, usage, input)))
    });
    checks.collect()
}

/// Generates the statement that adds an input, in the simplest case
/// `let inputs = inputs.with("name", …);`.
///
/// An input that the template does not use is only borrowed, so that rustc does not report its
/// field as dead. The checker reports that it is unused.
fn input_statement(
    converter: InputConverter<'_>,
    input: &InputField,
    usage: Option<&Use>,
) -> TokenStream {
    let (facade, source) = (converter.facade, converter.source);
    if let Some(rich) = rich_statement(facade, input) {
        return rich;
    }
    let (name, span) = (input.name(), source.code_span());
    let field = respanned(&input.field, span);
    let Some(usage) = usage else {
        return quote_spanned!(span=> let _ = &prompt.#field;);
    };
    if input.presence() == Presence::Required {
        let place = quote_spanned!(span=> prompt.#field);
        let value = converter.value(UsedValue::of_input(&place, usage, input));
        return quote_spanned!(span=> let inputs = inputs.with(#name, #value););
    }
    // `None` counts as missing, so that the default is used. A value that is only tested is
    // converted with its `Option`, because the type inside may not have a truth value.
    let is_only_tested = !usage.read_fully && usage.item.is_none() && usage.attributes.is_empty();
    let place = if is_only_tested {
        quote_spanned!(span=> prompt.#field)
    } else {
        quote_spanned!(span=> (*given))
    };
    let value = converter.value(UsedValue::of_input(&place, usage, input));
    let pattern = if is_only_tested { quote!(_) } else { quote_spanned!(span=> given) };
    let otherwise = match &input.default {
        Some(default) => quote_spanned!(span=>
            inputs.with(#name, #facade::ToValue::to_value(&(#default)))
        ),
        None => quote_spanned!(span=> inputs),
    };
    quote_spanned!(span=>
        let inputs = match &prompt.#field {
            core::option::Option::Some(#pattern) => inputs.with(#name, #value),
            core::option::Option::None => #otherwise,
        };
    )
}

/// Generates the constructor of the message part for a kind of media; `None` for a thread.
pub(super) fn media_part(facade: &TokenStream, kind: RichKind, span: Span) -> Option<TokenStream> {
    kind.media_part()?;
    // The variants have the same names.
    let variant = format_ident!("{kind:?}", span = span);
    Some(quote_spanned!(span=> #facade::ContentPart::#variant))
}

/// Generates the statement that adds a thread or media; `None` for other inputs.
fn rich_statement(facade: &TokenStream, input: &InputField) -> Option<TokenStream> {
    // An error about the type points at the field, not at the template.
    let span = Span::call_site().located_at(input.ty.span());
    let (field, name) = (respanned(&input.field, span), input.name());
    let part = media_part(facade, input.rich()?, span);
    let names = match part {
        None => ["AsThread", "as_thread", "thread"],
        Some(_) => ["ToMedia", "to_media", "media"],
    };
    let [rich_trait, convert, new_rich] = names.map(|name| Ident::new(name, span));
    let converted = quote_spanned!(span=> #rich_trait::#convert(given));
    let converted = match part {
        None => converted,
        Some(part) => quote_spanned!(span=> #converted.map(#part)),
    };
    let rich = quote_spanned!(span=> {
        use #facade::__private::rich::#rich_trait;
        let given = &prompt.#field;
        let given = #converted;
        #facade::__private::project::#new_rich(given)
    });
    Some(quote_spanned!(span=>
        let inputs = match #rich {
            core::option::Option::Some(rich) => inputs.with_rich(#name, rich),
            core::option::Option::None => inputs,
        };
    ))
}

/// Generates a check for each thread that allows more roles than the default ones: it must not be
/// `Untrusted`. An error points at the field.
fn checks_of_threads(known: CheckedPrompt<'_>) -> TokenStream {
    let CheckedPrompt { facade, prompt, checked, .. } = known;
    let definition = &checked.definition;
    let wide = prompt.inputs.iter().filter(|input| {
        input.rich() == Some(RichKind::Thread) && input.thread_roles(definition).exceeds_default()
    });
    let checks = wide.map(|input| {
        let span = Span::call_site().located_at(input.ty.span());
        let field = respanned(&input.field, span);
        quote_spanned!(span=> {
            use #facade::__private::rich::require_own_thread;
            require_own_thread(&prompt.#field);
        })
    });
    checks.collect()
}

/// Generates the item that lists the prompt, next to its `__DEFINITION`. Without the feature
/// `inventory`, the facade's macro expands it to nothing.
pub(crate) fn listing_item(facade: &TokenStream, ident: &Ident) -> TokenStream {
    let name = ident.to_string();
    quote! {
        #facade::__private::list! {
            #facade::__private::ListedPrompt::new(
                core::concat!(core::module_path!(), "::", #name),
                __DEFINITION,
                core::file!(),
                core::line!(),
            )
        }
    }
}

/// Generates a prompt whose inputs are unknown. rustc also reports the code that names the inputs.
pub(crate) fn stub_of_unknown_inputs(facade: &TokenStream, head: &Head) -> TokenStream {
    let (visibility, ident) = (&head.visibility, &head.ident);
    let fallback = stub(facade, ident, &Generics::default());
    quote_spanned! {Span::call_site().located_at(ident.span())=>
        #[allow(missing_docs)]
        #visibility struct #ident {}
        #fallback
    }
}

/// Generates the fallback for a prompt with errors. It has all methods that the prompt could have.
pub(crate) fn fallback(facade: &TokenStream, prompt: &Prompt) -> TokenStream {
    let (ident, generics) = (&prompt.ident, &prompt.generics);
    let implementation = match prompt.options.text {
        Some(_) => text_stub(facade, ident, generics),
        None => stub(facade, ident, generics),
    };
    let output = output::methods(facade, prompt);
    quote!(#implementation #output)
}

/// Generates an implementation of `Prompt` without messages.
pub(crate) fn stub(facade: &TokenStream, ident: &Ident, generics: &Generics) -> TokenStream {
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let name = ident.to_string();
    quote! {
        const _: () = {
            use #facade::__private::core;
            #[automatically_derived]
            impl #parameters #facade::Prompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition =
                    #facade::StaticDefinition::new(#name, "", "");
                fn messages(&self) -> core::result::Result<
                    #facade::__private::Vec<#facade::Message>,
                    #facade::Error,
                > {
                    core::result::Result::Ok(#facade::__private::Vec::new())
                }
            }
        };
    }
}

/// Generates an implementation of `TextPrompt` without text.
fn text_stub(facade: &TokenStream, ident: &Ident, generics: &Generics) -> TokenStream {
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let name = ident.to_string();
    quote! {
        const _: () = {
            use #facade::__private::core;
            #[automatically_derived]
            impl #parameters #facade::TextPrompt for #ident #arguments #bounds {
                const DEFINITION: #facade::StaticDefinition =
                    #facade::StaticDefinition::new(#name, "", "");
                type Text = #facade::__private::String;
                fn text(&self) -> core::result::Result<Self::Text, #facade::Error> {
                    core::result::Result::Ok(#facade::__private::String::new())
                }
            }
        };
    }
}
