//! `cargo xtask oci`: installs skills from a registry of Debian and from a git daemon.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;
use tempfile::TempDir;

use crate::binary::Profile;
use crate::{Failure, postgres, step, venv, workspace};

/// The options of the check.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The number of skills in the collection.
    #[arg(long, default_value_t = 1000)]
    skills: usize,
}

const HEADING: &str = "skills from a registry";

/// The time limit for the start of a server, which is far shorter.
const PATIENCE: Duration = Duration::from_secs(60);

const PROGRAMS: [&str; 3] = [
    "docker-registry --version",
    "skopeo --version",
    "git --version",
];

/// Pushes skills with skopeo and oras, and installs, updates, freezes and verifies them.
///
/// # Errors
/// Fails if a round trip does not restore the same files. Without the programs, it is skipped.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(line) = PROGRAMS.iter().find(|line| !step::succeeds(line)) {
        let reason = format!("`{line}` failed; install docker-registry, skopeo and git");
        step::skipped(HEADING, &reason);
        return Ok(());
    }
    let scratch = workspace::target()?.join("oci");
    fs::create_dir_all(&scratch)?;
    let scripts = workspace::root().join("tests/oci");
    venv::venv(&scratch, &scripts.join("requirements.txt"))?;
    let program = Profile::Debug.command_line()?;
    let folder = tempfile::tempdir()?;
    let registry = Registry::start(folder.path())?;
    let daemon = GitDaemon::start(folder.path())?;
    let check = Check {
        program,
        python: scratch.join("venv/bin/python"),
        push: scripts.join("push.py"),
        folder,
        registry,
        daemon,
    };
    check.write_skills("first")?;
    let line = format!("cargo xtask oci --skills {}", options.skills);
    step::step("push", &line, || check.push(0))?;
    step::step("round trips", &line, || check.round_trips())?;
    step::step("collection", &line, || check.collection(options.skills))
}

struct Check {
    program: PathBuf,
    python: PathBuf,
    push: PathBuf,
    folder: TempDir,
    registry: Registry,
    daemon: GitDaemon,
}

impl Check {
    /// Writes the skills `pdf` and `tidy`, and the repository with both.
    fn write_skills(&self, text: &str) -> Result<(), Failure> {
        let folder = self.folder.path();
        for name in ["pdf", "tidy"] {
            let skill = folder.join(name);
            fs::create_dir_all(&skill)?;
            let head = format!("---\nname: {name}\ndescription: Reads {name}.\n---\n");
            fs::write(
                skill.join("SKILL.md"),
                format!("{head}Read the {text} one.\n"),
            )?;
            fs::write(skill.join("notes.txt"), format!("{text}\n"))?;
            let copied = folder.join("repositories/skills").join(name);
            fs::create_dir_all(&copied)?;
            for file in ["SKILL.md", "notes.txt"] {
                fs::copy(skill.join(file), copied.join(file))?;
            }
        }
        let repository = folder.join("repositories/skills");
        if !repository.join(".git").exists() {
            let init = ["init", "--quiet", "--initial-branch=main"];
            venv::call(Command::new("git").args(init).current_dir(&repository))?;
        }
        for arguments in [
            &["add", "--all"][..],
            &[
                "-c",
                "user.name=x",
                "-c",
                "user.email=x@localhost",
                "commit",
                "--quiet",
                "-m",
                text,
            ],
        ] {
            venv::call(Command::new("git").args(arguments).current_dir(&repository))?;
        }
        Ok(())
    }

    /// Pushes `pdf` with skopeo, `tidy` and a collection of `skills` skills with oras.
    fn push(&self, skills: usize) -> Result<(), Failure> {
        let address = &self.registry.address;
        let mut push = Command::new(&self.python);
        push.arg(&self.push).arg(address).arg(self.folder.path());
        venv::call(push.arg(skills.to_string()))?;
        let mut copy = Command::new("skopeo");
        copy.args([
            "--insecure-policy",
            "copy",
            "--quiet",
            "--dest-tls-verify=false",
        ])
        .args([
            "oci:layout:1.0",
            &format!("docker://{address}/team/pdf:1.0"),
        ])
        .current_dir(self.folder.path());
        venv::call(&mut copy)
    }

