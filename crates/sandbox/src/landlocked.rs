//! Landlock: limits the files of this process by folders. What is open is listed; inside of a folder that is open nothing can be
//! closed. So what is hidden is left out by listing everything beside it.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use crate::plan::{NetworkAccess, SandboxPlan, WriteScope};
use crate::stage::StageError;

/// What is asked for; of an older kernel, as much as it has.
const WANTED: ABI = ABI::V6;

/// Without these a file that may not be written could be emptied.
const REQUIRED: ABI = ABI::V3;

/// Devices that anybody may use.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The streams of this process: `/dev/stderr` is opened by name.
const STREAMS: [&str; 2] = ["/proc/self/fd/1", "/proc/self/fd/2"];

/// Memory that the processes of a command share.
const SHARED_MEMORY: &str = "/dev/shm";

/// The most paths that are listed.
const MAX_PATHS: usize = 20_000;

/// Restricts this process, and what it becomes, to the files of a plan.
pub(crate) fn restrict(plan: &SandboxPlan) -> Result<(), StageError> {
    let failed = |error: &dyn std::fmt::Display| StageError::Restrict(error.to_string());
    // An older kernel fails here.
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))
        .and_then(Ruleset::create)
        .map_err(|_| failed(&"the kernel has no Landlock, or too old a version (Linux 6.2 is needed)"))?;
    let reads = AccessFs::ReadFile | AccessFs::Execute;
    let writes = AccessFs::from_write(WANTED);
    let is_limited = plan.writes != WriteScope::Everywhere;
    // A move between folders must be allowed, else it is denied.
    let handled = if is_limited { reads | writes } else { reads | AccessFs::Refer };
    let mut rules = Ruleset::default().handle_access(handled).map_err(|error| failed(&error))?;
    if is_limited {
        rules = rules.scope(Scope::from_all(WANTED)).map_err(|error| failed(&error))?;
    }
    if plan.network != NetworkAccess::Open {
        rules = rules.handle_access(AccessNet::from_all(WANTED)).map_err(|error| failed(&error))?;
    }
    let mut rules = rules.create().map_err(|error| failed(&error))?;
    let mut hidden = plan.hidden.clone();
    if is_limited {
        // Disks and memory, which root could read.
        hidden.push(PathBuf::from("/dev"));
    }
    let mut open = Vec::new();
    visible(Path::new("/"), &hidden, &mut open);
    if open.len() > MAX_PATHS {
        return Err(failed(&"too many files next to the hidden ones"));
    }
    if !is_limited {
        allow(&mut rules, Path::new("/"), AccessFs::Refer.into())?;
    }
    for path in open.iter().chain(&plan.readable) {
        allow(&mut rules, path, reads)?;
    }
    let changes = writes & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    for path in plan.writable() {
        allow(&mut rules, path, reads | changes)?;
    }
    if is_limited {
        let opened = AccessFs::from_file(WANTED) & !BitFlags::from(AccessFs::Execute);
        for path in DEVICES.iter().chain(&STREAMS) {
            allow(&mut rules, Path::new(path), opened)?;
        }
        allow(&mut rules, Path::new(SHARED_MEMORY), reads | changes)?;
        drop_capabilities().map_err(|error| failed(&error))?;
    }
    let status = rules.restrict_self().map_err(|error| failed(&error))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(failed(&"the kernel does not enforce Landlock")),
        _ => Ok(()),
    }
}

/// Drops what root can do beyond files of other users.
fn drop_capabilities() -> rustix::io::Result<()> {
    let kept =
        CapabilitySet::CHOWN | CapabilitySet::DAC_OVERRIDE | CapabilitySet::FOWNER | CapabilitySet::FSETID;
    let now = capabilities(None)?;
    let sets = CapabilitySets {
        effective: now.effective & kept,
        permitted: now.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets)
}

/// Adds a rule. A path that is gone, or is no file, is left out: then it stays closed.
fn allow(rules: &mut RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<(), StageError> {
    let (Ok(opened), Ok(metadata)) = (PathFd::new(path), fs::metadata(path)) else { return Ok(()) };
    let kind = metadata.file_type();
    let access = if kind.is_dir() { access } else { access & AccessFs::from_file(WANTED) };
    if access.is_empty() || kind.is_fifo() || kind.is_socket() {
        return Ok(());
    }
    let added = rules.add_rule(PathBeneath::new(opened, access));
    added.map(drop).map_err(|error| StageError::Restrict(format!("{}: {error}", path.display())))
}

/// Lists what is open below a folder: the folder itself, or what is in it beside what is hidden. Links are left out, since what they
/// lead to is listed where it is.
fn visible(folder: &Path, hidden: &[PathBuf], found: &mut Vec<PathBuf>) {
    if hidden.iter().any(|path| path == folder) || found.len() > MAX_PATHS {
        return;
    }
    if !hidden.iter().any(|path| path.starts_with(folder)) {
        found.push(folder.to_path_buf());
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            visible(&entry.path(), hidden, found);
        }
    }
}
