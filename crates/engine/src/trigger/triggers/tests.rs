use repertoire_core::skill_md::{FileContext, parse};
use repertoire_core::{Listing, ListingEntry, Revision, Stamp};
use repertoire_registry::{Layer, Origin, Tier, Trust, merge};

use super::*;
use crate::session::NoticeReason;
use repertoire_permission::{Exposure, HiddenReason};

/// A skill with these lines of front matter.
fn skill(name: &str, lines: &str) -> ListingEntry<Skill> {
    let text = format!("---\nname: {name}\ndescription: Does it.\n{lines}\n---\n");
    let skill = parse(text.as_bytes(), FileContext::new("SKILL.md"))
        .skill
        .unwrap();
    ListingEntry::new(skill, Stamp::of(&text))
}

fn layer(tier: Tier, source: &str, trust: Trust, rows: Vec<ListingEntry<Skill>>) -> Layer<Skill> {
    let mut layer = Layer::new(
        Origin::new(tier, source),
        0,
        Listing::new(Revision(0), rows, []),
    );
    layer.trust = trust;
    layer
}

fn view(rows: Vec<ListingEntry<Skill>>) -> Snapshot<Skill> {
    merge(&[layer(Tier::User, "home", Trust::Trusted, rows)])
}

/// Returns the matches: the skill, the cause, and the parts of the message.
fn matches_of(triggers: &Triggers, occasion: &Turn) -> Vec<String> {
    matches_under(triggers, occasion, &VisibilityPolicy::default())
}

fn matches_under(triggers: &Triggers, occasion: &Turn, policy: &VisibilityPolicy) -> Vec<String> {
    let to_line = |fired: TriggerMatch| {
        let by = match &fired.by {
            MatchedBy::Mention => "mention".to_owned(),
            MatchedBy::Declared(trigger) => format!("{trigger:?}"),
        };
        let parts: Vec<_> = fired
            .spans
            .iter()
            .map(|span| &occasion.message[span.clone()])
            .collect();
        format!(
            "{} by {by}: {}",
            fired.candidate.qualified_id(),
            parts.join(" | ")
        )
    };
    triggers
        .fired(occasion, policy)
        .into_iter()
        .map(to_line)
        .collect()
}

/// Returns the parts of `message` that one keyword matches.
fn parts<'m>(keyword: &str, message: &'m str) -> Vec<&'m str> {
    let keyword = serde_json::Value::from(keyword);
    let triggers = Triggers::new(&view(vec![skill("a", &format!("triggers: [{keyword}]"))]));
    let fired = triggers.fired(&Turn::new(message), &VisibilityPolicy::default());
    fired
        .iter()
        .flat_map(|fired| fired.spans.iter())
        .map(|span| &message[span.clone()])
        .collect()
}

#[test]
fn a_keyword_is_a_word_by_itself() {
    for (keyword, message, expected) in [
        ("git", "my_git_repo", &["git"][..]),
        ("git", "line1\ngit\nline2", &["git"]),
        ("git", "check out github.com", &[]),
        ("git", "the digit five", &[]),
        ("git", "git2 branch", &[]),
        ("git", "2git", &[]),
        ("issue", "tissue", &[]),
        ("/linear", "use /linear now", &["/linear"]),
        ("/linear", "src/linear.py", &[]),
        ("/linear", "run a linearization", &[]),
        ("pull request", "open a pull request", &["pull request"]),
        ("pull request", "pull requests", &[]),
        ("pull request", "pullrequest", &[]),
        ("pull request", "a Pull\n  Request", &["Pull\n  Request"]),
        ("c++", "write c++ code", &["c++"]),
        ("c++", "c++today", &[]),
        ("ab.c", "call ab.c now", &["ab.c"]),
        ("ab.c", "abxc", &[]),
        ("git", "Git, git and GIT.", &["Git", "git", "GIT"]),
    ] {
        assert_eq!(
            parts(keyword, message),
            expected,
            "`{keyword}` in `{message}`"
        );
    }
}

