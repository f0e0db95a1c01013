//! `rmcp`: the loader of its skills server, which also digests every file.

use std::error::Error;

use rmcp::handler::server::skill_catalog::SkillCatalog;

fn main() -> Result<(), Box<dyn Error>> {
    bench_sample::main(
        |folder| Ok(SkillCatalog::from_dir(folder)?),
        |catalog| {
            let skills = catalog.skills();
            skills
                .iter()
                .map(|skill| {
                    (
                        skill.name().to_owned(),
                        skill.frontmatter.description.clone(),
                    )
                })
                .collect()
        },
    )
}
