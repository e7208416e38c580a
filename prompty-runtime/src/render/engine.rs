//! One interface for all template engines: the built-in ones and the renderers of the host.
#![cfg_attr(
    not(any(feature = "jinja2", feature = "mustache")),
    expect(
        dead_code,
        unreachable_code,
        unused_variables,
        reason = "only the host's renderers are left"
    )
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

/// The engine that renders a prompt's template.
#[derive(Debug)]
pub(super) enum Engine {
    BuiltIn(BuiltIn),
    Custom(Custom),
}

/// A compiled template in a built-in language.
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
    /// Compiles a template so that its markers get the nonce of each render.
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
    /// Compiles the same template for renders to segments. `text` is the source of the template.
    pub(super) fn fenced(&self, text: &str, options: &Options) -> Result<Self, SyntaxError> {
        #[cfg(not(feature = "jinja2"))]
        let _ = (text, options);
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

    /// The syntax tree of the template.
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
