//! Denied and new content in long runs.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use repertoire::SkillRegistry;
use repertoire::config::Configuration;
use repertoire::registry::{RuleSet, RuleStack};
use repertoire::source::fs::WatchOptions;

use crate::Environment;
use crate::agent_views::ReadPaths;
use crate::configuration_file::{CONFIGURATION, host_settings};
use crate::denied_content::DeniedContent;
use crate::failure::Failure;
use crate::followed_files::FollowedFiles;
#[cfg(feature = "install")]
use crate::new_content::NewContent;

/// The files that deny and restrict content, followed by a long run.
///
/// Content that a file denies is denied at once. What it denies no more is allowed after a reload, so that a file that is
/// half written allows nothing. New content is restricted, and accepted content is not any more, at once.
#[derive(Debug)]
pub(crate) struct FollowedPolicy {
    config: Option<PathBuf>,
    /// The files that deny content.
    files: BTreeSet<PathBuf>,
    followed: FollowedFiles,
    /// The content that each file has denied since the last reload.
    denied: Vec<DeniedContent>,
    /// The level that restricts new content, if there is any.
    restricting: Option<RuleSet>,
}

/// The time in which steps of writing a file are one change.
const SETTLE_TIME: Duration = Duration::from_millis(2);

/// The longest time before a change is seen, also on file systems that report none.
const LONGEST_TIME: Duration = Duration::from_millis(25);

impl FollowedPolicy {
    /// Follows the file of the user and `config`. The first need not exist.
    pub(crate) async fn follow(
        config: Option<&Path>,
        environment: &Environment<'_>,
    ) -> Result<FollowedPolicy, Failure> {
        let mut watch = WatchOptions::default();
        watch.debounce = SETTLE_TIME;
        (watch.longest, watch.poll) = (LONGEST_TIME, LONGEST_TIME);
        let mut followed = FollowedFiles::watching(watch);
        let config = config.map(|config| environment.cwd.join(config));
        let user = environment.own_config();
        let user = user.map(|folder| folder.join(CONFIGURATION));
        let files = user.into_iter().chain(config.clone());
        let files: BTreeSet<_> = files.map(without_parents).collect();
        followed.follow(&paths(&files)).await?;
        let mut following = FollowedPolicy {
            config,
            files,
            followed,
            denied: Vec::new(),
            restricting: None,
        };
        // A file that cannot be read fails the composition, which names its place.
        following.restart(environment);
        Ok(following)
    }

    /// Resolves once a file has changed.
    ///
    /// # Cancel safety
    /// May be dropped at any await; no change is lost.
    pub(crate) async fn changed(&self) {
        self.followed.changed().await;
    }

    /// Allows what the files do not deny after a reload. If they cannot be read, nothing more is allowed.
    pub(crate) fn restart(&mut self, environment: &Environment<'_>) {
        if let Ok(denied) = self.read(environment) {
            self.denied = denied;
        }
    }

    /// Reads the files again. If they deny further or restrict other content, calls `set`. Prints a note if they deny more.
    ///
    /// After an error, what was denied stays denied.
    pub(crate) async fn apply(
        &mut self,
        registry: &SkillRegistry,
        environment: &mut Environment<'_>,
        set: impl Fn(&FollowedPolicy),
    ) {
        match self.update_denied(environment).await {
            Ok(true) => {
                set(self);
                environment.write_stderr("note: more content is denied\n");
            }
            Ok(false) => {}
            Err(failure) => {
                let text = failure.report().draw(environment.stderr.is_coloured());
                environment
                    .write_stderr(&format!("{text}note: the denied content stays as it was\n"));
            }
        }
        self.restrict(registry, environment, set).await;
    }

    /// Reads which skills of the registry have new content. If they are others than before, calls `set`.
    #[cfg(feature = "install")]
    pub(crate) async fn restrict(
        &mut self,
        registry: &SkillRegistry,
        environment: &mut Environment<'_>,
        set: impl Fn(&FollowedPolicy),
    ) {
        loop {
            let new = NewContent::of(&registry.snapshot(), environment);
            let deciding = new.files.iter().cloned().map(without_parents);
            let files = paths(&self.files.iter().cloned().chain(deciding).collect());
            let followed = self.followed.follow(&files).await;
            let before = std::mem::replace(&mut self.restricting, new.level());
            if before != self.restricting {
                set(self);
            }
            match followed {
                // They may have changed before they were followed.
                Ok(true) => {}
                Ok(false) => return,
                Err(failure) => {
                    let text = failure.report().draw(environment.stderr.is_coloured());
                    return environment.write_stderr(&text);
                }
            }
        }
    }

    #[cfg(not(feature = "install"))]
    pub(crate) async fn restrict(
        &mut self,
        _: &SkillRegistry,
        _: &mut Environment<'_>,
        _: impl Fn(&FollowedPolicy),
    ) {
    }

    /// Returns whether the files deny further content now.
    async fn update_denied(&mut self, environment: &Environment<'_>) -> Result<bool, Failure> {
        if let Err(failure) = self.followed.see_changes().await {
            self.followed = FollowedFiles::default();
            return Err(failure.help("reload to apply further changes of `denied`"));
        }
        let mut is_more = false;
        for now in self.read(environment)? {
            match self.denied.iter_mut().find(|known| known.file == now.file) {
                Some(known) => {
                    is_more |= !now.digests.is_subset(&known.digests);
                    known.digests.extend(now.digests);
                }
                None => {
                    is_more |= !now.digests.is_empty();
                    self.denied.push(now);
                }
            }
        }
        Ok(is_more)
    }

    /// Returns `rules` below the denied and the new content.
    pub(crate) fn before(&self, rules: impl IntoIterator<Item = RuleSet>) -> RuleStack {
        let denying = self
            .denied
            .iter()
            .filter(|denied| !denied.digests.is_empty());
        let levels = denying.map(DeniedContent::level);
        RuleStack::new(
            self.restricting
                .clone()
                .into_iter()
                .chain(levels)
                .chain(rules),
        )
    }

    fn read(&self, environment: &Environment<'_>) -> Result<Vec<DeniedContent>, Failure> {
        let mut denied: Vec<_> = DeniedContent::of_user(environment)?.into_iter().collect();
        if let Some(config) = &self.config {
            let configuration = Configuration::read(config, &host_settings(environment));
            let configuration = configuration.map_err(|error| Failure::of_configuration(&error))?;
            denied.push(DeniedContent::of(config, &configuration));
        }
        Ok(denied)
    }
}

fn paths(files: &BTreeSet<PathBuf>) -> ReadPaths {
    ReadPaths {
        files: files.clone(),
        ..ReadPaths::default()
    }
}

/// Returns the same path without `..`, as the watcher misses changes below such a path.
fn without_parents(path: PathBuf) -> PathBuf {
    if !path.components().any(|part| part == Component::ParentDir) {
        return path;
    }
    let real = path.ancestors().find_map(|above| {
        let below = path.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(below))
    });
    real.unwrap_or(path)
}
