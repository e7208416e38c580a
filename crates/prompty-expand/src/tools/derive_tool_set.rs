//! Expands `#[derive(ToolSet)]` for an enum of tools: generates the code that converts calls into
//! its variants.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, Type, Variant};

use super::options::{ToolOptions, ToolSubject};
use crate::errors::{Errors, expand_derive};

/// Expands the derive.
pub fn expand_derive_tool_set(input: TokenStream) -> TokenStream {
    expand_derive(input, derive)
}

/// A variant and the type of its tool.
struct ToolVariant<'a> {
    variant: &'a Ident,
    tool: &'a Type,
}

fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = ToolOptions::of_type(&input.attrs, ToolSubject::Set, &mut errors);
    let variants = check(input, &mut errors);
    let facade = options.facade();
    // With errors, the implementation is a stub: a set without tools.
    let variants = if errors.is_empty() { variants } else { Vec::new() };
    let implementation = impl_tool_set(&facade, input, &variants);
    let errors = errors.into_tokens();
    quote!(#errors #implementation)
}

/// Checks the enum and returns its variants with tools.
fn check<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Vec<ToolVariant<'a>> {
    let Data::Enum(data) = &input.data else {
        let help = "define an enum with a variant for each tool";
        errors.add(input.ident.span(), "`ToolSet` can only be derived for an enum", help);
        return Vec::new();
    };
    if data.variants.is_empty() {
        let help = "add a variant for each tool: `Weather(Weather)`";
        errors.add(input.ident.span(), "this set of tools is empty", help);
    }
    if let Some(parameter) = input.generics.params.first() {
        let help = "use concrete types in its variants";
        errors.add(parameter.span(), "a set of tools cannot have generic parameters", help);
    }
    data.variants.iter().filter_map(|variant| tool(variant, errors)).collect()
}

/// Checks a variant and returns its tool.
fn tool<'a>(variant: &'a Variant, errors: &mut Errors) -> Option<ToolVariant<'a>> {
    let ident = &variant.ident;
    for attribute in variant.attrs.iter().filter(|it| it.path().is_ident("tool")) {
        let help = "move it to the struct or function of the tool";
        errors.add(attribute.path().span(), "`tool` cannot be used on a variant", help);
    }
    if let Fields::Unnamed(fields) = &variant.fields
        && let (1, Some(field)) = (fields.unnamed.len(), fields.unnamed.first())
    {
        return Some(ToolVariant { variant: ident, tool: &field.ty });
    }
    let help = format!("write the type of the tool: `{ident}({ident})`");
    errors.add(ident.span(), "expected a variant with one tool", &help);
    None
}

/// Generates `impl ToolSet`. For a set with the tool `Weather`, it is (shortened)
///
/// ```text
/// const TOOL_0: Entry<Weather> = Entry::for_tool();
/// fn from_call(call) { if name == TOOL_0.name { return TOOL_0.read(call).map(Self::Weather); } … }
/// ```
fn impl_tool_set(
    facade: &TokenStream,
    input: &DeriveInput,
    variants: &[ToolVariant<'_>],
) -> TokenStream {
    let set = &input.ident;
    let (parameters, arguments, bounds) = input.generics.split_for_impl();
    let generated = quote!(#facade::__private::generated);
    let entries: Vec<Ident> =
        variants.iter().enumerate().map(|(index, _)| format_ident!("TOOL_{index}")).collect();
    let constants = variants.iter().zip(&entries).map(|(it, entry)| {
        let tool = it.tool;
        // If a type is not a tool, rustc points at it.
        let span = Span::call_site().located_at(tool.span());
        let value = quote_spanned!(span=> __Entry::<#tool>::for_tool());
        quote!(const #entry: __Entry<#tool> = #value;)
    });
    let arms = variants.iter().zip(&entries).map(|(it, entry)| {
        let variant = it.variant;
        quote! {
            if name == #entry.name {
                return #facade::__private::core::result::Result::map(
                    #entry.read(call),
                    Self::#variant,
                );
            }
        }
    });
    let import = (!variants.is_empty()).then(|| quote!(use #generated::Entry as __Entry;));
    let checks = checks_of_names(facade, set, variants, &entries);
    quote! {
        const _: () = {
            #import
            #(#constants)*
            #checks

            #[automatically_derived]
            impl #parameters #facade::tools::ToolSet for #set #arguments #bounds {
                const NAMES: &'static [&'static #facade::__private::str] = &[#(#entries.name),*];

                fn tools() -> #facade::__private::Vec<#facade::message::ToolSpec> {
                    #facade::__private::vec![#(#entries.declaration()),*]
                }

                fn from_call(
                    call: &impl #facade::tools::Call,
                ) -> #facade::__private::core::result::Result<Self, #facade::tools::ToolError> {
                    let name = #facade::tools::Call::name(call);
                    #(#arms)*
                    #facade::__private::core::result::Result::Err(
                        #generated::unknown(name, <Self as #facade::tools::ToolSet>::NAMES),
                    )
                }
            }
        };
    }
}

/// Generates code that compares each tool's name with those before it, because only rustc knows the
/// names.
fn checks_of_names(
    facade: &TokenStream,
    set: &Ident,
    variants: &[ToolVariant<'_>],
    entries: &[Ident],
) -> TokenStream {
    let checks = variants.iter().zip(entries).enumerate().map(|(index, (it, entry))| {
        let span = Span::call_site().located_at(it.variant.span());
        let variant = it.variant;
        let earlier = variants.iter().zip(entries).take(index).map(|(first, other)| {
            let first = first.variant;
            let message = format!(
                "`{set}::{first}` and `{set}::{variant}` are tools with the same name\n  = help: \
                 change one of the names with `#[tool(name = \"…\")]`"
            );
            quote_spanned! {span=>
                if #facade::__private::generated::are_same(#other.name, #entry.name) {
                    use #facade::__private::generated::fail_build;
                    fail_build(#message);
                }
            }
        });
        quote_spanned!(span=> const _: () = { #(#earlier)* };)
    });
    // The first name needs no check.
    checks.skip(1).collect()
}
