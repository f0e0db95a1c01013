//! An earlier version of this project on the same questions, over MCP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::json;

use super::Row;
use super::figures::Figures;
use super::set::{Answer, Question, Set};
use crate::bench::{EARLIER_SEARCH, PipedClient, Tongue};
use crate::{Failure, venv, workspace};

/// The command line of an earlier commit.
#[derive(Debug)]
pub(super) struct EarlierVersion {
    /// The name of its search, such as `commit f2a23d37`.
    pub(super) search: String,
    program: PathBuf,
}

/// The characters of a commit that a name has.
const SHORT: usize = 8;

/// The answer of the tool `search_skills`, which all versions with this tool give alike.
#[derive(Debug, Deserialize)]
struct Found {
    matches: Vec<FoundSkill>,
}

#[derive(Debug, Deserialize)]
struct FoundSkill {
    id: String,
}

impl EarlierVersion {
    /// Takes the commit that `revision` names out of the repository into `target/earlier`, and builds its command line there.
    ///
    /// # Errors
    /// Fails if the repository does not have the commit, or if the command line does not build.
    pub(super) fn build(revision: &str) -> Result<EarlierVersion, Failure> {
        let commit = commit(revision)?;
        let folder = workspace::target()?.join("earlier").join(&commit);
        let (source, built) = (folder.join("source"), folder.join("target"));
        if !source.is_dir() {
            unpack(&commit, &source)?;
        }
        eprintln!("building `repertoire` of commit {commit}");
        venv::call(
            Command::new("cargo")
                .args([
                    "build",
                    "--quiet",
                    "--locked",
                    "--package",
                    "repertoire-cli",
                ])
                .args(["--bin", "repertoire", "--target-dir"])
                .arg(&built)
                .current_dir(&source),
        )?;
        let program = built.join("debug/repertoire");
        Ok(EarlierVersion {
            search: format!("{EARLIER_SEARCH}{}", &commit[..SHORT]),
            program: program.with_extension(std::env::consts::EXE_EXTENSION),
        })
    }

    /// Returns the rows of `set`, whose skills are served as folders. Scores and times are not part of an answer.
    ///
    /// A version that reads bodies in the background may answer the first questions without them.
    pub(super) fn rows(&self, set: &Set) -> Result<Vec<Row>, Failure> {
        let home = tempfile::tempdir()?;
        let skills = home.path().join("skills");
        for doc in &set.docs {
            let folder = skills.join(&doc.dir);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("SKILL.md"), &doc.text)?;
        }
        let mut serve = Command::new(&self.program);
        serve
            .args(["serve", "--no-defaults", "--root"])
            .arg(&skills);
        serve.current_dir(home.path()).env("HOME", home.path());
        let mut client = PipedClient::start(&mut serve, Tongue::Extension)?;
        let row = |(name, questions): (String, Vec<&Question>)| {
            let answers = questions
                .iter()
                .map(|question| ask(&mut client, set, question));
            let answers: Vec<Answer> = answers.collect::<Result<_, Failure>>()?;
            Ok(Row {
                set: name,
                search: self.search.clone().into(),
                figures: Figures::of(&answers),
                build_ms: None,
                texts_ms: None,
                bytes_a_skill: None,
            })
        };
        set.groups().into_iter().map(row).collect()
    }
}

fn ask(client: &mut PipedClient, set: &Set, question: &Question) -> Result<Answer, Failure> {
    let call = json!({"name": "search_skills", "arguments": {"query": question.q}});
    let answer = client.call("tools/call", call)?;
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    let Found { matches } = serde_json::from_str(text).map_err(|error| {
        format!("expected matches from `search_skills`, found `{answer}`: {error}")
    })?;
    let found = matches.iter().map(|skill| {
        let doc = set.doc_of(&skill.id).map(str::to_owned);
        doc.ok_or_else(|| {
            format!("expected a skill of `{}`, found `{}`", set.name, skill.id).into()
        })
    });
    Ok(Answer {
        found: found.collect::<Result<_, Failure>>()?,
        gold: question.gold.clone(),
        score: None,
        micros: None,
        abstained: matches.is_empty(),
    })
}

/// Returns the hash of the commit that `revision` names.
fn commit(revision: &str) -> Result<String, Failure> {
    let output = Command::new("git")
        .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
        .arg(format!("{revision}^{{commit}}"))
        .current_dir(workspace::root())
        .output()
        .map_err(|error| format!("`git` did not start: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?.trim().to_owned());
    }
    Err(format!(
        "expected a commit of this repository, found `{revision}`; `git fetch --unshallow` completes a shallow clone"
    )
    .into())
}

/// Writes the files of `commit` into the new folder `to`.
fn unpack(commit: &str, to: &Path) -> Result<(), Failure> {
    // Under a different name until all files are there.
    let partial = to.with_extension("partial");
    if partial.is_dir() {
        fs::remove_dir_all(&partial)?;
    }
    let mut git = Command::new("git")
        .args(["archive", "--format=tar", commit])
        .current_dir(workspace::root())
        .stdout(Stdio::piped())
        .spawn()?;
    let files = git.stdout.take().ok_or("it is piped")?;
    let unpacked = tar::Archive::new(files).unpack(&partial);
    let status = git.wait()?;
    if !status.success() {
        return Err(format!("`git archive {commit}` failed with {status}").into());
    }
    unpacked?;
    Ok(fs::rename(partial, to)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_that_is_no_commit_is_named() {
        let failure = commit("no-such-revision").expect_err("no commit has this name");
        assert_eq!(
            failure.to_string(),
            "expected a commit of this repository, found `no-such-revision`; `git fetch --unshallow` completes a shallow clone"
        );
    }
}