    /// Installs every kind of reference, updates it, and restores it from the lock and the store alone.
    fn round_trips(&self) -> Result<(), Failure> {
        let address = &self.registry.address;
        let references = [
            ("skopeo", format!("oci://{address}/team/pdf:1.0")),
            ("oras, a folder", format!("oci://{address}/team/tidy:1.0")),
            ("oras, files", format!("oci://{address}/team/files:1.0")),
            (
                "git daemon",
                format!("git://{}/skills@main", self.daemon.address),
            ),
        ];
        let projects = references.iter().map(|(kind, reference)| {
            let project = self.project()?;
            self.call(
                project.path(),
                &["add", reference, "--yes", "--allow-host", "127.0.0.1"],
            )?;
            self.restore(project.path())?;
            self.expect_outdated(project.path(), Outdated::No)?;
            println!("ok      {kind}: added, verified, restored from the lock");
            Ok((*kind, project))
        });
        let projects: Vec<(&str, TempDir)> = projects.collect::<Result<_, Failure>>()?;
        self.write_skills("second")?;
        self.push(0)?;
        for (kind, project) in &projects {
            self.expect_outdated(project.path(), Outdated::Yes)?;
            let before = self.lock(project.path())?;
            self.call(
                project.path(),
                &["update", "--yes", "--allow-host", "127.0.0.1"],
            )?;
            if before == self.lock(project.path())? {
                return Err(format!("{kind}: `update` did not change the lock").into());
            }
            self.restore(project.path())?;
            self.expect_outdated(project.path(), Outdated::No)?;
            println!("ok      {kind}: updated, verified, restored from the lock");
        }
        Ok(())
    }

    /// Installs the whole collection, verifies and lists it.
    fn collection(&self, skills: usize) -> Result<(), Failure> {
        self.push(skills)?;
        let project = self.project()?;
        let reference = format!("oci://{}/team/all:1.0", self.registry.address);
        let mut seconds = Vec::new();
        for arguments in [
            &["add", &reference, "--yes", "--allow-host", "127.0.0.1"][..],
            &["verify"],
            &["list", ".agents/skills", "--json"],
        ] {
            let begun = Instant::now();
            let printed = self.call(project.path(), arguments)?;
            seconds.push(begun.elapsed().as_secs_f32());
            if arguments[0] == "list" {
                let listed: Value = serde_json::from_str(&printed)?;
                let found = listed["skills"].as_array().map_or(0, Vec::len);
                if found != skills {
                    return Err(format!("expected {skills} listed skills, found {found}").into());
                }
            }
        }
        println!(
            "ok      {skills} skills of a collection: installed in {:.1} s, verified in {:.1} s, listed in {:.1} s",
            seconds[0], seconds[1], seconds[2]
        );
        Ok(())
    }

    /// Verifies a project, and restores its lock in an empty one from the store alone.
    fn restore(&self, project: &Path) -> Result<(), Failure> {
        self.call(project, &["verify"])?;
        let other = self.project()?;
        let lock = "repertoire.lock.json";
        fs::copy(project.join(lock), other.path().join(lock))?;
        self.call(other.path(), &["sync", "--frozen", "--yes"])?;
        self.call(other.path(), &["verify"])?;
        let skills = Path::new(".agents/skills");
        let (ours, theirs) = (project.join(skills), other.path().join(skills));
        venv::call(Command::new("diff").arg("-r").args([ours, theirs]))?;
        match self.lock(project)? == self.lock(other.path())? {
            true => Ok(()),
            false => Err("`sync --frozen` changed the lock".into()),
        }
    }

