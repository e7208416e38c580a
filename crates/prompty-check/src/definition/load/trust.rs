//! Decides whether an endpoint in a prompt may receive values of the host (Prompty §2.5.1).
//!
//! A prompt may come from a stranger. The host's values are the credentials that a client uses if
//! the connection has none, and the values of `${env:…}` and `${file:…}`. If the prompt chose an
//! address that could receive any of them, the host must trust the origin of that address.
//!
//! The model receives its own settings and the tools, except their connections. A tool receives its
//! own content. Both receive all other parts of the prompt, such as the default of an input.

use std::collections::HashSet;

use super::address::{
    TrustedOrigins, has_no_host, has_scheme, is_key_of_amount, is_key_of_host, is_number_of_host,
    may_name_host,
};
use super::options::LoadOptions;
use crate::definition::node::{Mapping, Node, NodeKind, Origin};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};

/// The kinds of connections that send no credentials, or that the host configured itself.
const HARMLESS_KINDS: [&str; 2] = ["anonymous", "reference"];

/// The keys of a connection that are addresses according to the format.
const ADDRESS_KEYS: [&str; 2] = ["endpoint", "tokenUrl"];

/// The keys of a connection that are not addresses. Every other key may be one.
const OTHER_CONNECTION_KEYS: [&str; 2] = ["kind", "name"];

/// The other keys of a model and of a tool that are not addresses according to the format.
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

    /// Whether any value comes from elsewhere than the file with the address. A file may choose
    /// where its values are sent.
    fn any_except(&self, address: &PromptAddress<'_>) -> bool {
        let own = usize::from(address.file().is_some_and(|file| self.files.contains(&file)));
        self.has_variables || self.files.len() > own
    }
}

/// An address that does not come from the host's environment.
struct PromptAddress<'n> {
    text: &'n str,
    key: &'n str,
    origin: Origin,
    span: SourceSpan,
    /// Whether a client sends its credentials there, according to the format.
    is_endpoint: bool,
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
    /// Whether any of the keys names a host: both `url` and `proxy: {http: squid}`.
    name_host: bool,
    /// As in [`PromptAddress`].
    is_endpoint: bool,
}

impl<'n> KeyPath<'n> {
    fn new(key: &'n str) -> Self {
        Self { last: key, name_host: is_key_of_host(key), is_endpoint: false }
    }

    /// The keys that lead to an entry of a map.
    fn with_last(self, key: &'n str) -> Self {
        Self { last: key, name_host: self.name_host || is_key_of_host(key), ..self }
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
            let is_of_format = ADDRESS_KEYS.contains(&key);
            if let Some(text) = value.as_text().filter(|_| is_of_format) {
                // By the format, a client sends no credentials to a single word. But some clients
                // accept `localhost`.
                let is_endpoint = !has_no_host(text) || may_name_host(text);
                self.add(key, text, value, is_endpoint, !text.trim().is_empty());
            } else if !OTHER_CONNECTION_KEYS.contains(&key) {
                let keys = KeyPath { is_endpoint: is_of_format, ..KeyPath::new(key) };
                self.add_entry(connection, keys, value);
            }
        }
    }

    /// Adds the addresses in an entry of a map: its key if that is one, and those in its value.
    fn add_entry(&mut self, map: &'n Node, keys: KeyPath<'n>, value: &'n Node) {
        // A value may belong to the host although the author wrote its key.
        let origin = if map.origin == Origin::File { Origin::File } else { Origin::Written };
        if may_name_host(keys.last) {
            self.found.push(PromptAddress {
                text: keys.last,
                key: keys.last,
                origin,
                span: value.span,
                is_endpoint: keys.is_endpoint,
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
                let is_amount = is_key_of_amount(keys.last) && is_number_of_host(text);
                let is_address =
                    keys.name_host && !text.trim().is_empty() || may_name_host(text) && !is_amount;
                self.add(keys.last, text, node, keys.is_endpoint, is_address);
            }
            _ => self.add_number(keys, node, !is_key_of_amount(keys.last)),
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
                let is_address = keys.name_host && !text.trim().is_empty() || has_scheme(text);
                self.add(keys.last, text, node, false, is_address);
            }
            _ => self.add_number(keys, node, keys.name_host && !is_key_of_amount(keys.last)),
        }
    }

    /// Adds a number if clients would read its digits as an IPv4 address.
    fn add_number(&mut self, keys: KeyPath<'n>, node: &'n Node, may_be_address: bool) {
        let digits = match node.kind {
            NodeKind::Integer(number) => number.to_string(),
            NodeKind::Float(number) => number.to_string(),
            _ => return,
        };
        let is_address =
            may_be_address && (is_key_of_host(keys.last) || is_number_of_host(&digits));
        self.add(keys.last, "a number", node, keys.is_endpoint, is_address);
    }

    /// Adds the location of an OpenAPI document, or the addresses in it.
    fn add_specification(&mut self, node: &'n Node) {
        if let Some(text) = node.as_text() {
            self.add("specification", text, node, false, has_scheme(text));
        }
        for (key, value) in entries(node) {
            match OPENAPI_ADDRESSES.contains(&key) {
                // The description of a server is not an address, so only the keys inside decide.
                true => {
                    let name_host = key != "servers";
                    self.add_all(KeyPath { name_host, ..KeyPath::new(key) }, value);
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

    /// Adds a text if it is an address. `is_endpoint` is as in [`PromptAddress`].
    fn add(
        &mut self,
        key: &'n str,
        text: &'n str,
        node: &Node,
        is_endpoint: bool,
        is_address: bool,
    ) {
        // The host itself chose an address that comes from its variable.
        if is_address && node.origin != Origin::Environment {
            self.found.push(PromptAddress {
                text,
                key,
                origin: node.origin,
                span: node.span,
                is_endpoint,
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
            let is_sent_values = received.iter().any(|values| values.any_except(address));
            let is_sent_credentials = address.is_endpoint
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

/// Whether a client would use the host's credentials. It uses them unless the prompt contains a key
/// and the kind of the connection uses that key.
fn gets_host_credentials(connection: &Node, address: &PromptAddress<'_>) -> bool {
    let kind = connection.get("kind").and_then(Node::as_text).unwrap_or_default();
    let is_own = |key: &&Node| !key.origin.is_host() || address.file() == Some(key.span);
    let own_key = connection.get("apiKey").filter(is_own);
    let has_own_key = own_key.and_then(Node::as_text).is_some_and(|key| !key.trim().is_empty());
    !(HARMLESS_KINDS.contains(&kind) || kind == "key" && has_own_key)
}
