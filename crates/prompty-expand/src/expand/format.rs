//! Generates a reply format as a Rust constant.
//!
//! Each struct is destructured with all of its fields, so that the compiler reports a new field. A
//! new variant of an enum is an error when a format has it.

use proc_macro2::TokenStream;
use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Content, ContentMode, Escape, Headers, Hint,
    JsonCall, List, Marker, NamePlace, NamedCall, Quoting, Reasoning, ReasoningMode, ReplyFormat,
    Suffix, Text, Tools, Turn,
};
use quote::quote;

/// A constant expression, or an error message about a part of the format that this crate does not
/// know.
type ConstantTokens = Result<TokenStream, String>;

/// The format as a constant expression.
pub(crate) fn format_to_tokens(facade: &TokenStream, format: &ReplyFormat) -> ConstantTokens {
    let module = quote!(#facade::reply::format);
    format.write(&FormatPaths { module, private: quote!(#facade::__private) })
}

/// The paths that the generated code uses.
struct FormatPaths {
    module: TokenStream,
    private: TokenStream,
}

/// A part of the format that can be generated as a constant expression.
trait Constant {
    fn write(&self, paths: &FormatPaths) -> ConstantTokens;
}

/// Implements `Constant` for structs with all of their fields.
macro_rules! structs {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl Constant for $name {
            fn write(&self, paths: &FormatPaths) -> ConstantTokens {
                let Self { $($field),* } = self;
                $(let $field = $field.write(paths)?;)*
                let module = &paths.module;
                Ok(quote!(#module::$name { $($field: #$field),* }))
            }
        }
    )*};
}

structs! {
    ReplyFormat { turn, reasoning, content, tools, headers }
    Turn { user_open, open, end, control_tokens }
    Reasoning { mode, open, close }
    Content { mode, open, close, requires_nonnull }
    Headers { open, end, close, reasoning, content, recipient, namespace }
    Tools {
        section_open, section_close, call_open, call_close, separator, array, parallel, shape
    }
    JsonCall {
        name_is_key, function_field, name_field, args_field, id_field, gen_id_field, order
    }
    NamedCall { name, prefix, suffix, namespace, id, arguments, close }
    CallId { position, prefix, suffix }
    Quoting { open, close, escapes }
    Escape { written, meant }
    Suffix { text, hint }
    Hint { end, string }
}

/// Implements `Constant` for enums, whose variants have named fields, one value or nothing.
macro_rules! enums {
    ($($name:ident {
        $($variant:ident $({ $($field:ident),* })? $(($inner:ident))?,)*
    })*) => {$(
        impl Constant for $name {
            fn write(&self, paths: &FormatPaths) -> ConstantTokens {
                let module = &paths.module;
                match self {
                    $(Self::$variant $({ $($field),* })? $(($inner))? => {
                        $($(let $field = $field.write(paths)?;)*)?
                        $(let $inner = $inner.write(paths)?;)?
                        Ok(quote! {
                            #module::$name::$variant $({ $($field: #$field),* })? $((#$inner))?
                        })
                    })*
                    other => unknown(other),
                }
            }
        }
    )*};
}

enums! {
    ReasoningMode { TagBased, Delimiter, ForcedOpen, ForcedClosed, ToolsOnly, }
    ContentMode { Plain, AlwaysWrapped, WrappedWithReasoning, }
    NamePlace { Call, Id, Header, }
    CallIdPosition { PreFuncName, BetweenFuncAndArgs, PostArgs, }
    CallShape { Json(call), Named(call), }
    Arguments {
        Json,
        Tagged { key_open, key_close, value_close, separator, quoting },
        Nested { open_prefix, open_suffix, close_prefix, close_suffix, item },
        Literal { open, assign, separator, quote, close },
    }
}

impl Constant for Marker {
    fn write(&self, paths: &FormatPaths) -> ConstantTokens {
        let Self { before, text, after } = self;
        let module = &paths.module;
        if [before, text, after].into_iter().all(|it| it.is_empty()) {
            return Ok(quote!(#module::Marker::NONE));
        }
        let (before, text, after) = (before.write(paths)?, text.write(paths)?, after.write(paths)?);
        Ok(quote!(#module::Marker { before: #before, text: #text, after: #after }))
    }
}

impl Constant for Text {
    fn write(&self, paths: &FormatPaths) -> ConstantTokens {
        let (private, text) = (&paths.private, &**self);
        Ok(quote!(#private::Cow::Borrowed(#text)))
    }
}

impl Constant for bool {
    fn write(&self, _: &FormatPaths) -> ConstantTokens {
        Ok(quote!(#self))
    }
}

impl<T: Constant> Constant for Option<T> {
    fn write(&self, paths: &FormatPaths) -> ConstantTokens {
        let private = &paths.private;
        let Some(value) = self else { return Ok(quote!(#private::Option::None)) };
        let value = value.write(paths)?;
        Ok(quote!(#private::Option::Some(#value)))
    }
}

/// Implements `Constant` for lists. The items are a separate constant: a constant cannot borrow an
/// array literal whose items have a destructor.
macro_rules! lists {
    ($($item:ident)*) => {$(
        impl Constant for List<$item> {
            fn write(&self, paths: &FormatPaths) -> ConstantTokens {
                let FormatPaths { module, private } = paths;
                if self.is_empty() {
                    return Ok(quote!(#private::Cow::Borrowed(&[])));
                }
                let items: Vec<TokenStream> =
                    self.iter().map(|item| item.write(paths)).collect::<Result<_, _>>()?;
                Ok(quote! {{
                    const ITEMS: &[#module::$item] = &[#(#items),*];
                    #private::Cow::Borrowed(ITEMS)
                }})
            }
        }
    )*};
}

lists!(Marker Text Escape);

/// The error for a form that the reply crate has and this crate does not know.
fn unknown(form: impl std::fmt::Debug) -> ConstantTokens {
    Err(format!(
        "`chat_template!` does not support this reply format: {form:?}\n  \
         = help: use the same version of all crates of typed-prompty"
    ))
}
