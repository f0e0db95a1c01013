//! How soon a process that ended is started again.

use std::time::{Duration, Instant};

/// The first wait; doubled up to the last.
const FIRST: Duration = Duration::from_millis(250);
const LAST: Duration = Duration::from_secs(60);

/// A process that lived so long did not fail to start.
const SOUND: Duration = Duration::from_secs(60);

/// When a process was last started, and how often that did not last.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    last: Option<Instant>,
    short: u32,
}

impl Backoff {
    /// Begins another start, or says how long to wait with it.
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

    /// Whether another start may begin.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.wait(now).is_zero()
    }

    fn wait(&self, now: Instant) -> Duration {
        self.last.map_or(Duration::ZERO, |last| self.pause().saturating_sub(now.duration_since(last)))
    }

    /// The second start comes at once: accidents happen.
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
    fn a_process_that_ends_soon_is_started_later_each_time() {
        let (mut starts, mut now) = (Backoff::default(), Instant::now());
        let mut waits = Vec::new();
        for _ in 0..12 {
            if let Err(wait) = starts.begin(now) {
                assert!(!starts.is_due(now));
                now += wait;
                starts.begin(now).expect("the wait is over");
                waits.push(wait.as_millis());
            }
        }
        assert_eq!(waits, [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    }

    #[test]
    fn a_process_that_lived_long_is_started_at_once() {
        let (mut starts, now) = (Backoff::default(), Instant::now());
        for _ in 0..3 {
            let _ = starts.begin(now);
        }
        assert!(!starts.is_due(now));
        let later = now + SOUND * 3;
        starts.begin(later).expect("it lived long");
        starts.begin(later).expect("the first failure after that is forgiven");
    }
}
