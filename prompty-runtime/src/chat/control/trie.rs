//! A set of texts that is looked for all at once, without regard to the case of ASCII letters.

use std::collections::BTreeMap;

/// The texts, byte by byte.
#[derive(Debug, Default)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// The bytes that a text may begin with, in both cases.
    firsts: Vec<u8>,
    is_first: Vec<bool>,
}

#[derive(Debug, Default)]
struct Node {
    next: BTreeMap<u8, usize>,
    is_end: bool,
}

impl Trie {
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut nodes = vec![Node::default()];
        for text in texts {
            let mut at = 0;
            for byte in text {
                let new = nodes.len();
                let Some(node) = nodes.get_mut(at) else { break };
                at = *node.next.entry(byte.to_ascii_lowercase()).or_insert(new);
                if at == new {
                    nodes.push(Node::default());
                }
            }
            if let Some(node) = nodes.get_mut(at) {
                node.is_end = true;
            }
        }
        let mut trie = Self { nodes, firsts: Vec::new(), is_first: vec![false; 256] };
        for byte in trie.nodes.first().into_iter().flat_map(|root| root.next.keys()) {
            for byte in [*byte, byte.to_ascii_uppercase()] {
                if !trie.firsts.contains(&byte) {
                    trie.firsts.push(byte);
                }
                if let Some(is_first) = trie.is_first.get_mut(usize::from(byte)) {
                    *is_first = true;
                }
            }
        }
        trie
    }

    /// Where the next text may begin, from a position on.
    pub(super) fn candidate(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let found = match *self.firsts.as_slice() {
            [] => None,
            [a] => memchr::memchr(a, rest),
            [a, b] => memchr::memchr2(a, b, rest),
            [a, b, c] => memchr::memchr3(a, b, c, rest),
            _ => rest.iter().position(|byte| {
                self.is_first.get(usize::from(*byte)).copied().unwrap_or_default()
            }),
        };
        found.map(|at| from + at)
    }

    /// The lengths of the texts that begin at a position, the shortest first.
    pub(super) fn lengths<'t>(
        &'t self,
        text: &'t [u8],
        from: usize,
    ) -> impl Iterator<Item = usize> + 't {
        let mut node = self.nodes.first();
        let rest = text.get(from..).unwrap_or_default();
        let steps = rest.iter().enumerate().map_while(move |(index, byte)| {
            let next = node?.next.get(&byte.to_ascii_lowercase())?;
            node = self.nodes.get(*next);
            Some((index + 1, node?.is_end))
        });
        steps.filter(|(_, is_end)| *is_end).map(|(length, _)| length)
    }

    /// Whether some bytes are the start of a text that goes on behind them.
    pub(super) fn is_start(&self, bytes: impl Iterator<Item = u8>) -> bool {
        let mut at = self.nodes.first();
        for byte in bytes {
            let next = at.and_then(|node| node.next.get(&byte.to_ascii_lowercase()));
            let Some(node) = next.and_then(|next| self.nodes.get(*next)) else { return false };
            at = Some(node);
        }
        at.is_some_and(|node| !node.next.is_empty())
    }
}
