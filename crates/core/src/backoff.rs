//! How soon something that did not last is tried again.

use std::time::{Duration, Instant};

/// The first wait; doubled up to the last.
const FIRST: Duration = Duration::from_millis(250);
const LAST: Duration = Duration::from_secs(60);

/// What lasted so long did not fail to begin.
const SOUND: Duration = Duration::from_secs(60);

/// When something was last tried, a process or a connection of a source, and how often that did not last.
///
/// The second try may come at once, for accidents happen; the next one after 250 ms, and each later one after twice the
/// wait, up to a minute. What lasted for a minute and its wait is forgiven.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use repertoire_core::Backoff;
///
/// let (mut tries, now) = (Backoff::default(), Instant::now());
/// assert_eq!(tries.begin(now), Ok(()));
/// assert_eq!(tries.begin(now), Ok(()));
/// assert_eq!(tries.begin(now), Err(Duration::from_millis(250)));
/// ```
#[derive(Debug, Default)]
pub struct Backoff {
    last: Option<Instant>,
    short: u32,
}

impl Backoff {
    /// Begins another try.
    ///
    /// # Errors
    /// How long to wait with it, if it is too soon; no try has begun then.
    pub fn begin(&mut self, now: Instant) -> Result<(), Duration> {
        let wait = self.wait(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        match self.last {
            Some(last) if now.duration_since(last) < SOUND + self.pause() => self.short = self.short.saturating_add(1),
            _ => self.short = 0,
        }
        self.last = Some(now);
        Ok(())
    }

    /// How long to wait with another try.
    pub fn wait(&self, now: Instant) -> Duration {
        self.last.map_or(Duration::ZERO, |last| self.pause().saturating_sub(now.duration_since(last)))
    }

    fn pause(&self) -> Duration {
        match self.short {
            0 => Duration::ZERO,
            short => (FIRST * 2_u32.saturating_pow(short - 1).min(1 << 16)).min(LAST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test needs some moment to count from")]
    fn some_moment() -> Instant {
        Instant::now()
    }

    #[test]
    fn what_does_not_last_is_tried_later_each_time() {
        let (mut tries, mut now) = (Backoff::default(), some_moment());
        let mut waits = Vec::new();
        for _ in 0..12 {
            if let Err(wait) = tries.begin(now) {
                assert_eq!(tries.wait(now), wait);
                now += wait;
                tries.begin(now).expect("the wait is over");
                waits.push(wait.as_millis());
            }
        }
        assert_eq!(waits, [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    }

    #[test]
    fn what_lasted_is_tried_at_once() {
        let (mut tries, now) = (Backoff::default(), some_moment());
        for _ in 0..3 {
            let _ = tries.begin(now);
        }
        assert!(!tries.wait(now).is_zero());
        let later = now + SOUND * 3;
        tries.begin(later).expect("it lasted");
        tries.begin(later).expect("the first failure after that is forgiven");
    }
}
