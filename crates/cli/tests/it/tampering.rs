//! Lock files that were changed by hand, and files that only look like configurations.

use std::fs;

use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

const OURS: &str = "repertoire.lock.json";
const THEIRS: &str = "skills-lock.json";

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.skill(".agents/skills", "tidy", "Sorts.")
        .file(".agents/skills/tidy/scripts/run.sh", "ls\n");
    env.skill(".agents/skills", "notes", "Takes notes.");
    env
}

fn read(env: &TestEnv, lock: &str) -> String {
    fs::read_to_string(env.here().join(lock)).expect("the lock was written")
}

/// The skill `tidy` in a parsed lock; `notes` comes before it.
fn tidy(lock: &mut Value) -> &mut Value {
    &mut lock["skills"][1]
}

/// The file `scripts/run.sh` of `tidy`.
fn script(lock: &mut Value) -> &mut Value {
    &mut tidy(lock)["files"][1]
}

/// The altered part, the expected exit code of `verify`, and the alteration.
type TamperingRow<'a> = (&'a str, Exit, &'a dyn Fn(&mut Value));

#[test]
fn no_tampered_value_verifies() {
    let zeros = || json!(format!("sha256:{}", "0".repeat(64)));
    let rows: [TamperingRow<'_>; 36] = [
        ("path upwards", Exit::Failure, &|lock| {
            tidy(lock)["path"] = json!("../tidy")
        }),
        ("path within upwards", Exit::Failure, &|lock| {
            tidy(lock)["path"] = json!(".agents/x/../skills/tidy")
        }),
        ("absolute path", Exit::Failure, &|lock| {
            tidy(lock)["path"] = json!("/etc")
        }),
        ("empty path", Exit::Failure, &|lock| {
            tidy(lock)["path"] = json!("")
        }),
        ("path with backslashes", Exit::Failure, &|lock| {
            tidy(lock)["path"] = json!(".agents\\skills\\tidy")
        }),
        ("path of nothing", Exit::Problems, &|lock| {
            tidy(lock)["path"] = json!(".agents/skills/other")
        }),
        ("path in other letters", Exit::Problems, &|lock| {
            tidy(lock)["path"] = json!(".agents/skills/Tidy")
        }),
        ("path of another skill", Exit::Failure, &|lock| {
            tidy(lock)["path"] = json!(".agents/skills/notes")
        }),
        ("file upwards", Exit::Failure, &|lock| {
            script(lock)["path"] = json!("../notes/SKILL.md")
        }),
        ("absolute file", Exit::Failure, &|lock| {
            script(lock)["path"] = json!("/etc/passwd")
        }),
        ("file with a dot", Exit::Failure, &|lock| {
            script(lock)["path"] = json!("./scripts/run.sh")
        }),
        ("file with NUL", Exit::Failure, &|lock| {
            script(lock)["path"] = json!("scripts/run.sh\0")
        }),
        ("file on a drive", Exit::Failure, &|lock| {
            script(lock)["path"] = json!("c:/run.sh")
        }),
        ("file renamed", Exit::Failure, &|lock| {
            script(lock)["path"] = json!("scripts/other.sh")
        }),
        ("file removed", Exit::Failure, &|lock| {
            drop(tidy(lock)["files"].as_array_mut().unwrap().pop())
        }),
        ("file added", Exit::Failure, &|lock| {
            let row = json!({"path": "more.sh", "size": 1, "digest": zeros()});
            tidy(lock)["files"].as_array_mut().unwrap().push(row);
        }),
        ("file twice", Exit::Failure, &|lock| {
            let row = script(lock).clone();
            tidy(lock)["files"].as_array_mut().unwrap().push(row);
        }),
        ("no files", Exit::Failure, &|lock| {
            tidy(lock)["files"] = json!([])
        }),
        ("size", Exit::Failure, &|lock| {
            script(lock)["size"] = json!(4)
        }),
        ("negative size", Exit::Failure, &|lock| {
            script(lock)["size"] = json!(-3)
        }),
        ("size as a text", Exit::Failure, &|lock| {
            script(lock)["size"] = json!("3")
        }),
        ("digest of a file", Exit::Failure, &|lock| {
            script(lock)["digest"] = zeros()
        }),
        ("digest in capitals", Exit::Failure, &|lock| {
            let digest = script(lock)["digest"].as_str().unwrap().to_uppercase();
            script(lock)["digest"] = digest.into();
        }),
        ("short digest", Exit::Failure, &|lock| {
            script(lock)["digest"] = json!("sha256:00")
        }),
        ("digest of another kind", Exit::Failure, &|lock| {
            script(lock)["digest"] = json!(format!("md5:{}", "0".repeat(32)));
        }),
        ("digest of the skill", Exit::Failure, &|lock| {
            tidy(lock)["digest"] = zeros()
        }),
        ("digest of the manifest", Exit::Failure, &|lock| {
            tidy(lock)["manifest"] = zeros()
        }),
        ("omission added", Exit::Failure, &|lock| {
            tidy(lock)["omissions"] =
                json!([{"path": "more.sh", "reason": "link-out", "detail": ""}]);
        }),
        ("dependencies twice", Exit::Failure, &|lock| {
            let row = json!({"path": "node_modules", "digest": zeros()});
            tidy(lock)["dependencies"] = json!([row, row]);
        }),
        ("skill removed", Exit::Problems, &|lock| {
            drop(lock["skills"].as_array_mut().unwrap().pop())
        }),
        ("no skills", Exit::Problems, &|lock| {
            lock["skills"] = json!([])
        }),
        ("skill twice", Exit::Failure, &|lock| {
            let row = tidy(lock).clone();
            lock["skills"].as_array_mut().unwrap().push(row);
        }),
        ("unknown field of a skill", Exit::Failure, &|lock| {
            tidy(lock)["trusted"] = json!(true)
        }),
        ("unknown field", Exit::Failure, &|lock| {
            lock["trusted"] = json!(true)
        }),
        ("later version", Exit::Failure, &|lock| {
            lock["schema"] = json!("repertoire-lock/3")
        }),
        ("no version", Exit::Failure, &|lock| {
            drop(lock.as_object_mut().unwrap().remove("schema"))
        }),
    ];
    let env = project();
    env.run(&["lock"]);
    let honest = read(&env, OURS);
    for (what, expected, tamper) in rows {
        let mut lock = serde_json::from_str(&honest).expect("the lock is JSON");
        tamper(&mut lock);
        env.file(OURS, lock.to_string());
        let ran = env.run(&["verify"]);
        assert_eq!(ran.exit, expected, "{what}: {}{}", ran.stdout, ran.stderr);
    }
    env.file(OURS, honest);
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
}

