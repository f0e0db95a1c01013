//! `skill-registry`: one call. The first file it cannot read ends its load; what it had until then counts.

use std::error::Error;

use skill_registry::SkillRegistry;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    bench_sample::main(
        |folder| {
            let mut registry = SkillRegistry::new(folder.to_owned());
            if let Err(error) = runtime.block_on(registry.load()) {
                eprintln!("skill-registry stopped: {error}");
            }
            Ok(registry)
        },
        |registry| {
            registry
                .get_all()
                .into_iter()
                .map(|skill| (skill.name.clone(), skill.description.clone()))
                .collect()
        },
    )
}
