//! Time limits, where there is a clock.

use std::time::Duration;

use repertoire_core::{SourceError, SourceErrorKind};
use tokio::runtime::Handle;

/// The clock of the runtime that a registry was started on; none if it was only loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock<'a>(pub(crate) Option<&'a Handle>);

impl Clock<'_> {
    /// `call`, or an error when it takes longer than `limit`.
    pub(crate) async fn within<O>(
        self,
        limit: Duration,
        call: impl Future<Output = Result<O, SourceError>>,
    ) -> Result<O, SourceError> {
        let Some(runtime) = self.0 else { return call.await };
        let end = {
            // Whoever waits may do so on another runtime, which need not have a clock.
            let _runtime = runtime.enter();
            tokio::time::sleep(limit)
        };
        tokio::select! {
            biased;
            answer = call => answer,
            () = end => {
                let message = format!("it did not answer within {limit:?}");
                Err(SourceError::new(SourceErrorKind::Unavailable, message))
            }
        }
    }
}
