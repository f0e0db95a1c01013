//! No sockets.

use std::error::Error;

/// Makes no socket any more, in this process and all that it becomes and starts: neither TCP nor UDP, nor to a daemon
/// of this machine. A pair of connected ones can be had, as between a program and what it starts.
///
/// # Errors
/// Where the kernel, or whoever makes the filter, knows none for this machine.
pub(crate) fn refuse() -> Result<(), Box<dyn Error>> {
    filter::apply()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
mod filter {
    use std::collections::BTreeMap;

    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch, apply_filter,
    };

    /// The bit of a call by another convention, where the kernel has that.
    const X32: i64 = 0x4000_0000;

    pub(super) fn apply() -> Result<(), Box<dyn std::error::Error>> {
        let machine = TargetArch::try_from(std::env::consts::ARCH)?;
        // One of a pair that is not connected for good can be turned to somebody else.
        let pair = |kind: i32| {
            let mask = SeccompCmpOp::MaskedEq(0xf);
            SeccompRule::new(vec![SeccompCondition::new(
                1,
                SeccompCmpArgLen::Dword,
                mask,
                u64::from(kind.unsigned_abs()),
            )?])
        };
        let rules = [
            (libc::SYS_socket, vec![]),
            (libc::SYS_socketpair, vec![pair(libc::SOCK_DGRAM)?, pair(libc::SOCK_RAW)?]),
            // It makes sockets without that call.
            (libc::SYS_io_uring_setup, vec![]),
        ];
        let both = |(call, rules): (i64, Vec<SeccompRule>)| [(call, rules.clone()), (call | X32, rules)];
        let rules: BTreeMap<_, _> = rules.into_iter().flat_map(both).collect();
        let denied = SeccompAction::Errno(libc::EACCES.unsigned_abs());
        let filter: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, denied, machine)?.try_into()?;
        Ok(apply_filter(&filter)?)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
mod filter {
    pub(super) fn apply() -> Result<(), Box<dyn std::error::Error>> {
        Err("no filter of system calls for this machine".into())
    }
}
