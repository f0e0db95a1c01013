//! Repositories, read with the program `git`.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use repertoire_core::ResourcePath;
use repertoire_core::text::{excerpt, terminal_line};

use crate::file_tree::{FileTree, TreeBuilder};
use crate::install_error::{InstallError, InstallErrorKind};
use crate::limits;
use crate::reference::TRANSPORTS;
use crate::stated_time::time_of;

/// The program `git`, and the environment that it runs in.
///
/// It fetches into an empty bare repository and reads objects from it. Nothing is checked out, so no hook, filter, submodule
/// or attribute of a repository has an effect. The transports `ext` and `fd` are refused, also if a setting of the user leads
/// to them. Revisions and URLs are never read as options.
#[derive(Debug, Clone)]
pub struct GitProgram {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

/// A fetched commit.
#[derive(Debug)]
pub(crate) struct Commit {
    repository: PathBuf,
    pub(crate) id: String,
    /// The time at which it was committed, as it states it.
    pub(crate) created: Option<SystemTime>,
    files: Vec<CommitFile>,
}

#[derive(Debug)]
struct CommitFile {
    path: String,
    mode: String,
    object: String,
    size: u64,
}

/// The variables of git that select a connection. Others could point it at different repositories and programs.
const PASSED: [&str; 12] = [
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_HTTP_PROXY_AUTHMETHOD",
    "GIT_PROXY_SSL_CAINFO",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_NO_VERIFY",
];

const SETTINGS: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.version=2",
    "core.symlinks=false",
    // The repository is removed when its objects are read.
    "core.fsync=none",
];

