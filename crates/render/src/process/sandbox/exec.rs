//! The helper that gives up rights, reports what the kernel enforces, and becomes the command.

use std::convert::Infallible;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, remove_capability_from_bounding_set, set_capabilities,
};

use super::{Confinement, report_line, system_calls};
use crate::{MissingRule, Sandbox};

/// The version of Landlock that is requested: files, TCP, signals. An older kernel enforces a part.
const REQUESTED: ABI = ABI::V6;

/// The first version with rules for all ways to change the content of a file. The [filter](system_calls::refuse) of system
/// calls covers the rest.
const FILES: ABI = ABI::V5;

/// The first version with rules for signals.
const SIGNALS: ABI = ABI::V6;

/// Confines this process by the first of `arguments` and executes the command behind it. Returns only an error.
pub(crate) fn confine(
    arguments: &mut dyn Iterator<Item = OsString>,
) -> Result<Infallible, Box<dyn Error>> {
    let rules = arguments
        .next()
        .and_then(|rules| rules.into_string().ok())
        .ok_or("expected rules and a command")?;
    let rules: Confinement = serde_json::from_str(&rules)?;
    let program = arguments
        .next()
        .ok_or("expected a command behind the rules")?;
    limit(&rules)?;
    let sandbox = restrict(&rules)?;
    // The first line on this stream, before the command begins.
    std::io::stderr().write_all(report_line(&sandbox)?.as_bytes())?;
    if !rules.is_met_by(&sandbox) {
        return Err(sandbox.failure().into());
    }
    let error = Command::new(&program).args(arguments).exec();
    Err(format!("cannot run `{}`: {error}", program.to_string_lossy()).into())
}

fn limit(rules: &Confinement) -> rustix::io::Result<()> {
    let limits = [
        (Resource::Cpu, rules.cpu_s),
        (Resource::As, rules.memory),
        (Resource::Fsize, rules.file_size),
        (Resource::Core, 0),
    ];
    // A lower limit of the host stays.
    limits.into_iter().try_for_each(|(resource, most)| {
        let most = rustix::process::getrlimit(resource)
            .maximum
            .map_or(most, |maximum| maximum.min(most));
        setrlimit(
            resource,
            Rlimit {
                current: Some(most),
                maximum: Some(most),
            },
        )
    })
}

fn restrict(rules: &Confinement) -> Result<Sandbox, RulesetError> {
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(REQUESTED))?
        .handle_access(AccessNet::from_all(REQUESTED))?
        .scope(Scope::from_all(REQUESTED))?
        .create()?
        .add_rules(path_beneath_rules(
            &rules.read,
            AccessFs::from_read(REQUESTED),
        ))?
        .add_rules(path_beneath_rules(
            &rules.write,
            AccessFs::from_all(REQUESTED),
        ))?
        .restrict_self()?;
    let version = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi,
        _ => ABI::Unsupported,
    };
    let is_powerless = drop_capabilities().is_ok();
    let is_filtered = system_calls::refuse().is_ok();
    let missing = Sandbox::RULES.into_iter().filter(|rule| match rule {
        MissingRule::Files => version < FILES || !is_powerless || !is_filtered,
        MissingRule::Signals => version < SIGNALS,
        MissingRule::Sockets => !is_filtered,
    });
    Ok(Sandbox::new(missing.collect()))
}

/// Drops all capabilities. `no_new_privs` is set, so they cannot be gained again.
fn drop_capabilities() -> rustix::io::Result<()> {
    // Best effort: this needs a capability itself, and an older kernel has fewer of them.
    for capability in 0..u64::BITS {
        let _ =
            remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << capability));
    }
    let none = CapabilitySet::empty();
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )
}
