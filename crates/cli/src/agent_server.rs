//! The list of skills of a running server of an agent.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use repertoire::skill::skill_uri::encoded_path;
use repertoire_profiles::ListServer;

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
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let end = end.ok_or_else(|| ServerError::new("did not answer in HTTP"))?;
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let status = head.split_whitespace().nth(1).unwrap_or_default();
    if status != "200" {
        return Err(ServerError::Failed(format!("answered with `{status}`")));
    }
    let body = &answer[end + 4..];
    let is_chunked = head
        .lines()
        .any(|line| line.starts_with("transfer-encoding:") && line.contains("chunked"));
    let body = match is_chunked {
        true => joined_chunks(body).ok_or_else(|| ServerError::new("sent an incomplete answer"))?,
        false => body.to_vec(),
    };
    String::from_utf8(body).map_err(|_| ServerError::new("sent an answer that is not UTF-8"))
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

/// Returns the body of a chunked answer; `None` if its last chunk is missing.
fn joined_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    loop {
        let end = body.windows(2).position(|bytes| bytes == b"\r\n")?;
        let size = std::str::from_utf8(&body[..end]).ok()?;
        let size = size.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some(joined);
        }
        let begin = end + 2;
        let chunk = body.get(begin..begin.checked_add(size)?)?;
        joined.extend_from_slice(chunk);
        body = body.get(begin + size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::joined_chunks;

    #[test]
    fn chunks_are_joined_up_to_the_last() {
        let whole = b"4;x=1\r\nabcd\r\nA\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(
            joined_chunks(whole).as_deref(),
            Some(&b"abcd0123456789"[..])
        );
        for cut in [0, 5, 12, 20, 29] {
            assert_eq!(joined_chunks(&whole[..cut]), None, "{cut}");
        }
        assert_eq!(joined_chunks(b"ffffffffffffffff\r\nabc"), None);
    }
}
