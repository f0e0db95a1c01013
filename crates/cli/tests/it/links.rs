//! A repository brings links, and names that look like options: nothing outside of it is shown or written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::{Ran, TestEnv, checkout};

/// A diagnostic of it points at the line with the secret.
const SECRET: &str = "---\nname: \"n\" # ghs_SECRET\ndescription: D.\n---\n";

fn link(env: &TestEnv, target: &str, path: &str) {
    let path = env.here().join(path);
    fs::create_dir_all(path.parent().expect("a file has a folder"))
        .expect("the folder can be made");
    symlink(target, path).expect("a fresh link");
}

fn read(env: &TestEnv, path: &str) -> String {
    fs::read_to_string(env.here().join(path)).expect("the file is there")
}

/// Runs the script of the hooks on `arguments`, as pre-commit does, with this build of the program.
fn hook(env: &TestEnv, arguments: &[&str]) -> (Option<i32>, String) {
    env.file(
        "../clone/.ci/pre-commit",
        fs::read(checkout(".ci/pre-commit")).expect("the script is there"),
    );
    // A stand-in for the script that installs the released program.
    let clone = env.here().join("../clone");
    env.file(
        "../clone/.ci/released",
        format!("#!/bin/sh\necho {}\n", env!("CARGO_BIN_EXE_repertoire")),
    );
    let script = clone.join(".ci/released");
    let mut permissions = fs::metadata(&script).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(script, permissions).expect("the file is ours");
    let output = Command::new("bash")
        .arg(clone.join(".ci/pre-commit"))
        .args(arguments)
        .current_dir(env.here())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("there is a bash");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said)
}

#[test]
fn a_name_in_a_commit_is_no_option() {
    let env = TestEnv::new();
    env.file(
        "--config=x/SKILL.md",
        "---\nname: d\ndescription: D.\n---\nDo it.\n",
    );
    let starts = "[[source]]\nkind = \"mcp\"\nname = \"x\"\ncommand = \"sh\"\nargs = [\"-c\", \"id > pwned\"]\n";
    env.file("x/SKILL.md", starts);
    env.file("--strict", "")
        .file("-/SKILL.md", "---\nname: e\ndescription: E.\n---\nDo it.\n");
    let files = ["--config=x/SKILL.md", "-/SKILL.md"];
    let (code, said) = hook(&env, &[&["check"][..], &files].concat());
    assert_eq!(
        (code, said.lines().last()),
        (Some(0), Some("2 skills checked: 2 warnings")),
        "{said}"
    );
    let (code, said) = hook(&env, &[&["check", "--strict"][..], &files[..1]].concat());
    assert_eq!(
        (code, said.contains("error[")),
        (Some(2), false),
        "a file called `--strict` is no option: {said}"
    );
    let (code, said) = hook(&env, &[&["fmt"][..], &files].concat());
    assert_eq!(
        (code, said.as_str()),
        (Some(0), "2 files: 2 already formatted\n")
    );
    assert!(!env.here().join("pwned").exists());
}

#[test]
fn a_command_that_reads_starts_nothing() {
    let env = TestEnv::new();
    let source =
        |kind: &str, rest: &str| format!("[[source]]\nkind = \"{kind}\"\nname = \"x\"\n{rest}\n");
    let mcp = source("mcp", "command = \"sh\"\nargs = [\"-c\", \"id > pwned\"]");
    env.file("mcp.toml", mcp).file(
        "remote.toml",
        source("mcp", "url = \"http://127.0.0.1:9/mcp\""),
    );
    env.file("plugin.toml", source("plugin", "path = \"p.so\""))
        .file("process.toml", source("process", "path = \"p.so\""));
    for command in ["check", "list", "lock", "verify"] {
        for config in ["mcp.toml", "remote.toml", "plugin.toml", "process.toml"] {
            let failure = env.run(&[command, "--config", config]).failure();
            let lines: Vec<_> = failure.lines().collect();
            let kind = config.trim_end_matches(".toml").replace("remote", "mcp");
            let refused = format!(
                "error: the source `x` of the kind `{kind}` starts a program, loads a library or opens a connection; \
                 this command only reads"
            );
            assert_eq!(lines.first(), Some(&refused.as_str()), "{command} {config}");
            let help = "  = help: pass --connect if you trust the configuration";
            assert_eq!(lines.last(), Some(&help), "{command} {config}");
        }
    }
    let typed = [
        "check",
        "--source",
        "mcp:x:command = \"sh\", args = [\"-c\", \"id > pwned\"]",
    ];
    assert_eq!(env.run(&typed).exit, Exit::Failure);
    assert!(!env.here().join("pwned").exists());
    assert_eq!(
        env.run(&["check", "--connect", "--config", "mcp.toml"])
            .exit,
        Exit::Problems
    );
    assert!(env.here().join("pwned").exists(), "it is asked for");
}

