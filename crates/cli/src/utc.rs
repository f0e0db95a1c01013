//! Times as people read them.

/// Returns a time in milliseconds since 1970 as a date and a time in UTC.
pub(crate) fn utc(milliseconds: u64) -> String {
    let (days, seconds) = (milliseconds / 86_400_000, milliseconds / 1000 % 86_400);
    // Years begin in March, so that a leap day is the last one: <https://howardhinnant.github.io/date_algorithms.html>
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn a_time_is_shown_in_utc() {
        for (milliseconds, expected) in [
            (0, "1970-01-01 00:00:00Z"),
            (951_782_400_000, "2000-02-29 00:00:00Z"),
            (1_709_251_199_999, "2024-02-29 23:59:59Z"),
            (1_796_066_447_000, "2026-11-30 19:20:47Z"),
        ] {
            assert_eq!(utc(milliseconds), expected);
        }
    }
}
