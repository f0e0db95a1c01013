//! What the helper tells the runner: one line, before the command begins.

use crate::Sandbox;

const BEGINNING: &str = "\0repertoire: the sandbox is ";

/// How long a line may be.
pub(crate) const LONGEST: usize = 64;

const WORDS: [(&str, Sandbox); 3] =
    [("active", Sandbox::Active), ("partial", Sandbox::Partial), ("unavailable", Sandbox::Unavailable)];

/// The line for `sandbox`.
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub(crate) fn line(sandbox: Sandbox) -> String {
    let word = WORDS.iter().find(|(_, known)| *known == sandbox).map_or("unavailable", |(word, _)| word);
    format!("{BEGINNING}{word}\n")
}

/// What the line at the start of `bytes` tells, and its length; `None` if there is none.
pub(crate) fn read(bytes: &[u8]) -> Option<(Sandbox, usize)> {
    let end = bytes.iter().take(LONGEST).position(|byte| *byte == b'\n')?;
    let word = bytes[..end].strip_prefix(BEGINNING.as_bytes())?;
    let (_, sandbox) = WORDS.iter().find(|(known, _)| known.as_bytes() == word)?;
    Some((*sandbox, end + 1))
}
