//! Generates the struct of a function's arguments, which can call the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Ident, Type};

use super::super::options::{self, ToolOptions, ToolParameterOptions};
use super::super::{derive_tool, names};
use super::signature::{Function, Parameter, Pattern, is_conditional, is_field_attribute};
use super::types;
use crate::errors::Errors;
use crate::expand::derives::{self, NamedField};
use crate::model::ImplTarget;

/// A valid parameter.
struct Argument<'f> {
    ident: Ident,
    ty: &'f Type,
    /// The attributes of its field.
    attributes: TokenStream,
    /// Whether it comes from the program, and not from the model.
    is_context: bool,
    /// Whether serde flattens it into the other arguments.
    is_flattened: bool,
}

impl Argument<'_> {
    /// Its name in the code that calls the function. The span keeps it apart from the function's
    /// own name, which may be the same.
    fn local(&self) -> Ident {
        let mut local = self.ident.clone();
        local.set_span(Span::mixed_site().located_at(self.ident.span()));
        local
    }
}

/// The function, the struct of its arguments, and the struct's methods.
pub(super) fn expand_function(
    options: &ToolOptions,
    function: &Function,
    errors: &mut Errors,
) -> TokenStream {
    let facade = options.facade();
    let plain = names::plain(&function.ident);
    let span = function.ident.span();
    let default_ident = Ident::new(&names::arguments_type_name(&plain), span);
    let ident = options.arguments.clone().unwrap_or(default_ident);
    check_function(function, errors);
    let name = names::tool_name(options.name.as_ref(), plain, span, errors);
    let description = options::description(options, &function.attributes, span, errors);
    let is_method =
        function.parameters.iter().any(|it| matches!(it.pattern, Pattern::Receiver(..)));
    let arguments: Vec<Argument<'_>> =
        function.parameters.iter().filter_map(|it| argument(it, errors)).collect();
    check_generics(function, &arguments, errors);
    // An `impl` or a trait cannot contain a struct.
    if is_method || function.has_no_body() {
        return quote!(#function);
    }
    let tool = derive_tool::impl_tool(&facade, &ident, Generics::default(), &name, &description);
    let structure = arguments_struct(&facade, options, function, &ident, &arguments);
    // Methods that call a wrong function would cause more errors.
    let methods = errors.is_empty().then(|| call_methods(&facade, function, &ident, &arguments));
    quote!(#function #structure #tool #methods)
}

/// Checks the function itself.
fn check_function(function: &Function, errors: &mut Errors) {
    if let Some(unsafety) = &function.unsafety {
        let help =
            "write a safe function that checks the arguments, since a model may send any values";
        errors.add(unsafety.span, "a tool cannot be unsafe", help);
    }
    if function.has_no_body() {
        let help = "write a function that calls the trait's function";
        errors.add(function.ident.span(), "this tool has no body", help);
    }
}

/// Checks the type parameters. Arguments of the program may have generic types, but arguments of
/// the model may not.
fn check_generics(function: &Function, arguments: &[Argument<'_>], errors: &mut Errors) {
    for parameter in &function.generics.params {
        let name = match parameter {
            // If an argument uses it, the error is reported there.
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(parameter) => &parameter.ident,
            GenericParam::Const(parameter) => &parameter.ident,
        };
        let uses_parameter = |it: &Argument<'_>| types::uses_name(it.ty, name);
        let is_read = arguments.iter().any(|it| !it.is_context && uses_parameter(it));
        if is_read || !arguments.iter().any(uses_parameter) {
            let help = "use concrete types for the parameters";
            errors.add(parameter.span(), "a tool cannot have type parameters", help);
        }
    }
}

/// Converts a parameter into an argument, or reports its errors.
fn argument<'f>(parameter: &'f Parameter, errors: &mut Errors) -> Option<Argument<'f>> {
    let options = ToolParameterOptions::from_attributes(&parameter.attributes, errors);
    let ident = match &parameter.pattern {
        Pattern::Name { ident, .. } => ident.clone(),
        Pattern::Receiver(_, span) => {
            let help =
                "move it out of the `impl`, and take the value as `#[tool(context)] it: &Type`";
            errors.add(*span, "a method is not a tool", help);
            return None;
        }
        Pattern::Other(_, span) => {
            let help = "use a name here, and destructure the value in the body";
            errors.add(*span, "an argument of a tool must have a name", help);
            return None;
        }
    };
    if let Some(cfg) = parameter.attributes.iter().find(|it| is_conditional(it)) {
        let help = "write the function twice, each time with its own `#[cfg(…)]`";
        errors.add(cfg.path().span(), "an argument of a tool cannot have `#[cfg]`", help);
        return None;
    }
    let ty = parameter.ty.as_ref()?;
    if !options.context && !check_owned(ty, errors) {
        return None;
    }
    let kept = parameter
        .attributes
        .iter()
        .filter(|it| is_field_attribute(it) && !it.path().is_ident("tool"));
    let attributes = match &options.description {
        Some(text) => {
            let kept = kept.filter(|it| !it.path().is_ident("doc"));
            quote!(#(#kept)* #[doc = #text])
        }
        None => quote!(#(#kept)*),
    };
    let is_flattened = options::serde_key(&parameter.attributes, "flatten").is_some();
    Some(Argument { ident, ty, attributes, is_context: options.context, is_flattened })
}

/// Checks that a call can be read as the type: it must be a concrete type that owns its data.
fn check_owned(ty: &Type, errors: &mut Errors) -> bool {
    let (span, message, help) = if let Type::ImplTrait(_) = ty {
        let help = "write a concrete type";
        (ty.span(), "an argument of a tool must have a concrete type", help)
    } else if let Some(span) = types::find_borrow(ty) {
        let help = "use an owned type, such as `String`, or mark an argument that the program \
                    passes: `#[tool(context)]`";
        (span, "a tool cannot borrow its arguments", help)
    } else {
        return true;
    };
    errors.add(span, message, help);
    false
}

/// The struct of the arguments that come from the model.
fn arguments_struct(
    facade: &TokenStream,
    options: &ToolOptions,
    function: &Function,
    ident: &Ident,
    arguments: &[Argument<'_>],
) -> TokenStream {
    let visibility = &function.visibility;
    let fields = arguments.iter().filter(|it| !it.is_context).map(|argument| {
        let Argument { ident, ty, attributes, .. } = argument;
        quote!(#attributes #visibility #ident: #ty)
    });
    let text = format!("The arguments of [`{}`], as a tool.", function.ident);
    // A flattened field may accept unknown fields, so serde cannot deny them.
    let deny_unknown =
        (!arguments.iter().any(|it| it.is_flattened)).then(|| quote!(, deny_unknown_fields));
    let is_derived = |name: &str| {
        let mut last = options.derive.iter().filter_map(|path| path.segments.last());
        last.any(|segment| segment.ident == name)
    };
    let named: Vec<NamedField<'_>> =
        arguments.iter().filter(|it| !it.is_context).map(|it| (&it.ident, it.ty)).collect();
    let target = ImplTarget { facade, ident, generics: &Generics::default() };
    let clone = (!is_derived("Clone")).then(|| derives::impl_clone(target, &named));
    let debug = (!is_derived("Debug")).then(|| derives::impl_debug(target, &named));
    let derives = options.derive.iter();
    let inner = path_text(&quote!(#facade::__private::generated::serde));
    let schemas = path_text(&quote!(#facade::__private::generated::schemars));
    // The user did not write this code, so the lint for missing docs does not apply.
    quote! {
        #[doc = #text]
        #[allow(dead_code, missing_docs)]
        #[derive(
            #facade::__private::generated::serde::Deserialize,
            #facade::__private::generated::schemars::JsonSchema,
            #(#derives),*
        )]
        #[serde(crate = #inner #deny_unknown)]
        #[schemars(crate = #schemas)]
        #visibility struct #ident {
            #(#fields),*
        }
        #clone
        #debug
    }
}

/// The methods `call` and `answer` of the struct. Arguments of the program are their parameters.
fn call_methods(
    facade: &TokenStream,
    function: &Function,
    ident: &Ident,
    arguments: &[Argument<'_>],
) -> TokenStream {
    let Function { visibility, asyncness, output, ident: called, bounds, .. } = function;
    let generics = &function.generics;
    let wait = asyncness.as_ref().map(|_| quote!(.await));
    let fields = arguments.iter().filter(|it| !it.is_context).map(|it| {
        let (field, local) = (&it.ident, it.local());
        quote!(#field: #local)
    });
    let context = arguments.iter().filter(|it| it.is_context).map(|it| {
        let (local, ty) = (it.local(), it.ty);
        quote!(#local: #ty)
    });
    let context: Vec<TokenStream> = context.collect();
    let context_names = arguments.iter().filter(|it| it.is_context).map(Argument::local);
    let all = arguments.iter().map(Argument::local);
    let span = match output {
        syn::ReturnType::Default => called.span(),
        syn::ReturnType::Type(_, ty) => ty.span(),
    };
    // Method lookup chooses the trait `FallibleAnswerKind` for a `Result`, and `PlainAnswerKind`
    // for any other type. If the result cannot be serialized, rustc points at its type.
    let text = quote_spanned! {Span::call_site().located_at(span)=>
        (&given).tool_answer_kind().text(given)
    };
    let call = format!("Calls [`{called}`] with these arguments.");
    let answer =
        format!("Calls [`{called}`] with these arguments, and returns the text for the model.");
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
            #[doc = "Returns an error if the function does, or if its result cannot be serialized."]
            #visibility #asyncness fn answer #generics (self, #(#context),*) -> #result #bounds {
                #[allow(unused_imports)]
                use #facade::__private::generated::{FallibleAnswerKind as _, PlainAnswerKind as _};
                let given = Self::call(self, #(#context_names),*) #wait;
                #text
            }
        }
    }
}

/// A path in the form that string attributes accept.
fn path_text(path: &TokenStream) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
