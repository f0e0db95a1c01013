//! Fields that are written more than once.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// The permissions of a skill, in the order of its limits.
#[derive(Debug, PartialEq)]
struct Limits {
    by_model: bool,
    by_user: bool,
    tools: Option<Vec<String>>,
    workflows: Option<Vec<String>>,
    is_raw: bool,
}

impl Limits {
    fn of(lines: &str) -> Limits {
        let skill = skill_with(lines);
        let sorted = |names: Option<Vec<&str>>| {
            let mut names: Vec<_> = names?.into_iter().map(str::to_owned).collect();
            names.sort();
            Some(names)
        };
        Limits {
            by_model: !skill.disable_model_invocation,
            by_user: skill.user_invocable,
            tools: sorted(names(&skill.allowed_tools)),
            workflows: sorted(names(&skill.allowed_workflows)),
            is_raw: skill.is_raw(),
        }
    }

    /// Returns whether everything that is allowed here is allowed in `other`.
    fn is_within(&self, other: &Limits) -> bool {
        let within = |mine: &Option<Vec<String>>, theirs: &Option<Vec<String>>| match (mine, theirs)
        {
            (Some(mine), Some(theirs)) => mine.iter().all(|name| theirs.contains(name)),
            (mine, theirs) => theirs.is_none() || mine.is_some(),
        };
        self.by_model <= other.by_model
            && self.by_user <= other.by_user
            && within(&self.tools, &other.tools)
            && within(&self.workflows, &other.workflows)
            && self.is_raw >= other.is_raw
    }
}

#[test]
fn of_a_limit_the_stricter_value_counts() {
    for (one, other) in [
        (
            "disable-model-invocation: true",
            "disable-model-invocation: false",
        ),
        (
            "disable-model-invocation: perhaps",
            "disable-model-invocation: no",
        ),
        ("user-invocable: false", "user-invocable: true"),
        ("allowed-tools: Read", "allowed-tools: Read Bash(*)"),
        (
            "allowed-tools: [Grep]",
            "allowed-tools: [Grep, 'Bash(git log: *)']",
        ),
        ("allowed-tools:", "allowed-tools: Bash"),
        (
            "allowedWorkflows: [deploy]",
            "allowedWorkflows: [deploy, other]",
        ),
        ("category: raw", "category: standard"),
        ("category: rwa", "category: standard"),
    ] {
        // Read by YAML, from the lines, and with keys in quotes.
        for beside in ["", "\nentry: `x`"] {
            for (first, second) in [(one, other), (other, one)] {
                let (key, value) = second.split_once(':').unwrap();
                for second in [second.to_owned(), format!("\"{key}\":{value}")] {
                    let lines = format!("{first}\nlicense: MIT\n{second}{beside}");
                    assert_eq!(Limits::of(&lines), Limits::of(one), "{lines}");
                    let twice = parse_text(front(&self::beside(&lines))).diagnostics;
                    let twice = twice
                        .iter()
                        .find(|diagnostic| diagnostic.code == Code::DUPLICATE_KEY);
                    let message = format!(
                        "`{key}` is written on line 4 and again on line 6; the stricter value counts"
                    );
                    assert_eq!(
                        twice.map(|diagnostic| &diagnostic.message),
                        Some(&message),
                        "{lines}"
                    );
                }
            }
        }
    }
    let skill = skill_with("license: MIT\nlicense: Apache-2.0");
    assert_eq!(skill.text("license"), Some("Apache-2.0"));
}

#[test]
fn disjoint_lists_leave_nothing() {
    let skill = skill_with(
        "allowed-tools: Read\nallowed-tools: Bash\nallowedWorkflows: a\nallowedWorkflows: b",
    );
    assert_eq!(
        (names(&skill.allowed_tools), names(&skill.allowed_workflows)),
        (Some(vec![]), Some(vec![]))
    );
}

#[test]
fn formatting_retains_repeated_limits() {
    let file = front(&beside("allowed-tools: Read\nallowed-tools: Read Bash"));
    let formatted = format(file.as_bytes(), FileContext::new("some-skill/SKILL.md"));
    assert_eq!(formatted.text, None);
    assert_eq!(formatted.diagnostics[0].code, Code::NOT_FORMATTED);
}

