//! `fmt`.

use std::fs;

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

const DISORDER: &str = "---\n# About it.\ndescription: Sorts: files.\nflavour: sweet\nname: \"tidy-up\"\n---\n\n  Sort. \n";
const ORDER: &str = "---\nname: tidy-up\n# About it.\ndescription: \"Sorts: files.\"\nflavour: sweet\n---\n\n  Sort. \n";

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.file("root/tidy-up/SKILL.md", DISORDER).skill(
        "root",
        "steady",
        "A plain, valid neighbour.",
    );
    env.file("root/broken/SKILL.md", "---\nname: broken\n");
    env.file(
        "root/twice/SKILL.md",
        "---\nname: twice\ndescription: D.\nname: twice\n---\nA.\n",
    );
    env
}

fn read(env: &TestEnv, path: &str) -> String {
    fs::read_to_string(env.here().join(path)).expect("the file is there")
}

#[test]
fn broken_files_are_left_unformatted() {
    let env = env();
    let ran = env.run(&["fmt", "root"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Problems, ""));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
error[unclosed-front-matter]: frontmatter is not properly closed: no closing `---` line
 --> root/broken/SKILL.md:1:1
  |
1 | ---
  | ^^^
  |
  = help: put a line `---` between the fields and the body

error[not-formatted]: the front matter was left as it is: `name` is written twice
 --> root/twice/SKILL.md:4:1
  |
4 | name: twice
  | ^^^^

reformatted root/tidy-up/SKILL.md
4 files: 1 formatted, 2 could not be formatted, 1 already formatted

"#]]
    );
    assert_eq!(read(&env, "root/tidy-up/SKILL.md"), ORDER);
    assert_eq!(read(&env, "root/broken/SKILL.md"), "---\nname: broken\n");
    assert_eq!(
        env.run(&["fmt", "root/tidy-up", "root/steady/SKILL.md"])
            .data(),
        "2 files: 2 already formatted\n",
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let env = env();
    let ran = env.run(&["fmt", "--check", "root/tidy-up/SKILL.md", "root/tidy-up"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Problems, ""));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
would reformat root/tidy-up/SKILL.md
1 file: 1 needs formatting

"#]]
    );
    let ran = env.run(&["fmt", "--diff", "root"]);
    assert_eq!(ran.exit, Exit::Problems);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
--- a/root/tidy-up/SKILL.md
+++ b/root/tidy-up/SKILL.md
@@ -1,8 +1,8 @@
 ---
-# About it.
-description: Sorts: files.
-flavour: sweet
-name: "tidy-up"
+name: tidy-up
+# About it.
+description: "Sorts: files."
+flavour: sweet
 ---
 
   Sort. 

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: root/broken/SKILL.md:1:1: error[unclosed-front-matter]: frontmatter is not properly closed: no closing `---` line
note: root/twice/SKILL.md:4:1: error[not-formatted]: the front matter was left as it is: `name` is written twice
note: 4 files: 1 needs formatting, 2 could not be formatted, 1 already formatted

"#]]
    );
    assert_eq!(read(&env, "root/tidy-up/SKILL.md"), DISORDER);
}

#[test]
fn fmt_defaults_to_the_project() {
    let env = TestEnv::new();
    assert_data_eq!(
        env.run(&["fmt"]).failure(),
        str![[r#"
error: cannot read `.agents/skills`: No such file or directory (os error 2)

"#]]
    );
    env.file(".agents/skills/tidy-up/SKILL.md", DISORDER)
        .file("../home/.agents/skills/tidy-up/SKILL.md", DISORDER);
    assert_eq!(env.run(&["fmt"]).exit, Exit::Success);
    assert_eq!(read(&env, ".agents/skills/tidy-up/SKILL.md"), ORDER);
    assert_eq!(
        read(&env, "../home/.agents/skills/tidy-up/SKILL.md"),
        DISORDER
    );
}

#[test]
fn repeated_ids_are_formatted_too() {
    let env = TestEnv::new();
    env.file("root/a/SKILL.md", DISORDER)
        .file("root/b/SKILL.md", DISORDER);
    assert_data_eq!(
        env.run(&["fmt", "root"]).data(),
        str![[r#"
reformatted root/a/SKILL.md
reformatted root/b/SKILL.md
2 files: 2 formatted

"#]]
    );
}

#[test]
#[cfg(unix)]
fn a_link_inside_is_followed_and_stays() {
    let env = TestEnv::new();
    env.file("root/shared.md", DISORDER)
        .file("root/tidy-up/notes.md", "Notes.");
    let link = env.here().join("root/tidy-up/SKILL.md");
    std::os::unix::fs::symlink("../shared.md", &link).expect("a fresh link");
    assert_eq!(env.run(&["fmt", "root"]).exit, Exit::Success);
    assert!(link.is_symlink());
    assert_eq!(read(&env, "root/shared.md"), ORDER);
}
