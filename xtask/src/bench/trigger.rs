//! The cost of evaluating declared triggers for a message.

use std::cell::{Cell, RefCell};
use std::hint::black_box;

use repertoire::permission::VisibilityPolicy;
use repertoire::registry::{Layer, Origin, Snapshot, Tier, merge};
use repertoire::session::Turn;
use repertoire::skill::{Listing, ListingEntry, Revision, Stamp, SurfacePolicy, Value};
use repertoire::tools::Toolset;
use repertoire::trigger::Triggers;
use repertoire::{Session, SessionOptions, Skill, ToolOptions};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};

use super::random::Random;
use super::sample::cpu;
use crate::Failure;

/// Processor times in seconds, and what held.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Triggered {
    /// Compiling the triggers of all skills.
    pub(super) compile: f64,
    /// The same after an edit of one skill that leaves its triggers as they were.
    pub(super) update: f64,
    /// Evaluating the triggers for a message of four kilobytes.
    pub(super) fired: f64,
    /// A session's evaluation of that message, before any skill is active.
    pub(super) evaluate: f64,
    /// A search of the message for each keyword, in lower case.
    pub(super) each: f64,
    /// The number of triggers that held.
    pub(super) holding: usize,
}

const SEED: u64 = 11;
const ROUNDS: usize = 25;
const MESSAGE: usize = 4096;

/// Measures `count` skills with a keyword each.
pub(super) fn measure(count: usize) -> Result<Triggered, Failure> {
    let mut random = Random::new(SEED);
    let keywords: Vec<String> = (0..count).map(|_| keyword(&mut random)).collect();
    let mut message = String::new();
    while message.len() < MESSAGE {
        // One phrase in twenty is a keyword; the others are words of the same making.
        let phrase = if random.chance(5) {
            keywords[random.below(count)].clone()
        } else {
            keyword(&mut random)
        };
        message.push_str(&phrase);
        message.push_str(if random.chance(10) { ".\n\nThen " } else { " " });
    }
    message.truncate(message.floor_char_boundary(MESSAGE));

    let rows = (0..)
        .zip(&keywords)
        .map(|(number, keyword)| row(number, "Does it.", keyword));
    let listing = Listing::new(Revision(0), rows.collect::<Result<Vec<_>, Failure>>()?, []);
    let snapshot: Snapshot<Skill> = merge(&[Layer::new(
        Origin::new(Tier::User, "home"),
        0,
        listing.clone(),
    )]);
    // Made when first asked for, and no part of the triggers.
    black_box(snapshot.entries().len());
    let mut views = vec![snapshot.clone()];
    for number in 0..ROUNDS {
        // Each is of one change to the one before, as a registry publishes them.
        let at = number * count / ROUNDS;
        let listing = &views[number]
            .layer("home")
            .ok_or("the snapshot has no layer `home`")?
            .listing;
        let edited = vec![row(at, "Does it otherwise.", &keywords[at])?];
        let listing = listing.spliced(Revision(number as u64 + 1), [(at..at + 1, edited)], []);
        views.push(views[number].with_listing("home", listing));
    }

    let triggers = Triggers::new(&snapshot);
    let tools = Toolset::new(&snapshot, &ToolOptions::default());
    let session = Session::new(tools, SessionOptions::new(SurfacePolicy::default()));
    let turn = Turn::new(&message);
    let policy = VisibilityPolicy::default();
    let lower = message.to_lowercase();
    let (last, next) = (RefCell::new(triggers.clone()), Cell::new(1));
    let timed = |work: &dyn Fn()| {
        let times = (0..ROUNDS).map(|_| {
            let begun = cpu(ClockId::ThreadCPUTime);
            work();
            cpu(ClockId::ThreadCPUTime) - begun
        });
        super::median(times)
    };
    Ok(Triggered {
        compile: timed(&|| drop(black_box(Triggers::new(&snapshot)))),
        update: timed(&|| {
            let updated = last.borrow().updated(&views[next.replace(next.get() + 1)]);
            last.replace(updated);
        }),
        fired: timed(&|| drop(black_box(triggers.fired(&turn, &policy)))),
        evaluate: timed(&|| drop(black_box(session.evaluate(&turn)))),
        each: timed(&|| {
            black_box(
                keywords
                    .iter()
                    .filter(|keyword| lower.contains(keyword.as_str()))
                    .count(),
            );
        }),
        holding: triggers.fired(&turn, &policy).len(),
    })
}

/// One to three words; one in ten of a script without blanks.
fn keyword(random: &mut Random) -> String {
    const SYLLABLES: [&str; 24] = [
        "re", "lease", "note", "s", "mi", "gra", "tion", "de", "ploy", "lint", "form", "at", "que",
        "ry", "in", "dex", "c", "a", "che", "to", "ken", "sche", "ma", "test",
    ];
    const SIGNS: [&str; 12] = [
        "表", "格", "文", "件", "報", "告", "測", "試", "発", "行", "書", "類",
    ];
    let word = |random: &mut Random, parts: &[&str]| -> String {
        (0..random.between(2, 4))
            .map(|_| random.pick(parts))
            .collect()
    };
    if random.chance(10) {
        return word(random, &SIGNS);
    }
    let words: Vec<String> = (0..random.between(1, 3))
        .map(|_| word(random, &SYLLABLES))
        .collect();
    words.join(" ")
}

fn row(number: usize, about: &str, keyword: &str) -> Result<ListingEntry<Skill>, Failure> {
    let mut skill = Skill::new(format!("skill-{number}").parse()?, about);
    skill
        .fields
        .push(("triggers".into(), Value::List(vec![Value::text(keyword)])));
    Ok(ListingEntry::new(skill, Stamp::of(about)))
}
