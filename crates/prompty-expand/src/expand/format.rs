//! Writes a reply format as Rust: a constant of the program.
//!
//! Each struct is matched with all of its fields, so that the compiler misses a field that is new.

use proc_macro2::TokenStream;
use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Content, ContentMode, Headers, Hint, JsonCall,
    List, Marker, NamePlace, NamedCall, Quoting, Reasoning, ReasoningMode, ReplyFormat, Suffix,
    Text, Tools, Turn,
};
use quote::{format_ident, quote};

/// A constant expression, or a message about a part of the format that this crate does not know.
type Tokens = Result<TokenStream, String>;

/// The format as a constant expression.
pub(crate) fn format_to_tokens(facade: &TokenStream, format: &ReplyFormat) -> Tokens {
    Writer { module: quote!(#facade::reply::format), private: quote!(#facade::__private) }
        .format(format)
}

/// Where the generated code finds its names.
struct Writer {
    module: TokenStream,
    private: TokenStream,
}

impl Writer {
    fn format(&self, format: &ReplyFormat) -> Tokens {
        let ReplyFormat { turn, reasoning, content, tools, headers } = format;
        let module = &self.module;
        let turn = self.turn(turn);
        let reasoning = self.option(reasoning.as_ref(), |it| self.reasoning(it))?;
        let content = self.content(content)?;
        let tools = self.option(tools.as_ref(), |it| self.tools(it))?;
        let headers = self.option(headers.as_ref(), |it| Ok(self.headers(it)))?;
        Ok(quote! {
            #module::ReplyFormat {
                turn: #turn,
                reasoning: #reasoning,
                content: #content,
                tools: #tools,
                headers: #headers,
            }
        })
    }

    fn turn(&self, turn: &Turn) -> TokenStream {
        let Turn { user_open, open, end, control_tokens } = turn;
        let module = &self.module;
        let (user_open, open) = (self.text(user_open), self.text(open));
        let (end, control_tokens) = (self.markers(end), self.texts(control_tokens));
        quote! {
            #module::Turn {
                user_open: #user_open,
                open: #open,
                end: #end,
                control_tokens: #control_tokens,
            }
        }
    }

    fn reasoning(&self, reasoning: &Reasoning) -> Tokens {
        let Reasoning { mode, open, close } = reasoning;
        let module = &self.module;
        let mode = match mode {
            ReasoningMode::TagBased => "TagBased",
            ReasoningMode::Delimiter => "Delimiter",
            ReasoningMode::ForcedOpen => "ForcedOpen",
            ReasoningMode::ForcedClosed => "ForcedClosed",
            ReasoningMode::ToolsOnly => "ToolsOnly",
            other => return unknown(other),
        };
        let (mode, open, close) = (format_ident!("{mode}"), self.marker(open), self.marker(close));
        Ok(quote! {
            #module::Reasoning { mode: #module::ReasoningMode::#mode, open: #open, close: #close }
        })
    }

    fn content(&self, content: &Content) -> Tokens {
        let Content { mode, open, close, requires_nonnull } = content;
        let module = &self.module;
        let mode = match mode {
            ContentMode::Plain => "Plain",
            ContentMode::AlwaysWrapped => "AlwaysWrapped",
            ContentMode::WrappedWithReasoning => "WrappedWithReasoning",
            other => return unknown(other),
        };
        let (mode, open, close) = (format_ident!("{mode}"), self.marker(open), self.marker(close));
        Ok(quote! {
            #module::Content {
                mode: #module::ContentMode::#mode,
                open: #open,
                close: #close,
                requires_nonnull: #requires_nonnull,
            }
        })
    }

    fn headers(&self, headers: &Headers) -> TokenStream {
        let Headers { open, end, close, reasoning, content, recipient, namespace } = headers;
        let module = &self.module;
        let (open, end, close) = (self.marker(open), self.marker(end), self.markers(close));
        let (reasoning, content) = (self.texts(reasoning), self.texts(content));
        let (recipient, namespace) = (self.text(recipient), self.text(namespace));
        quote! {
            #module::Headers {
                open: #open,
                end: #end,
                close: #close,
                reasoning: #reasoning,
                content: #content,
                recipient: #recipient,
                namespace: #namespace,
            }
        }
    }

    fn tools(&self, tools: &Tools) -> Tokens {
        let Tools {
            section_open,
            section_close,
            call_open,
            call_close,
            separator,
            array,
            parallel,
            shape,
        } = tools;
        let module = &self.module;
        let (section_open, section_close) = (self.marker(section_open), self.marker(section_close));
        let (call_open, call_close) = (self.marker(call_open), self.marker(call_close));
        let (separator, shape) = (self.text(separator), self.shape(shape)?);
        Ok(quote! {
            #module::Tools {
                section_open: #section_open,
                section_close: #section_close,
                call_open: #call_open,
                call_close: #call_close,
                separator: #separator,
                array: #array,
                parallel: #parallel,
                shape: #shape,
            }
        })
    }

    fn shape(&self, shape: &CallShape) -> Tokens {
        let module = &self.module;
        Ok(match shape {
            CallShape::Json(call) => {
                let call = self.json_call(call);
                quote!(#module::CallShape::Json(#call))
            }
            CallShape::Named(call) => {
                let call = self.named_call(call)?;
                quote!(#module::CallShape::Named(#call))
            }
            other => return unknown(other),
        })
    }

    fn json_call(&self, call: &JsonCall) -> TokenStream {
        let JsonCall {
            name_is_key,
            function_field,
            name_field,
            args_field,
            id_field,
            gen_id_field,
            order,
        } = call;
        let module = &self.module;
        let (function_field, order) = (self.text(function_field), self.texts(order));
        let (name_field, args_field) = (self.text(name_field), self.text(args_field));
        let (id_field, gen_id_field) = (self.text(id_field), self.text(gen_id_field));
        quote! {
            #module::JsonCall {
                name_is_key: #name_is_key,
                function_field: #function_field,
                name_field: #name_field,
                args_field: #args_field,
                id_field: #id_field,
                gen_id_field: #gen_id_field,
                order: #order,
            }
        }
    }

    fn named_call(&self, call: &NamedCall) -> Tokens {
        let NamedCall { name, prefix, suffix, namespace, id, arguments, close } = call;
        let module = &self.module;
        let name = match name {
            NamePlace::Call => "Call",
            NamePlace::Id => "Id",
            NamePlace::Header => "Header",
            other => return unknown(other),
        };
        let (name, prefix, suffix) =
            (format_ident!("{name}"), self.marker(prefix), self.suffix(suffix));
        let (namespace, close) = (self.text(namespace), self.marker(close));
        let id = self.option(id.as_ref(), |it| self.call_id(it))?;
        let arguments = self.arguments(arguments)?;
        Ok(quote! {
            #module::NamedCall {
                name: #module::NamePlace::#name,
                prefix: #prefix,
                suffix: #suffix,
                namespace: #namespace,
                id: #id,
                arguments: #arguments,
                close: #close,
            }
        })
    }

    fn call_id(&self, id: &CallId) -> Tokens {
        let CallId { position, prefix, suffix } = id;
        let module = &self.module;
        let position = match position {
            CallIdPosition::PreFuncName => "PreFuncName",
            CallIdPosition::BetweenFuncAndArgs => "BetweenFuncAndArgs",
            CallIdPosition::PostArgs => "PostArgs",
            other => return unknown(other),
        };
        let position = format_ident!("{position}");
        let (prefix, suffix) = (self.marker(prefix), self.marker(suffix));
        Ok(quote! {
            #module::CallId {
                position: #module::CallIdPosition::#position,
                prefix: #prefix,
                suffix: #suffix,
            }
        })
    }

    fn arguments(&self, arguments: &Arguments) -> Tokens {
        let module = &self.module;
        Ok(match arguments {
            Arguments::Json => quote!(#module::Arguments::Json),
            Arguments::Tagged { key_open, key_close, value_close, separator, quoting } => {
                let (key_open, key_close) = (self.marker(key_open), self.suffix(key_close));
                let (value_close, separator) = (self.marker(value_close), self.text(separator));
                let quoting = self.quoting(quoting);
                quote! {
                    #module::Arguments::Tagged {
                        key_open: #key_open,
                        key_close: #key_close,
                        value_close: #value_close,
                        separator: #separator,
                        quoting: #quoting,
                    }
                }
            }
            Arguments::Nested { open_prefix, open_suffix, close_prefix, close_suffix, item } => {
                let (open_prefix, open_suffix) =
                    (self.marker(open_prefix), self.marker(open_suffix));
                let (close_prefix, close_suffix) =
                    (self.marker(close_prefix), self.marker(close_suffix));
                let item = self.text(item);
                quote! {
                    #module::Arguments::Nested {
                        open_prefix: #open_prefix,
                        open_suffix: #open_suffix,
                        close_prefix: #close_prefix,
                        close_suffix: #close_suffix,
                        item: #item,
                    }
                }
            }
            Arguments::Literal { open, assign, separator, quote, close } => {
                let (open, assign, close) = (self.text(open), self.text(assign), self.text(close));
                let (separator, quoted_by) = (self.text(separator), self.text(quote));
                quote! {
                    #module::Arguments::Literal {
                        open: #open,
                        assign: #assign,
                        separator: #separator,
                        quote: #quoted_by,
                        close: #close,
                    }
                }
            }
            other => return unknown(other),
        })
    }

    fn quoting(&self, quoting: &Quoting) -> TokenStream {
        let module = &self.module;
        let Quoting { open, close, escapes } = quoting;
        let (open, close) = (self.text(open), self.text(close));
        let escapes = escapes.iter().map(|escape| {
            let (written, meant) = (self.text(&escape.written), self.text(&escape.meant));
            quote!(#module::Escape { written: #written, meant: #meant })
        });
        let escapes = self.list(&quote!(#module::Escape), &escapes.collect::<Vec<_>>());
        quote!(#module::Quoting { open: #open, close: #close, escapes: #escapes })
    }

    fn suffix(&self, suffix: &Suffix) -> TokenStream {
        let Suffix { text, hint } = suffix;
        let (module, private) = (&self.module, &self.private);
        let text = self.marker(text);
        let hint = match hint {
            None => quote!(#private::Option::None),
            Some(Hint { end, string }) => {
                let (end, string) = (self.marker(end), self.texts(string));
                quote!(#private::Option::Some(#module::Hint { end: #end, string: #string }))
            }
        };
        quote!(#module::Suffix { text: #text, hint: #hint })
    }

    fn marker(&self, marker: &Marker) -> TokenStream {
        let Marker { before, text, after } = marker;
        let module = &self.module;
        if [before, text, after].into_iter().all(|it| it.is_empty()) {
            return quote!(#module::Marker::NONE);
        }
        let (before, text, after) = (self.text(before), self.text(text), self.text(after));
        quote!(#module::Marker { before: #before, text: #text, after: #after })
    }

    fn text(&self, text: &Text) -> TokenStream {
        let (private, text) = (&self.private, &**text);
        quote!(#private::Cow::Borrowed(#text))
    }

    fn markers(&self, markers: &List<Marker>) -> TokenStream {
        let module = &self.module;
        self.list(
            &quote!(#module::Marker),
            &markers.iter().map(|it| self.marker(it)).collect::<Vec<_>>(),
        )
    }

    fn texts(&self, texts: &List<Text>) -> TokenStream {
        let module = &self.module;
        self.list(&quote!(#module::Text), &texts.iter().map(|it| self.text(it)).collect::<Vec<_>>())
    }

    /// A list of items of a type. It is a constant of its own, as a constant may only borrow what lives
    /// as long as the program.
    fn list(&self, item: &TokenStream, items: &[TokenStream]) -> TokenStream {
        let private = &self.private;
        if items.is_empty() {
            return quote!(#private::Cow::Borrowed(&[]));
        }
        quote! {
            {
                const ITEMS: &[#item] = &[#(#items),*];
                #private::Cow::Borrowed(ITEMS)
            }
        }
    }

    fn option<T>(&self, value: Option<T>, write: impl FnOnce(T) -> Tokens) -> Tokens {
        let private = &self.private;
        match value {
            None => Ok(quote!(#private::Option::None)),
            Some(value) => {
                let value = write(value)?;
                Ok(quote!(#private::Option::Some(#value)))
            }
        }
    }
}

/// The error for a form that the model crate has and this crate does not know.
fn unknown(form: impl std::fmt::Debug) -> Tokens {
    Err(format!(
        "`chat_template!` cannot write this form of a reply: {form:?}\n  \
         = help: use the same version of all packages of typed-prompty"
    ))
}
