//! A fast search for the positions of a text at which one of several strings may begin. A slower
//! search then checks only these positions.

use prompty_core::work::add_steps;

/// The number of bytes that `memchr` can search for at once.
const GROUP_LENGTH: usize = 3;
/// The maximum number of groups of first bytes. With more groups, it is faster to test every byte
/// than to search for each group.
const MOST_GROUPS: usize = 3;

/// The first and the second bytes of several strings, in upper and lower case.
#[derive(Debug)]
pub(super) struct Candidates {
    /// The bytes for which `is_first` is true.
    firsts: Vec<u8>,
    is_first: Vec<bool>,
    is_second: Vec<bool>,
}

/// The positions of up to three bytes in a text.
enum BytePositions<'t> {
    None,
    One(memchr::Memchr<'t>),
    Two(memchr::Memchr2<'t>),
    Three(memchr::Memchr3<'t>),
}

impl<'t> BytePositions<'t> {
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

impl Candidates {
    /// Creates a search for strings in lower case.
    pub(super) fn new(texts: &[String]) -> Self {
        let bytes =
            |at: usize| texts.iter().filter_map(move |text| text.as_bytes().get(at).copied());
        let (is_first, is_second) = (in_both_cases(bytes(0)), in_both_cases(bytes(1)));
        let table = (0..=u8::MAX).zip(&is_first);
        let firsts = table.filter(|(_, is_first)| **is_first).map(|(byte, _)| byte).collect();
        Self { firsts, is_first, is_second }
    }

    /// The positions at which strings of the set may begin.
    pub(super) fn find<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        add_steps(text.len());
        let mut groups = self.firsts.chunks(GROUP_LENGTH);
        let mut hits =
            [(); MOST_GROUPS].map(|()| BytePositions::new(groups.next().unwrap_or_default(), text));
        let has_more_groups = groups.next().is_some();
        // The next position of each group. The first of these is the next start.
        let mut next = hits.each_mut().map(BytePositions::next);
        let mut all = self.positions(text);
        let starts = std::iter::from_fn(move || {
            if has_more_groups {
                return all.next();
            }
            let (index, at) = match next {
                // Usually, only the first group has positions left.
                [Some(at), None, None] => (0, at),
                _ => {
                    let groups = next.iter().enumerate();
                    groups.filter_map(|(index, at)| Some((index, (*at)?))).min_by_key(|it| it.1)?
                }
            };
            if let (Some(next), Some(hits)) = (next.get_mut(index), hits.get_mut(index)) {
                *next = hits.next();
            }
            Some(at)
        });
        // The last byte of the text has no second one after it, so the slow search decides.
        let may_match = move |at: &usize| {
            let second = text.get(at + 1).and_then(|byte| self.is_second.get(usize::from(*byte)));
            second.copied().unwrap_or(true)
        };
        starts.filter(may_match)
    }

    /// Like `find`, but tests every byte: for many first bytes.
    fn positions<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        let is_first = |byte: &u8| self.is_first.get(usize::from(*byte)).copied();
        let bytes = text.iter().enumerate();
        bytes.filter(move |(_, byte)| is_first(byte).unwrap_or(false)).map(|(at, _)| at)
    }
}

/// A table that is true at each of the given bytes, in upper and lower case.
fn in_both_cases(bytes: impl Iterator<Item = u8>) -> Vec<bool> {
    let mut is_there = vec![false; 256];
    for byte in bytes.flat_map(|byte| [byte, byte.to_ascii_uppercase()]) {
        if let Some(is_there) = is_there.get_mut(usize::from(byte)) {
            *is_there = true;
        }
    }
    is_there
}
