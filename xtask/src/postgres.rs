//! A Postgres server for the tests of a store, which ends with them.

use std::env;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::ci::{OPTIONAL_TESTS, UNPRIVILEGED};
use crate::{Failure, step, venv};

const HEADING: &str = "agents on Postgres";

/// Runs the tests of the agents crate, and those of two gateways that share a store, with a server.
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
    let port = server.port;
    let server = format!("REPERTOIRE_TEST_POSTGRES={socket} REPERTOIRE_TEST_POSTGRES_PORT={port}");
    let parts = [
        "-E package(repertoire-agents)",
        "--profile slow -E package(repertoire-cli)&test(shared_store)",
    ];
    parts.iter().try_for_each(|part| {
        let line = format!("{server} {} {part}", *OPTIONAL_TESTS);
        step::command(HEADING, &line)
    })
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
    /// The folder of the data, the socket and the certificate.
    folder: TempDir,
    port: u16,
}

impl Server {
    fn start(programs: &Path) -> Result<Server, Failure> {
        let folder = tempfile::tempdir()?;
        write_certificate(folder.path())?;
        if rustix::process::geteuid().is_root() {
            let owner = format!("{UNPRIVILEGED}:{UNPRIVILEGED}");
            venv::call(
                Command::new("chown")
                    .args(["-R", &owner])
                    .arg(folder.path()),
            )?;
        }
        let server = Server {
            programs: programs.to_owned(),
            folder,
            port: free_port()?,
        };
        let create = ["-U", "agents", "-A", "trust", "-E", "UTF8", "--no-sync"];
        venv::call(server.command("initdb").args(create))?;
        let (folder, port) = (server.folder.path(), server.port);
        let shown = folder.display();
        let options = format!(
            "-k {shown} -c listen_addresses=localhost -p {port} \
             -c ssl=on -c ssl_cert_file={shown}/server.crt -c ssl_key_file={shown}/server.key"
        );
        let log = folder.join("log");
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

/// Writes a certificate that signs itself, and its key, which the server wants to be private.
fn write_certificate(folder: &Path) -> Result<(), Failure> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    std::fs::write(folder.join("server.crt"), made.cert.pem())?;
    let mut key = std::fs::OpenOptions::new();
    let mut key = key
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(folder.join("server.key"))?;
    Ok(key.write_all(made.signing_key.serialize_pem().as_bytes())?)
}

/// Returns a port that no server uses now.
pub(crate) fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("localhost:0")?.local_addr()?.port())
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut stop = self.command("pg_ctl");
        if let Err(error) = venv::call(stop.args(["-m", "immediate", "stop"])) {
            eprintln!("the Postgres server did not stop: {error}");
        }
    }
}
