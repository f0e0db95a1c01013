//! `lock` and `verify`, and where skills were installed from.

use std::fs;

use proptest::prelude::*;
use repertoire_cli::{Environment, Exit, Stream, run};
use snapbox::{assert_data_eq, str};

use crate::schema::Schema;
use crate::test_env::TestEnv;

/// A project with two skills, a third at home, and one that only gives a name away.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.skill(".agents/skills", "tidy", "Sorts.")
        .file(".agents/skills/tidy/scripts/run.sh", "ls\n");
    env.skill(".agents/skills", "notes", "Takes notes.");
    env.file(
        "../home/.agents/skills/review/SKILL.md",
        "---\nname: review\ndescription: Reviews.\n---\nReview.\n",
    );
    env
}

fn read(env: &TestEnv, path: &str) -> String {
    fs::read_to_string(env.here().join(path)).expect("the file is there")
}

#[test]
fn a_lock_is_complete_and_reproducible() {
    let env = project();
    let ran = env.run(&["lock"]);
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
lock                  skills  status
repertoire.lock.json       2  written
skills-lock.json           2  written

"#]]
    );
    assert_eq!(
        ran.stderr,
        "note: not locked, not below the lock directory: `home:review`\n"
    );
    assert_data_eq!(
        read(&env, "repertoire.lock.json"),
        str![[r#"
{
  "schema": "repertoire-lock/2",
  "skills": [
    {
      "id": "notes",
      "tier": "user",
      "source": "project",
      "path": ".agents/skills/notes",
      "digest": "sha256:6dcb03c6c2901e7f63ad728b050bf8bd473e7cf7839c41cae1efed1b14b04a4b",
      "manifest": "sha256:539b6a05d6091eb69b252153e70db5496553cc6eceaf586dbc3015cf51f8c835",
      "files": [
        {
          "path": "SKILL.md",
          "size": 61,
          "digest": "sha256:6dcb03c6c2901e7f63ad728b050bf8bd473e7cf7839c41cae1efed1b14b04a4b"
        }
      ]
    },
    {
      "id": "tidy",
      "tier": "user",
      "source": "project",
      "path": ".agents/skills/tidy",
      "digest": "sha256:435f4fe82815f7b24d68b09cfa37b802738dad8ee1af3dc4898469a9f8400e04",
      "manifest": "sha256:bc0c8a910a002cec63f4e82a725bf7988c7560d8625247640d9e1256cd1b65da",
      "files": [
        {
          "path": "SKILL.md",
          "size": 53,
          "digest": "sha256:435f4fe82815f7b24d68b09cfa37b802738dad8ee1af3dc4898469a9f8400e04"
        },
        {
          "path": "scripts/run.sh",
          "size": 3,
          "digest": "sha256:e9fe7e88e89d532379960402db8f9458194dae772aa5fda5a12806c22215f0ff"
        }
      ]
    }
  ]
}

"#]]
    );
    assert_data_eq!(
        read(&env, "skills-lock.json"),
        str![[r#"
{
  "version": 1,
  "skills": {
    "notes": {
      "source": "./.agents/skills/notes",
      "sourceType": "local",
      "computedHash": "7d4b59a7d9257443f7b24b39432a1fa8a47966e51042d21adf2e71c1ff8ed4b3"
    },
    "tidy": {
      "source": "./.agents/skills/tidy",
      "sourceType": "local",
      "computedHash": "88ac0eb8313cbd1255003759aeef5204619ce0e0decafabe33830036b85e09e4"
    }
  }
}

"#]]
    );
    let ours = fs::read(env.here().join("repertoire.lock.json")).expect("it was written");
    assert_data_eq!(
        env.run(&["lock"]).stdout,
        str![[r#"
lock                  skills  status
repertoire.lock.json       2  unchanged
skills-lock.json           2  unchanged

"#]]
    );
    assert_eq!(
        fs::read(env.here().join("repertoire.lock.json")).expect("it is there"),
        ours
    );
    Schema::of("repertoire-lock-2").assert_fits(&read(&env, "repertoire.lock.json"));
    Schema::of("skills-lock-1").assert_fits(&read(&env, "skills-lock.json"));
    assert_data_eq!(
        env.run(&["verify"]).data(),
        str![[r#"
2 skills match repertoire.lock.json and skills-lock.json

"#]]
    );
}

#[test]
fn every_difference_is_named() {
    let env = project();
    env.skill(".agents/skills", "gone", "Goes.").run(&["lock"]);
    fs::remove_dir_all(env.here().join(".agents/skills/gone")).expect("it is there");
    fs::remove_file(env.here().join(".agents/skills/notes/SKILL.md")).expect("it is there");
    env.skill(".agents/skills", "notes", "Takes notes, and more.");
    // The same size, and by now the same time.
    env.file(".agents/skills/tidy/scripts/run.sh", "rm\n")
        .file(".agents/skills/tidy/a\u{1b}b", "");
    env.skill(".agents/skills", "new", "Is new.");
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert_eq!(ran.stderr, "");
    assert_data_eq!(
        ran.stdout,
        str![[r#"
missing  gone  .agents/skills/gone  (repertoire.lock.json)
  locked sha256:ec19506fa0023bfda27a1aded635e139814ea9d543755c8a730ca8419c964f12
changed  notes  .agents/skills/notes/SKILL.md  (repertoire.lock.json)
  locked sha256:6dcb03c6c2901e7f63ad728b050bf8bd473e7cf7839c41cae1efed1b14b04a4b
  found  sha256:9bccd204120eaba7f81b835ae14b7528e23fa9db3de38b22bfc2d747c9021321
changed  tidy  .agents/skills/tidy/scripts/run.sh  (repertoire.lock.json)
  locked sha256:e9fe7e88e89d532379960402db8f9458194dae772aa5fda5a12806c22215f0ff
  found  sha256:1abbf2fc2bcadcbb6c0badbd0b8f34fbb0ac1cba2faf7da63e4dc3fa67857614
extra    tidy  .agents/skills/tidy/a/u{1b}b  (repertoire.lock.json)
  found  sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
extra    new  .agents/skills/new  (repertoire.lock.json)
  found  sha256:be84618c62bb41b2986f524e9e726a20fcbad808271677cdf19a280898acca48
missing  gone  (skills-lock.json)
  locked b97506d5f51058a7d73257df152f72518433544f3649ea0e222c2c3cd03d0bca
changed  notes  (skills-lock.json)
  locked 7d4b59a7d9257443f7b24b39432a1fa8a47966e51042d21adf2e71c1ff8ed4b3
  found  916723c289738aedee609abc31785b9b34254db6532e96fc883abbc3eea4d3c4
changed  tidy  (skills-lock.json)
  locked 88ac0eb8313cbd1255003759aeef5204619ce0e0decafabe33830036b85e09e4
  found  996eec28e7ca7fadd02873d41f38dadc349c08e23282dffc146d3f5c0d94f846
8 differences; 3 skills compared with repertoire.lock.json and skills-lock.json

"#]]
    );
}

#[test]
fn without_repertoire_lock_hashes_are_compared() {
    let env = project();
    env.run(&["lock"]);
    fs::remove_file(env.here().join("repertoire.lock.json")).expect("it is there");
    env.skill(".agents/skills", "new", "Is new.")
        .file(".agents/skills/tidy/scripts/run.sh", "rm\n");
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert_eq!(ran.stderr, "note: no repertoire.lock.json found\n");
    assert_data_eq!(
        ran.stdout,
        str![[r#"
changed  tidy  (skills-lock.json)
  locked 88ac0eb8313cbd1255003759aeef5204619ce0e0decafabe33830036b85e09e4
  found  32cde30d25cd2d0cef42df15cce2cb8598dc0d8a38bcfd302016ae22967ed133
extra    new  (skills-lock.json)
2 differences; 3 skills compared with skills-lock.json

"#]]
    );
}

#[test]
fn existing_rows_retain_their_origin() {
    let env = TestEnv::new();
    // As `skills` 1.5.18 writes it, for a skill that it installed and one that is yet to be.
    let lock = r#"{
  "version": 1,
  "skills": {
    "later": {
      "source": "acme/skills",
      "ref": "main",
      "sourceType": "github",
      "skillPath": "skills/later/SKILL.md",
      "computedHash": "4d9aaa9d85bf85fe489a1aeb05bf22724632b56e867949007e0e56ddf2c58bf8"
    },
    "tidy": {
      "source": "acme/skills",
      "ref": "main",
      "sourceType": "github",
      "skillPath": "skills/tidy/SKILL.md",
      "computedHash": "8dbc107041ff68f30c3d557fefda61f01c4386517ce7fbf3be4cce7f8bab7a56"
    }
  }
}
"#;
    env.file(
        ".agents/skills/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts.\n---\nSort.\n",
    );
    env.file(".agents/skills/tidy/scripts/run.sh", "ls\n")
        .file("skills-lock.json", lock);
    let ran = env.run(&["lock"]);
    assert_eq!(
        (ran.exit, ran.stderr.as_str()),
        (
            Exit::Success,
            "note: `later` is not installed; its row in `skills-lock.json` is kept\n"
        )
    );
    assert_eq!(read(&env, "skills-lock.json"), lock);
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
missing  later  (skills-lock.json)
  locked 4d9aaa9d85bf85fe489a1aeb05bf22724632b56e867949007e0e56ddf2c58bf8
1 difference; 1 skill compared with repertoire.lock.json and skills-lock.json

"#]]
    );
}

#[test]
fn invalid_locks_fail_the_comparison() {
    let digest = format!("sha256:{}", "0".repeat(64));
    let ours = |row: &str| format!(r#"{{ "schema": "repertoire-lock/2", "skills": [{row}] }}"#);
    let row = |path: &str, files: &str| {
        format!(
            r#"{{ "id": "a", "tier": "user", "source": "s", "path": "{path}", "digest": "{digest}", "manifest": "{digest}", "files": [{files}] }}"#
        )
    };
    let file = |path: &str| format!(r#"{{ "path": "{path}", "size": 0, "digest": "{digest}" }}"#);
    let cases = [
        (
            "repertoire.lock.json",
            r#"{ "schema": "repertoire-lock/3", "skills": [] }"#.to_owned(),
        ),
        ("repertoire.lock.json", "{}".to_owned()),
        ("repertoire.lock.json", ours(&row("../a", ""))),
        (
            "repertoire.lock.json",
            ours(&row("a", &file("../../secret"))),
        ),
        (
            "repertoire.lock.json",
            ours(&row("a", &[file("b"), file("b")].join(","))),
        ),
        ("repertoire.lock.json", ours(&row("a", &file("b")))),
        ("repertoire.lock.json", ours("{}")),
        (
            "skills-lock.json",
            r#"{ "version": 2, "skills": {} }"#.to_owned(),
        ),
        ("skills-lock.json", r#"{ "version": 1 }"#.to_owned()),
        (
            "skills-lock.json",
            r#"{ "version": 1, "skills": { "a\u001b": { "source": "b", "sourceType": "c" } } }"#
                .to_owned(),
        ),
        (
            "skills-lock.json",
            r#"{ "version": 1, "skills": { "a": 1 } }"#.to_owned(),
        ),
    ];
    let mut said = TestEnv::new().run(&["verify"]).failure();
    for (name, text) in cases {
        let env = project();
        env.file(name, &text);
        said += &env.run(&["verify"]).failure();
        if name == "skills-lock.json" {
            // It may say what cannot be said again.
            env.run(&["lock"]).failure();
        }
        assert_eq!(read(&env, name), text);
    }
    assert_data_eq!(
        said,
        str![[r#"
error: no repertoire.lock.json or skills-lock.json found
 |
 = help: run `repertoire lock` to create them
error: `repertoire.lock.json`: expected schema `repertoire-lock/2`, found "repertoire-lock/3"
error: `repertoire.lock.json`: expected schema `repertoire-lock/2`, found none
error: `repertoire.lock.json` is invalid: `../a` is not a path inside a skill: it has a segment of dots only
error: `repertoire.lock.json` is invalid: `../../secret` is not a path inside a skill: it has a segment of dots only
error: `repertoire.lock.json`: skill `a`: file `b` is in the manifest twice
error: `repertoire.lock.json`: skill `a`: `manifest` is not the digest of its files
error: `repertoire.lock.json` is invalid: missing field `id`
error: `skills-lock.json`: expected version 1, found 2
error: `skills-lock.json`: expected an object `skills`
error: `skills-lock.json`: skill `a/u{1b}`: expected a text `computedHash`
error: `skills-lock.json`: skill `a`: expected a text `source`

"#]]
    );
}

#[test]
fn unlockable_skills_are_named() {
    let env = TestEnv::new();
    env.skill("here", "near", "Is near.")
        .skill("here/inner", "in", "Is in.")
        .skill("far", "off", "Is far.");
    env.file(
        "SKILL.md",
        "---\nname: whole\ndescription: All of it.\n---\nAll.\n",
    );
    env.file("here/near/é", "").file("here/near/z", "");
    let config = "[[source]]\nkind = \"fs\"\nname = \"shipped\"\ntier = \"builtin\"\nroots = [\"here/inner\"]\n";
    env.file("repertoire.toml", config);
    let ran = env.run(&[
        "lock",
        "--config",
        "repertoire.toml",
        "--root",
        "far",
        "--root",
        "here",
        "--lock-dir",
        "here",
    ]);
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
lock                       skills  status
here/repertoire.lock.json       2  written
here/skills-lock.json           1  written

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: not locked, not of the user tier: `shipped:in`
note: not locked, not below the lock directory: `far:off`
note: `near` has no new row in `skills-lock.json`: the order of `z` and `é` depends on the language

"#]]
    );
    let ran = env.run(&["lock", "."]);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: not locked, the lock would be part of the skill: `here:whole`
note: `near` has no new row in `skills-lock.json`: the order of `z` and `é` depends on the language

"#]]
    );
    assert_data_eq!(
        env.run(&["lock", "--lock-dir", "nowhere"]).failure(),
        str![[r#"
error: cannot read the folder `nowhere`: No such file or directory (os error 2)

"#]]
    );
}

#[test]
fn an_undecidable_hash_falls_back_to_the_lock() {
    let env = TestEnv::new();
    env.skill("skills", "tidy", "Sorts.")
        .file("skills/tidy/é", "")
        .file("skills/tidy/z", "");
    env.run(&["lock", "skills"]);
    let lock = r#"{ "version": 1, "skills": { "tidy": { "source": "a/b", "sourceType": "github", "computedHash": "0" } } }"#;
    env.file("skills-lock.json", lock);
    let ran = env.run(&["verify", "skills"]);
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: `tidy` cannot be compared with `skills-lock.json`: the order of `z` and `é` depends on the language

"#]]
    );
    fs::remove_file(env.here().join("repertoire.lock.json")).expect("it is there");
    assert_data_eq!(
        env.run(&["verify", "skills"]).failure(),
        str![[r#"
error: `tidy` cannot be compared with `skills-lock.json`: the order of `z` and `é` depends on the language
 |
 = help: run `repertoire lock` to write a lock that covers it

"#]]
    );
}

#[test]
fn large_and_odd_files_are_locked_too() {
    let env = project();
    fs::File::create(env.here().join(".agents/skills/tidy/huge"))
        .and_then(|file| file.set_len(20 << 20))
        .expect("a sparse file can be made");
    env.file(".agents/skills/tidy/scripts\\run.py", "one\n");
    assert_eq!(env.run(&["lock"]).exit, Exit::Success);
    Schema::of("repertoire-lock-2").assert_fits(&read(&env, "repertoire.lock.json"));
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
    env.file(".agents/skills/tidy/scripts\\run.py", "two\n");
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert!(
        ran.stdout
            .starts_with("changed  tidy  .agents/skills/tidy/scripts\\run.py  ("),
        "{ran:?}"
    );
}

#[test]
fn dependencies_are_compared_where_they_are_there() {
    let env = project();
    for (path, text) in [
        ("node_modules/left/index.js", "1"),
        ("node_modules/left/__pycache__/x.pyc", "1"),
        (".venv/bin/python", "1"),
        ("venv/lib.py", "1"),
        ("scripts/__pycache__/run.pyc", "1"),
        (".git/HEAD", "1"),
    ] {
        env.file(&format!(".agents/skills/tidy/{path}"), text);
    }
    let ran = env.run(&["lock"]);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: not locked, not below the lock directory: `home:review`
note: not compared, only in part: tools write bytecode and caches into it while they run: `.agents/skills/tidy/node_modules`
note: not compared, tools write to it while they run: `.agents/skills/tidy/scripts/__pycache__`
note: not compared, version control keeps it: `.agents/skills/tidy/.git`

"#]]
    );
    Schema::of("repertoire-lock-2").assert_fits(&read(&env, "repertoire.lock.json"));
    fs::remove_file(env.here().join("skills-lock.json")).expect("it was written");
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
    // What comes and goes as scripts run makes no difference.
    env.file(".agents/skills/tidy/scripts/__pycache__/run.pyc", "2");
    env.file(
        ".agents/skills/tidy/node_modules/left/__pycache__/y.pyc",
        "2",
    );
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
    for path in [
        "node_modules/left/index.js",
        ".venv/bin/python",
        "venv/new.py",
        "node_modules/.hidden/x.js",
    ] {
        let path = format!(".agents/skills/tidy/{path}");
        let before = fs::read(env.here().join(&path)).ok();
        env.file(&path, "2");
        let ran = env.run(&["verify"]);
        assert_eq!(ran.exit, Exit::Problems, "{path}");
        assert_eq!(
            ran.stdout
                .lines()
                .next()
                .map(|line| line.starts_with("changed  tidy ")),
            Some(true),
            "{ran:?}"
        );
        match before {
            Some(bytes) => {
                env.file(&path, bytes);
            }
            None => fs::remove_file(env.here().join(&path)).expect("it was made"),
        }
    }
    // As in a fresh clone.
    for folder in [
        "node_modules",
        ".venv",
        "venv",
        "scripts/__pycache__",
        ".git",
    ] {
        fs::remove_dir_all(env.here().join(".agents/skills/tidy").join(folder))
            .expect("it is there");
    }
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Success);
    let absent = "note: not compared, it is in `repertoire.lock.json` and does not exist: `.agents/skills/tidy/.venv`, \
                  `.agents/skills/tidy/node_modules`, `.agents/skills/tidy/venv`\n";
    assert!(ran.stderr.contains(absent), "{}", ran.stderr);
    // A skill without a row counts as extra, as a file without a row does.
    env.file(".agents/skills/notes/node_modules/x.js", "1");
    let ran = env.run(&["verify"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert!(
        ran.stdout
            .starts_with("extra    notes  .agents/skills/notes/node_modules  ("),
        "{ran:?}"
    );
}

#[test]
fn locks_omit_temporary_and_secret_files() {
    let env = project();
    let litter = [
        ".DS_Store",
        "Thumbs.db",
        ".run.sh.swp",
        "run.sh~",
        "__pycache__/run.pyc",
        ".env",
        ".venv/x",
    ];
    let put = |text: &str| {
        for file in litter {
            env.file(&format!(".agents/skills/tidy/{file}"), text);
        }
    };
    put("1");
    env.run(&["lock"]);
    let locks = || {
        (
            read(&env, "repertoire.lock.json"),
            read(&env, "skills-lock.json"),
        )
    };
    let with_litter = locks();
    for file in litter {
        assert!(file == ".venv/x" || !with_litter.0.contains(file), "{file}");
    }
    litter[..6].iter().for_each(|file| {
        fs::remove_file(env.here().join(".agents/skills/tidy").join(file)).expect("it is there");
    });
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
    put("2");
    env.file(".agents/skills/tidy/.venv/x", "1");
    assert_eq!(env.run(&["verify"]).exit, Exit::Success);
    env.run(&["lock"]);
    assert_eq!(locks(), with_litter);
}

#[test]
fn hashes_over_litter_are_accepted() {
    let env = TestEnv::new();
    env.skill("skills", "tidy", "Sorts.")
        .file("skills/tidy/__pycache__/a.pyc", "x");
    env.run(&["lock", "skills"]);
    fs::remove_file(env.here().join("repertoire.lock.json")).expect("it was written");
    let ours = read(&env, "skills-lock.json");
    let hash = ours
        .split('"')
        .rev()
        .nth(1)
        .expect("the hash is the last text");
    // What `skills` 1.5.18 computes for this tree, with the bytecode.
    env.file("skills-lock.json", ours.replace(hash, BY_TOOL));
    assert_eq!(env.run(&["verify", "skills"]).exit, Exit::Success);
    env.file("skills/tidy/__pycache__/a.pyc", "y");
    assert_eq!(env.run(&["verify", "skills"]).exit, Exit::Problems);
}

#[test]
fn changed_line_endings_are_reported_separately() {
    let env = project();
    env.run(&["lock"]);
    for file in ["tidy/SKILL.md", "tidy/scripts/run.sh", "notes/SKILL.md"] {
        let path = format!(".agents/skills/{file}");
        env.file(&path, read(&env, &path).replace('\n', "\r\n"));
    }
    env.file(".agents/skills/tidy/scripts/run.sh", "rm\r\n");
    let ran = env.run(&["verify"]);
    let only: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| !line.starts_with("  locked") && !line.starts_with("  found"))
        .collect();
    assert_eq!(
        only,
        [
            "changed  notes  .agents/skills/notes/SKILL.md  (repertoire.lock.json)",
            "  only line endings differ",
            "changed  tidy  .agents/skills/tidy/SKILL.md  (repertoire.lock.json)",
            "  only line endings differ",
            "changed  tidy  .agents/skills/tidy/scripts/run.sh  (repertoire.lock.json)",
            "changed  notes  (skills-lock.json)",
            "  only line endings differ",
            "changed  tidy  (skills-lock.json)",
            "4 differences; 2 skills compared with repertoire.lock.json and skills-lock.json",
        ]
        .map(|line| line.replace("4 diff", "5 diff"))
    );
    assert!(
        ran.stderr.contains("`* -text` in `.gitattributes`"),
        "{}",
        ran.stderr
    );
}

const BY_TOOL: &str = "6cf9b5730f5467fccb1a79657dc6f08092193ca8ca97301db03fa4e1f0e6c547";

/// A home in which `tidy` was installed, and a project in which `gh` installed another.
fn installed() -> TestEnv {
    let env = TestEnv::new();
    env.file(
        "../home/.agents/skills/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts.\n---\nSort.\n",
    );
    let lock = r#"{ "version": 3, "skills": { "tidy": {
        "source": "acme/skills", "sourceType": "github", "sourceUrl": "https://github.com/acme/skills.git", "ref": "v1",
        "skillPath": "skills/tidy/SKILL.md", "skillFolderHash": "4b825dc6", "installedAt": "2026-01-02T03:04:05.000Z",
        "updatedAt": "2026-02-03T04:05:06.000Z" } }, "dismissed": {} }"#;
    env.file("../home/.agents/.skill-lock.json", lock);
    env.file(
        "mine/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Sorts.\nmetadata:\n  github-repo: https://github.com/acme/tools\n  \
         github-ref: refs/tags/v2\n  github-tree-sha: 1234\n  author: me\n---\nSort.\n",
    );
    env
}

#[test]
fn show_and_why_print_origins() {
    let env = installed();
    assert_data_eq!(
        env.run(&["show", "home:tidy"]).data(),
        str![[r#"
name          tidy
description   Sorts.
full name     home:tidy
source        home, user tier, trusted
location      [WORLD]/home/.agents/skills/tidy/SKILL.md
surface       tool-only, decided by fallback
catalog       5 tokens
files         0
digest        sha256:588ea97f63905e7ea7a72bc0afb8924f114254fb5ff910221eaed13f3a4db724
installed     acme/skills, url https://github.com/acme/skills.git, ref v1, path skills/tidy/SKILL.md, tree 4b825dc6, installed 2026-01-02T03:04:05.000Z, updated 2026-02-03T04:05:06.000Z

"#]]
    );
    assert_data_eq!(
        env.run(&["show", "mine:tidy", "--root", "mine/"]).data(),
        str![[r#"
name          tidy
description   Sorts.
full name     mine:tidy
source        mine, user tier, trusted
location      mine/tidy/SKILL.md
surface       tool-only, decided by fallback
catalog       5 tokens
files         0
digest        sha256:27762266234d5ae1b1e80f4d2da90ce0eba07328a376549eca2b02503ec831f6
github        repo https://github.com/acme/tools, ref refs/tags/v2, tree-sha 1234
shadows       home:tidy

other fields
  metadata: {"github-repo":"https://github.com/acme/tools","github-ref":"refs/tags/v2","github-tree-sha":1234,"author":"me"}

"#]]
    );
    // How wide a column of paths is, depends on where the env is.
    let why = env.run(&["why", "tidy", "--root", "mine"]).data();
    let words: Vec<_> = why
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_data_eq!(
        words.join("\n"),
        str![[r#"
# skill tier trust path reason from
1 mine:tidy user trusted mine/tidy/SKILL.md wins https://github.com/acme/tools
2 home:tidy user trusted [WORLD]/home/.agents/skills/tidy/SKILL.md `home` is composed after `mine` acme/skills
"#]]
    );
    let shown = env.run(&["show", "home:tidy", "--json"]).data();
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_data_eq!(
        format!("{:#}\n", shown["provenance"]),
        str![[r#"
{
  "lock": {
    "source": "acme/skills",
    "sourceType": "github",
    "sourceUrl": "https://github.com/acme/skills.git",
    "ref": "v1",
    "pinnedRef": null,
    "skillPath": "skills/tidy/SKILL.md",
    "skillFolderHash": "4b825dc6",
    "pluginName": null,
    "installedAt": "2026-01-02T03:04:05.000Z",
    "updatedAt": "2026-02-03T04:05:06.000Z"
  },
  "github": null
}

"#]]
    );
}

#[test]
fn broken_user_locks_are_ignored_with_a_note() {
    let env = installed();
    env.file(
        "../home/.agents/.skill-lock.json",
        r#"{ "version": 4, "skills": {} }"#,
    );
    let ran = env.run(&["why", "tidy"]);
    assert_eq!(ran.exit, Exit::Success);
    assert_eq!(env.run(&["show", "tidy"]).stderr, ran.stderr);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: `[WORLD]/home/.agents/.skill-lock.json`: expected version 3, found 4; the origins of installed skills are unknown

"#]]
    );
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    // In the state folder, no lock is broken.
    let environment = Environment::new(env.here())
        .home(env.here().join("../home"))
        .variables([("XDG_STATE_HOME".into(), env.here().into())])
        .stdout(Stream::new(&mut stdout))
        .stderr(Stream::new(&mut stderr));
    assert_eq!(
        run(["repertoire", "why", "tidy"], environment),
        Exit::Success
    );
    assert_eq!(stderr, b"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn verification_fails_when_any_byte_changes(
        files in prop::collection::btree_map("[a-c \n\u{1b}\u{202e}é\"'$]{1,6}", any::<Vec<u8>>(), 1..4),
        at in any::<prop::sample::Index>(),
    ) {
        let files: Vec<_> = files.into_iter().filter(|(name, _)| !name.trim_matches([' ', '.']).is_empty()).collect();
        prop_assume!(!files.is_empty());
        let env = TestEnv::new();
        env.skill("skills", "tidy", "Sorts.");
        for (name, bytes) in &files {
            env.file(&format!("skills/tidy/{name}"), bytes);
        }
        let ran = env.run(&["lock", "skills"]);
        prop_assert_eq!(ran.exit, Exit::Success, "{}", ran.stderr);
        prop_assert_eq!(env.run(&["verify", "skills"]).exit, Exit::Success);
        let (name, bytes) = &files[at.index(files.len())];
        let mut changed = bytes.clone();
        match changed.last_mut() {
            Some(last) => *last ^= 1,
            None => changed.push(0),
        }
        env.file(&format!("skills/tidy/{name}"), changed);
        let ran = env.run(&["verify", "skills"]);
        prop_assert_eq!(ran.exit, Exit::Problems);
        prop_assert!(ran.stdout.starts_with("changed  tidy  skills/tidy/"), "{}", ran.stdout);
    }
}
