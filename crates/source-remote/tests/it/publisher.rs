//! A web server with an index of skills.

use std::collections::BTreeMap;

use repertoire_core::Digest;
use repertoire_source_remote::{RemoteOptions, RemoteSource};
use repertoire_testkit::StaticServer;
use serde_json::json;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Skills on a server, as files by their paths.
pub(crate) struct Publisher {
    pub(crate) server: StaticServer,
    pub(crate) skills: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    /// `true` if the index is of version 0.2.0, with a tar archive for each skill.
    has_digests: bool,
}

impl Publisher {
    pub(crate) fn new(has_digests: bool) -> Publisher {
        let publisher = Publisher {
            server: StaticServer::start(),
            skills: BTreeMap::new(),
            has_digests,
        };
        publisher.publish();
        publisher
    }

    pub(crate) fn options(&self) -> RemoteOptions {
        let url = self.server.url("").parse().expect("a reference");
        let mut options = RemoteOptions::new(url);
        options.allow_hosts = vec!["127.0.0.1".to_owned()];
        options.poll_ms = 5;
        options
    }

    pub(crate) fn source(&self) -> RemoteSource {
        RemoteSource::new("remote", self.options()).expect("the options are valid")
    }

    pub(crate) fn put(&mut self, id: &str, path: &str, bytes: impl Into<Vec<u8>>) {
        let skill = self.skills.entry(id.to_owned()).or_default();
        skill.insert(path.to_owned(), bytes.into());
        self.publish();
    }

    pub(crate) fn publish(&self) {
        match self.has_digests {
            true => self.publish_archives(),
            false => self.publish_files(),
        }
    }

    fn publish_archives(&self) {
        let rows = self.skills.iter().map(|(id, files)| {
            let archive = tar(files);
            let (path, digest) = (format!("/{id}.tar"), Digest::of(&archive));
            self.server.serve(&path, archive);
            json!({ "name": id, "type": "archive", "url": path, "digest": digest })
        });
        let rows: Vec<_> = rows.collect();
        let index = json!({ "$schema": SCHEMA, "skills": rows });
        let path = "/.well-known/agent-skills/index.json";
        self.server.serve(path, index.to_string());
    }

    fn publish_files(&self) {
        let rows = self.skills.iter().map(|(id, files)| {
            for (path, bytes) in files {
                let path = format!("/.well-known/skills/{id}/{path}");
                self.server.serve(&path, bytes.clone());
            }
            let files: Vec<_> = files.keys().collect();
            json!({ "name": id, "files": files })
        });
        let rows: Vec<_> = rows.collect();
        let index = json!({ "skills": rows });
        let path = "/.well-known/skills/index.json";
        self.server.serve(path, index.to_string());
    }
}

fn tar(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (path, content) in files {
        let mut header = vec![0; 512];
        header[..path.len()].copy_from_slice(path.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[148..156].copy_from_slice(b"        ");
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend(header);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}
