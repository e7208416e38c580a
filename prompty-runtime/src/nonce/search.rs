//! Finds a render's own texts in what it rendered, which may be megabytes of input.

/// How many bytes are looked at together: enough for the compiler to use wide registers.
const BLOCK: usize = 64;

/// Where a byte stands in a text, in order.
///
/// Looking for a byte that is rare in prose and then at what stands around it takes a fraction of
/// the time of a search for the whole text.
pub(crate) fn positions(text: &str, byte: u8) -> impl Iterator<Item = usize> {
    let blocks = text.as_bytes().chunks(BLOCK).enumerate();
    let holding = blocks.filter(move |(_, block)| holds(block, byte));
    holding.flat_map(move |(index, block)| {
        let found = block.iter().enumerate().filter(move |(_, it)| **it == byte);
        found.map(move |(offset, _)| index * BLOCK + offset)
    })
}

/// No early return: a whole block takes no longer than a branch for each byte would.
fn holds(block: &[u8], byte: u8) -> bool {
    let any = |block: &[u8]| block.iter().fold(false, |found, it| found | (*it == byte));
    match block.first_chunk::<BLOCK>() {
        Some(whole) => any(whole),
        None => any(block),
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, positions};

    #[test]
    fn every_place_is_found_once_and_in_order() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let text: String = (0..length).map(|it| if it % 5 == 3 { '[' } else { 'x' }).collect();
            let expected: Vec<usize> = text.match_indices('[').map(|(at, _)| at).collect();
            assert_eq!(positions(&text, b'[').collect::<Vec<_>>(), expected, "{length}");
        }
    }
}
