//! The addresses of skills, as servers write them.

use percent_encoding::percent_decode_str;
use repertoire_core::ResourcePath;
use repertoire_core::text;

use crate::told::told;

/// Bytes of an address.
const LONGEST: usize = 4096;

/// What a skill's address ends with.
pub(crate) const SKILL_MD: &str = "SKILL.md";

/// The address of a `SKILL.md`: `skill://PREFIX/NAME/SKILL.md`.
///
/// It is a label that its server understands, and is given to that server alone: no part of it is a host, and nothing of it
/// is ever looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SkillUri {
    text: String,
    /// The names of its folders, decoded; the last one is the skill's.
    folders: Vec<String>,
}

impl SkillUri {
    /// Checks `text`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<SkillUri, String> {
        let path = path_of(text)?;
        let mut folders = Vec::new();
        for segment in path.split('/') {
            folders.push(decoded(segment)?);
        }
        // Written out: everything before it is the address of the folder.
        let is_written_out = path.rsplit('/').next() == Some(SKILL_MD);
        if folders.pop().is_none() || !is_written_out || folders.is_empty() {
            return Err(format!("`{}` is not the address of a `{SKILL_MD}` in a folder", told(text)));
        }
        Ok(SkillUri { text: text.to_owned(), folders })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of the skill's folder.
    pub(crate) fn folder(&self) -> &str {
        self.folders.last().map_or("", String::as_str)
    }

    /// The folders above it.
    pub(crate) fn prefix(&self) -> &[String] {
        &self.folders[..self.folders.len() - 1]
    }

    /// The address of the skill's folder, with the slash after it.
    pub(crate) fn root(&self) -> &str {
        &self.text[..self.text.len() - SKILL_MD.len()]
    }

    /// The path inside this skill of the file at `uri`.
    ///
    /// # Errors
    /// When it lies outside, or is no path.
    pub(crate) fn path_of(&self, uri: &str) -> Result<ResourcePath, String> {
        path_of(uri)?;
        let Some(inside) = uri.strip_prefix(self.root()) else {
            return Err(format!("`{}` lies outside of the skill", told(uri)));
        };
        let segments: Result<Vec<String>, String> = inside.split('/').map(decoded).collect();
        ResourcePath::new(&segments?.join("/")).map_err(|error| told(&error.to_string()))
    }
}

/// What follows `SCHEME://`, if `uri` is sound.
fn path_of(uri: &str) -> Result<&str, String> {
    let invalid = |reason: &str| Err(format!("`{}` is no address of a file: {reason}", told(uri)));
    if uri.len() > LONGEST {
        return invalid("it is too long");
    }
    if !text::is_clean(uri) || uri.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return invalid("it holds a blank, a backslash or an invisible character");
    }
    let Some((scheme, rest)) = uri.split_once(':') else { return invalid("it has no scheme") };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !is_scheme {
        return invalid("it has no scheme");
    }
    // However it is spelled: what a server calls its own is no file of any machine.
    if scheme.eq_ignore_ascii_case("file") {
        return invalid("`file:` names files of a machine");
    }
    let Some(path) = rest.strip_prefix("//") else { return invalid("expected `//` after the scheme") };
    if path.contains(['?', '#']) {
        return invalid("it holds `?` or `#`");
    }
    Ok(path)
}

/// A segment without percent signs, if it is a name and no way to another place.
fn decoded(segment: &str) -> Result<String, String> {
    let invalid = || format!("`{}` in an address is no name of a file or folder", told(segment));
    let bytes = segment.as_bytes();
    let is_escape = |at: usize| bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    if (0..bytes.len()).any(|at| bytes[at] == b'%' && !is_escape(at)) {
        return Err(invalid());
    }
    let name = percent_decode_str(segment).decode_utf8().map_err(|_| invalid())?;
    let is_dots = name.chars().all(|c| matches!(c, '.' | ' '));
    if is_dots || !text::is_clean(&name) || name.chars().any(|c| matches!(c, '/' | '\\') || text::is_break(c)) {
        return Err(invalid());
    }
    Ok(name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let uri = SkillUri::parse("skill://team/sub%20team/release-notes/SKILL.md").unwrap();
        assert_eq!((uri.folder(), uri.prefix()), ("release-notes", &["team".to_owned(), "sub team".to_owned()][..]));
        assert_eq!(uri.root(), "skill://team/sub%20team/release-notes/");
        let path = uri.path_of("skill://team/sub%20team/release-notes/a/b%20c.md").unwrap();
        assert_eq!(path.as_str(), "a/b c.md");
        assert!(SkillUri::parse("github://owner/repo/tidy/SKILL.md").is_ok());
        assert_eq!(SkillUri::parse("skill://tidy/SKILL.md").unwrap().prefix(), &[] as &[String]);
    }

    #[test]
    fn an_address_that_could_lead_elsewhere_is_refused() {
        for uri in [
            "",
            "SKILL.md",
            "skill://SKILL.md",
            "skill:tidy/SKILL.md",
            "skill:///SKILL.md",
            "skill:///tidy/SKILL.md",
            "skill://a/../tidy/SKILL.md",
            "skill://a/%2e%2E/tidy/SKILL.md",
            "skill://a%2Fb/SKILL.md",
            "skill://a%5cb/SKILL.md",
            "skill://a\\b/SKILL.md",
            "skill://a%00/SKILL.md",
            "skill://a%zz/SKILL.md",
            "skill://a%ff/SKILL.md",
            "skill://tidy/SKILL.md?x",
            "skill://tidy/SKILL.md#x",
            "skill://tidy/skill.md",
            "skill://tidy/%53KILL.md",
            "skill://tidy/%5SKILL.md",
            "skill://ti dy/SKILL.md",
            "skill://ti\u{202e}dy/SKILL.md",
            "skill://ti%E2%80%AEdy/SKILL.md",
            "skill://tidy\u{e0041}/SKILL.md",
            "file:///etc/tidy/SKILL.md",
            "FILE:/etc/tidy/SKILL.md",
            "file:etc/tidy/SKILL.md",
            "1skill://tidy/SKILL.md",
        ] {
            assert!(SkillUri::parse(uri).is_err(), "{uri:?}");
        }
        assert!(SkillUri::parse(&format!("skill://{}/SKILL.md", "a".repeat(LONGEST))).is_err());
    }

    #[test]
    fn a_file_outside_of_its_skill_is_refused() {
        let uri = SkillUri::parse("skill://a/tidy/SKILL.md").unwrap();
        for file in [
            "skill://a/tidy/../other/secret.md",
            "skill://a/tidy/%2e%2e/other/secret.md",
            "skill://a/tidy/..%2fsecret.md",
            "skill://a/tidy-2/secret.md",
            "skill://a/other/secret.md",
            "skill://b/tidy/secret.md",
            "other://a/tidy/secret.md",
            "skill://a/tidy/",
            "skill://a/tidy",
            "skill://a/tidy/a//b",
            "skill://a/tidy/C:/x",
            "skill://a/tidy/a\\b",
            "file:///etc/passwd",
            "file:/etc/passwd",
            "file:etc/passwd",
        ] {
            assert!(uri.path_of(file).is_err(), "{file}");
        }
    }
}