#[test]
fn metadata_of_an_injection_limits_alike() {
    let rows = [
        ("user-invocable", "false"),
        ("user-invocable", "true"),
        ("license", "a"),
        ("license", "b"),
    ];
    let rows = rows.map(|(key, value)| (std::sync::Arc::from(key), Value::plain(value)));
    let skill = skill_with("license: MIT");
    let content = crate::Content::system_prompt("Body.");
    let injection = crate::Injection::new(
        skill.id.clone(),
        crate::Flavor::Skill,
        crate::Trigger::Activated,
        skill.description.clone(),
        content,
    );
    let injection = injection.unwrap().with_metadata(rows);
    let skill = crate::Skill::try_from(injection).unwrap();
    assert_eq!(
        (skill.user_invocable, skill.text("license")),
        (false, Some("b"))
    );
}

fn line() -> impl Strategy<Value = String> {
    let flags = select(vec!["true", "false", "yes", "off", "perhaps", "", "[a]"]);
    let lists = select(vec![
        "Read",
        "Read, Bash(git log: *)",
        "[Bash, Read]",
        "",
        "{a: b}",
        "'Grep' x",
        "[Grep",
    ]);
    let categories = select(vec!["raw", "standard", "rwa", "[standard]", "Standard"]);
    prop_oneof![
        (
            select(vec!["disable-model-invocation", "user-invocable"]),
            flags
        ),
        (select(vec!["allowed-tools", "allowedWorkflows"]), lists),
        (Just("category"), categories),
    ]
    .prop_flat_map(|(key, value)| {
        select(vec![
            format!("{key}: {value}"),
            format!("\"{key}\": {value}"),
            format!("'{key}' : {value}"),
        ])
    })
}

proptest! {
    /// Nothing that is written about limits allows more than each line alone, in whatever order they come.
    #[test]
    fn no_line_widens_another(lines in proptest::collection::vec(line(), 1..5), broken in any::<bool>()) {
        let beside = if broken { "\nentry: `x`" } else { "" };
        let all = Limits::of(&format!("{}{beside}", lines.join("\n")));
        let reversed: Vec<_> = lines.iter().rev().cloned().collect();
        prop_assert_eq!(&all, &Limits::of(&format!("{}{beside}", reversed.join("\n"))));
        for line in &lines {
            prop_assert!(all.is_within(&Limits::of(&format!("{line}{beside}"))), "{line}");
        }
    }

    #[test]
    fn advice_is_yaml_of_the_value(text in "\\PC{1,40}|[-#\\[{&*!|>'\"%@`a-c :,0-9.]{1,12}") {
        let directory = text.replace(['/', '\\'], "");
        let site = FileContext::new("SKILL.md").in_directory(&directory);
        let parsed = parse(b"---\ndescription: Does it.\n---\n", site);
        let described = parse_text(front(&format!("name: some-skill\ndescription: {text}: x: y")));
        for parsed in [parsed, described] {
            let Some(skill) = &parsed.skill else { continue };
            for help in parsed.diagnostics.iter().filter_map(|diagnostic| diagnostic.help.as_deref()) {
                let Some(line) = help.split_once(": `").map(|(_, rest)| rest).or(help.strip_prefix("write `")) else {
                    continue;
                };
                let Some(line) = line.strip_suffix('`').filter(|line| line.contains(": ")) else { continue };
                let (key, _) = line.split_once(':').unwrap();
                let other = if key == "name" { "description: Does it." } else { "name: some-skill" };
                let again = parse(front(&format!("{line}\n{other}")).as_bytes(), FileContext::new("SKILL.md"));
                let again = again.skill.unwrap_or_else(|| panic!("no skill with {line:?}"));
                match key {
                    "name" => prop_assert_eq!(&again.id, &skill.id),
                    _ => prop_assert_eq!(&again.description, &skill.description),
                }
            }
        }
    }
}
