//! Skills of web servers: `add`, `outdated`, `update` and `sync`.

use std::fs;
use std::process::Command;

use repertoire_cli::Exit;
use repertoire_testkit::StaticServer;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const ALLOWED: [&str; 3] = ["--yes", "--allow-host", "127.0.0.1"];

/// A skill in a folder, and on a server in every package: `/tidy.zip`, `/tidy.tar.gz`, and two indexes.
struct Publisher {
    env: TestEnv,
    server: StaticServer,
    old: StaticServer,
}

impl Publisher {
    fn new() -> Publisher {
        let publisher = Publisher {
            env: TestEnv::new(),
            server: StaticServer::start(),
            old: StaticServer::start(),
        };
        publisher
            .env
            .file("made/tidy/scripts/run.sh", "#!/bin/sh\nls\n");
        publisher.publish("Sorts.");
        publisher
    }

    /// Packs the skill with a description, and serves it.
    fn publish(&self, description: &str) {
        let text = format!("---\nname: tidy\ndescription: {description}\n---\nSort.\n");
        self.env.file("made/tidy/SKILL.md", &text);
        let tar = self.packed("tar", &["czf", "-", "tidy"]);
        let program = "import shutil,sys; shutil.make_archive('../packed', 'zip', '.', 'tidy')";
        self.packed("python3", &["-c", program]);
        let zip = fs::read(self.env.here().join("packed.zip")).expect("it was packed");
        let digest = repertoire::skill::Digest::of(&tar);
        let index = json!({ "$schema": SCHEMA, "skills": [
            { "name": "tidy", "type": "archive", "description": description, "url": "/tidy.tar.gz", "digest": digest },
        ]});
        self.server
            .serve("/.well-known/agent-skills/index.json", index.to_string());
        self.server.serve("/tidy.zip", zip);
        self.server.serve("/tidy.tar.gz", tar);
        let files = ["SKILL.md", "scripts/run.sh"];
        let index =
            json!({ "skills": [{ "name": "tidy", "description": description, "files": files }] });
        self.old
            .serve("/.well-known/skills/index.json", index.to_string());
        for file in files {
            let bytes = fs::read(self.env.here().join("made/tidy").join(file));
            self.old.serve(
                &format!("/.well-known/skills/tidy/{file}"),
                bytes.expect("it is there"),
            );
        }
    }

    fn packed(&self, program: &str, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.env.here().join("made"));
        let output = command.output().expect("the program is installed");
        assert!(output.status.success(), "{program}: {output:?}");
        output.stdout
    }

    fn good(&self, arguments: &[&str]) -> String {
        let ran = self.env.run(arguments);
        assert_eq!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stderr);
        ran.stdout
    }

    fn row(&self) -> Value {
        let text = fs::read_to_string(self.env.here().join("repertoire.lock.json"));
        let lock: Value = serde_json::from_str(&text.expect("there is a lock")).expect("JSON");
        lock["installed"][0].clone()
    }

    fn skill(&self) -> String {
        let path = self.env.here().join(".agents/skills/tidy/SKILL.md");
        fs::read_to_string(path).expect("it is installed")
    }
}

#[test]
fn every_web_reference_round_trips_with_equal_digests() {
    let publisher = Publisher::new();
    let (server, old) = (&publisher.server, &publisher.old);
    let mut manifests = Vec::new();
    for (reference, knows_updates) in [
        (server.url("/tidy.zip"), false),
        (server.url("/tidy.tar.gz"), false),
        (server.url(""), true),
        (old.url("#tidy"), false),
        ("./made/tidy".to_owned(), false),
    ] {
        publisher.publish("Sorts.");
        let add = [&["add", &reference][..], &ALLOWED].concat();
        publisher.good(&add);
        let first = publisher.row();
        assert_eq!(first["reference"], reference.as_str());
        manifests.push(first["manifest"].clone());
        assert!(publisher.good(&["verify"]).starts_with("1 skill matches"));
        let outdated = ["outdated", "--allow-host", "127.0.0.1"];
        assert_eq!(publisher.good(&outdated), "no source has newer content\n");

        publisher.publish("Sorts well.");
        let newer = publisher.good(&outdated);
        assert_eq!(
            newer.contains("tidy"),
            knows_updates,
            "{reference}: {newer}"
        );
        publisher.good(&[&["update"][..], &ALLOWED].concat());
        assert!(publisher.skill().contains("Sorts well."), "{reference}");
        let second = publisher.row();
        assert_ne!(second["manifest"], first["manifest"]);
        assert_eq!(second["first_trusted"], first["first_trusted"]);

        fs::remove_dir_all(publisher.env.here().join(".agents")).expect("it is there");
        publisher.good(&["sync", "--frozen", "--yes"]);
        assert!(publisher.skill().contains("Sorts well."), "{reference}");
        let data = publisher.env.here().join("../home/.local/share/repertoire");
        fs::remove_dir_all(data).expect("there is a store");
        fs::remove_dir_all(publisher.env.here().join(".agents")).expect("it is there");
        publisher.good(&[&["sync"][..], &ALLOWED].concat());
        assert_eq!(publisher.row(), second);
        publisher.good(&["remove", "tidy", "--yes"]);
    }
    manifests.dedup();
    assert_eq!(manifests.len(), 1, "{manifests:?}");
}

#[test]
fn a_synced_skill_has_the_locked_content() {
    let publisher = Publisher::new();
    publisher.good(&[&["add", &publisher.server.url("/tidy.zip")][..], &ALLOWED].concat());
    let data = publisher.env.here().join("../home/.local/share/repertoire");
    fs::remove_dir_all(data).expect("there is a store");
    publisher.publish("Steals.");
    let ran = publisher.env.run(&[&["sync"][..], &ALLOWED].concat());
    assert_eq!(ran.exit, Exit::Failure);
    let expected = "does not have the locked content of `tidy`";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    assert!(publisher.skill().contains("Sorts."));
}

#[test]
fn a_private_host_has_to_be_allowed() {
    let publisher = Publisher::new();
    let ran = publisher
        .env
        .run(&["add", &publisher.server.url(""), "--yes"]);
    assert_eq!(ran.exit, Exit::Failure);
    snapbox::assert_data_eq!(
        ran.stderr,
        snapbox::str![[r#"
error: `127.0.0.1` has a private address
 |
 = help: pass `--allow-host HOST` if you trust it

"#]]
    );
    assert_eq!(publisher.server.requests(), Vec::<String>::new());
}

#[test]
fn a_web_server_is_a_source() {
    let Publisher { env, server, old } = Publisher::new();
    let source = format!(
        "[[source]]\nkind = \"http\"\nname = \"acme\"\nurl = \"{}\"\nallow-hosts = [\"127.0.0.1\"]\n",
        server.url("")
    );
    env.file("repertoire.toml", &source);
    let body = ["body", "acme:tidy", "--config", "repertoire.toml"];
    let online = env.run(&body);
    assert_eq!(online.exit, Exit::Success, "{}", online.stderr);
    assert!(online.stdout.contains("Sort.\n"), "{}", online.stdout);
    let list = ["list", "--connect", "--config", "repertoire.toml"];
    let listed = env.run(&list);
    assert!(listed.stdout.contains("acme:tidy"), "{}", listed.stdout);
    // The stored content is listed without the servers.
    drop((server, old));
    assert_eq!(env.run(&list).stdout, listed.stdout);
    assert_eq!(env.run(&body).stdout, online.stdout);
    let checked = env.run(&["check", "--connect", "--config", "repertoire.toml"]);
    let expected = "the stored skills are listed";
    assert!(checked.stdout.contains(expected), "{}", checked.stdout);
}
