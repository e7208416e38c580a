//! Finds a render's own texts in what it rendered, which may be megabytes of input.

/// Where a byte stands in a text, in order.
///
/// Looking for a byte that is rare in prose and then at what stands around it takes a fraction of
/// the time of a search for the whole text.
pub(crate) fn positions(text: &str, byte: u8) -> impl Iterator<Item = usize> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(done..)?;
        let rest = skip::<16>(skip::<64>(rest, byte), byte);
        let offset = rest.iter().position(|it| *it == byte)?;
        let found = text.len() - rest.len() + offset;
        done = found + 1;
        Some(found)
    })
}

/// What is left behind the leading blocks of `N` bytes in which a byte does not stand.
fn skip<const N: usize>(bytes: &[u8], byte: u8) -> &[u8] {
    // No early return: a whole block in wide registers takes less time than a branch for each byte.
    let holds = |block: &[u8; N]| block.iter().fold(false, |found, it| found | (*it == byte));
    let mut rest = bytes;
    while let Some((block, behind)) = rest.split_first_chunk::<N>()
        && !holds(block)
    {
        rest = behind;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::positions;

    #[test]
    fn every_place_is_found_once_and_in_order() {
        for length in [0, 1, 15, 16, 63, 64, 65, 80, 199] {
            for step in [1, 5, 17, 64] {
                let byte = |index| if index % step == step - 1 { '[' } else { 'x' };
                let text: String = (0..length).map(byte).collect();
                let expected: Vec<usize> = text.match_indices('[').map(|(at, _)| at).collect();
                assert_eq!(positions(&text, b'[').collect::<Vec<_>>(), expected, "{length}");
            }
        }
    }
}
