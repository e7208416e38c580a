//! Decides how a prompt is rendered, and holds it to what its author demands of that.

use proc_macro2::TokenStream;
use syn::LitInt;

use super::compiled::{self, Reason, Rendering};
use crate::check::{self, Checked};
use crate::errors::Errors;
use crate::model::Prompt;
use crate::source::Source;

/// About how many characters a token has, in English prose. Only good for a rough bound.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Straight-line code where that covers the template, else the engine. Errors are a demand for
/// straight-line code that cannot be met, an engine that is not linked, and a fixed text that is
/// too long.
pub(crate) fn choose(
    facade: &TokenStream,
    prompt: &Prompt,
    source: &Source,
    checked: &Checked,
    errors: &mut Errors,
) -> Rendering {
    let options = &prompt.options;
    let own = options.registry.is_some();
    let rendering = match compiled::compile(facade, prompt, source, checked) {
        // The registry could render the format in another way, and filters of its name.
        Ok(_) if own => Rendering::Engine(Reason("the registry".to_owned())),
        Ok(compiled) => Rendering::Compiled(compiled),
        Err(reason) => Rendering::Engine(reason),
    };
    match &rendering {
        Rendering::Compiled(compiled) => {
            bounded(prompt, compiled.fixed_characters, errors);
        }
        Rendering::Engine(Reason(reason)) => {
            if let Some(span) = options.compiled {
                let message = format!(
                    "this prompt cannot be compiled to straight-line code, because of {reason}\n  \
                     = help: remove `compiled` to render it by the template engine"
                );
                errors.push(syn::Error::new(span, message));
            }
            let format = &checked.definition.template.format;
            check::engine_is_linked(format, reason, source, errors);
            bounded(prompt, compiled::fixed_characters(checked), errors);
        }
    }
    rendering
}

/// Refuses a prompt whose fixed text alone is longer than its author allows.
fn bounded(prompt: &Prompt, fixed: usize, errors: &mut Errors) {
    let mut refuse = |limit: &LitInt, unit: &str, per: usize, about: &str| {
        let allowed: usize = match limit.base10_parse() {
            Ok(allowed) => allowed,
            Err(error) => return errors.push(error),
        };
        let size = fixed.div_ceil(per);
        if size > allowed {
            let message = format!(
                "the fixed text of this prompt has {about}{size} {unit}, and {allowed} are \
                 allowed\n  = help: shorten the template, or raise the limit"
            );
            errors.push(syn::Error::new(limit.span(), message));
        }
    };
    if let Some(limit) = &prompt.options.max_chars {
        refuse(limit, "characters", 1, "");
    }
    if let Some(limit) = &prompt.options.max_tokens {
        refuse(limit, "tokens", CHARACTERS_PER_TOKEN, "about ");
    }
}
