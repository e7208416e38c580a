//! Decides whether an endpoint that a prompt names may receive what belongs to the host (§2.5.1).
//!
//! A prompt may come from a stranger. To the host belong its credentials, which a client takes where a
//! connection has none of its own, and every value that came from `${env:…}` or `${file:…}`. If any of
//! them could be sent to an address that the prompt chose, the host must trust the origin of that
//! address.
//!
//! What a tool says goes to the model, too, but for the tool's connection. What the model is called and
//! how it is reached goes to the model alone. What stands outside of both, such as the default of an
//! input, may reach all.

use std::collections::HashSet;

use super::address::{TrustedOrigins, has_no_host, has_scheme, is_key_of_host, may_name_host};
use super::options::LoadOptions;
use crate::definition::node::{Mapping, Node, NodeKind, Origin};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::error::{Error, ErrorKind};

/// The kinds of connections that send no credential, or that the host configured itself.
const HARMLESS_KINDS: [&str; 2] = ["anonymous", "reference"];

/// The keys of a connection that are addresses, or are none, by the format.
const ADDRESSES: [&str; 2] = ["endpoint", "tokenUrl"];
const NO_ADDRESSES: [&str; 2] = ["kind", "name"];

/// The other keys of a model and of a tool that are no addresses by the format.
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

/// The keys of an OpenAPI document under which addresses stand.
const OPENAPI_ADDRESSES: [&str; 6] =
    ["servers", "host", "authorizationUrl", "tokenUrl", "refreshUrl", "openIdConnectUrl"];

/// Checks all addresses of a front matter whose references are resolved.
///
/// # Errors
///
/// The prompt chose an address that is not trusted, and something of the host could be sent there.
pub(super) fn check(root: &Node, source: &SourceText, options: &LoadOptions) -> Result<(), Error> {
    let listed = options.variable("PROMPTY_TRUSTED_ENDPOINTS").unwrap_or_default();
    let added = options.trusted_endpoints.iter().map(String::as_str);
    let origins = TrustedOrigins::new(added.chain(listed.split(',')));
    let guard = Guard { source, origins };
    let mut common = HostValues::default();
    entries(root)
        .filter(|(key, _)| !matches!(*key, "model" | "tools"))
        .for_each(|(_, value)| common.add(value));
    let tools = root.get("tools").map(items).unwrap_or_default();
    if let Some(model) = root.get("model") {
        let mut own = HostValues::default();
        own.add(model);
        let said = tools.iter().flat_map(|tool| entries(tool));
        said.filter(|(key, _)| *key != "connection").for_each(|(_, value)| own.add(value));
        let addresses = Addresses::in_owner(model, &MODEL_KEYS);
        let connection = model.get("connection");
        guard.check(&addresses, [&common, &own], connection, "model.connection")?;
    }
    for tool in tools {
        let mut own = HostValues::default();
        own.add(tool);
        let addresses = Addresses::in_owner(tool, &TOOL_KEYS);
        // The connection of a tool receives no credential unless the prompt itself puts one there.
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

/// Which references of the host stand in a part of the prompt.
#[derive(Default)]
struct HostValues {
    has_variables: bool,
    /// The places of the references to files.
    files: HashSet<SourceSpan>,
}

impl HostValues {
    /// Adds what stands in a part of the prompt.
    fn add(&mut self, node: &Node) {
        match node.origin {
            Origin::Environment => self.has_variables = true,
            // All that a file holds has the place of the reference.
            Origin::File => {
                self.files.insert(node.span);
                return;
            }
            Origin::Written | Origin::Default => {}
        }
        items(node).into_iter().for_each(|item| self.add(item));
    }

    /// Whether any came from elsewhere than an address did. A file may say where its own values go.
    fn any_besides(&self, address: &Address<'_>) -> bool {
        let own = usize::from(address.file().is_some_and(|file| self.files.contains(&file)));
        self.has_variables || self.files.len() > own
    }
}

/// An address that somebody else than the host's environment chose.
struct Address<'n> {
    text: &'n str,
    key: &'n str,
    origin: Origin,
    span: SourceSpan,
    /// Whether a client sends its credentials there by the format.
    is_endpoint: bool,
}

impl Address<'_> {
    /// The reference to the file in which the address stands.
    fn file(&self) -> Option<SourceSpan> {
        (self.origin == Origin::File).then_some(self.span)
    }
}

/// The addresses of a model or a tool.
#[derive(Default)]
struct Addresses<'n> {
    found: Vec<Address<'n>>,
}

impl<'n> Addresses<'n> {
    fn in_owner(owner: &'n Node, known: &[&str]) -> Self {
        let mut addresses = Self::default();
        for (key, value) in entries(owner) {
            match key {
                "connection" => addresses.add_connection(value),
                "specification" => addresses.add_specification(value),
                "provider" | "options" => addresses.add_options(key, value),
                _ if known.contains(&key) => {}
                _ => addresses.add_entry(owner, key, value),
            }
        }
        addresses
    }

    fn add_connection(&mut self, connection: &'n Node) {
        for (key, value) in entries(connection) {
            match value.as_text() {
                Some(text) if ADDRESSES.contains(&key) => {
                    // A word alone is no address by the format, but some clients put a scheme before it.
                    let is_endpoint = !has_no_host(text) || may_name_host(text);
                    self.add(key, text, value, is_endpoint, !text.trim().is_empty());
                }
                _ if NO_ADDRESSES.contains(&key) => {}
                _ => self.add_entry(connection, key, value),
            }
        }
    }

