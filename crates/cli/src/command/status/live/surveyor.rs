//! Surveys beside the screen: one at the start, and one after each change.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::Environment;
use crate::agent_views::ReadPaths;
use crate::command::status::surveyed_status::SurveyedStatus;
use crate::failure::Failure;
use crate::followed_files::FollowedFiles;
use crate::lock::{RepertoireLock, SkillsLock};
use crate::options::SourceOptions;

/// The result of a survey.
pub(super) type Survey = Result<Arc<SurveyedStatus>, Failure>;

/// A task that surveys the working folder whenever a file changes that decides what agents see. It ends with this value.
#[derive(Debug)]
pub(super) struct Surveyor {
    surveys: UnboundedReceiver<Survey>,
    request: Arc<Notify>,
    task: JoinHandle<()>,
}

/// The folders and options of a survey.
#[derive(Debug, Clone)]
struct SurveyPlace {
    cwd: PathBuf,
    home: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    sources: SourceOptions,
}

impl Surveyor {
    /// Starts the task in the current runtime. `read` names the files that the first screen depends on.
    pub(super) fn start(
        sources: &SourceOptions,
        read: ReadPaths,
        environment: &Environment<'_>,
    ) -> Surveyor {
        let place = SurveyPlace {
            cwd: environment.cwd.clone(),
            home: environment.home.clone(),
            variables: environment.variables.clone(),
            sources: sources.clone(),
        };
        let (sender, surveys) = unbounded_channel();
        let request = Arc::new(Notify::new());
        let requested = request.clone();
        let task = async move { place.follow(read, &requested, &sender).await };
        Surveyor {
            surveys,
            request,
            task: tokio::spawn(task),
        }
    }

    /// Requests a survey now.
    pub(super) fn refresh(&self) {
        self.request.notify_one();
    }

    /// Returns the next survey.
    ///
    /// # Cancel safety
    /// May be dropped at any await; no survey is lost.
    pub(super) async fn next(&mut self) -> Survey {
        match self.surveys.recv().await {
            Some(survey) => survey,
            // The task ends only if it panics.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Surveyor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SurveyPlace {
    /// Surveys after each change, until the receiver is gone.
    async fn follow(&self, read: ReadPaths, request: &Notify, surveys: &UnboundedSender<Survey>) {
        let mut paths = self.with_locks(read);
        let mut followed = FollowedFiles::default();
        loop {
            // Folders are followed before they are surveyed, so that no change is missed.
            let following = followed.follow(&paths).await;
            let survey = self.survey().await;
            let next = match &survey {
                Ok(status) => self.with_locks(status.seen.read.clone()),
                Err(_) => paths.clone(),
            };
            let failure = following.err().map(Err);
            for survey in std::iter::once(survey).chain(failure) {
                if surveys.send(survey).is_err() {
                    return;
                }
            }
            if next == paths {
                tokio::select! {
                    () = followed.changed() => {}
                    () = request.notified() => {}
                }
                if let Err(failure) = followed.see_changes().await
                    && surveys.send(Err(failure)).is_err()
                {
                    return;
                }
            }
            paths = next;
        }
    }

    /// Surveys on a thread for blocking calls.
    async fn survey(&self) -> Survey {
        let place = self.clone();
        let survey = tokio::task::spawn_blocking(move || place.survey_here()).await;
        match survey {
            Ok(survey) => survey.map(Arc::new),
            Err(error) => Err(Failure::new(format!("the survey ended: {error}"))),
        }
    }

    fn survey_here(&self) -> Result<SurveyedStatus, Failure> {
        let mut environment = Environment::new(&self.cwd).variables(self.variables.clone());
        if let Some(home) = &self.home {
            environment = environment.home(home);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(SurveyedStatus::survey(&self.sources, &mut environment))
    }

    /// Adds the lock files of the working folder.
    fn with_locks(&self, mut read: ReadPaths) -> ReadPaths {
        let locks = [RepertoireLock::NAME, SkillsLock::NAME];
        read.files.extend(locks.map(|name| self.cwd.join(name)));
        read
    }
}
