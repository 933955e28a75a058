//! Detects network and virtual machine file systems, which report only changes made by this machine.

use std::path::Path;

/// The list of mounts on Linux; other systems have no such file.
pub(super) const TABLE: &str = "/proc/self/mountinfo";

/// Kinds of file systems that others write to unseen.
const NETWORK: [&str; 18] = [
    "9p",
    "afs",
    "afp",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "gfs2",
    "glusterfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "smb3",
    "vboxsf",
    "virtiofs",
];

/// Returns the kind of the network file system of a path; `None` if it is not on a known one.
pub(super) fn network_kind(table: &str, path: &Path) -> Option<String> {
    let mounts = table.lines().filter_map(mount).filter(|(point, _)| path.starts_with(point));
    // The later of two mounts at the same point hides the earlier.
    let (_, kind) = mounts.max_by_key(|(point, _)| point.len())?;
    // Programs in user space serve most of the others: sshfs, rclone and their like.
    (NETWORK.contains(&kind) || kind.starts_with("fuse")).then(|| kind.to_owned())
}

/// Mount point and kind of a line: `36 35 98:0 /root /mnt/point options - ext4 …`.
fn mount(line: &str) -> Option<(String, &str)> {
    let (before, after) = line.split_once(" - ")?;
    let point = before.split(' ').nth(4)?;
    // Spaces and their like are written as octal numbers.
    let point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    Some((point, after.split(' ').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_decides() {
        let table = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home/a\\040b rw - nfs4 server:/home rw
41 40 0:36 / /home/a\\040b/local rw - tmpfs tmpfs rw
42 22 0:37 / /mnt/remote rw - fuse.sshfs host: rw
43 22 0:38 / /mnt/twice rw - ext4 /dev/sdb rw
44 22 0:39 / /mnt/twice rw - cifs //host/share rw
";
        let kind = |path: &str| network_kind(table, Path::new(path));
        assert_eq!(kind("/home/a b/.claude").as_deref(), Some("nfs4"));
        assert_eq!(kind("/home/a b/local/.claude"), None);
        assert_eq!(kind("/home/other"), None);
        assert_eq!(kind("/mnt/remote/x").as_deref(), Some("fuse.sshfs"));
        assert_eq!(kind("/mnt/twice/x").as_deref(), Some("cifs"));
        assert_eq!(network_kind("", Path::new("/x")), None);
        assert_eq!(network_kind("nonsense\n - \n", Path::new("/x")), None);
    }
}
