//! `catalog`.

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn skills() -> TestEnv {
    let env = TestEnv::new();
    env.skill(
        "root",
        "a-long-one",
        "Knows everything there is to know about gardens, and tells it at length when asked.",
    );
    env.skill("root", "b-short", "Counts <beans> & peas.");
    env.file(
        "root/c-manual/SKILL.md",
        "---\nname: c-manual\ndescription: D.\ndisable-model-invocation: yes\n---\nA.\n",
    );
    env
}

#[test]
fn the_catalog_report_goes_to_stderr() {
    let ran = skills().run(&["catalog", "root"]);
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
<available_skills>
<skill><name>a-long-one</name><description>Knows everything there is to know about gardens, and tells it at length when asked.</description></skill>
<skill><name>b-short</name><description>Counts &lt;beans&gt; &amp; peas.</description></skill>
</available_skills>

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 2 skills in 283 characters: 2 in full

"#]]
    );
}

#[test]
fn a_budget_is_kept_and_reported() {
    let env = skills();
    let ran = env.run(&["catalog", "root", "--style", "bullets", "--chars", "90"]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
- a-long-one: Knows everything there is to know…
- b-short: Counts &lt;beans> & peas.

"#]]
    );
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 2 skills in 86 of 90 characters: 1 in full, 1 shortened
note: `a-long-one`: shortened from 83 to 34 characters

"#]]
    );
    let ran = env.run(&[
        "catalog",
        "root",
        "--tokens",
        "40",
        "--overflow",
        "leave-out",
    ]);
    assert_data_eq!(ran.stdout, str![]);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 2 skills in 0 of 40 tokens: 2 omitted
note: `a-long-one`: left out
note: `b-short`: left out

"#]]
    );
    // A share is never less than a few names take.
    let ran = env.run(&["catalog", "root", "--window", "10000", "--share", "0.4"]);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 2 skills in 96 of 128 tokens: 2 in full

"#]]
    );
}

#[test]
fn options_override_presets() {
    let env = skills();
    let ran = env.run(&[
        "catalog",
        "root",
        "--preset",
        "opencode",
        "--mode",
        "a-long-one=off",
        "--locations",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
<available_skills>
  <skill>
    <name>b-short</name>
    <description>Counts &lt;beans&gt; &amp; peas.</description>
    <location>[WORLD]/here/root/b-short/SKILL.md</location>
  </skill>
</available_skills>

"#]]
    );
    let ran = env.run(&[
        "catalog", "root", "--preset", "claude", "--style", "lines", "--hint", "Ask.", "--chars",
        "44",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
a-long-one
b-short

"#]]
    );
}

#[test]
fn options_decide_how_the_catalog_lists_skills() {
    let env = skills();
    let ran = env.run(&[
        "catalog",
        "root",
        "--style",
        "bullets",
        "--mode",
        "root:*=name-only",
        "--mode",
        "b-short=pinned",
        "--tokens",
        "30",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
- a-long-one
- b-short: Counts &lt;beans> & peas.

"#]]
    );
    let ran = env.run(&["catalog", "root", "--style", "lines", "--mode", "*=off"]);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: no skill is visible to a model: the catalog is empty

"#]]
    );
    let ran = env.run(&[
        "catalog",
        "root",
        "--style",
        "lines",
        "--overflow",
        "least-used",
        "--used",
        "b-short=3",
        "--tokens",
        "22",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
a-long-one
b-short: Counts &lt;beans> & peas.

"#]]
    );
    let ran = env.run(&["catalog", "root", "--mode", "pdf=on"]);
    assert!(ran.failure().contains("unknown mode `on`"));
}

#[test]
fn the_catalog_explains_how_to_read_skills() {
    let env = skills();
    let ran = env.run(&[
        "catalog",
        "root",
        "--style",
        "lines",
        "--mode",
        "a-long-one=off",
        "--activation",
        "cortex",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
Skills contain instructions for specific tasks. When a task matches a skill's description, call `load_skill` with its name as `name` before you start, and follow it. Relative paths are relative to the folder that the answer names.

b-short: Counts &lt;beans> & peas.

"#]]
    );
    let ran = env.run(&[
        "catalog",
        "root",
        "--style",
        "bullets",
        "--mode",
        "a-long-one=off",
        "--activation",
        "files",
    ]);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
Skills contain instructions for specific tasks. When a task matches a skill's description, read the whole file at its location before you start, and follow it. Relative paths are relative to that file's folder.

- b-short (location: [WORLD]/here/root/b-short/SKILL.md): Counts &lt;beans> & peas.

"#]]
    );
    let ran = env.run(&[
        "catalog",
        "root",
        "--mode",
        "*=off",
        "--activation",
        "repertoire",
    ]);
    assert_data_eq!(ran.stdout, str![]);
}

#[test]
fn an_unknown_window_is_a_budget_in_characters() {
    let env = skills();
    let ran = env.run(&["catalog", "root", "--style", "lines", "--window", "unknown"]);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: 2 skills in 131 of 8000 characters: 2 in full

"#]]
    );
    let ran = env.run(&["catalog", "root", "--window", "large"]);
    assert!(
        ran.failure()
            .contains("expected a number or `unknown`, found `large`")
    );
}

#[test]
fn two_budgets_are_wrong_use() {
    let ran = skills().run(&["catalog", "root", "--tokens", "9", "--chars", "9"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Failure, ""));
    assert!(
        ran.stderr
            .starts_with("error: the argument '--tokens <N>' cannot be used with"),
        "{}",
        ran.stderr
    );
}

#[test]
fn catalogs_without_visible_skills_are_empty() {
    let env = TestEnv::new();
    env.file(
        "root/m/SKILL.md",
        "---\nname: m\ndescription: D.\ndisable-model-invocation: yes\n---\nA.\n",
    );
    let ran = env.run(&["catalog", "root"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Success, ""));
    assert_data_eq!(
        ran.stderr,
        str![[r#"
note: no skill is visible to a model: the catalog is empty

"#]]
    );
}
