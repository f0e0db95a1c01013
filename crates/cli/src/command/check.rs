//! `repertoire check`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use repertoire::skill_md::{self, Limits, Site};
use repertoire::{Code, Diagnostic, Strictness};
use serde::Serialize;
use serde_json::Value;

use super::list::nothing_found;
use crate::answer::{Answer, json};
use crate::arguments::Connect;
use crate::fields;
use crate::finding::{Bases, Counts, Finding, Sources, counted};
use crate::session::Session;
use crate::{Exit, Stream, sarif};

/// Show everything that is wrong or odd, with the lines that it is about.
#[derive(Debug, Args)]
#[command(visible_alias = "validate")]
pub(crate) struct Check {
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) connect: Connect,
    /// Judge as the reference validator of the standard does, and let warnings fail the check.
    #[arg(long)]
    strict: bool,
}

/// Everything that is wrong or odd.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Checked<'a> {
    strict: bool,
    skills: usize,
    #[serde(flatten)]
    counts: Counts,
    diagnostics: Vec<Finding>,
    #[serde(skip)]
    folders: Vec<PathBuf>,
    #[serde(skip)]
    session: &'a Session<'a>,
}

impl Check {
    pub(crate) async fn answer<'a>(&self, session: &'a Session<'_>) -> impl Answer + 'a {
        let mut diagnostics = with_bodies(session.findings(), session).await;
        diagnostics.extend(fields::findings(session).await);
        if self.strict {
            diagnostics = judge_strictly(diagnostics, session);
        }
        // After the verdict: what lies beside instructions is not parsed as such.
        let of_parts = session.registry.part_diagnostics(&session.snapshot).await;
        diagnostics.extend(of_parts.iter().map(Finding::of));
        // What was never looked at puts all else in doubt.
        diagnostics.sort_by_key(|finding| finding.diagnostic.code != Code::WALK_TRUNCATED);
        let skills = session.snapshot.len();
        let (strict, folders) = (self.strict, self.folders.clone());
        Checked { strict, skills, counts: Counts::of(&diagnostics), diagnostics, folders, session }
    }
}

/// Returns the findings with those about bodies, each behind the last one of its file.
async fn with_bodies(mut findings: Vec<Finding>, session: &Session<'_>) -> Vec<Finding> {
    for found in session.registry.body_diagnostics(&session.snapshot).await {
        let mut found = Finding::of(&found);
        if found.diagnostic.path.as_deref().is_some_and(|path| session.is_behind_a_link(&found.source, path)) {
            // What a body hides is quoted, and a link may lead to anything.
            let Diagnostic { message, help, .. } = &mut found.diagnostic;
            (*message, *help) =
                ("a link leads to this file, so what is wrong with its body is not quoted".to_owned(), None);
        }
        let is_beside =
            |other: &Finding| other.source == found.source && other.diagnostic.path == found.diagnostic.path;
        let place = findings.iter().rposition(is_beside).map_or(findings.len(), |last| last + 1);
        findings.insert(place, found);
    }
    findings
}

/// The findings under the strict verdict: files are parsed again, all else is weighed anew.
fn judge_strictly(findings: Vec<Finding>, session: &Session<'_>) -> Vec<Finding> {
    let mut of_files: BTreeMap<(Arc<str>, Arc<str>), Vec<Finding>> = BTreeMap::new();
    let mut rest = Vec::new();
    for finding in findings {
        match finding.diagnostic.path.clone() {
            Some(path) => of_files.entry((Arc::clone(&finding.source), path)).or_default().push(finding),
            None => rest.push(finding),
        }
    }
    for layer in session.snapshot.layers() {
        for row in layer.listing.iter() {
            if let Some(path) = &row.item.location {
                of_files.entry((Arc::clone(&layer.origin.source), Arc::clone(path))).or_default();
            }
        }
    }
    let bases = session.bases();
    let judged = of_files.into_iter().flat_map(|((source, path), found)| {
        if session.may_quote(&source, &path) {
            judge_file(&source, &path, found, &bases)
        } else {
            found.into_iter().map(weigh).collect()
        }
    });
    judged.chain(rest.into_iter().map(weigh)).collect()
}

/// The findings about one file: what the parser found leniently gives way to what it finds strictly.
fn judge_file(source: &Arc<str>, path: &str, mut found: Vec<Finding>, bases: &Bases) -> Vec<Finding> {
    let mut judged = Vec::new();
    if let Some((lenient, strict)) = parse_again(bases, source, path) {
        let finding = |diagnostic| Finding::new(Arc::clone(source), diagnostic);
        let lenient: Vec<_> = lenient.into_iter().map(finding).collect();
        // A source that reads its files in another way has its own verdict.
        if lenient.iter().all(|finding| found.contains(finding)) {
            found.retain(|finding| !lenient.contains(finding));
            judged.extend(strict.into_iter().map(finding));
        }
    }
    judged.extend(found.into_iter().map(weigh));
    judged
}

fn weigh(finding: Finding) -> Finding {
    Finding::new(finding.source, finding.diagnostic.under(Strictness::Strict))
}

/// What the parser says of a file, leniently and strictly.
fn parse_again(bases: &Bases, source: &str, path: &str) -> Option<(Vec<Diagnostic>, Vec<Diagnostic>)> {
    let file = Path::new(path);
    let bytes = bases.read(source, file)?;
    let folder = file.parent()?.file_name()?.to_string_lossy();
    let site = Site::new(path).in_directory(&folder);
    let parse = |strictness| skill_md::parse_with(&bytes, site, &Limits::default(), strictness).diagnostics;
    Some((parse(Strictness::Lenient), parse(Strictness::Strict)))
}

impl Answer for Checked<'_> {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let (mut sources, coloured) = (Sources::new(self.session.bases()), out.is_coloured());
        for finding in &self.diagnostics {
            writeln!(out, "{}", sources.draw(finding, &self.session.cwd, coloured))?;
        }
        writeln!(out, "{}; {} listed", self.counts.sentence(), counted(self.skills, "skill"))
    }

    fn notes(&self) -> Vec<String> {
        if self.skills == 0 { vec![nothing_found(&self.folders)] } else { Vec::new() }
    }

    fn sarif(&self) -> Option<Value> {
        Some(sarif::log(&self.diagnostics, &self.session.cwd))
    }

    fn exit(&self) -> Exit {
        let fails = self.counts.errors > 0 || self.strict && self.counts.warnings > 0;
        if fails { Exit::Findings } else { Exit::Success }
    }
}
