//! The case runner: directories with an `expect.txt`, checked against the whole system.
//!
//! A case is one input with its expected results. A [`Runner`] copies each case to a temporary folder, sets it up, loads its roots, and
//! checks each line. A line that cannot be parsed is a failure. A line that needs something that is not built is *not
//! applicable*, and so is its case unless a different line of it fails. Works on Linux.
//!
//! # The grammar
//! Names, paths with blanks and texts are JSON strings; paths are relative to the case.
//!
//! | line | holds if |
//! |---|---|
//! | `case:` `kind:` `source:` `about:` `why:` | documentation; a kind starts with a capital letter |
//! | `setup: setup.sh`, `cwd: PATH` | a script that sets the case up, and the working folder |
//! | `roots: [[PATH, SCOPE, TRUST?], ...]` | from low to high priority; `auto` for the default folders of `cwd` |
//! | `plugin-cache: PATH` | the folder in which a client keeps its plugins, instead of roots |
//! | `loads: [...]`, `loads-at-least: [...]`, `count loads N` | these effective ids are offered, sorted by bytes |
//! | `skips: [PATH, ...]` | these files are no skills, and each has a diagnostic |
//! | `shadowed: [[NAME, PATH], ...]` | exactly these files are overridden by a skill of that name |
//! | `field NAME KEY = JSON`, `has`, `length N` | a field of the skill; `metadata.a.b` and `extra.a.b` as written |
//! | `text NAME metadata.a = JSON` | the same, as text |
//! | `body NAME = JSON`, `has`, `lacks` | the text after the front matter |
//! | `read NAME PATH = ok`, `= error`, `has JSON`; `resources NAME = [...]`, `lacks` | the files of the skill |
//! | `diag LEVEL PATH has JSON`, `diag none PATH` or `*` | the diagnostics |
//! | `catalog has`, `lacks`, `=`, `count`, `order:`, `is XML`, `text NAME =`, `has no character in` | the catalog |
//! | `catalog budget=N names: all M`, `within budget`, `report: ...` | the same under a budget, in tokens |
//! | `catalog bytes equal over N fresh processes` | every process prints the same |
//! | `cli ARGUMENTS [\| head -N]: WANT, ...` | exit code, JSON, streams and time of the real binary |
//! | `within: T`, `memory: < N MB` | the cost of a full scan by a fresh process |
//! | `render NAME [args=JSON] [shell=on\|off] [timeout=T] [within T] =`, `has`, `lacks` | the rendered body |
//! | `either: A \| B` | one of them holds |
//! | `never: A or B` | none of them happens |
//! | `user-list = [...]`, `has`, `lacks` | the ids that a user is offered |
//! | `watches: <= N (inotify lines in /proc/<pid>/fdinfo)` | at most N folders are watched while the registry runs |
//! | `after N CHECK` | the check holds after step N |
//! | `after N catalog-version unchanged` | the step left every byte of the catalog as it was |
//! | `activate model\|user NAME = ok`, `= error`, `has`, `lacks`, `result <= N bytes` | the body that a model or user receives |
//! | `tools: [...]`, `tools enum: [...]` | the tools for a model, and the skills in their schemas |
//! | `with disabled=[...] CHECK` | the same while these skills are disabled |
//! | `session: activate NAME [again\|force]`, `reset, activate NAME` `->` `=`, `has`, `lacks` | the output of the case's session |
//! | `session: active list = [...]` | the skills that are active in it |
//! | `mcp initialize: PATH VALUE`, `mcp list has`, `lacks` | what a client of `repertoire serve` receives |
//! | `mcp stdout: every line is one JSON-RPC message, ...` | standard output contains nothing else |
//! | `mcp: exactly one NOTICE per announced list within T` | a client receives one notification for each changed list |
//!
//! `steps: steps.sh (N)` declares N blocks of that script, each after a line `## step NUMBER`. They run in order while the
//! registry watches the copy. After each block, the lines for it must hold within two seconds, and again after a refresh.
//!
//! `never` reads `the text X`, `a file GLOB`, `a process X left behind`, `a child process during COMMANDS`, `a skill named X
//! with KEY`, `a panic` and `a non-empty exit of the whole scan`. Other texts are linked to a named test in `bound.txt`, which
//! the runner prints.

mod bound;
mod check;
mod client;
mod fixture;
mod grammar;
mod process;
mod report;
mod scan;
mod test_env;
#[cfg(test)]
mod tests;
mod verdict;
mod verify;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use check::{Check, Never};
use fixture::Fixture;
use grammar::{Case, Line};
use report::{CaseReport, LineReport};
use test_env::TestEnv;
use verdict::Verdict;

/// A runner for cases, with the binary `repertoire` for those that need it.
#[derive(Debug, Clone, Default)]
pub struct Runner {
    binary: Option<PathBuf>,
}

