//! A union has no fields that can be told apart.

use typed_prompty::ToValue;

#[derive(ToValue)]
union Number {
    small: u8,
    large: u64,
}

fn main() {}
