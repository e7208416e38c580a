//! `Debug` of the parts of messages that hold JSON of the program or of a provider. It does not
//! show the values of entries whose names indicate a secret, such as the headers of a server.

use std::fmt;

use super::{Message, ProviderFields, ProviderPart};
use crate::trace::{redact, redact_entries};

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("role", &self.role)
            .field("content", &self.content)
            .field("metadata", &redact_entries(&self.metadata))
            .finish()
    }
}

impl fmt::Debug for ProviderFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderFields")
            .field("protocol", &self.protocol)
            .field("fields", &redact_entries(&self.fields))
            .finish()
    }
}

impl fmt::Debug for ProviderPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderPart")
            .field("protocol", &self.protocol)
            .field("value", &redact(&self.value))
            .finish()
    }
}
