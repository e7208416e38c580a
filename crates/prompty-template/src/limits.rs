//! How much a render may do: templates and inputs may come from strangers.

/// Bounds on one render. What exceeds them is an error of kind
/// [`Limit`](prompty_core::error::ErrorKind::Limit).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderLimits {
    /// How many steps the engine may take. One tag or one round of a loop costs a few.
    pub fuel: u64,
    /// How many bytes of text a render may give. What a Jinja template builds on the way (captured
    /// blocks, joined texts, lists) may take up four times as much, and what its comparisons,
    /// filters and tests read eight times that, or 64 MiB if that is more.
    pub max_output: usize,
    /// How deep macros and sections may be nested while rendering.
    pub max_depth: usize,
}

impl Default for RenderLimits {
    /// A million steps, 16 MiB of text, 64 levels.
    fn default() -> Self {
        Self { fuel: 1_000_000, max_output: 16 << 20, max_depth: 64 }
    }
}

impl RenderLimits {
    /// The same limits with other fuel.
    #[must_use]
    pub fn with_fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// The same limits with another bound on the output.
    #[must_use]
    pub fn with_max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }

    /// The same limits with another depth.
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }
}
