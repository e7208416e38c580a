//! Limits on the work of one render, because templates and inputs may be untrusted.

/// Limits on one render. Exceeding one is an error of kind
/// [`Limit`](prompty_core::error::ErrorKind::Limit).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderLimits {
    /// The maximum number of engine steps. One tag or one iteration of a loop costs a few.
    pub fuel: u64,
    /// The maximum length of the output in bytes. The intermediate values of a Jinja template
    /// (captured blocks, joined strings, lists) may take up four times as much. Its comparisons,
    /// filters and tests may read eight times as much, or 64 MiB if that is more.
    ///
    /// A thread, an image, a file or audio may appear once, whatever its size. All further
    /// appearances together may add this many bytes to the messages.
    pub max_output: usize,
    /// The maximum nesting of macros and sections while rendering.
    pub max_depth: usize,
}

impl Default for RenderLimits {
    /// A million steps, 16 MiB of text, 64 levels.
    fn default() -> Self {
        Self { fuel: 1_000_000, max_output: 16 << 20, max_depth: 64 }
    }
}

impl RenderLimits {
    /// Returns the same limits with a different amount of fuel.
    #[must_use]
    pub fn with_fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// Returns the same limits with a different maximum output length.
    #[must_use]
    pub fn with_max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }

    /// Returns the same limits with a different maximum depth.
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }
}
