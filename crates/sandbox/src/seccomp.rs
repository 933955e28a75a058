//! seccomp: calls that no command needs, and that lead out of a sandbox whatever its view of files is.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use crate::plan::{NetworkAccess, SocketAccess};
use crate::stage::{Stage, StageError};

/// Calls that fail with "operation not permitted".
const FORBIDDEN: [i64; 39] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Calls that are said not to exist, so that programs use older ones: their arguments cannot be looked at, or they do what others
/// are forbidden to do.
const UNKNOWN: [i64; 4] =
    [libc::SYS_clone3, libc::SYS_io_uring_enter, libc::SYS_io_uring_register, libc::SYS_io_uring_setup];

/// `ioctl`s that type into a terminal.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Flags of `clone` that begin a namespace.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// On x86-64, the bit of another numbering of the same calls.
const OTHER_NUMBERING: i64 = 0x4000_0000;

/// Forbids calls to this process and to what it becomes.
pub(crate) fn restrict(stage: &Stage) -> Result<(), StageError> {
    let failed = |error: &dyn std::fmt::Display| StageError::Restrict(format!("seccomp: {error}"));
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| failed(&error))?;
    let forbidden = forbidden(stage).map_err(|error| failed(&error))?;
    let unknown = UNKNOWN.into_iter().map(|call| (call, Vec::new())).collect();
    for (rules, error) in [(forbidden, libc::EPERM), (unknown, libc::ENOSYS)] {
        let action = SeccompAction::Errno(error.unsigned_abs());
        let filter = SeccompFilter::new(both_numberings(rules), SeccompAction::Allow, action, arch)
            .map_err(|error| failed(&error))?;
        let program = BpfProgram::try_from(filter).map_err(|error| failed(&error))?;
        apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn forbidden(stage: &Stage) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = FORBIDDEN.into_iter().map(|call| (call, Vec::new())).collect();
    let is = |argument: u8, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    };
    let typing = TYPING.into_iter().map(|call| SeccompRule::new(vec![is(1, SeccompCmpOp::Eq, call)?]));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<_, _>>()?);
    let begins = NAMESPACES.into_iter().map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        SeccompRule::new(vec![is(0, SeccompCmpOp::MaskedEq(flag), flag)?])
    });
    #[cfg(target_arch = "x86_64")]
    rules.extend([libc::SYS_ioperm, libc::SYS_iopl].map(|call| (call, Vec::new())));
    rules.insert(libc::SYS_clone, begins.collect::<Result<_, _>>()?);
    // A socket that is none of these.
    let mut families = vec![libc::AF_NETLINK];
    // A view without a network has only its own loopback.
    if stage.plan.network == NetworkAccess::Open || !stage.is_landlock {
        families.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if stage.plan.sockets == SocketAccess::Open {
        families.push(libc::AF_UNIX);
    }
    let other = families.into_iter().map(|family| is(0, SeccompCmpOp::Ne, u64::from(family.unsigned_abs())));
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(other.collect::<Result<_, _>>()?)?]);
    Ok(rules)
}

fn both_numberings(rules: Rules) -> Rules {
    if !cfg!(target_arch = "x86_64") {
        return rules;
    }
    let other: Vec<_> = rules.iter().map(|(call, rules)| (call | OTHER_NUMBERING, rules.clone())).collect();
    rules.into_iter().chain(other).collect()
}
