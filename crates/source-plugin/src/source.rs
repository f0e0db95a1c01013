//! A plugin as a source.

use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_core::{
    Body, Bytes, Id, Listing, Omission, Resource, ResourcePath, Revision, Skill, Source,
    SourceError, SourceErrorKind, async_trait,
};

#[cfg(unix)]
use crate::ProcessOptions;
use crate::backend::{overdue, seconds, unavailable};
use crate::call_thread::{CallError, CallThread};
use crate::supervisor::{Isolation, Supervisor};
use crate::{PluginOptions, requests};

/// A source in a shared library.
///
/// Replies of the plugin are copied, and parsed by the rules for files. A plugin that hangs, fails or floods makes this source
/// unavailable, and nothing else:
///
/// - No call takes longer than the deadline.
/// - No runtime waits for the threads of a plugin.
/// - Dropping the source never blocks.
///
/// The file may be replaced while the source is in use. Approved new content is loaded beside the old one. Other new content is a
/// diagnostic, and the old one stays. A library is never unloaded, because code of it may still be in use.
///
/// # Panics
/// The `async` methods need a tokio runtime with a clock.
#[derive(Debug)]
pub struct PluginSource {
    supervisor: Arc<Supervisor>,
    call_thread: Mutex<Option<Arc<CallThread>>>,
}

impl PluginSource {
    /// Creates a source called `name`. The library is loaded by the first call.
    pub fn new(name: impl Into<String>, options: PluginOptions) -> PluginSource {
        PluginSource::isolated(name.into(), options, Isolation::None)
    }

    /// Creates a source called `name`, whose library is loaded into a process of its own by the first call.
    #[cfg(unix)]
    pub fn spawn(name: impl Into<String>, options: ProcessOptions) -> PluginSource {
        let (options, isolation) = options.split();
        PluginSource::isolated(name.into(), options, Isolation::Process(isolation))
    }

    /// Loads the library, which the first call does otherwise.
    ///
    /// # Errors
    /// Returns an error if the plugin is not approved, cannot be loaded, or makes no source of its options.
    ///
    /// # Cancel safety
    /// May be dropped at any point. Loading continues, and the next call waits for it.
    pub async fn start(&self) -> Result<(), SourceError> {
        self.call(|supervisor| supervisor.backend().map(drop)).await
    }

    fn isolated(name: String, options: PluginOptions, isolation: Isolation) -> PluginSource {
        PluginSource {
            supervisor: Arc::new(Supervisor::new(name, options, isolation)),
            call_thread: Mutex::default(),
        }
    }

    fn call_thread(&self) -> Result<Arc<CallThread>, SourceError> {
        let mut current = self.call_thread.lock();
        if let Some(current) = &*current {
            return Ok(current.clone());
        }
        let new = CallThread::new();
        let new = new
            .map_err(|error| unavailable("no thread can be started".to_owned()).caused_by(error))?;
        Ok(current.insert(Arc::new(new)).clone())
    }

    async fn call<O: Send + 'static>(
        &self,
        request: impl FnOnce(&Supervisor) -> Result<O, SourceError> + Send + 'static,
    ) -> Result<O, SourceError> {
        let (supervisor, deadline) = (self.supervisor.clone(), self.supervisor.options.deadline());
        match self
            .call_thread()?
            .run(deadline, move || request(&supervisor))
            .await
        {
            Ok(reply) => reply,
            Err(CallError::Overdue) => {
                self.supervisor.cancel();
                Err(overdue(deadline))
            }
            Err(CallError::Blocked(since)) => Err(unavailable(format!(
                "the plugin has not answered for {}",
                seconds(since)
            ))),
            Err(CallError::Lost) => Err(SourceError::new(
                SourceErrorKind::Other,
                "the plugin's reply was lost",
            )),
        }
    }
}

impl Drop for PluginSource {
    fn drop(&mut self) {
        self.supervisor.close();
    }
}

#[async_trait]
impl Source<Skill> for PluginSource {
    fn name(&self) -> &str {
        &self.supervisor.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        self.call(requests::list).await
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let id = id.clone();
        self.call(move |supervisor| requests::body(supervisor, &id))
            .await
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let id = id.clone();
        self.call(move |supervisor| Ok(requests::files(supervisor, &id)?.0))
            .await
    }

    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        let id = id.clone();
        self.call(move |supervisor| Ok(requests::files(supervisor, &id)?.1))
            .await
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (id, path) = (id.clone(), path.clone());
        self.call(move |supervisor| requests::resource(supervisor, &id, &path))
            .await
    }

    async fn changed(&self, since: Revision) {
        self.supervisor.changed(since).await;
    }
}
