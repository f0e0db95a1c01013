//! `cargo xtask gateway-servers`: runs the example gateway with MCP servers and clients of other projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use crate::binary::Profile;
use crate::listening_server::ListeningServer;
use crate::{Failure, step, venv, workspace};

/// The options of the check.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The number of sessions at once, half of them of each SDK.
    #[arg(long, default_value_t = 200)]
    sessions: usize,
    /// The time that each session lasts.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// A value of the environment of a server, which no answer and no log may contain.
const SECRET: &str = "canary-3f9a7c51";

/// The time limit for the start, which is far shorter.
const PATIENCE: Duration = Duration::from_secs(60);

/// The ids of each registry of the example.
const EXPECTED: [(&str, [&str; 2]); 4] = [
    ("agents", ["pair", "reviewer"]),
    ("mcp-servers", ["everything", "time"]),
    ("skills", ["release-notes", "review"]),
    (
        "workflows",
        [
            "workflows/build.workflow.ts",
            "workflows/release/publish.workflow.yaml",
        ],
    ),
];

/// The ids of each registry.
type Lists = BTreeMap<String, Vec<String>>;

/// Installs servers and clients, starts the gateway, compares its lists and holds sessions.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let scratch = workspace::target()?.join("gateway-servers");
    fs::create_dir_all(&scratch)?;
    let program = Profile::Debug.command_line()?;
    let scripts = workspace::root().join("tests/gateway-servers");
    step::step("python", "python3 -m venv; pip install", || {
        venv::venv(&scratch, &scripts.join("requirements.txt")).map(drop)
    })?;
    step::step("node", "venv/bin/npm install", || {
        venv::npm(&scratch, &scripts.join("package.json"))
    })?;
    for name in ["lists.py", "tools.py", "sessions.py", "sessions.mjs"] {
        fs::copy(scripts.join(name), scratch.join(name))?;
    }
    let gateway = RunningGateway::start(&program, &scratch)?;
    let line = format!(
        "cargo xtask gateway-servers --sessions {} --seconds {}",
        options.sessions, options.seconds
    );
    step::step("lists", &line, || gateway.compare_lists())?;
    step::step("servers", &line, || gateway.wait_for_servers())?;
    step::step("tools", &line, || gateway.call_tools())?;
    step::step("sessions", &line, || gateway.hold_sessions(options))?;
    step::step("end", &line, || gateway.end())
}

/// The gateway of a copy of the example, killed when dropped.
struct RunningGateway {
    server: ListeningServer,
    program: PathBuf,
    scratch: PathBuf,
    project: PathBuf,
    log: Receiver<String>,
}

impl RunningGateway {
    fn start(program: &Path, scratch: &Path) -> Result<RunningGateway, Failure> {
        // Below the packages, where `npx` finds the server.
        let project = scratch.join("project");
        if project.is_dir() {
            fs::remove_dir_all(&project)?;
        }
        let example = workspace::root().join("examples/gateway");
        venv::call(Command::new("cp").arg("-R").arg(example).arg(&project))?;
        let file = project.join("repertoire.toml");
        let text = fs::read_to_string(&file)?;
        let at_once = "start = \"at-once\"\ncommand";
        let secret = format!("env = {{ KEY = \"{SECRET}\" }}\n{at_once}");
        let text = text
            .replace(
                "command = \"mcp-server-time\"",
                &format!("{secret} = \"mcp-server-time\""),
            )
            .replace("command = \"npx\"", &format!("{at_once} = \"npx\""));
        fs::write(&file, text)?;
        // The tool `get-env` returns the environment of its server.
        let skill = project.join("skills/review/SKILL.md");
        let text = fs::read_to_string(&skill)?;
        let all = "[mcp__everything__*]";
        fs::write(&skill, text.replace("[mcp__everything__get-sum]", all))?;
        let mut command = gateway_command(program, scratch, &project, "start")?;
        command
            .args(["--http", "127.0.0.1:0"])
            .env("GATEWAY_SECRET", SECRET);
        let (sender, log) = mpsc::channel();
        let server = ListeningServer::start(&mut command, move |line| {
            let _ = sender.send(line);
        })?;
        Ok(RunningGateway {
            server,
            program: program.to_owned(),
            scratch: scratch.to_owned(),
            project,
            log,
        })
    }

    /// Compares the lists of the command, of the routes and of MCP with those of the example.
    fn compare_lists(&self) -> Result<(), Failure> {
        let expected: Lists = EXPECTED
            .iter()
            .map(|(registry, ids)| {
                let ids = ids.iter().map(|id| (*id).to_owned()).collect();
                ((*registry).to_owned(), ids)
            })
            .collect();
        let listed: Value = serde_json::from_str(&self.printed("list")?)?;
        let mut lists = BTreeMap::from([("command".to_owned(), ids_of_command(&listed))]);
        let script = output(self.client("lists.py").arg(&self.server.address))?;
        let of_script: BTreeMap<String, Lists> = serde_json::from_str(&script)?;
        lists.extend(of_script);
        for (found_by, lists) in lists {
            if lists != expected {
                return Err(format!("{found_by}: expected {expected:?}, found {lists:?}").into());
            }
            println!("ok      four lists by {found_by}");
        }
        Ok(())
    }

