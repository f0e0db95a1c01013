//! `cargo xtask api-client`: generates a client from the OpenAPI document, and calls every operation through it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::binary::Profile;
use crate::listening_server::ListeningServer;
use crate::{Failure, step, venv, workspace};

/// The folder of the generated package, which the script imports.
const PACKAGE: &str = "generated";

/// Installs the generator, starts a gateway, generates the client and runs the script.
///
/// # Errors
/// Fails if the generator warns, if an answer is not what the document describes, or if an operation was not called.
pub(crate) fn run() -> Result<(), Failure> {
    let scripts = workspace::root().join("tests/api-client");
    let scratch = workspace::target()?.join("api-client");
    fs::create_dir_all(&scratch)?;
    let program = Profile::Debug.command_line()?;
    step::step("python", "python3 -m venv; pip install", || {
        venv::venv(&scratch, &scripts.join("requirements.txt")).map(drop)
    })?;
    // Outside of the checkout, in whose repository agents would get branches.
    let run = tempfile::tempdir()?;
    let project = run.path().join("project");
    let example = scripts.join("project");
    venv::call(Command::new("cp").arg("-R").arg(example).arg(&project))?;
    let token = token(&program, &project)?;
    let mut command = gateway(&program, &project, &["start", "--http", "127.0.0.1:0"]);
    let server = ListeningServer::start(&mut command, |line| eprintln!("gateway: {line}"))?;
    let document = run.path().join("openapi.json");
    step::step("client", "openapi-python-client generate", || {
        download(&scratch, &server.address, &token, &document)?;
        generate(&scratch, run.path(), &document)
    })?;
    step::step("operations", "cargo xtask api-client", || {
        let mut python = Command::new(scratch.join("venv/bin/python"));
        python
            .arg(scripts.join("operations.py"))
            .arg(&server.address)
            .current_dir(run.path())
            .env("PYTHONPATH", run.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TOKEN", &token);
        venv::call(&mut python)
    })
}

fn gateway(program: &Path, project: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .arg("gateway")
        .args(arguments)
        .args(["--state-dir", "state"])
        .current_dir(project);
    command
}

/// Issues a token that allows every operation.
fn token(program: &Path, project: &Path) -> Result<String, Failure> {
    let issue = ["token", "issue", "client", "--scope", "operate"];
    let output = gateway(program, project, &issue)
        .stderr(Stdio::inherit())
        .output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?.trim().to_owned()),
        false => Err(format!("no token was issued: {}", output.status).into()),
    }
}

/// Writes the OpenAPI document of the gateway to a file.
fn download(scratch: &Path, address: &str, token: &str, file: &Path) -> Result<(), Failure> {
    let script = "import sys, urllib.request as r; \
        q = r.Request(sys.argv[1], headers={'Authorization': 'Bearer ' + sys.argv[2]}); \
        open(sys.argv[3], 'wb').write(r.urlopen(q, timeout=60).read())";
    let mut python = Command::new(scratch.join("venv/bin/python"));
    python
        .args(["-c", script])
        .arg(format!("http://{address}/api/v1/openapi.json"))
        .arg(token)
        .arg(file);
    venv::call(&mut python)
}

/// Generates the package from the document. A part that the generator cannot read is a warning.
fn generate(scratch: &Path, folder: &Path, document: &Path) -> Result<(), Failure> {
    let programs = scratch.join("venv/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    // The generator runs `ruff`.
    let path = std::env::join_paths(
        std::iter::once(programs.clone()).chain(std::env::split_paths(&path)),
    )?;
    let mut generator = Command::new(programs.join("openapi-python-client"));
    generator
        .args(["generate", "--meta", "none", "--fail-on-warning", "--path"])
        .arg(document)
        .arg("--output-path")
        .arg(folder.join(PACKAGE))
        .env("PATH", path);
    venv::call(&mut generator)
}
