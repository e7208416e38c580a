//! Finds a render's own texts in what it rendered, which may be megabytes of input.

/// How many bytes are looked at together: enough for the compiler to use wide registers.
const BLOCK: usize = 64;

/// Where a byte stands in a text, in order.
///
/// Looking for a byte that is rare in prose and then at what stands around it takes a fraction of
/// the time of a search for the whole text.
pub(crate) fn positions(text: &str, byte: u8) -> impl Iterator<Item = usize> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(done..)?;
        let (blocks, _) = rest.as_chunks::<BLOCK>();
        let without = blocks.iter().take_while(|block| !holds(block, byte)).count();
        let skipped = without * BLOCK;
        let offset = rest.get(skipped..)?.iter().position(|it| *it == byte)?;
        let found = done + skipped + offset;
        done = found + 1;
        Some(found)
    })
}

/// No early return: a whole block takes less time than a branch for each byte would.
fn holds(block: &[u8; BLOCK], byte: u8) -> bool {
    block.iter().fold(false, |found, it| found | (*it == byte))
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, positions};

    #[test]
    fn every_place_is_found_once_and_in_order() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            for step in [1, 5, BLOCK] {
                let byte = |index| if index % step == step - 1 { '[' } else { 'x' };
                let text: String = (0..length).map(byte).collect();
                let expected: Vec<usize> = text.match_indices('[').map(|(at, _)| at).collect();
                assert_eq!(positions(&text, b'[').collect::<Vec<_>>(), expected, "{length}");
            }
        }
    }
}
