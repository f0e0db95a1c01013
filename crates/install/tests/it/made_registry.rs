//! A registry that answers as a test states, and records what it was asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use repertoire_core::Digest;
use serde_json::{Value, json};

/// A server on a free port of this machine. It ends with the test.
pub(crate) struct MadeRegistry {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) host: String,
    pub(crate) authorization: Option<String>,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// The content of a repository, by its paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct MadeRepository {
    content: BTreeMap<String, Vec<u8>>,
}

impl MadeRegistry {
    /// Starts a registry that answers every request with `answer`.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> MadeRegistry {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let record = Arc::clone(&asked);
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, record) = (Arc::clone(&answer), Arc::clone(&record));
                // A connection without a request stays open.
                thread::spawn(move || {
                    let Ok(stream) = stream else { return };
                    let Some(request) = read(&stream) else { return };
                    record
                        .lock()
                        .expect("no thread panics")
                        .push(request.clone());
                    write(stream, &answer(&request));
                });
            }
        });
        MadeRegistry { address, asked }
    }

    /// Starts a registry with one repository, which anyone may read.
    pub(crate) fn of(repository: MadeRepository) -> MadeRegistry {
        MadeRegistry::start(move |asked| repository.answer(&asked.path))
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no thread panics").clone()
    }
}

impl MadeRepository {
    /// Adds a blob, and returns its descriptor.
    pub(crate) fn blob(&mut self, kind: &str, bytes: impl Into<Vec<u8>>) -> Value {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        let descriptor = json!({ "mediaType": kind, "digest": digest, "size": bytes.len() });
        self.content.insert(format!("blobs/{digest}"), bytes);
        descriptor
    }

    /// Adds a manifest or an index by its digest, and returns its descriptor.
    pub(crate) fn manifest(&mut self, document: &Value) -> Value {
        let bytes = document.to_string().into_bytes();
        let digest = Digest::of(&bytes);
        let size = bytes.len();
        self.content.insert(format!("manifests/{digest}"), bytes);
        json!({ "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest, "size": size })
    }

    /// Gives a tag to a manifest or an index.
    pub(crate) fn tag(&mut self, tag: &str, document: &Value) -> Digest {
        self.manifest(document);
        let bytes = document.to_string().into_bytes();
        let digest = Digest::of(&bytes);
        self.content.insert(format!("manifests/{tag}"), bytes);
        digest
    }

    /// Replaces the content at a path below the repository.
    pub(crate) fn replace(&mut self, path: &str, bytes: &[u8]) {
        let known = self.content.insert(path.to_owned(), bytes.to_vec());
        assert!(known.is_some(), "`{path}` is not in the repository");
    }

    /// Returns the answer for a path such as `/v2/team/pdf/manifests/1.0`.
    pub(crate) fn answer(&self, path: &str) -> Answer {
        let path = path.strip_prefix("/v2/team/pdf/").unwrap_or_default();
        match self.content.get(path) {
            Some(body) => Answer {
                status: 200,
                headers: Vec::new(),
                body: body.clone(),
            },
            None => Answer::status(404),
        }
    }
}

impl Answer {
    pub(crate) fn status(status: u16) -> Answer {
        Answer {
            status,
            ..Answer::default()
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut asked = Asked {
        path,
        host: String::new(),
        authorization: None,
    };
    while let Some(Ok(line)) = lines.next() {
        let Some((name, value)) = line.split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => asked.authorization = Some(value.to_owned()),
            "host" => value.clone_into(&mut asked.host),
            _ => {}
        }
    }
    Some(asked)
}

fn write(mut stream: TcpStream, answer: &Answer) {
    let mut head = format!(
        "HTTP/1.1 {} Made\r\ncontent-length: {}\r\nconnection: close\r\n",
        answer.status,
        answer.body.len()
    );
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // A client may end a connection that it refuses.
    let _ = stream.write_all(format!("{head}\r\n").as_bytes());
    let _ = stream.write_all(&answer.body);
}