impl GitProgram {
    /// Creates a runner of `program`, such as `git`, with the variables of the host.
    ///
    /// Of the variables that begin with `GIT_`, those that select a connection or a configuration are passed.
    pub fn new(
        program: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> GitProgram {
        let is_passed = |name: &OsStr| {
            let name = name.to_string_lossy();
            !name.starts_with("GIT_")
                || PASSED.contains(&&*name)
                || name.starts_with("GIT_CONFIG_KEY_")
                || name.starts_with("GIT_CONFIG_VALUE_")
        };
        let environment = environment.into_iter().filter(|(name, _)| is_passed(name));
        GitProgram {
            program: program.into(),
            environment: environment.collect(),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("GIT_ALLOW_PROTOCOL", TRANSPORTS.join(":"))
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            // A repository around the working folder could set programs.
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
    }

    fn start(&self, command: &mut Command) -> Result<Child, InstallError> {
        command.spawn().map_err(|error| {
            InstallError::io(format!("cannot run `{}`", self.program.display()), error)
                .help("install git")
        })
    }

    /// Runs to the end and returns the output.
    fn run(&self, command: &mut Command, what: &str) -> Result<Vec<u8>, InstallError> {
        let mut child = self.start(command)?;
        let stderr = child.stderr.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let (read, message) = thread::scope(|scope| {
            let message = scope.spawn(|| drain(stderr));
            let mut output = Vec::new();
            let read = stdout.take(limits::LIST_BYTES + 1).read_to_end(&mut output);
            let is_over = output.len() as u64 > limits::LIST_BYTES;
            if is_over {
                let _ = child.kill();
            }
            let read = read.map(|_| (!is_over).then_some(output));
            (read, message.join().unwrap_or_default())
        });
        let status = child.wait();
        let status = status.map_err(|error| InstallError::io("cannot wait for git", error))?;
        match read.map_err(|error| InstallError::io("cannot read from git", error))? {
            None => Err(InstallError::refused(format!(
                "the list of files has more than {} bytes",
                limits::LIST_BYTES
            ))),
            Some(output) if status.success() => Ok(output),
            Some(_) => Err(failed(what, &message)),
        }
    }

    /// Returns the commit that a revision of the remote leads to: a tag, else a branch, else `HEAD`.
    pub(crate) fn resolve(
        &self,
        url: &str,
        revision: Option<&str>,
    ) -> Result<String, InstallError> {
        if let Some(revision) = revision.filter(|revision| is_commit(revision)) {
            return Ok(revision.to_ascii_lowercase());
        }
        let mut command = self.command();
        command.args(["ls-remote", "--quiet", "--end-of-options", url]);
        let names = match revision {
            None => vec!["HEAD".to_owned()],
            Some(name) => vec![
                format!("refs/tags/{name}^{{}}"),
                format!("refs/tags/{name}"),
                format!("refs/heads/{name}"),
            ],
        };
        command.args(&names);
        let listed = self.run(&mut command, &format!("`{}` cannot be reached", shown(url)))?;
        let listed = String::from_utf8_lossy(&listed);
        let rows: Vec<_> = listed
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .collect();
        let found = names.iter().find_map(|name| {
            let row = rows.iter().find(|(_, listed)| listed == name);
            row.map(|(commit, _)| (*commit).to_owned())
        });
        found.filter(|commit| is_commit(commit)).ok_or_else(|| {
            let error = |message| InstallError::new(InstallErrorKind::Unavailable, message);
            match revision {
                None => error(format!("`{}` has no commits", shown(url))),
                Some(name) => error(format!(
                    "`{}` has no branch or tag `{}`",
                    shown(url),
                    shown(name)
                ))
                .help("write a commit with all 40 digits"),
            }
        })
    }

    /// Fetches the commit of a revision into the folder `repository`, which must not exist.
    pub(crate) fn fetch(
        &self,
        url: &str,
        revision: Option<&str>,
        repository: &Path,
    ) -> Result<Commit, InstallError> {
        let id = self.resolve(url, revision)?;
        let mut init = self.command();
        init.args([
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--object-format",
        ]);
        init.arg(if id.len() == 64 { "sha256" } else { "sha1" });
        init.arg("--end-of-options").arg(repository);
        self.run(&mut init, "cannot create a repository")?;
        let shallow = self.fetch_objects(url, &[&id], &["--depth=1"], repository);
        if let Err(error) = shallow {
            if !revision.is_some_and(is_commit) {
                return Err(error);
            }
            // Some servers refuse a commit by its id, but not the branches that lead to it.
            let all = [
                "+refs/heads/*:refs/fetched/heads/*",
                "+refs/tags/*:refs/fetched/tags/*",
            ];
            self.fetch_objects(url, &all, &[], repository)?;
        }
        let (files, created) = thread::scope(|scope| {
            let created = scope.spawn(|| self.created(&id, repository));
            let files = self.list(&id, repository);
            (files, created.join().expect("it does not panic"))
        });
        Ok(Commit {
            repository: repository.to_owned(),
            created: created?,
            files: files?,
            id,
        })
    }

    fn fetch_objects(
        &self,
        url: &str,
        specifications: &[&str],
        options: &[&str],
        repository: &Path,
    ) -> Result<(), InstallError> {
        let mut command = self.command();
        command.arg("--git-dir").arg(repository);
        command.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"]);
        command
            .args(options)
            .args(["--end-of-options", url])
            .args(specifications);
        command.stdout(Stdio::null());
        let mut child = self.start(&mut command)?;
        let stderr = child.stderr.take().expect("it is piped");
        let (status, message) = thread::scope(|scope| {
            let message = scope.spawn(|| drain(stderr));
            let status = wait_below_limit(&mut child, &repository.join("objects/pack"));
            (status, message.join().unwrap_or_default())
        });
        match status?.success() {
            true => Ok(()),
            false => Err(failed(
                &format!("`{}` cannot be fetched", shown(url)),
                &message,
            )),
        }
    }

    /// Returns the time of the committer.
    fn created(&self, commit: &str, repository: &Path) -> Result<Option<SystemTime>, InstallError> {
        let mut command = self.command();
        command.arg("--git-dir").arg(repository);
        command.args(["cat-file", "commit", commit]);
        let text = self.run(&mut command, "the fetched commit cannot be read")?;
        let text = String::from_utf8_lossy(&text);
        // The message follows an empty line.
        let mut headers = text.lines().take_while(|line| !line.is_empty());
        let committer = headers.find_map(|line| line.strip_prefix("committer "));
        let mut fields = committer.unwrap_or_default().rsplit(' ');
        let seconds = fields.nth(1).and_then(|seconds| seconds.parse().ok());
        Ok(seconds.and_then(time_of))
    }

    fn list(&self, commit: &str, repository: &Path) -> Result<Vec<CommitFile>, InstallError> {
        let mut command = self.command();
        command.arg("--git-dir").arg(repository);
        command.args([
            "ls-tree",
            "-r",
            "-z",
            "--long",
            "--full-tree",
            "--end-of-options",
        ]);
        command.arg(format!("{commit}^{{commit}}"));
        let listed = self.run(&mut command, "the fetched commit cannot be read")?;
        let rows = listed
            .split(|byte| *byte == 0)
            .filter(|row| !row.is_empty());
        // A path that is not UTF-8 cannot be part of a skill.
        let rows = rows.filter_map(|row| std::str::from_utf8(row).ok());
        let files = rows.filter_map(|row| {
            let (head, path) = row.split_once('\t')?;
            let mut fields = head.split_ascii_whitespace();
            let (mode, _, object) = (fields.next()?, fields.next()?, fields.next()?);
            Some(CommitFile {
                path: path.to_owned(),
                mode: mode.to_owned(),
                object: object.to_owned(),
                size: fields.next()?.parse().unwrap_or_default(),
            })
        });
        Ok(files.collect())
    }

    /// Reads the files below each folder, in one run of git.
    pub(crate) fn read(
        &self,
        commit: &Commit,
        folders: &[String],
    ) -> Result<Vec<Result<FileTree, InstallError>>, InstallError> {
        let mut command = self.command();
        command.arg("--git-dir").arg(&commit.repository);
        command.args(["cat-file", "--batch", "--buffer"]);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = self.start(&mut command)?;
        let plans: Vec<_> = folders.iter().map(|folder| commit.plan(folder)).collect();
        let mut input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let wanted: Vec<&str> = plans.iter().flatten().flat_map(ReadPlan::objects).collect();
        let request: String = wanted.iter().flat_map(|object| [object, "\n"]).collect();
        let trees = thread::scope(|scope| {
            // Both pipes are bounded, so the request is sent while answers are read.
            scope.spawn(move || {
                let _ = input.write_all(request.as_bytes());
            });
            let mut output = BufReader::new(output);
            let trees = plans.into_iter().map(|plan| match plan {
                Ok(plan) => Ok(Ok(plan.fill(&mut output)?)),
                Err(error) => Ok(Err(error)),
            });
            trees.collect::<Result<Vec<_>, _>>()
        });
        let _ = child.kill();
        let _ = child.wait();
        trees
    }
}

/// The files of one skill that are to be read.
struct ReadPlan {
    tree: TreeBuilder,
    files: Vec<(ResourcePath, String, u64)>,
}

impl ReadPlan {
    fn objects(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(_, object, _)| object.as_str())
    }

    fn fill(mut self, output: &mut impl BufRead) -> Result<FileTree, InstallError> {
        for (path, object, size) in self.files {
            let mut header = String::new();
            let read = output.by_ref().take(256).read_line(&mut header);
            read.map_err(|error| InstallError::io("cannot read from git", error))?;
            if header.trim_end() != format!("{object} blob {size}") {
                return Err(broken());
            }
            // The size was checked when the file was announced.
            let mut bytes = vec![0; usize::try_from(size).map_err(|_| broken())? + 1];
            let read = output.read_exact(&mut bytes);
            read.map_err(|error| InstallError::io("cannot read from git", error))?;
            if bytes.pop() != Some(b'\n') {
                return Err(broken());
            }
            self.tree.fill(path, Bytes::from(bytes));
        }
        Ok(self.tree.finish())
    }
}

impl Commit {
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let files = self
            .files
            .iter()
            .filter(|file| file.mode.starts_with("100"));
        files.map(|file| file.path.as_str())
    }

