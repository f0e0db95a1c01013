//! `agent-skills-rs`: one call for the folder above `skills`.

use std::error::Error;

use agent_skills_rs::discovery::{DiscoveryConfig, discover_skills};
use agent_skills_rs::types::{Source, SourceType};

fn main() -> Result<(), Box<dyn Error>> {
    bench_sample::main(
        |folder| {
            let url = folder.parent().map(|above| above.display().to_string());
            let source = Source {
                source_type: SourceType::Local,
                url,
                subpath: None,
                skill_filter: None,
                ref_: None,
            };
            Ok(discover_skills(&source, &DiscoveryConfig::default())?)
        },
        |skills| {
            skills
                .iter()
                .map(|skill| (skill.name.clone(), skill.description.clone()))
                .collect()
        },
    )
}
