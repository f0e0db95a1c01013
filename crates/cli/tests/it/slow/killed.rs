//! `repertoire serve`, killed while it answers: a client has an error then, and never other bytes than those of the file.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::ChildStdin;

use serde_json::{Value, json};

use crate::serve::{Serving, introduction};
use crate::test_env::TestEnv;

/// More bytes than the system buffers of an unread answer, so that a server is killed while it writes.
const SIZE: usize = 8 << 20;

fn text(letter: &str) -> String {
    format!("{letter}\n").repeat(SIZE / 2)
}

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.")
        .file("a/tidy/notes.txt", text("a"));
    env
}

fn read(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": {"uri": "skill://a/tidy/notes.txt"}})
}

fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// The text of a whole answer.
fn text_of(message: &str) -> String {
    let message: Value = serde_json::from_str(message).expect("a document");
    message["result"]["contents"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"))
        .to_owned()
}

#[test]
fn stdio_answers_are_whole_or_absent() {
    let env = env();
    let begin = |letter: &str| {
        let mut serving = Serving::start(&env, &["a"], &[]);
        let mut ask: ChildStdin = serving.0.stdin.take().expect("it is piped");
        let mut answers = BufReader::new(serving.0.stdout.take().expect("it is piped"));
        let mut answer = String::new();
        writeln!(ask, "{}\n{}\n{}", introduction(), initialized(), read(2)).expect("heard");
        answers.read_line(&mut answer).expect("text");
        answer.clear();
        answers.read_line(&mut answer).expect("text");
        assert!(text_of(&answer) == text(letter), "other bytes");
        (serving, ask, answers)
    };
    let (mut serving, mut ask, mut answers) = begin("a");
    writeln!(ask, "{}", read(3)).expect("heard");
    let mut part = vec![0; 1024];
    answers.read_exact(&mut part).expect("it answers");
    serving.0.kill().expect("it is there");
    answers.read_to_end(&mut part).expect("an end");
    let part = String::from_utf8(part).expect("text");
    assert!(
        !part.ends_with('\n'),
        "it was killed in the midst of a line"
    );
    assert!(
        serde_json::from_str::<Value>(&part).is_err(),
        "half an answer is no message"
    );

    env.file("a/tidy/notes.txt", text("b"));
    begin("b");
}

/// A connection, and what came of its answer.
struct Asked(BufReader<TcpStream>);

impl Asked {
    fn new(address: &str, session: Option<&str>, message: &Value) -> Asked {
        let mut stream = TcpStream::connect(address).expect("it listens");
        let session = session
            .map(|id| format!("mcp-session-id: {id}\r\n"))
            .unwrap_or_default();
        let body = message.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{session}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("heard");
        Asked(BufReader::new(stream))
    }

    /// The status and the lines of the head.
    fn head(&mut self) -> (u16, Vec<String>) {
        let lines = self.0.by_ref().lines().map(|line| line.expect("text"));
        let lines: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let status = lines[0]
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        (status, lines)
    }

    /// The body, which comes in chunks; an error where it is not whole.
    fn body(&mut self) -> Result<String, std::io::Error> {
        let mut body = Vec::new();
        loop {
            let mut size = String::new();
            self.0.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim(), 16)
                .map_err(|_| std::io::ErrorKind::UnexpectedEof)?;
            let start = body.len();
            body.resize(start + size + 2, 0);
            self.0.read_exact(&mut body[start..])?;
            body.truncate(start + size);
            if size == 0 {
                return Ok(String::from_utf8(body).expect("text"));
            }
        }
    }

    fn message(&mut self) -> String {
        assert_eq!(self.head().0, 200);
        let body = self.body().expect("a whole body");
        let mut data = body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter(|data| !data.trim().is_empty());
        data.next().expect("a message").to_owned()
    }
}

fn serve(env: &TestEnv, address: &str) -> (Serving, String) {
    let mut serving = Serving::start(env, &["a", "--http", address], &[("RUST_LOG", "error")]);
    let mut line = String::new();
    BufReader::new(serving.0.stderr.take().expect("it is piped"))
        .read_line(&mut line)
        .expect("text");
    let address = line
        .trim()
        .strip_prefix("note: listening on http://")
        .and_then(|url| url.strip_suffix("/mcp"));
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    (serving, address)
}

/// Begins a session, and gives its id.
fn begin(address: &str) -> String {
    let (status, head) = Asked::new(address, None, &introduction()).head();
    assert_eq!(status, 200);
    let id = head
        .iter()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session")
        .to_owned();
    assert_eq!(Asked::new(address, Some(&id), &initialized()).head().0, 202);
    id
}

#[test]
fn http_answers_are_whole_or_errors() {
    let env = env();
    let (mut serving, address) = serve(&env, "127.0.0.1:0");
    let session = begin(&address);
    assert!(
        text_of(&Asked::new(&address, Some(&session), &read(2)).message()) == text("a"),
        "other bytes"
    );

    let mut asked = Asked::new(&address, Some(&session), &read(3));
    assert_eq!(asked.head().0, 200);
    asked.0.fill_buf().expect("it answers");
    serving.0.kill().expect("it is there");
    serving.0.wait().expect("it is ours");
    asked
        .body()
        .expect_err("it was killed in the midst of a body");

    env.file("a/tidy/notes.txt", text("b"));
    let (_serving, again) = serve(&env, &address);
    assert_eq!(again, address);
    assert_eq!(
        Asked::new(&address, Some(&session), &read(4)).head().0,
        404,
        "the session was of another process"
    );
    let session = begin(&address);
    assert!(
        text_of(&Asked::new(&address, Some(&session), &read(5)).message()) == text("b"),
        "other bytes"
    );
}
