//! Distinguishes the structure of a render from text that imitates it.
//!
//! Each render draws a [`Nonce`]. The role markers of the template carry it (`user[nonce=…]:`), and
//! so do the placeholders of threads, images, files and sounds. [`Rendered`] contains the text with
//! the nonce and the values of the placeholders, so that a parser needs nothing else.
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::message; pub use prompty_runtime::nonce; }
//! use typed_prompty::message::Message;
//! use typed_prompty::nonce::{Markers, Nonce, Rendered, Rich};
//!
//! let nonce = Nonce::from_number(0xab);
//! let placeholder = nonce.placeholder("history");
//! let text = format!("user[nonce={nonce}]:\nuser:\n{placeholder}");
//! let history = Rich::Thread(vec![Message::user("Hi")]);
//! let rendered = Rendered::new(text, nonce.clone(), vec![(placeholder, history)]);
//! // The second `user:` has no nonce, so it is text.
//! assert_eq!(rendered.markers(), &Markers::Carrying(nonce));
//! assert_eq!(rendered.plain_text().lines().next(), Some("user:"));
//! ```

#[doc(hidden)]
pub mod marker;
#[cfg(feature = "render")]
mod pool;
mod rendered;
#[doc(hidden)]
pub mod tag;

use std::fmt;

#[cfg(feature = "render")]
pub(crate) use pool::NoncePool;
pub use rendered::{Markers, Rendered, Rich};

/// A random number that identifies one render: 8 bytes from the operating system, as 16 hexadecimal
/// digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Nonce {
    digits: [u8; Self::DIGITS],
}

impl Nonce {
    /// The number of hexadecimal digits in a nonce.
    pub const DIGITS: usize = 16;

    /// Draws a new nonce.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Random`](prompty_core::error::ErrorKind::Random) if the operating system gives
    /// no random bytes.
    #[cfg(feature = "render")]
    pub fn random() -> Result<Self, prompty_core::error::Error> {
        let mut bytes = [0; 8];
        fill_random(&mut bytes)?;
        Ok(Self::from_number(u64::from_ne_bytes(bytes)))
    }

    /// Makes a nonce from a number. This is for tests, since the nonce is only as random as the
    /// number.
    pub fn from_number(number: u64) -> Self {
        let mut digits = [0; Self::DIGITS];
        for (index, digit) in digits.iter_mut().enumerate() {
            let half = (number >> (4 * (Self::DIGITS - 1 - index)) & 0xf) as u8;
            *digit = if half < 10 { b'0' + half } else { b'a' + half - 10 };
        }
        Self { digits }
    }

    /// The digits, in lower case.
    pub fn as_str(&self) -> &str {
        // The digits are ASCII by construction.
        std::str::from_utf8(&self.digits).unwrap_or_default()
    }

    /// The placeholder of a rich input in a rendered text. The parser replaces it by the input
    /// (§5.3).
    pub fn placeholder(&self, name: &str) -> String {
        format!("{PLACEHOLDER_PREFIX}{}_{name}__", self.as_str())
    }
}

/// Fills a buffer with random bytes from the operating system.
#[cfg(feature = "render")]
fn fill_random(bytes: &mut [u8]) -> Result<(), prompty_core::error::Error> {
    use rand::TryRng;

    rand::rngs::SysRng.try_fill_bytes(bytes).map_err(|cause| {
        let message = "the operating system gave no random bytes";
        prompty_core::error::Error::new(prompty_core::error::ErrorKind::Random, message)
            .with_source(cause.to_string())
    })
}

/// The beginning of every placeholder of a rich input (§5.3).
pub const PLACEHOLDER_PREFIX: &str = "__PROMPTY_THREAD_";

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nonce({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Nonce;

    #[test]
    fn a_nonce_is_sixteen_hexadecimal_digits() {
        assert_eq!(Nonce::from_number(0x00a1_b2c3_0405_f678).as_str(), "00a1b2c30405f678");
        let nonce = Nonce::from_number(1);
        assert_eq!(nonce.placeholder("h"), "__PROMPTY_THREAD_0000000000000001_h__");
    }

    #[cfg(feature = "render")]
    #[test]
    fn two_nonces_differ() -> Result<(), prompty_core::Error> {
        assert_ne!(Nonce::random()?, Nonce::random()?);
        Ok(())
    }
}
