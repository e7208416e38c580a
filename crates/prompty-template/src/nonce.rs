//! The random number that marks the structure of a rendered text, and the text of placeholders.
//!
//! A render has one nonce. Its markers, tags and placeholders carry it, and placeholders also have
//! the names of their inputs. The rendered text reveals the nonce. A second render must not use it,
//! because an input of that render could contain it and imitate structure.

use std::fmt;

/// A random number that identifies one render: 8 bytes, as 16 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Nonce {
    digits: [u8; Self::DIGITS],
}

impl Nonce {
    /// The number of hexadecimal digits in a nonce.
    pub const DIGITS: usize = 16;

    /// Makes a nonce from a number. The nonce is only as random as the number.
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

    /// Returns the placeholder of a rich input in a rendered text. The parser replaces it with the
    /// input (§5.3).
    pub fn placeholder(&self, name: &str) -> String {
        format!("{PLACEHOLDER_PREFIX}{}_{name}__", self.as_str())
    }
}

/// The beginning of every placeholder of a rich input (§5.3).
#[doc(hidden)]
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
}
