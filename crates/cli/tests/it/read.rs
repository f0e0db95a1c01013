//! `body`, `files`, `kinds`, `completions` and help.

use repertoire_cli::{Environment, Exit, Stream, run};
use repertoire_testkit::Envelope;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn skill_with_files() -> TestEnv {
    let env = TestEnv::new();
    env.skill("root", "tidy", "Sorts.")
        .file("root/tidy/references/how to.md", "Slowly.\n");
    env.file("root/tidy/scripts/raw.bin", b"\xff\x1b[31m\x00");
    env
}

const ROOT: [&str; 3] = ["--root", "root", "--no-defaults"];

fn with_root(arguments: &[&'static str]) -> Vec<&'static str> {
    ROOT.into_iter().chain(arguments.iter().copied()).collect()
}

#[test]
fn a_body_is_printed_as_it_is() {
    assert_eq!(
        skill_with_files().run(&with_root(&["body", "tidy"])).data(),
        "Body of tidy.\n"
    );
}

#[test]
fn a_listed_skill_is_readable_in_any_envelope() {
    let env = TestEnv::new();
    for (number, envelope) in Envelope::all().into_iter().enumerate() {
        let root = format!("root-{number}");
        env.file(
            &format!("{root}/tidy/SKILL.md"),
            envelope.around("description: Does it."),
        );
        for door in ["body", "render"] {
            let ran = env.run(&[door, "tidy", "--no-defaults", "--root", &root]);
            assert_eq!(
                ran.exit,
                Exit::Success,
                "{door} {envelope:?}: {}",
                ran.stderr
            );
            assert_eq!(
                ran.stdout.trim_end(),
                envelope.body().trim_end(),
                "{door} {envelope:?}"
            );
        }
    }
}

#[test]
fn files_are_listed_and_printed() {
    let env = skill_with_files();
    assert_data_eq!(
        env.run(&with_root(&["files", "tidy"])).data(),
        str![[r#"
path                  bytes  digest
references/how to.md      8  sha256:16672b68d9a155beb088022fe47909a8e0edceba1269da16409bacde7aea843a
scripts/raw.bin           7  sha256:a6072bc0e6580a7bb103430ccac508ffa6f6c7ac22adb670d017d105026c8813

"#]]
    );
    assert_eq!(
        env.run(&with_root(&["files", "tidy", "references/how to.md"]))
            .data(),
        "Slowly.\n"
    );

    let mut bytes = Vec::new();
    let environment = Environment::new(env.here()).stdout(Stream::new(&mut bytes));
    let arguments = [
        "repertoire",
        "files",
        "tidy",
        "scripts/raw.bin",
        "--root",
        "root",
    ];
    assert_eq!(run(arguments, environment), Exit::Success);
    assert_eq!(bytes, b"\xff\x1b[31m\x00");
}

#[test]
fn a_terminal_gets_escaped_text() {
    let env = skill_with_files();
    env.file(
        "root/painter/SKILL.md",
        "---\nname: painter\ndescription: Paints.\n---\nRed \u{1b}[31m\n\tthen.\n",
    );
    let at_terminal = |arguments: &[&str]| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let environment = Environment::new(env.here())
            .stdout(Stream::new(&mut stdout).at_terminal())
            .stderr(Stream::new(&mut stderr));
        let exit = run(
            std::iter::once("repertoire").chain(arguments.iter().copied()),
            environment,
        );
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (exit, text(stdout), text(stderr))
    };
    let (exit, stdout, _) = at_terminal(&["body", "painter", "--root", "root"]);
    assert_eq!(
        (exit, stdout.as_str()),
        (Exit::Success, "Red [31m\n\tthen.\n")
    );
    let (exit, stdout, stderr) =
        at_terminal(&["files", "tidy", "scripts/raw.bin", "--root", "root"]);
    assert_eq!((exit, stdout.as_str()), (Exit::Failure, ""));
    assert_data_eq!(
        stderr,
        str![[r#"
error: `scripts/raw.bin` is not a text file
 |
 = help: redirect the output to a file or a pipe

"#]]
    );
}

#[test]
fn a_path_never_leaves_the_skill() {
    let env = skill_with_files();
    env.file("root/secret.txt", "secret");
    for path in [
        "../secret.txt",
        "/etc/passwd",
        "references/../../secret.txt",
        "no-such-file",
    ] {
        let ran = env.run(&["files", "tidy", path, "--root", "root"]);
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Exit::Failure, ""),
            "{path}"
        );
    }
}

#[test]
fn kinds_lists_the_linked_source_kinds() {
    assert_data_eq!(
        TestEnv::new().run(&["kinds"]).data(),
        str![[r#"
kind            about
client-plugins  folders of plugins that a client installed
fs              folders of skills
http            the skills of a web server: an index at a well-known address, or an archive
mcp             the skills of another MCP server, a program or an address
oci             the skills of an OCI registry: an artifact, or a collection
plugin          a shared library, loaded into this process
process         a shared library, loaded into a process of its own
static          skills compiled into this program

"#]]
    );
}

#[test]
fn completions_are_scripts() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = TestEnv::new().run(&["completions", shell]).data();
        assert!(
            script.contains("repertoire") && script.contains("COMPLETE"),
            "{shell}"
        );
    }
}

#[test]
fn help_goes_to_stdout_with_exit_codes() {
    assert_data_eq!(
        TestEnv::new().run(&["--help"]).data(),
        str![[r#"
Find, check and serve Agent Skills: what is installed, which copy wins, and what each agent sees

Usage: repertoire [OPTIONS] [COMMAND]

Commands:
  status       Show what each agent on this machine sees: skills, budget, problems, and changes
               since the lock [alias: doctor]
  list         List skills, with the agents that load them or with their source and status [alias:
               ls]
  show         Show the details of a skill [alias: info]
  why          Explain where a skill was found, which copy each agent loads, and why not the others
               [alias: which]
  search       Search skills by name, trigger, tag and description
  match        Show which skills a prompt finds, and why
  eval         Measure how often prompts find the skills that they expect
  roots        List the folders searched and how many skills each holds
  observed     Compare the skills that an agent should see with the list in its own transcript
  budget       Show what the skills of an agent cost in its list, what is cut, and the smallest cut
               that fits
  diff         Compare what two agents load, the lock file, and the source that it came from
  check        Check skills for problems [aliases: validate, lint]
  watch        Watch skills and report changes and problems as they happen
  catalog      Print the skill list that a model would see, within a token budget
  tools        Print tool definitions for finding and reading skills, in a provider's API format
  simulate     Replay a scripted conversation and show what each model call contains, and why
  serve        Run an MCP server for your skills (stdio, or HTTP with --http)
  gateway      Run one process with your skills, workflows, agents and MCP servers
  workflow     Plan and run workflows, which call tools of MCP servers
  mcp          Generate MCP client configuration
  body         Print a skill's instructions, unprocessed
  render       Print a skill's instructions with arguments and variables filled in
  directives   List the commands and scripts that a skill would run, those of its checks too
  approve      Allow a skill to run its current commands and scripts (any edit revokes the approval)
  approvals    List and revoke the approvals of skills and plugins
  files        List a skill's files, or print one of them
  add          Install skills from git, OCI registries, web and MCP servers, archives and folders
  remove       Remove installed skills
  update       Update installed skills to the present content of their sources
  outdated     List the installed skills whose source has newer content
  sync         Install exactly the skills that the lock states
  installed    List the installed skills, their origins, and whether they were changed
  accept       Accept the content of installed skills, which a policy restricts until then
  store        Manage the store of installed skills
  cache        Manage the cache of skills that were read
  lock         Write a lock file with a digest of every file in the project's skills
  verify       Verify the project's skills against the lock file
  new          Create a new skill from a template
  fmt          Format the front matter of skills
  plugin       Inspect, approve, revoke and scaffold source plugins
  source       Scaffold source types
  kinds        List the supported source types
  agents       Show, start and end agents, explain allocations and check the audit log
  completions  Generate shell completions
  man          Print a man page
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version

Source options:
      --root <DIR>
          Search this folder first (repeatable, in order)

      --source <KIND:NAME[:KEY = VALUE, ...]>
          Add a source of any type, after the --root folders; options use TOML inline-table syntax

      --config <FILE>
          Use only the sources defined in this configuration file. No file is read by default

      --agent <NAME>
          Answer for this agent in `status`, `list`, `why` and `budget`, and also search its folders
          in other commands (repeatable; `all` for every known agent, `repertoire` for this program)

      --no-defaults
          Do not search the standard folders or add the built-in skills

      --disable <NAME>
          Disable matching skills (`name`, `source:name`, `source:*` or `*`), in addition to the
          configuration file

      --trust-project
          Trust this project's skills; without it `catalog`, `search --seen-by model` and `serve`
          leave them out

      --no-cache
          Read every skill, also those that are in the cache, and do not write the cache

      --model <PROVIDER/MODEL>
          Assume this model, e.g. `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`

      --format <FORMAT>
          Output format

          Possible values:
          - human: Tables and text
          - json:  One JSON document on standard output
          - sarif: SARIF 2.1.0, for code scanning (`check` and `eval` only)
          
          [default: human]

      --json
          Shorthand for `--format json`

      --color <WHEN>
          Use colours

          Possible values:
          - auto:   On a terminal, unless `NO_COLOR` or a similar variable is set
          - always: Always
          - never:  Never
          
          [default: auto]

  -q, --quiet
          Print no notes

  -v, --verbose
          Note what each source lists; for `serve`, log more

Exit codes:
  0  success; no problems found
  1  problems found: `check` reported an error (or, with --strict, a warning), `verify` a
  difference,
     `fmt` a file that it could not format or, with --check, would change, `eval` fewer hits than
     --min-hit, or `status --check` a problem or a change since the lock
  2  usage error, or the command could not run

Results go to stdout; notes and errors go to stderr.

Without a command, `status` runs.

Examples:
  repertoire
  repertoire why code-review
  repertoire check .claude/skills
  repertoire serve --trust-project

"#]]
    );
    let version = TestEnv::new().run(&["--version"]).data();
    assert_eq!(
        version,
        concat!("repertoire ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn wrong_use_is_exit_code_2_and_talk() {
    for arguments in [&["lst"][..], &["list", "--model"], &["show"]] {
        let ran = TestEnv::new().run(arguments);
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Exit::Failure, ""),
            "{arguments:?}"
        );
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn colours_appear_only_where_they_are_welcome() {
    let env = skill_with_files();
    let mut coloured = Vec::new();
    let environment = Environment::new(env.here()).stdout(Stream::new(&mut coloured).coloured());
    assert_eq!(
        run(["repertoire", "list", "root"], environment),
        Exit::Success
    );
    let coloured = String::from_utf8(coloured).expect("text");
    let plain = env.run(&["list", "root"]).data();
    assert!(coloured.contains("\u{1b}[1mname\u{1b}[0m"), "{coloured:?}");
    assert_eq!(
        coloured.replace("\u{1b}[1m", "").replace("\u{1b}[0m", ""),
        plain
    );
}
