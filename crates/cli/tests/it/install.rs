//! `add`, `update`, `remove`, `sync`, `installed` and `store gc`.

use std::fs;
use std::process::Command;

use repertoire_cli::Exit;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::schema::Schema;
use crate::test_env::TestEnv;

/// Two skills in the folder `shared`, one of them with a program.
fn shared() -> TestEnv {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.")
        .skill("shared", "notes", "Takes notes.");
    env.file("shared/tidy/scripts/run.sh", "#!/bin/sh\nls\n")
        .file("shared/tidy/.env", "SECRET=1\n");
    env
}

fn read(env: &TestEnv, path: &str) -> Option<String> {
    fs::read_to_string(env.here().join(path)).ok()
}

fn lock(env: &TestEnv) -> Value {
    let text = read(env, "repertoire.lock.json").expect("there is a lock");
    serde_json::from_str(&text).expect("it is JSON")
}

fn good(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_eq!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn a_folder_is_previewed_and_installed() {
    let env = shared();
    let asked = env.run(&["add", "./shared"]);
    assert_eq!(asked.exit, Exit::Failure);
    assert!(read(&env, "repertoire.lock.json").is_none());
    let dry = good(&env, &["add", "./shared", "--dry-run"]);
    assert_data_eq!(
        dry,
        str![[r#"
add       notes  .agents/skills/notes  (./shared)
          1 file
add       tidy  .agents/skills/tidy  (./shared)
          2 files; programs scripts/run.sh
2 skills: 2 to add

"#]]
    );
    assert!(read(&env, ".agents/skills/tidy/SKILL.md").is_none());
    let refused = env.run_answering("n\n", &["add", "./shared"]);
    assert_eq!(refused.exit, Exit::Failure);
    assert!(read(&env, ".agents/skills/tidy/SKILL.md").is_none());
    let agreed = env.run_answering("y\n", &["add", "./shared"]);
    assert_eq!(agreed.exit, Exit::Success, "{}", agreed.stderr);
    assert!(
        agreed.stdout.ends_with("2 skills: done\n"),
        "{}",
        agreed.stdout
    );
    assert_eq!(
        read(&env, ".agents/skills/tidy/scripts/run.sh").as_deref(),
        Some("#!/bin/sh\nls\n")
    );
    assert!(read(&env, ".agents/skills/tidy/.env").is_none());
    Schema::of("repertoire-lock-2").assert_fits(&lock(&env).to_string());
    assert_eq!(
        good(&env, &["verify"]),
        "2 skills match repertoire.lock.json\n"
    );
    assert_data_eq!(
        good(&env, &["installed"]),
        str![[r#"
skill  state      folder                reference
notes  installed  .agents/skills/notes  ./shared
tidy   installed  .agents/skills/tidy   ./shared

"#]]
    );
}

#[test]
fn an_update_shows_each_changed_file() {
    let env = shared();
    good(&env, &["add", "./shared/tidy", "--yes"]);
    let first = lock(&env)["installed"][0]["first_trusted"].clone();
    env.file(
        "shared/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts well.\n---\nBody.\n",
    )
    .file("shared/tidy/more.md", "More.\n");
    fs::remove_file(env.here().join("shared/tidy/scripts/run.sh")).expect("it is there");
    let checked = env.run(&["update", "--check"]);
    assert_eq!(checked.exit, Exit::Problems);
    assert_data_eq!(
        checked.stdout,
        str![[r#"
update    tidy  .agents/skills/tidy  (./shared/tidy)
          2 files
          SKILL.md: changed at the source
          more.md: added at the source
          scripts/run.sh: removed at the source
1 skill: 1 to update

"#]]
    );
    good(&env, &["update", "--yes"]);
    assert_eq!(
        read(&env, ".agents/skills/tidy/more.md").as_deref(),
        Some("More.\n")
    );
    assert!(read(&env, ".agents/skills/tidy/scripts/run.sh").is_none());
    assert_eq!(lock(&env)["installed"][0]["first_trusted"], first);
    assert_eq!(env.run(&["update", "--check"]).exit, Exit::Success);
    assert_eq!(
        good(&env, &["verify"]),
        "1 skill matches repertoire.lock.json\n"
    );
}

#[test]
fn local_changes_are_never_replaced() {
    let env = shared();
    good(&env, &["add", "./shared/tidy", "--yes"]);
    env.file(
        ".agents/skills/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Mine.\n---\n",
    )
    .file(".agents/skills/tidy/.env", "SECRET=2\n")
    .file("shared/tidy/scripts/run.sh", "#!/bin/sh\n");
    let blocked = env.run(&["update", "--yes"]);
    assert_eq!(blocked.exit, Exit::Problems);
    assert_data_eq!(
        blocked.stdout,
        str![[r#"
blocked   tidy  .agents/skills/tidy  (./shared/tidy)
          2 files; programs scripts/run.sh
          SKILL.md: changed here
          scripts/run.sh: changed at the source
1 skill: 1 blocked

"#]]
    );
    for arguments in [&["remove", "tidy", "--yes"][..], &["sync", "--yes"]] {
        assert_eq!(env.run(arguments).exit, Exit::Problems, "{arguments:?}");
    }
    let mine = read(&env, ".agents/skills/tidy/SKILL.md").expect("it is there");
    assert!(mine.contains("Mine."));
    good(&env, &["update", "--yes", "--force"]);
    let now = read(&env, ".agents/skills/tidy/SKILL.md").expect("it is there");
    assert!(now.contains("Sorts."));
    let backup = ".repertoire/backup/.agents-skills-tidy-1/SKILL.md";
    assert_eq!(read(&env, backup), Some(mine));
    assert_eq!(
        read(&env, ".agents/skills/tidy/.env").as_deref(),
        Some("SECRET=2\n")
    );
}

#[test]
fn a_frozen_sync_needs_only_the_store() {
    let env = shared();
    good(&env, &["add", "./shared", "--yes"]);
    let locked = read(&env, "repertoire.lock.json");
    for folder in ["shared", ".agents"] {
        fs::remove_dir_all(env.here().join(folder)).expect("it is there");
    }
    good(&env, &["sync", "--frozen", "--yes"]);
    assert_eq!(
        good(&env, &["verify"]),
        "2 skills match repertoire.lock.json\n"
    );
    assert_eq!(read(&env, "repertoire.lock.json"), locked);
    good(&env, &["remove", "notes", "--yes"]);
    assert!(!env.here().join(".agents/skills/notes").exists());
    assert_eq!(good(&env, &["store", "gc"]), "removed 1 skill; 1 stay\n");
    fs::write(
        env.here().join("repertoire.lock.json"),
        locked.expect("a lock"),
    )
    .expect("writable");
    let missing = env.run(&["sync", "--frozen", "--yes"]).failure();
    assert_data_eq!(
        missing,
        str![[r#"
error: the store does not have `notes`
 |
 = help: run `repertoire sync` with a network once

"#]]
    );
}

#[test]
fn agents_and_scopes_select_the_folder() {
    let env = shared();
    for (arguments, base, path) in [
        (&["--agent", "claude-code"][..], "", ".claude/skills/tidy"),
        (&["--agent", "codex"], "", ".agents/skills/tidy"),
        (&["--scope", "user"], "../home", ".agents/skills/tidy"),
        (
            &["--scope", "user", "--agent", "claude"],
            "../home",
            ".claude/skills/tidy",
        ),
    ] {
        good(
            &env,
            &[&["add", "./shared/tidy", "--yes"], arguments].concat(),
        );
        let folder = env.here().join(base);
        assert!(
            folder.join(path).join("SKILL.md").is_file(),
            "{arguments:?}"
        );
        assert!(folder.join("repertoire.lock.json").is_file());
    }
    assert_eq!(
        good(&env, &["verify"]),
        "2 skills match repertoire.lock.json\n"
    );
    env.file(".claude/skills/tidy/SKILL.md", "changed");
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert!(
        ran.stdout
            .contains("changed  tidy  .claude/skills/tidy/SKILL.md"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_lock_of_version_one_is_migrated() {
    let env = shared();
    env.skill(".agents/skills", "own", "Is here.");
    good(&env, &["lock"]);
    let text = read(&env, "repertoire.lock.json").expect("there is a lock");
    env.file(
        "repertoire.lock.json",
        text.replace("repertoire-lock/2", "repertoire-lock/1"),
    );
    assert!(good(&env, &["verify"]).starts_with("1 skill matches"));
    good(&env, &["add", "./shared/tidy", "--yes"]);
    let lock = lock(&env);
    assert_eq!(lock["schema"], "repertoire-lock/2");
    assert_eq!(lock["skills"][0]["id"], "own");
    assert_eq!(lock["installed"][0]["id"], "tidy");
    let ran = env.run(&["verify"]);
    assert!(
        ran.stdout.contains("2 skills"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    good(&env, &["lock"]);
    let text = read(&env, "repertoire.lock.json").expect("there is a lock");
    let again: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(again, lock);
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
}

#[test]
fn a_repository_is_added_and_updated() {
    let env = shared();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(env.here().join("shared"))
            .args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "A")
                .env(format!("GIT_{role}_EMAIL"), "a@test");
        }
        let output = command.output().expect("git is installed");
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["add", "tidy/SKILL.md", "notes"]);
    git(&["commit", "--quiet", "--message", "first"]);
    let url = format!("file://{}@main#tidy", env.here().join("shared").display());
    good(&env, &["add", &url, "--yes"]);
    let commit = lock(&env)["installed"][0]["commit"].clone();
    assert_eq!(good(&env, &["outdated"]), "no source has newer content\n");
    env.file("shared/tidy/more.md", "More.\n");
    git(&["add", "tidy/more.md"]);
    git(&["commit", "--quiet", "--message", "second"]);
    assert!(good(&env, &["outdated"]).contains("tidy"));
    // The locked commit stays available, and the store may be empty.
    fs::remove_dir_all(env.here().join(".agents")).expect("it is there");
    fs::remove_dir_all(env.here().join("../home/.local/share/repertoire")).expect("it is there");
    good(&env, &["sync", "--yes"]);
    assert!(read(&env, ".agents/skills/tidy/more.md").is_none());
    good(&env, &["update", "--yes"]);
    assert!(read(&env, ".agents/skills/tidy/more.md").is_some());
    assert_ne!(lock(&env)["installed"][0]["commit"], commit);
}

#[test]
fn a_write_that_fails_changes_nothing() {
    let env = shared();
    env.file("shared/tidy/large.md", vec![b'x'; 100_000]);
    // Files may have 32 KiB, and the signal about it is ignored.
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" add ./shared/tidy --yes";
    let program = env!("CARGO_BIN_EXE_repertoire");
    let mut command = Command::new("bash");
    command
        .args(["-c", script, program])
        .current_dir(env.here());
    command
        .env("HOME", env.here().join("../home"))
        .env_remove("XDG_DATA_HOME");
    let output = command.output().expect("bash is installed");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot use the store"), "{message}");
    assert!(!env.here().join(".agents").exists());
    assert!(read(&env, "repertoire.lock.json").is_none());
    good(&env, &["add", "./shared/tidy", "--yes"]);
    assert_eq!(
        good(&env, &["verify"]),
        "1 skill matches repertoire.lock.json\n"
    );
}
