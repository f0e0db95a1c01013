//! Labels and the running workflow, wherever they narrow an answer.

use crate::test_env::TestEnv;

#[test]
fn labels_and_the_running_workflow_narrow_every_answer() {
    let env = TestEnv::new();
    for (name, lines) in [
        ("audit", "tier: audit-proof"),
        ("wire", "functional-tier: Integration\ninvoke-level: 1"),
        ("top", "invoke-level: 3"),
        ("plain", "license: MIT"),
        ("flow", "allowedWorkflows: [deploy]"),
    ] {
        let text = format!("---\nname: {name}\ndescription: Does its work.\n{lines}\n---\nWork.\n");
        env.file(&format!("root/{name}/SKILL.md"), text);
    }
    env.file("turns.yaml", "turns: [{calls: [{tool: list_skills}]}]");
    let listed = |command: &[&str], arguments: &[&str]| {
        let ran = env.run(
            &[
                command,
                &["--root", "root", "--no-defaults", "--json"],
                arguments,
            ]
            .concat(),
        );
        let names = ["audit", "flow", "plain", "top", "wire"];
        let said = |name: &&str| {
            ran.stdout.contains(&format!("{name}\\\""))
                || ran.stdout.contains(&format!("\"{name}\""))
                || ran.stdout.contains(&format!(">{name}<"))
        };
        names.into_iter().filter(said).collect::<Vec<_>>().join(" ")
    };
    for (arguments, every, seen) in [
        (&[][..], "audit flow plain top wire", "audit plain top wire"),
        (&["--functional-tier", "Audit & Proof"], "audit", "audit"),
        (
            &[
                "--functional-tier",
                "audit-proof",
                "--functional-tier",
                "integration",
            ],
            "audit wire",
            "audit wire",
        ),
        (
            &["--invoke-level", "2"],
            "audit flow plain wire",
            "audit plain wire",
        ),
        (
            &["--invoke-level", "1", "--functional-tier", "integration"],
            "wire",
            "wire",
        ),
        (&["--functional-tier", "unused"], "", ""),
    ] {
        assert_eq!(listed(&["list"], arguments), every, "list {arguments:?}");
        assert_eq!(
            listed(&["search"], arguments),
            every,
            "search {arguments:?}"
        );
        for command in [
            &["search", "--seen-by", "model"][..],
            &["catalog"],
            &["tools", "--provider", "gemini"],
            &["simulate", "--script", "turns.yaml"],
        ] {
            assert_eq!(
                listed(command, arguments),
                seen,
                "{command:?} {arguments:?}"
            );
        }
    }
    assert_eq!(
        listed(&["catalog"], &["--workflow", "deploy"]),
        "audit flow plain top wire"
    );
    assert_eq!(
        listed(
            &["search", "work", "--limit", "1"],
            &["--functional-tier", "integration"]
        ),
        "wire"
    );
    let ran = env.run(&[
        "list",
        "--root",
        "root",
        "--no-defaults",
        "--functional-tier",
        "unused",
    ]);
    assert_eq!(ran.stderr, "note: no skills with these labels\n");
    let ran = env.run(&["list", "--root", "root", "--invoke-level", "4"]);
    assert!(
        ran.stderr.contains("expected 1, 2 or 3, found `4`"),
        "{}",
        ran.stderr
    );
}
