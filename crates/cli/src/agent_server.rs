//! The list of skills of a running server of an agent.

use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use repertoire::skill::skill_uri::encoded_path;
use repertoire_profiles::ListServer;

use crate::http_answer::{AnswerError, HttpAnswer};

/// The time that a server has to accept a connection.
const CONNECTING: Duration = Duration::from_secs(2);
/// The time between two parts of an answer.
const READING: Duration = Duration::from_secs(30);
/// The most bytes of an answer: the bodies of skills are in it.
const MOST_BYTES: u64 = 256 << 20;

/// The error returned when a server gives no list.
#[derive(Debug)]
pub(crate) enum ServerError {
    /// No server accepts connections at the address.
    Absent,
    /// The reason, for people.
    Failed(String),
}

impl ServerError {
    fn new(reason: &str) -> ServerError {
        ServerError::Failed(reason.to_owned())
    }
}

impl From<io::Error> for ServerError {
    fn from(error: io::Error) -> ServerError {
        ServerError::Failed(format!("cannot be read: {error}"))
    }
}

/// Returns the answer of the server at `address` for `folder`.
pub(crate) fn read_list(
    server: &ListServer,
    address: &str,
    folder: &Path,
) -> Result<String, ServerError> {
    let host = address.strip_prefix("http://");
    let host =
        host.ok_or_else(|| ServerError::new("is not an address that begins with `http://`"))?;
    let host = host.trim_end_matches('/');
    let mut stream = connect(host)?;
    stream.set_read_timeout(Some(READING))?;
    let request = format!(
        "GET {}?{}={} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n",
        server.path,
        server.folder,
        encoded_path(&folder.to_string_lossy())
    );
    stream.write_all(request.as_bytes())?;
    let answer = HttpAnswer::read(stream, MOST_BYTES).map_err(|error| match error {
        AnswerError::Connection(error) => error.into(),
        AnswerError::Malformed(fault) => ServerError::new(fault),
    })?;
    match answer.status {
        200 => Ok(answer.body),
        status => Err(ServerError::Failed(format!("answered with `{status}`"))),
    }
}

fn connect(host: &str) -> Result<TcpStream, ServerError> {
    let with_port = match host.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => host.to_owned(),
        _ => format!("{host}:80"),
    };
    let addresses = with_port
        .to_socket_addrs()
        .map_err(|_| ServerError::Absent)?;
    let mut connected =
        addresses.filter_map(|address| TcpStream::connect_timeout(&address, CONNECTING).ok());
    connected.next().ok_or(ServerError::Absent)
}
