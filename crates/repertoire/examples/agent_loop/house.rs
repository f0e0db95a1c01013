//! The skills and tools of this agent.

use std::error::Error;

use repertoire::permission::SkillTools;
use repertoire::skill::{Attachable, ToolSpec, Value as FieldValue, async_trait, skill_md};
use repertoire::workflow::{CheckOutcome, Checker};
use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use serde_json::{Value, json};

/// The front matter of `tidy`, with its required tools and verification.
const TIDY: &str = "---
name: tidy
description: Sorts the files of a folder. Use when something has to be tidied.
required_tools: [list_files, move_file]
verification:
  - Every file is in the folder of its kind.
  - {kind: file-exists, path: desk/text/b.txt}
---
";

/// Returns a source with the skills of this agent.
pub(super) fn skills() -> Result<MemorySource<Skill>, Box<dyn Error>> {
    let house = MemorySource::new("house");
    let tidy = skill_md::parse(TIDY.as_bytes(), skill_md::FileContext::new("tidy/SKILL.md"));
    let tidy = tidy.skill.ok_or("`tidy` is a skill")?;
    let body = "Sort $ARGUMENTS by kind: a folder for each kind of file.\n";
    house.register(Registered::new(tidy, body))?;
    let bake = Skill::new("bake".parse()?, "Bakes bread.");
    house.register(Registered::new(bake, "Heat the oven first.\n"))?;
    Ok(house)
}

/// Defines the tools of the host, and the one of the skill `tidy`.
pub(super) fn own_tools(registry: &SkillRegistry) -> Result<SkillTools, Box<dyn Error>> {
    let tool = |name, about| ToolSpec::new(name, about, json!({"type": "object"}));
    let own = SkillTools::new([tool("list_files", "Lists the files of a folder.")?])?;
    let snapshot = registry.snapshot();
    let tidy = snapshot.get("tidy").ok_or("`tidy` is gone")?;
    // A raw skill would need a gate first.
    let skill = Attachable::new(tidy.candidate.item.clone()).map_err(|raw| raw.to_string())?;
    Ok(own.with(&tidy.id, &skill, [tool("move_file", "Moves a file.")?])?)
}

/// Runs a tool of the host. Returns its text, and whether it failed.
pub(super) fn run_tool(tool: &str, arguments: &Value) -> (String, bool) {
    match tool {
        "list_files" => ("a.pdf b.txt".to_owned(), false),
        "move_file" => {
            let from = arguments["from"].as_str().unwrap_or_default();
            (format!("moved {from}"), false)
        }
        _ => (format!("there is no tool `{tool}`"), true),
    }
}

/// A checker of the tools' results.
pub(super) struct Desk;

#[async_trait]
impl Checker for Desk {
    async fn check(&self, kind: &str, item: &FieldValue) -> CheckOutcome {
        match (kind, item.get("path").and_then(FieldValue::as_text)) {
            ("file-exists", Some("desk/text/b.txt")) => CheckOutcome::Passed,
            ("file-exists", Some(path)) => CheckOutcome::Failed(format!("there is no `{path}`")),
            _ => CheckOutcome::Skipped(format!("unknown kind `{kind}`")),
        }
    }
}
