//! The server, a process.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::listening_server::ListeningServer;

/// `repertoire serve --http`, or a gateway; killed when it is dropped.
pub(super) struct Process {
    server: ListeningServer,
    address: SocketAddr,
    /// The times at which the server logged a new snapshot.
    published: Receiver<Instant>,
}

/// The timeout for starting, publishing and ending.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

impl Process {
    pub(super) fn start(
        program: &Path,
        skills: &Path,
        sessions: usize,
    ) -> Result<Process, Failure> {
        let mut command = Command::new(program);
        command
            .args([
                "serve",
                "--http",
                "127.0.0.1:0",
                "--max-sessions",
                &(sessions + 8).to_string(),
            ])
            .arg(skills);
        Process::start_command(command)
    }

    /// Starts a gateway of a configuration file.
    pub(super) fn start_gateway(
        program: &Path,
        file: &Path,
        state: &Path,
    ) -> Result<Process, Failure> {
        let mut command = Command::new(program);
        command
            .args(["gateway", "start", "--http", "127.0.0.1:0", "--config"])
            .arg(file)
            .arg("--state-dir")
            .arg(state);
        Process::start_command(command)
    }

    fn start_command(mut command: Command) -> Result<Process, Failure> {
        command.env("RUST_LOG", "warn,repertoire_mcp::server=debug");
        let (publish, published) = mpsc::channel();
        let server = ListeningServer::start(&mut command, move |line| {
            if line.contains("published") {
                let _ = publish.send(Instant::now());
            } else {
                eprintln!("server: {line}");
            }
        })?;
        let address = server.address.parse()?;
        Ok(Process {
            server,
            address,
            published,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Forgets what was published by now.
    pub(super) fn forget(&self) {
        self.published.try_iter().for_each(drop);
    }

    /// Returns the time at which the server logs the next snapshot.
    pub(super) fn published(&self) -> Result<Instant, Failure> {
        Ok(self
            .published
            .recv_timeout(PATIENCE)
            .map_err(|_| "the server published nothing")?)
    }

    /// Resident bytes.
    pub(super) fn resident(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .ok_or("no `VmRSS`")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }

    /// The processor time of all its threads, in seconds.
    pub(super) fn cpu(&self) -> Result<f64, Failure> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.server.child.id()))?;
        let (_, rest) = stat.rsplit_once(')').ok_or("no name")?;
        let ticks = rest
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<u64>)
            .sum::<Result<u64, _>>()?;
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Ends it as a service manager would.
    pub(super) fn stop(mut self) -> Result<(), Failure> {
        let id = rustix::process::Pid::from_child(&self.server.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM)?;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.server.child.try_wait()? {
                return if status.success() {
                    Ok(())
                } else {
                    Err(format!("the server ended with {status}").into())
                };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("the server does not end".into())
    }
}
