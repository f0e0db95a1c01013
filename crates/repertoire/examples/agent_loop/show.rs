//! Prints of what the agent does.

use std::io::{self, Write};

use repertoire::session::{Evaluation, Slots};
use serde_json::Value;

/// Prints the parts of a request that concern skills.
pub(super) fn show(
    request: &Value,
    slots: &Slots,
    evaluation: &Evaluation,
    out: &mut impl Write,
) -> io::Result<()> {
    for notice in evaluation.skipped.iter().chain(&slots.notices) {
        writeln!(out, "! {notice}")?;
    }
    let offered: Vec<&str> = slots.tools.iter().map(|tool| &*tool.name).collect();
    for (id, check) in evaluation.check_tools(&offered, &[]) {
        writeln!(
            out,
            "  `{id}` gets {:?} of the tools that it requires",
            check.ok
        )?;
    }
    let count = |key: &str| request[key].as_array().map_or(0, Vec::len);
    let (messages, tools) = (count("messages"), count("tools"));
    writeln!(out, "> {messages} messages, {tools} tools, system prompt:")?;
    for line in request["system"].as_str().unwrap_or_default().lines() {
        writeln!(out, "{}", format!("  | {line}").trim_end())?;
    }
    for placement in &slots.placements {
        let (slot, delivery) = (placement.slot, placement.delivery);
        write!(
            out,
            "  {} `{}`: {slot:?}, {delivery:?}",
            placement.flavor, placement.id
        )?;
        if let Some(surface) = &placement.surface {
            write!(out, ", {}, {}", surface.mode, surface.decided_by)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
