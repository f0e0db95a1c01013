//! `skref`: one call a folder.

use std::error::Error;

use skref::{SkillProperties, read_properties};

fn main() -> Result<(), Box<dyn Error>> {
    bench_sample::main(
        |folder| {
            let folders = folder.read_dir()?.map(|entry| Ok(entry?.path()));
            let folders = folders.collect::<Result<Vec<_>, std::io::Error>>()?;
            Ok(folders
                .iter()
                .filter_map(|folder| read_properties(folder, true).ok())
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
