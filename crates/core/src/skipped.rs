//! Files and folders that are not part of a skill by their names.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use unicode_normalization::UnicodeNormalization;

/// The reason why a file is not part of a skill, by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkippedFile {
    /// Files that systems and editors leave in folders. They come and go by themselves.
    Litter,
    /// Keys, passwords and tokens, by convention. No model and no client gets it.
    Secret,
}

const LITTER: &str = ".DS_Store|.localized|.apdisk|.VolumeIcon.icns|Icon\r|Thumbs.db|ehthumbs.db|ehthumbs_vista.db|\
    desktop.ini|.directory";

const LITTER_PREFIXES: &str = "._|.#|~$|.~lock.|.nfs0|.fuse_hidden";

const SECRET: &str = ".env|.envrc|.netrc|_netrc|.npmrc|.pypirc|.pgpass|.my.cnf|.htpasswd|.git-credentials|.dockercfg|\
    .boto|.s3cfg|.vault-token|id_rsa|id_dsa|id_ecdsa|id_ecdsa_sk|id_ed25519|id_ed25519_sk";

const SECRET_SUFFIXES: &str = ".pem|.key|.p8|.p12|.pfx|.ppk|.jks|.keystore|.kdbx";

const EXAMPLES: &str = ".example|.sample|.template|.dist";

/// Names of files that show what a `.env` looks like.
const EXAMPLE_FILES: &str = "example.env|sample.env|template.env";

/// Ends of names of copies, which hold what the original holds.
const COPIES: &str = ".bak|.old|.orig|.save|.backup|.swp|~";

impl SkippedFile {
    /// Returns why a file of this name is not part of a skill, if it is not.
    ///
    /// A name that some file system takes for one of the table counts as that one: letter case, invisible characters,
    /// trailing dots and names of streams do not matter.
    ///
    /// ```
    /// use repertoire_core::SkippedFile;
    ///
    /// assert_eq!(SkippedFile::of(".DS_Store"), Some(SkippedFile::Litter));
    /// assert_eq!(SkippedFile::of(".env.local"), Some(SkippedFile::Secret));
    /// assert_eq!(SkippedFile::of(".env.example"), None);
    /// assert_eq!(SkippedFile::of(".gitignore"), None);
    /// ```
    pub fn of(name: impl AsRef<OsStr>) -> Option<SkippedFile> {
        let name = name.as_ref().to_str()?;
        let plain = plain(name);
        if is_secret(&plain) {
            Some(SkippedFile::Secret)
        } else if is_litter(name) || is_litter(&plain) {
            Some(SkippedFile::Litter)
        } else {
            None
        }
    }
}

fn is_litter(name: &str) -> bool {
    let is_wrapped = name.len() > 2 && name.starts_with('#') && name.ends_with('#');
    is_one_of(name, LITTER)
        || LITTER_PREFIXES
            .split('|')
            .any(|prefix| starts_with(name, prefix) && name.len() > prefix.len())
        || is_wrapped
        || name.len() > 1 && name.ends_with('~')
        || is_swap(name)
}

fn is_swap(name: &str) -> bool {
    let end = name
        .strip_prefix('.')
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, end)| end.as_bytes());
    matches!(end, Some([b's' | b'S', b'w' | b'W', last]) if (b'a'..=b'p').contains(&last.to_ascii_lowercase()))
}

fn is_secret(name: &str) -> bool {
    is_one_of(name, SECRET)
        || SECRET_SUFFIXES
            .split('|')
            .any(|suffix| ends_with(name, suffix) && name.len() > suffix.len())
        || ends_with(name, ".env") && !is_one_of(name, EXAMPLE_FILES)
        || starts_with(name, ".env.")
            && !EXAMPLES.split('|').any(|example| ends_with(name, example))
        || COPIES.split('|').any(|copy| {
            ends_with(name, copy)
                && name.len() > copy.len()
                && is_secret(&name[..name.len() - copy.len()])
        })
}

fn is_one_of(name: &str, names: &str) -> bool {
    names
        .split('|')
        .any(|known| known.eq_ignore_ascii_case(name))
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn ends_with(name: &str, suffix: &str) -> bool {
    let at = name.len().checked_sub(suffix.len());
    at.and_then(|at| name.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

/// Returns what `name` may be to a file system that drops invisible characters, composes letters, and reads neither trailing
/// dots and blanks nor the name of a stream.
fn plain(name: &str) -> Cow<'_, str> {
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    let folded: String = name
        .nfkc()
        .filter(|c| !is_ignored(*c))
        .flat_map(char::to_lowercase)
        .collect();
    Cow::Owned(folded.trim_end_matches(['.', ' ']).to_owned())
}

fn is_ignored(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The reason why a folder is skipped, by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkippedFolder {
    /// Folders of version control. They are never compared.
    VersionControl,
    /// Dependencies that a tool installed. Scripts of a skill load them, so a lock compares them as a whole.
    Dependencies,
    /// Folders that tools and interpreters write as they run. They come and go by themselves.
    Cache,
    /// Folders that the system leaves.
    Litter,
    /// Keys and credentials, by convention.
    Secrets,
    /// Folders of build output. A skill may have such a name and scripts may be shipped in such a folder,
    /// so only the search for skills below it is left out.
    Output,
}

/// Every folder is compared with all names, so they are looked up.
static FOLDERS: LazyLock<HashMap<&str, SkippedFolder, RandomState>> = LazyLock::new(|| {
    let names = TABLE
        .into_iter()
        .flat_map(|(why, names)| names.split('|').map(move |name| (name, why)));
    names.collect()
});

/// The names in lower case.
const TABLE: [(SkippedFolder, &str); 6] = [
    (SkippedFolder::VersionControl, ".git|.hg|.svn|.jj"),
    (
        SkippedFolder::Dependencies,
        "node_modules|bower_components|site-packages|.venv|venv",
    ),
    (
        SkippedFolder::Cache,
        "__pycache__|.tox|.nox|.mypy_cache|.pytest_cache|.ruff_cache",
    ),
    (
        SkippedFolder::Litter,
        "__macosx|.appledouble|.spotlight-v100|.trashes|.fseventsd|.temporaryitems|$recycle.bin|\
         system volume information|@eadir",
    ),
    (
        SkippedFolder::Secrets,
        ".ssh|.gnupg|.aws|.kube|.docker|.azure",
    ),
    (SkippedFolder::Output, "target|dist|build|coverage|.next"),
];

impl SkippedFolder {
    /// Returns why a folder of this name is skipped, if it is.
    ///
    /// A name that some file system takes for one of the table counts as that one: letter case, invisible characters and
    /// trailing dots do not matter. The names of build output are taken as they are, since skills bear them.
    ///
    /// ```
    /// use repertoire_core::SkippedFolder;
    ///
    /// assert_eq!(SkippedFolder::of("node_modules"), Some(SkippedFolder::Dependencies));
    /// assert_eq!(SkippedFolder::of(".GIT"), Some(SkippedFolder::VersionControl));
    /// assert_eq!(SkippedFolder::of("skills"), None);
    /// ```
    pub fn of(name: impl AsRef<OsStr>) -> Option<SkippedFolder> {
        let name = name.as_ref().to_str()?;
        let mut lower = plain(name);
        if lower.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lower.to_mut().make_ascii_lowercase();
        }
        let (&known, &why) = FOLDERS.get_key_value(&*lower)?;
        (why != SkippedFolder::Output || name == known).then_some(why)
    }

    /// Returns whether nothing in such a folder is a part of a skill.
    pub fn is_apart(self) -> bool {
        self != SkippedFolder::Output
    }
}

#[cfg(test)]
mod tests;
