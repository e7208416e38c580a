//! The folders of protocols, and the calls into them.
//!
//! Each folder has `Body` (writes requests), `parse` (reads them), `Reader` (reads answers) and `rules`.

use std::collections::BTreeSet;
use std::sync::Arc;

use prompty_reply::Reply;
use serde::{Serialize, Serializer};

use super::assembler::Assembler;
use super::error::WireError;
use super::parse::Fields;
use super::protocol::Protocol;
use super::protocol_reader::{Next, ProtocolReader};
use super::protocol_rules::ProtocolRules;
use super::request::Request;

/// One line for each folder: a name, the folder and its protocols.
macro_rules! folders {
    ($($name:ident: $folder:ident for $($protocol:ident)|+;)+) => {
        /// The body of a request in any protocol.
        pub(super) enum Body<'r> {
            $($name(crate::$folder::Body<'r>),)+
        }

        impl<'r> Body<'r> {
            /// # Errors
            ///
            /// If the protocol cannot express the request.
            pub(super) fn new(request: &'r Request<'_>) -> Result<Self, WireError> {
                match request.protocol {
                    $($(Protocol::$protocol)|+ => crate::$folder::Body::new(request).map(Self::$name),)+
                }
            }
        }

        impl Serialize for Body<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(body) => body.serialize(serializer),)+
                }
            }
        }

        /// The reader of answers in any protocol.
        #[derive(Debug, Clone)]
        pub(super) enum AnyReader {
            $($name(crate::$folder::Reader),)+
        }

        impl AnyReader {
            /// A reader, with the names of the tools that were offered, if they are known.
            pub(super) fn new(protocol: Protocol, offered: Option<Arc<BTreeSet<String>>>) -> Self {
                match protocol {
                    $($(Protocol::$protocol)|+ => Self::$name(crate::$folder::Reader::new(offered)),)+
                }
            }

            pub(super) fn read(&mut self, json: &str) -> Result<Next, WireError> {
                match self { $(Self::$name(reader) => reader.read(json),)+ }
            }

            pub(super) fn read_whole(&mut self, json: &str) -> Result<Next, WireError> {
                match self { $(Self::$name(reader) => reader.read_whole(json),)+ }
            }

            pub(super) fn told(&self) -> &Assembler {
                match self { $(Self::$name(reader) => reader.told(),)+ }
            }

            pub(super) fn told_mut(&mut self) -> &mut Assembler {
                match self { $(Self::$name(reader) => reader.told_mut(),)+ }
            }

            pub(super) fn is_finished(&self) -> bool {
                match self { $(Self::$name(reader) => reader.is_finished(),)+ }
            }

            pub(super) fn end(&mut self) {
                match self { $(Self::$name(reader) => reader.end(),)+ }
            }

            pub(super) fn into_reply(self) -> Reply {
                match self { $(Self::$name(reader) => reader.into_reply(),)+ }
            }
        }

        impl Protocol {
            /// What differs between this protocol and others.
            pub(super) const fn rules(self) -> &'static ProtocolRules {
                match self {
                    $($(Self::$protocol)|+ => crate::$folder::rules(self),)+
                }
            }

            /// Reads what is particular to the protocol in the body of a request.
            pub(super) fn parse(
                self,
                fields: &mut Fields,
                request: &mut Request<'_>,
            ) -> Result<(), WireError> {
                match self {
                    $($(Self::$protocol)|+ => crate::$folder::parse::request(fields, request),)+
                }
            }
        }
    };
}

folders! {
    Chat: chat for OpenAiChat | OpenAiCompatible;
    Responses: responses for OpenAiResponses;
    Anthropic: anthropic for AnthropicMessages;
}