#[test]
fn a_lock_is_not_written_through_a_link() {
    for name in ["repertoire.lock.json", "skills-lock.json"] {
        let env = TestEnv::new();
        env.skill(".agents/skills", "a", "A.")
            .file("../home/.bashrc", "mine\n");
        link(&env, "../home/.bashrc", name);
        for command in [
            &["lock", "--trust-project"][..],
            &["verify", "--trust-project"],
        ] {
            let ran = env.run(command);
            assert_eq!(
                (ran.exit, ran.stdout.as_str()),
                (Exit::Failure, ""),
                "{name}"
            );
            assert!(
                ran.stderr.contains("it is a link; replace it with a file"),
                "{}",
                ran.stderr
            );
            assert!(!ran.stderr.contains("mine"), "{}", ran.stderr);
        }
        assert_eq!(read(&env, "../home/.bashrc"), "mine\n");
        assert!(env.here().join(name).is_symlink());
    }
}

#[test]
fn nothing_that_a_link_leads_to_is_shown() {
    // With front matter, without it, JSON of a wrong type, and a table of the kernel.
    let bare = "https://ada:ghs_SECRET@example.com\n";
    let json = "{\"name\": [\"ghs_SECRET\"], \"plugins\": \"ghs_SECRET\"}";
    for secret in [Some(SECRET), Some(bare), Some(json), None] {
        let env = TestEnv::new();
        let at = |above: &str| match secret {
            Some(_) => format!("{above}home/secret"),
            None => "/proc/self/environ".to_owned(),
        };
        env.file("../home/secret", secret.unwrap_or_default())
            .skill("kit/skills", "own", "Own.");
        link(&env, &at("../../../../"), ".agents/skills/b/SKILL.md");
        for file in [
            "repertoire.lock.json",
            "skills-lock.json",
            "repertoire.toml",
            "linked",
            "linked.yaml",
        ] {
            link(&env, &at("../"), file);
        }
        for file in [
            ".claude-plugin/marketplace.json",
            ".claude-plugin/plugin.json",
        ] {
            link(&env, &at("../../"), file);
            link(&env, &at("../../../"), &format!("kit/{file}"));
        }
        link(&env, &at("../../"), "kit/installed_plugins.json");
        link(&env, "../../home", "folder");
        env.file("search.toml", "[search]\nsynonyms = \"linked\"\n");
        let commands: [&[&str]; 21] = [
            &["check"],
            &["check", "--strict"],
            &["check", "--json"],
            &["check", "--format", "sarif"],
            &["check", "."],
            &["check", ".", "--json"],
            &["check", "kit"],
            &["check", "linked"],
            &["list", "--all"],
            &["fmt", "--check"],
            &["fmt", "--diff"],
            &["fmt", "--check", ".agents/skills/b/SKILL.md"],
            &["fmt"],
            &["lock"],
            &["verify"],
            &["list", "--config", "repertoire.toml"],
            &["simulate", "--script", "linked"],
            &["simulate", "--script", "folder/secret"],
            &["eval", "linked"],
            &["eval", "linked.yaml"],
            &["search", "own", "--config", "search.toml"],
        ];
        for command in commands {
            let Ran { stdout, stderr, .. } = env.run(command);
            let output = format!("{stdout}{stderr}");
            // Every process of a test runner has a variable with this beginning.
            assert!(
                !output.contains("ghs_SECRET") && !output.contains("CARGO_"),
                "{command:?}: {output}"
            );
        }
        assert_eq!(read(&env, "../home/secret"), secret.unwrap_or_default());
    }
}

