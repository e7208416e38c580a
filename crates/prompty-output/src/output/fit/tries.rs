//! A cache for the results of trying the alternatives of unions. The head of `union` says why it is
//! needed.

use std::collections::HashMap;
use std::rc::Rc;

use prompty_core::schema::Schema;

/// The results of tries so far.
#[derive(Default)]
pub(super) struct TryCache<'schema> {
    /// The alternatives of each union, by its address.
    pub(super) alternatives: HashMap<usize, Rc<[Schema<'schema>]>>,
    /// The alternative that was chosen for each pair of a value and a union.
    pub(super) choices: HashMap<TryKey, UnionChoice>,
}

/// A value that is converted by a union, both by their addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TryKey {
    pub(super) value: usize,
    pub(super) union: usize,
    /// Whether the value is treated as the only item of an array.
    pub(super) is_only_item: bool,
}

/// The alternative of a union for a value, by its index.
#[derive(Clone, Copy)]
pub(super) enum UnionChoice {
    /// The value fits.
    Best { index: usize, cost: usize },
    /// The value fits none. The error of this alternative is at the deepest place, so it describes
    /// the problem best.
    Nearest { index: usize, depth: usize },
    /// There are no alternatives.
    None,
}

impl UnionChoice {
    /// Whether no other alternative can be better.
    pub(super) fn is_certain(&self) -> bool {
        matches!(self, Self::Best { cost: 0, .. })
    }

    /// Adds the result of an alternative to that of the ones before it. `depth` is the length of
    /// the path in the value to the part that does not fit.
    pub(super) fn with(self, index: usize, result: Result<usize, usize>) -> Self {
        match (self, result) {
            (Self::Best { cost: least, .. }, Ok(cost)) if cost >= least => self,
            (_, Ok(cost)) => Self::Best { index, cost },
            (Self::Best { .. }, Err(_)) => self,
            (Self::Nearest { depth: most, .. }, Err(depth)) if depth <= most => self,
            (_, Err(depth)) => Self::Nearest { index, depth },
        }
    }
}
