//! The configuration file.

use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

pub(crate) const GOOD: &str = r#"
[[source]]
kind = "fs"
name = "team"
tier = "builtin"
roots = ["skills", "~/more", "$HOME/other", "${HOME}/last"]
patterns = ["**/SKILL.md", "!drafts/**/SKILL.md"]
limits = { depth = 3 }
watch = { by = "polling", poll-ms = 500 }

[[source]]
kind = "fs"
name = "guest"
tier = "plugin"
namespaced = true
roots = ["guest"]

[surface]
hint = "anthropic"

[[surface.rules]]
id = "our-gpt"
provider = "openai"
model = { prefix = "gpt-5" }
mode = "system-prompt"

[prefer]
review = "team"
"#;

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.skill("conf/skills", "review", "Team's.")
        .skill("conf/skills/drafts", "draft", "Not yet.");
    env.skill("conf/guest", "review", "Guest's.");
    env.skill("../home/more", "more", "More.")
        .skill("../home/other", "other", "Other.")
        .skill("../home/last", "last", "Last.");
    env.file("conf/repertoire.toml", GOOD);
    env
}

#[test]
fn configured_paths_are_relative_to_the_file() {
    let env = env();
    let ran = env.run(&[
        "list",
        "--config",
        "conf/repertoire.toml",
        "--model",
        "claude-sonnet-4-5",
    ]);
    assert_data_eq!(
        ran.data(),
        str![[r#"
name          source  tier     trust       surface  tokens  flags
review        team    builtin  trusted     both          7
more          team    builtin  trusted     both          5
other         team    builtin  trusted     both          5
last          team    builtin  trusted     both          5
guest:review  guest   plugin   restricted  both          7

"#]]
    );
    let ran = env.run(&[
        "show",
        "review",
        "--config",
        "conf/repertoire.toml",
        "--model",
        "openai/gpt-5-mini",
    ]);
    assert!(
        ran.stdout
            .contains("surface       system-prompt, decided by rule our-gpt\n"),
        "{}",
        ran.stdout
    );
    assert_data_eq!(
        env.run(&["roots", "--config", "conf/repertoire.toml"])
            .data(),
        str![[r#"
source  tier     trust       skills  path
team    builtin  trusted          1  conf/skills
team    builtin  trusted          1  [WORLD]/home/more
team    builtin  trusted          1  [WORLD]/home/other
team    builtin  trusted          1  [WORLD]/home/last
guest   plugin   restricted       1  conf/guest

"#]]
    );
}

#[test]
fn no_file_is_read_unasked() {
    let env = env();
    assert_eq!(env.run_in("conf", &["list"]), TestEnv::new().run(&["list"]));
}

#[track_caller]
fn check(text: &str, expected: impl snapbox::IntoData) {
    let env = TestEnv::new();
    env.file("repertoire.toml", text);
    let ran = env.run(&["list", "--config", "repertoire.toml"]);
    assert_data_eq!(ran.failure(), expected.into_data());
}

#[test]
fn text_that_is_no_toml_is_shown() {
    check(
        "[[source]]\nkind = fs\n",
        str![[r#"
error: invalid boolean, expected `false`
 --> repertoire.toml:2:8
  |
2 | kind = fs
  |        ^^

"#]],
    );
    check(
        "[[source]",
        str![[r#"
error: unclosed array table, expected `]`
 --> repertoire.toml:1:10
  |
1 | [[source]
  |          ^

"#]],
    );
    check(
        "name = \"a\"\nname = \"b\"\n",
        str![[r#"
error: duplicate key
 --> repertoire.toml:2:1
  |
2 | name = "b"
  | ^^^^

"#]],
    );
}

#[test]
fn unknown_keys_are_errors() {
    check(
        "[[sources]]\n",
        str![[r#"
error: unknown key `sources`; expected `[[source]]`, `[surface]`, `[prefer]`, `[rules]`, `[search]`, `[registries]`, `[gateway]` or `[install]`
 --> repertoire.toml:1:3
  |
1 | [[sources]]
  |   ^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nrots = []\n",
        str![[r#"
error: unknown field `rots`, expected one of `roots`, `patterns`, `limits`, `watch`
 --> repertoire.toml:4:1
  |
4 | rots = []
  | ^^^^^^^^^

"#]],
    );
    check(
        "[surface]\nmod = \"both\"\n",
        str![[r#"
error: unknown field `mod`, expected one of `mode`, `hint`, `rules`
 --> repertoire.toml:2:1
  |
2 | mod = "both"
  | ^^^^^^^^^^^^

"#]],
    );
    check(
        "[[surface.rules]]\nid = \"a\"\nmode = \"both\"\nprovidr = \"x\"\n",
        str![[r#"
error: unknown field `providr`, expected one of `id`, `provider`, `model`, `mode`
 --> repertoire.toml:4:1
  |
4 | providr = "x"
  | ^^^^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\n\n[source.limits]\ndepht = 1\n",
        str![[r#"
error: unknown field `depht`, expected one of `depth`, `folders`, `entries`, `file-bytes`, `resources`, `resource-depth`, `resource-bytes`, `total-bytes`
 --> repertoire.toml:6:1
  |
6 | depht = 1
  | ^^^^^^^^^

"#]],
    );
}

#[test]
fn values_that_do_not_fit_are_errors() {
    check(
        "[[source]]\nkind = \"git\"\nname = \"a\"\n",
        str![[r#"
error: unknown source kind `git`; known: client-plugins, fs, http, mcp, oci, plugin, process, static
 --> repertoire.toml:2:1
  |
2 | kind = "git"
  | ^^^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\n",
        str![[r#"
error: missing field `name`
 --> repertoire.toml:1:1
  |
1 | [[source]]
  | ^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\ntier = \"usr\"\n",
        str![[r#"
error: unknown variant `usr`, expected one of `builtin`, `user`, `plugin`
 --> repertoire.toml:4:1
  |
4 | tier = "usr"
  | ^^^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nnamespaced = \"yes\"\n",
        str![[r#"
error: invalid type: string "yes", expected a boolean
 --> repertoire.toml:4:1
  |
4 | namespaced = "yes"
  | ^^^^^^^^^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\npatterns = [\"**/SKILL.md\", \"*.md\"]\n",
        str![[r#"
error: `*.md` does not end in `SKILL.md`; write `SKILL.md`
 --> repertoire.toml:4:28
  |
4 | patterns = ["**/SKILL.md", "*.md"]
  |                            ^^^^^^

"#]],
    );
    check(
        "source = 1\n",
        str![[r#"
error: expected tables `[[source]]`, found integer
 --> repertoire.toml:1:10
  |
1 | source = 1
  |          ^

"#]],
    );
    check(
        "source = [{ kind = \"fs\", name = \"a\", roots = [1] }]\n",
        str![[r#"
error: invalid type: integer `1`, expected path string
 --> repertoire.toml:1:47
  |
1 | source = [{ kind = "fs", name = "a", roots = [1] }]
  |                                               ^

"#]],
    );
    check(
        "[surface]\nmode = \"loud\"\n",
        str![[r#"
error: unknown surface mode `loud`: expected `system-prompt`, `tool-only`, `both` or `auto`
 --> repertoire.toml:2:1
  |
2 | mode = "loud"
  | ^^^^^^^^^^^^^

"#]],
    );
    check(
        "[[surface.rules]]\nid = \"a\"\nmodel = { prefix = 1 }\nmode = \"both\"\n",
        str![[r#"
error: invalid type: integer `1`, expected a string
 --> repertoire.toml:3:11
  |
3 | model = { prefix = 1 }
  |           ^^^^^^^^^^

"#]],
    );
    check(
        "surface = \"both\"\n",
        str![[r#"
error: expected a table, found string
 --> repertoire.toml:1:11
  |
1 | surface = "both"
  |           ^^^^^^

"#]],
    );
}

#[test]
fn disabled_skills_are_visible_to_the_operator_only() {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Near.")
        .skill("b", "tidy", "Far.")
        .skill("b", "review", "Reviews.");
    let sources = "[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [\"a\"]\n[[source]]\nkind = \"fs\"\nname = \"b\"\nroots = [\"b\"]\n";
    let ran = |rules: &str, more: &[&str]| {
        env.file("repertoire.toml", format!("{sources}[rules]\n{rules}\n"));
        let list = env.run(&[&["list", "--json", "--config", "repertoire.toml"], more].concat());
        let list: serde_json::Value = serde_json::from_str(&list.stdout).expect("one document");
        let rows = list["skills"].as_array().expect("a list").iter();
        let row = |row: &serde_json::Value| {
            format!("{} {}", row["qualified_id"], row["flags"]).replace('"', "")
        };
        let catalog = env.run(
            &[
                &[
                    "catalog",
                    "--style",
                    "bullets",
                    "--config",
                    "repertoire.toml",
                ],
                more,
            ]
            .concat(),
        );
        (
            rows.map(row).collect::<Vec<_>>(),
            catalog
                .stdout
                .lines()
                .filter(|line| line.starts_with("- "))
                .count(),
        )
    };
    let on = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>();
    assert_eq!(ran("", &[]), (on(&["a:tidy []", "b:review []"]), 2));
    assert_eq!(
        ran("disable = [\"a:tidy\"]", &[]),
        (on(&["b:review []", "b:tidy []"]), 2),
        "the next steps forward"
    );
    assert_eq!(
        ran("disable = [\"tidy\"]", &[]),
        (on(&["a:tidy [disabled]", "b:review []"]), 1)
    );
    let all_but_one = "disable = [\"*\"]\nenable = [\"review\"]";
    assert_eq!(
        ran(all_but_one, &[]),
        (on(&["a:tidy [disabled]", "b:review []"]), 1)
    );
    let typed = ran("disable = [\"tidy\"]", &["--disable", "b:*"]);
    assert_eq!(
        typed,
        (on(&["a:tidy [disabled]", "b:review [disabled]"]), 0)
    );
}

#[test]
fn compose_errors_are_located() {
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [\"a\"]\n\n[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [\"a\"]\n",
        str![[r#"
error: two sources are called `a`; give each its own name
 --> repertoire.toml:8:1
  |
8 | name = "a"
  | ^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a:b\"\nroots = [\"a\"]\n",
        str![[r#"
error: source name `a:b` cannot be used: it holds a colon
 --> repertoire.toml:3:1
  |
3 | name = "a:b"
  | ^^^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"registered\"\nroots = [\"a\"]\n",
        str![[r#"
error: the source name `registered` is reserved for skills that are registered in code
 --> repertoire.toml:3:1
  |
3 | name = "registered"
  | ^^^^^^^^^^^^^^^^^^^

"#]],
    );
    check(
        "[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [\"a\"]\n\n[prefer]\n\"re.view\" = \"b\"\n",
        str![[r#"
error: unknown source `b` in the preference for `re.view`; known sources: a, registered
 --> repertoire.toml:7:1
  |
7 | "re.view" = "b"
  | ^^^^^^^^^^^^^^^

"#]],
    );
    check(
        "[prefer]\n\"a/b\" = \"c\"\n",
        str![[r#"
error: name `a/b` holds `/`; a name is not a path
 --> repertoire.toml:2:1
  |
2 | "a/b" = "c"
  | ^^^^^^^^^^^

"#]],
    );
    check(
        "[prefer]\nreview = true\n",
        str![[r#"
error: `review`: expected the name of a source, found true
 --> repertoire.toml:2:1
  |
2 | review = true
  | ^^^^^^^^^^^^^

"#]],
    );
}

#[test]
fn a_missing_file_is_a_failure() {
    let failure = TestEnv::new()
        .run(&["list", "--config", "none.toml"])
        .failure();
    assert!(
        failure.starts_with("error: cannot read `none.toml`: "),
        "{failure}"
    );
}