    fn plan(&self, folder: &str) -> Result<ReadPlan, InstallError> {
        let mut plan = ReadPlan {
            tree: TreeBuilder::default(),
            files: Vec::new(),
        };
        for file in &self.files {
            let below = match folder {
                "" => Some(file.path.as_str()),
                folder => file
                    .path
                    .strip_prefix(folder)
                    .and_then(|below| below.strip_prefix('/')),
            };
            let Some(below) = below else { continue };
            let what = match file.mode.as_str() {
                "120000" => Some("a symbolic link"),
                "160000" => Some("a submodule"),
                _ => None,
            };
            if let Some(what) = what {
                // What is never part of a skill is not refused.
                if below
                    .parse::<ResourcePath>()
                    .is_ok_and(|path| path.is_apart())
                {
                    continue;
                }
                return Err(
                    InstallError::refused(format!("`{}` is {what}", shown(&file.path)))
                        .help("replace it with a regular file"),
                );
            }
            let path = plan.tree.announce(below, file.size)?;
            plan.files.push((path, file.object.clone(), file.size));
        }
        Ok(plan)
    }
}

fn broken() -> InstallError {
    InstallError::new(InstallErrorKind::Unavailable, "git gave a wrong answer")
}

fn is_commit(text: &str) -> bool {
    [40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Waits for the end of a fetch, and ends it if the packs exceed the limit.
fn wait_below_limit(child: &mut Child, packs: &Path) -> Result<ExitStatus, InstallError> {
    let mut pause = Duration::from_millis(1);
    loop {
        let status = child.try_wait();
        match status.map_err(|error| InstallError::io("cannot wait for git", error))? {
            Some(status) => return Ok(status),
            None if folder_bytes(packs) > limits::REPOSITORY_BYTES => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(InstallError::refused(format!(
                    "the repository has more than {} bytes",
                    limits::REPOSITORY_BYTES
                )));
            }
            None => thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Reads a stream to its end, and returns its beginning.
fn drain(mut stream: impl Read) -> Vec<u8> {
    const MOST_BYTES: u64 = 64 << 10;
    let mut beginning = Vec::new();
    // A message that cannot be read is not printed.
    let _ = stream.by_ref().take(MOST_BYTES).read_to_end(&mut beginning);
    let _ = io::copy(&mut stream, &mut io::sink());
    beginning
}

fn folder_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = files.filter_map(|file| file.metadata().ok());
    sizes.map(|metadata| metadata.len()).sum()
}

fn shown(text: &str) -> String {
    terminal_line(text).into_owned()
}

fn failed(what: &str, message: &[u8]) -> InstallError {
    let message = String::from_utf8_lossy(message);
    let lines = message
        .lines()
        .map(|line| line.trim_start_matches("fatal: "));
    let message = lines.collect::<Vec<_>>().join("; ");
    let message = format!("{what}: {}", excerpt(&message, 300));
    InstallError::new(InstallErrorKind::Unavailable, message)
        .help("check the name, and that `git ls-remote` can read it")
}
