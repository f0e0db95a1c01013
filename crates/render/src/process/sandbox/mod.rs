//! The sandbox of a run: the policy that a host chooses, and its enforcement in a helper.

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod exec;
mod policy;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod system_calls;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub(super) use exec::confine;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub(super) use policy::CONFINE;
pub use policy::Confinement;

use crate::{MissingRule, Sandbox};

/// The beginning of the report of a helper: one line on standard error, before the command begins.
const BEGINNING: &str = "\0repertoire: the sandbox is ";

pub(super) const MAX_REPORT_BYTES: usize = 96;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
fn report_line(sandbox: &Sandbox) -> String {
    format!("{BEGINNING}{sandbox}\n")
}

/// Returns the sandbox in the report of a helper: the first line of `bytes`, and the length of the line.
pub(super) fn read_report(bytes: &[u8]) -> Option<(Sandbox, usize)> {
    let end = bytes.iter().take(MAX_REPORT_BYTES).position(|byte| *byte == b'\n')?;
    let words = std::str::from_utf8(&bytes[..end]).ok()?.strip_prefix(BEGINNING)?;
    let sandbox = match words {
        "active" => Sandbox::Active,
        "unavailable" => Sandbox::Unavailable,
        partial => {
            let names = partial.strip_prefix("partial, without ")?.split(", ");
            let rules = names.map(|name| MissingRule::ALL.into_iter().find(|rule| rule.to_string() == name));
            Sandbox::Partial(rules.collect::<Option<_>>()?)
        }
    };
    Some((sandbox, end + 1))
}

#[cfg(all(test, target_os = "linux", feature = "sandbox"))]
mod tests;
