//! What a session answers.

use crate::cases::check::SessionLine;
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn session(line: &SessionLine, world: &World) -> Verdict {
    match line {
        SessionLine::Active(names) => Verdict::same(names, &world.active()),
        SessionLine::Calls(calls, want) => {
            let answers = calls.iter().map(|call| world.call_in_session(call)).collect::<Vec<_>>();
            let last = answers.into_iter().flatten().next_back();
            let holds = last.as_ref().is_some_and(|text| want.holds(&text.as_str().into()));
            Verdict::of(holds, format_args!("{want:?}"), last.unwrap_or_default())
        }
    }
}
