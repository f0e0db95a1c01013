//! `cargo xtask demo`: the commands that most users need, run on example skills.

mod agents;
mod builtin;
mod gateway;
mod live;
mod running;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use repertoire_cli::{Environment, Exit, Stream};

use crate::binary::Profile;
use crate::plugin;
use crate::{Failure, workspace};

/// One command line and its expected output.
struct Scene {
    heading: &'static str,
    line: &'static str,
    exit: Exit,
    /// The texts that standard output or standard error has to contain.
    seen: &'static [&'static str],
    /// The prefixes of the lines to print; empty for all lines.
    only: &'static [&'static str],
}

const SCENES: &[Scene] = &[
    Scene {
        heading: "List the skills of three sources",
        line: "list --all --model anthropic/claude-sonnet-4-5",
        exit: Exit::Success,
        seen: &[
            "\ncode-review ",
            "\nmine:code-review ",
            "\nteam:code-review ",
            "\nonboarding ",
            "draft/SKILL.md",
        ],
        only: &[],
    },
    Scene {
        heading: "Add two plugins, one in Rust and one in C, each pinned by its digest",
        line: "list --all --connect @hello @hello-c",
        exit: Exit::Success,
        seen: &[
            "\ngreet-ann ",
            "\nhello-c:code-review ",
            "hello-c  plugin   restricted ",
        ],
        only: &["id", "name", "greet-", "code-review", "hello-c:"],
    },
    Scene {
        heading: "Read a skill of a plugin that runs in its own process",
        line: "body greet-ann @process:hello",
        exit: Exit::Success,
        seen: &["Say hello to Ann.\n"],
        only: &[],
    },
    Scene {
        heading: "Explain which copy of a skill wins, and why",
        line: "why code-review",
        exit: Exit::Success,
        seen: &[
            "1  builtin:code-review",
            "2  mine:code-review",
            "3  team:code-review",
            "the user tier comes after",
        ],
        only: &[],
    },
    Scene {
        heading: "Prefer a source for one skill in the configuration",
        line: "why commit-message",
        exit: Exit::Success,
        seen: &[
            "1  team:commit-message",
            "2  builtin:commit-message",
            "`team` is preferred for this id",
        ],
        only: &[],
    },
    Scene {
        heading: "Check all skills: errors, warnings and their fixes",
        line: "check",
        exit: Exit::Problems,
        seen: &[
            "error[unclosed-front-matter]",
            "error[missing-description]",
            "standup/SKILL.md:3:",
            "= help: quote this value",
        ],
        only: &[],
    },
    Scene {
        heading: "Show where a body is placed for a model: in the system prompt and in the tool result",
        line: "show code-review --model anthropic/claude-sonnet-4-5",
        exit: Exit::Success,
        seen: &["both, decided by rule claude-3.5-or-later"],
        only: &["name", "surface"],
    },
    Scene {
        heading: "Show the placement for a different model: in the tool result only",
        line: "show code-review --model openai/gpt-5",
        exit: Exit::Success,
        seen: &["tool-only, decided by fallback"],
        only: &["name", "surface"],
    },
    Scene {
        heading: "Show a skill that declares its own placement",
        line: "show builtin:commit-message --model anthropic/claude-sonnet-4-5",
        exit: Exit::Success,
        seen: &["tool-only, decided by skill"],
        only: &["full name", "surface", "shadow of"],
    },
    Scene {
        heading: "Print the skill list of a model within a token budget",
        line: "catalog --tokens 200",
        exit: Exit::Success,
        seen: &["<name>code-review</name>", "<name>onboarding</name>"],
        only: &[],
    },
    Scene {
        heading: "Replay a conversation: the active skills, their placement, and what was skipped, for each model call",
        line: "simulate --script ../../examples/turns.yaml --root ../../examples/skills --model anthropic/claude-sonnet-4-5",
        exit: Exit::Success,
        seen: &[
            "review       skill     keyword review  both, rule claude-3.5-or-later",
            "rule at-night",
            "after-tool run_tests",
            "skipped: instructions `holiday`: there is no rule `on-holiday`",
            "notice: skill `minutes` is left out: `tool-only`, decided by skill",
            "  | Publish 1.2: tag it, then push the tag.",
            "  | The skill `review` is active already",
            "<name>review</name>",
            "messages (deferred)",
            "decision: deny, by tools.inactive: the tool `bisect` is there while `flaky-tests` is active",
            "decision: ask, by skill:database.tools",
            "decision: allow, by skill:skills:hotfix.allowed-tools",
            "decision: deny, by developer.allowlist.miss",
            "the conversation was compacted; repeated: minutes (",
            ", review (0 of ",
        ],
        only: &[
            "#",
            "user",
            "active",
            "careful",
            "house",
            "review",
            "flaky",
            "release",
            "pdf",
            "night",
            "after",
            "skipped",
            "in",
            "hotfix",
            "changelog",
            "database",
            "notice",
            "decision",
            "the conversation",
            "call",
        ],
    },
    Scene {
        heading: "Find the skill for a question, and show why",
        line: "match how do I write the release notes for our users",
        exit: Exit::Success,
        seen: &[
            "release-notes ",
            "name: `release`, `notes`",
            "the first skill fits well",
        ],
        only: &["name", "release-notes"],
    },
    Scene {
        heading: "Answer that no skill fits a question",
        line: "match write a poem about the weather in Lisbon and send it to my grandmother",
        exit: Exit::Success,
        seen: &["nothing fits: these skills share only some words with the prompt"],
        only: &[],
    },
    Scene {
        heading: "Print a skill's instructions, unprocessed",
        line: "body code-review",
        exit: Exit::Success,
        seen: &["Review the change, not the author.\n"],
        only: &[],
    },
];

