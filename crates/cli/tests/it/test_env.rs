//! A folder to run in, and what a run said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use repertoire_cli::{Environment, Exit, Stream, run};
use tempfile::TempDir;

/// A folder to run in, with a home beside it.
pub(crate) struct TestEnv {
    _folder: TempDir,
    root: PathBuf,
    columns: String,
}

/// The output of a run. Paths of the environment are written `[WORLD]`.
#[derive(Debug, PartialEq)]
pub(crate) struct Ran {
    pub(crate) exit: Exit,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl TestEnv {
    pub(crate) fn new() -> TestEnv {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("the folder is there");
        fs::create_dir(root.join("here")).expect("a fresh folder");
        fs::create_dir(root.join("home")).expect("a fresh folder");
        TestEnv {
            _folder: folder,
            root,
            columns: "80".to_owned(),
        }
    }

    /// Sets the width of screens, which is 80.
    pub(crate) fn set_columns(&mut self, columns: u16) {
        self.columns = columns.to_string();
    }

    /// The folder that commands run in.
    pub(crate) fn here(&self) -> PathBuf {
        self.root.join("here")
    }

    /// Writes a file, relative to the working folder.
    pub(crate) fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &TestEnv {
        let path = self.here().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
        self
    }

    /// Writes a good skill at `FOLDER/NAME/SKILL.md`.
    pub(crate) fn skill(&self, folder: &str, name: &str, description: &str) -> &TestEnv {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n");
        self.file(&format!("{folder}/{name}/SKILL.md"), text)
    }

    /// Makes a link, relative to the working folder.
    #[cfg(unix)]
    pub(crate) fn link(&self, target: &str, path: &str) -> &TestEnv {
        let path = self.here().join(path);
        fs::create_dir_all(path.parent().expect("a link has a folder"))
            .expect("the folder can be made");
        std::os::unix::fs::symlink(target, path).expect("the link can be made");
        self
    }

    /// Puts the library of the plugin `hello` at `path`, in folders that no other user can write to.
    pub(crate) fn library(&self, path: &str) -> &TestEnv {
        let name = format!(
            "{}hello{}",
            std::env::consts::DLL_PREFIX,
            std::env::consts::DLL_SUFFIX
        );
        let built = std::env::current_exe()
            .expect("a test is a file")
            .with_file_name(name);
        self.file(
            path,
            fs::read(built).expect("the plugin is a dependency of the tests"),
        )
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in("", arguments)
    }

    /// Runs in a folder below the working one.
    pub(crate) fn run_in(&self, below: &str, arguments: &[&str]) -> Ran {
        self.run_with(below, None, arguments)
    }

    /// Runs with a person who answers with these lines.
    pub(crate) fn run_answering(&self, answers: &str, arguments: &[&str]) -> Ran {
        self.run_with("", Some(answers), arguments)
    }

    fn run_with(&self, below: &str, answers: Option<&str>, arguments: &[&str]) -> Ran {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut environment =
            Environment::new(self.here().join(below).components().collect::<PathBuf>())
                .home(self.root.join("home"))
                .variables([
                    ("PATH".into(), "/usr/bin:/bin".into()),
                    ("COLUMNS".into(), (&self.columns).into()),
                ])
                .helper([env!("CARGO_BIN_EXE_repertoire").into(), "__helper".into()])
                .stdout(Stream::new(&mut stdout))
                .stderr(Stream::new(&mut stderr));
        if let Some(answers) = answers {
            environment = environment.stdin(answers.as_bytes());
        }
        let exit = run(std::iter::once(&"repertoire").chain(arguments), environment);
        Ran {
            exit,
            stdout: self.text(stdout),
            stderr: self.text(stderr),
        }
    }

    /// Starts the real binary, its output piped.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary was built for this test")
    }

    /// The real binary, to be started, with the home of this env.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_repertoire"));
        command
            .args(arguments)
            .current_dir(self.here())
            .env("HOME", self.root.join("home"));
        command.env_remove("XDG_STATE_HOME");
        command
    }

    fn text(&self, bytes: Vec<u8>) -> String {
        let text = String::from_utf8(bytes).expect("answers for people are UTF-8");
        text.replace(&*self.root.to_string_lossy(), "[WORLD]")
    }
}

impl Ran {
    /// The data of a run that went well and had nothing else to say.
    #[track_caller]
    pub(crate) fn data(self) -> String {
        assert_eq!((self.exit, self.stderr.as_str()), (Exit::Success, ""));
        self.stdout
    }

    /// Returns the message of a run that failed.
    #[track_caller]
    pub(crate) fn failure(self) -> String {
        assert_eq!((self.exit, self.stdout.as_str()), (Exit::Failure, ""));
        self.stderr
    }
}

/// A file of this checkout.
pub(crate) fn checkout(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}
