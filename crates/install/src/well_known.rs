//! The index of skills at a well-known address of a host.
//!
//! Version 0.2.0 names a file with its digest for each skill: a `SKILL.md` or an archive. Version 0.1.0 names the files of each
//! skill, without digests.

use futures_util::stream::{self, StreamExt};
use repertoire_core::text::terminal_line;
use repertoire_core::{Digest, ResourcePath};
use reqwest::{StatusCode, Url};
use serde::Deserialize;

use crate::archive::unpack;
use crate::file_tree::{FileTree, TreeBuilder};
use crate::http::{HttpAnswer, HttpClient, HttpRequest};
use crate::install_error::{InstallError, InstallErrorKind};
use crate::limits;

/// The index of a host.
#[derive(Debug)]
pub(crate) struct WellKnownIndex {
    pub(crate) skills: Vec<IndexedSkill>,
}

/// A row of an index.
#[derive(Debug, Clone)]
pub(crate) struct IndexedSkill {
    /// The name in the index, which stands for the folder of the skill.
    pub(crate) name: ResourcePath,
    content: IndexedContent,
}

#[derive(Debug, Clone)]
enum IndexedContent {
    Document(Url, Digest),
    Archive(Url, Digest),
    /// The URLs of the files, by their paths.
    Files(Vec<(String, Url)>),
}

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX_BYTES: u64 = 4 << 20;
const PARALLEL: usize = 8;

/// The folders of the versions 0.2.0 and 0.1.0 below `/.well-known/`.
pub(crate) const FOLDERS: [&str; 2] = ["agent-skills", "skills"];

#[derive(Deserialize)]
struct IndexDocument {
    #[serde(rename = "$schema")]
    schema: Option<String>,
    skills: Vec<IndexRow>,
}

#[derive(Deserialize)]
struct IndexRow {
    name: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    url: Option<String>,
    digest: Option<Digest>,
    files: Option<Vec<String>>,
}

impl WellKnownIndex {
    /// Reads the index below `base`, a URL without a final slash: that of version 0.2.0 if there is one.
    ///
    /// # Errors
    /// There is no index, or it is invalid or of an unknown version.
    pub(crate) async fn read(
        client: &HttpClient,
        base: &str,
    ) -> Result<WellKnownIndex, InstallError> {
        let mut answered = None;
        for folder in FOLDERS {
            let url = format!("{base}/.well-known/{folder}/index.json");
            let url = Url::parse(&url).map_err(|_| {
                let message = format!("`{}` is not a URL", terminal_line(base));
                InstallError::new(InstallErrorKind::Reference, message)
            })?;
            let answer = client.send(HttpRequest::get(url, INDEX_BYTES)).await?;
            match answer.status {
                StatusCode::NOT_FOUND | StatusCode::GONE => answered = Some(answer),
                status if status.is_success() => return WellKnownIndex::parse(&answer),
                _ => return Err(answer.unexpected()),
            }
        }
        let missing = answered.expect("there are two places").unexpected();
        Err(missing.help(format!(
            "the host has no index of skills; {base}/.well-known/agent-skills/index.json is expected"
        )))
    }

    fn parse(answer: &HttpAnswer) -> Result<WellKnownIndex, InstallError> {
        let document: IndexDocument = serde_json::from_slice(&answer.body)
            .map_err(|error| invalid(answer, &format!("is invalid: {error}")))?;
        let is_first = match document.schema.as_deref() {
            None => true,
            Some(SCHEMA) => false,
            Some(other) => {
                let what = format!(
                    "has the unknown schema `{}`, expected `{SCHEMA}`",
                    terminal_line(other)
                );
                return Err(invalid(answer, &what));
            }
        };
        if document.skills.len() > limits::SKILLS {
            return Err(invalid(
                answer,
                &format!("has more than {} skills", limits::SKILLS),
            ));
        }
        let skills = document.skills.into_iter().map(|row| {
            let shown = terminal_line(&row.name).into_owned();
            let skill = row.skill(&answer.url, is_first);
            skill.map_err(|fault| invalid(answer, &format!("has the skill `{shown}` {fault}")))
        });
        let skills: Vec<_> = skills.collect::<Result<_, InstallError>>()?;
        Ok(WellKnownIndex { skills })
    }

    /// Returns the skill of this name, or every skill without a name.
    pub(crate) fn chosen(
        self,
        name: Option<&ResourcePath>,
    ) -> Result<Vec<IndexedSkill>, InstallError> {
        let Some(name) = name else {
            return Ok(self.skills);
        };
        let names = self.skills.iter().take(20).map(|skill| skill.name.as_str());
        let help = format!("choose one of {}", names.collect::<Vec<_>>().join(", "));
        let mut skills = self.skills.into_iter();
        let found = skills.find(|skill| skill.name == *name);
        let found = found.ok_or_else(|| {
            InstallError::new(
                InstallErrorKind::Unavailable,
                format!("no skill `{name}` in the index"),
            )
            .help(help)
        });
        Ok(vec![found?])
    }
}

