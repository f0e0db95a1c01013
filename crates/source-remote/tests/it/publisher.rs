//! A web server with skills in each form that the source reads.

use std::collections::BTreeMap;

use repertoire_core::Digest;
use repertoire_source_remote::{RemoteOptions, RemoteSource};
use repertoire_testkit::StaticServer;
use serde_json::{Value, json};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const COLLECTION: &str = "application/vnd.agentskills.collection.v1";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";

/// A form in which a server publishes skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// An index of version 0.2.0, with a tar archive for each skill.
    Archives,
    /// An index of version 0.1.0, with files.
    Files,
    /// A collection in an OCI registry.
    Collection,
}

/// Skills on a server, as files by their paths.
pub(crate) struct Publisher {
    pub(crate) server: StaticServer,
    pub(crate) skills: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    form: Form,
}

impl Publisher {
    pub(crate) fn new(form: Form) -> Publisher {
        let publisher = Publisher {
            server: StaticServer::start(),
            skills: BTreeMap::new(),
            form,
        };
        publisher.publish();
        publisher
    }

    pub(crate) fn options(&self) -> RemoteOptions {
        let url = match self.form {
            Form::Archives | Form::Files => self.server.url(""),
            Form::Collection => self.server.url("/skills").replace("http://", "oci://"),
        };
        let mut options = RemoteOptions::new(url.parse().expect("a reference"));
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

    /// Returns the path of the archive of a skill on the server.
    pub(crate) fn archive(&self, id: &str) -> String {
        match self.form {
            Form::Archives => format!("/{id}.tar"),
            Form::Files => panic!("the skill has no archive"),
            Form::Collection => {
                let digest = Digest::of(&tar(&self.skills[id]));
                format!("/v2/skills/blobs/{digest}")
            }
        }
    }

    pub(crate) fn publish(&self) {
        match self.form {
            Form::Archives => self.publish_archives(),
            Form::Files => self.publish_files(),
            Form::Collection => self.publish_collection(),
        }
    }

    fn publish_archives(&self) {
        let rows = self.skills.iter().map(|(id, files)| {
            let archive = tar(files);
            let (path, digest) = (self.archive(id), Digest::of(&archive));
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

    fn publish_collection(&self) {
        let rows = self.skills.iter().map(|(id, files)| {
            let archive = tar(files);
            let layer = descriptor(LAYER, &archive);
            self.server.serve(&self.archive(id), archive);
            let manifest = json!({ "schemaVersion": 2, "layers": [layer] }).to_string();
            let mut row = descriptor(MANIFEST, manifest.as_bytes());
            let path = format!("/v2/skills/manifests/{}", Digest::of(manifest.as_bytes()));
            self.server.serve(&path, manifest);
            row["annotations"] = json!({ "io.agentskills.skill.name": id });
            row
        });
        let rows: Vec<_> = rows.collect();
        let index = json!({ "schemaVersion": 2, "artifactType": COLLECTION, "manifests": rows });
        let path = "/v2/skills/manifests/latest";
        self.server.serve(path, index.to_string());
    }
}

fn descriptor(kind: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": kind, "digest": Digest::of(bytes), "size": bytes.len() })
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
