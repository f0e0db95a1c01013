//! Bodies that are delivered again after the conversation was compacted.

use std::cmp::Reverse;
use std::sync::Arc;

use super::Session;
use super::activation::{ActivationRecord, DeliveredBody, DeliveredPart, LoadedBody};
use super::notice::{Notice, NoticeReason};
use super::options::CompactionBudget;
use repertoire_core::Id;

/// Bodies that are delivered again after compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Redelivery {
    /// The text for the conversation, the most recently used skill first.
    pub text: String,
    /// A [`Redelivered`](NoticeReason::Redelivered) notice for each skill, in the order of the text.
    pub skills: Vec<Notice>,
}

/// Renders the bodies of what `wanted` takes, and marks them as delivered from the model call `call` on.
pub(super) fn redeliver(
    session: &mut Session,
    limits: &CompactionBudget,
    call: u64,
    wanted: impl Fn(&ActivationRecord, &Id) -> bool,
) -> Redelivery {
    let mut again = Redelivery::default();
    let mut room = limits.total;
    for (id, rendered) in latest_bodies(session, wanted) {
        let whole = rendered.wrapped(&id, &session.tools.options().preset);
        let of = session.options.tokenizer.estimate(&whole);
        let text = if of <= limits.per_skill.min(room) {
            Some(whole)
        } else {
            longest_part(session, &id, &rendered, limits.per_skill.min(room))
        };
        let tokens = text
            .as_deref()
            .map_or(0, |text| session.options.tokenizer.estimate(text));
        room -= tokens;
        if let Some(text) = text {
            again
                .text
                .push_str(if again.text.is_empty() { "" } else { "\n" });
            again.text.push_str(&text);
        }
        let part = match tokens {
            0 => DeliveredPart::None,
            _ if tokens == of => DeliveredPart::All,
            _ => DeliveredPart::Beginning,
        };
        let delivered = DeliveredBody {
            digest: rendered.digest,
            part,
            calls: call,
            tokens: session.grown_by(&again.text),
        };
        if let Some(held) = session.held(&id) {
            held.delivered = Some(delivered);
        }
        again.skills.push(Notice::of_skill(
            id,
            NoticeReason::Redelivered { tokens, of },
        ));
    }
    again
}

/// Returns the bodies of what `wanted` takes, the most recently used first.
fn latest_bodies(
    session: &Session,
    wanted: impl Fn(&ActivationRecord, &Id) -> bool,
) -> Vec<(Id, Arc<LoadedBody>)> {
    let mut latest: Vec<&ActivationRecord> = session.activations.iter().collect();
    latest.sort_by_key(|held| Reverse(held.last_used));
    let bodies = latest.into_iter().filter_map(|held| {
        let found = session.find(held).ok()?;
        let (id, rendered) = (found.id(), held.rendered.as_ref()?);
        let is_current = !rendered.is_blank() && rendered.candidate.is_same(found.candidate);
        (is_current && wanted(held, &id)).then(|| (id, rendered.clone()))
    });
    bodies.collect()
}

/// Returns the longest beginning of a body that has at most `most` tokens; `None` if none fits.
fn longest_part(session: &Session, id: &Id, rendered: &LoadedBody, most: usize) -> Option<String> {
    let preset = &session.tools.options().preset;
    let (mut fitting, mut text) = (0, None);
    let mut too_much = rendered.body.len();
    while too_much - fitting > 1 {
        let middle = fitting + (too_much - fitting) / 2;
        let part = rendered.wrapped_part(id, preset, rendered.body.floor_char_boundary(middle));
        if session.options.tokenizer.estimate(&part) <= most {
            (fitting, text) = (middle, Some(part));
        } else {
            too_much = middle;
        }
    }
    text
}