    /// Adds an entry of a map if its key names a host, and what its value names.
    fn add_entry(&mut self, map: &'n Node, key: &'n str, value: &'n Node) {
        // A value may be the host's while its key is the author's.
        let origin = if map.origin == Origin::File { Origin::File } else { Origin::Written };
        if may_name_host(key) {
            self.found.push(Address {
                text: key,
                key,
                origin,
                span: value.span,
                is_endpoint: false,
            });
        }
        self.add_all(key, value);
    }

    /// Adds every text below a key that names a host, whatever its own key is called.
    fn add_all(&mut self, key: &'n str, node: &'n Node) {
        if let Some(text) = node.as_text() {
            let is_host = may_name_host(text) || is_key_of_host(key) && !text.trim().is_empty();
            self.add(key, text, node, false, is_host);
        }
        match &node.kind {
            NodeKind::Map(_) => {
                entries(node).for_each(|(key, value)| self.add_entry(node, key, value));
            }
            NodeKind::List(items) => items.iter().for_each(|item| self.add_all(key, item)),
            // An address as one number.
            NodeKind::Integer(number) if (1 << 24..1 << 32).contains(number) => {
                self.add(key, "a number", node, false, true);
            }
            _ => {}
        }
    }

    /// Adds the addresses among settings, most of which are none: numbers, and texts such as `gpt-4.1`.
    fn add_options(&mut self, key: &'n str, node: &'n Node) {
        if let Some(text) = node.as_text() {
            let is_host = has_scheme(text) || is_key_of_host(key) && !text.trim().is_empty();
            self.add(key, text, node, false, is_host);
        }
        match &node.kind {
            NodeKind::Map(_) => {
                entries(node).for_each(|(key, value)| self.add_options(key, value));
            }
            NodeKind::List(items) => items.iter().for_each(|item| self.add_options(key, item)),
            _ => {}
        }
    }

    /// Adds the location of an OpenAPI document, or the addresses in it.
    fn add_specification(&mut self, node: &'n Node) {
        if let Some(text) = node.as_text() {
            self.add("specification", text, node, false, has_scheme(text));
        }
        for (key, value) in entries(node) {
            match OPENAPI_ADDRESSES.contains(&key) {
                true => self.add_all(key, value),
                false => self.add_specification_part(value),
            }
        }
    }

    fn add_specification_part(&mut self, node: &'n Node) {
        if node.as_text().is_none() {
            self.add_specification(node);
        }
        if let NodeKind::List(items) = &node.kind {
            items.iter().for_each(|item| self.add_specification_part(item));
        }
    }

    fn add(&mut self, key: &'n str, text: &'n str, node: &Node, is_endpoint: bool, is_host: bool) {
        // What a variable of the host names is the host's own choice.
        if is_host && node.origin != Origin::Environment {
            self.found.push(Address {
                text,
                key,
                origin: node.origin,
                span: node.span,
                is_endpoint,
            });
        }
    }
}

struct Guard<'s> {
    source: &'s SourceText,
    origins: TrustedOrigins,
}

impl Guard<'_> {
    /// Checks that nothing of the host goes to an address that is not trusted. `connection` is the one
    /// for which a client may take credentials of the host.
    fn check(
        &self,
        addresses: &Addresses<'_>,
        received: [&HostValues; 2],
        connection: Option<&Node>,
        what: &str,
    ) -> Result<(), Error> {
        for address in &addresses.found {
            if self.origins.contain(address.text) {
                continue;
            }
            let is_sent_values = received.iter().any(|values| values.any_besides(address));
            let is_sent_credentials = address.is_endpoint
                && connection.is_some_and(|connection| gets_host_credentials(connection, address));
            let (sent, help) = match (is_sent_credentials, is_sent_values) {
                (true, _) => (
                    "credentials",
                    "take it from the environment, give the connection a key of its own, or trust \
                     its origin with `LoadOptions::with_trusted_endpoint` or `PROMPTY_TRUSTED_ENDPOINTS`",
                ),
                (false, true) => (
                    "variables and files",
                    "take it from the environment, or trust its origin with \
                     `LoadOptions::with_trusted_endpoint` or `PROMPTY_TRUSTED_ENDPOINTS`",
                ),
                (false, false) => continue,
            };
            let Address { text, key, span, .. } = address;
            let message = format!(
                "untrusted endpoint: the host's {sent} would go to '{text}', \
                 which `{key}` of {what} names"
            );
            return Err(Error::new(ErrorKind::UntrustedEndpoint, message)
                .with_place(self.source.place(span.start))
                .with_help(help));
        }
        Ok(())
    }
}

/// Whether a client would use the host's credentials. It does so unless the prompt contains a key
/// and the kind of the connection uses that key.
fn gets_host_credentials(connection: &Node, address: &Address<'_>) -> bool {
    let kind = connection.get("kind").and_then(Node::as_text).unwrap_or_default();
    let is_own = |key: &&Node| !key.origin.is_host() || address.file() == Some(key.span);
    let own_key = connection.get("apiKey").filter(is_own);
    let has_own_key = own_key.and_then(Node::as_text).is_some_and(|key| !key.trim().is_empty());
    !(HARMLESS_KINDS.contains(&kind) || kind == "key" && has_own_key)
}
