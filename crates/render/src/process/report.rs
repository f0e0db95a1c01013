//! What the helper tells the runner: one line, before the command begins.

use crate::{Gap, Sandbox};

const BEGINNING: &str = "\0repertoire: the sandbox is ";

/// How long a line may be.
pub(crate) const LONGEST: usize = 96;

/// The line for `sandbox`.
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub(crate) fn line(sandbox: &Sandbox) -> String {
    format!("{BEGINNING}{sandbox}\n")
}

/// What the line at the start of `bytes` tells, and its length; `None` if there is none.
pub(crate) fn read(bytes: &[u8]) -> Option<(Sandbox, usize)> {
    let end = bytes.iter().take(LONGEST).position(|byte| *byte == b'\n')?;
    let words = std::str::from_utf8(&bytes[..end]).ok()?.strip_prefix(BEGINNING)?;
    let sandbox = match words {
        "active" => Sandbox::Active,
        "unavailable" => Sandbox::Unavailable,
        partial => {
            let known = |name: &str| Gap::ALL.into_iter().find(|gap| gap.to_string() == name);
            let gaps = partial.strip_prefix("partial, without ")?.split(", ").map(known);
            Sandbox::Partial(gaps.collect::<Option<_>>()?)
        }
    };
    Some((sandbox, end + 1))
}

#[cfg(all(test, target_os = "linux", feature = "sandbox"))]
mod tests {
    use super::{LONGEST, line, read};
    use crate::{Gap, Sandbox};

    #[test]
    fn what_is_told_is_understood() {
        for bits in 0..8 {
            let gaps = Gap::ALL.into_iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0);
            let sandbox = Sandbox::without(gaps.map(|(_, gap)| gap).collect());
            let told = line(&sandbox);
            assert!(told.len() <= LONGEST, "{told}");
            assert_eq!(read(format!("{told}more\n").as_bytes()), Some((sandbox, told.len())));
        }
        for other in
            ["active\n", "\0repertoire: the sandbox is partial, without air\n", "\0repertoire: the sandbox is active"]
        {
            assert_eq!(read(other.as_bytes()), None, "{other:?}");
        }
    }
}
