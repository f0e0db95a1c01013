//! A plugin as a source.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use repertoire_core::{
    Body, Bytes, Id, Listing, Omission, Resource, ResourcePath, Revision, Skill, Source, SourceError, SourceErrorKind,
    async_trait,
};

use crate::desk::{Desk, NoAnswer};
use crate::lodging::{Lodging, Way};
use crate::visit;
use crate::{Containment, PluginOptions};

/// A plugin as a source: skills from a shared library that somebody else compiled.
///
/// What the plugin sends is copied and read by the rules for every file: it gets no special trust. A plugin that hangs,
/// fails or floods makes this source unavailable, and nothing else: no call waits longer than the deadline, no runtime
/// waits for its threads, and dropping the source waits for nothing.
///
/// The file may be replaced while it runs. A new content that is approved is loaded beside the old one, which ends when
/// nothing runs in it; one that is not approved is told as a finding, and the old one stays. No library is ever unloaded,
/// since nobody can know what of it is still in use: what leaks is a mapping for each content that was used.
///
/// # Panics
/// What is `async` here needs a tokio runtime with a clock.
#[derive(Debug)]
pub struct PluginSource {
    lodging: Arc<Lodging>,
    desk: Mutex<Option<Arc<Desk>>>,
}

impl PluginSource {
    /// A source called `name`. Nothing is loaded before it is asked for something.
    pub fn new(name: impl Into<String>, options: PluginOptions) -> PluginSource {
        PluginSource::of(name.into(), options, Way::Loaded)
    }

    /// A source called `name` whose library is loaded into a process of its own.
    #[cfg(unix)]
    pub fn contained(name: impl Into<String>, options: PluginOptions, how: Containment) -> PluginSource {
        PluginSource::of(name.into(), options, Way::Contained(how))
    }

    /// As [`new`](PluginSource::new), with everything loaded.
    ///
    /// # Errors
    /// When the plugin may not be used, or makes no source of its options.
    pub async fn load(name: impl Into<String>, options: PluginOptions) -> Result<PluginSource, SourceError> {
        let source = PluginSource::new(name, options);
        source.start().await?;
        Ok(source)
    }

    /// Loads everything now, which the first call would do otherwise.
    ///
    /// # Errors
    /// As [`load`](PluginSource::load).
    pub async fn start(&self) -> Result<(), SourceError> {
        self.ask(|lodging| lodging.guest().map(drop)).await
    }

    fn of(name: String, options: PluginOptions, way: Way) -> PluginSource {
        PluginSource { lodging: Arc::new(Lodging::new(name, options, way)), desk: Mutex::default() }
    }

    fn desk(&self) -> Result<Arc<Desk>, SourceError> {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(desk) = &*desk {
            return Ok(desk.clone());
        }
        let new = Desk::new().map_err(|error| unavailable("no thread can be started".to_owned()).caused_by(error))?;
        Ok(desk.insert(Arc::new(new)).clone())
    }

    /// What `work` gives on the plugin's own thread, if it comes in time.
    async fn ask<O: Send + 'static>(
        &self,
        work: impl FnOnce(&Lodging) -> Result<O, SourceError> + Send + 'static,
    ) -> Result<O, SourceError> {
        let (lodging, deadline) = (self.lodging.clone(), self.lodging.options.deadline());
        match self.desk()?.run(deadline, move || work(&lodging)).await {
            Ok(answer) => answer,
            Err(NoAnswer::Overdue) => {
                self.lodging.give_up();
                Err(overdue(deadline))
            }
            Err(NoAnswer::Blocked(since)) => {
                Err(unavailable(format!("the plugin has not answered for {}", seconds(since))))
            }
            Err(NoAnswer::Gone) => Err(SourceError::new(SourceErrorKind::Other, "the plugin's reply was lost")),
        }
    }
}

impl Drop for PluginSource {
    fn drop(&mut self) {
        self.lodging.close();
    }
}

/// What took longer than it may.
pub(crate) fn overdue(deadline: Duration) -> SourceError {
    unavailable(format!("the plugin has not answered within {}", seconds(deadline)))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}

fn unavailable(message: String) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

#[async_trait]
impl Source<Skill> for PluginSource {
    fn name(&self) -> &str {
        &self.lodging.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        self.ask(visit::list).await
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let id = id.clone();
        self.ask(move |lodging| visit::body(lodging, &id)).await
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let id = id.clone();
        self.ask(move |lodging| visit::resources(lodging, &id)).await
    }

    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        let id = id.clone();
        self.ask(move |lodging| visit::omissions(lodging, &id)).await
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (id, path) = (id.clone(), path.clone());
        self.ask(move |lodging| visit::resource(lodging, &id, &path)).await
    }

    async fn changed(&self, since: Revision) {
        self.lodging.changed(since).await;
    }
}
