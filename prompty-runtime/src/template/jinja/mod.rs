//! Jinja2.