#[test]
fn words_are_of_every_script() {
    for (keyword, message, expected) in [
        ("git", "légit", &[][..]),
        ("git", "gité", &[]),
        ("git", "git\u{325}", &[]),
        ("STRASSE", "die Straße dort", &["Straße"]),
        ("café", "un cafe\u{301}!", &["cafe\u{301}"]),
        ("file", "a ﬁle", &["ﬁle"]),
        ("отчёт", "Сделай ОТЧЁТ сейчас", &["ОТЧЁТ"]),
        ("отчёт", "отчёты", &[]),
        ("表格", "请生成表格文件", &["表格"]),
        ("レポート", "月次レポートを書く", &["レポート"]),
        ("보고서", "보고서를 써 줘", &["보고서"]),
        ("git", "请用git提交", &["git"]),
        ("pdf表", "一个PDF表格", &["PDF表"]),
        ("pdf表", "xpdf表", &[]),
    ] {
        assert_eq!(
            parts(keyword, message),
            expected,
            "`{keyword}` in `{message}`"
        );
    }
}

#[test]
fn keyword_matches_are_sorted_by_source_then_length() {
    let snapshot = merge(&[
        layer(
            Tier::User,
            "home",
            Trust::Trusted,
            vec![
                skill("z", "triggers: [alpha, beta]"),
                skill("y", "triggers: [alpha beta, beta]"),
            ],
        ),
        layer(
            Tier::Plugin,
            "acme",
            Trust::Restricted,
            vec![skill("x", "triggers: [alpha beta then]")],
        ),
        layer(
            Tier::Builtin,
            "built-in",
            Trust::Trusted,
            vec![skill("w", "triggers: [beta]")],
        ),
    ]);
    assert_eq!(
        matches_of(
            &Triggers::new(&snapshot),
            &Turn::new("alpha beta then alpha")
        ),
        [
            "built-in:w by Keyword(\"beta\"): beta",
            "home:y by Keyword(\"alpha beta\"): alpha beta",
            "home:z by Keyword(\"alpha\"): alpha | alpha",
            "home:z by Keyword(\"beta\"): beta",
            "home:y by Keyword(\"beta\"): beta",
            "acme:x by Keyword(\"alpha beta then\"): alpha beta then",
        ]
    );
    let first = Triggers::new(&view(vec![skill("a", "triggers: [alpha, gamma, beta]")]));
    let beta_then_alpha = matches_of(&first, &Turn::new("beta then alpha"));
    assert_eq!(beta_then_alpha[0], "home:a by Keyword(\"alpha\"): alpha");
}

#[test]
fn tools_paths_tasks_and_commands_fire_too() {
    let lines = "paths: \"src/**\"\ntriggers:\n  - task: Docs\n  - tool: mcp__github__*\n  - path: '*.md'\n  - command: /Release";
    let triggers = Triggers::new(&view(vec![skill("a", lines)]));
    let of = |occasion: Turn| matches_of(&triggers, &occasion);
    let none = || Turn::new("");
    let called = ["Bash", "mcp__github__list"].map(|tool| ToolResult::new(tool, ""));
    assert_eq!(of(none()), [""; 0]);
    assert_eq!(of(none().task("docs")), ["home:a by Task(\"Docs\"): "]);
    assert_eq!(
        of(none().results(called)),
        ["home:a by Tool(\"mcp__github__*\"): "]
    );
    assert_eq!(
        of(none().paths(["src/x/README.md", "src/y.md"])),
        ["home:a by Path(\"src/**\"): ", "home:a by Path(\"*.md\"): "]
    );
    assert_eq!(
        of(none().command("release")),
        ["home:a by Command(\"/Release\"): "]
    );
    assert_eq!(
        of(Turn::new("now /release 1.0")),
        ["home:a by Command(\"/Release\"): /release"]
    );
    assert_eq!(of(Turn::new("see src/release or $release")), [""; 0]);
}

