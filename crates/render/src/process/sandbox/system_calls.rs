//! The system calls that a confined run may not make.

use std::error::Error;

/// Installs a filter of system calls for this process and its descendants. It refuses what Landlock has no rule for:
///
/// - Sockets of all kinds, but for connected pairs.
/// - Modes, owners, times, attributes and flags of files.
/// - Keys, and System V memory, messages and semaphores, which all processes of a user share.
/// - Limits, priorities and processors of other processes.
/// - `bpf`, `perf_event_open` and `userfaultfd`, which few programs need and many exploits use.
///
/// All calls by another convention, x32 or 32-bit, are refused.
///
/// # Errors
/// Returns an error if there is no filter for this kernel or machine.
pub(crate) fn refuse() -> Result<(), Box<dyn Error>> {
    filter::apply()
}

#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
))]
mod filter {
    use std::collections::BTreeMap;

    use libc::c_long;
    use seccompiler::SeccompCmpArgLen::Dword;
    use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch, apply_filter,
    };

    /// Calls that are refused with any arguments.
    const REFUSED: &[c_long] = &[
        libc::SYS_socket,
        // It can create sockets and change files without the calls for that.
        libc::SYS_io_uring_setup,
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        FCHMODAT2,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        SETXATTRAT,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
        REMOVEXATTRAT,
        FILE_SETATTR,
        libc::SYS_utimensat,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_shmctl,
        libc::SYS_msgget,
        libc::SYS_msgsnd,
        libc::SYS_msgrcv,
        libc::SYS_msgctl,
        libc::SYS_semget,
        libc::SYS_semop,
        libc::SYS_semtimedop,
        libc::SYS_semctl,
        libc::SYS_mq_open,
        libc::SYS_mq_unlink,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
    ];

    /// Older names of the same, which newer architectures do not have.
    #[cfg(target_arch = "x86_64")]
    const OLDER: &[c_long] = &[
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
        libc::SYS_futimesat,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const OLDER: &[c_long] = &[];

    // Newer than the headers of some systems. Calls of this age have one number on each architecture.
    const FCHMODAT2: c_long = 452;
    const SETXATTRAT: c_long = 463;
    const REMOVEXATTRAT: c_long = 466;
    const FILE_SETATTR: c_long = 469;

    /// Requests of `ioctl` that change flags, attributes and keys of a file which is open for reading alone.
    const REQUESTS: [u64; 5] = [
        0x4008_6602, // FS_IOC_SETFLAGS
        0x4004_6602, // FS_IOC32_SETFLAGS
        0x401c_5820, // FS_IOC_FSSETXATTR
        0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
        0x4080_6685, // FS_IOC_ENABLE_VERITY
    ];

    /// All processes of a user, to `setpriority` and to `ioprio_set`.
    const PRIORITY_OF_USER: u64 = 2;
    const IO_PRIORITY_OF_USER: u64 = 3;

    pub(super) fn apply() -> Result<(), Box<dyn std::error::Error>> {
        let machine = TargetArch::try_from(std::env::consts::ARCH)?;
        let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let filter: BpfProgram =
            SeccompFilter::new(rules()?, SeccompAction::Allow, denied, machine)?.try_into()?;
        apply_filter(&filter)?;
        #[cfg(target_arch = "x86_64")]
        apply_filter(&x32())?;
        Ok(())
    }

    /// Returns the refused arguments of each call; an empty list refuses all.
    fn rules() -> Result<BTreeMap<c_long, Vec<SeccompRule>>, BackendError> {
        let mut rules: BTreeMap<_, _> = REFUSED
            .iter()
            .chain(OLDER)
            .map(|call| (*call, Vec::new()))
            .collect();
        // A datagram socket of a pair can be connected to another peer.
        let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW]
            .map(|kind| when(1, MaskedEq(0xf), u64::from(kind.unsigned_abs())));
        rules.insert(
            libc::SYS_socketpair,
            kinds.into_iter().collect::<Result<_, _>>()?,
        );
        let requests = REQUESTS.map(|request| when(1, Eq, request));
        rules.insert(
            libc::SYS_ioctl,
            requests.into_iter().collect::<Result<_, _>>()?,
        );
        // Allowed for the process itself, which is 0.
        for call in [
            libc::SYS_prlimit64,
            libc::SYS_sched_setaffinity,
            libc::SYS_sched_setscheduler,
            libc::SYS_sched_setparam,
            libc::SYS_sched_setattr,
        ] {
            rules.insert(call, vec![when(0, Ne, 0)?]);
        }
        for (call, user) in [
            (libc::SYS_setpriority, PRIORITY_OF_USER),
            (libc::SYS_ioprio_set, IO_PRIORITY_OF_USER),
        ] {
            rules.insert(call, vec![when(1, Ne, 0)?, when(0, Eq, user)?]);
        }
        Ok(rules)
    }

    /// Returns a rule on the lower half of one argument.
    fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
        SeccompRule::new(vec![SeccompCondition::new(argument, Dword, is, value)?])
    }

    /// Returns a filter that refuses all calls by the x32 convention, which the filter above does not recognise.
    #[cfg(target_arch = "x86_64")]
    fn x32() -> BpfProgram {
        use seccompiler::sock_filter;

        /// The bit in the numbers of these calls.
        const X32: u32 = 0x4000_0000;
        [
            // The number of the call is the first field of the data.
            (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
            (
                libc::BPF_RET | libc::BPF_K,
                0,
                0,
                libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs(),
            ),
            (libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
        ]
        .map(|(code, jt, jf, k)| sock_filter {
            code: code as u16,
            jt,
            jf,
            k,
        })
        .to_vec()
    }
}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
mod filter {
    pub(super) fn apply() -> Result<(), Box<dyn std::error::Error>> {
        Err("no filter of system calls for this machine".into())
    }
}
