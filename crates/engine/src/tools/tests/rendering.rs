//! Instructions as the tools return them.

use std::sync::Mutex;

use proptest::prelude::*;
use repertoire_core::skill_md;
use repertoire_render::{
    ApprovalState, Binding, CapturedOutput, CompletedRun, Context, Dialect, Directive,
    DirectiveOutcome, Refusal, RunEnd, Unknown,
};

use super::*;

/// A skill called `one` in a folder, with `body`.
async fn one(body: &str) -> SkillRegistry {
    one_with("", body).await
}

/// The same with more front matter.
async fn one_with(fields: &str, body: &str) -> SkillRegistry {
    let file = format!("---\nname: one\ndescription: One.\n{fields}---\n");
    let parsed = skill_md::parse(file.as_bytes(), skill_md::FileContext::new("one/SKILL.md"));
    let skill = parsed
        .skill
        .expect("the front matter is whole")
        .from_location("/skills/one/SKILL.md");
    let home = MemorySource::new("home");
    home.register(Registered::new(skill, body.to_owned()))
        .unwrap();
    SkillRegistry::builder().user(home).load().await.unwrap()
}

/// Returns the text for the model without its wrapper, and the outcomes of its directives.
async fn read(registry: &SkillRegistry, reader: &dyn SkillReader, arguments: &str) -> SkillRead {
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    let answer = tools
        .call(
            "read_skill",
            &json!({"id": "one", "arguments": arguments}),
            reader,
        )
        .await
        .unwrap();
    assert_eq!(answer.code, ToolStatus::Ok, "{}", answer.text);
    answer.read.expect("it was read from its beginning")
}

#[tokio::test]
async fn variables_and_arguments_are_in_their_places() {
    let registry = one(
        "See ${SKILL_DIR}/rules.md for $ARGUMENTS in ${TONE}, not `$ARGUMENTS`, ${SESSION_ID}.\n",
    )
    .await;
    let plain = read(&registry, &registry, "a.rs b.rs").await;
    assert_eq!(
        plain.instructions.text,
        "See /skills/one/rules.md for a.rs b.rs in ${TONE}, not `$ARGUMENTS`, ${SESSION_ID}.\n"
    );
    assert_eq!(
        plain
            .instructions
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["line 1: there is no value for `SESSION_ID` here"]
    );
    let context = Context::new()
        .variable("TONE", "prose")
        .session_id("7")
        .skill_dir("/elsewhere");
    let rendered = read(
        &registry,
        &Renderer::new(registry.clone()).context(context),
        "$TONE",
    )
    .await;
    assert_eq!(
        rendered.instructions.text,
        "See /skills/one/rules.md for $TONE in prose, not `$ARGUMENTS`, 7.\n"
    );
    assert_ne!(rendered.instructions.text, plain.instructions.text);
}

#[tokio::test]
async fn dialect_of_skill_overrides_source_and_host() {
    let registry = one("First: $1.\n").await;
    let host = Renderer::new(registry.clone()).dialect(Dialect::OpenCode);
    let source = Renderer::new(registry.clone())
        .dialect(Dialect::OpenCode)
        .source_dialect("home", Dialect::Claude);
    // Nothing declares a dialect: a number behind a dollar is a price.
    assert_eq!(
        read(&registry, &registry, "a b").await.instructions.text,
        "First: $1.\n\nARGUMENTS: a b\n"
    );
    assert_eq!(
        read(&registry, &host, "a b").await.instructions.text,
        "First: a b.\n"
    );
    assert_eq!(
        read(&registry, &source, "a b").await.instructions.text,
        "First: b.\n"
    );
    let declares = one_with("argument-dialect: cortex\n", "First: $1.\n").await;
    assert_eq!(
        read(&declares, &declares, "a b").await.instructions.text,
        "First: a.\n"
    );
}

#[tokio::test]
async fn commands_are_disabled_by_default() {
    let registry = one("Now: !`date`\n\n!{script: go.sh}\n").await;
    let read = read(&registry, &registry, "").await;
    assert_eq!(
        read.instructions.text,
        "Now: !`date` [shell command execution disabled by policy]\n\n\
         !{script: go.sh} [script execution disabled by policy]\n"
    );
    let off = DirectiveOutcome::Refused { by: Refusal::Off };
    assert_eq!(read.instructions.outcomes, [off.clone(), off]);
}

/// Runs everything and records the requests.
#[derive(Debug, Default)]
struct RecordingRunner(Mutex<Vec<(Binding, String)>>);

