//! A trie: a set of texts that are all searched for at once. It ignores the case of ASCII letters.

use prompty_core::text::slice_list;
use prompty_core::work::add_steps;

/// A set of texts, byte by byte.
#[derive(Debug, Default)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// The first bytes of the texts, in upper and lower case.
    firsts: Vec<u8>,
    is_first: Vec<bool>,
    /// Whether a byte is the second one of any text.
    is_second: Vec<bool>,
}

#[derive(Debug, Default)]
struct Node {
    /// The next nodes, in the order of their bytes.
    next: Vec<(u8, usize)>,
    is_end: bool,
}

impl Node {
    fn next(&self, byte: u8) -> Option<usize> {
        let byte = byte.to_ascii_lowercase();
        match *self.next.as_slice() {
            [(only, next)] => (only == byte).then_some(next),
            ref many => {
                let place = many.binary_search_by_key(&byte, |(byte, _)| *byte).ok()?;
                many.get(place).map(|(_, next)| *next)
            }
        }
    }
}

/// With up to this many groups of three first bytes, searching for the groups is faster than looking
/// at every byte.
const GROUPS: usize = 3;

/// The positions of up to three bytes in a text.
enum Hits<'t> {
    None,
    One(memchr::Memchr<'t>),
    Two(memchr::Memchr2<'t>),
    Three(memchr::Memchr3<'t>),
}

impl<'t> Hits<'t> {
    fn new(bytes: &[u8], text: &'t [u8]) -> Self {
        match *bytes {
            [a] => Self::One(memchr::memchr_iter(a, text)),
            [a, b] => Self::Two(memchr::memchr2_iter(a, b, text)),
            [a, b, c] => Self::Three(memchr::memchr3_iter(a, b, c, text)),
            _ => Self::None,
        }
    }

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One(hits) => hits.next(),
            Self::Two(hits) => hits.next(),
            Self::Three(hits) => hits.next(),
        }
    }
}

impl Trie {
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut nodes = vec![Node::default()];
        for text in texts {
            let mut at = 0;
            for byte in text {
                let new = nodes.len();
                let Some(node) = nodes.get_mut(at) else { break };
                let byte = byte.to_ascii_lowercase();
                match node.next.binary_search_by_key(&byte, |(byte, _)| *byte) {
                    Ok(place) => at = node.next.get(place).map_or(at, |(_, next)| *next),
                    Err(place) => {
                        node.next.insert(place, (byte, new));
                        at = new;
                        nodes.push(Node::default());
                    }
                }
            }
            if let Some(node) = nodes.get_mut(at) {
                node.is_end = true;
            }
        }
        let (is_first, is_second) = (vec![false; 256], vec![false; 256]);
        let mut trie = Self { nodes, firsts: Vec::new(), is_first, is_second };
        let root = trie.nodes.first();
        let behind = root.into_iter().flat_map(|root| root.next.iter());
        let behind = behind.filter_map(|(_, child)| trie.nodes.get(*child));
        for (byte, _) in behind.flat_map(|child| &child.next) {
            for byte in [*byte, byte.to_ascii_uppercase()] {
                if let Some(is_second) = trie.is_second.get_mut(usize::from(byte)) {
                    *is_second = true;
                }
            }
        }
        for (byte, _) in trie.nodes.first().into_iter().flat_map(|root| &root.next) {
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

    /// The positions at which texts of the set may begin.
    pub(super) fn candidates<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        add_steps(text.len());
        let mut groups = self.firsts.chunks(3);
        let mut hits = [(); GROUPS].map(|()| Hits::new(groups.next().unwrap_or_default(), text));
        let is_any = groups.next().is_some();
        let mut next = hits.each_mut().map(Hits::next);
        let mut all = self.positions(text);
        let starts = std::iter::from_fn(move || {
            if is_any {
                return all.next();
            }
            let (index, at) = match next {
                [Some(at), None, None] => (0, at),
                _ => {
                    let known = next.iter().enumerate();
                    known.filter_map(|(index, at)| Some((index, (*at)?))).min_by_key(|it| it.1)?
                }
            };
            if let (Some(next), Some(hits)) = (next.get_mut(index), hits.get_mut(index)) {
                *next = hits.next();
            }
            Some(at)
        });
        let may_go_on = move |at: &usize| {
            let second = text.get(at + 1).and_then(|byte| self.is_second.get(usize::from(*byte)));
            second.copied().unwrap_or(true)
        };
        starts.filter(may_go_on)
    }

    /// The same, byte by byte: for many first bytes.
    fn positions<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        let is_first = |byte: &u8| self.is_first.get(usize::from(*byte)).copied();
        let bytes = text.iter().enumerate();
        bytes.filter(move |(_, byte)| is_first(byte).unwrap_or(false)).map(|(at, _)| at)
    }

    /// The lengths of the texts of the set that begin at a position, the shortest first.
    pub(super) fn lengths<'t>(
        &'t self,
        text: &'t [u8],
        from: usize,
    ) -> impl Iterator<Item = usize> + 't {
        let mut node = self.nodes.first();
        let rest = slice_list(text, from..);
        let steps = rest.iter().enumerate().map_while(move |(index, byte)| {
            add_steps(1);
            node = self.nodes.get(node?.next(*byte)?);
            Some((index + 1, node?.is_end))
        });
        steps.filter(|(_, is_end)| *is_end).map(|(length, _)| length)
    }

    /// Whether the bytes begin with a text of the set.
    pub(super) fn begins(&self, bytes: &[u8]) -> bool {
        self.lengths(bytes, 0).next().is_some()
    }

    /// Whether the bytes are the start of a longer text of the set.
    pub(super) fn is_start<'b>(&self, bytes: impl IntoIterator<Item = &'b u8>) -> bool {
        let mut at = self.nodes.first();
        for byte in bytes {
            let next = at.and_then(|node| node.next(*byte));
            let Some(node) = next.and_then(|next| self.nodes.get(next)) else { return false };
            at = Some(node);
        }
        at.is_some_and(|node| !node.next.is_empty())
    }
}