#[test]
fn a_configuration_elsewhere_is_not_quoted() {
    let env = TestEnv::new();
    env.file("../home/own.toml", "\n[source]\n")
        .file("mine.toml", "\n[source]\n");
    link(&env, "../home/own.toml", "repertoire.toml");
    assert_data_eq!(
        env.run(&["list", "--config", "repertoire.toml"]).failure(),
        str![[r#"
error: expected tables `[[source]]`, found table
 |
 = help: see line 2 of the file that `repertoire.toml` links to

"#]]
    );
    assert!(
        env.run(&["list", "--config", "mine.toml"])
            .failure()
            .contains("2 | [source]")
    );
}

#[test]
fn a_script_elsewhere_is_not_quoted() {
    let env = TestEnv::new();
    env.file("../home/own.yaml", "turns:\n  - secret: 1\n");
    link(&env, "../home/own.yaml", "turns.yaml");
    assert_data_eq!(
        env.run(&["simulate", "--script", "turns.yaml"]).failure(),
        str![[r#"
error: `turns.yaml` is not a valid script
 |
 = help: see line 2 of the file that it links to

"#]]
    );
    assert!(
        env.run(&["simulate", "--script", "../home/own.yaml"])
            .failure()
            .contains("2 |   - secret: 1")
    );
}

#[test]
fn fmt_writes_below_the_named_folder_alone() {
    let disorder = "---\ndescription: D.\nname: out\n---\n";
    let env = TestEnv::new();
    env.file("../home/victim.md", disorder)
        .file("../home/skills/deep/SKILL.md", disorder);
    link(&env, "../../../home/victim.md", "root/out/SKILL.md");
    link(&env, "../../home/skills", "root/more");
    let ran = env.run(&["fmt", "root"]);
    assert_eq!(ran.exit, Exit::Problems, "{}", ran.stdout);
    let ran = env.run(&["fmt", "root/out/SKILL.md"]);
    assert_eq!(ran.exit, Exit::Problems, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("it links to a file outside of"),
        "{}",
        ran.stdout
    );
    link(&env, "../../home/skills", ".agents/skills");
    assert_data_eq!(
        env.run(&["fmt"]).failure(),
        str![[r#"
error: `.agents/skills` links to a folder outside of this one
 |
 = help: pass that folder as an argument

"#]]
    );
    for file in ["../home/victim.md", "../home/skills/deep/SKILL.md"] {
        assert_eq!(read(&env, file), disorder, "{file}");
    }
}

#[test]
fn fmt_loses_a_race_against_a_link() {
    let disorder = "---\ndescription: D.\nname: tidy\n---\n";
    let env = TestEnv::new();
    env.file("../home/victim", "mine\n");
    let (file, aside) = (
        env.here().join("root/tidy/SKILL.md"),
        env.here().join("aside"),
    );
    env.file("root/tidy/SKILL.md", disorder);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = fs::remove_file(&aside);
                symlink("../../../home/victim", &aside)
                    .and_then(|()| fs::rename(&aside, &file))
                    .expect("it is ours");
                fs::write(&aside, disorder)
                    .and_then(|()| fs::rename(&aside, &file))
                    .expect("it is ours");
            }
        });
        for _ in 0..300 {
            env.run(&["fmt", "root/tidy/SKILL.md"]);
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(read(&env, "../home/victim"), "mine\n");
}

#[test]
fn new_writes_nothing_through_a_link() {
    let env = TestEnv::new();
    fs::create_dir_all(env.here().join("../home/.ssh")).expect("a fresh folder");
    link(&env, "../../home/.ssh", ".agents/skills");
    assert_data_eq!(
        env.run(&["new", "tidy"]).failure(),
        str![[r#"
error: cannot write `.agents/skills/tidy/SKILL.md`: a path led outside of the filesystem
 |
 = help: if it is a link to another folder, pass that folder with `--dir DIR`

"#]]
    );
    assert_eq!(
        fs::read_dir(env.here().join("../home/.ssh"))
            .expect("it is there")
            .count(),
        0
    );
    link(&env, "../home/.ssh", "plug");
    let failure = env
        .run(&[
            "plugin",
            "new",
            "plug",
            "--checkout",
            &checkout("").to_string_lossy(),
        ])
        .failure();
    assert_eq!(
        failure,
        "error: `plug` already exists\n |\n = help: `plugin new` never overwrites\n"
    );
    assert_eq!(
        fs::read_dir(env.here().join("../home/.ssh"))
            .expect("it is there")
            .count(),
        0
    );
    assert!(Path::new(&env.here().join("plug")).is_symlink());
}
