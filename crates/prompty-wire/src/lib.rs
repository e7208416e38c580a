//! To a provider and back: requests in the provider's own form, and what it answers as a [`Reply`].
//!
//! A [`Request`] has messages, tools, the form of the answer and options, and through serde it is the JSON of a
//! [`Protocol`]. The answer is read whole ([`Request::read`]) or as it comes ([`Request::reader`], a [`ReplyReader`]). Both
//! give the [`Reply`] and the [events](prompty_reply::Event) that a local model's text gives, so a service is written
//! once. This crate sends nothing: any HTTP client will do, and none is a dependency.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::message; pub use prompty_wire as wire; }
//! use typed_prompty::message::Message;
//! use typed_prompty::wire::{Request, append_turn};
//!
//! let mut messages = vec![Message::system("Be brief."), Message::user("Where is Bonn?")];
//! let request = Request::new("gpt-4o-mini", &messages).with_max_output_tokens(200).with_streaming();
//! let body = request.to_json()?; // POST it to BASE_URL + request.protocol().path()
//! assert!(body.contains(r#""stream":true"#));
//!
//! let mut stream = request.reader();
//! let pieces: [&[u8]; 3] = [ // the body of the response, cut anywhere
//!     b"data: {\"choices\": [{\"delta\": {\"content\": \"On the R",
//!     b"hine.\"}}]}\n\ndata: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\n",
//!     b"data: [DONE]\n\n",
//! ];
//! let mut shown = String::new();
//! for piece in pieces {
//!     stream.push_bytes(piece).content().for_each(|text| shown.push_str(text));
//! }
//! let reply = stream.finish()?.complete()?;
//! assert_eq!((reply.content(), shown.as_str()), ("On the Rhine.", "On the Rhine."));
//!
//! append_turn(&mut messages, &reply, [])?;
//! assert_eq!(messages.len(), 3);
//! # Ok::<(), prompty_wire::WireError>(())
//! ```
//!
//! | protocol | what is particular |
//! |---|---|
//! | [`OpenAiChat`](Protocol::OpenAiChat) | the default; `max_completion_tokens` |
//! | [`OpenAiCompatible`](Protocol::OpenAiCompatible) | llama-server, Ollama, vLLM and many hosts; `max_tokens` |
//! | [`OpenAiResponses`](Protocol::OpenAiResponses) | what the operator says first becomes `instructions` |
//! | [`AnthropicMessages`](Protocol::AnthropicMessages) | what the operator says becomes `system`; a limit of tokens is always sent |
//!
//! # What goes out
//!
//! Only what a protocol knows is written: of a message's metadata, chat completions take `name` (others than OpenAI's
//! also `prefix`), responses `phase`, and Anthropic `cache_control`. Reasoning goes back where the protocol has a form
//! for it: signed or encrypted by the provider itself ([`ContentPart::Provider`]), or under a name that you give
//! ([`Request::with_reasoning_field`]). What a provider cannot take, such as a sound for Anthropic, is an error that says so.
//!
//! # What comes back
//!
//! A field of an unexpected type counts as missing. Items and blocks that this library does not know are kept
//! ([`Reply::others`]) and go back to the same provider. A call is complete only if its arguments are a JSON object, and
//! the answer was not cut there. An answer without an end, an error in the middle of a stream and a broken connection
//! are a [`WireError`] with what came before it.
//!
//! [`ContentPart::Provider`]: prompty_core::message::ContentPart::Provider
//! [`Reply`]: prompty_reply::Reply
//! [`Reply::others`]: prompty_reply::Reply::others
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod anthropic;
mod assembler;
#[cfg(feature = "async-openai")]
pub mod async_openai;
mod body;
mod call_fields;
mod calls;
mod capabilities;
mod chat;
mod embeddings;
mod entries;
mod error;
mod fields;
mod halves;
mod headers;
mod images;
mod kept;
mod left_out;
mod media;
mod models;
mod options;
mod parse;
mod protocol;
mod protocol_folders;
mod protocol_reader;
mod protocol_rules;
mod provider_parts;
mod reader;
mod repeated;
mod reply_reader;
mod request;
mod response_format;
mod responses;
mod telling;
mod turn;
#[cfg(feature = "output")]
mod typed_reader;
mod unread_calls;
mod usage;
mod whole;

pub use capabilities::CapabilityTable;
pub use embeddings::{EmbeddingRequest, Embeddings};
pub use error::{ProviderError, WireError, WireErrorKind};
pub use headers::retry_after;
pub use images::{GeneratedImage, ImageRequest, Images};
pub use media::audio_format;
pub use models::{ModelInfo, ModelList, ModelListing};
pub use options::{PromptCache, Reasoning};
pub use protocol::Protocol;
pub use reply_reader::ReplyReader;
pub use request::Request;
pub use response_format::ResponseFormat;
pub use turn::append_turn;
#[cfg(feature = "output")]
pub use typed_reader::TypedReplyReader;