#[test]
fn a_mention_is_the_name_behind_a_sigil() {
    let snapshot = view(vec![
        skill("review", ""),
        skill("re-read", ""),
        skill("Workspace Guide", ""),
        skill("表", ""),
        skill("表格", ""),
        skill("silent", "user-invocable: false"),
        skill(
            "manual",
            "disable-model-invocation: true\ntriggers: [manual]",
        ),
    ]);
    let triggers = Triggers::new(&snapshot);
    for (message, expected) in [
        ("/review this", &["home:review: /review"][..]),
        (
            "$review, then /re-read.",
            &["home:review: $review", "home:re-read: /re-read"],
        ),
        (
            "/review, /re-read, $review",
            &["home:review: /review | $review", "home:re-read: /re-read"],
        ),
        ("(/review)", &["home:review: /review"]),
        ("/review: do it", &["home:review: /review"]),
        ("/home:review", &["home:review: /home:review"]),
        (
            "use /Workspace Guide now",
            &["home:Workspace Guide: /Workspace Guide"],
        ),
        ("请用/表格做", &["home:表格: /表格"]),
        ("$表を", &["home:表: $表"]),
        ("/review/x and /usr/review and a/review", &[]),
        (
            "$review.sh $review-x $reviewer £review ./review ~/review",
            &[],
        ),
        ("`$review` and \\$review and $$review", &[]),
        ("/Review", &[]),
        ("/nobody $5", &[]),
        ("/silent and $silent", &[]),
        ("the manual", &[]),
        ("/manual", &["home:manual: /manual"]),
    ] {
        let fired = triggers.fired(&Turn::new(message), &VisibilityPolicy::default());
        let to_line = |fired: &TriggerMatch| {
            assert_eq!(fired.by, MatchedBy::Mention, "{message}");
            let parts: Vec<_> = fired
                .spans
                .iter()
                .map(|span| &message[span.clone()])
                .collect();
            format!("{}: {}", fired.candidate.qualified_id(), parts.join(" | "))
        };
        assert_eq!(
            fired.iter().map(to_line).collect::<Vec<_>>(),
            expected,
            "{message}"
        );
    }
}

#[test]
fn mentions_may_name_shadows_but_not_ambiguous_skills() {
    let mut kits = ["kit", "set"].map(|source| {
        layer(
            Tier::Plugin,
            source,
            Trust::Restricted,
            vec![skill("tool", "")],
        )
    });
    kits.iter_mut().for_each(|kit| kit.namespaced = true);
    let [kit, set] = kits;
    let snapshot = merge(&[
        layer(Tier::User, "home", Trust::Trusted, vec![skill("a", "")]),
        layer(
            Tier::Plugin,
            "acme",
            Trust::Restricted,
            vec![skill("a", "")],
        ),
        kit,
        set,
    ]);
    let triggers = Triggers::new(&snapshot);
    let of = |message| matches_of(&triggers, &Turn::new(message));
    assert_eq!(of("/acme:a"), ["acme:a by mention: /acme:a"]);
    assert_eq!(of("/kit:tool"), ["kit:tool by mention: /kit:tool"]);
    assert_eq!(of("/tool"), [""; 0]);
    let missed = triggers.missed(
        &Turn::new("now /tool and $tool, /a"),
        &VisibilityPolicy::default(),
    );
    let both = ["kit:tool", "set:tool"]
        .map(|id| id.parse().unwrap())
        .into();
    let expected = Notice::of_skill("tool".parse().unwrap(), NoticeReason::Ambiguous(both));
    assert_eq!(missed, [expected]);
}

#[test]
fn mentions_of_hidden_skills_are_reported_once() {
    let snapshot = view(vec![
        skill("own", "user-invocable: false"),
        skill("own house", ""),
        skill("own garden", "user-invocable: false"),
        skill("tea", "triggers: [{command: own}]"),
    ]);
    let triggers = Triggers::new(&snapshot);
    let of = |message| {
        let occasion = Turn::new(message);
        let missed = triggers
            .missed(&occasion, &VisibilityPolicy::default())
            .into_iter()
            .map(|missed| {
                assert_eq!(
                    missed.why,
                    NoticeReason::Hidden(HiddenReason::ForModelsOnly),
                    "{message}"
                );
                missed.id.to_string()
            });
        (matches_of(&triggers, &occasion), missed.collect::<Vec<_>>())
    };
    let command = |part: &str| format!("home:tea by Command(\"own\"): {part}");
    assert_eq!(of("$own, $own and own"), (vec![], vec!["own".to_owned()]));
    assert_eq!(
        of("/own house"),
        (
            vec!["home:own house by mention: /own house".to_owned()],
            vec![]
        )
    );
    assert_eq!(
        of("/own boat"),
        (vec![command("/own")], vec!["own".to_owned()])
    );
    assert_eq!(
        of("/own garden"),
        (
            vec![command("/own")],
            vec!["own garden".to_owned(), "own".to_owned()]
        )
    );
    assert_eq!(of("/nobody"), (vec![], vec![]));
}

