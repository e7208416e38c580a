//! A pool of nonces: one call to the operating system draws many of them.

use std::fmt;
use std::sync::Mutex;

use super::Nonce;
use prompty_core::error::Error;

/// The number of nonces that one call draws.
const DRAWN_TOGETHER: usize = 32;

/// A pool of nonces. Each is returned once.
///
/// A call to the operating system takes a quarter of the time of rendering a short prompt, however
/// few bytes it returns.
///
/// After a fork, both processes have the same pool and would return the same nonces. So a service
/// that forks must create its pipelines after the fork.
#[derive(Default)]
pub(crate) struct NoncePool {
    numbers: Mutex<Vec<u64>>,
}

impl NoncePool {
    /// Takes a nonce that is not returned again.
    pub(crate) fn take(&self) -> Result<Nonce, Error> {
        // A thread that would have to wait for the lock draws its own nonce instead. So does every
        // thread after a panic of one that had the lock.
        let Ok(mut numbers) = self.numbers.try_lock() else { return super::random_nonce() };
        if numbers.is_empty() {
            // A nonce has 8 bytes.
            let mut bytes = [0; DRAWN_TOGETHER * 8];
            super::fill_random(&mut bytes)?;
            numbers.extend(bytes.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
        }
        // The pool is not empty here.
        numbers.pop().map_or_else(super::random_nonce, |number| Ok(Nonce::from_number(number)))
    }
}

/// The nonces in the pool are secret, so they are not shown.
impl fmt::Debug for NoncePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nonces")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{DRAWN_TOGETHER, NoncePool};

    #[test]
    fn each_nonce_is_returned_once_across_threads() {
        let pool = NoncePool::default();
        let draw = || (0..3 * DRAWN_TOGETHER).map(|_| pool.take().unwrap().to_string()).collect();
        let drawn: Vec<Vec<String>> = std::thread::scope(|scope| {
            let threads = [scope.spawn(draw), scope.spawn(draw)];
            threads.map(|thread| thread.join().unwrap()).into()
        });
        let all: Vec<String> = drawn.concat();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }
}
