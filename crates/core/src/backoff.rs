//! Pauses between failed attempts.

use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_millis(250);
const LAST: Duration = Duration::from_secs(60);

const SOUND: Duration = Duration::from_secs(60);

/// The attempts to start a process or to open a connection.
///
/// The second attempt may follow at once. The next one follows after 250 ms, and each later one after twice the pause, up to
/// a minute. An attempt that lasted for a minute and its pause resets the count.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use repertoire_core::Backoff;
///
/// let (mut attempts, now) = (Backoff::default(), Instant::now());
/// assert_eq!(attempts.begin(now), Ok(()));
/// assert_eq!(attempts.begin(now), Ok(()));
/// assert_eq!(attempts.begin(now), Err(Duration::from_millis(250)));
/// ```
#[derive(Debug, Default)]
pub struct Backoff {
    last: Option<Instant>,
    pause: Duration,
}

impl Backoff {
    /// Starts an attempt.
    ///
    /// # Errors
    /// The time to wait, if it is too soon. No attempt has started then.
    pub fn begin(&mut self, now: Instant) -> Result<(), Duration> {
        let wait = self.wait(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        let is_retry = self
            .last
            .is_some_and(|last| now.duration_since(last) < SOUND + self.pause);
        self.pause = if is_retry {
            Backoff::pause_after(self.pause)
        } else {
            Duration::ZERO
        };
        self.last = Some(now);
        Ok(())
    }

    /// Returns the time to wait before another attempt.
    pub fn wait(&self, now: Instant) -> Duration {
        self.last.map_or(Duration::ZERO, |last| {
            self.pause.saturating_sub(now.duration_since(last))
        })
    }

    /// Returns the pause that follows a pause: twice as long, at least 250 ms and at most a minute.
    pub fn pause_after(pause: Duration) -> Duration {
        (pause * 2).clamp(FIRST, LAST)
    }
}

#[cfg(test)]
mod tests;
