//! A copy of `examples/gateway` with a broken skill, a hidden skill and a dead server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// An MCP server with two tools, in the language of `/bin/sh`, in the place of those that would have to be installed.
const CLOCK: &str = r#"
answer() { id=${line#*\"id\":}; id=${id%%[,\}]*}; printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"clock","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"get_current_time","description":"Returns the time in a zone.","inputSchema":{"type":"object"}},{"name":"get-sum","description":"Adds two numbers.","inputSchema":{"type":"object"}}]}' ;;
  esac
done
"#;

/// An agent that is ready, works, and never ends.
const AGENT: &str = r#"
read -r ticket
echo '{"type":"ready"}'
read -r assigned
echo '{"type":"phase","phase":"APPLY"}'
while sleep 2; do echo '{"type":"heartbeat"}'; done
"#;

const FAULTS: &str = r#"
[[registries.mcp-servers]]
id = "calendar"
description = "Has the appointments of the team."
command = "/usr/local/bin/mcp-server-calendar"
start = "at-once"

[[source]]
kind = "fs"
name = "mine"
roots = ["mine"]

[[source]]
kind = "fs"
name = "team"
roots = ["team"]
"#;

/// A project with the example and a home folder with three coding agents, removed when dropped.
pub(crate) struct BrokenExample {
    folder: TempDir,
}

impl BrokenExample {
    pub(crate) fn new() -> BrokenExample {
        let example = BrokenExample {
            folder: tempfile::tempdir().unwrap(),
        };
        let project = example.project();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/gateway"),
            &project,
        );
        let clock = "command = \"/bin/sh\"\nargs = [\"clock.sh\"]\nstart = \"at-once\"";
        let text = fs::read_to_string(project.join("repertoire.toml")).unwrap();
        let text = text
            .replace("127.0.0.1:8321", "127.0.0.1:0")
            .replace("command = \"mcp-server-time\"", clock)
            .replace(
                "command = \"npx\"\nargs = [\"@modelcontextprotocol/server-everything\"]",
                clock,
            )
            .replace(
                "command = \"claude\"\nargs = [\"--print\"]",
                "command = \"/bin/sh\"\nargs = [\"agent.sh\"]",
            );
        example.write("repertoire.toml", &format!("{text}{FAULTS}"));
        example.write("clock.sh", CLOCK);
        example.write("agent.sh", AGENT);
        example.write(
            "skills/changelog/SKILL.md",
            "---\nname: changelog\ndescription:\n---\nSort the entries by their kind.\n",
        );
        example.write(
            "skills/standup/SKILL.md",
            "---\nname: standup\ndescription: Prepares the daily meeting. Use it in the morning.\nrequired_tools: [mcp__calendar__list_events]\n---\nList the appointments of today.\n",
        );
        for (source, rule) in [
            ("mine", "Release on Mondays."),
            ("team", "Never release on a Friday."),
        ] {
            example.write(
                &format!("{source}/deploy/SKILL.md"),
                &format!("---\nname: deploy\ndescription: Ships a release. Use it after the tests.\n---\n{rule}\n"),
            );
        }
        example.write(
            ".claude/skills/onboarding/SKILL.md",
            "---\nname: onboarding\ndescription: Shows a newcomer around.\n---\nBegin with the map.\n",
        );
        example.write(
            ".agents/skills/naming/SKILL.md",
            "---\nname: naming\ndescription: Names things.\n---\nOne word for one idea.\n",
        );
        for file in [".claude.json", ".codex/auth.json", ".gemini/settings.json"] {
            example.write(&format!("../{file}"), "{}\n");
        }
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &[
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "commit",
                "-q",
                "-m",
                "first",
            ],
        ] {
            let git = Command::new("git")
                .args(arguments)
                .current_dir(&project)
                .status();
            assert!(git.unwrap().success());
        }
        example
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        // Not through `project/..`, which may not exist yet.
        fs::create_dir_all(self.project()).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
