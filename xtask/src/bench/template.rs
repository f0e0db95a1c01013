//! The text of one made-up `SKILL.md`: lengths, fields and styles as real ones have them.

use std::fmt::Write;

use super::random::Random;
use super::sample::Expected;

/// A made-up file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) text: String,
    /// The expected description; `None` for a file without one.
    pub(super) expected: Option<Expected>,
}

/// The form of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Double,
    Single,
    /// Behind this mark, on lines of its own.
    Block(&'static str),
    /// Plain text that YAML does not accept: with a colon, or with a star first.
    Colon,
    Star,
    Missing,
}

/// The counts of these forms in 17,263 real files.
const STYLES: [(Style, usize); 7] = [
    (Style::Plain, 5_637),
    (Style::Double, 6_511),
    (Style::Block("|"), 2_946),
    (Style::Block("|-"), 1_606),
    (Style::Single, 800),
    (Style::Block(">"), 382),
    (Style::Block(">-"), 174),
];

/// One file in a hundred is faulty; this is how.
const FAULTS: [(Style, usize); 3] = [(Style::Colon, 60), (Style::Star, 30), (Style::Missing, 10)];

const VERBS: [&str; 16] = [
    "Reviews",
    "Generates",
    "Converts",
    "Deploys",
    "Audits",
    "Migrates",
    "Summarises",
    "Translates",
    "Plans",
    "Tests",
    "Formats",
    "Extracts",
    "Merges",
    "Monitors",
    "Explains",
    "Refactors",
];
const THINGS: [&str; 20] = [
    "release notes",
    "pull requests",
    "spreadsheets",
    "database schemas",
    "Terraform modules",
    "invoices",
    "API clients",
    "unit tests",
    "slide decks",
    "access rights",
    "dashboards",
    "meeting minutes",
    "container images",
    "log files",
    "type definitions",
    "email campaigns",
    "data pipelines",
    "style guides",
    "error budgets",
    "build scripts",
];
const ENDS: [&str; 12] = [
    "when the user asks for them",
    "before every release",
    "in a repeatable way",
    "with a checklist",
    "for small teams",
    "from a short brief",
    "without touching other files",
    "and reports what changed",
    "in the style of the project",
    "step by step",
    "across several repositories",
    "with examples",
];
const FOREIGN: [&str; 6] = [
    "— even on weekends",
    "→ see below",
    "für Einsteiger",
    "自動化の手順",
    "数据分析",
    "‘as usual’",
];
const WORDS: [&str; 24] = [
    "tidy", "report", "cloud", "deploy", "pdf", "sheet", "review", "sql", "api", "docs", "test",
    "audit", "ship", "plan", "data", "graph", "mail", "brand", "sales", "agent", "code", "image",
    "search", "notes",
];

/// The file number `number`. Its name is unique among all numbers.
pub(super) fn template(number: usize, random: &mut Random) -> Template {
    let words: Vec<_> = (0..random.between(1, 3))
        .map(|_| random.pick(&WORDS))
        .collect();
    let name = format!("{}-{number}", words.join("-"));
    let style = if random.below(100) == 0 {
        random.weighted(&FAULTS)
    } else {
        random.weighted(&STYLES)
    };
    let description = describe(style, random);

    let mut text = String::with_capacity(6_000);
    text.push_str("---\n");
    match random.below(20) {
        0 => line(&mut text, format_args!("name: \"{name}\"")),
        _ => line(&mut text, format_args!("name: {name}")),
    }
    match style {
        Style::Plain | Style::Colon | Style::Star => {
            line(&mut text, format_args!("description: {description}"))
        }
        Style::Double => line(
            &mut text,
            format_args!("description: \"{}\"", description.replace('"', "\\\"")),
        ),
        Style::Single => line(
            &mut text,
            format_args!("description: '{}'", description.replace('\'', "''")),
        ),
        Style::Block(mark) => {
            line(&mut text, format_args!("description: {mark}"));
            description
                .lines()
                .for_each(|part| line(&mut text, format_args!("  {part}")));
        }
        Style::Missing => {}
    }
    fields(&mut text, &name, random);
    text.push_str("---\n\n");
    body(&mut text, &name, random);
    let expected = (style != Style::Missing).then_some(Expected { name, description });
    Template { text, expected }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes everything");
}

/// A description of 40 to 700 characters, most of them around 200.
fn describe(style: Style, random: &mut Random) -> String {
    let length = match random.below(20) {
        0 => random.between(40, 60),
        1..=8 => random.between(90, 200),
        9..=16 => random.between(200, 340),
        17 | 18 => random.between(340, 530),
        _ => random.between(530, 700),
    };
    let mut text = match style {
        Style::Star => "**Use always.** ".to_owned(),
        Style::Colon => "Use when: needed. ".to_owned(),
        _ => String::new(),
    };
    while text.len() < length {
        let end = if random.chance(12) {
            random.pick(&FOREIGN)
        } else {
            random.pick(&ENDS)
        };
        let sentence = format!("{} {} {end}.", random.pick(&VERBS), random.pick(&THINGS));
        text.push_str(&sentence);
        text.push(match style {
            Style::Block(_) if random.chance(40) => '\n',
            _ => ' ',
        });
    }
    match style {
        Style::Double if random.chance(10) => text.push_str("Say \"go\" to start. "),
        Style::Single if random.chance(10) => text.push_str("It's safe. "),
        _ => {}
    }
    text.truncate(text.trim_end().len());
    text
}

