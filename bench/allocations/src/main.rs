//! Prints how many allocations 10,000 lookups make while another thread refreshes the registry; of a file of skills, the bytes a
//! skill that its index allocates.

mod index;

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};

use repertoire_core::Skill;
use repertoire_registry::{MemorySource, Registered, SkillRegistry};

const SKILLS: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(file) = std::env::args_os().nth(1) {
        println!("{}", index::bytes_a_skill(file.as_ref())?);
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()?;
    let ids: Vec<String> = (0..SKILLS)
        .map(|number| format!("skill-{number}"))
        .collect();
    let skill = |id: &String, text: &str| {
        Ok::<_, Box<dyn Error>>(Registered::new(Skill::new(id.parse()?, text), "-"))
    };
    let source = MemorySource::new("home");
    for id in &ids {
        source.register(skill(id, "what it does")?)?;
    }
    let registry = runtime.block_on(SkillRegistry::builder().user(source.clone()).load())?;
    let (first, other) = (ids[0].parse()?, skill(&ids[0], "something else")?);
    let stop = AtomicBool::new(false);
    let (found, counted) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let changed = source.replace(&first, other.clone()).map(|_| ());
                assert!(
                    changed.is_ok() && runtime.block_on(registry.refresh()).is_ok(),
                    "the source is in memory"
                );
            }
        });
        // A thread that looks for the first time gets a slot for its loads, once.
        let _ = registry.get(&ids[0]);
        let mut found = 0;
        // Counts what this thread allocates, and not the one that refreshes.
        let counted = allocation_counter::measure(|| {
            found = ids
                .iter()
                .filter(|id| registry.get(id).is_some() && registry.snapshot().get(id).is_some())
                .count();
        });
        stop.store(true, Ordering::Relaxed);
        (found, counted)
    });
    assert_eq!(found, SKILLS, "every skill is found");
    println!("{}", counted.count_total);
    Ok(())
}
