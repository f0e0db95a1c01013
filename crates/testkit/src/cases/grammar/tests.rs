use std::time::Duration;

use repertoire_permission::Audience;
use serde_json::json;

use super::*;
use crate::cases::check::{
    Activation, ActivationWant, CatalogWant, CommandLine, CommandWant, Counted, Head, McpLine,
    Never, RenderLine, RenderWant, RequestedSkill, SessionCall, SessionLine, Shell, Tally,
};

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn named(name: &str) -> Subject {
    Subject::Named(name.to_owned())
}

fn catalog(budget: Option<usize>, want: CatalogWant) -> Check {
    Check::Catalog { budget, want }
}

fn diagnostic(level: Option<Severity>, path: &str, has: Option<&str>) -> Check {
    Check::Diagnostic {
        level,
        path: path.to_owned(),
        has: has.map(str::to_owned),
    }
}

fn cli(arguments: &[&str], reader: Option<Head>, wants: Vec<CommandWant>) -> Check {
    Check::Command(CommandLine {
        arguments: texts(arguments),
        reader,
        wants,
    })
}

fn rendering(arguments: &str, shell: Shell, times: Option<[u64; 2]>, want: RenderWant) -> Check {
    let [timeout, within] = [0, 1].map(|number| Some(Duration::from_secs(times?[number])));
    let (name, arguments) = ("a".to_owned(), arguments.to_owned());
    Check::Render(Box::new(RenderLine {
        name,
        arguments,
        shell,
        timeout,
        within,
        want,
    }))
}

#[track_caller]
fn check_lines(expected: Vec<(&str, Check)>) {
    for (text, expected) in expected {
        assert_eq!(
            check(text, &mut Previous::default()),
            Ok(expected),
            "{text}"
        );
    }
}

