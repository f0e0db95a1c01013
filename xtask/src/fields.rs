//! The fields of front matter, their readers, and their use in repertoire.

use std::fmt::Write;

/// One field of some dialect.
struct Field {
    /// The key; nested keys are dotted.
    key: &'static str,
    /// The form of the value.
    form: &'static str,
    /// The clients that read the field.
    read_by: &'static str,
    ours: Ours,
    /// A line of front matter that uses it.
    example: &'static str,
}

/// The use of a field in repertoire.
enum Ours {
    /// Decides, and is a public field of `Skill` of this name.
    Decides(&'static str),
    /// Typed by this method of `Skill` when a host calls it.
    Typed(&'static str),
    /// Kept verbatim.
    Kept,
}

use Ours::{Decides, Kept, Typed};

const fn field(
    key: &'static str,
    form: &'static str,
    read_by: &'static str,
    ours: Ours,
    example: &'static str,
) -> Field {
    Field {
        key,
        form,
        read_by,
        ours,
        example,
    }
}

/// Grouped by who made the field up, the standard first.
const FIELDS: &[Field] = &[
    field("name", "text", "all clients", Decides("id"), "name: tidy"),
    field(
        "description",
        "text",
        "all clients",
        Decides("description"),
        "description: Sorts.",
    ),
    field(
        "license",
        "text",
        "registries, deepagents",
        Kept,
        "license: MIT",
    ),
    field(
        "compatibility",
        "text",
        "deepagents",
        Kept,
        "compatibility: Needs git.",
    ),
    field(
        "metadata",
        "map",
        "many clients; values of any kind in practice",
        Typed("metadata"),
        "metadata: { version: 1.0 }",
    ),
    field(
        "allowed-tools",
        "text or list",
        "Claude, Copilot, deepagents, Cline, pi",
        Decides("allowed_tools"),
        "allowed-tools: Read Bash(git:*)",
    ),
    field("id", "text", "skelm", Decides("id"), "id: tidy"),
    field(
        "allowedWorkflows",
        "list",
        "skelm",
        Decides("allowed_workflows"),
        "allowedWorkflows: [build-pr]",
    ),
    field(
        "surface",
        "`system-prompt`, `tool-only`, `both`, `auto`",
        "repertoire; also `surface-mode`, `surfaceMode`",
        Decides("surface"),
        "surface: both",
    ),
    field(
        "when_to_use",
        "text",
        "Claude",
        Typed("when_to_use"),
        "when_to_use: On Mondays.",
    ),
    field(
        "argument-hint",
        "text",
        "Claude, VS Code, Goose",
        Typed("argument_hint"),
        "argument-hint: \"[path]\"",
    ),
    field(
        "arguments",
        "text or list",
        "Claude",
        Typed("arguments"),
        "arguments: [path]",
    ),
    field(
        "disable-model-invocation",
        "flag",
        "Claude, VS Code, Cursor, pi, OpenClaw",
        Decides("disable_model_invocation"),
        "disable-model-invocation: yes",
    ),
    field(
        "user-invocable",
        "flag",
        "Claude, VS Code, OpenClaw",
        Decides("user_invocable"),
        "user-invocable: off",
    ),
    field(
        "paths",
        "text or list",
        "Claude",
        Typed("paths"),
        "paths: [\"src/**\"]",
    ),
    field(
        "disallowed-tools",
        "text or list",
        "Claude",
        Kept,
        "disallowed-tools: Bash",
    ),
    field("model", "text", "Claude", Kept, "model: inherit"),
    field("effort", "text", "Claude", Kept, "effort: high"),
    field(
        "context",
        "`fork`",
        "Claude, VS Code",
        Kept,
        "context: fork",
    ),
    field("agent", "text", "Claude", Kept, "agent: general-purpose"),
    field("background", "flag", "Claude", Kept, "background: true"),
    field("hooks", "map", "Claude", Kept, "hooks: { after: [notify] }"),
    field(
        "shell",
        "`bash`, `powershell`",
        "Claude",
        Kept,
        "shell: bash",
    ),
    field(
        "triggers",
        "list",
        "Colibri",
        Typed("triggers"),
        "triggers: [deploy]",
    ),
    field(
        "required_tools",
        "list; also `required-tools`",
        "Colibri",
        Typed("required_tools"),
        "required_tools: [git]",
    ),
    field(
        "workflow",
        "list of steps",
        "Colibri",
        Typed("workflow"),
        "workflow: [{ step: Look. }]",
    ),
    field(
        "verification",
        "list of checks",
        "Colibri",
        Typed("verification"),
        "verification: [It runs.]",
    ),
    field(
        "tier",
        "one of six labels, or 1 to 3",
        "Colibri",
        Typed("functional_tier"),
        "tier: integration",
    ),
    field(
        "invoke-level",
        "1 to 3",
        "Colibri",
        Typed("invoke_level"),
        "invoke-level: 3",
    ),
    field(
        "category",
        "`standard`, `raw`",
        "mirai",
        Typed("is_raw"),
        "category: raw",
    ),
    field("tools", "list", "mirai", Typed("tools"), "tools: [search]"),
    field(
        "references",
        "list",
        "mirai",
        Typed("references"),
        "references: [guide.md]",
    ),
    field(
        "import_path",
        "text; also `import-path`",
        "mirai",
        Kept,
        "import_path: a.b.C",
    ),
    field(
        "homepage",
        "text",
        "OpenClaw",
        Kept,
        "homepage: https://example.org",
    ),
    field(
        "command-dispatch",
        "`tool`",
        "OpenClaw",
        Kept,
        "command-dispatch: tool",
    ),
    field(
        "command-tool",
        "text",
        "OpenClaw",
        Kept,
        "command-tool: run",
    ),
    field(
        "command-arg-mode",
        "`raw`",
        "OpenClaw",
        Kept,
        "command-arg-mode: raw",
    ),
    field(
        "metadata.openclaw",
        "map or JSON5 text; also `clawdbot`, `clawdis`",
        "OpenClaw",
        Kept,
        "metadata: { openclaw: { os: [linux] } }",
    ),
    field("version", "text", "ClawHub", Kept, "version: 1.10"),
    field("slug", "text", "ClawHub", Kept, "slug: tidy"),
    field("platforms", "list", "Hermes", Kept, "platforms: [linux]"),
    field(
        "required_environment_variables",
        "list",
        "Hermes",
        Kept,
        "required_environment_variables: [TOKEN]",
    ),
    field(
        "metadata.hermes",
        "map; of it `requires_*` and `fallback_for_*` count as needs",
        "Hermes",
        Kept,
        "metadata: { hermes: { tags: [a] } }",
    ),
    field(
        "metadata.short-description",
        "text",
        "Codex",
        Kept,
        "metadata: { short-description: Sorts. }",
    ),
    field(
        "metadata.adk_additional_tools",
        "list",
        "Google ADK",
        Kept,
        "metadata: { adk_additional_tools: [search] }",
    ),
    field(
        "metadata.adk_inject_state",
        "flag",
        "Google ADK",
        Kept,
        "metadata: { adk_inject_state: true }",
    ),
    field(
        "modeSlugs",
        "list; older: `mode`",
        "Roo Code",
        Kept,
        "modeSlugs: [code]",
    ),
    field(
        "metadata.arguments",
        "list",
        "Goose",
        Kept,
        "metadata: { arguments: [path] }",
    ),
    field(
        "metadata.internal",
        "flag",
        "vercel skills",
        Kept,
        "metadata: { internal: true }",
    ),
    field(
        "metadata.github-repo",
        "text; also `-ref`, `-tree-sha`, `-path`, `-pinned`",
        "gh skill",
        Kept,
        "metadata: { github-repo: https://example.org/r }",
    ),
    field(
        "metadata.io.modelcontextprotocol/…",
        "anything",
        "MCP",
        Kept,
        "metadata: { io.modelcontextprotocol/x: 1 }",
    ),
    field(
        "anything else",
        "anything",
        "no known client",
        Kept,
        "favourite-colour: green",
    ),
];

/// The table for the book.
pub(crate) fn table() -> Result<String, crate::Failure> {
    let mut table = String::from(
        "| field | value | example | read by | in repertoire |\n|---|---|---|---|---|\n",
    );
    for Field {
        key,
        form,
        read_by,
        ours,
        example,
    } in FIELDS
    {
        let key = if key.contains(' ') {
            (*key).to_owned()
        } else {
            format!("`{key}`")
        };
        let ours = match ours {
            Decides(name) => format!("decides: `Skill::{name}`"),
            Typed(name) => format!("`Skill::{name}()` on demand"),
            Kept => "kept verbatim".to_owned(),
        };
        writeln!(
            table,
            "| {key} | {form} | `{}` | {read_by} | {ours} |",
            example.replace('|', "\\|")
        )?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use repertoire_core::{Skill, skill_md};

    use super::*;

    /// The skill whose front matter has this example, and one without it.
    fn with_and_without(field: &Field) -> (Skill, Skill) {
        let base = |key: &str, line: &str| {
            if field.key == key {
                String::new()
            } else {
                format!("{line}\n")
            }
        };
        let name = if field.key == "id" {
            String::new()
        } else {
            base("name", "name: other")
        };
        let required = name + &base("description", "description: Other.");
        let skill = |text: String| {
            let file = format!("---\n{text}---\nBody.\n");
            skill_md::parse(
                file.as_bytes(),
                skill_md::FileContext::new("x/SKILL.md").in_directory("x"),
            )
            .skill
        };
        let with = skill(format!("{required}{}\n", field.example)).expect("the example is a skill");
        let without = skill("name: other\ndescription: Other.\n".to_owned()).expect("so is this");
        (with, without)
    }

    /// Returns the debug text of the typed field or method `name`.
    fn reading(skill: &Skill, name: &str) -> String {
        match name {
            "id" => skill.id.to_string(),
            "description" => skill.description.to_string(),
            "surface" => format!("{:?}", skill.surface),
            "allowed_tools" => format!("{:?}", skill.allowed_tools),
            "allowed_workflows" => format!("{:?}", skill.allowed_workflows),
            "disable_model_invocation" => skill.disable_model_invocation.to_string(),
            "user_invocable" => skill.user_invocable.to_string(),
            "metadata" => format!("{:?}", skill.metadata()),
            "when_to_use" => format!("{:?}", skill.when_to_use()),
            "argument_hint" => format!("{:?}", skill.argument_hint()),
            "arguments" => format!("{:?}", skill.arguments()),
            "paths" => format!("{:?}", skill.paths()),
            "triggers" => format!("{:?}", skill.triggers()),
            "required_tools" => format!("{:?}", skill.required_tools()),
            "workflow" => format!("{:?}", skill.workflow()),
            "verification" => format!("{:?}", skill.verification()),
            "functional_tier" => format!("{:?}", skill.functional_tier()),
            "invoke_level" => format!("{:?}", skill.invoke_level()),
            "is_raw" => skill.is_raw().to_string(),
            "tools" => format!("{:?}", skill.tools()),
            "references" => format!("{:?}", skill.references()),
            other => panic!("the table names `{other}`, which no method reads"),
        }
    }

    #[test]
    fn every_field_is_read_as_documented() {
        for field in FIELDS {
            let (with, without) = with_and_without(field);
            let top = field
                .example
                .split(':')
                .next()
                .expect("an example has a key");
            assert!(with.field(top).is_some(), "`{top}` is kept");
            if let Decides(name) | Typed(name) = field.ours {
                assert_ne!(
                    reading(&with, name),
                    reading(&without, name),
                    "`{}` is read",
                    field.key
                );
            } else {
                let mut kept = with.clone();
                kept.fields.retain(|(key, _)| key.as_ref() != top);
                assert_eq!(kept, without, "`{}` decides nothing", field.key);
            }
        }
    }
}