impl Runner {
    /// Creates a runner with the binary next to the running program or in the folder above, if there is one.
    pub fn new() -> Runner {
        let program = std::env::current_exe().unwrap_or_default();
        let folders = program.ancestors().skip(1).take(2);
        let name = format!("repertoire{}", std::env::consts::EXE_SUFFIX);
        Runner {
            binary: folders
                .map(|folder| folder.join(&name))
                .find(|path| path.is_file()),
        }
    }

    /// Sets the binary.
    #[must_use]
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Runner {
        self.binary = Some(path.into());
        self
    }

    /// Runs every case of `dir`, and prints failures and the totals of each kind.
    ///
    /// The last line is `cases: N passed, N failed, N not applicable`. Returns `Ok(false)` if a case failed.
    ///
    /// # Errors
    /// Returns an error if `dir` cannot be read or `out` cannot be written. A faulty case is a failure of that case.
    pub fn run(&self, dir: &Path, out: &mut dyn Write) -> io::Result<bool> {
        let entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
        let mut paths: Vec<_> = entries
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect();
        paths.sort();
        if paths.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "there is no case in it",
            ));
        }
        let cases: Vec<_> = paths.iter().map(|path| self.case(path)).collect();
        report::print(&cases, out)
    }

    fn case(&self, path: &Path) -> CaseReport {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let case = match fs::read_to_string(path.join("expect.txt")) {
            Ok(expect) => Case::parse(&expect),
            Err(error) => return CaseReport::broken(name, "?".to_owned(), &error),
        };
        let lines = match self.lines(&case, path, &name) {
            Ok(lines) => lines,
            Err(error) => return CaseReport::broken(name, case.kind, &error),
        };
        CaseReport {
            name,
            kind: case.kind,
            lines,
        }
    }

    fn lines(&self, case: &Case, path: &Path, name: &str) -> io::Result<Vec<LineReport>> {
        if case.lines.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "no line asks for anything",
            ));
        }
        let fixture = Fixture::set_up(path)?;
        let obstacle = fixture
            .ignores_permissions()
            .then(|| "a user without root's rights".to_owned());
        let env = verify::catch(|| TestEnv::load(case, fixture, self.binary.clone()))
            .map_err(io::Error::other)??;
        let check = |line: &Line| checked(line, obstacle.as_deref(), name, &env);
        // `never` lines cover all other checks, so they come last.
        let (last, first): (Vec<_>, Vec<_>) = case
            .lines
            .iter()
            .partition(|line| matches!(line.check, Ok(Check::Never(_))));
        let (mut later, now): (Vec<_>, Vec<_>) = first
            .into_iter()
            .partition(|line| matches!(line.check, Ok(Check::After { .. })));
        let mut reports: Vec<_> = now.into_iter().map(check).collect();
        if obstacle.is_none() && case.steps > 0 {
            let blocks = test_env::step_blocks(&env.fixture().path().join("steps.sh"), case.steps)?;
            for (number, block) in (1..).zip(blocks) {
                let (these, rest) = later.into_iter().partition(|line| is_after(line, number));
                later = rest;
                reports.extend(after_step(number, &block, &these, &env)?);
            }
        }
        reports.extend(later.into_iter().chain(last).map(check));
        Ok(reports)
    }
}

fn after_step(
    number: usize,
    block: &str,
    lines: &[&Line],
    env: &TestEnv,
) -> io::Result<Vec<LineReport>> {
    let checks = lines.iter().filter_map(|line| match &line.check {
        Ok(Check::After { check, .. }) => Some(check.as_ref()),
        _ => None,
    });
    // A call changes the session, so it is made once, after everything else holds.
    let repeated = checks.clone().filter(|check| !check.is_call());
    let verify = |check| verify::verify(check, env);
    let mut found = env
        .step(number, block, || repeated.clone().map(verify).collect())?
        .into_iter();
    let verdicts = checks.map(|check| match check.is_call() {
        true => verify(check),
        false => found
            .next()
            .expect("one verdict for each check that is repeated"),
    });
    let reports = lines.iter().zip(verdicts);
    let reports = reports.map(|(line, verdict)| LineReport {
        number: line.number,
        text: line.text.clone(),
        verdict,
        bound: None,
    });
    Ok(reports.collect())
}

fn is_after(line: &Line, number: usize) -> bool {
    matches!(line.check, Ok(Check::After { step, .. }) if step == number)
}

fn checked(line: &Line, obstacle: Option<&str>, name: &str, env: &TestEnv) -> LineReport {
    let (verdict, bound) = match (&line.check, obstacle) {
        (Err(unread), _) => (Verdict::fails("a line of the grammar", unread), None),
        (Ok(_), Some(obstacle)) => (Verdict::missing(obstacle), None),
        (Ok(Check::Never(things)), None)
            if let [Never::Plain(words)] = things.as_slice()
                && let Some(bound) = bound::bound(name, words) =>
        {
            (Verdict::Holds, Some(bound))
        }
        (Ok(check), None) => (verify::verify(check, env), None),
    };
    LineReport {
        number: line.number,
        text: line.text.clone(),
        verdict,
        bound,
    }
}
