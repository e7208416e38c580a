//! The struct of a function's arguments, which can call the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, Type};

use super::super::options::{self, Options, ParameterOptions};
use super::super::{derive_tool, names};
use super::signature::{Function, Parameter, Pattern, is_conditional, is_read};
use super::types;
use crate::errors::Errors;
use crate::expand::derives::{self, NamedField};
use crate::model::ImplTarget;

/// A parameter without errors.
struct Argument<'f> {
    ident: Ident,
    ty: &'f Type,
    /// The attributes of its field.
    attributes: TokenStream,
    /// Whether it comes from the program.
    context: bool,
    /// Whether serde reads it from among the other arguments.
    flattened: bool,
}

impl Argument<'_> {
    /// Its name in the code that calls the function. It may be the function's own, which a local
    /// name of the user's would hide.
    fn local(&self) -> Ident {
        let mut local = self.ident.clone();
        local.set_span(Span::mixed_site().located_at(self.ident.span()));
        local
    }
}

/// The function, the struct of its arguments, and the struct's methods.
pub(super) fn expand(options: &Options, function: &Function, errors: &mut Errors) -> TokenStream {
    let facade = options.facade();
    let plain = names::plain(&function.ident);
    let span = function.ident.span();
    let made = Ident::new(&names::arguments(&plain), span);
    let ident = options.arguments.clone().unwrap_or(made);
    check_function(function, errors);
    let name = names::checked(options.name.as_ref(), plain, span, errors);
    let description = options::description(options, &function.attributes, span, errors);
    let is_method =
        function.parameters.iter().any(|it| matches!(it.pattern, Pattern::Receiver(..)));
    let arguments: Vec<Argument<'_>> =
        function.parameters.iter().filter_map(|it| argument(it, errors)).collect();
    check_generics(function, &arguments, errors);
    // An `impl` or a trait cannot hold a struct.
    if is_method || function.has_no_body() {
        return quote!(#function);
    }
    let tool =
        derive_tool::implementation(&facade, &ident, Generics::default(), &name, &description);
    let structure = structure(&facade, options, function, &ident, &arguments);
    // Methods that call a wrong function would be errors, too.
    let methods = errors.is_empty().then(|| methods(&facade, function, &ident, &arguments));
    quote!(#function #structure #tool #methods)
}

/// Checks the function itself.
fn check_function(function: &Function, errors: &mut Errors) {
    if let Some(unsafety) = &function.unsafety {
        let help = "a model calls it with whatever it likes: check that in a safe function";
        errors.add(unsafety.span, "a tool cannot be unsafe", help);
    }
    if function.has_no_body() {
        let help = "a trait only declares it: write a function beside it that calls it";
        errors.add(function.ident.span(), "a tool needs a body", help);
    }
}

/// Checks the type parameters: arguments of the program may have any type, but arguments of the model
/// may not.
fn check_generics(function: &Function, arguments: &[Argument<'_>], errors: &mut Errors) {
    for parameter in &function.generics.params {
        let name = match parameter {
            // Where an argument has it, that is told there.
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(parameter) => &parameter.ident,
            GenericParam::Const(parameter) => &parameter.ident,
        };
        let named = |it: &Argument<'_>| types::uses_name(it.ty, name);
        let is_read = arguments.iter().any(|it| !it.context && named(it));
        if is_read || !arguments.iter().any(named) {
            let help = "a call has to be read as one type: name the types of the parameters";
            errors.add(parameter.span(), "a tool has no parameters of types", help);
        }
    }
}

/// A parameter as an argument, or what is wrong with it.
fn argument<'f>(parameter: &'f Parameter, errors: &mut Errors) -> Option<Argument<'f>> {
    let options = ParameterOptions::from_attributes(&parameter.attributes, errors);
    let ident = match &parameter.pattern {
        Pattern::Name { ident, .. } => ident.clone(),
        Pattern::Receiver(_, span) => {
            let help = "make it a function beside the type, and take the value as \
                        `#[tool(context)] it: &Type`";
            errors.add(*span, "a method is not a tool", help);
            return None;
        }
        Pattern::Other(_, span) => {
            let help = "the model gives it by name: name it, and take it apart in the body";
            errors.add(*span, "an argument of a tool needs a name", help);
            return None;
        }
    };
    if let Some(cfg) = parameter.attributes.iter().find(|it| is_conditional(it)) {
        let help = "write the function twice, each with a `#[cfg(…)]` of its own";
        errors.add(cfg.path().span(), "an argument of a tool has no conditions", help);
        return None;
    }
    let ty = parameter.ty.as_ref()?;
    if !options.context && !is_owned(ty, errors) {
        return None;
    }
    let kept = parameter.attributes.iter().filter(|it| is_read(it) && !it.path().is_ident("tool"));
    let attributes = match &options.description {
        Some(text) => {
            let kept = kept.filter(|it| !it.path().is_ident("doc"));
            quote!(#(#kept)* #[doc = #text])
        }
        None => quote!(#(#kept)*),
    };
    let flattened = options::serde_word(&parameter.attributes, "flatten").is_some();
    Some(Argument { ident, ty, attributes, context: options.context, flattened })
}

/// Whether a call can be read as the type: it must have a name and own its data.
fn is_owned(ty: &Type, errors: &mut Errors) -> bool {
    let (span, message, help) = if let Type::ImplTrait(_) = ty {
        let help = "a call has to be read as one type: name it";
        (ty.span(), "an argument of a tool needs a type", help)
    } else if let Some(span) = types::borrow(ty) {
        let help = "take a `String` in place of a `&str`, or mark what the program gives: \
                    `#[tool(context)]`";
        (span, "an argument of a tool cannot be borrowed", help)
    } else {
        return true;
    };
    errors.add(span, message, help);
    false
}

fn structure(
    facade: &TokenStream,
    options: &Options,
    function: &Function,
    ident: &Ident,
    arguments: &[Argument<'_>],
) -> TokenStream {
    let visibility = &function.visibility;
    let fields = arguments.iter().filter(|it| !it.context).map(|argument| {
        let Argument { ident, ty, attributes, .. } = argument;
        quote!(#attributes #visibility #ident: #ty)
    });
    let text = format!("The arguments of [`{}`], as a tool.", function.ident);
    // serde cannot refuse what a flattened field may still take.
    let refuses = (!arguments.iter().any(|it| it.flattened)).then(|| quote!(, deny_unknown_fields));
    let is_derived = |name: &str| {
        let mut last = options.derive.iter().filter_map(|path| path.segments.last());
        last.any(|segment| segment.ident == name)
    };
    let named: Vec<NamedField<'_>> =
        arguments.iter().filter(|it| !it.context).map(|it| (&it.ident, it.ty)).collect();
    let target = ImplTarget { facade, ident, generics: &Generics::default() };
    let clone = (!is_derived("Clone")).then(|| derives::clone(target, &named));
    let debug = (!is_derived("Debug")).then(|| derives::debug(target, &named));
    let derives = options.derive.iter();
    let inner = path_text(&quote!(#facade::__private::generated::serde));
    let schemas = path_text(&quote!(#facade::__private::generated::schemars));
    // The user wrote none of this, so no lint of the user's may ask for docs.
    quote! {
        #[doc = #text]
        #[allow(dead_code, missing_docs)]
        #[derive(
            #facade::__private::generated::serde::Deserialize,
            #facade::__private::generated::schemars::JsonSchema,
            #(#derives),*
        )]
        #[serde(crate = #inner #refuses)]
        #[schemars(crate = #schemas)]
        #visibility struct #ident {
            #(#fields),*
        }
        #clone
        #debug
    }
}

fn methods(
    facade: &TokenStream,
    function: &Function,
    ident: &Ident,
    arguments: &[Argument<'_>],
) -> TokenStream {
    let Function { visibility, asyncness, output, ident: called, bounds, .. } = function;
    let generics = &function.generics;
    let wait = asyncness.as_ref().map(|_| quote!(.await));
    let fields = arguments.iter().filter(|it| !it.context).map(|it| {
        let (field, local) = (&it.ident, it.local());
        quote!(#field: #local)
    });
    let context = arguments.iter().filter(|it| it.context).map(|it| {
        let (local, ty) = (it.local(), it.ty);
        quote!(#local: #ty)
    });
    let context: Vec<TokenStream> = context.collect();
    let given = arguments.iter().filter(|it| it.context).map(Argument::local);
    let all = arguments.iter().map(Argument::local);
    let span = match output {
        syn::ReturnType::Default => called.span(),
        syn::ReturnType::Type(_, ty) => ty.span(),
    };
    // Where what it gives cannot be written, rustc points at its type.
    let text = quote_spanned! {Span::call_site().located_at(span)=>
        (&given).tool_answer_way().text(given)
    };
    let call = format!("Calls [`{called}`] with these arguments.");
    let answer =
        format!("Calls [`{called}`] with these arguments, and gives the text for the model.");
    let result = quote!(#facade::__private::core::result::Result<
        #facade::__private::String,
        #facade::tools::ToolError,
    >);
    quote! {
        #[automatically_derived]
        #[allow(
            dead_code, deprecated, unreachable_pub, unused_lifetimes,
            clippy::all, clippy::pedantic, clippy::nursery,
        )]
        impl #ident {
            #[doc = #call]
            #visibility #asyncness fn call #generics (self, #(#context),*) #output #bounds {
                let Self { #(#fields),* } = self;
                #called(#(#all),*) #wait
            }

            #[doc = #answer]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = "Where the function gives one, or what it gives cannot be written as JSON."]
            #visibility #asyncness fn answer #generics (self, #(#context),*) -> #result #bounds {
                #[allow(unused_imports)]
                use #facade::__private::generated::{FallibleWay as _, PlainWay as _};
                let given = Self::call(self, #(#given),*) #wait;
                #text
            }
        }
    }
}

/// A path as the texts of attributes take it.
fn path_text(path: &TokenStream) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
