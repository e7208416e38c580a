//! Provider protocols: requests in the provider's own form, and its answers as a [`Reply`].
//!
//! A [`Request`] has messages, tools, a response format and options. Through serde it is the JSON
//! of a [`Protocol`]. The answer is read complete ([`Request::read`]) or in pieces
//! ([`Request::reader`], a [`ReplyReader`]). Both give the [`Reply`] and the
//! [events](prompty_reply::Event) that a local model's text gives, so a service is written once.
//! This crate sends nothing, and depends on no HTTP client.
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
//! | protocol | differences |
//! |---|---|
//! | [`OpenAiChat`](Protocol::OpenAiChat) | the default; `max_completion_tokens` |
//! | [`OpenAiCompatible`](Protocol::OpenAiCompatible) | llama-server, Ollama, vLLM and many hosts; `max_tokens` |
//! | [`OpenAiResponses`](Protocol::OpenAiResponses) | first system messages: `instructions` |
//! | [`AnthropicMessages`](Protocol::AnthropicMessages) | `system`; always sends a token limit |
//!
//! # Requests
//!
//! Only fields that the protocol knows are written. Of a message's metadata, chat completions
//! accept `name` (other hosts than OpenAI also `prefix`), responses `phase`, and Anthropic
//! `cache_control`. Reasoning is sent back if the protocol has a form for it: signed or encrypted
//! by the provider ([`ContentPart::Provider`]), or in a field that you name
//! ([`Request::with_reasoning_field`]). Parts that a provider does not accept, such as audio for
//! Anthropic, are an error.
//!
//! # Answers
//!
//! A field of an unexpected type counts as missing, unless it may have content of the answer: that
//! is an error. Items and blocks that this library does not
//! know are kept ([`Reply::others`]) and are sent back to the same provider. A call is complete
//! only if its arguments are a JSON object and the answer was not truncated there. An answer
//! without an end, an error in the middle of a stream and a broken connection are a [`WireError`],
//! which contains the reply so far. So is an answer that would need many times the memory of its
//! text: lists of more than 1024 items, or too many small values in parts that only the provider
//! understands.
//!
//! [`ContentPart::Provider`]: prompty_core::message::ContentPart::Provider
//! [`Reply`]: prompty_reply::Reply
//! [`Reply::others`]: prompty_reply::Reply::others
//!
//! Programs depend on the facade, `typed-prompty`, which exports this crate.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer_reader;
mod anthropic;
mod append_turn;
mod argument_text;
mod assembler;
#[cfg(feature = "async-openai")]
pub mod async_openai;
mod body;
mod call_fields;
mod call_ids;
mod capabilities;
mod chat;
mod complete_answer;
mod embeddings;
mod entries;
mod error;
mod event_recorder;
mod failed_calls;
mod fields;
mod headers;
mod images;
mod items;
mod left_out;
mod media;
mod models;
mod options;
mod originals;
mod parse;
mod protocol;
mod protocol_dispatch;
mod protocol_reader;
mod protocol_rules;
mod provider_json;
mod provider_parts;
mod repeated_texts;
mod reply_reader;
mod request;
mod response_format;
mod responses;
mod surrogates;
#[cfg(feature = "output")]
mod typed_reader;
mod usage;
mod value_budget;

pub use append_turn::append_turn;
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
#[cfg(feature = "output")]
pub use typed_reader::TypedReplyReader;