#[test]
fn no_tampered_text_verifies() {
    let env = project();
    env.run(&["lock"]);
    let (ours, theirs) = (read(&env, OURS), read(&env, THEIRS));
    let hash = serde_json::from_str::<Value>(&theirs).expect("the lock is JSON")["skills"]["tidy"]
        ["computedHash"]
        .as_str()
        .expect("a hash")
        .to_owned();
    for (lock, honest, text, expected) in [
        (
            OURS,
            &ours,
            ours.replace("\"id\": \"tidy\",", "\"id\": \"tidy\", \"id\": \"tidy\","),
            Exit::Failure,
        ),
        (
            OURS,
            &ours,
            format!("<<<<<<< HEAD\n{ours}=======\n{ours}>>>>>>> theirs\n"),
            Exit::Failure,
        ),
        (OURS, &ours, "[".repeat(200_000), Exit::Failure),
        (
            OURS,
            &ours,
            ours[..ours.len() / 2].to_owned(),
            Exit::Failure,
        ),
        (OURS, &ours, format!("{ours}{ours}"), Exit::Failure),
        (OURS, &ours, String::new(), Exit::Failure),
        (
            THEIRS,
            &theirs,
            theirs.replace(&hash, &"0".repeat(64)),
            Exit::Problems,
        ),
        (
            THEIRS,
            &theirs,
            theirs.replace(&format!("\"{hash}\""), "1"),
            Exit::Failure,
        ),
        (
            THEIRS,
            &theirs,
            theirs.replace("\"version\": 1", "\"version\": 2"),
            Exit::Failure,
        ),
        (
            THEIRS,
            &theirs,
            theirs.replace("\"version\": 1", "\"version\": 1, \"version\": 1"),
            Exit::Failure,
        ),
        (
            THEIRS,
            &theirs,
            "{\"version\": 1, \"skills\": []}".to_owned(),
            Exit::Failure,
        ),
    ] {
        assert_ne!(&text, honest, "nothing was tampered with");
        env.file(lock, &text);
        let ran = env.run(&["verify"]);
        assert_eq!(ran.exit, expected, "{lock}: {}{}", ran.stdout, ran.stderr);
        env.file(lock, honest);
    }
    // A lock that is true of other content.
    env.file(".agents/skills/tidy/scripts/run.sh", "rm -r .\n")
        .run(&["lock"]);
    env.file(".agents/skills/tidy/scripts/run.sh", "ls\n");
    assert_eq!(env.run(&["verify"]).exit, Exit::Problems);
}

