//! The helper that gives up rights, tells what the kernel took, and becomes the command.

use std::convert::Infallible;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
    path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, remove_capability_from_bounding_set, set_capabilities};

use super::confinement::{Need, Rules};
use super::{calls, report};
use crate::{Failure, Gap, Sandbox};

/// The version of Landlock whose rules are asked for: files, TCP, signals. An older kernel enforces a part.
const ASKED: ABI = ABI::V6;

/// The first version that rules every way to change what a file holds. What else can be changed of a file is left to the
/// [filter](calls::refuse) of system calls.
const FILES: ABI = ABI::V5;

/// The first version that rules signals.
const SIGNALS: ABI = ABI::V6;

/// Confines this process by the first of `arguments`, and becomes the command behind it. Returns only if it could not.
pub(super) fn confine(arguments: &mut dyn Iterator<Item = OsString>) -> Result<Infallible, Box<dyn Error>> {
    let rules = arguments.next().and_then(|rules| rules.into_string().ok()).ok_or("expected rules and a command")?;
    let rules: Rules = serde_json::from_str(&rules)?;
    let program = arguments.next().ok_or("expected a command behind the rules")?;
    limit(&rules)?;
    let sandbox = restrict(&rules)?;
    // The first line on this stream is the helper's; the command has not begun.
    std::io::stderr().write_all(report::line(&sandbox).as_bytes())?;
    if rules.need == Need::Whole && sandbox != Sandbox::Active {
        return Err(Failure::NotConfined(sandbox).to_string().into());
    }
    let error = Command::new(&program).args(arguments).exec();
    Err(format!("cannot run `{}`: {error}", program.to_string_lossy()).into())
}

fn limit(rules: &Rules) -> rustix::io::Result<()> {
    let limits =
        [(Resource::Cpu, rules.cpu), (Resource::As, rules.memory), (Resource::Fsize, rules.file), (Resource::Core, 0)];
    // A limit that is lower already stays.
    limits.into_iter().try_for_each(|(resource, most)| {
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    })
}

/// Gives up what the rules do not name, and new privileges.
fn restrict(rules: &Rules) -> Result<Sandbox, RulesetError> {
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(ASKED))?
        .handle_access(AccessNet::from_all(ASKED))?
        .scope(Scope::from_all(ASKED))?
        .create()?
        .add_rules(path_beneath_rules(&rules.read, AccessFs::from_read(ASKED)))?
        .add_rules(path_beneath_rules(&rules.write, AccessFs::from_all(ASKED)))?
        .restrict_self()?;
    let version = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi,
        _ => ABI::Unsupported,
    };
    let is_powerless = drop_capabilities().is_ok();
    let is_filtered = calls::refuse().is_ok();
    let kept = |gap: &Gap| match gap {
        Gap::Files => version >= FILES && is_powerless && is_filtered,
        Gap::Signals => version >= SIGNALS,
        Gap::Sockets => is_filtered,
    };
    Ok(Sandbox::without(Gap::ALL.into_iter().filter(|gap| !kept(gap)).collect()))
}

/// Gives up what `root` may do, for this process and all that it becomes. New privileges cannot be gained any more, so what is
/// not permitted now never will be.
fn drop_capabilities() -> rustix::io::Result<()> {
    // Best effort: it takes a right of its own, and an older kernel has fewer capabilities.
    for capability in 0..u64::BITS {
        let _ = remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << capability));
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}
