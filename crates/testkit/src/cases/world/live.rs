//! A case whose files change while its registry runs.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use repertoire_core::Skill;
use repertoire_registry::Subscription;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::World;
use crate::cases::fixture;
use crate::cases::verdict::Verdict;

/// How long the registry may take to show what happened.
const CATCHING_UP: Duration = Duration::from_secs(2);

impl World {
    /// Runs `block` while the registry keeps up, and returns what `check` says: as soon as it finds no failure, if that
    /// stays so when everything is listed anew, or else when time is up.
    pub(crate) fn step(
        &self,
        number: usize,
        block: &str,
        check: impl Fn() -> Vec<Verdict>,
    ) -> io::Result<Vec<Verdict>> {
        self.catalog_before.replace(Some(self.catalog()));
        let mut updates = self.registry.subscribe();
        let mut shell = self.fixture.shell();
        shell.args(["-e", "-c", block]);
        let run = async move { spawn_blocking(move || fixture::run(&mut shell, &format!("step {number}"))).await };
        self.runtime.block_on(run)??;
        let mut verdicts = Vec::new();
        let is_shown = self.until(&mut updates, || {
            verdicts = check();
            !verdicts.iter().any(Verdict::is_failure)
        });
        if is_shown {
            self.runtime.block_on(self.registry.refresh()).map_err(io::Error::other)?;
            verdicts = check();
        }
        Ok(verdicts)
    }

    /// Puts a skill in the first root that there is and takes it out again; an error if the registry does not notice.
    pub(crate) fn probe(&self) -> io::Result<()> {
        const NAME: &str = "probe-of-the-runner";
        let mut roots = self.roots.iter().map(|root| self.fixture.path().join(root));
        let root = roots.find(|root| root.is_dir()).ok_or_else(|| io::Error::other("no root to put a skill in"))?;
        let mut updates = self.registry.subscribe();
        let is_listed = || {
            let snapshot = self.snapshot();
            snapshot.entries().iter().any(|entry| entry.item().id.as_str() == NAME)
        };
        put(&root.join(NAME), NAME)?;
        let has_come = self.until(&mut updates, is_listed);
        fs::remove_dir_all(root.join(NAME))?;
        let has_gone = self.until(&mut updates, || !is_listed());
        if has_come && has_gone { Ok(()) } else { Err(io::Error::other("a skill came and went unnoticed")) }
    }

    /// Looks at every new view until `holds` does, or until time is up.
    fn until(&self, updates: &mut Subscription<Skill>, mut holds: impl FnMut() -> bool) -> bool {
        let deadline = Instant::now() + CATCHING_UP;
        loop {
            if holds() {
                return true;
            }
            // What is ready is handed out however late it is.
            let next = async { timeout_at(deadline, updates.next()).await };
            if Instant::now() >= deadline || !matches!(self.runtime.block_on(next), Ok(Some(_))) {
                return false;
            }
        }
    }
}

fn put(folder: &Path, name: &str) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: Comes and goes.\n---\n"))
}
