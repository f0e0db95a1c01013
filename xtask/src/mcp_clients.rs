//! `cargo xtask mcp-clients`: runs clients of other projects against the MCP server.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binary::Profile;
use crate::listening_server::ListeningServer;
use crate::step;
use crate::{Failure, venv, workspace};

/// A client: what it is called, and how it is run.
struct Client {
    name: &'static str,
    program: PathBuf,
    script: Option<PathBuf>,
}

/// Installs the clients, lets each one use the server over both transports, and counts.
pub(crate) fn run() -> Result<(), Failure> {
    let scripts = workspace::root().join("tests/mcp-clients");
    let scratch = workspace::target()?.join("mcp-clients");
    fs::create_dir_all(&scratch)?;
    let binary = Profile::Debug.command_line()?;
    let rmcp = Profile::Debug.build("repertoire-source-mcp", "--example rmcp-client")?;
    let rmcp = rmcp.join("examples/rmcp-client");
    step::step("python", "python3 -m venv; pip install", || {
        python(&scripts, &scratch)
    })?;
    step::step("node", "venv/bin/npm install", || node(&scripts, &scratch))?;
    let mut failed = 0;
    let clients = clients(&scratch, rmcp);
    for client in &clients {
        for transport in ["stdio", "http"] {
            match client.checked(transport, &binary, &scratch) {
                Ok(()) => println!("ok      {} over {transport}", client.name),
                Err(failure) => {
                    failed += 1;
                    println!("failed  {} over {transport}: {failure}", client.name);
                }
            }
        }
    }
    println!(
        "clients: {} passed, {failed} failed",
        2 * clients.len() - failed
    );
    if failed == 0 {
        Ok(())
    } else {
        Err("clients failed".into())
    }
}

fn clients(scratch: &Path, rmcp: PathBuf) -> Vec<Client> {
    let python = scratch.join("venv/bin/python");
    let node = scratch.join("venv/bin/node");
    let script = |name: &str| Some(scratch.join(name));
    vec![
        Client {
            name: "python sdk",
            program: python.clone(),
            script: script("sdk.py"),
        },
        Client {
            name: "fastmcp",
            program: python,
            script: script("fast.py"),
        },
        Client {
            name: "typescript sdk",
            program: node.clone(),
            script: script("sdk.mjs"),
        },
        Client {
            name: "inspector",
            program: node,
            script: script("inspector.mjs"),
        },
        Client {
            name: "rmcp",
            program: rmcp,
            script: None,
        },
    ]
}

/// A virtual environment with what `requirements.txt` pins. Node is in it: the Inspector wants a newer one than many
/// machines have.
fn python(scripts: &Path, scratch: &Path) -> Result<(), Failure> {
    for name in ["sdk.py", "fast.py"] {
        fs::copy(scripts.join(name), scratch.join(name))?;
    }
    venv::venv(scratch, &scripts.join("requirements.txt"))?;
    Ok(())
}

/// Installs the pins of `package.json` with the npm of the virtual environment.
fn node(scripts: &Path, scratch: &Path) -> Result<(), Failure> {
    let pins = scripts.join("package.json");
    for name in ["sdk.mjs", "inspector.mjs"] {
        fs::copy(scripts.join(name), scratch.join(name))?;
    }
    venv::npm(scratch, &pins)
}

impl Client {
    /// Uses a fresh server over a fresh folder.
    fn checked(&self, transport: &str, binary: &Path, scratch: &Path) -> Result<(), Failure> {
        let home = tempfile::tempdir()?;
        let folder = home.path().join("skills");
        fs::create_dir_all(folder.join("tidy"))?;
        let text = "---\nname: tidy\ndescription: Sorts a folder.\nmetadata:\n  author: ann\n---\n\nSort it.\n";
        fs::write(folder.join("tidy/SKILL.md"), text)?;
        // Outside of the standard, as one skill in five is.
        fs::create_dir_all(folder.join("typed"))?;
        let text = "---\nname: typed\ndescription: Has numbers.\nmetadata:\n  version: 1.10\n  tags: [a, b]\n---\n\nCount.\n";
        fs::write(folder.join("typed/SKILL.md"), text)?;
        let server = if transport == "http" {
            let mut command = Command::new(binary);
            command
                .args(["serve", "--http", "127.0.0.1:0"])
                .arg(&folder);
            Some(ListeningServer::start(&mut command, drop)?)
        } else {
            None
        };
        let url = server
            .as_ref()
            .map(|server| format!("http://{}/mcp", server.address));
        let target = url.as_ref().map_or(binary.as_os_str(), OsStr::new);
        let mut command = Command::new(&self.program);
        command
            .args(&self.script)
            .arg(transport)
            .arg(target)
            .arg(&folder)
            .current_dir(scratch)
            .env(
                "INSPECTOR",
                scratch.join(
                    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
                ),
            )
            .env("HOME", home.path());
        let output = command
            .output()
            .map_err(|error| format!("it did not start: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && said.lines().last() == Some("ok") {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = errors.lines().rev().take(20).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        Err(format!("{}\n{}", output.status, last.join("\n")).into())
    }
}
