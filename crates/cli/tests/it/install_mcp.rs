//! Skills of an MCP server: `add`, `update` and `sync`.

use std::fs;
use std::io::{BufRead, BufReader};

use repertoire_cli::Exit;

use crate::serve::Serving;
use crate::test_env::TestEnv;

const ALLOWED: [&str; 3] = ["--yes", "--allow-host", "127.0.0.1"];

/// A server of the folder `published`, and its reference.
fn server(env: &TestEnv) -> (Serving, String) {
    let mut serving = Serving::start(env, &["published", "--http", "127.0.0.1:0"], &[]);
    let stderr = serving.0.stderr.take().expect("it is piped");
    let mut lines = BufReader::new(stderr).lines();
    let line = lines.next().expect("a line").expect("text");
    let url = line.strip_prefix("note: listening on ").expect("a URL");
    let reference = format!("mcp+{url}");
    // The server ends if it cannot write.
    std::thread::spawn(move || lines.count());
    (serving, reference)
}

fn good(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_eq!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

fn installed(env: &TestEnv) -> Vec<String> {
    let files = ["tidy/SKILL.md", "tidy/scripts/run.sh", "notes/SKILL.md"];
    let files = files.map(|file| fs::read_to_string(env.here().join(".agents/skills").join(file)));
    files.into_iter().map(Result::unwrap_or_default).collect()
}

#[test]
fn skills_of_a_server_round_trip() {
    let env = TestEnv::new();
    env.skill("published", "tidy", "Sorts.")
        .skill("published", "notes", "Takes notes.")
        .file("published/tidy/scripts/run.sh", "#!/bin/sh\nls\n");
    let (serving, reference) = server(&env);
    good(&env, &[&["add", &reference][..], &ALLOWED].concat());
    let first = installed(&env);
    assert_eq!(first[1], "#!/bin/sh\nls\n");
    assert_eq!(
        good(&env, &["verify"]),
        "2 skills match repertoire.lock.json\n"
    );
    let data = env.here().join("../home/.local/share/repertoire");
    fs::remove_dir_all(data).expect("there is a store");
    fs::remove_dir_all(env.here().join(".agents")).expect("it is there");
    good(&env, &[&["sync"][..], &ALLOWED].concat());
    assert_eq!(installed(&env), first);

    let again = format!("{reference}#tidy");
    good(&env, &["remove", "notes", "tidy", "--yes"]);
    good(&env, &[&["add", &again][..], &ALLOWED].concat());
    assert_eq!(installed(&env)[2], "");
    drop(serving);
    let ended = env.run(&[&["update"][..], &ALLOWED].concat());
    assert_eq!(ended.exit, Exit::Failure);
    fs::remove_dir_all(env.here().join(".agents")).expect("it is there");
    good(&env, &["sync", "--frozen", "--yes"]);
    assert_eq!(installed(&env)[0], first[0]);
}

#[test]
fn a_private_server_has_to_be_allowed() {
    let env = TestEnv::new();
    for host in ["127.0.0.1", "localhost"] {
        let reference = format!("mcp+http://{host}:9/mcp");
        snapbox::assert_data_eq!(
            env.run(&["add", &reference, "--yes"]).failure(),
            format!(
                "error: `{host}` has a private address\n |\n = help: pass `--allow-host HOST` if you trust it\n"
            )
        );
    }
}
