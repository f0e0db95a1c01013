//! Prints the skills that were embedded.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use repertoire_core::{Source, SourceError};
use repertoire_source_static::{StaticList, StaticSource, embed_skills};

static SKILLS: StaticList = embed_skills!("skills");

fn main() -> Result<(), SourceError> {
    let source = StaticSource::new("builtin", SKILLS);
    for row in now(source.list())?.iter() {
        let id = &row.item.id;
        println!("{id}: {}", row.item.description);
        print!("{}", now(source.body(id))?.text);
        for resource in now(source.resources(id))? {
            let bytes = now(source.resource(id, &resource.path))?;
            println!("{} says {}", resource.path, String::from_utf8_lossy(&bytes).trim_end());
        }
    }
    Ok(())
}

/// Polls a future once; one that reads memory is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a static source never waits"),
    }
}
