//! Formats as data: written as JSON and as response templates, and read back.

mod json;
mod response_template;
