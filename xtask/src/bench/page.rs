//! `docs/benchmarks.md`: the method, and what was measured.

use std::fmt::Write;

use super::figure::Figure;
use crate::{Failure, workspace};

const METHOD: &str = "\
# Benchmarks

Written by `cargo xtask bench --write`. The figures are ratios between things that were measured in turns in one run on one machine; a time alone says more about the
machine than about the program.

## Method

- **Trees** are made up, the same in every run: descriptions in the styles, lengths and alphabets of real ones, the fields that real front matter has as often as it has them, four
  kilobytes of instructions, one file in a hundred with a fault. *Flat* is one folder of skills; *nested* has 10,000 skills two levels down among 30,000 files. `--corpus DIR` takes real
  files instead.
- **Every sample is a process of its own**, and the samples of one round are taken in turns, so that a noisy minute hits all of them alike. What is given is the median of the rounds.
- **Time** is that of the load alone, without starting the process: *wall* from call to return, *cpu* the user and system time of all threads meanwhile.
- **A load** is a registry over a folder source: files found, front matter parsed, diagnostics made, rows merged, the view published, its order and its diagnostics asked for.
- **Floors** are what no loader can do without, on one thread: *read* lists the folder, opens every `SKILL.md`, reads 4 KiB and closes it; *stat* asks for every file's version; *walk* lists
  every folder of the nested tree and reads each `SKILL.md`; *cold* reads with 32 threads after the system was told to forget the files, *map* is the `HashMap` of the standard library.
- **Rivals** are crates that load such folders, built with the same settings. *Right* counts the skills whose name and description are what the author of the file meant, blanks aside. One of them
  stops at the first faulty file, so its time is that of a few skills. The best rival is the fastest of those that get nine in ten right.
- **Readers** are four threads that look up random ids, while a fifth changes an entry and refreshes the registry without a pause; what counts is each reader's own processor time.
- **Reloads** are edits of one file after another, each put in place by renaming and waited for until the registry has published the view: without debounce, so that the time is that of the work. *Read* is what is
  read meanwhile, the events too; *refresh* looks at everything, which is what a registry has to do that is not told; *rival* is the best rival's load, which is how rivals keep up.
- **Arming** is the processor time that the first wait for a change takes beyond two listings: a watch for every folder. Its floor, *inotify*, is the bare call to the system for each.
- **Rendering** takes the bodies of the flat tree from memory, on one thread, and counts its processor time. *Plain* ones hold nothing that begins like a placeholder, and are handed back as they are;
  *a copy* copies each. *Placeholders* has one of each kind behind every body, and a command, which is refused; *the parser* reads the same bodies as CommonMark and does nothing else. *Eightfold* renders
  many bodies in one, against an eighth of it.
- **Plugins** are `hello` with 10,000 skills, loaded and in a process of its own, beside the same skills compiled in; starting is not part of it. A first listing parses every front matter, another one
  sends and compares it; what is compiled in has its listing ready after the first.
- **Searches** are questions that have one skill in mind. Among made-up skills they are six words of its description, one question in five with two letters swapped; there are but 150 words, so that a question meets a
  fifth of all skills, and many fit alike. With `--corpus` they are six of the first sixty words of the instructions, which are not searched. *found* is the mean of one divided by the place of the skill that was
  meant, of 100, nothing beyond the tenth place; *p50* and *p99* are processor time, *update* is what one changed skill costs. tantivy has the same stemmer, stop words and weights, in memory; adk-skill looks through every skill
  for each question, so it is asked but twenty.
- **Catalogs** are compared with one written *by hand*: sorted, escaped, no budget, no report. *short* is a catalog in 2 % of a window of 200,000 tokens, *changed* is the kept one after a change of one description, *again* one that
  did not change.
- **Cortex**, in TypeScript, has its summary of all skills where there is a catalog here. It was not run beside the others, but measured once, elsewhere: at commit `bc60632` of `Craigtut/cortex-mono`
  under Node 20.20, 10,000 skills took 28 to 35 ms, and a catalog by hand on the same machine 0.9 to 1.5 ms. Its ratio is thus between 19 and 39 x by hand, to be held against `catalog/whole/10000`.
- **Triggers** are a keyword for each skill, one to three words, one in ten of a script without blanks, held against a message of four kilobytes that has some of them. *a look for each* is a plain search for each keyword,
  in lower case and without the rules for the edges of words. *update* follows an edit that leaves all triggers as they were; *evaluate* is the same
  message before a whole session.
- **Resident** is how much a process grows by loading, the registry still held.

## Figures

Why some goals do not hold is told in `docs/decisions/0011-where-a-cold-load-stops.md`.

";

const SERVED_HEADING: &str = "\n## Served over MCP\n";

const SERVED: &str = "
## Served over MCP

Written by `cargo xtask bench --only serving --write` and `cargo xtask mcp-load --write`, each its own part.

- **A page** is a hundred skills of the list, asked for and answered over a pipe inside of one process, all of them once before: what it costs from the question to the last byte of the answer, beside turning the
  same answer into text and nothing else. Both are processor time.
