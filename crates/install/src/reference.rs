//! References: the places that skills are installed from.

mod parts;
mod text;

use std::path::{Path, PathBuf};

use repertoire_core::text::terminal_line;
use repertoire_core::{Digest, ResourcePath};
use serde::{Deserialize, Serialize};

use crate::install_error::{InstallError, InstallErrorKind};
use crate::oci_reference::{OciReference, SCHEME};
use parts::{
    canonical_url, check_authority, checked_folder, checked_revision, is_plain_name, is_scp_like,
};

/// The place of one or more skills, as a user types it and as a lock states it.
///
/// | text | meaning |
/// |---|---|
/// | `OWNER/REPO[/FOLDER][@REVISION]` | a repository on github.com |
/// | `https://HOST/PATH[@REVISION][#FOLDER]`, also `ssh://`, `git://`, `http://`, `file://`, `USER@HOST:PATH` | any git repository |
/// | `https://github.com/OWNER/REPO/tree/REVISION[/FOLDER]` | the address of a folder in a browser |
/// | `./FOLDER`, `../FOLDER`, `/FOLDER`, `~/FOLDER` | a folder on this machine |
/// | a path that ends with `.zip`, `.skill`, `.tar`, `.tar.gz` or `.tgz` | an archive on this machine |
/// | `https://HOST/PATH.zip[#FOLDER]`, with any of these endings, also `http://` | an archive on a web server |
/// | `https://HOST[#SKILL]`, `https://HOST/PATH/.well-known/agent-skills[#SKILL]`, also `http://` | the skills of an index at a well-known address |
/// | `oci://HOST/NAME[:TAG][#FOLDER]`, `oci://HOST/NAME@DIGEST[#FOLDER]` | the skills of an artifact in an OCI registry; the tag is `latest` if none is written |
/// | `mcp+https://HOST/PATH[#SKILL]`, also `mcp+http://` | the skills of an MCP server |
///
/// `REVISION` is a branch, a tag, or a commit with 40 digits. `FOLDER` is that of a skill, or of several skills.
///
/// ```
/// use repertoire_install::Reference;
///
/// let reference: Reference = "anthropics/skills/skills/pdf@main".parse()?;
/// assert_eq!(reference.git_url(), Some("https://github.com/anthropics/skills.git"));
/// assert_eq!(reference.revision(), Some("main"));
/// assert_eq!(reference.folder().map(|folder| folder.as_str()), Some("skills/pdf"));
/// assert!("ext::sh -c id".parse::<Reference>().is_err());
/// # Ok::<(), repertoire_install::InstallError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Reference {
    place: ReferencePlace,
    revision: Option<String>,
    folder: Option<ResourcePath>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ReferencePlace {
    GitProgram(String),
    Folder(String),
    Archive(String),
    ArchiveUrl(String),
    /// The URL above `/.well-known/`, without a final slash.
    WellKnown(String),
    Oci(OciReference),
    /// The URL of an MCP server, without `mcp+`.
    McpServer(String),
}

const GITHUB: &str = "https://github.com/";

const MCP: &str = "mcp+";

const WELL_KNOWN: &str = "/.well-known/";

const ARCHIVES: [&str; 5] = [".zip", ".skill", ".tar", ".tar.gz", ".tgz"];

/// The transports of git that are used. `ext` and `fd` run programs.
pub(crate) const TRANSPORTS: [&str; 5] = ["https", "ssh", "git", "http", "file"];

const FORMS: &str =
    "expected `OWNER/REPO`, the URL of a git repository, `./FOLDER`, an archive or `https://HOST`";

impl Reference {
    /// Returns the URL, if it is a git repository.
    pub fn git_url(&self) -> Option<&str> {
        match &self.place {
            ReferencePlace::GitProgram(url) => Some(url),
            _ => None,
        }
    }

