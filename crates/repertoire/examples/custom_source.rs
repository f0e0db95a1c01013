//! A source of one's own: a glossary, in which each line is a skill.
//!
//! `cargo run -p repertoire --example custom_source`

use std::error::Error;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use repertoire::skill::{
    Body, Code, Diagnostic, Digest, Id, Listing, ListingEntry, Revision, Severity, Skill, Source,
    SourceError, Stamp, async_trait,
};
use tokio::sync::watch;

/// Skills from a glossary.
#[derive(Debug)]
pub(crate) struct Glossary {
    name: String,
    text: Mutex<String>,
    revision: watch::Sender<u64>,
}

/// The code of a line that is not an entry.
const BAD_LINE: Code = Code::foreign("glossary-bad-line", Severity::Error, "Not an entry.");

impl Glossary {
    pub(crate) fn new(name: &str, text: &str) -> Glossary {
        Glossary {
            name: name.to_owned(),
            text: Mutex::new(text.to_owned()),
            revision: watch::Sender::new(0),
        }
    }

    /// Edits the glossary. First the content, then the signal.
    pub(crate) fn set(&self, text: &str) {
        *self.text.lock().expect("no holder panics") = text.to_owned();
        self.revision.send_modify(|revision| *revision += 1);
    }

    fn rows(&self) -> (Vec<(Skill, String)>, Vec<Diagnostic>) {
        let (mut rows, mut diagnostics) = (Vec::new(), Vec::new());
        let text = self.text.lock().expect("no holder panics");
        for (line, number) in text.lines().zip(1..) {
            match entry(line) {
                Some(row) => rows.push(row),
                // One bad line hides no other.
                None => {
                    let diagnostic =
                        Diagnostic::new(BAD_LINE, "expected `name: description | text`");
                    diagnostics.push(diagnostic.at_path(self.name.as_str()).at(number, 1));
                }
            }
        }
        (rows, diagnostics)
    }
}

fn entry(line: &str) -> Option<(Skill, String)> {
    let (head, text) = line.split_once(" | ")?;
    let (name, about) = head.split_once(": ")?;
    // A line break in the text is written as `\n`.
    let text = text.replace("\\n", "\n");
    Some((Skill::new(name.parse().ok()?, about), text))
}

#[async_trait]
impl Source<Skill> for Glossary {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let revision = Revision(*self.revision.borrow());
        let (rows, diagnostics) = self.rows();
        let rows = rows.into_iter().map(|(skill, text)| {
            ListingEntry::new(skill, Stamp::of(&text)).with_digest(Digest::of(text.as_bytes()))
        });
        Ok(Listing::new(revision, rows, diagnostics))
    }

    // Level 2. The stamp is the listed one as long as nothing was edited in between.
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let found = self.rows().0.into_iter().find(|(skill, _)| skill.id == *id);
        let (_, text) = found.ok_or_else(|| SourceError::not_found("skill", id))?;
        let (digest, stamp) = (Digest::of(text.as_bytes()), Stamp::of(&text));
        Ok(Body::new(text, digest, stamp))
    }

    // Level-triggered: the caller passes the revision that it has, so no change is lost between two calls.
    async fn changed(&self, since: Revision) {
        let mut revision = self.revision.subscribe();
        let _ = revision.wait_for(|now| *now > since.0).await;
    }
}

/// Prints the diagnostics of a glossary, and what an edit changes in a registry that follows it.
pub(crate) async fn follow(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let text = "deploy: Ships a build. | Run the pipeline.\nnonsense\n";
    let glossary = Arc::new(Glossary::new("team", text));
    let registry = repertoire::SkillRegistry::builder()
        .user(glossary.clone())
        .start(&tokio::runtime::Handle::current())
        .await?;
    for diagnostic in registry.snapshot().diagnostics() {
        writeln!(out, "{}", diagnostic.diagnostic)?;
    }
    let mut changes = registry.subscribe();
    glossary.set("undo: Undoes a release. | Deploy the previous one.\n");
    let update = changes.next().await.ok_or("the registry is closed")?;
    write!(out, "{}", update.change.summary())?;
    registry.close().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    follow(&mut io::stdout()).await
}