- **Servers** are processes over standard input and output, with one client that asks one thing after another. *start* is from the start of the process to the end of the first list, *list* all of it once
  more, *get* and *read* one skill of a hundred, *reload* from an edit until it is seen. Ours waits a tenth of a second for more edits before it looks, and finds the edit by itself; rmcp's follows nothing and
  is told to look again, at everything. It answers lists with one page, and keeps every byte of every file. FastMCP's provider is
  measured in both of its shapes, one process each: *extension*, which it calls experimental, speaks only the protocol of 2026-07-28, reads the folder for each list, and its *reload* is the next *get*, which reads
  that one skill anew; *resources* is what it serves by default, of the folder as it was at the start, where *get* reads the manifest of a skill and nothing is reloaded: with its option `reload` it would read the
  whole folder for each request. *listed* is what it takes for skills of the standard.
- **Load** is `repertoire serve --http`, a process, with 10,000 skills: 200 sessions that list page by page and read a skill of each for 60 seconds, every byte compared. *page* is the processor time of one page
  before that, with all that HTTP, the protocol and the system cost.
- **Idle** is another such process, of which every page was listed once: 1,000 sessions with a stream each that are told of twenty edits, one after another. *told* counts from the line in which the server says
  that the registry has another view, *told/edit* from the edit. *resident* is by how much the process grew for each session, *resident/told* the same after the edits. The clients run on the same processors.
";

/// A part of the page that is written without the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// Servers, side by side.
    Servers,
    /// One server, under load.
    Load,
}

const TABLE: &str = "\
| figure | value | ratio | goal | holds |
|---|--:|---|---|---|
";

impl Served {
    const ALL: [Served; 2] = [Served::Servers, Served::Load];

    fn heading(self) -> &'static str {
        match self {
            Served::Servers => "\n### Servers\n",
            Served::Load => "\n### Load\n",
        }
    }

    /// What `page` has of it, without the heading.
    fn found(self, page: &str) -> Option<&str> {
        let (_, rest) = page.split_once(self.heading())?;
        Some(rest.split_once("\n### ").map_or(rest, |(found, _)| found))
    }
}

/// What `page` has of servers, with these figures in place of those that it has in that part.
fn served(page: &str, part: Served, figures: &[Figure], remarks: &[String]) -> Result<String, Failure> {
    let mut served = SERVED.to_owned();
    for other in Served::ALL {
        if other != part {
            if let Some(found) = other.found(page) {
                served += other.heading();
                served += found;
            }
            continue;
        }
        let average = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let average = average.split(' ').next().unwrap_or_default();
        let processors = std::thread::available_parallelism()?;
        served += part.heading();
        writeln!(served, "\n{processors} processors, with a load average of {average} at the end.\n")?;
        served += TABLE;
        rows(&mut served, figures, remarks)?;
    }
    Ok(served)
}

/// Writes these figures of servers into `docs/benchmarks.md`, in place of those of the same part.
pub(crate) fn write_served(part: Served, figures: &[Figure], remarks: &[String]) -> Result<(), Failure> {
    let path = workspace::root().join("docs/benchmarks.md");
    let page = std::fs::read_to_string(&path)?;
    let (before, _) = page.split_once(SERVED_HEADING).unwrap_or((&page, ""));
    Ok(std::fs::write(path, format!("{before}{}", served(&page, part, figures, remarks)?))?)
}

/// Writes `docs/benchmarks.md` for these figures; what it has of servers stays.
pub(super) fn write(figures: &[Figure], remarks: &[String]) -> Result<(), Failure> {
    let path = workspace::root().join("docs/benchmarks.md");
    let before = std::fs::read_to_string(&path)?;
    let served = before.find(SERVED_HEADING).map_or("", |at| &before[at..]);
    Ok(std::fs::write(path, page(figures, remarks)? + served)?)
}

/// The page for these figures.
fn page(figures: &[Figure], remarks: &[String]) -> Result<String, Failure> {
    let mut page = METHOD.to_owned();
    page += TABLE;
    rows(&mut page, figures, remarks)?;
    Ok(page)
}

fn rows(page: &mut String, figures: &[Figure], remarks: &[String]) -> Result<(), Failure> {
    for figure in figures {
        let (value, ratio, goal) = (figure.shown_value(), figure.shown_ratio(), figure.shown_goal());
        writeln!(page, "| `{}` | {value} | {ratio} | {goal} | {} |", figure.name, figure.verdict())?;
    }
    if !remarks.is_empty() {
        page.push_str("\nNot measured:\n\n");
        remarks.iter().try_for_each(|remark| writeln!(page, "- {remark}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_written_without_the_other() {
        let figure = |name: &str| [Figure::new(name, 1.0, "ms")];
        let servers = served("", Served::Servers, &figure("serve/list"), &["a rival".to_owned()]).expect("written");
        let both = served(&servers, Served::Load, &figure("mcp-load/list"), &[]).expect("written");
        for part in Served::ALL {
            assert_eq!(both.matches(part.heading()).count(), 1, "{both}");
        }
        assert_eq!(Served::Servers.found(&both), Served::Servers.found(&servers));
        let again = served(&both, Served::Servers, &figure("serve/get"), &[]).expect("written");
        assert!(
            again.contains("`serve/get`") && !again.contains("`serve/list`") && !again.contains("a rival"),
            "{again}"
        );
        assert_eq!(Served::Load.found(&again), Served::Load.found(&both));
    }
}