/// Fields beside name and description, as often as real files have them.
fn fields(text: &mut String, name: &str, random: &mut Random) {
    let version = [random.below(4), random.below(20), random.below(10)]
        .map(|part| part.to_string())
        .join(".");
    if random.chance(35) {
        line(text, format_args!("version: {version}"));
    }
    if random.chance(33) {
        line(text, format_args!("category: {}", random.pick(&WORDS)));
    }
    if random.chance(33) {
        line(
            text,
            format_args!(
                "license: {}",
                random.pick(&[
                    "MIT",
                    "Apache-2.0",
                    "Proprietary. LICENSE.txt has the terms"
                ])
            ),
        );
    }
    if random.chance(32) {
        line(
            text,
            format_args!(
                "author: {}",
                random.pick(&["Jane Doe", "\"The team\"", "someone@example.org"])
            ),
        );
    }
    if random.chance(21) {
        let tools = [
            "Read, Grep, Glob",
            "Bash(git:*) Read",
            "[Read, Write, Edit]",
            "\"Read, Write, Bash(npm run *)\"",
        ];
        line(text, format_args!("allowed-tools: {}", random.pick(&tools)));
    }
    match random.below(100) {
        0..=5 => {
            line(
                text,
                format_args!(
                    "metadata:\n  author: {}\n  version: \"{version}\"",
                    random.pick(&WORDS)
                ),
            );
        }
        6..=9 => line(
            text,
            format_args!(
                "metadata:\n  openclaw:\n    requires:\n      bins:\n        - {}\n    primary: true",
                random.pick(&WORDS)
            ),
        ),
        10..=16 => {
            let bins = random.pick(&WORDS);
            line(
                text,
                format_args!(
                    "metadata: {{\"clawdbot\":{{\"emoji\":\"🔧\",\"requires\":{{\"bins\":[\"{bins}\"]}}}}}}"
                ),
            );
        }
        _ => {}
    }
    match random.below(100) {
        0..=11 => line(
            text,
            format_args!("tags: [{}, {}]", random.pick(&WORDS), random.pick(&WORDS)),
        ),
        12..=17 => line(
            text,
            format_args!(
                "tags:\n  - {}\n  - {}",
                random.pick(&WORDS),
                random.pick(&WORDS)
            ),
        ),
        _ => {}
    }
    if random.chance(7) {
        line(
            text,
            format_args!(
                "triggers:\n  - \"{} {}\"",
                random.pick(&WORDS),
                random.pick(&WORDS)
            ),
        );
    }
    if random.chance(28) {
        line(text, format_args!("slug: {name}"));
    }
    if random.chance(18) {
        line(
            text,
            format_args!(
                "source: \"https://example.org/{}/{name}\"",
                random.pick(&WORDS)
            ),
        );
    }
    if random.chance(16) {
        let (stars, word) = (random.below(50_000), random.pick(&WORDS));
        line(
            text,
            format_args!(
                "verification: listed\nframework: {word}\ntool_ecosystem: {word}\ngithub_stars: {stars}"
            ),
        );
    }
    if random.chance(11) {
        let (verb, thing, end) = (
            random.pick(&VERBS),
            random.pick(&THINGS),
            random.pick(&ENDS),
        );
        line(
            text,
            format_args!("displayName: \"{verb} {thing}\"\nsummary: \"{verb} {thing} {end}.\""),
        );
    }
    if random.chance(11) {
        line(
            text,
            format_args!(
                "tools:\n  - {}\n  - {}",
                random.pick(&WORDS),
                random.pick(&WORDS)
            ),
        );
    }
    if random.chance(12) {
        line(
            text,
            format_args!("homepage: https://example.org/{}", random.pick(&WORDS)),
        );
    }
    if random.chance(2) {
        line(
            text,
            format_args!("user-invocable: {}", random.pick(&["true", "false"])),
        );
    }
}

/// About four kilobytes of instructions, in one file of ten four times as much.
fn body(text: &mut String, name: &str, random: &mut Random) {
    line(text, format_args!("# {name}\n"));
    let length = if random.chance(10) {
        random.between(10_000, 20_000)
    } else {
        random.between(1_500, 6_500)
    };
    let end = text.len() + length;
    while text.len() < end {
        line(
            text,
            format_args!("## {} {}\n", random.pick(&VERBS), random.pick(&THINGS)),
        );
        for step in 1..=random.between(2, 6) {
            let (thing, end) = (random.pick(&THINGS), random.pick(&ENDS));
            line(
                text,
                format_args!(
                    "{step}. {} {thing} {end}; see `references/{step}.md`.",
                    random.pick(&VERBS)
                ),
            );
        }
        line(
            text,
            format_args!("\n```sh\nnpx tool --input \"${{FILE}}\" --check\n```\n"),
        );
    }
}

#[cfg(test)]
mod tests {
    use repertoire_core::skill_md::{self, FileContext};

    use super::*;

    #[test]
    fn generated_files_are_deterministic() {
        let files = || {
            let mut random = Random::new(42);
            (0..2_000)
                .map(|number| template(number, &mut random))
                .collect::<Vec<_>>()
        };
        let made = files();
        assert_eq!(made, files());
        for Template { text, expected } in &made {
            let parsed = skill_md::parse(
                text.as_bytes(),
                FileContext::new("SKILL.md").in_directory("some-skill"),
            );
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let found = parsed
                .skill
                .map(|skill| (skill.id.to_string(), words(&skill.description)));
            let meant = expected
                .as_ref()
                .map(|meant| (meant.name.clone(), words(&meant.description)));
            assert_eq!(found, meant, "{text}");
        }
        let faulty = made.iter().filter(|file| file.expected.is_none()).count();
        assert!(
            (1..10).contains(&faulty),
            "one file in a thousand has no description: {faulty}"
        );
    }
}