#[test]
fn lines_about_loaded_skills() {
    check_lines(vec![
        (r#"loads: []"#, Check::Loads(vec![])),
        (r#"loads: ["a", "b c"]"#, Check::Loads(texts(&["a", "b c"]))),
        (
            r#"loads-at-least: ["a"]"#,
            Check::LoadsAtLeast(texts(&["a"])),
        ),
        (r#"count loads 60"#, Check::LoadCount(60)),
        (
            r#"skips: ["root/a/SKILL.md"]"#,
            Check::Skips(texts(&["root/a/SKILL.md"])),
        ),
        (
            r#"shadowed: [["a", "user/a/SKILL.md"]]"#,
            Check::Shadowed(vec![("a".into(), "user/a/SKILL.md".into())]),
        ),
    ]);
}

#[test]
fn lines_about_one_skill() {
    let is = |value| Want::Is(value);
    check_lines(vec![
        (
            r#"field a description = "D""#,
            Check::Field(named("a"), Field::Description, is(json!("D"))),
        ),
        (
            r#"field a description length 3"#,
            Check::Field(named("a"), Field::Description, Want::Length(3)),
        ),
        (
            r#"field "a b" license has "M""#,
            Check::Field(named("a b"), Field::License, Want::Has("M".into())),
        ),
        (
            r#"field a allowed_tools = ["R"]"#,
            Check::Field(named("a"), Field::AllowedTools, is(json!(["R"]))),
        ),
        (
            r#"field a user_invocable = false"#,
            Check::Field(named("a"), Field::UserInvocable, is(json!(false))),
        ),
        (
            r#"field a source = "user""#,
            Check::Field(named("a"), Field::Source, is(json!("user"))),
        ),
        (
            r#"field a metadata.x.y = 1"#,
            Check::Field(
                named("a"),
                Field::Written("metadata.x.y".into()),
                is(json!(1)),
            ),
        ),
        (
            r#"field a extra.hooks.z = "v""#,
            Check::Field(named("a"), Field::Written("hooks.z".into()), is(json!("v"))),
        ),
        (
            r#"text a metadata.v = "1.30""#,
            Check::Field(
                named("a"),
                Field::WrittenText("metadata.v".into()),
                is(json!("1.30")),
            ),
        ),
        (
            r#"body a = "B\n""#,
            Check::Body("a".into(), is(json!("B\n"))),
        ),
        (
            r#"body a lacks "x""#,
            Check::Body("a".into(), Want::Lacks("x".into())),
        ),
        (
            r#"read a "b c" = ok"#,
            Check::Read {
                name: "a".into(),
                path: "b c".into(),
                want: ReadWant::Ok,
            },
        ),
        (
            r#"read a ../b = error"#,
            Check::Read {
                name: "a".into(),
                path: "../b".into(),
                want: ReadWant::Error,
            },
        ),
        (
            r#"read a b has "x""#,
            Check::Read {
                name: "a".into(),
                path: "b".into(),
                want: ReadWant::Text(Want::Has("x".into())),
            },
        ),
        (
            r#"resources a = []"#,
            Check::Resources("a".into(), is(json!([]))),
        ),
        (
            r#"resources a lacks "b""#,
            Check::Resources("a".into(), Want::Lacks("b".into())),
        ),
    ]);
}

#[test]
fn lines_about_findings() {
    check_lines(vec![
        (
            r#"diag error p/SKILL.md has "x""#,
            diagnostic(Some(Severity::Error), "p/SKILL.md", Some("x")),
        ),
        (
            r#"diag warning "p q" has "x""#,
            diagnostic(Some(Severity::Warning), "p q", Some("x")),
        ),
        (r#"diag any p"#, diagnostic(None, "p", None)),
        (r#"diag none p"#, Check::NoDiagnostic(Some("p".into()))),
        (r#"diag none *"#, Check::NoDiagnostic(None)),
    ]);
}

#[test]
fn lines_about_the_catalog() {
    let exactly = |number| number..=number;
    check_lines(vec![
        (
            r#"catalog = """#,
            catalog(None, CatalogWant::Text(Want::Is(json!("")))),
        ),
        (
            r#"catalog has "x""#,
            catalog(None, CatalogWant::Text(Want::Has("x".into()))),
        ),
        (
            r#"catalog count "x" 2"#,
            catalog(None, CatalogWant::Count("x".into(), 2)),
        ),
        (
            r#"catalog order: ["b", "a"]"#,
            catalog(None, CatalogWant::Order(texts(&["b", "a"]))),
        ),
        (r#"catalog is XML"#, catalog(None, CatalogWant::Xml)),
        (
            r#"catalog text a = "x""#,
            catalog(
                None,
                CatalogWant::Description("a".into(), Want::Is(json!("x"))),
            ),
        ),
        (
            r#"catalog bytes equal over 50 fresh processes"#,
            catalog(None, CatalogWant::SameBytes(50)),
        ),
        (
            r#"catalog has no character in U+E0000..U+E007F"#,
            catalog(None, CatalogWant::NoCharacter('\u{E0000}'..='\u{E007F}')),
        ),
        (
            r#"catalog budget=9 names: all 60"#,
            catalog(Some(9), CatalogWant::AllNames(60)),
        ),
        (
            r#"catalog budget=9 within budget"#,
            catalog(Some(9), CatalogWant::WithinBudget),
        ),
        (
            r#"catalog budget=9 report: shortened >= 1, omitted 0"#,
            catalog(
                Some(9),
                CatalogWant::Report(vec![
                    Tally {
                        counted: vec![Counted::Shortened],
                        allowed: 1..=usize::MAX,
                    },
                    Tally {
                        counted: vec![Counted::Omitted],
                        allowed: exactly(0),
                    },
                ]),
            ),
        ),
        (
            r#"catalog budget=9 report: omitted + listed = 60"#,
            catalog(
                Some(9),
                CatalogWant::Report(vec![Tally {
                    counted: vec![Counted::Omitted, Counted::Listed],
                    allowed: exactly(60),
                }]),
            ),
        ),
        (
            r#"catalog budget=9 report names every shortened skill with its old and new length"#,
            catalog(Some(9), CatalogWant::ReportNamesShortened),
        ),
        (
            r#"catalog budget=N for N in 1..400: never a panic, always valid UTF-8"#,
            Check::CatalogAtEveryBudget(1..=400),
        ),
    ]);
}

#[test]
fn lines_about_the_command_line_and_its_cost() {
    use CommandWant::{ExitIsNot, ExitOneOf, Json, NoByte, NoCharacter, StderrEmpty, Within};

    let two = Duration::from_secs(2);
    check_lines(vec![
        (
            r#"cli check root: exit 1"#,
            cli(&["check", "root"], None, vec![ExitOneOf(vec![1])]),
        ),
        (
            r#"cli check x: exit 2 or 1, never 0"#,
            cli(
                &["check", "x"],
                None,
                vec![ExitOneOf(vec![2, 1]), ExitIsNot(0)],
            ),
        ),
        (
            r#"cli list: no byte 0x1b, 0x07, no U+009B"#,
            cli(
                &["list"],
                None,
                vec![NoByte(0x1b), NoByte(0x07), NoCharacter('\u{9B}')],
            ),
        ),
        (
            r#"cli list --json: valid JSON"#,
            cli(&["list", "--json"], None, vec![Json]),
        ),
        (
            r#"cli list x: stdout is one JSON document, stderr empty"#,
            cli(&["list", "x"], None, vec![Json, StderrEmpty]),
        ),
        (
            r#"cli list x | head -1: exit 0"#,
            cli(
                &["list", "x"],
                Some(Head::Lines(1)),
                vec![ExitOneOf(vec![0])],
            ),
        ),
        (
            r#"cli list x | head -c 10: exit 0"#,
            cli(
                &["list", "x"],
                Some(Head::Bytes(10)),
                vec![ExitOneOf(vec![0])],
            ),
        ),
        (
            r#"cli list x: within 2s"#,
            cli(&["list", "x"], None, vec![Within(two)]),
        ),
        (
            r#"within: 500ms"#,
            Check::Within(Duration::from_millis(500)),
        ),
        (r#"memory: < 100 MB"#, Check::Memory(100_000_000)),
    ]);
}

#[test]
fn lines_about_forbidden_results() {
    let skill = |names: &[&str], field: Option<&str>| Never::Skill {
        names: texts(names),
        field: field.map(str::to_owned),
    };
    for (text, expected) in [
        (r#"never: the text "a b""#, vec![Never::Text("a b".into())]),
        (
            r#"never: the text SECRET"#,
            vec![Never::Text("SECRET".into())],
        ),
        (
            r#"never: a file PWNED-*"#,
            vec![Never::File("PWNED-*".into())],
        ),
        (
            r#"never: a process "sleep 1" or "sleep 2" left behind"#,
            vec![Never::ProcessLeft(texts(&["sleep 1", "sleep 2"]))],
        ),
        (
            r#"never: a child process during list, catalog or watch"#,
            vec![Never::ChildDuring(texts(&["list", "catalog", "watch"]))],
        ),
        (
            r#"never: a child process during list"#,
            vec![Never::ChildDuring(texts(&["list"]))],
        ),
        (
            r#"never: a skill named a or b with hooks"#,
            vec![skill(&["a", "b"], Some("hooks"))],
        ),
        (r#"never: a skill named a"#, vec![skill(&["a"], None)]),
        (r#"never: a panic"#, vec![Never::Panic]),
        (
            r#"never: a panic or a non-empty exit of the whole scan"#,
            vec![Never::Panic, Never::FailedScan],
        ),
        (
            r#"never: a file that was opened"#,
            vec![Never::Plain("a file that was opened".into())],
        ),
        (
            r#"never: a panic of the reader"#,
            vec![Never::Plain("a panic of the reader".into())],
        ),
    ] {
        assert_eq!(
            check(text, &mut Previous::default()),
            Ok(Check::Never(expected)),
            "{text}"
        );
    }
}

#[test]
fn lines_about_later_steps() {
    let after = |step, check| Check::After {
        step,
        check: Box::new(check),
    };
    check_lines(vec![
        (
            r#"after 1 loads: ["a"]"#,
            after(1, Check::Loads(texts(&["a"]))),
        ),
        (
            r#"after 2 diag none *"#,
            after(2, Check::NoDiagnostic(None)),
        ),
        (
            r#"after 2 catalog-version unchanged"#,
            after(2, Check::CatalogUnchanged),
        ),
        (
            r#"after 3 either: loads a | loads b"#,
            after(
                3,
                Check::Either(
                    ["a", "b"]
                        .map(|name| Check::LoadsAtLeast(texts(&[name])))
                        .to_vec(),
                ),
            ),
        ),
        (
            r#"watches: <= 64 (inotify lines in /proc/<pid>/fdinfo)"#,
            Check::Watches(64),
        ),
        (
            r#"user-list lacks "a""#,
            Check::UserList(Want::Lacks("a".into())),
        ),
    ]);
}

#[test]
fn steps_and_watches_make_a_case_live() {
    let case = |line: &str| Case::parse(&format!("kind: H\n{line}\nloads: []\n"));
    let steps = case("steps: steps.sh (2)");
    assert_eq!(
        (steps.steps, steps.is_live(), steps.lines.len()),
        (2, true, 1)
    );
    assert!(case("watches: <= 64 (inotify lines in /proc/<pid>/fdinfo)").is_live());
    assert!(!case("count loads 0").is_live());
    assert!(case("steps: other.sh (2)").lines[0].check.is_err());
}

#[test]
fn one_of_several() {
    let only = |path: &str| {
        Check::Field(
            Subject::Only,
            Field::Written(path.into()),
            Want::Is(json!("a | b")),
        )
    };
    check_lines(vec![
        (
            r#"either: loads a | skips root/a/SKILL.md"#,
            Check::Either(vec![
                Check::LoadsAtLeast(texts(&["a"])),
                Check::Skips(texts(&["root/a/SKILL.md"])),
            ]),
        ),
        (
            r#"either: loads a | diag any root/a/SKILL.md"#,
            Check::Either(vec![
                Check::LoadsAtLeast(texts(&["a"])),
                diagnostic(None, "root/a/SKILL.md", None),
            ]),
        ),
        (
            r#"either: metadata.x = "a | b" | the diagnostic says that metadata was dropped"#,
            Check::Either(vec![
                only("metadata.x"),
                Check::SaysDropped("metadata".into()),
            ]),
        ),
    ]);
}

#[test]
fn an_alternative_takes_its_subject_from_above() {
    let case = Case::parse(
        "kind: K\nrender a args=\"b\" has \"c\"\neither: has \"First=[b]\" (1-based) | has \"x (y\" (0-based, documented)\n",
    );
    let checks: Vec<_> = case.lines.into_iter().map(|line| line.check).collect();
    let rendering = |part: &str| {
        rendering(
            "b",
            Shell::Off,
            None,
            RenderWant::Text(Want::Has(part.to_owned())),
        )
    };
    let either = Check::Either(vec![rendering("First=[b]"), rendering("x (y")]);
    assert_eq!(checks, [Ok(rendering("c")), Ok(either)]);
}

#[test]
fn lines_about_bodies_as_a_model_gets_them() {
    let text = |text: &str| RenderWant::Text(Want::Is(text.into()));
    let path = RenderWant::PathOf {
        path: "root/a".to_owned(),
        followed_by: "/x".to_owned(),
    };
    check_lines(vec![
        (
            r#"render a = "b""#,
            rendering("", Shell::Off, None, text("b")),
        ),
        (
            r#"render a args="x\ny" shell=on timeout=1s within 3s = "b""#,
            rendering("x\ny", Shell::On, Some([1, 3]), text("b")),
        ),
        (
            r#"render a shell=off args="" has the absolute path of root/a followed by "/x""#,
            rendering("", Shell::Off, None, path),
        ),
    ]);
}

#[test]
fn lines_about_doors() {
    let activate = |by, asked: &str, want| {
        Check::Activate(Box::new(Activation {
            by,
            asked: RequestedSkill::Name(asked.to_owned()),
            want,
        }))
    };
    let by_path = Activation {
        by: Audience::Model,
        asked: RequestedSkill::PathOf("root/a".to_owned()),
        want: ActivationWant::Error,
    };
    let has = || Want::Has("b".to_owned());
    let disabled = |check| Check::Disabled(texts(&["a"]), Box::new(check));
    check_lines(vec![
        (
            r#"activate model "a b" = ok"#,
            activate(Audience::Model, "a b", ActivationWant::Ok),
        ),
        (
            r#"activate user a = error"#,
            activate(Audience::User, "a", ActivationWant::Error),
        ),
        (
            r#"activate user a = error has "b""#,
            activate(Audience::User, "a", ActivationWant::ErrorText(has())),
        ),
        (
            r#"activate model a has "b""#,
            activate(Audience::Model, "a", ActivationWant::Text(has())),
        ),
        (
            r#"activate model a has the absolute path of root/a"#,
            activate(
                Audience::Model,
                "a",
                ActivationWant::PathOf("root/a".to_owned()),
            ),
        ),
        (
            r#"activate model the absolute path of root/a = error"#,
            Check::Activate(Box::new(by_path)),
        ),
        (
            r#"activate model a result <= 20000 bytes"#,
            activate(Audience::Model, "a", ActivationWant::AtMost(20_000)),
        ),
        (
            r#"with disabled=["a"] loads: []"#,
            disabled(Check::Loads(Vec::new())),
        ),
        (
            r#"with disabled=["a"] activate user a = error"#,
            disabled(activate(Audience::User, "a", ActivationWant::Error)),
        ),
        (r#"tools: []"#, Check::Tools(Vec::new())),
        (r#"tools enum: ["a"]"#, Check::ToolsEnum(texts(&["a"]))),
    ]);
}

#[test]
fn lines_for_a_session() {
    let calls = |calls: Vec<SessionCall>, want| Check::Session(SessionLine::Calls(calls, want));
    let (a, has) = (|| "a".to_owned(), || Want::Has("b".to_owned()));
    check_lines(vec![
        (
            r#"session: activate a -> has "b""#,
            calls(vec![SessionCall::Activate(a())], has()),
        ),
        (
            r#"session: activate a again -> lacks "b""#,
            calls(
                vec![SessionCall::Activate(a())],
                Want::Lacks("b".to_owned()),
            ),
        ),
        (
            r#"session: activate a force -> has "b""#,
            calls(vec![SessionCall::Force(a())], has()),
        ),
        (
            r#"session: reset, activate a -> has "b""#,
            calls(vec![SessionCall::Reset, SessionCall::Activate(a())], has()),
        ),
        (
            r#"session: active list = ["a"]"#,
            Check::Session(SessionLine::Active(texts(&["a"]))),
        ),
    ]);
}

#[test]
fn lines_for_the_server() {
    let after = |line| Check::After {
        step: 1,
        check: Box::new(Check::Mcp(line)),
    };
    check_lines(vec![
        (
            r#"mcp initialize: capabilities.*.listChanged true"#,
            Check::Mcp(McpLine::Initialize {
                path: "capabilities.*.listChanged".to_owned(),
                value: json!(true),
            }),
        ),
        (
            r#"mcp stdout: every line is one JSON-RPC message, from start to end, with RUST_LOG=debug"#,
            Check::Mcp(McpLine::StdoutIsMessages),
        ),
        (
            r#"mcp list has "a""#,
            Check::Mcp(McpLine::List(Want::Has("a".to_owned()))),
        ),
        (
            r#"after 1 mcp list has "a""#,
            after(McpLine::List(Want::Has("a".to_owned()))),
        ),
        (
            r#"after 1 mcp: exactly one notifications/*/list_changed per announced list within 2s"#,
            after(McpLine::NotifiedOnce {
                notice: "notifications/*/list_changed".to_owned(),
                within: Duration::from_secs(2),
            }),
        ),
    ]);
}

#[test]
fn junk_is_refused() {
    for text in [
        "load: []",
        "loads: [",
        "loads: [1]",
        r#"loads: ["a"] and more"#,
        "count loads many",
        "skips: root/a/SKILL.md",
        r#"shadowed: [["a"]]"#,
        r#"field a descr = "x""#,
        r#"field a metadata. = "x""#,
        "field a description",
        "field a description = x",
        r#"text a description = "x""#,
        "text a metadata.v = 1",
        "body a = 1",
        "body a equals \"x\"",
        r#"diag info p has "x""#,
        "diag error",
        "catalog",
        "catalog is HTML",
        "catalog budget=much within budget",
        "catalog budget=N for N in 1..400",
        "catalog report: lost 0",
        "catalog has no character in U+D800..U+E000",
        "read a b = perhaps",
        "read a b error",
        "resources a",
        "cli list",
        "cli : exit 0",
        "cli list: exit zero",
        "cli list: fine",
        "cli list | tail -1: exit 0",
        "cli list: no byte 0x100",
        "within: 2h",
        "memory: 100 MB",
        "either: loads a",
        r#"either: has "a" | has "b""#,
        "never:",
        "activate somebody a = ok",
        "activate model a",
        "render a shell=maybe = \"x\"",
        "session: activate a",
        "session: reset",
        r#"session: activate a, reset -> has "b""#,
        r#"session: active list = "a""#,
        "after one loads: []",
        "after 1",
        "after 1 junk",
        "after 1 never: a panic",
        "after 1 after 2 loads: []",
        "catalog-version",
        "with disabled=[] junk",
        "with enabled=[] loads: []",
        "watches: 64",
        "tools enum: a",
        "mcp junk",
    ] {
        assert!(check(text, &mut Previous::default()).is_err(), "{text}");
    }
}

#[test]
fn parse_errors_report_what_was_found() {
    let unread = |text| check(text, &mut Previous::default()).expect_err("it is junk");
    assert_eq!(
        unread("count loads many"),
        "expected a number, found `many`"
    );
    assert_eq!(
        unread(r#"loads: [] too"#),
        "expected the end of the line, found `too`"
    );
    assert_eq!(
        unread("diag none"),
        "expected a word, found the end of the line"
    );
}

#[test]
fn cases_declare_the_layout_of_their_skills() {
    let case = Case::parse(
        "case: x\nkind: F Merging\nsource: none\nabout: a\nsetup: setup.sh\ncwd: \"a/b\"\n\
         roots: [[\"p q\", \"project\", \"untrusted\"], [\"c\", \"plugin:c\"], [\"b\", \"builtin\"]]\nwhy: b\n",
    );
    let root = |path: &str, scope, admitted| Root {
        path: path.into(),
        scope,
        admitted,
    };
    let roots = vec![
        root("p q", Scope::Project, false),
        root("c", Scope::Plugin("c".into()), true),
        root("b", Scope::Builtin, true),
    ];
    let expected = Case {
        kind: "F".into(),
        layout: Layout::Roots(roots),
        cwd: "a/b".into(),
        steps: 0,
        lines: vec![],
    };
    assert_eq!(case, expected);
    assert_eq!(
        Case::parse("kind: E\nroots: auto\n").layout,
        Layout::Discovered
    );
    assert_eq!(
        Case::parse("kind: N\nplugin-cache: \"cache\"\n").layout,
        Layout::PluginCache("cache".into())
    );
    let default = Layout::Roots(vec![root("root", Scope::User, true)]);
    assert_eq!(Case::parse("kind: A\n").layout, default);
}

#[test]
fn an_invalid_header_is_a_failing_line() {
    for header in [
        "setup: other.sh",
        "cwd: a",
        "roots: [[\"a\"]]",
        "roots: [[\"a\", \"mine\"]]",
        "roots: [[\"a\", \"user\", \"perhaps\"]]",
        "roots: [[\"a\", \"plugin:b:c\"]]",
        "kind: first",
    ] {
        let case = Case::parse(&format!("kind: A\n{header}\n"));
        let unread: Vec<_> = case
            .lines
            .iter()
            .filter(|line| line.check.is_err())
            .map(|line| line.number)
            .collect();
        assert_eq!(unread, [2], "{header}");
    }
}

#[test]
fn one_unreadable_line_hides_no_other() {
    let case = Case::parse("kind: A\n\njunk\nloads: []\n");
    let lines: Vec<_> = case
        .lines
        .iter()
        .map(|line| (line.number, line.check.is_ok()))
        .collect();
    assert_eq!(lines, [(3, false), (4, true)]);
    assert!(
        Case::parse("loads: []\n")
            .lines
            .last()
            .is_some_and(|line| line.check.is_err()),
        "a kind is missing"
    );
}
