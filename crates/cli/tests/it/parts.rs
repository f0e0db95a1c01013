//! The files beside instructions: which there are, which are left out, and how they are found.

use std::fs;

use repertoire_cli::Exit;
use serde_json::Value;

use crate::test_env::{Ran, TestEnv};

const ROOT: [&str; 3] = ["--root", "root", "--no-defaults"];

fn run(env: &TestEnv, arguments: &[&str]) -> Ran {
    env.run(&[arguments, &ROOT].concat())
}

#[test]
#[cfg(unix)]
fn odd_files_are_named_once_and_hide_nothing() {
    use std::os::unix::ffi::OsStrExt;

    let env = TestEnv::new();
    env.skill("root", "kit", "Sorts.")
        .file("root/kit/guide.md", "Guide.\n")
        .file("secret.txt", "SECRET");
    env.file("root/kit/scripts\\run.py", "")
        .file("root/kit/a:agenda.md", "");
    let odd = env
        .here()
        .join("root/kit")
        .join(std::ffi::OsStr::from_bytes(b"\xff.md"));
    fs::write(odd, "").expect("the file can be written");
    let huge = fs::File::create(env.here().join("root/kit/master.bin")).expect("a file");
    huge.set_len(20 << 20).expect("a sparse file can be made");
    std::os::unix::fs::symlink("../../secret.txt", env.here().join("root/kit/shared.md"))
        .expect("a link");
    for file in [
        ".env",
        ".DS_Store",
        "guide.md~",
        "__pycache__/a.pyc",
        ".git/HEAD",
        "node_modules/x.js",
    ] {
        env.file(&format!("root/kit/{file}"), "hunter2");
    }
    let checked = env.run(&["check", "root", "--json"]);
    assert_eq!(checked.exit, Exit::Success);
    let checked: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let found = checked["diagnostics"].as_array().expect("a list").iter();
    let mut found: Vec<_> = found
        .map(|one| (text(&one["code"]), text(&one["path"])))
        .collect();
    found.sort();
    let expected = [
        ("not-compared", ".git"),
        ("not-compared", "__pycache__"),
        ("part-omitted", "\\xff.md"),
        ("part-omitted", "a:agenda.md"),
        ("part-omitted", "master.bin"),
        ("part-omitted", "scripts\\run.py"),
        ("part-omitted", "shared.md"),
        ("secret-file", ".env"),
    ];
    let expected =
        expected.map(|(code, path)| (code.to_owned(), format!("[WORLD]/here/root/kit/{path}")));
    assert_eq!(found, expected);
    assert_eq!(run(&env, &["body", "kit"]).data(), "Body of kit.\n");
    let ran = run(&env, &["files", "kit", "--json"]);
    let files: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let paths: Vec<_> = files["files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| file["path"].clone())
        .collect();
    assert_eq!(paths, ["guide.md"]);
}

#[test]
fn secret_files_are_neither_read_nor_locked() {
    let env = TestEnv::new();
    env.skill("root", "poster", "Posts.")
        .file("root/poster/guide.md", "Guide.\n");
    for file in [
        ".env",
        ".ENV",
        ".env.local",
        ".netrc",
        "id_rsa",
        "cert.pem",
        "sub/.npmrc",
    ] {
        env.file(&format!("root/poster/{file}"), "TOKEN=hunter2\n");
        let ran = run(&env, &["files", "poster", file]);
        assert!(
            ran.exit == Exit::Failure && !format!("{ran:?}").contains("hunter2"),
            "{ran:?}"
        );
    }
    env.run(&["lock", "root"]);
    let lock = fs::read_to_string(env.here().join("repertoire.lock.json")).expect("it was written");
    assert!(
        !lock.contains(".env") && !lock.contains("id_rsa") && lock.contains("guide.md"),
        "{lock}"
    );
}

#[test]
fn files_are_found_as_people_type_them() {
    let env = TestEnv::new();
    env.skill("root", "kit", "Sorts.")
        .file("root/kit/docs/p\u{f4}le.md", "Pole.\n");
    env.file("root/kit/docs/\u{1112}\u{1161}\u{11a8}.md", "Korean.\n")
        .file("secret.txt", "SECRET");
    for (typed, text) in [
        ("docs/p\u{f4}le.md", "Pole.\n"),
        ("./docs//po\u{302}le.md", "Pole.\n"),
        ("docs/./\u{d559}.md", "Korean.\n"),
        (" docs/p\u{f4}le.md ", "Pole.\n"),
    ] {
        assert_eq!(run(&env, &["files", "kit", typed]).data(), text, "{typed}");
    }
    for typed in [
        "docs",
        "docs/",
        ".",
        "./",
        "docs/x.md",
        "../../secret.txt",
        "/etc/passwd",
        "C:/x",
        "docs\\x",
    ] {
        let ran = run(&env, &["files", "kit", typed]);
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Exit::Failure, ""),
            "{typed}"
        );
        assert!(
            ran.stderr.contains("docs/p\u{f4}le.md") && !ran.stderr.contains("SECRET"),
            "{typed}: {ran:?}"
        );
    }
}
