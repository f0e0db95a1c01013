//! Requests to a running gateway, over the socket in its state folder.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::Environment;
use crate::failure::Failure;
use crate::http_answer::{AnswerError, HttpAnswer};
use crate::options::{FolderOption, SOCKET};

/// The path of the agents' records in the API of a gateway.
pub(super) const RECORDS: &str = "/api/v1/agents/records";

/// The most bytes of an answer.
const MOST_BYTES: u64 = 16 << 20;

/// The time between two parts of an answer.
const READING: Duration = Duration::from_secs(60);

/// A gateway that runs in a different process.
pub(super) struct GatewayClient {
    socket: PathBuf,
}

impl GatewayClient {
    /// Creates a client of the gateway with this state folder.
    pub(super) fn of(
        folder: &FolderOption,
        environment: &Environment<'_>,
    ) -> Result<GatewayClient, Failure> {
        let socket = folder.path(environment)?.join(SOCKET);
        Ok(GatewayClient { socket })
    }

    /// Sends a request, and returns the JSON of the answer.
    ///
    /// # Errors
    /// No gateway runs, or it refuses the request.
    pub(super) fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let answer = exchange(&self.socket, request.as_bytes())?;
        let value: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        match answer.status {
            200..300 => Ok(value),
            status => Err(refusal(status, &value)),
        }
    }
}

fn refusal(status: u16, problem: &Value) -> Failure {
    match problem["detail"].as_str() {
        Some(detail) => Failure::new(detail),
        None => Failure::new(format!("the gateway answered with `{status}`")),
    }
}

#[cfg(unix)]
fn exchange(socket: &Path, request: &[u8]) -> Result<HttpAnswer, Failure> {
    use std::os::unix::net::UnixStream;

    let mut stream = UnixStream::connect(socket).map_err(|_| {
        let failure = Failure::new(format!("no gateway listens at `{}`", socket.display()));
        failure.help("start one with `repertoire gateway start`")
    })?;
    let failed = |error| Failure::io("cannot talk to the gateway", &error);
    stream.set_read_timeout(Some(READING)).map_err(failed)?;
    stream.write_all(request).map_err(failed)?;
    HttpAnswer::read(stream, MOST_BYTES).map_err(|error| match error {
        AnswerError::Connection(error) => failed(error),
        AnswerError::Malformed(fault) => Failure::new(format!("the gateway {fault}")),
    })
}

#[cfg(not(unix))]
fn exchange(_: &Path, _: &[u8]) -> Result<HttpAnswer, Failure> {
    Err(Failure::new("this system has no Unix sockets"))
}