#[test]
fn decoy_configurations_are_not_read() {
    let env = project();
    let commands = [
        &["list", "--all", "--json"][..],
        &["list", "--trust-project", "--agent", "all", "--json"],
        &["show", "tidy", "--json"],
        &["why", "tidy", "--json"],
        &["search", "sort", "--json"],
        &["roots", "--agent", "all", "--json"],
        &["check", "--json"],
        &["catalog", "--trust-project", "--json"],
        &[
            "tools",
            "--trust-project",
            "--provider",
            "anthropic",
            "--json",
        ],
        &["body", "tidy"],
        &["render", "tidy"],
        &["directives", "tidy", "--json"],
        &["files", "tidy", "--json"],
        &["plugin", "list", "--json"],
        &["kinds", "--json"],
    ];
    let toml = "[[source]]\nkind = \"mcp\"\nname = \"decoy\"\ncommand = \"/bin/false\"\n\n[rules]\ndisable = [\"*\"]\n";
    let hooks = r#"{"hooks": {"SessionStart": [{"command": "/bin/false"}]}, "mcpServers": {"decoy": {"command": "/bin/false"}}}"#;
    let installed =
        r#"{"version": 3, "skills": {"tidy": {"source": "decoy/decoy", "sourceType": "github"}}}"#;
    let decoys = [
        ("repertoire.toml", toml),
        (".repertoire.toml", toml),
        (".repertoire/config.toml", toml),
        (".config/repertoire/config.toml", toml),
        (".agents/repertoire.toml", toml),
        (".agents/skills/repertoire.toml", toml),
        ("../repertoire.toml", toml),
        ("../home/repertoire.toml", toml),
        ("../home/.config/repertoire/config.toml", toml),
        ("repertoire.json", hooks),
        (".mcp.json", hooks),
        (".claude/settings.json", hooks),
        (".claude/settings.local.json", hooks),
        (".agents/hooks.json", hooks),
        (".agents/.skill-lock.json", installed),
        ("skills/.skill-lock.json", installed),
        (".local/state/repertoire/approvals.json", "{}"),
    ];
    decoys.iter().for_each(|(path, _)| {
        env.file(path, "");
    });
    let before = commands.map(|command| env.run(command));
    decoys.iter().for_each(|(path, text)| {
        env.file(path, text);
    });
    for (command, before) in commands.iter().zip(before) {
        assert_eq!(env.run(command), before, "{command:?}");
    }
}
