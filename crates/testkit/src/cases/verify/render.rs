//! Bodies as a model gets them.

use std::time::Instant;

use super::skill::with_entry;
use crate::cases::check::{RenderLine, RenderWant, Subject, Want};
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn render(line: &RenderLine, world: &World) -> Verdict {
    with_entry(&Subject::Named(line.name.clone()), world, |entry| {
        let begun = Instant::now();
        let rendered = world.render(entry, line);
        let took = begun.elapsed();
        if let Some(limit) = line.within.filter(|limit| took > *limit) {
            return Verdict::fails(format_args!("within {limit:?}"), format_args!("{took:?}"));
        }
        let want = match &line.want {
            RenderWant::Text(want) => want.clone(),
            RenderWant::PathOf { path, followed_by } => {
                Want::Has(format!("{}{followed_by}", world.fixture().path().join(path).display()))
            }
        };
        match rendered {
            Ok(text) => {
                Verdict::of(want.holds(&text.as_str().into()), format_args!("{want:?}"), format_args!("{text:?}"))
            }
            Err(error) => Verdict::fails(format_args!("{want:?}"), error),
        }
    })
}
