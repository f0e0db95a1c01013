//! Depends on the skills of the house and never names them.
use repertoire_source_static::{DeclaredTwice, StaticList};

fn main() -> Result<(), DeclaredTwice> {
    StaticList::collected()?.iter().for_each(|skill| println!("{}", skill.id()));
    Ok(())
}
