//! Times as people read them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time between two times in milliseconds since 1970, such as `3 min ago`.
pub(super) fn age(then: u64, now: u64) -> String {
    let seconds = now.saturating_sub(then) / 1000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Returns a time in milliseconds since 1970.
pub(super) fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_one_unit() {
        let ages = [0, 59_999, 60_000, 7_200_000, 200_000_000].map(|then| age(0, then));
        let expected = ["0 s ago", "59 s ago", "1 min ago", "2 h ago", "2 d ago"];
        assert_eq!(ages, expected);
        assert_eq!(age(5_000, 0), "0 s ago");
    }
}
