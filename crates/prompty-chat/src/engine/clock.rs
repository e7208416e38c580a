//! `strftime_now`: formats a time like Python's `strftime`.

use std::fmt;

use super::text::string;

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The cost of a directive of `strftime`, in steps.
pub(super) const DIRECTIVE_STEPS: usize = 4;

/// The seconds since 1970 by the system's clock.
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or_default())
}

/// A point in time, with its calendar fields.
struct Moment {
    /// Since 1970.
    seconds: i64,
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// From 0, which is Sunday.
    weekday: i64,
    /// From 0, which is January 1.
    yearday: i64,
}

impl Moment {
    fn at(seconds: i64) -> Self {
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let yearday = days - days_before(year);
        Self {
            seconds,
            year,
            month,
            day,
            hour: rest / 3_600,
            minute: rest / 60 % 60,
            second: rest % 60,
            // January 1, 1970 was a Thursday, 4.
            weekday: (days + 4).rem_euclid(7),
            yearday,
        }
    }

    fn days_since_monday(&self) -> i64 {
        (self.weekday + 6) % 7
    }
}

/// The year, month and day of a day that is counted from January 1, 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is the last one. Days are counted from
    // March 1 of the year 0. An era is 400 years, which is 146,097 days. Five months have 153 days.
    // A leap day follows every 1,460 days (4 years), but not every 36,524 days (100 years), and
    // again every 146,096 days (400 years).
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// The days from 1970 up to a year. From the year 1 up to 1970, there are 719,162.
fn days_before(year: i64) -> i64 {
    let years = year - 1;
    years * 365 + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400) - 719_162
}

/// Formats a time in seconds since 1970 with a format such as `%Y-%m-%d`.
pub(super) fn format(seconds: i64, form: &str) -> String {
    string(|out| write(seconds, form, out))
}

/// Like [`format`](fn@format), but writes to `out`.
pub(super) fn write(seconds: i64, form: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    write_form(&Moment::at(seconds), form, out)
}

fn name(names: &'static [&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}

/// Writes a format. A directive is `%`, then possibly `-` for a number without leading zeros, and a
/// letter.
fn write_form(moment: &Moment, form: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut characters = form.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.write_char(character)?;
            continue;
        }
        let mut directive = characters.next();
        let is_bare = directive == Some('-');
        if is_bare {
            directive = characters.next();
        }
        let Some(directive) = directive else {
            return out.write_char('%');
        };
        write_directive(moment, directive, is_bare, out)?;
    }
    Ok(())
}

/// Writes the field of a directive. `is_bare` is for numbers without leading zeros.
fn write_directive(
    moment: &Moment,
    directive: char,
    is_bare: bool,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let mut number = |number: i64, width: usize| {
        let width = if is_bare { 0 } else { width };
        write!(out, "{number:0width$}")
    };
    let hour_of_12 = if moment.hour % 12 == 0 { 12 } else { moment.hour % 12 };
    let since_monday = moment.days_since_monday();
    let (iso_year, iso_week) = iso_week(moment);
    match directive {
        'Y' => number(moment.year, 4),
        'y' => number(moment.year.rem_euclid(100), 2),
        'C' => number(moment.year.div_euclid(100), 2),
        'm' => number(moment.month, 2),
        'd' => number(moment.day, 2),
        'H' => number(moment.hour, 2),
        'I' => number(hour_of_12, 2),
        'M' => number(moment.minute, 2),
        'S' => number(moment.second, 2),
        'f' => number(0, 6),
        'j' => number(moment.yearday + 1, 3),
        'w' => number(moment.weekday, 1),
        'u' => number(since_monday + 1, 1),
        'U' => number((moment.yearday + 7 - moment.weekday) / 7, 2),
        'W' => number((moment.yearday + 7 - since_monday) / 7, 2),
        'V' => number(iso_week, 2),
        'G' => number(iso_year, 4),
        's' => number(moment.seconds, 1),
        'e' if is_bare => number(moment.day, 1),
        'e' => write!(out, "{:2}", moment.day),
        'k' => write!(out, "{:2}", moment.hour),
        'l' => write!(out, "{hour_of_12:2}"),
        'B' => out.write_str(name(&MONTHS, moment.month - 1)),
        'b' | 'h' => write!(out, "{:.3}", name(&MONTHS, moment.month - 1)),
        'A' => out.write_str(name(&DAYS, moment.weekday)),
        'a' => write!(out, "{:.3}", name(&DAYS, moment.weekday)),
        'p' => out.write_str(if moment.hour < 12 { "AM" } else { "PM" }),
        'P' => out.write_str(if moment.hour < 12 { "am" } else { "pm" }),
        'n' => out.write_char('\n'),
        't' => out.write_char('\t'),
        '%' => out.write_char('%'),
        'D' | 'x' => write_form(moment, "%m/%d/%y", out),
        'F' => write_form(moment, "%Y-%m-%d", out),
        'T' | 'X' => write_form(moment, "%H:%M:%S", out),
        'R' => write_form(moment, "%H:%M", out),
        'r' => write_form(moment, "%I:%M:%S %p", out),
        'c' => write_form(moment, "%a %b %e %H:%M:%S %Y", out),
        // A time without a zone has no name or offset of a zone.
        'Z' | 'z' => Ok(()),
        other => {
            out.write_char('%')?;
            out.write_char(other)
        }
    }
}

/// The year and week of a day by ISO 8601. The first week of a year contains its first Thursday.
fn iso_week(moment: &Moment) -> (i64, i64) {
    let since_monday = moment.days_since_monday();
    // A week belongs to the year of its Thursday, which is the day `yearday - since_monday + 3`.
    // Counted from 1, the week is that day divided by 7, plus 1.
    let week = (moment.yearday - since_monday + 10).div_euclid(7);
    let weeks_of = |year: i64| {
        // The weekday of January 1, from Monday. In 1970 it was a Thursday, 3.
        let first = (days_before(year) + 3).rem_euclid(7);
        let is_leap = days_before(year + 1) - days_before(year) == 366;
        if first == 3 || (first == 2 && is_leap) { 53 } else { 52 }
    };
    match week {
        0 => (moment.year - 1, weeks_of(moment.year - 1)),
        week if week > weeks_of(moment.year) => (moment.year + 1, 1),
        week => (moment.year, week),
    }
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn a_time_is_formatted_like_in_python() {
        let noon = 1_736_942_400; // 2025-01-15 12:00:00
        assert_eq!(format(noon, "%Y-%m-%d %H:%M:%S"), "2025-01-15 12:00:00");
        assert_eq!(format(noon, "%d %b %Y, %A %-d %B"), "15 Jan 2025, Wednesday 15 January");
        assert_eq!(format(noon, "%I:%M %p %j %U %W %V %G"), "12:00 PM 015 02 02 03 2025");
        assert_eq!(format(0, "%a %F %T"), "Thu 1970-01-01 00:00:00");
        assert_eq!(format(-1, "%F"), "1969-12-31");
        assert_eq!(format(951_782_400, "%F %j"), "2000-02-29 060");
    }
}
