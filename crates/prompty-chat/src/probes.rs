//! The budget of all renders that find something out about a template: what it can do, and how it
//! writes. A render alone is bounded by its limits; a template that uses them up in every probe would
//! still take a hundred times as much.

use super::engine::{Engine, Written};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Map;

/// How much all probes of a template may do together. They are small conversations, which are rendered
/// to find out what the template can do and how the model writes its replies.
///
/// ```
/// # mod typed_prompty { pub use prompty_core::ErrorKind; pub use prompty_chat as chat; }
/// use typed_prompty::ErrorKind;
/// use typed_prompty::chat::{ChatTemplate, ProbeLimits};
///
/// let text = "{% for i in range(99999) %}{% endfor %}{% for m in messages %}{{ m.content }}{% endfor %}";
/// let template = ChatTemplate::from_text(text)?;
/// let limited = template.with_probe_limits(ProbeLimits::default().with_fuel(500_000));
/// assert_eq!(limited.analyze().unwrap_err().kind(), ErrorKind::Limit);
/// # Ok::<(), prompty_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct ProbeLimits {
    /// How many steps all probes together may take, counted as for
    /// [`RenderLimits::fuel`](super::RenderLimits).
    pub fuel: u64,
    /// How many probes may be rendered.
    pub renders: usize,
    /// How many bytes of text all probes together may give.
    pub max_output: usize,
}

impl Default for ProbeLimits {
    /// Two million steps, 1000 renders, 32 MiB of text. Two renders that use up the default
    /// [`RenderLimits`](super::RenderLimits) take so many steps; the templates of models take less than a
    /// fortieth of them.
    fn default() -> Self {
        Self { fuel: 2_000_000, renders: 1000, max_output: 32 << 20 }
    }
}

impl ProbeLimits {
    /// The same limits with other fuel.
    pub fn with_fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// The same limits with another number of renders.
    pub fn with_renders(mut self, renders: usize) -> Self {
        self.renders = renders;
        self
    }

    /// The same limits with another bound on the output.
    pub fn with_max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }
}

/// The limit that the probes of a template exceeded. The template is not rendered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exceeded {
    /// One probe exceeded the limits of a render.
    Render,
    /// All probes together took too many steps.
    Fuel(u64),
    /// There would be too many probes.
    Renders(usize),
    /// All outputs together are too long.
    Output(usize),
}

impl Exceeded {
    /// The error for what was to be found out.
    pub(super) fn into_error(self) -> Error {
        let message = match self {
            Self::Render => "a small conversation exceeds the limits of a render".to_owned(),
            Self::Fuel(fuel) => format!(
                "to find out how the template writes replies takes more than {fuel} steps, which is \
                 the limit for all probes together"
            ),
            Self::Renders(renders) => format!(
                "to find out how the template writes replies takes more than {renders} probes"
            ),
            Self::Output(bytes) => {
                format!("the probes of the template write more than {bytes} bytes together")
            }
        };
        let help = match self {
            Self::Render => "write the reply format by hand, or give the template other limits",
            _ => "write the reply format by hand, or raise the `ProbeLimits` of the template",
        };
        Error::new(ErrorKind::Limit, message).with_help(help)
    }
}

/// What is left for the probes of a template. Probes are rendered by it and in no other way.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProbeBudget {
    limits: ProbeLimits,
    left: ProbeLimits,
    exceeded: Option<Exceeded>,
}

impl ProbeBudget {
    pub(super) fn new(limits: ProbeLimits) -> Self {
        Self { limits, left: limits, exceeded: None }
    }

    /// The limit that was exceeded, if one was.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    /// Renders a probe, at a moment in seconds since 1970.
    ///
    /// # Errors
    ///
    /// As [`Engine::render_at`], and of kind [`Limit`](ErrorKind::Limit) for each probe after a limit
    /// was exceeded.
    pub(super) fn render(
        &mut self,
        engine: &Engine,
        variables: &Map,
        now: i64,
    ) -> Result<Written, Error> {
        if let Some(exceeded) = self.exceeded {
            return Err(exceeded.into_error());
        }
        let Some(renders) = self.left.renders.checked_sub(1) else {
            return Err(self.exceed(Exceeded::Renders(self.limits.renders)));
        };
        self.left.renders = renders;
        match engine.render_with_fuel(variables, Some(now), &mut self.left.fuel) {
            Err(error) if error.kind() == ErrorKind::Limit => {
                let all = Exceeded::Fuel(self.limits.fuel);
                self.exceed(if self.left.fuel == 0 { all } else { Exceeded::Render });
                Err(error)
            }
            Err(error) => Err(error),
            Ok(written) => match self.left.max_output.checked_sub(written.text.len()) {
                Some(left) => {
                    self.left.max_output = left;
                    Ok(written)
                }
                None => Err(self.exceed(Exceeded::Output(self.limits.max_output))),
            },
        }
    }

    fn exceed(&mut self, exceeded: Exceeded) -> Error {
        self.exceeded = Some(exceeded);
        exceeded.into_error()
    }
}
