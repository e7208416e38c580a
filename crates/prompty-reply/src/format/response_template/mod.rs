//! Response templates: declarations in a checkpoint's `tokenizer_config.json` of how replies are
//! read. They belong to Transformers 5 (`response_template`); vLLM and SGLang read them, too.
//!
//! A response template has `defaults`, a `start_anchor` and `fields`. Each field is a key of the
//! message. It has an opener and a closer, which are strings or patterns in Python's syntax; the
//! kind of its `content`; and a `transform` that builds the value. The documentation of
//! Transformers describes this under "Response Parsing"; this module follows version 5.23.
//!
//! The corresponding parts of the two forms, and the unsupported parts:
//!
//! | response template | format |
//! |---|---|
//! | `start_anchor` | [`Turn::open`]; a pattern or several strings are not supported |
//! | field `thinking`, `reasoning` or `reasoning_content` | [`ReplyFormat::reasoning`] |
//! | field `content` without an opener | unwrapped content; its closers are [`Turn::end`] |
//! | field `content` with an opener | [`ContentMode::AlwaysWrapped`]; further closers end the turn |
//! | field `tool_calls`, `json` | [`JsonCall`]; with `transform_each`, in a list |
//! | the same, with a group `name` in the opener | [`NamedCall`] with [`Arguments::Json`] |
//! | the same, with `unquoted_keys` | [`NamedCall`] with [`Arguments::Literal`] |
//! | field `tool_calls`, `xml-inline` | [`NamedCall`] with [`Arguments::Tagged`] |
//! | `.*?` between a group `name` and the opener's end | [`Headers`] |
//! | `\n?`, `\n{0,2}`, `\s*` in a pattern | optional white space; for `\s*`, a line break |
//! | `(?:…)?` at the start of an opener or the end of a closer | the markers around all calls |
//!
//! A template strips texts by default. A format only removes the white space of its markers. A
//! template drops text outside all regions; in a format such text is content, unless it is white
//! space. A closer inside a value always ends the value in a template.
//!
//! These parts of a format are not part of a response template, and are ignored: the number of
//! calls in a reply, the opener of the user's turn, whether content may be null, the tokenizer's
//! control tokens, and the order of keys.
//!
//! [`ReplyFormat::reasoning`]: super::ReplyFormat::reasoning
//! [`Turn::open`]: super::Turn::open
//! [`Turn::end`]: super::Turn::end
//! [`ContentMode::AlwaysWrapped`]: super::ContentMode::AlwaysWrapped
//! [`JsonCall`]: super::JsonCall
//! [`NamedCall`]: super::NamedCall
//! [`Arguments::Json`]: super::Arguments::Json
//! [`Arguments::Literal`]: super::Arguments::Literal
//! [`Arguments::Tagged`]: super::Arguments::Tagged
//! [`Headers`]: super::Headers

mod fields;
mod message_sequence;
mod named_calls;
mod pattern;
mod read;
mod read_calls;
mod write;
