//! A Postgres server for the tests of a store, which ends with them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::ci::UNPRIVILEGED;
use crate::{Failure, step, venv};

const HEADING: &str = "agents on Postgres";

/// Runs the tests of the agents crate with a server.
///
/// # Errors
/// Fails if a test fails, or if a server that is installed does not start.
pub(crate) fn run() -> Result<(), Failure> {
    let Some(programs) = installed() else {
        step::skipped(HEADING, "`initdb` is not installed");
        return Ok(());
    };
    let server = Server::start(&programs)?;
    let socket = server.folder.path().display();
    let line = format!(
        "REPERTOIRE_TEST_POSTGRES={socket} cargo nextest run -p repertoire-agents --features postgres"
    );
    step::command(HEADING, &line)
}

/// Returns the folder of the server's programs. Debian has them outside of the search path.
fn installed() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let versions = versions.flatten().map(|version| version.path().join("bin"));
    env::split_paths(&path)
        .chain(versions)
        .find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file())
}

struct Server {
    programs: PathBuf,
    /// The folder of the data and the socket.
    folder: TempDir,
}

impl Server {
    fn start(programs: &Path) -> Result<Server, Failure> {
        let folder = tempfile::tempdir()?;
        if rustix::process::geteuid().is_root() {
            let owner = format!("{UNPRIVILEGED}:{UNPRIVILEGED}");
            venv::call(Command::new("chown").arg(owner).arg(folder.path()))?;
        }
        let server = Server {
            programs: programs.to_owned(),
            folder,
        };
        let create = ["-U", "agents", "-A", "trust", "-E", "UTF8", "--no-sync"];
        venv::call(server.command("initdb").args(create))?;
        let options = format!("-k {} -c listen_addresses=", server.folder.path().display());
        let log = server.folder.path().join("log");
        let start = ["-w", "-o", &options, "start"];
        venv::call(server.command("pg_ctl").arg("-l").arg(log).args(start))?;
        Ok(server)
    }

    /// Returns a command of the server, which refuses to run as root.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command
                .arg(format!("--reuid={UNPRIVILEGED}"))
                .arg(format!("--regid={UNPRIVILEGED}"))
                .arg("--clear-groups")
                .arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .current_dir(self.folder.path())
            .env("LC_ALL", "C")
            .arg("-D")
            .arg(self.folder.path().join("data"));
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut stop = self.command("pg_ctl");
        if let Err(error) = venv::call(stop.args(["-m", "immediate", "stop"])) {
            eprintln!("the Postgres server did not stop: {error}");
        }
    }
}
