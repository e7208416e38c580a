//! To the provider and back.
