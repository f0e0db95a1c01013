//! The cost of rendering, against a plain copy and against the CommonMark parser alone.

use std::hint::black_box;
use std::path::Path;

use pulldown_cmark::{Options, Parser};
use repertoire::render::{Arguments, Context, Plan, Syntax};
use repertoire::skill::skill_md;
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};

use super::{median, sample};
use crate::Failure;

/// The number of rounds.
const ROUNDS: usize = 9;

/// One placeholder of each kind, and a command, which is refused.
const DIRECTIVES: &str =
    "\n\nFor $ARGUMENTS, $0 and ${1}: see ${SKILL_DIR}/how.md.\n\nNow: !`date`\n";

/// Processor time for all bodies, in seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Bodies {
    /// A copy of each.
    pub(super) copy: f64,
    /// Each as it is, without what begins like a placeholder, rendered.
    pub(super) plain: f64,
    /// The parser over each with placeholders.
    pub(super) parser: f64,
    /// Each with placeholders, rendered.
    pub(super) placeholders: f64,
    /// All in one, eight times as long as the next.
    pub(super) long: f64,
    /// An eighth of that.
    pub(super) short: f64,
}

/// Measures the bodies of a tree.
pub(super) fn measure(tree: &Path) -> Result<Bodies, Failure> {
    let mut bodies = Vec::new();
    for entry in sample::skills(tree).read_dir()? {
        let bytes = std::fs::read(entry?.path().join("SKILL.md"))?;
        // A file that is not text has no body.
        bodies.extend(skill_md::body(&bytes).ok().map(String::from));
    }
    let plain: Vec<String> = bodies
        .iter()
        .map(|body| body.replace(['$', '!'], "-"))
        .collect();
    let full: Vec<String> = bodies
        .iter()
        .map(|body| format!("{body}{DIRECTIVES}"))
        .collect();
    // A fence that one leaves open would make the rest code.
    let short = full[..full.len() / 8].join("\n\n");
    let long = [short.as_str(); 8].join("\n\n");

    let syntax = Syntax::default();
    let context = Context::new()
        .arguments(Arguments::new("one two"))
        .skill_dir("/skills/it");
    let render = |body: &String| {
        let rendered = Plan::new(body, &syntax).render(&context, []);
        black_box(rendered.map(|rendered| rendered.text.len())).is_ok()
    };
    // Without placeholders, the arguments would be appended as a copy.
    let nothing = Context::new();
    let keep = |body: &String| {
        let rendered = Plan::new(body, &syntax).render(&nothing, []);
        black_box(rendered.map(|rendered| rendered.text.len())).is_ok()
    };
    let parse = |body: &String| black_box(Parser::new_ext(body, Options::empty()).count()) > 0;
    let copy = |body: &String| !black_box(body.clone()).is_empty();

    let mut rounds = [const { Vec::new() }; 6];
    for _ in 0..ROUNDS {
        rounds[0].push(time(&plain, copy));
        rounds[1].push(time(&plain, keep));
        rounds[2].push(time(&full, parse));
        rounds[3].push(time(&full, render));
        rounds[4].push(time(std::slice::from_ref(&long), render));
        rounds[5].push(time(std::slice::from_ref(&short), render));
    }
    let [copy, plain, parser, placeholders, long, short] =
        rounds.map(|round| median(round.into_iter()));
    Ok(Bodies {
        copy,
        plain,
        parser,
        placeholders,
        long,
        short,
    })
}

fn time(bodies: &[String], work: impl Fn(&String) -> bool) -> f64 {
    let begun = sample::cpu(ClockId::ThreadCPUTime);
    black_box(bodies.iter().filter(|body| work(body)).count());
    sample::cpu(ClockId::ThreadCPUTime) - begun
}
