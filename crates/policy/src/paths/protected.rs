//! Paths that no tool and no command opens: devices, pipes, and what belongs to processes.

use std::path::Path;

use super::{FileKind, ResolvedPath};

/// What a process shows of itself in plain files that hold neither secrets nor links.
const OF_PROCESS: [&str; 15] = [
    "status",
    "stat",
    "statm",
    "limits",
    "mounts",
    "mountinfo",
    "cgroup",
    "comm",
    "io",
    "loginuid",
    "oom_score",
    "oom_score_adj",
    "schedstat",
    "sessionid",
    "wchan",
];

/// Whether a tool must not open it: a device, a pipe, or what belongs to a process. What `/proc/self/cwd` and the like lead to
/// depends on the process that opens it, which is another one than ours.
pub fn is_refused(path: &ResolvedPath) -> bool {
    path.kind == FileKind::Special || path.all().any(|path| is_of_process(path) || path.starts_with("/dev"))
}

/// Whether a path is below the folder of a process: its links, its memory, its environment.
pub(crate) fn is_of_process(path: &Path) -> bool {
    let names: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        ["/", "proc", process, rest @ ..] if is_process(process) => match rest {
            [] => false,
            [name] => !OF_PROCESS.contains(name),
            _ => true,
        },
        ["/", "proc", "kcore" | "kmem" | "kmsg" | "sysrq-trigger", ..] => true,
        _ => false,
    }
}

fn is_process(name: &str) -> bool {
    matches!(name, "self" | "thread-self") || name.bytes().all(|byte| byte.is_ascii_digit())
}
