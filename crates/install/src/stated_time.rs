//! Times that content states of itself.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the time at a number of seconds since 1970. Zero is what tools write that know no time.
pub(crate) fn time_of(seconds: u64) -> Option<SystemTime> {
    let since = (seconds > 0).then(|| Duration::from_secs(seconds));
    UNIX_EPOCH.checked_add(since?)
}

/// Parses a time of RFC 3339, such as `2026-11-30T02:33:42.5+01:00`. Fractions of a second are ignored.
#[cfg(feature = "http")]
pub(crate) fn parse_time(text: &str) -> Option<SystemTime> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers(date, '-')?;
    let at = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at(at);
    let clock = clock.split('.').next().unwrap_or_default();
    let [hour, minute, second] = numbers(clock, ':')?;
    let offset = match zone.split_at(1) {
        ("Z" | "z", "") => 0,
        (sign @ ("+" | "-"), zone) => {
            let [hours, minutes, _] = numbers(&format!("{zone}:00"), ':')?;
            let seconds = hours * 3600 + minutes * 60;
            if sign == "-" { -seconds } else { seconds }
        }
        _ => return None,
    };
    let is_valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    time_of(u64::try_from(seconds).ok().filter(|_| is_valid)?)
}

/// Parses three numbers without signs.
#[cfg(feature = "http")]
fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let numbers = text.split(separator).map(|number| {
        let is_plain = number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit());
        number.parse().ok().filter(|_| is_plain)
    });
    let numbers: Option<Vec<i64>> = numbers.collect();
    numbers?.try_into().ok()
}

/// Returns the days between a date and 1970.
#[cfg(feature = "http")]
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that a leap day is the last one: <https://howardhinnant.github.io/date_algorithms.html>
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn times_of_registries_are_parsed() {
        for (text, seconds) in [
            ("1970-01-01T00:00:01Z", Some(1)),
            ("2000-02-29T00:00:00Z", Some(951_782_400)),
            ("2024-02-29T23:59:59.123456789Z", Some(1_709_251_199)),
            ("2026-11-30T20:20:47+01:00", Some(1_796_066_447)),
            ("2026-11-30 13:50:47-05:30", Some(1_796_066_447)),
            ("1970-01-01T00:00:00Z", None),
            ("0001-01-01T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-11-30T24:00:00Z", None),
            ("2026-11-30T00:00:00", None),
            ("2026-11-30", None),
            ("2026-+1-30T00:00:00Z", None),
            ("99999-11-30T00:00:00Z", None),
            ("2026-11-30T00:00:00Zé", None),
            ("2026-11-30T00:00:00Z01:00", None),
            ("", None),
        ] {
            assert_eq!(parse_time(text), seconds.and_then(time_of), "{text}");
        }
    }
}
