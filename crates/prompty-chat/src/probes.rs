//! The budget of all probes of a template: the renders that detect what it can do, and how it
//! writes. The limits of one render are not enough: a template that uses them up in every probe
//! would take a hundred times as long.

use super::engine::{Engine, RenderOutput};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Map;

/// Limits on all probes of a template together. Probes are small conversations. They are rendered
/// to detect what the template can do and how the model writes its replies.
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
    /// The maximum number of steps of all probes together, counted as for
    /// [`RenderLimits::fuel`](super::RenderLimits).
    pub fuel: u64,
    /// The maximum number of probes.
    pub renders: usize,
    /// The maximum number of bytes that all probes together may write.
    pub max_output: usize,
}

impl Default for ProbeLimits {
    /// Two million steps, 1000 renders, 32 MiB of text. Two renders that use up the default
    /// [`RenderLimits`](super::RenderLimits) take that many steps. The templates of real models
    /// take less than a fortieth of them.
    fn default() -> Self {
        Self { fuel: 2_000_000, renders: 1000, max_output: 32 << 20 }
    }
}

impl ProbeLimits {
    /// Sets the maximum number of steps.
    pub fn with_fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// Sets the maximum number of probes.
    pub fn with_renders(mut self, renders: usize) -> Self {
        self.renders = renders;
        self
    }

    /// Sets the maximum number of bytes of output.
    pub fn with_max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }
}

/// The limit that the probes of a template exceeded. After that, no more probes are rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    /// One probe exceeded the limits of a render.
    Render,
    /// All probes together took too many steps.
    Fuel(u64),
    /// There were too many probes.
    Renders(usize),
    /// All outputs together are too long.
    Output(usize),
}

impl ExceededLimit {
    /// The error for the detection that could not be finished.
    pub(super) fn into_error(self) -> Error {
        let message = match self {
            Self::Render => "a probe of the template exceeds the limits of a render".to_owned(),
            Self::Fuel(fuel) => {
                format!("the probes of the template take more than {fuel} steps together")
            }
            Self::Renders(renders) => {
                format!("the analysis of the template takes more than {renders} probes")
            }
            Self::Output(bytes) => {
                format!("the probes of the template write more than {bytes} bytes together")
            }
        };
        let help = match self {
            Self::Render => {
                "write the reply format by hand, or raise the template's `RenderLimits`"
            }
            _ => "write the reply format by hand, or raise the `ProbeLimits` of the template",
        };
        Error::new(ErrorKind::Limit, message).with_help(help)
    }
}

/// The budget that is left for the probes of a template. All probes are rendered through it, first
/// those for the capabilities and then those of the analysis.
///
/// If the budget runs out, the detection is an error. A format that only some of the probes show
/// may be wrong.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProbeBudget {
    limits: ProbeLimits,
    left: ProbeLimits,
    exceeded: Option<ExceededLimit>,
}

impl ProbeBudget {
    pub(super) fn new(limits: ProbeLimits) -> Self {
        Self { limits, left: limits, exceeded: None }
    }

    /// The limit that was exceeded, if any.
    pub(super) fn exceeded(&self) -> Option<ExceededLimit> {
        self.exceeded
    }

    /// Renders a probe. `now` is a time in seconds since 1970.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Engine::render`], and one of kind
    /// [`Limit`](ErrorKind::Limit) for each probe after a limit was exceeded.
    pub(super) fn render(
        &mut self,
        engine: &Engine,
        variables: &Map,
        now: i64,
    ) -> Result<RenderOutput, Error> {
        if let Some(exceeded) = self.exceeded {
            return Err(exceeded.into_error());
        }
        let Some(renders) = self.left.renders.checked_sub(1) else {
            return Err(self.exceed(ExceededLimit::Renders(self.limits.renders)));
        };
        self.left.renders = renders;
        match engine.render(variables, Some(now), &mut self.left.fuel) {
            Err(error) if error.kind() == ErrorKind::Limit => {
                let all = ExceededLimit::Fuel(self.limits.fuel);
                self.exceed(if self.left.fuel == 0 { all } else { ExceededLimit::Render });
                Err(error)
            }
            Err(error) => Err(error),
            Ok(written) => match self.left.max_output.checked_sub(written.text.len()) {
                Some(left) => {
                    self.left.max_output = left;
                    Ok(written)
                }
                None => Err(self.exceed(ExceededLimit::Output(self.limits.max_output))),
            },
        }
    }

    fn exceed(&mut self, exceeded: ExceededLimit) -> Error {
        self.exceeded = Some(exceeded);
        exceeded.into_error()
    }
}
