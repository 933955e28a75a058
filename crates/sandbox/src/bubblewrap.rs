//! The arguments of bubblewrap for a plan: which files are seen how, and what is separate from the machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::plan::{NetworkAccess, SandboxPlan, WriteScope};

/// Where it is looked for: the user's `PATH` may lead elsewhere.
pub(crate) const PROGRAMS: [&str; 4] =
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// What root keeps: files of other users, as in a container with a mounted workspace.
const CAPABILITIES: [&str; 4] = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID"];

/// What leads root to what is hidden: other processes see it, mounts can be undone.
const LEADING_OUT: [&str; 4] = ["CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_SYS_CHROOT", "CAP_DAC_READ_SEARCH"];

/// What root could set for the whole machine.
const OF_KERNEL: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/// How a path is seen; of one path the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum View {
    Writable,
    Readable,
    ReadOnly,
    Hidden,
}

/// The arguments up to the command, which starts in this folder.
pub(crate) fn arguments(plan: &SandboxPlan, folder: &Path) -> Vec<OsString> {
    let plan = plan.to_real();
    let mut out: Vec<OsString> = Vec::new();
    let mut add = |words: &[&str]| out.extend(words.iter().map(OsString::from));
    match plan.writes {
        WriteScope::Everywhere => {
            add(&["--dev-bind", "/", "/"]);
            if is_root() {
                LEADING_OUT.iter().for_each(|name| add(&["--cap-drop", name]));
            }
        }
        WriteScope::Only(_) => {
            add(&["--unshare-pid", "--unshare-ipc", "--new-session", "--ro-bind", "/", "/"]);
            add(&["--dev", "/dev", "--proc", "/proc"]);
            OF_KERNEL.iter().for_each(|path| add(&["--ro-bind-try", path, path]));
            if is_root() {
                add(&["--cap-drop", "ALL"]);
                CAPABILITIES.iter().for_each(|name| add(&["--cap-add", name]));
            }
        }
    }
    if plan.network != NetworkAccess::Open {
        add(&["--unshare-net"]);
    }
    let views = [
        (View::Writable, plan.writable()),
        (View::Readable, &plan.readable),
        (View::ReadOnly, &plan.read_only),
        (View::Hidden, &plan.hidden),
    ];
    let each = |(view, paths): (View, &[PathBuf])| -> Vec<(usize, View, PathBuf)> {
        paths.iter().map(|path| (path.components().count(), view, path.clone())).collect()
    };
    let mut views: Vec<_> = views.into_iter().flat_map(each).collect();
    views.sort();
    let mut last = Vec::new();
    for (_, view, path) in views {
        let path = path.into_os_string();
        let both = |option: &str| [option.into(), path.clone(), path.clone()];
        match view {
            View::Writable => out.extend(both("--bind")),
            View::Readable | View::ReadOnly => out.extend(both("--ro-bind")),
            View::Hidden if Path::new(&path).is_dir() => {
                out.extend(["--tmpfs".into(), path.clone()]);
                last.extend(["--remount-ro".into(), path]);
            }
            // A device that cannot be opened, since no mount here has any.
            View::Hidden => out.extend(["--ro-bind".into(), "/dev/null".into(), path]),
        }
    }
    out.extend(last);
    out.extend(["--chdir".into(), folder.as_os_str().to_owned(), "--".into()]);
    out
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn deeper_paths_come_later_and_missing_ones_not_at_all() {
        let dir = TempDir::new("bubblewrap");
        dir.write("work/.git/config", "x");
        dir.write("work/.env", "x");
        dir.write("secrets/a", "x");
        let root = dir.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        let plan = SandboxPlan {
            read_only: vec![path("work/.git/config"), path("work/missing")],
            hidden: vec![path("work/.env"), path("secrets")],
            ..SandboxPlan::for_commands(vec![path("work/.git"), path("work")])
        };
        let text: Vec<String> = arguments(&plan, &path("work"))
            .iter()
            .map(|word| word.to_string_lossy().replace(&root.to_string_lossy().into_owned(), ""))
            .collect();
        let text = text.join(" ");
        let order = "--tmpfs /secrets --bind /work /work --bind /work/.git /work/.git \
                     --ro-bind /dev/null /work/.env --ro-bind /work/.git/config /work/.git/config \
                     --remount-ro /secrets --chdir /work --";
        assert!(text.contains("--unshare-net") && !text.contains("missing"), "{text}");
        // Of two paths of one depth the writable one comes first.
        let order =
            order.replacen("--tmpfs /secrets --bind /work /work", "--bind /work /work --tmpfs /secrets", 1);
        assert!(text.ends_with(&order), "{text}\n{order}");
    }
}
