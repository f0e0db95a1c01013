//! The instructions for reading skills, ahead of the list.

use super::*;
use crate::tools::ToolPreset;

fn one() -> Snapshot<Skill> {
    snapshot([skill("tidy", "Sorts.").from_location("/me/tidy/SKILL.md")])
}

#[track_caller]
fn check(activation: LoadMethod, format: CatalogFormat, expected: &str) {
    assert_eq!(
        Catalog::new(&one(), &options().format(format).load(activation)).text,
        expected
    );
}

#[test]
fn tool_instructions_name_the_call_and_omit_locations() {
    check(
        by_tool(),
        CatalogFormat::Xml,
        "Skills contain instructions for specific tasks. When a task matches a skill's description, call `read_skill` with its name as \
         `id` before you start, and follow it. Relative paths are relative to the folder that the answer names.\n\n\
         <available_skills>\n<skill><name>tidy</name><description>Sorts.</description></skill>\n</available_skills>\n",
    );
}

#[test]
fn file_instructions_include_locations() {
    check(
        LoadMethod::Files,
        CatalogFormat::Bullets,
        "Skills contain instructions for specific tasks. When a task matches a skill's description, read the whole file at its \
         location before you start, and follow it. Relative paths are relative to that file's folder.\n\n\
         - tidy (location: /me/tidy/SKILL.md): Sorts.\n",
    );
}

#[test]
fn tool_instructions_name_the_tool_of_each_preset() {
    for preset in ToolPreset::ALL {
        let how_to = LoadMethod::of_tools(preset).how_to();
        let call = format!(
            "call `{}` with its name as `{}`",
            preset.read.name, preset.read.id
        );
        assert!(how_to.contains(&call) && !how_to.contains('\n'), "{how_to}");
    }
}

#[test]
fn json_stays_json() {
    let text = Catalog::new(
        &one(),
        &options().format(CatalogFormat::Json).load(by_tool()),
    )
    .text;
    let document: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["how_to"], by_tool().how_to());
    assert_eq!(document["skills"][0]["name"], "tidy");
}

#[test]
fn instructions_are_omitted_without_listed_skills() {
    assert_eq!(
        Catalog::new(&snapshot([]), &options().load(by_tool())).text,
        ""
    );
    // It counts: where it leaves no room for a name, there is neither.
    let bare = Catalog::new(&one(), &in_tokens(40));
    let instructed = Catalog::new(&one(), &in_tokens(40).load(by_tool()));
    assert_eq!(
        (
            bare.report.totals().full,
            instructed.report.totals().left_out,
            instructed.text.as_str()
        ),
        (1, 1, "")
    );
}

#[test]
fn the_note_names_how_to_find_omitted_skills() {
    for (activation, hint) in [
        (by_tool(), "`search_skills` finds them."),
        (
            LoadMethod::of_tools(&ToolPreset::AGENTFOOTPRINT),
            "`list_skills` finds them.",
        ),
        (
            LoadMethod::of_tools(&ToolPreset::CORTEX),
            "`load_skill` still takes the exact name of each.",
        ),
        (
            LoadMethod::Files,
            "Look for more files called `SKILL.md` in the folders around these.",
        ),
    ] {
        let catalog = Catalog::new(&sixty(), &in_tokens(300).load(activation.clone()));
        let note = format!(
            "Skills not listed: {}. {hint}",
            catalog.report.totals().left_out
        );
        assert!(catalog.text.contains(&note), "{}", catalog.text);
        let asked = Catalog::new(&sixty(), &in_tokens(300).load(activation).hint("Ask Ann."));
        assert!(
            asked.text.contains(" Ask Ann.") && !asked.text.contains(hint),
            "{}",
            asked.text
        );
    }
}
