//! A server of the workspace as a process, with the address that it prints.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::Failure;

/// The time limit for a start, which is far shorter.
const PATIENCE: Duration = Duration::from_secs(60);

const PRINTED: &str = "listening on http://";

/// A server that listens, killed when it is dropped.
pub(crate) struct ListeningServer {
    pub(crate) child: Child,
    /// The address without scheme and path: `127.0.0.1:8321`.
    pub(crate) address: String,
    reader: Option<JoinHandle<()>>,
}

impl ListeningServer {
    /// Starts `command` and waits until it prints its address. `log` gets each other line of its standard error.
    pub(crate) fn start(
        command: &mut Command,
        mut log: impl FnMut(String) + Send + 'static,
    ) -> Result<ListeningServer, Failure> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child
            .stderr
            .take()
            .ok_or("the server has no standard error")?;
        let (sender, addresses) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                match line.split_once(PRINTED) {
                    Some((_, url)) => {
                        // No one waits for a second address.
                        let _ = sender.send(url.trim_end_matches("/mcp").to_owned());
                    }
                    None => log(line),
                }
            }
        });
        let mut server = ListeningServer {
            child,
            address: String::new(),
            reader: Some(reader),
        };
        let address = addresses.recv_timeout(PATIENCE);
        server.address = address.map_err(|_| "the server printed no address")?;
        Ok(server)
    }

    /// Waits for the end of the process and of its log.
    pub(crate) fn wait(mut self) -> Result<ExitStatus, Failure> {
        let status = self.child.wait()?;
        if let Some(reader) = self.reader.take() {
            reader.join().map_err(|_| "the log cannot be read")?;
        }
        Ok(status)
    }
}

impl Drop for ListeningServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