    /// Waits until both servers run and have listed their tools.
    fn wait_for_servers(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        loop {
            let status: Value = serde_json::from_str(&self.printed("status")?)?;
            let servers = status["mcp_servers"].as_array().into_iter().flatten();
            let tools: Vec<_> = servers
                .filter(|server| server["state"] == "running")
                .filter_map(|server| Some((server["id"].as_str()?, server["tools"].as_u64()?)))
                .collect();
            if let [_, _] = tools.as_slice() {
                println!("ok      servers and numbers of their tools: {tools:?}");
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("the servers do not run: {status}").into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Calls tools of both servers, which skills bring.
    fn call_tools(&self) -> Result<(), Failure> {
        let calls = output(
            self.client("tools.py")
                .args([self.server.address.as_str(), SECRET]),
        )?;
        println!("ok      {} calls of tools of both servers", calls.trim());
        Ok(())
    }

    /// Runs the scripts of both SDKs at once.
    fn hold_sessions(&self, options: &Options) -> Result<(), Failure> {
        let half = options.sessions / 2;
        let scripts = [
            ("sessions.py", half),
            ("sessions.mjs", options.sessions - half),
        ];
        let running = scripts.map(|(script, sessions)| {
            let mut command = self.client(script);
            command.arg(&self.server.address).args([
                &sessions.to_string(),
                &options.seconds.to_string(),
                SECRET,
            ]);
            // Its errors are shown as they come.
            let child = command.stdout(Stdio::piped()).spawn();
            (script, sessions, child)
        });
        for (script, sessions, child) in running {
            let output = child?.wait_with_output()?;
            if !output.status.success() {
                return Err(format!("{script}: {}", output.status).into());
            }
            let requests = String::from_utf8(output.stdout)?;
            println!(
                "ok      {script}: {sessions} sessions, {} requests, no error",
                requests.trim()
            );
        }
        Ok(())
    }

    /// Stops the gateway, and searches its log and its folder for the secret.
    fn end(self) -> Result<(), Failure> {
        refuse_secret(&self.project.join("state"))?;
        self.printed("stop")?;
        let status = self.server.wait()?;
        let log: String = self.log.iter().map(|line| line + "\n").collect();
        if !status.success() {
            return Err(format!("the gateway ended with {status}\n{log}").into());
        }
        let file = self.scratch.join("gateway.log");
        fs::write(&file, log)?;
        refuse_secret(&file)
    }

    /// Returns what a command of the gateway prints.
    fn printed(&self, action: &str) -> Result<String, Failure> {
        let mut command = gateway_command(&self.program, &self.scratch, &self.project, action)?;
        output(command.arg("--json"))
    }

    /// Returns a command that runs a script with the interpreter of its kind.
    fn client(&self, script: &str) -> Command {
        let interpreter = if script.ends_with(".py") {
            "python"
        } else {
            "node"
        };
        let mut command = Command::new(self.scratch.join("venv/bin").join(interpreter));
        command.arg(script).current_dir(&self.scratch);
        command
    }
}

fn gateway_command(
    program: &Path,
    scratch: &Path,
    project: &Path,
    action: &str,
) -> Result<Command, Failure> {
    let own = [scratch.join("venv/bin"), scratch.join("node_modules/.bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)))?;
    let mut command = Command::new(program);
    command
        .args(["gateway", action, "--state-dir", "state"])
        .current_dir(project)
        .env("PATH", path);
    Ok(command)
}

/// Returns what `command` prints, which has to succeed.
fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{:?} failed with {}", command.get_program(), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn ids_of_command(listed: &Value) -> Lists {
    let lists = EXPECTED.iter().map(|(registry, _)| {
        let rows = listed[registry].as_array().into_iter().flatten();
        let ids = rows.filter_map(|row| row["id"].as_str());
        let mut ids: Vec<_> = ids.map(str::to_owned).collect();
        ids.sort();
        ((*registry).to_owned(), ids)
    });
    lists.collect()
}

/// Fails if a file at or below `path` contains the secret.
fn refuse_secret(path: &Path) -> Result<(), Failure> {
    let kind = fs::symlink_metadata(path)?;
    if kind.is_dir() {
        for entry in fs::read_dir(path)? {
            refuse_secret(&entry?.path())?;
        }
    }
    if !kind.is_file() {
        return Ok(());
    }
    let text = fs::read(path)?;
    let has_secret = text
        .windows(SECRET.len())
        .any(|part| part == SECRET.as_bytes());
    if has_secret {
        Err(format!("`{}` contains the secret of a server", path.display()).into())
    } else {
        Ok(())
    }
}
