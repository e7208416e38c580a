//! The engines behind one face: the built-in template languages, and the host's renderers.
#![cfg_attr(
    not(any(feature = "jinja2", feature = "mustache")),
    expect(dead_code, unused_variables, reason = "only the host's renderers are left")
)]

use std::fmt;
use std::sync::Arc;

use super::blueprint::Options;
use crate::registry::{Renderer, RendererEntry};
use crate::template::{RenderFailure, Scope, SyntaxError, Template};

#[cfg(feature = "jinja2")]
use crate::template::jinja::JinjaTemplate;
#[cfg(feature = "mustache")]
use crate::template::mustache::MustacheTemplate;

/// What renders a prompt's template.
#[derive(Debug)]
pub(super) enum Engine {
    BuiltIn(BuiltIn),
    Custom(Custom),
}

/// A template in a language that is built in, compiled.
#[derive(Debug)]
pub(super) enum BuiltIn {
    #[cfg(feature = "jinja2")]
    Jinja2(Box<JinjaTemplate>),
    #[cfg(feature = "mustache")]
    Mustache(Box<MustacheTemplate>),
}

/// A renderer of the host.
pub(super) struct Custom(pub(super) Arc<dyn Renderer>);

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}

impl Engine {
    /// Compiles a template whose markers take the nonce of each render.
    pub(super) fn compile(
        renderer: RendererEntry,
        text: &str,
        options: &Options,
    ) -> Result<Self, SyntaxError> {
        Ok(match renderer {
            #[cfg(feature = "jinja2")]
            RendererEntry::Jinja2 => {
                let extensions = options.registry.extensions();
                let template =
                    JinjaTemplate::compile(text, extensions, options.limits, options.undefined)?;
                Self::BuiltIn(BuiltIn::Jinja2(Box::new(template)))
            }
            #[cfg(feature = "mustache")]
            RendererEntry::Mustache => {
                let template = MustacheTemplate::compile(text, options.limits, options.undefined)?;
                Self::BuiltIn(BuiltIn::Mustache(Box::new(template)))
            }
            RendererEntry::Custom(renderer) => Self::Custom(Custom(renderer)),
        })
    }
}

impl BuiltIn {
    /// The same template compiled for renders to segments. `text` is what it was compiled from.
    pub(super) fn fenced(&self, text: &str, options: &Options) -> Result<Self, SyntaxError> {
        Ok(match *self {
            #[cfg(feature = "jinja2")]
            Self::Jinja2(ref template) => {
                let extensions = options.registry.extensions();
                let fenced = template.fenced(text, extensions, options.undefined)?;
                Self::Jinja2(Box::new(fenced))
            }
            #[cfg(feature = "mustache")]
            Self::Mustache(ref template) => Self::Mustache(Box::new(template.fenced()?)),
        })
    }

    /// The template's tree.
    pub(super) fn tree(&self) -> &Template {
        match *self {
            #[cfg(feature = "jinja2")]
            Self::Jinja2(ref template) => template.tree(),
            #[cfg(feature = "mustache")]
            Self::Mustache(ref template) => template.tree(),
        }
    }

    /// Renders the template.
    pub(super) fn render(&self, scope: Scope<'_>) -> Result<String, RenderFailure> {
        match *self {
            #[cfg(feature = "jinja2")]
            Self::Jinja2(ref template) => template.render(scope),
            #[cfg(feature = "mustache")]
            Self::Mustache(ref template) => template.render(scope),
        }
    }
}
