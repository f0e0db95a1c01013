//! The parts of references, which are checked before a program or a lock gets them.

use repertoire_core::ResourcePath;

use super::{GITHUB, TRANSPORTS, refuse, shown};
use crate::install_error::InstallError;

/// Returns whether the text is `USER@HOST:PATH`, and neither `OWNER/REPO@…` nor a helper.
pub(super) fn is_scp_like(text: &str) -> bool {
    let text = text.strip_prefix("git+").unwrap_or(text);
    let Some((host, path)) = text.split_once(':') else {
        return false;
    };
    let Some((user, host)) = host.split_once('@') else {
        return false;
    };
    is_plain_name(user) && is_plain_name(host) && !path.starts_with(':')
}

/// Returns whether the text can be the name of an owner, a repository, a user or a host.
pub(super) fn is_plain_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    !name.is_empty()
        && !name.starts_with('-')
        && !name.bytes().all(|byte| byte == b'.')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

pub(super) fn check_authority(scheme: &str, after: &str) -> Result<(), InstallError> {
    if !TRANSPORTS.contains(&scheme) {
        return Err(refuse(
            format!("`{}` is not a supported transport", shown(scheme)),
            "use `https://` or `ssh://`",
        ));
    }
    let authority = after.split('/').next().unwrap_or_default();
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if user.is_some_and(|user| scheme != "ssh" || user.contains(':')) {
        return Err(refuse(
            "the URL holds credentials, which would be written into the lock",
            "remove them, and use a credential helper of git",
        ));
    }
    // A host that begins with a dash is an option of `ssh`.
    if [Some(host), user]
        .iter()
        .flatten()
        .any(|name| name.starts_with('-'))
    {
        return Err(refuse(
            "the host of the URL begins with a dash",
            "correct it",
        ));
    }
    Ok(())
}

/// Returns the URL of a repository on github.com in one form.
pub(super) fn canonical_url(url: &str) -> String {
    let url = url.trim_end_matches('/');
    match url.strip_prefix(GITHUB) {
        Some(path) if path.split('/').count() == 2 && !path.ends_with(".git") => {
            format!("{url}.git")
        }
        _ => url.to_owned(),
    }
}

/// Checks a branch, tag or commit by the rules of `git check-ref-format`.
pub(super) fn checked_revision(text: &str) -> Result<String, InstallError> {
    let is_bad = text.is_empty()
        || text.starts_with(['-', '/', '.', '+'])
        || text.ends_with(['/', '.'])
        || ["..", "//", "@{", "/.", ".lock/"]
            .iter()
            .any(|part| text.contains(part))
        || text.ends_with(".lock")
        || text == "@"
        || text.contains([' ', '~', '^', ':', '?', '*', '[', '\\', '#']);
    match is_bad {
        false => Ok(text.to_owned()),
        true => Err(refuse(
            format!("`{}` is not a branch, tag or commit", shown(text)),
            "write its name after `@`",
        )),
    }
}

pub(super) fn checked_folder(text: &str) -> Result<ResourcePath, InstallError> {
    let path = ResourcePath::new(text.trim_end_matches('/'));
    path.map_err(|error| refuse(error.to_string(), "name a folder of the repository"))
}
