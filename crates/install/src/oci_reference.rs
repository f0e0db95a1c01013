//! The names of artifacts in OCI registries.

use std::fmt;
use std::net::Ipv6Addr;

use repertoire_core::Digest;
use repertoire_core::text::terminal_line;

use crate::install_error::{InstallError, InstallErrorKind};

/// An artifact in a registry: `oci://HOST/NAME:TAG` or `oci://HOST/NAME@DIGEST`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct OciReference {
    /// The host in lower case, with a port if one is stated.
    pub registry: String,
    /// The repository, such as `team/skills/pdf`.
    pub repository: String,
    pub(crate) version: OciVersion,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OciVersion {
    Tag(String),
    Digest(Digest),
}

pub(crate) const SCHEME: &str = "oci://";

const REPOSITORY_BYTES: usize = 255;
const TAG_BYTES: usize = 128;

impl OciReference {
    /// Parses the text behind `oci://`. The tag is `latest` if there is neither a tag nor a digest.
    pub(crate) fn parse(text: &str) -> Result<OciReference, InstallError> {
        let (name, digest) = match text.split_once('@') {
            Some((name, digest)) => (name, Some(digest)),
            None => (text, None),
        };
        let (registry, path) = name.split_once('/').unwrap_or((name, ""));
        let (repository, tag) = match path.rsplit_once(':') {
            Some((repository, tag)) => (repository, tag),
            None => (path, "latest"),
        };
        if !is_registry(registry) {
            return Err(refuse(
                format!(
                    "`{}` is not the host of a registry",
                    terminal_line(registry)
                ),
                "write `oci://HOST/NAME:TAG`, without credentials",
            ));
        }
        if !is_repository(repository) {
            return Err(refuse(
                format!(
                    "`{}` is not the name of a repository",
                    terminal_line(repository)
                ),
                "write lower-case letters, digits and `.`, `_`, `-` between slashes",
            ));
        }
        if !is_tag(tag) {
            return Err(refuse(
                format!("`{}` is not a tag", terminal_line(tag)),
                "write letters, digits, `.`, `_` and `-`",
            ));
        }
        let version = match digest.map(str::parse::<Digest>) {
            None => OciVersion::Tag(tag.to_owned()),
            Some(Ok(digest)) => OciVersion::Digest(digest),
            Some(Err(error)) => {
                return Err(refuse(error.to_string(), "write `@sha256:DIGITS`"));
            }
        };
        Ok(OciReference {
            registry: registry.to_ascii_lowercase(),
            repository: repository.to_owned(),
            version,
        })
    }

    /// Returns the tag; `None` if it is known by its digest.
    pub fn tag(&self) -> Option<&str> {
        match &self.version {
            OciVersion::Tag(tag) => Some(tag),
            OciVersion::Digest(_) => None,
        }
    }

    /// Returns the artifact of the same repository with a digest.
    pub(crate) fn at(&self, digest: Digest) -> OciReference {
        OciReference {
            version: OciVersion::Digest(digest),
            ..self.clone()
        }
    }
}

fn refuse(message: impl Into<String>, help: &str) -> InstallError {
    InstallError::new(InstallErrorKind::Reference, message).help(help)
}

fn is_registry(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) if host.parse::<Ipv6Addr>().is_ok() => match rest {
            "" => return true,
            rest => ("v6", rest.strip_prefix(':')),
        },
        Some(_) => return false,
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, Some("443")),
        },
    };
    host.split('.').all(is_label)
        && port.is_some_and(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

fn is_label(text: &str) -> bool {
    let mut bytes = text.bytes();
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Checks the grammar of the distribution specification.
fn is_repository(text: &str) -> bool {
    text.len() <= REPOSITORY_BYTES && text.split('/').all(is_component)
}

fn is_component(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut separators = bytes
        .split(is_plain)
        .filter(|separator| !separator.is_empty());
    bytes.first().is_some_and(is_plain)
        && bytes.last().is_some_and(is_plain)
        && separators.all(|separator| {
            [&b"."[..], b"_", b"__"].contains(&separator)
                || separator.iter().all(|byte| *byte == b'-')
        })
}

fn is_plain(byte: &u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_tag(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= TAG_BYTES
        && bytes
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.registry, self.repository)?;
        match &self.version {
            OciVersion::Tag(tag) => write!(f, ":{tag}"),
            OciVersion::Digest(digest) => write!(f, "@{digest}"),
        }
    }
}
