//! Chooses how a prompt is rendered, and checks what its author requires.

use syn::LitInt;

use super::CheckedPrompt;
use super::compiled::{self, EngineReason, Rendering};
use crate::check;
use crate::errors::Errors;
use crate::model::Prompt;

/// The approximate number of characters in a token of English prose. It is only precise enough for
/// a rough limit.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Chooses straight-line code if it supports the template, and the engine otherwise. It reports an
/// error if the author requires straight-line code and the template does not allow it, if the
/// engine is not linked, or if the fixed text is too long.
pub(crate) fn choose(known: CheckedPrompt<'_>, errors: &mut Errors) -> Rendering {
    let CheckedPrompt { prompt, source, checked, .. } = known;
    let options = &prompt.options;
    let has_registry = options.registry.is_some();
    let rendering = match compiled::compile(known) {
        // The registry could replace the renderer of the format, or a filter.
        Ok(_) if has_registry => Rendering::Engine(EngineReason("the registry".to_owned())),
        Ok(compiled) => Rendering::Compiled(compiled),
        Err(reason) => Rendering::Engine(reason),
    };
    if let Rendering::Engine(EngineReason(reason)) = &rendering {
        if let Some(span) = options.compiled {
            let message =
                format!("this prompt cannot be compiled to straight-line code because of {reason}");
            errors.add(span, &message, "remove `compiled` to render it by the template engine");
        }
        let format = &checked.definition.template.format;
        check::require_linked_engine(format, reason, source, errors);
    }
    check_length(prompt, compiled::fixed_characters(checked), errors);
    rendering
}

/// Reports a prompt whose fixed text alone exceeds the author's limit.
fn check_length(prompt: &Prompt, fixed: usize, errors: &mut Errors) {
    let mut refuse = |limit: &LitInt, unit: &str, per: usize, about: &str| {
        let Some(allowed) = errors.keep(limit.base10_parse::<usize>()) else { return };
        let size = fixed.div_ceil(per);
        if size > allowed {
            let message = format!(
                "the fixed text of this prompt has {about}{size} {unit}, but only {allowed} are \
                 allowed"
            );
            errors.add(limit.span(), &message, "shorten the template, or raise the limit");
        }
    };
    if let Some(limit) = &prompt.options.max_chars {
        refuse(limit, "characters", 1, "");
    }
    if let Some(limit) = &prompt.options.max_tokens {
        refuse(limit, "tokens", CHARACTERS_PER_TOKEN, "about ");
    }
}