/// Runs every scene and prints its output; fails if the output differs from the expected one.
pub(crate) fn run() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for scene in SCENES {
        writeln!(
            out,
            "\n## {}\n\n$ repertoire {}",
            scene.heading,
            scene.line.replace('@', "--source ")
        )?;
        let ran = scene.play()?;
        for line in ran.stdout.lines().filter(|line| scene.shows(line)) {
            writeln!(out, "{line}")?;
        }
        write!(out, "{}", ran.stderr)?;
        scene.check(&ran)?;
    }
    live::show(&mut out)?;
    gateway::show(&mut out)?;
    agents::show(&mut out)?;
    writeln!(
        out,
        "\nEvery command printed what was expected. The skills of the demo are in `xtask/demo`."
    )?;
    Ok(())
}

/// Builds a plugin of this workspace, and returns the value of `--source` that pins its digest.
fn source(word: &str) -> Result<String, Failure> {
    let (kind, name) = word.split_once(':').unwrap_or(("plugin", word));
    let library = plugin::library(name, Profile::Debug)?;
    let options = match name {
        "hello" => "{ people = [\"Ann\", \"Bob\"] }".to_owned(),
        _ => format!(
            "{{ folder = {:?} }}",
            workspace::root()
                .join("xtask/demo/plugin-skills")
                .to_string_lossy()
        ),
    };
    let runner = match kind {
        "process" => format!(
            ", runner = {:?}",
            plugin::runner(Profile::Debug)?.to_string_lossy()
        ),
        _ => String::new(),
    };
    let digest = plugin::digest(&library)?;
    let path = library.to_string_lossy().into_owned();
    Ok(format!(
        "{kind}:{name}:path = {path:?}, digest = \"{digest}\", options = {options}{runner}"
    ))
}

/// The output of a command line.
struct Ran {
    exit: Exit,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// Runs a command line in `root`.
    fn of(root: &Path, arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Ran {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let environment = Environment::new(root)
            .stdout(Stream::new(&mut stdout))
            .stderr(Stream::new(&mut stderr));
        let exit = repertoire_cli::run(arguments, environment);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran {
            exit,
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }
}

impl Scene {
    fn play(&self) -> Result<Ran, Failure> {
        let mut arguments = ["repertoire", "--config", "repertoire.toml"]
            .map(str::to_owned)
            .to_vec();
        for word in self.line.split(' ') {
            match word.strip_prefix('@') {
                Some(plugin) => arguments.push(format!("--source={}", source(plugin)?)),
                None => arguments.push(word.to_owned()),
            }
        }
        Ok(Ran::of(&workspace::root().join("xtask/demo"), arguments))
    }

    fn shows(&self, line: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|start| line.starts_with(start))
    }

    fn check(&self, ran: &Ran) -> Result<(), Failure> {
        let line = self.line;
        if ran.exit != self.exit {
            return Err(format!(
                "`repertoire {line}`: expected {:?}, found {:?}",
                self.exit, ran.exit
            )
            .into());
        }
        let is_missing =
            |text: &&&str| !ran.stdout.contains(**text) && !ran.stderr.contains(**text);
        match self.seen.iter().find(is_missing) {
            Some(missing) => {
                Err(format!("`repertoire {line}`: expected {missing:?} in the output").into())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_prints_what_is_expected() {
        for scene in SCENES {
            scene
                .check(&scene.play().expect("the plugins build"))
                .expect(scene.heading);
        }
    }

    #[test]
    fn watch_prints_every_change_of_a_skill() {
        let mut output = Vec::new();
        live::show(&mut output).expect("every change is printed");
        let output = String::from_utf8(output).expect("it is text");
        assert!(
            output.contains("error[missing-description]") && output.contains("stays as it was"),
            "{output}"
        );
    }

    #[test]
    fn an_agent_runs_a_task() {
        let mut output = Vec::new();
        agents::show(&mut output).expect("the agent ends in order");
        let output = String::from_utf8(output).expect("it is text");
        assert!(output.contains(" TERMINATED"), "{output}");
    }

    #[test]
    fn the_gateway_follows_its_file() {
        let mut output = Vec::new();
        gateway::show(&mut output).expect("every reload is reported");
        let output = String::from_utf8(output).expect("it is text");
        assert!(output.contains("the gateway is running"), "{output}");
    }

    #[test]
    fn a_wrong_scene_fails() {
        let ran = |exit, stdout: &str| Ran {
            exit,
            stdout: stdout.to_owned(),
            stderr: String::new(),
        };
        let scene = Scene {
            heading: "",
            line: "kinds",
            exit: Exit::Success,
            seen: &["fs"],
            only: &[],
        };
        assert!(scene.check(&ran(Exit::Success, "fs")).is_ok());
        assert!(scene.check(&ran(Exit::Success, "")).is_err());
        assert!(scene.check(&ran(Exit::Failure, "fs")).is_err());
    }
}