    fn expect_outdated(&self, project: &Path, expected: Outdated) -> Result<(), Failure> {
        let printed = self.call(
            project,
            &["outdated", "--json", "--allow-host", "127.0.0.1"],
        )?;
        let printed: Value = serde_json::from_str(&printed)?;
        let is_outdated = printed["skills"]
            .as_array()
            .is_some_and(|skills| !skills.is_empty());
        match is_outdated == (expected == Outdated::Yes) {
            true => Ok(()),
            false => Err(format!("`outdated` printed {printed}").into()),
        }
    }

    fn project(&self) -> Result<TempDir, Failure> {
        Ok(tempfile::tempdir_in(self.folder.path())?)
    }

    fn lock(&self, project: &Path) -> Result<String, Failure> {
        Ok(fs::read_to_string(project.join("repertoire.lock.json"))?)
    }

    /// Returns what the program prints in a project. Its home and its store are in the folder of this check.
    fn call(&self, project: &Path, arguments: &[&str]) -> Result<String, Failure> {
        let home = self.folder.path().join("home");
        fs::create_dir_all(&home)?;
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(project)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home);
        let output = command.stderr(Stdio::inherit()).output()?;
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout)?),
            false => Err(format!(
                "`repertoire {}` failed with {}",
                arguments.join(" "),
                output.status
            )
            .into()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outdated {
    Yes,
    No,
}

/// A registry with its data in a folder, killed when dropped.
struct Registry {
    server: Child,
    address: String,
}

impl Registry {
    fn start(folder: &Path) -> Result<Registry, Failure> {
        let address = format!("127.0.0.1:{}", postgres::free_port()?);
        let (file, data) = (folder.join("registry.yml"), folder.join("registry"));
        let text = format!(
            "version: 0.1\nlog: {{ level: error }}\nstorage:\n  filesystem: {{ rootdirectory: \"{}\" }}\nhttp: {{ addr: \"{address}\" }}\n",
            data.display()
        );
        fs::write(&file, text)?;
        let log = folder.join("registry.log");
        let mut command = Command::new("docker-registry");
        command
            .arg("serve")
            .arg(&file)
            .stdout(Stdio::null())
            // It reports each blob that is asked for before it is pushed.
            .stderr(fs::File::create(&log)?);
        let registry = Registry {
            server: command.spawn()?,
            address,
        };
        let started = wait_for(&registry.address);
        started.map_err(|failure| {
            let log = fs::read_to_string(&log).unwrap_or_default();
            format!("{failure}: {log}")
        })?;
        Ok(registry)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        end(&mut self.server);
    }
}

/// A git daemon of the folder `repositories`, killed when dropped.
struct GitDaemon {
    server: Child,
    address: String,
}

impl GitDaemon {
    fn start(folder: &Path) -> Result<GitDaemon, Failure> {
        let port = postgres::free_port()?;
        let repositories = folder.join("repositories");
        fs::create_dir_all(&repositories)?;
        // Started by `git`, the daemon would outlive it.
        let programs = Command::new("git").arg("--exec-path").output()?.stdout;
        let programs = PathBuf::from(String::from_utf8(programs)?.trim());
        let mut command = Command::new(programs.join("git-daemon"));
        command
            .args(["--reuseaddr", "--export-all", "--listen=127.0.0.1"])
            .arg(format!("--port={port}"))
            .arg(format!("--base-path={}", repositories.display()))
            // It reports the connection that waits for it.
            .stderr(Stdio::null());
        let daemon = GitDaemon {
            server: command.spawn()?,
            address: format!("127.0.0.1:{port}"),
        };
        wait_for(&daemon.address)?;
        Ok(daemon)
    }
}

impl Drop for GitDaemon {
    fn drop(&mut self) {
        end(&mut self.server);
    }
}

fn end(server: &mut Child) {
    // It may have ended already.
    let _ = server.kill();
    let _ = server.wait();
}

/// Waits until a server accepts connections.
fn wait_for(address: &str) -> Result<(), Failure> {
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        if begun.elapsed() > PATIENCE {
            return Err(format!("no server listens on {address}").into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
