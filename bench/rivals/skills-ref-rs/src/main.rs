//! `skills-ref-rs`: one call a folder, as its own command line makes it.

use std::error::Error;

use skills_ref::{SkillProperties, read_properties};

fn main() -> Result<(), Box<dyn Error>> {
    bench_sample::main(
        |folder| {
            let folders = folder.read_dir()?.map(|entry| Ok(entry?.path()));
            let folders = folders.collect::<Result<Vec<_>, std::io::Error>>()?;
            Ok(folders
                .iter()
                .filter_map(|folder| read_properties(folder).ok())
                .collect::<Vec<SkillProperties>>())
        },
        |skills| {
            skills
                .iter()
                .map(|skill| (skill.name.clone(), skill.description.clone()))
                .collect()
        },
    )
}
