//! Finds the uses of our macros, derives and attributes in a Rust file, and expands them.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, File, ItemEnum, ItemFn, ItemStruct, ItemUnion, Macro, Meta, Path};

/// The expansions of all uses in a file.
pub(super) fn expand_all(mut file: File) -> Vec<TokenStream> {
    let mut found = Expansions(Vec::new());
    found.visit_file_mut(&mut file);
    found.0
}

struct Expansions(Vec<TokenStream>);

impl Expansions {
    /// Expands a call of a macro. The arguments of other macros may contain calls of ours.
    fn expand_call(&mut self, name: &str, arguments: TokenStream) {
        let arguments_with_facade = quote!([::typed_prompty] #arguments);
        match name {
            "prompt" => self.0.push(crate::expand_prompt(arguments_with_facade)),
            "chat_template" => self.0.push(crate::expand_chat_template(arguments_with_facade)),
            _ => self.expand_tokens(arguments),
        }
    }

    /// Expands the calls in tokens.
    fn expand_tokens(&mut self, tokens: TokenStream) {
        let mut before = [String::new(), String::new()];
        for token in tokens {
            match &token {
                TokenTree::Group(group) if before[1] == "!" => {
                    let [name, _] = &before;
                    self.expand_call(&name.clone(), group.stream());
                }
                TokenTree::Group(group) => self.expand_tokens(group.stream()),
                _ => {}
            }
            before = [std::mem::take(&mut before[1]), token.to_string()];
        }
    }

    /// Expands the derives of a type.
    fn expand_derives(&mut self, derives: &[Attribute], item: &TokenStream) {
        for attribute in derives {
            let _ = attribute.parse_nested_meta(|derive| {
                let item = item.clone();
                self.0.push(match name_of(&derive.path).as_str() {
                    "Prompt" => crate::expand_derive_prompt(item),
                    "ToValue" => crate::expand_derive_to_value(item),
                    "Partial" => crate::expand_derive_partial(item),
                    "Tool" => crate::expand_derive_tool(item),
                    "ToolSet" => crate::expand_derive_tool_set(item),
                    _ => return Ok(()),
                });
                Ok(())
            });
        }
    }
}

impl VisitMut for Expansions {
    fn visit_macro_mut(&mut self, call: &mut Macro) {
        self.expand_call(&name_of(&call.path), call.tokens.clone());
    }

    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        let derives = take_derives(&mut item.attrs);
        self.expand_derives(&derives, &item.to_token_stream());
    }

    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        let derives = take_derives(&mut item.attrs);
        self.expand_derives(&derives, &item.to_token_stream());
    }

    fn visit_item_union_mut(&mut self, item: &mut ItemUnion) {
        let derives = take_derives(&mut item.attrs);
        self.expand_derives(&derives, &item.to_token_stream());
    }

    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        let is_tool = |attribute: &Attribute| name_of(attribute.path()) == "tool";
        if let Some(at) = item.attrs.iter().position(is_tool) {
            let options = match item.attrs.remove(at).meta {
                Meta::List(list) => list.tokens,
                _ => TokenStream::new(),
            };
            self.0.push(crate::expand_tool_attribute(options, item.to_token_stream()));
        }
        visit_mut::visit_item_fn_mut(self, item);
    }
}

/// Removes the attributes `derive`, which a derive does not see, and returns them.
fn take_derives(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    attributes.extract_if(.., |attribute| attribute.path().is_ident("derive")).collect()
}

/// The last name of a path.
fn name_of(path: &Path) -> String {
    path.segments.last().map_or_else(String::new, |segment| segment.ident.to_string())
}
