//! The times of installing, verifying and listing a collection of an OCI registry.

use std::fs;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use repertoire::skill::Digest;
use repertoire_cli::{Environment, Exit, Stream};
use repertoire_testkit::StaticServer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::random::Random;
use super::rounds::parsed;
use super::template::template;
use super::{Bench, Figure, floor, median};
use crate::Failure;

/// Elapsed times in seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct InstallTimes {
    add: f64,
    /// Every manifest and layer, requested and digested.
    fetch: f64,
    verify: f64,
    /// Every installed file, read and digested.
    digest: f64,
    list: f64,
    /// Every `SKILL.md`, read.
    read: f64,
}

const COLLECTION: &str = "application/vnd.agentskills.collection.v1";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const LAYER: &str = "application/vnd.agentskills.skill.content.v1.tar+gzip";
const REPOSITORY: &str = "/v2/skills";

/// The connections of the floor, as many as an installation has.
const PARALLEL: usize = 8;

/// Measures each command on a collection in a registry of this machine.
pub(super) fn figures(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (count, rounds) = match bench.options.quick {
        true => (20, 1),
        false => (1_000, bench.options.rounds),
    };
    eprintln!("installing {count} skills");
    let runs = (0..rounds).map(|round| {
        let folder = bench.folder.path().join(format!("installs-{round}"));
        fs::create_dir(&folder)?;
        parsed(
            bench
                .itself()
                .arg("install")
                .arg(&folder)
                .arg(count.to_string()),
        )
    });
    let runs = runs.collect::<Result<Vec<InstallTimes>, Failure>>()?;
    let of = |part: fn(&InstallTimes) -> f64| median(runs.iter().map(part)) * 1e3;
    let figure = |name: &str, milliseconds: f64| {
        Figure::new(format!("install/{name}/{count}"), milliseconds, "ms")
    };
    bench.figures.extend([
        figure("add", of(|run| run.add)).against(of(|run| run.fetch), "fetching the same"),
        figure("verify", of(|run| run.verify)).against(of(|run| run.digest), "digesting the same"),
        figure("list", of(|run| run.list)).against(of(|run| run.read), "read"),
    ]);
    Ok(())
}

/// Measures each command once, in a folder that is empty.
pub(super) fn measure(folder: &Path, count: usize) -> Result<InstallTimes, Failure> {
    let registry = StaticServer::start();
    let paths = publish(&registry, count)?;
    let project = folder.join("project");
    fs::create_dir(&project)?;
    let fetch = seconds(|| fetch(&registry, &paths))?;
    let reference = registry.url("/skills:1.0").replace("http://", "oci://");
    let add = ["add", &reference, "--yes", "--allow-host", "127.0.0.1"];
    let run = |arguments: &[&str]| {
        let mut printed = String::new();
        let seconds = seconds(|| {
            printed = call(folder, &project, arguments)?;
            Ok(())
        })?;
        Ok::<_, Failure>((seconds, printed))
    };
    let (add, _) = run(&add)?;
    let skills = project.join(".agents/skills");
    let digest = seconds(|| digest(&skills))?;
    let (verify, _) = run(&["verify"])?;
    let read = seconds(|| {
        floor::read(&skills)?;
        Ok(())
    })?;
    let (list, listed) = run(&["list", ".agents/skills", "--json"])?;
    let listed: Value = serde_json::from_str(&listed)?;
    let found = listed["skills"].as_array().map_or(0, Vec::len);
    match found == count {
        true => Ok(InstallTimes {
            add,
            fetch,
            verify,
            digest,
            list,
            read,
        }),
        false => Err(format!("expected {count} listed skills, found {found}").into()),
    }
}

/// Publishes a collection with the tag `1.0`, and returns the paths of its manifests and layers.
fn publish(registry: &StaticServer, count: usize) -> Result<Vec<String>, Failure> {
    let mut random = Random::new(23);
    let (mut paths, mut rows) = (Vec::new(), Vec::new());
    // A template without a description is not installed.
    let mut templates = (0..).map(|number| template(number, &mut random));
    while rows.len() < count {
        let template = templates.next().expect("numbers do not end");
        let Some(expected) = template.expected else {
            continue;
        };
        let layer = packed(&expected.name, &template.text)?;
        let layers = [descriptor(LAYER, &layer)];
        let manifest = json!({ "schemaVersion": 2, "mediaType": MANIFEST, "layers": layers });
        let manifest = manifest.to_string().into_bytes();
        let mut row = descriptor(MANIFEST, &manifest);
        row["annotations"] = json!({ "io.agentskills.skill.name": expected.name });
        rows.push(row);
        for (kind, content) in [("manifests", manifest), ("blobs", layer)] {
            let path = format!("{REPOSITORY}/{kind}/{}", Digest::of(&content));
            registry.serve(&path, content);
            paths.push(path);
        }
    }
    let index = json!({ "schemaVersion": 2, "artifactType": COLLECTION, "manifests": rows });
    registry.serve(&format!("{REPOSITORY}/manifests/1.0"), index.to_string());
    Ok(paths)
}

fn descriptor(kind: &str, content: &[u8]) -> Value {
    json!({ "mediaType": kind, "digest": Digest::of(content), "size": content.len() })
}

/// Returns the archive of a skill with two files.
fn packed(name: &str, text: &str) -> Result<Vec<u8>, Failure> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let script = format!("#!/bin/sh\necho {name}\n");
    for (path, text) in [("SKILL.md", text), ("scripts/run.sh", &script)] {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, format!("{name}/{path}"), text.as_bytes())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// Requests each path once, and digests the answers.
fn fetch(registry: &StaticServer, paths: &[String]) -> Result<(), Failure> {
    let url = registry.url("");
    let address = url.strip_prefix("http://").ok_or("the URL has a scheme")?;
    let request = |path: &String| -> io::Result<()> {
        let mut connection = TcpStream::connect(address)?;
        write!(connection, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer)?;
        black_box(Digest::of(&answer));
        Ok(())
    };
    thread::scope(|scope| {
        let parts = paths.chunks(paths.len().div_ceil(PARALLEL));
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(|| part.iter().try_for_each(request)))
            .collect();
        parts
            .into_iter()
            .try_for_each(|part| part.join().expect("a request does not panic"))
    })?;
    Ok(())
}

/// Reads and digests every file below a folder.
fn digest(folder: &Path) -> Result<(), Failure> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        match path.is_dir() {
            true => digest(&path)?,
            false => drop(black_box(Digest::of(&fs::read(path)?))),
        }
    }
    Ok(())
}

fn seconds(work: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Failure> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Runs the command line in a project, and returns what it prints.
pub(super) fn call(home: &Path, project: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let environment = Environment::new(project)
        .home(home)
        .variables([("PATH".into(), "/usr/bin:/bin".into())])
        .stdout(Stream::new(&mut stdout))
        .stderr(Stream::new(&mut stderr));
    let exit = repertoire_cli::run([&["repertoire"], arguments].concat(), environment);
    match exit {
        Exit::Success => Ok(String::from_utf8(stdout)?),
        _ => Err(String::from_utf8_lossy(&stderr).into()),
    }
}
