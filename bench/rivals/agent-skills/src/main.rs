//! `agent-skills`: one lenient call a folder.

use std::error::Error;

use agent_skills::SkillDirectory;

fn main() -> Result<(), Box<dyn Error>> {
    bench_sample::main(
        |folder| {
            let folders = folder.read_dir()?.map(|entry| Ok(entry?.path()));
            let folders = folders.collect::<Result<Vec<_>, std::io::Error>>()?;
            Ok(folders
                .iter()
                .filter_map(|folder| SkillDirectory::load_lenient(folder).ok())
                .collect::<Vec<_>>())
        },
        |folders| {
            let skills = folders.iter().map(|folder| folder.skill());
            skills
                .map(|skill| {
                    (
                        skill.name().to_string(),
                        skill.description().as_str().to_owned(),
                    )
                })
                .collect()
        },
    )
}
