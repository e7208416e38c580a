//! Response templates: the form in which a checkpoint's `tokenizer_config.json` declares how replies
//! are read (Transformers 5, `response_template`; also read by vLLM and SGLang).
//!
//! A response template has `defaults`, a `start_anchor` and `fields`, each a key of the message: with
//! an opener and a closer (texts, or patterns in the syntax of Python), what its `content` is, and a
//! `transform` that builds the value. It is described in the documentation of Transformers, under
//! "Response Parsing"; the form here is that of version 5.23.
//!
//! What the two forms share, and what either cannot say:
//!
//! | a response template | a format |
//! |---|---|
//! | `start_anchor` | [`Turn::open`]; a pattern, or several texts, cannot be said |
//! | field `thinking`, `reasoning` or `reasoning_content` | [`ReplyFormat::reasoning`] |
//! | field `content` without an opener | content as it is; its closers are [`Turn::end`] |
//! | field `content` with an opener | [`ContentMode::AlwaysWrapped`]; of several closers the first closes it, the others end the turn |
//! | field `tool_calls`, `json` | [`JsonCall`]; with `transform_each`, in a list |
//! | the same, with a group `name` in the opener | [`NamedCall`] with [`Arguments::Json`], or [`Arguments::Literal`] with `unquoted_keys` |
//! | field `tool_calls`, `xml-inline` | [`NamedCall`] with [`Arguments::Tagged`] |
//! | `.*?` between a group `name` and the opener's end | [`Headers`] |
//! | `\n?`, `\n{0,2}`, `\s*` in a pattern | white space that may be missing; for `\s*`, a line break |
//! | `(?:…)?` at the start of an opener or the end of a closer | the markers around all calls |
//!
//! White space: a template strips texts, unless it says otherwise; a format leaves out the white space
//! of its markers and nothing else. Text outside of all regions is dropped by a template, and is
//! content in a format; white space alone is not. A closer inside of a value always ends it in a
//! template.
//!
//! No part of a reply's form, and not looked at: how many calls a reply may hold, what opens the
//! user's turn, whether content may be null, the tokenizer's control tokens, the order of keys.
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
mod message_rows;
mod named_calls;
mod pattern;
mod read;
mod read_calls;
mod write;
