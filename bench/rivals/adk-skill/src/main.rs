//! `adk-skill`: one call for a folder beside the ones it knows.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    bench_sample::main(
        |folder| Ok(adk_skill::load_skill_index_with_extras("/nowhere", &[folder.to_owned()])?),
        |index| index.skills().iter().map(|skill| (skill.name.clone(), skill.description.clone())).collect(),
    )
}
