//! Mustache.