fn invalid(answer: &HttpAnswer, what: &str) -> InstallError {
    let url = terminal_line(answer.url.as_str());
    InstallError::refused(format!("the index `{url}` {what}"))
}

impl IndexRow {
    fn skill(self, index: &Url, is_first: bool) -> Result<IndexedSkill, &'static str> {
        let name = self.name.parse::<ResourcePath>().ok();
        let name = name.filter(|name| !name.as_str().contains('/'));
        let name = name.ok_or("with an invalid name")?;
        let content = match is_first {
            true => self.files(index)?,
            false => self.artifact(index)?,
        };
        Ok(IndexedSkill { name, content })
    }

    fn artifact(self, index: &Url) -> Result<IndexedContent, &'static str> {
        let url = self.url.ok_or("without `url`")?;
        let url = joined(index, &url).ok_or("with an invalid `url`")?;
        let digest = self.digest.ok_or("without `digest`")?;
        match self.kind.as_deref() {
            Some("skill-md") => Ok(IndexedContent::Document(url, digest)),
            Some("archive") => Ok(IndexedContent::Archive(url, digest)),
            _ => Err("of an unknown `type`, expected `skill-md` or `archive`"),
        }
    }

    fn files(self, index: &Url) -> Result<IndexedContent, &'static str> {
        let files = self.files.ok_or("without `files`")?;
        if files.len() > limits::FILES {
            return Err("with too many files");
        }
        let located = files.into_iter().map(|path| {
            let mut url = index.clone();
            let mut segments = url.path_segments_mut().ok()?;
            segments.pop().push(&self.name).extend(path.split('/'));
            drop(segments);
            // Segments of dots lead to a different file.
            let is_plain = path.parse::<ResourcePath>().is_ok();
            is_plain.then_some((path, url))
        });
        let located: Option<Vec<_>> = located.collect();
        Ok(IndexedContent::Files(
            located.ok_or("with an invalid path")?,
        ))
    }
}

/// Resolves a URL of an index. An index that was fetched safely names no unsafe place.
fn joined(index: &Url, url: &str) -> Option<Url> {
    let url = index.join(url).ok()?;
    let is_safe = url.scheme() == "https" || index.scheme() == url.scheme();
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    (is_safe && !has_credentials).then_some(url)
}

impl IndexedSkill {
    /// Returns the digest of the file that holds the skill; `None` in version 0.1.0.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match &self.content {
            IndexedContent::Document(_, digest) | IndexedContent::Archive(_, digest) => {
                Some(*digest)
            }
            IndexedContent::Files(_) => None,
        }
    }

    /// Fetches several skills at once, and returns them in order.
    pub(crate) async fn fetch_all(
        client: &HttpClient,
        skills: &[IndexedSkill],
    ) -> Vec<Result<FileTree, InstallError>> {
        let trees = stream::iter(skills).map(|skill| skill.fetch(client));
        trees.buffered(PARALLEL).collect().await
    }

    async fn fetch(&self, client: &HttpClient) -> Result<FileTree, InstallError> {
        match &self.content {
            IndexedContent::Document(url, digest) => {
                let bytes = verified(client, url, digest, limits::FILE_BYTES).await?;
                let mut tree = TreeBuilder::default();
                tree.add("SKILL.md", bytes)?;
                Ok(tree.finish())
            }
            IndexedContent::Archive(url, digest) => {
                let bytes = verified(client, url, digest, limits::ARCHIVE_BYTES).await?;
                unpack(&bytes)
            }
            IndexedContent::Files(files) => {
                let mut tree = TreeBuilder::default();
                for (path, url) in files {
                    let answer = client.download(url.clone(), limits::FILE_BYTES).await?;
                    tree.add(path, answer.body)?;
                }
                Ok(tree.finish())
            }
        }
    }
}

async fn verified(
    client: &HttpClient,
    url: &Url,
    digest: &Digest,
    most_bytes: u64,
) -> Result<bytes::Bytes, InstallError> {
    let answer = client.download(url.clone(), most_bytes).await?;
    let found = Digest::of(&answer.body);
    match found == *digest {
        true => Ok(answer.body),
        false => {
            let url = terminal_line(url.as_str()).into_owned();
            let message = format!("`{url}` has the digest `{found}`, expected `{digest}`");
            Err(InstallError::new(InstallErrorKind::Corrupt, message)
                .help("the file and the index of the host do not agree; ask its owner"))
        }
    }
}
