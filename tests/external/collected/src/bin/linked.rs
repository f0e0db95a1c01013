//! Links the skills of the house.
use house_skills as _;
use repertoire_source_static::{DeclaredTwice, StaticList};

fn main() -> Result<(), DeclaredTwice> {
    StaticList::collected()?.iter().for_each(|skill| println!("{}", skill.id()));
    Ok(())
}
