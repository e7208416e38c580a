//! Dispatches to the module of a protocol.
//!
//! Each module has `Body` (writes requests), `parse` (reads them), `Reader` (reads answers) and
//! `rules`.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::error::WireError;
use super::parse::BodyFields;
use super::protocol::Protocol;
use super::protocol_reader::ProtocolReader;
use super::protocol_rules::ProtocolRules;
use super::request::Request;

/// One line for each module: a variant name, the module and its protocols.
macro_rules! protocol_modules {
    ($($name:ident: $module:ident for $($protocol:ident)|+;)+) => {
        /// The body of a request in any protocol.
        pub(super) enum AnyBody<'r> {
            $($name(crate::$module::Body<'r>),)+
        }

        impl<'r> AnyBody<'r> {
            /// # Errors
            ///
            /// Returns an error if the protocol cannot express the request.
            pub(super) fn new(request: &'r Request<'_>) -> Result<Self, WireError> {
                match request.protocol {
                    $($(Protocol::$protocol)|+ => crate::$module::Body::new(request).map(Self::$name),)+
                }
            }
        }

        impl Serialize for AnyBody<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(body) => body.serialize(serializer),)+
                }
            }
        }

        /// The reader of answers in any protocol.
        #[derive(Debug, Clone)]
        pub(super) enum AnyProtocolReader {
            $($name(crate::$module::Reader),)+
        }

        impl AnyProtocolReader {
            /// A reader, with the names of the offered tools, if they are known.
            pub(super) fn new(protocol: Protocol, offered: Option<Arc<BTreeSet<String>>>) -> Self {
                match protocol {
                    $($(Protocol::$protocol)|+ => Self::$name(crate::$module::Reader::new(offered)),)+
                }
            }

            pub(super) fn get(&self) -> &dyn ProtocolReader {
                match self { $(Self::$name(reader) => reader,)+ }
            }

            pub(super) fn get_mut(&mut self) -> &mut dyn ProtocolReader {
                match self { $(Self::$name(reader) => reader,)+ }
            }
        }

        impl Protocol {
            /// The rules of this protocol.
            pub(super) const fn rules(self) -> &'static ProtocolRules {
                match self {
                    $($(Self::$protocol)|+ => crate::$module::rules(self),)+
                }
            }

            /// Reads the fields of a request body that are specific to the protocol.
            pub(super) fn parse(
                self,
                fields: &mut BodyFields,
                request: &mut Request<'_>,
            ) -> Result<(), WireError> {
                match self {
                    $($(Self::$protocol)|+ => crate::$module::parse::read_request(fields, request),)+
                }
            }
        }
    };
}

protocol_modules! {
    Chat: chat for OpenAiChat | OpenAiCompatible;
    Responses: responses for OpenAiResponses;
    Anthropic: anthropic for AnthropicMessages;
}
