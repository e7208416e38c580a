//! Nonces in advance: one question to the operating system for many of them.

use std::fmt;
use std::sync::Mutex;

use super::Nonce;
use prompty_core::error::Error;

/// How many nonces are asked for together.
const SUPPLY: usize = 32;

/// A supply of nonces, each given out once.
///
/// A question to the operating system takes a quarter of a short prompt's time, however few bytes it
/// is for.
#[derive(Default)]
pub(crate) struct Supply {
    numbers: Mutex<Vec<u64>>,
}

impl Supply {
    /// A nonce that nobody had before.
    ///
    /// # Errors
    ///
    /// As [`Nonce::random`].
    pub(crate) fn nonce(&self) -> Result<Nonce, Error> {
        // Whoever would have to wait for another thread asks for itself.
        let Ok(mut numbers) = self.numbers.try_lock() else { return Nonce::random() };
        if numbers.is_empty() {
            let mut bytes = [0; SUPPLY * 8];
            super::fill_random(&mut bytes)?;
            numbers.extend(bytes.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
        }
        numbers.pop().map_or_else(Nonce::random, |number| Ok(Nonce::from_number(number)))
    }
}

/// What is still to be given out is a secret.
impl fmt::Debug for Supply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nonces")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{SUPPLY, Supply};

    #[test]
    fn no_nonce_is_given_twice_whatever_thread_asks() {
        let supply = Supply::default();
        let draw = || (0..3 * SUPPLY).map(|_| supply.nonce().unwrap().to_string()).collect();
        let drawn: Vec<Vec<String>> = std::thread::scope(|scope| {
            let threads = [scope.spawn(draw), scope.spawn(draw)];
            threads.map(|thread| thread.join().unwrap()).into()
        });
        let all: Vec<String> = drawn.concat();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }
}