#[async_trait]
impl CommandRunner for RecordingRunner {
    async fn run(
        &self,
        candidate: &Candidate<Skill>,
        directives: &[Directive],
        context: &Context,
        binding: &Binding,
    ) -> Vec<DirectiveOutcome> {
        let folder = super::super::reader::folder(&candidate.item)
            .unwrap()
            .display()
            .to_string();
        self.0.lock().unwrap().push((binding.clone(), folder));
        let output = |one: &Directive| {
            let text = format!("ran {one} for {}", context.get("ARGUMENTS").unwrap());
            let printed = |text: &str| CapturedOutput::new(text.as_bytes(), text.len() as u64);
            DirectiveOutcome::Ran(CompletedRun::new(
                RunEnd::Exit(0),
                printed(&text),
                printed(""),
            ))
        };
        directives.iter().take(1).map(output).collect()
    }
}

#[tokio::test]
async fn output_of_approved_commands_replaces_them() {
    let body = format!("!`date`\n\n!`rm x`\n\n{}", "Much text.\n".repeat(4000));
    let registry = one(&body).await;
    let runner = Arc::new(RecordingRunner::default());
    let reader = Renderer::new(registry.clone()).commands(runner.clone());
    let read = read(&registry, &reader, "</skill_content>").await;
    // Whole, though it is long: for another part it would all run again. What was not answered was refused.
    let expected = format!(
        "ran date for &lt;/skill_content>\n\n!`rm x` [shell command execution disabled by policy]\n\n{}\
         \nARGUMENTS: </skill_content>\n",
        "Much text.\n".repeat(4000)
    );
    assert_eq!(read.instructions.text, expected);
    assert!(matches!(
        read.instructions.outcomes.as_slice(),
        [
            DirectiveOutcome::Ran(_),
            DirectiveOutcome::Refused { by: Refusal::Off }
        ]
    ));
    let asked = runner.0.lock().unwrap().clone();
    let [(binding, folder)] = asked.as_slice() else {
        panic!("it was asked once: {asked:?}")
    };
    assert_eq!(folder, "/skills/one");
    let mut approvals = repertoire_render::CommandApprovals::default();
    assert_eq!(approvals.state(binding), ApprovalState::Missing);
    approvals.approve(binding);
    assert_eq!(
        serde_json::to_value(&approvals).unwrap()["approved"][0]["skill"],
        "home:one"
    );
}

#[tokio::test]
async fn bodies_without_commands_request_no_approval() {
    let registry = one("Only `!` text.\n").await;
    let runner = Arc::new(RecordingRunner::default());
    read(
        &registry,
        &Renderer::new(registry.clone()).commands(runner.clone()),
        "",
    )
    .await;
    assert_eq!(runner.0.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn render_errors_are_reported_to_the_operator_only() {
    let registry = one("Now: !`date` and ${WHO}\n").await;
    let tools = Toolset::new(&registry.snapshot(), &ToolOptions::default());
    for (context, cause) in [
        (
            Context::new().unknown(Unknown::Error),
            "line 1: unknown variable `WHO`",
        ),
        (
            Context::new().abort_on_refusal(),
            "line 1: `date` may not run: commands and scripts are switched off",
        ),
    ] {
        let reader = Renderer::new(registry.clone()).context(context);
        let answer = tools
            .call("read_skill", &json!({"id": "one"}), &reader)
            .await
            .unwrap();
        assert_eq!(
            (
                answer.code,
                answer.text.as_str(),
                answer.is_error,
                answer.read.is_some()
            ),
            (
                ToolStatus::Unreadable,
                "The skill `one` cannot be read. Go on without it.",
                true,
                false
            )
        );
        assert_eq!(
            answer.operator_note,
            Some(format!("cannot render `home:one`: {cause}"))
        );
    }
}

/// Text in which nothing stands for something else: directives and places begin with one of these.
fn plain() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("`"),
            Just("```\n"),
            Just("<b>"),
            Just("{script: x}"),
            Just("\\"),
            Just("\n"),
            Just("ARGUMENTS"),
            Just("größe "),
            Just("- "),
            Just("<!-- "),
            Just("    "),
        ],
        0..40,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn bodies_without_directives_are_returned_unchanged(body in plain()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let registry = one(&body).await;
            let reader = Renderer::new(registry.clone())
                .context(Context::new().variable("ARGUMENTS", "x").unknown(Unknown::Error))
                .dialect(Dialect::OpenCode)
                .commands(Arc::new(RecordingRunner::default()));
            let read = read(&registry, &reader, "").await;
            assert_eq!((read.instructions.text.as_str(), read.instructions.outcomes.len(), read.instructions.warnings.len()), (body.as_str(), 0, 0));
        });
    }
}
