//! The tools that permissions leave; the labels are those of agentfootprint's vectors.

use super::*;
use repertoire_permission::{Audience, Authorizer, PermissionPolicy};

/// `payroll` beside what the role `support` may see: `refunds` and `lookup`.
async fn three() -> SkillRegistry {
    let skills =
        ["refunds", "payroll", "lookup"].map(|id| (skill(id, "Pays money."), "The secret way."));
    SkillRegistry::builder()
        .user(source("home", skills))
        .load()
        .await
        .unwrap()
}

fn of_role(role: &str) -> ToolOptions {
    let roles = ["support", "nobody", "all"].map(|role| (role, Vec::<&str>::new()));
    let policy = PermissionPolicy::new(roles, role).unwrap();
    let policy = policy
        .skills(
            "support",
            ["refunds", "lookup"].map(|id| id.parse().unwrap()),
        )
        .unwrap();
    let policy = policy.skills("nobody", []).unwrap();
    ToolOptions::default().modes(VisibilityPolicy::default().permitted_by(Arc::new(policy)))
}

async fn tools(options: &ToolOptions) -> String {
    let tools = Toolset::new(&three().await.snapshot(), options);
    serde_json::to_string(tools.tools()).unwrap()
}

#[tokio::test]
async fn t11_t12_tools_are_identical_for_every_role() {
    let support = tools(&of_role("support")).await;
    assert_eq!(support, tools(&of_role("all")).await);
    for name in ["refunds", "payroll", "lookup"] {
        assert!(!support.contains(name), "{name} in {support}");
    }
    assert_eq!(tools(&of_role("nobody")).await, "[]");
    let ungoverned = tools(&ToolOptions::default()).await;
    assert!(
        ungoverned.contains(r#""enum":["lookup","payroll","refunds"]"#),
        "{ungoverned}"
    );
}

#[tokio::test]
async fn t13_catalogs_omit_skills_denied_to_the_role() {
    let text = tools(&of_role("support").catalog(CatalogOptions::default())).await;
    assert!(
        text.contains("refunds") && text.contains("lookup") && !text.contains("payroll"),
        "{text}"
    );
}

/// Returns the answer for a role that names `name`: the code is for the host, the text for the model.
async fn read(options: &ToolOptions, tool: &str, name: &str) -> ToolOutput {
    call(
        &three().await,
        options,
        tool,
        json!({"id": name, "path": "a.md"}),
    )
    .await
}

#[tokio::test]
async fn m19_denied_skills_are_answered_as_unknown() {
    let options = of_role("support");
    for tool in ["read_skill", "read_skill_resource"] {
        for (denied, unknown) in [
            ("payroll", "payrell"),
            ("home:payroll", "home:payrell"),
            (" payroll ", " payrell "),
        ] {
            let (denied, unknown) = (
                read(&options, tool, denied).await,
                read(&options, tool, unknown).await,
            );
            assert_eq!(
                denied.text.replace("payroll", "payrell"),
                unknown.text,
                "{tool}"
            );
            assert_eq!(
                (denied.code, unknown.code),
                (ToolStatus::Refused, ToolStatus::Unknown)
            );
            assert!(denied.is_error && denied.read.is_none());
            let why = "`home:payroll` was refused: permissions deny it: support.skills.miss: \
                       the skill `home:payroll` is not among the skills of the role `support`";
            assert_eq!(
                (denied.operator_note.as_deref(), unknown.operator_note),
                (Some(why), None)
            );
        }
    }
    assert_eq!(
        read(&of_role("all"), "read_skill", "payroll").await.code,
        ToolStatus::Ok
    );
    let tools = Toolset::new(&three().await.snapshot(), &options);
    assert!(
        tools
            .call("payroll", &json!({}), &three().await)
            .await
            .is_none(),
        "nor is it a skill that was called"
    );
}

#[tokio::test]
async fn a_checker_that_fails_leaves_no_tools() {
    #[derive(Debug)]
    struct Broken;

    impl Authorizer for Broken {
        fn governs(&self, _: &repertoire_permission::Capability) -> bool {
            true
        }

        fn check(
            &self,
            _: &repertoire_permission::Access<'_>,
        ) -> Result<repertoire_permission::AccessDecision, Box<dyn std::error::Error + Send + Sync>>
        {
            Err("no connection".into())
        }
    }

    for audience in [Audience::Model, Audience::User] {
        let options = ToolOptions::default()
            .seen_by(audience)
            .modes(VisibilityPolicy::default().permitted_by(Arc::new(Broken)));
        assert_eq!(tools(&options).await, "[]");
    }
}
