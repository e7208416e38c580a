//! The formats that are checked, which are those with an unambiguous definition. Formats of strings
//! come from JSON Schema, formats of numbers from OpenAPI and Rust.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::schema::Decimal;
use crate::value::Value;

/// The formats of integers, with their minimum and maximum.
const INTEGER_FORMATS: [(&str, i128, i128); 8] = [
    ("int8", i8::MIN as i128, i8::MAX as i128),
    ("int16", i16::MIN as i128, i16::MAX as i128),
    ("int32", i32::MIN as i128, i32::MAX as i128),
    ("int64", i64::MIN as i128, i64::MAX as i128),
    ("uint8", 0, u8::MAX as i128),
    ("uint16", 0, u16::MAX as i128),
    ("uint32", 0, u32::MAX as i128),
    ("uint64", 0, u64::MAX as i128),
];

/// Formats of numbers that all numbers match.
const NUMBER_FORMATS: [&str; 2] = ["float", "double"];

/// Whether a format is checked.
pub(in crate::schema) fn is_format(name: &str) -> bool {
    let is_of_integers = INTEGER_FORMATS.iter().any(|(known, ..)| *known == name);
    is_of_integers || NUMBER_FORMATS.contains(&name) || matches(name, "").is_some()
}

/// The minimum and maximum of a format; `None` if it is not a format of integers.
pub(super) fn bounds(format: &str) -> Option<(Decimal, Decimal)> {
    let (_, least, most) = INTEGER_FORMATS.iter().find(|(known, ..)| *known == format)?;
    let number = |number: i128| Decimal::from_value(&Value::from(number));
    Some((number(*least)?, number(*most)?))
}

/// Whether a text matches a format; `None` for a format that is not checked.
pub(super) fn matches(format: &str, text: &str) -> Option<bool> {
    Some(match format {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => {
            let parts = text.split_once(['T', 't', ' ']);
            parts.is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        "uuid" => is_uuid(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        _ => return None,
    })
}

/// A number of exactly this many digits.
fn parse_digits(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A calendar date (RFC 3339): `2024-02-29`.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut next = |digits| parse_digits(parts.next()?, digits);
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A time with its offset from UTC (RFC 3339): `23:59:60Z`, `08:00:00.5+02:00`.
fn is_time(text: &str) -> bool {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (time, zone) = text.split_at(at);
    let zone = match zone.strip_prefix(['+', '-']) {
        Some(offset) => minutes(offset),
        None if zone.len() == 1 => Some(0),
        None => None,
    };
    let (time, fraction) = time.split_once('.').map_or((time, "0"), |(time, rest)| (time, rest));
    let has_digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let Some((time, seconds)) = time.rsplit_once(':') else { return false };
    // A leap second is allowed.
    let has_seconds = parse_digits(seconds, 2).is_some_and(|seconds| seconds <= 60);
    has_digits && has_seconds && zone.is_some() && minutes(time).is_some()
}

/// Hours and minutes, as minutes.
fn minutes(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes) = (parse_digits(hours, 2)?, parse_digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(6, '-').collect();
    let is_part = |(part, length): (&&str, usize)| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    parts.len() == 5 && parts.iter().zip([8, 4, 4, 4, 12]).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_format_matches_its_definition() {
        for (format, right, wrong) in [
            ("date", "2024-02-29", "2023-02-29"),
            ("date", "2000-12-31", "1900-02-29"),
            ("date", "2024-01-01", "2024-1-1"),
            ("time", "23:59:60Z", "24:00:00Z"),
            ("time", "08:00:00.25+02:00", "08:00:00"),
            ("time", "08:00:00-00:00", "08:00:00.Z"),
            ("date-time", "2024-02-29T08:00:00Z", "2024-02-29"),
            ("uuid", "123e4567-E89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"),
            ("ipv4", "127.0.0.1", "127.0.0.256"),
            ("ipv6", "::1", "1::2::3"),
        ] {
            assert_eq!(matches(format, right), Some(true), "{format} {right}");
            assert_eq!(matches(format, wrong), Some(false), "{format} {wrong}");
        }
        assert_eq!(matches("email", "x"), None);
    }
}
