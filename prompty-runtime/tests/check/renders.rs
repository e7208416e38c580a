//! What the checker accepts renders.
