//! How much running may take.

use std::time::Duration;

/// How much running what one body asks for may take.
///
/// ```
/// use std::time::Duration;
/// use repertoire_render::Limits;
///
/// let mut limits = Limits::default();
/// limits.timeout = Duration::from_secs(120);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// For each of them, until it is asked to end. 10 seconds, as Cortex has it.
    pub timeout: Duration,
    /// From being asked until it is made to. 2 seconds.
    pub grace: Duration,
    /// For all of them together; what has not begun by then does not. 60 seconds.
    pub total: Duration,
    /// How many bytes of its standard output are kept of each. 64 KiB.
    pub stdout: usize,
    /// The same of its standard error. 16 KiB.
    pub stderr: usize,
    /// How many run at the same time. 4.
    pub concurrent: usize,
    /// How many a body may have; those behind do not run. 16.
    pub directives: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            timeout: Duration::from_secs(10),
            grace: Duration::from_secs(2),
            total: Duration::from_secs(60),
            stdout: 64 * 1024,
            stderr: 16 * 1024,
            concurrent: 4,
            directives: 16,
        }
    }
}
