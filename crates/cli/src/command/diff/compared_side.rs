//! One side of a comparison: an agent, the lock file, or a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
#[cfg(feature = "process")]
use std::process::{Command, Stdio};

use repertoire::Model;
use repertoire::skill::Digest;
use repertoire_profiles::AgentSkill;

use crate::Environment;
use crate::compose::{NamedFolders, compose};
use crate::failure::Failure;
use crate::lock::{Inventory, RepertoireLock};
use crate::options::SourceOptions;
use crate::source_cache::SourceCache;

/// The side that an argument names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SideName {
    Lock,
    /// The origins in the lock files.
    Source,
    Folder(PathBuf),
    Agent(String),
}

/// The skills of one side, by name.
#[derive(Debug, Default)]
pub(super) struct ComparedSide {
    pub(super) skills: BTreeMap<String, Vec<SideFile>>,
    /// The names of skills whose content is not known on this side.
    pub(super) not_compared: BTreeSet<String>,
}

/// A skill file of one side.
#[derive(Debug)]
pub(super) struct SideFile {
    pub(super) path: PathBuf,
    /// The digest of the file.
    digest: Option<Digest>,
    /// The digest of all files of the skill; `None` on the side of an agent.
    manifest: Option<Digest>,
    pub(super) is_certain: bool,
}

impl SideName {
    pub(super) fn of(argument: &str, environment: &Environment<'_>) -> SideName {
        let folder = environment.cwd.join(argument);
        let is_path = argument.contains(['/', '\\']) || argument.starts_with('.');
        match argument {
            "lock" => SideName::Lock,
            "source" => SideName::Source,
            _ if is_path => SideName::Folder(folder.components().collect()),
            _ => SideName::Agent(argument.to_owned()),
        }
    }
}

impl SideFile {
    /// Returns the digests of `files`: of all files of the skills if both `sides` have them.
    pub(super) fn digests(files: &[SideFile], sides: [&[SideFile]; 2]) -> BTreeSet<Option<Digest>> {
        let is_whole = sides
            .into_iter()
            .flatten()
            .all(|file| file.manifest.is_some());
        files
            .iter()
            .map(|file| if is_whole { file.manifest } else { file.digest })
            .collect()
    }
}

impl ComparedSide {
    pub(super) fn of_agent(skills: &[AgentSkill]) -> ComparedSide {
        let mut side = ComparedSide::default();
        for skill in skills.iter().filter(|skill| skill.outcome.may_load()) {
            let digest = fs::read(&skill.real_path).ok();
            side.add(
                &skill.name,
                SideFile {
                    path: skill.real_path.to_path_buf(),
                    digest: digest.map(|bytes| Digest::of(&bytes)),
                    manifest: None,
                    is_certain: skill.outcome.is_loaded(),
                },
            );
        }
        side
    }

    pub(super) fn of_lock(folder: &Path) -> Result<ComparedSide, Failure> {
        let lock = RepertoireLock::existing(folder)?;
        let mut side = ComparedSide::default();
        for (path, locked) in &lock.skills {
            let mut files = locked.manifest.files().iter();
            let own = files.find(|file| file.path.as_str().eq_ignore_ascii_case("SKILL.md"));
            let path = folder.join(path.as_str()).join("SKILL.md");
            side.add(
                locked.id.as_str(),
                SideFile {
                    path: path.canonicalize().unwrap_or(path),
                    digest: own.map(|file| file.digest),
                    manifest: Some(locked.manifest.digest()),
                    is_certain: true,
                },
            );
        }
        Ok(side)
    }

    /// Returns the skills below a folder, or at the head of a bare Git repository.
    pub(super) async fn of_folder(
        folder: &Path,
        environment: &mut Environment<'_>,
    ) -> Result<ComparedSide, Failure> {
        if is_bare_repository(folder) {
            return ComparedSide::of_git(folder, None, environment).await;
        }
        let real = folder.canonicalize().map_err(|error| {
            let folder = folder.display();
            Failure::io(format!("cannot read the folder `{folder}`"), &error)
        })?;
        // The base is above the folder, which can be that of a skill.
        let base = real.parent().unwrap_or(&real);
        let options = SourceOptions {
            no_defaults: true,
            no_cache: true,
            ..SourceOptions::default()
        };
        let folders = [real.clone()];
        let named = NamedFolders::Plain(&folders);
        let cache = SourceCache::read_only();
        let context = compose(&options, named, Model::default(), cache, environment).await?;
        let inventory = Inventory::take(&context, base).await?;
        let mut side = ComparedSide::default();
        for present in inventory.skills.values() {
            side.add(
                present.id.as_str(),
                SideFile {
                    path: present.folder.join("SKILL.md"),
                    digest: Some(present.digest),
                    manifest: Some(present.compared.manifest.digest()),
                    is_certain: true,
                },
            );
        }
        Ok(side)
    }

    /// Returns the skills of a Git repository on this machine, at `reference` or at its head.
    #[cfg(feature = "process")]
    pub(super) async fn of_git(
        repository: &Path,
        reference: Option<&str>,
        environment: &mut Environment<'_>,
    ) -> Result<ComparedSide, Failure> {
        let unreadable = format!("cannot read `{}`", repository.display());
        let scratch = tempfile::tempdir().map_err(|error| Failure::io(&unreadable, &error))?;
        let checkout = scratch.path().join("checkout");
        let mut command = Command::new("git");
        command
            .args([
                "-c",
                "core.autocrlf=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(["clone", "--quiet", "--no-local", "--depth", "1"])
            .args(reference.map(|reference| format!("--branch={reference}")))
            .args(["--".as_ref(), repository.as_os_str(), checkout.as_os_str()])
            .stdin(Stdio::null())
            .env_clear()
            .envs(
                environment
                    .variables
                    .iter()
                    .map(|(name, value)| (name, value)),
            );
        let output = command
            .output()
            .map_err(|error| Failure::io("cannot start `git`", &error))?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            let reason = reason.lines().last().unwrap_or("it has no commit");
            return Err(Failure::new(format!("{unreadable}: {reason}")));
        }
        let side = Box::pin(ComparedSide::of_folder(&checkout, environment)).await?;
        let real = checkout.canonicalize();
        let real = real.map_err(|error| Failure::io(&unreadable, &error))?;
        let mut moved = ComparedSide::default();
        for (name, files) in side.skills {
            for mut file in files {
                if let Ok(below) = file.path.strip_prefix(&real) {
                    file.path = repository.join(below);
                }
                moved.add(&name, file);
            }
        }
        Ok(moved)
    }

    /// Fails, because this program starts no `git`.
    #[cfg(not(feature = "process"))]
    pub(super) async fn of_git(
        repository: &Path,
        _reference: Option<&str>,
        _environment: &mut Environment<'_>,
    ) -> Result<ComparedSide, Failure> {
        let message = format!("cannot read `{}`", repository.display());
        Err(Failure::new(message).help("build the program with the feature `process`"))
    }

    pub(super) fn add(&mut self, name: &str, file: SideFile) {
        let files = self.skills.entry(name.to_owned()).or_default();
        // Several paths may lead to one file.
        if !files.iter().any(|known| known.path == file.path) {
            files.push(file);
        }
    }
}

fn is_bare_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir()
}