    /// Returns the path of a folder or an archive, relative to `base` and with `home` in place of `~`.
    pub(crate) fn path(&self, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
        let (ReferencePlace::Folder(text) | ReferencePlace::Archive(text)) = &self.place else {
            return None;
        };
        let below = if text == "~" {
            Some("")
        } else {
            text.strip_prefix("~/")
        };
        match (below, home) {
            (Some(below), Some(home)) => Some(home.join(below)),
            _ => Some(base.join(text).components().collect()),
        }
    }

    /// Returns whether it is a folder or an archive on this machine.
    pub fn is_local(&self) -> bool {
        matches!(
            self.place,
            ReferencePlace::Folder(_) | ReferencePlace::Archive(_)
        )
    }

    /// Returns the folder on this machine as it was typed, if it is one.
    pub fn local_folder(&self) -> Option<&str> {
        match &self.place {
            ReferencePlace::Folder(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_archive(&self) -> bool {
        matches!(self.place, ReferencePlace::Archive(_))
    }

    /// Returns whether it is an archive or an index of a web server.
    pub fn is_web(&self) -> bool {
        self.archive_url().is_some() || self.index_base().is_some()
    }

    /// Returns the URL, if it is an archive on a web server.
    pub(crate) fn archive_url(&self) -> Option<&str> {
        match &self.place {
            ReferencePlace::ArchiveUrl(url) => Some(url),
            _ => None,
        }
    }

    /// Returns the URL above `/.well-known/`, if it is the index of a host.
    pub fn index_base(&self) -> Option<&str> {
        match &self.place {
            ReferencePlace::WellKnown(base) => Some(base),
            _ => None,
        }
    }

    /// Returns the artifact, if it is in an OCI registry.
    pub fn oci(&self) -> Option<&OciReference> {
        match &self.place {
            ReferencePlace::Oci(artifact) => Some(artifact),
            _ => None,
        }
    }

    /// Returns the URL, if it is an MCP server.
    pub fn mcp_url(&self) -> Option<&str> {
        match &self.place {
            ReferencePlace::McpServer(url) => Some(url),
            _ => None,
        }
    }

    /// Returns the branch, tag or commit of a git repository.
    pub fn revision(&self) -> Option<&str> {
        self.revision.as_deref()
    }

    /// Returns the folder in the repository.
    pub fn folder(&self) -> Option<&ResourcePath> {
        self.folder.as_ref()
    }

    /// Returns the same reference at a commit, or itself if it is not a git repository.
    #[must_use]
    pub fn at_commit(&self, commit: &str) -> Reference {
        let mut reference = self.clone();
        if self.git_url().is_some() {
            reference.revision = Some(commit.to_owned());
        }
        reference
    }

    /// Returns the same reference at the digest of a manifest, or itself if it is not in an OCI registry.
    pub(crate) fn at_manifest(&self, digest: Digest) -> Reference {
        let mut reference = self.clone();
        if let ReferencePlace::Oci(artifact) = &mut reference.place {
            *artifact = artifact.at(digest);
        }
        reference
    }

    /// Returns the reference as a lock in `base` states it: a relative path is that from `cwd`.
    #[must_use]
    pub fn from_base(&self, cwd: &Path, base: &Path) -> Reference {
        let mut reference = self.clone();
        if let ReferencePlace::Folder(text) | ReferencePlace::Archive(text) = &mut reference.place
            && !text.starts_with('~')
            && Path::new(&*text).is_relative()
        {
            let path = lexical(&cwd.join(&text));
            *text = match path.strip_prefix(base) {
                Ok(below) => format!("./{}", below.to_string_lossy()),
                Err(_) => path.to_string_lossy().into_owned(),
            };
        }
        reference
    }

    fn parse(text: &str) -> Result<Reference, InstallError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(refuse("the reference is empty", FORMS));
        }
        if text.chars().any(char::is_control) || !repertoire_core::text::is_clean(text) {
            return Err(refuse(
                "the reference has hidden characters",
                "type it again",
            ));
        }
        if text.starts_with('-') {
            return Err(refuse(
                format!("`{}` begins with a dash", shown(text)),
                "write `./` before the name of a folder",
            ));
        }
        let is_path = [".", "..", "~"].contains(&text)
            || ["./", "../", "/", "~/"]
                .iter()
                .any(|start| text.starts_with(start))
            || matches!(text.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
        if let Some(artifact) = text.strip_prefix(SCHEME) {
            return Reference::of_registry(artifact);
        }
        let is_url = text.contains("://") || is_scp_like(text);
        if !is_url && ARCHIVES.iter().any(|end| text.ends_with(end)) {
            Ok(Reference::local(ReferencePlace::Archive(text.to_owned())))
        } else if is_path {
            Ok(Reference::local(ReferencePlace::Folder(text.to_owned())))
        } else if text.contains("::") {
            Err(refuse(
                format!("`{}` names a helper program of git", shown(text)),
                "use a URL that begins with `https://` or `ssh://`",
            ))
        } else if is_url {
            Reference::of_url(text)
        } else {
            Reference::of_github(text)
        }
    }

    fn local(place: ReferencePlace) -> Reference {
        Reference {
            place,
            revision: None,
            folder: None,
        }
    }

    fn of_registry(text: &str) -> Result<Reference, InstallError> {
        let (artifact, folder) = match text.split_once('#') {
            Some((artifact, folder)) => (artifact, Some(folder)),
            None => (text, None),
        };
        Ok(Reference {
            place: ReferencePlace::Oci(OciReference::parse(artifact)?),
            revision: None,
            folder: folder.map(checked_folder).transpose()?,
        })
    }

    fn of_github(text: &str) -> Result<Reference, InstallError> {
        let (path, revision) = match text.split_once('@') {
            Some((path, revision)) => (path, Some(revision)),
            None => (text, None),
        };
        let mut parts = path.splitn(3, '/');
        let (owner, repository) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        if !is_plain_name(owner) || !is_plain_name(repository) {
            let help = match path.contains('/') {
                true => FORMS.to_owned(),
                false => format!("write `./{}` for a folder; {FORMS}", shown(path)),
            };
            return Err(refuse(
                format!("`{}` is not a reference", shown(text)),
                help,
            ));
        }
        let repository = repository.strip_suffix(".git").unwrap_or(repository);
        Ok(Reference {
            place: ReferencePlace::GitProgram(format!("{GITHUB}{owner}/{repository}.git")),
            revision: revision.map(checked_revision).transpose()?,
            folder: parts.next().map(checked_folder).transpose()?,
        })
    }

    /// Parses the URL of an MCP server, which follows `mcp+`.
    fn of_mcp(text: &str) -> Result<Reference, InstallError> {
        let (url, skill) = match text.split_once('#') {
            Some((url, skill)) => (url, Some(skill)),
            None => (text, None),
        };
        let fault = || {
            refuse(
                format!("`{MCP}{}` is not the URL of an MCP server", shown(text)),
                "write `mcp+https://HOST/PATH`, without `?` and credentials",
            )
        };
        let (scheme, after) = url.split_once("://").ok_or_else(fault)?;
        let host = after.split('/').next().unwrap_or_default();
        let is_web = ["https", "http"].contains(&scheme);
        if !is_web || host.is_empty() || host.contains('@') || url.contains(['?', ' ', '\\']) {
            return Err(fault());
        }
        Ok(Reference {
            place: ReferencePlace::McpServer(url.to_owned()),
            revision: None,
            folder: skill.map(checked_folder).transpose()?,
        })
    }

    fn of_url(text: &str) -> Result<Reference, InstallError> {
        if let Some(url) = text.strip_prefix(MCP) {
            return Reference::of_mcp(url);
        }
        let text = text.strip_prefix("git+").unwrap_or(text);
        let (rest, folder) = match text.split_once('#') {
            Some((rest, folder)) => (rest, Some(folder)),
            None => (text, None),
        };
        let path_start = match rest.split_once("://") {
            Some((scheme, after)) => {
                check_authority(scheme, after)?;
                let authority = after.find('/').unwrap_or(after.len());
                scheme.len() + 3 + authority
            }
            None => rest.find(':').unwrap_or_default(),
        };
        if let Some(place) = Reference::of_web(rest, path_start)? {
            return Ok(Reference {
                place,
                revision: None,
                folder: folder.map(checked_folder).transpose()?,
            });
        }
        let (url, revision) = match rest[path_start..].find('@') {
            Some(at) => (&rest[..path_start + at], Some(&rest[path_start + at + 1..])),
            None => (rest, None),
        };
        if url[path_start..].trim_matches(['/', ':']).is_empty() {
            return Err(refuse(
                format!("`{}` has no path", shown(text)),
                "expected the URL of a git repository",
            ));
        }
        if url.contains(['?', ' ', '\\']) || url.contains("::") {
            return Err(refuse(
                format!("`{}` is not the URL of a git repository", shown(text)),
                "remove blanks, `?` and `::`",
            ));
        }
        if let (Some(browsed), None, None) = (Reference::of_browser(url)?, revision, folder) {
            return Ok(browsed);
        }
        Ok(Reference {
            place: ReferencePlace::GitProgram(canonical_url(url)),
            revision: revision.map(checked_revision).transpose()?,
            folder: folder.map(checked_folder).transpose()?,
        })
    }

    /// Parses the URL of an archive or of a host, whose path begins at `path_start`; `None` for any other URL.
    fn of_web(url: &str, path_start: usize) -> Result<Option<ReferencePlace>, InstallError> {
        let (before, path) = url.split_at(path_start);
        let is_web = ["http://", "https://"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        if !is_web || url.contains(['?', ' ', '\\']) || url.contains("::") {
            return Ok(None);
        }
        if ARCHIVES.iter().any(|end| path.ends_with(end)) {
            return Ok(Some(ReferencePlace::ArchiveUrl(url.to_owned())));
        }
        let above = match path.split_once(WELL_KNOWN) {
            Some((above, "agent-skills" | "skills")) => above,
            Some((above, "agent-skills/index.json" | "skills/index.json")) => above,
            Some(_) => {
                return Err(refuse(
                    format!("`{}` is not the index of a host", shown(url)),
                    "write `https://HOST`, or `https://HOST#SKILL` for one skill",
                ));
            }
            None if path.trim_matches('/').is_empty() => "",
            None => return Ok(None),
        };
        let base = format!("{before}{}", above.trim_end_matches('/'));
        let has_host = before
            .split_once("://")
            .is_some_and(|(_, host)| !host.is_empty());
        Ok(has_host.then_some(ReferencePlace::WellKnown(base)))
    }

    /// Parses the address of a folder of github.com in a browser.
    fn of_browser(url: &str) -> Result<Option<Reference>, InstallError> {
        let Some(path) = url.strip_prefix(GITHUB) else {
            return Ok(None);
        };
        let mut parts = path.splitn(5, '/');
        let parts: [Option<&str>; 5] = std::array::from_fn(|_| parts.next());
        let [
            Some(owner),
            Some(repository),
            Some("tree" | "blob"),
            Some(revision),
            folder,
        ] = parts
        else {
            return Ok(None);
        };
        let folder = folder.map(|folder| folder.strip_suffix("/SKILL.md").unwrap_or(folder));
        let folder = folder.filter(|folder| !["", "SKILL.md"].contains(folder));
        Ok(Some(Reference {
            place: ReferencePlace::GitProgram(canonical_url(&format!(
                "{GITHUB}{owner}/{repository}"
            ))),
            revision: Some(checked_revision(revision)?),
            folder: folder.map(checked_folder).transpose()?,
        }))
    }
}

fn shown(text: &str) -> String {
    terminal_line(text).into_owned()
}

fn refuse(message: impl Into<String>, help: impl Into<String>) -> InstallError {
    InstallError::new(InstallErrorKind::Reference, message).help(help)
}

/// Resolves `.` and `..` without reading the file system.
fn lexical(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                resolved.pop();
            }
            std::path::Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}
