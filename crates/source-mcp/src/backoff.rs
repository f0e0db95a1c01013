//! How soon a server is tried again.

use std::time::Duration;

use tokio::time::Instant;

/// The first wait; doubled up to the last.
const FIRST: Duration = Duration::from_millis(250);
const LAST: Duration = Duration::from_secs(60);

/// A connection that lasted so long did not fail to begin.
const SOUND: Duration = Duration::from_secs(60);

/// When a server was last tried, and how often that did not last.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    last: Option<Instant>,
    short: u32,
}

impl Backoff {
    /// Begins another try, or says how long to wait with it.
    pub(crate) fn begin(&mut self, now: Instant) -> Result<(), Duration> {
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
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        self.last.map_or(Duration::ZERO, |last| self.pause().saturating_sub(now.duration_since(last)))
    }

    /// The second try comes at once: accidents happen.
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

    #[test]
    fn a_server_that_does_not_last_is_tried_later_each_time() {
        let (mut tries, mut now) = (Backoff::default(), Instant::now());
        let mut waits = Vec::new();
        for _ in 0..12 {
            if let Err(wait) = tries.begin(now) {
                now += wait;
                tries.begin(now).expect("the wait is over");
                waits.push(wait.as_millis());
            }
        }
        assert_eq!(waits, [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    }

    #[test]
    fn a_server_that_lasted_is_tried_at_once() {
        let (mut tries, now) = (Backoff::default(), Instant::now());
        for _ in 0..3 {
            let _ = tries.begin(now);
        }
        assert!(!tries.wait(now).is_zero());
        tries.begin(now + SOUND * 3).expect("it lasted");
        tries.begin(now + SOUND * 3).expect("the first failure after that is forgiven");
    }
}
