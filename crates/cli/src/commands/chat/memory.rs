//! Protects the memory of a process that has an API key.

/// Has no core of this process written. On Linux, other programs of the same person cannot look into it either: not into its
/// memory and not into its environment. Commands that are run have their own, and can raise the limit again.
#[cfg(unix)]
pub(super) fn guard() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Core);
    // If it is forbidden, there is nothing else to try.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    // The limit does not hold for cores that are piped to a program.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Does nothing on this system.
#[cfg(not(unix))]
pub(super) fn guard() {}
