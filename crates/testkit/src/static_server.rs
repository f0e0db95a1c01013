//! A web server with fixed answers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use parking_lot::Mutex;

/// A server on `127.0.0.1` that answers each path with a fixed response, until it is dropped.
///
/// It answers 404 for every other path, and closes each connection after one answer.
#[derive(Debug)]
pub struct StaticServer {
    address: SocketAddr,
    state: Arc<ServerState>,
}

#[derive(Debug, Default)]
struct ServerState {
    answers: Mutex<BTreeMap<String, (String, Vec<u8>)>>,
    requests: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl StaticServer {
    /// Starts a server without answers on a free port.
    ///
    /// # Panics
    /// No port is free.
    pub fn start() -> StaticServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(ServerState::default());
        let shared = state.clone();
        thread::spawn(move || {
            for connection in listener.incoming() {
                if shared.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let shared = shared.clone();
                // A client that ends early is not an error of the server.
                thread::spawn(move || connection.and_then(|stream| shared.answer(stream)));
            }
        });
        StaticServer { address, state }
    }

    /// Returns the URL of a path, which begins with `/` or is empty.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Serves a file at `path`.
    pub fn serve(&self, path: &str, body: impl Into<Vec<u8>>) {
        let body = body.into();
        let head = format!("200 OK\r\nContent-Length: {}", body.len());
        self.answer(path, &head, body);
    }

    /// Answers `path` with a status line and headers, as `302 Found\r\nLocation: /new`, and a body.
    pub fn answer(&self, path: &str, head: &str, body: impl Into<Vec<u8>>) {
        let answer = (head.to_owned(), body.into());
        self.state.answers.lock().insert(path.to_owned(), answer);
    }

    /// Returns the heads of the requests until now, in order.
    pub fn requests(&self) -> Vec<String> {
        self.state.requests.lock().clone()
    }
}

impl Drop for StaticServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

impl ServerState {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut head = String::new();
        let mut reader = BufReader::new(stream.try_clone()?.take(64 << 10));
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let is_head = head.starts_with("HEAD ");
        self.requests.lock().push(head);
        let answer = self.answers.lock().get(&path).cloned();
        let missing = || ("404 Not Found\r\nContent-Length: 0".to_owned(), Vec::new());
        let (head, body) = answer.unwrap_or_else(missing);
        write!(stream, "HTTP/1.1 {head}\r\nConnection: close\r\n\r\n")?;
        if !is_head {
            stream.write_all(&body)?;
        }
        Ok(())
    }
}