#[test]
fn mentions_match_exact_names_and_commands_match_folded() {
    let triggers = Triggers::new(&view(vec![
        skill(
            "Tea Time",
            "triggers: [{command: 'Big  Brew'}, {command: ｂｒｅｗ}]",
        ),
        skill("a one two three four five six seven eight nine", ""),
        skill("café", ""),
    ]));
    for (message, expected) in [
        ("/Tea Time!", &["home:Tea Time by mention: /Tea Time"][..]),
        ("/tea time", &[]),
        ("/Tea  Time", &[]),
        (
            "/big brew, /BREW",
            &[
                "home:Tea Time by Command(\"ｂｒｅｗ\"): /BREW",
                "home:Tea Time by Command(\"Big  Brew\"): /big brew",
            ],
        ),
        (
            "$a one two three four five six seven eight nine",
            &[
                "home:a one two three four five six seven eight nine by mention: $a one two three four five six seven eight nine",
            ],
        ),
        (
            "/cafe\u{301} /ｃａｆé",
            &["home:café by mention: /cafe\u{301} | /ｃａｆé"],
        ),
        ("/café\u{200B} now", &["home:café by mention: /café"]),
        ("/ brew, /home:café", &["home:café by mention: /home:café"]),
    ] {
        assert_eq!(
            matches_of(&triggers, &Turn::new(message)),
            expected,
            "{message}"
        );
    }
}

/// The work for a message is bounded by its length: what looks like the beginning of a name is looked at once.
#[test]
fn long_lists_of_mentions_are_scanned_once() {
    let many: Vec<_> = (0..3_000).map(|n| skill(&format!("s{n}"), "")).collect();
    let rows = many.into_iter().chain([
        skill("表表表表表表表表表表表表表表表表x", ""),
        skill(&"long name ".repeat(20), ""),
    ]);
    let triggers = Triggers::new(&view(rows.collect()));
    let list: String = (0..20_000).map(|n| format!("$s{} ", n % 3_000)).collect();
    let fired = triggers.fired(&Turn::new(&list), &VisibilityPolicy::default());
    assert!(list.len() > 100_000 && fired.len() == 3_000);
    assert_eq!(
        fired.iter().map(|fired| fired.spans.len()).sum::<usize>(),
        20_000
    );
    for part in [
        "表$",
        "$表表",
        "($",
        "/a ",
        "$!",
        "long name $",
        "$long name ",
    ] {
        let message = part.repeat(100_000 / part.len());
        assert!(
            triggers
                .fired(&Turn::new(&message), &VisibilityPolicy::default())
                .is_empty(),
            "{part}"
        );
    }
}

#[test]
fn untrusted_sources_cannot_use_always_or_regex() {
    let lines = "triggers: [{always: true}, {regex: 'v\\d+'}, word]";
    let of = |trust| {
        let triggers = Triggers::new(&merge(&[layer(
            Tier::Plugin,
            "acme",
            trust,
            vec![skill("a", lines)],
        )]));
        let refused: Vec<_> = triggers
            .refused()
            .iter()
            .map(|refused| (refused.trigger.clone(), refused.refusal.clone()))
            .collect();
        (
            matches_of(&triggers, &Turn::new("a word on v12 and v3")),
            refused,
        )
    };
    assert_eq!(
        of(Trust::Trusted),
        (
            vec![
                "acme:a by Regex(\"v\\\\d+\"): v12 | v3".to_owned(),
                "acme:a by Keyword(\"word\"): word".to_owned(),
                "acme:a by Always: ".to_owned(),
            ],
            vec![]
        )
    );
    let untrusted = [SkillTrigger::Always, SkillTrigger::Regex("v\\d+".into())];
    assert_eq!(
        of(Trust::Restricted),
        (
            vec!["acme:a by Keyword(\"word\"): word".to_owned()],
            untrusted
                .map(|trigger| (trigger, TriggerRefusal::Untrusted))
                .into()
        )
    );
    assert_eq!(of(Trust::Pending), (vec![], vec![]));
}

