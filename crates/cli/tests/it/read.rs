//! `body`, `files`, `kinds`, `completions` and help.

use repertoire_cli::{Environment, Exit, Stream, run};
use repertoire_testkit::Envelope;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn skill_with_files() -> TestEnv {
    let env = TestEnv::new();
    env.skill("root", "tidy", "Sorts.").file("root/tidy/references/how to.md", "Slowly.\n");
    env.file("root/tidy/scripts/raw.bin", b"\xff\x1b[31m\x00");
    env
}

const ROOT: [&str; 3] = ["--root", "root", "--no-defaults"];

fn with_root(arguments: &[&'static str]) -> Vec<&'static str> {
    ROOT.into_iter().chain(arguments.iter().copied()).collect()
}

#[test]
fn a_body_is_printed_as_it_is() {
    assert_eq!(skill_with_files().run(&with_root(&["body", "tidy"])).data(), "Body of tidy.\n");
}

#[test]
fn a_listed_skill_is_readable_in_any_envelope() {
    let env = TestEnv::new();
    for (number, envelope) in Envelope::all().into_iter().enumerate() {
        let root = format!("root-{number}");
        env.file(&format!("{root}/tidy/SKILL.md"), envelope.around("description: Does it."));
        for door in ["body", "render"] {
            let ran = env.run(&[door, "tidy", "--no-defaults", "--root", &root]);
            assert_eq!(ran.exit, Exit::Success, "{door} {envelope:?}: {}", ran.stderr);
            assert_eq!(ran.stdout.trim_end(), envelope.body().trim_end(), "{door} {envelope:?}");
        }
    }
}

#[test]
fn files_are_listed_with_size_and_digest_and_printed_byte_for_byte() {
    let env = skill_with_files();
    assert_data_eq!(
        env.run(&with_root(&["files", "tidy"])).data(),
        str![[r#"
path                  bytes  digest
references/how to.md      8  sha256:16672b68d9a155beb088022fe47909a8e0edceba1269da16409bacde7aea843a
scripts/raw.bin           7  sha256:a6072bc0e6580a7bb103430ccac508ffa6f6c7ac22adb670d017d105026c8813

"#]]
    );
    assert_eq!(env.run(&with_root(&["files", "tidy", "references/how to.md"])).data(), "Slowly.\n");

    let mut bytes = Vec::new();
    let environment = Environment { stdout: Stream::new(&mut bytes), ..Environment::quiet(env.here()) };
    let arguments = ["repertoire", "files", "tidy", "scripts/raw.bin", "--root", "root"];
    assert_eq!(run(arguments, environment), Exit::Success);
    assert_eq!(bytes, b"\xff\x1b[31m\x00");
}

#[test]
fn a_terminal_gets_text_that_it_does_not_obey_and_no_bytes() {
    let env = skill_with_files();
    env.file("root/painter/SKILL.md", "---\nname: painter\ndescription: Paints.\n---\nRed \u{1b}[31m\n\tthen.\n");
    let at_terminal = |arguments: &[&str]| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let environment = Environment {
            stdout: Stream::new(&mut stdout).at_terminal(),
            stderr: Stream::new(&mut stderr),
            ..Environment::quiet(env.here())
        };
        let exit = run(std::iter::once("repertoire").chain(arguments.iter().copied()), environment);
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (exit, text(stdout), text(stderr))
    };
    let (exit, stdout, _) = at_terminal(&["body", "painter", "--root", "root"]);
    assert_eq!((exit, stdout.as_str()), (Exit::Success, "Red [31m\n\tthen.\n"));
    let (exit, stdout, stderr) = at_terminal(&["files", "tidy", "scripts/raw.bin", "--root", "root"]);
    assert_eq!((exit, stdout.as_str()), (Exit::Failure, ""));
    assert_data_eq!(
        stderr,
        str![[r#"
error: cannot write the answer: `scripts/raw.bin` is no text; send it to a file or a pipe

"#]]
    );
}

#[test]
fn a_path_never_leaves_the_skill() {
    let env = skill_with_files();
    env.file("root/secret.txt", "secret");
    for path in ["../secret.txt", "/etc/passwd", "references/../../secret.txt", "no-such-file"] {
        let ran = env.run(&["files", "tidy", path, "--root", "root"]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Failure, ""), "{path}");
    }
}

#[test]
fn kinds_lists_what_is_linked() {
    assert_data_eq!(
        TestEnv::new().run(&["kinds"]).data(),
        str![[r#"
kind            about
client-plugins  folders of plugins that a client installed
fs              folders of skills
mcp             the skills of another MCP server, a program or an address
plugin          a shared library, loaded into this process
process         a shared library, loaded into a process of its own

"#]]
    );
}

#[test]
fn completions_are_scripts() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = TestEnv::new().run(&["completions", shell]).data();
        assert!(script.contains("repertoire") && script.contains("catalog"), "{shell}");
    }
}

#[test]
fn help_is_data_and_tells_the_exit_codes() {
    assert_data_eq!(
        TestEnv::new().run(&["--help"]).data(),
        str![[r#"
Skills for AI agents: what there is, which one wins, and what a model gets to read

Usage: repertoire [OPTIONS] <COMMAND>

Commands:
  list         List the skills: who has each id, from where, and where its body goes
  show         Show everything about one skill
  which        Tell who has an id, and why every other claim to it lost
  search       Find skills by words: in their names, triggers, tags and descriptions, the best first
  roots        Show every place that was looked at, whether it is there and what it holds
  check        Show everything that is wrong or odd, with the lines that it is about [alias:
               validate]
  watch        Show changes as they happen, with what is wrong or odd about them
  catalog      Print the text that tells a model which skills there are; what did not fit goes to
               standard error
  tools        Print the tools that a model finds and reads skills with, for the request to a
               provider
  simulate     Play a conversation from a file, and print what each call of the model is made of,
               who decided it, and what was left out and why
  serve        Serve the skills over MCP: to one client over standard input and output, or to many
               over HTTP
  mcp          Print what an MCP client has to be told of this server
  body         Print the instructions of one skill
  render       Print the instructions of one skill as a model gets them, with what was typed in its
               places
  directives   Show every command and script that one skill would run, without running any
  approve      Let one skill run its commands and scripts, as they are now: any change asks again
  files        List the files of one skill, or print one of them
  lock         Write down what every file of the project's skills is now, for `verify` to compare
  verify       Compare every file of the project's skills with what `lock` wrote down
  new          Write the beginning of a skill, and print where it is
  fmt          Bring the front matter of skills into its canonical form
  plugin       Decide which plugins may run, look at one without running it, or begin one
  kinds        List the kinds of sources that this program knows
  completions  Print what a shell needs to complete this program's arguments
  man          Print the manual page of this program, or of one of its commands
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version

Where to look:
      --root <DIR>
          A folder of skills, ahead of everything else; several come in the order given

      --source <KIND:NAME[:KEY = VALUE, ...]>
          A source of any linked kind, behind the roots; options as in a TOML inline table

      --config <FILE>
          A configuration file that says everything: built-in skills and standard folders are left
          out. None is read unasked

      --client <NAME>
          Also the standard folders of this client, as in `claude`; `all` for every known one

      --no-defaults
          Leave the standard folders and the built-in skills out

      --disable <NAME>
          Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the
          configuration file says

      --trust-project
          Admit the skills of the project: without this, no model would see them

      --model <PROVIDER/MODEL>
          The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`

      --format <FORMAT>
          The form of the answer

          Possible values:
          - human: Tables and text
          - json:  One JSON document on standard output
          - sarif: What `check` finds as SARIF 2.1.0, for code scanning
          
          [default: human]

      --json
          The same as `--format json`

Exit codes:
  0  done, and nothing to object to
  1  `check` found an error, or with `--strict` a warning; `verify` found a difference;
     `fmt` left a file as it is, or without writing would have changed one
  2  what was asked could not be done

Data goes to standard output, everything else to standard error.

"#]]
    );
    let version = TestEnv::new().run(&["--version"]).data();
    assert_eq!(version, concat!("repertoire ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn wrong_use_is_exit_code_2_and_talk() {
    for arguments in [&["lst"][..], &[], &["list", "--model"], &["show"]] {
        let ran = TestEnv::new().run(arguments);
        assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Failure, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn colours_appear_only_where_they_are_welcome() {
    let env = skill_with_files();
    let mut coloured = Vec::new();
    let environment = Environment { stdout: Stream::new(&mut coloured).coloured(), ..Environment::quiet(env.here()) };
    assert_eq!(run(["repertoire", "list", "root"], environment), Exit::Success);
    let coloured = String::from_utf8(coloured).expect("text");
    let plain = env.run(&["list", "root"]).data();
    assert!(coloured.contains("\u{1b}[1mname\u{1b}[0m"), "{coloured:?}");
    assert_eq!(coloured.replace("\u{1b}[1m", "").replace("\u{1b}[0m", ""), plain);
}
