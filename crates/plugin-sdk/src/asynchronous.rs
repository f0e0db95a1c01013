//! A [`Source`] as [`Documents`].

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use repertoire_core::{
    Diagnostic, Id, Resource, ResourcePath, Revision, Skill, Source, SourceError, SourceErrorKind,
};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::front_matter::front_matter;
use crate::message::{DocumentBody, DocumentListing, DocumentRow, PluginDiagnostic};
use crate::{Documents, Open, Pause, PluginConfig};

#[doc(hidden)]
#[derive(Debug)]
pub struct Asynchronous<S> {
    source: Arc<S>,
    cancelled: watch::Sender<u64>,
    /// Shut down in the background, so that dropping the source does not wait for its tasks.
    runtime: Option<Runtime>,
}

impl<S> Drop for Asynchronous<S> {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl<S: Source<Skill>> Asynchronous<S> {
    /// Returns the result of `call`, or an error if the host cancels it.
    fn run<O>(&self, call: impl Future<Output = Result<O, SourceError>>) -> Result<O, SourceError> {
        let mut cancelled = self.cancelled.subscribe();
        let runtime = self.runtime.as_ref().expect("taken by `drop` alone");
        runtime.block_on(async {
            match select(std::pin::pin!(call), std::pin::pin!(cancelled.changed())).await {
                Either::Left((done, _)) => done,
                Either::Right(_) => Err(SourceError::new(
                    SourceErrorKind::Unavailable,
                    "the host cancelled the call",
                )),
            }
        })
    }
}

fn id(key: &str) -> Result<Id, SourceError> {
    Id::new(key).map_err(|error| {
        SourceError::new(SourceErrorKind::NotFound, "no such skill").caused_by(error)
    })
}

impl<S: Source<Skill> + Open> Open for Asynchronous<S> {
    fn open(config: &PluginConfig) -> Result<Asynchronous<S>, SourceError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("plugin")
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| {
            SourceError::new(SourceErrorKind::Unavailable, "no runtime can be started")
                .caused_by(error)
        })?;
        let source = {
            let _inside = runtime.enter();
            Arc::new(S::open(config)?)
        };
        Ok(Asynchronous {
            source,
            cancelled: watch::Sender::default(),
            runtime: Some(runtime),
        })
    }
}

impl<S: Source<Skill> + Open> Documents for Asynchronous<S> {
    const FEATURES: &'static str = "resources changes";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        let listing = self.run(self.source.list())?;
        let rows = listing.iter().map(|row| {
            let written = DocumentRow::new(
                row.item.id.as_str(),
                row.stamp.to_string(),
                front_matter(&row.item),
            );
            match &row.item.location {
                Some(location) => written.location(location.as_ref()),
                None => written,
            }
        });
        let listed = DocumentListing::new(listing.revision().0, rows);
        Ok(listed.diagnostics(listing.diagnostics().iter().map(plugin_diagnostic)))
    }

    fn body(&self, key: &str) -> Result<DocumentBody, SourceError> {
        let body = self.run(self.source.body(&id(key)?))?;
        Ok(DocumentBody::text(
            body.stamp.to_string(),
            body.text.as_ref(),
        ))
    }

    fn resources(&self, key: &str) -> Result<Vec<Resource>, SourceError> {
        self.run(self.source.resources(&id(key)?))
    }

    fn resource(&self, key: &str, path: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        Ok(self.run(self.source.resource(&id(key)?, path))?.into())
    }

    fn wait(&self, since: u64, patience: Duration, _: &Pause) -> Result<u64, SourceError> {
        let changed = async {
            match tokio::time::timeout(patience, self.source.changed(Revision(since))).await {
                // The signal has no revision, but the listing has.
                Ok(()) => Ok(self.source.list().await?.revision().0),
                Err(_) => Ok(since),
            }
        };
        self.run(changed)
    }

    fn cancel(&self) {
        self.cancelled.send_modify(|times| *times += 1);
    }
}

fn plugin_diagnostic(diagnostic: &Diagnostic) -> PluginDiagnostic {
    let Diagnostic {
        severity,
        code,
        message,
        path,
        line,
        column,
        help,
        ..
    } = diagnostic;
    let mut diagnostic = PluginDiagnostic::new(*severity, code.name(), message.as_str());
    diagnostic.path = path.as_deref().map(str::to_owned);
    (diagnostic.line, diagnostic.column, diagnostic.help) = (*line, *column, help.clone());
    diagnostic
}