#[test]
fn refused_triggers_report_why() {
    let long = "x".repeat(257);
    let many: String = (0..60).map(|n| format!("  - word{n}\n")).collect();
    let lines = format!(
        "triggers:\n  - keyword: ''\n  - '\u{200B}'\n  - {long}\n  - regex: '(a'\n  - regex: '(\\w{{100}}){{100}}'\n  - path: '!a'\n\
         {many}  - last"
    );
    let triggers = Triggers::new(&view(vec![skill("a", &lines)]));
    let why: Vec<String> = triggers
        .refused()
        .iter()
        .map(|refused| refused.why())
        .collect();
    assert_eq!(
        why,
        [
            "it is empty",
            "it is empty",
            "expected at most 256 bytes, or 1024 of a `regex`",
            "it takes more than 262144 bytes",
            "unclosed group",
            "a glob that takes away has nothing to take from",
        ]
    );
    let more = Triggers::new(&view(vec![skill(
        "a",
        &format!("{lines}\n  - alpha\n  - gamma"),
    )]));
    assert_eq!(
        more.refused()
            .iter()
            .filter(|refused| refused.refusal == TriggerRefusal::TooMany)
            .count(),
        2
    );
}

#[test]
fn hidden_skills_are_not_triggered() {
    let snapshot = view(vec![
        skill("a", "triggers: [word, {command: go}]"),
        skill("b", "triggers: [word]"),
    ]);
    let triggers = Triggers::new(&snapshot);
    let of = |mode| {
        let modes = VisibilityPolicy::default().with("a".parse().unwrap(), mode);
        matches_under(&triggers, &Turn::new("a word, /a and /go"), &modes)
    };
    assert_eq!(of(Exposure::Off), ["home:b by Keyword(\"word\"): word"]);
    assert_eq!(
        of(Exposure::ManualOnly),
        [
            "home:a by mention: /a",
            "home:b by Keyword(\"word\"): word",
            "home:a by Command(\"go\"): /go"
        ]
    );
}

#[test]
fn updates_equal_new_triggers_and_retain_compiled_parts() {
    let one = |lines: &str| {
        vec![
            skill("a", lines),
            skill("b", "triggers: [beta, {path: 'src/**'}]"),
        ]
    };
    let before = view(one("triggers: [alpha]"));
    let triggers = Triggers::new(&before);
    assert!(Arc::ptr_eq(&triggers.updated(&before).0, &triggers.0));
    let kept = |triggers: &Triggers, other: &Triggers| {
        (
            Arc::ptr_eq(
                &triggers.0.compiled.keywords.matcher,
                &other.0.compiled.keywords.matcher,
            ),
            Arc::ptr_eq(
                &triggers.0.compiled.paths.matcher,
                &other.0.compiled.paths.matcher,
            ),
        )
    };
    for (lines, expected) in [
        ("triggers: [alpha]\nlicense: MIT", (true, true)),
        ("triggers: [alpha, {path: '*.rs'}]", (true, false)),
        ("triggers: [gamma]", (false, true)),
        ("triggers: [beta, alpha]", (true, true)),
    ] {
        let after = view(one(lines));
        let updated = triggers.updated(&after);
        assert_eq!(kept(&triggers, &updated), expected, "{lines}");
        let occasion = Turn::new("alpha beta gamma").paths(["src/x.rs"]);
        assert_eq!(
            matches_of(&updated, &occasion),
            matches_of(&Triggers::new(&after), &occasion)
        );
        assert!(updated.snapshot().ptr_eq(&after));
    }
}

#[test]
fn an_update_follows_order_and_descriptions() {
    let rows = |about: &str| {
        vec![
            skill("a", &format!("triggers: [word]\nlicense: {about}")),
            skill("b", "triggers: [word]"),
        ]
    };
    let before = view(rows("MIT"));
    let triggers = Triggers::new(&before);
    let mut swapped = rows("MIT");
    swapped.reverse();
    for after in [
        view(rows("Apache-2.0")),
        view(swapped),
        view(rows("MIT")[..1].to_vec()),
    ] {
        let updated = triggers.updated(&after);
        let occasion = Turn::new("a word for /a and /b");
        assert_eq!(
            matches_of(&updated, &occasion),
            matches_of(&Triggers::new(&after), &occasion)
        );
        let entries = updated
            .fired(&occasion, &VisibilityPolicy::default())
            .into_iter()
            .map(|fired| fired.entry);
        assert!(entries.into_iter().all(|entry| {
            after
                .get(entry.id.as_str())
                .is_some_and(|now| Arc::ptr_eq(now, &entry))
        }));
    }
}
