//! Git's own server behind a few lines of HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Serves the repositories below `root` until the process ends; nothing, where git is not installed.
pub(crate) fn serve(root: &Path) -> Option<SocketAddr> {
    let path = Command::new("git")
        .arg("--exec-path")
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let backend =
        PathBuf::from(String::from_utf8(path.stdout).ok()?.trim()).join("git-http-backend");
    if !backend.is_file() {
        return None;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let root = root.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (backend, root) = (backend.clone(), root.clone());
            // A client that goes away is not the server's affair.
            thread::spawn(move || drop(answer(stream, &backend, &root)));
        }
    });
    Some(address)
}

/// One request for each connection: what CGI is.
fn answer(stream: TcpStream, backend: &Path, root: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = (
        words.next().unwrap_or_default().to_owned(),
        words.next().unwrap_or_default().to_owned(),
    );
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut command = Command::new(backend);
    command
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &method);
    command
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REMOTE_ADDR", "127.0.0.1");
    let mut length = None;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse::<u64>().ok(),
            "transfer-encoding" => length = None,
            "content-type" => drop(command.env("CONTENT_TYPE", value.trim())),
            "content-encoding" => drop(command.env("HTTP_CONTENT_ENCODING", value.trim())),
            "git-protocol" => drop(command.env("GIT_PROTOCOL", value.trim())),
            _ => {}
        }
    }
    let mut body = Vec::new();
    match length {
        Some(length) => drop(reader.take(length).read_to_end(&mut body)?),
        None if method == "POST" => body = chunks(&mut reader)?,
        None => {}
    }
    command.env("CONTENT_LENGTH", body.len().to_string());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().expect("it is piped").write_all(&body)?;
    let output = child.wait_with_output()?.stdout;
    let body = output
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .map_or(output.len(), |end| end + 4);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n",
        output.len() - body
    )?;
    stream.write_all(&output)
}

fn chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).unwrap_or(0);
        if size == 0 {
            return Ok(body);
        }
        reader.take(size).read_to_end(&mut body)?;
        reader.read_line(&mut line)?;
    }
}
