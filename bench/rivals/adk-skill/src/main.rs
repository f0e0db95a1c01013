//! `adk-skill`: one call for a folder beside the ones it knows; and its search, among skills in memory.

mod search;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == "--search") {
        return search::run(
            arguments
                .next()
                .ok_or("expected a file of skills")?
                .as_ref(),
        );
    }
    bench_sample::main(
        |folder| {
            Ok(adk_skill::load_skill_index_with_extras(
                "/nowhere",
                &[folder.to_owned()],
            )?)
        },
        |index| {
            index
                .skills()
                .iter()
                .map(|skill| (skill.name.clone(), skill.description.clone()))
                .collect()
        },
    )
}
