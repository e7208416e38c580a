//! Distinguishes the structure of a render from text that imitates it.
//!
//! Each render draws a [`Nonce`]. The role markers of the template carry it (`user[nonce=…]:`), and
//! so do the placeholders of threads, images, files and audio. [`Rendered`] contains the text with
//! the nonce, and the values of the placeholders.
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

mod pool;
mod rendered;

pub(crate) use pool::NoncePool;
pub use prompty_template::nonce::{Nonce, PLACEHOLDER_PREFIX};
pub(crate) use rendered::RichWithRoles;
pub(crate) use rendered::TextRules;
pub use rendered::{Markers, Rendered, Rich};

use prompty_core::error::{Error, ErrorKind};

/// Draws a nonce: 8 random bytes of the operating system.
///
/// # Errors
///
/// Returns [`ErrorKind::Random`] if the operating system does not provide random bytes.
#[doc(hidden)]
pub fn random_nonce() -> Result<Nonce, Error> {
    let mut bytes = [0; 8];
    fill_random(&mut bytes)?;
    Ok(Nonce::from_number(u64::from_ne_bytes(bytes)))
}

/// Fills a buffer with random bytes from the operating system.
fn fill_random(bytes: &mut [u8]) -> Result<(), Error> {
    use rand::TryRng;

    rand::rngs::SysRng.try_fill_bytes(bytes).map_err(|cause| {
        let message = "the operating system did not provide random bytes";
        Error::new(ErrorKind::Random, message).with_source(cause.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::random_nonce;

    #[test]
    fn two_nonces_differ() -> Result<(), prompty_core::Error> {
        assert_ne!(random_nonce()?, random_nonce()?);
        Ok(())
    }
}
