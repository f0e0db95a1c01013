//! The laws of the parser for any bytes of a `SKILL.md`. Shared with the fuzz target.

use repertoire_core::skill_md::{self, FileContext, Limits, Parsed};
use repertoire_core::{Content, Flavor, Injection, Severity, Skill, Strictness, Trigger};

/// Asserts every law.
pub(crate) fn hold(bytes: &[u8]) {
    let lenient = parse(bytes, Strictness::Lenient);
    assert_eq!(
        parse(bytes, Strictness::Lenient),
        lenient,
        "the same bytes give the same answer"
    );
    check(bytes, &lenient);

    let strict = parse(bytes, Strictness::Strict);
    check(bytes, &strict);
    if std::str::from_utf8(bytes).is_ok() {
        assert_eq!(
            strict.skill, lenient.skill,
            "strictness changes the verdict, not the skill"
        );
    }

    if let Some(end) = skill_md::find_front_matter_end(bytes) {
        let head = &bytes[..end];
        assert_eq!(
            parse(head, Strictness::Lenient).skill,
            lenient.skill,
            "the head says what the file says"
        );
    }

    if let (Ok(body), Ok(text)) = (skill_md::body(bytes), std::str::from_utf8(bytes)) {
        assert!(
            text.replace("\r\n", "\n").ends_with(&*body),
            "a body is the end of its file"
        );
    }
}

fn parse(bytes: &[u8], strictness: Strictness) -> Parsed {
    let site = FileContext::new("skills/some-skill/SKILL.md").in_directory("some-skill");
    skill_md::parse_with(bytes, site, &Limits::default(), strictness)
}

fn check(bytes: &[u8], parsed: &Parsed) {
    let errors = parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    assert!(
        parsed.skill.is_some() || errors.count() > 0,
        "without a skill there is an error"
    );
    let lines = bytes
        .iter()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .count()
        + 1;
    for diagnostic in &parsed.diagnostics {
        let line = diagnostic.line.expect("every diagnostic has a line") as usize;
        assert!(
            (1..=lines).contains(&line) && diagnostic.column >= Some(1),
            "{diagnostic} is in the file"
        );
        assert!(
            diagnostic.message.chars().count() < 1500,
            "{diagnostic} is short"
        );
        assert!(
            diagnostic.message == repertoire_core::text::terminal_line(&diagnostic.message),
            "{diagnostic} shows no control character"
        );
    }
    if let Some(skill) = &parsed.skill {
        assert!(
            !skill.description.trim().is_empty(),
            "a skill has a description"
        );
        assert_eq!(
            skill.description.trim(),
            &*skill.description,
            "it is trimmed"
        );
        read_views(skill);
        let content = Content::system_prompt("Do it.");
        let injection = Injection::new(
            skill.id.clone(),
            Flavor::Skill,
            Trigger::Activated,
            skill.description.clone(),
            content,
        );
        let injection = injection
            .expect("the body is not blank")
            .with_metadata(skill.fields.iter().cloned());
        let again = Skill::try_from(injection).expect("it is a skill");
        assert_eq!(again.fields, skill.fields);
        assert_eq!(
            (
                again.allowed_tools,
                again.disable_model_invocation,
                again.user_invocable,
                again.allowed_workflows
            ),
            (
                skill.allowed_tools.clone(),
                skill.disable_model_invocation,
                skill.user_invocable,
                skill.allowed_workflows.clone()
            ),
            "rights survive an injection"
        );
    }
}

/// Reads every view once.
fn read_views(skill: &Skill) {
    let _ = (
        skill.text("license"),
        skill.text("compatibility"),
        skill.metadata(),
        skill.argument_hint(),
        skill.arguments(),
    );
    let _ = (
        skill.paths(),
        skill.when_to_use(),
        skill.triggers(),
        skill.required_tools(),
        skill.workflow(),
    );
    let _ = (
        skill.verification(),
        skill.functional_tier(),
        skill.invoke_level(),
        skill.is_raw(),
    );
    serde_json::to_string(skill).expect("a skill is data");
}
