//! Asking the system whether files are as they were: by name, below the store's folder, which is found once and not once a
//! file.

use std::fs::Metadata;
use std::io;
use std::path::Path;

#[cfg(unix)]
use std::os::fd::OwnedFd;

use crate::identity::FileIdentity;

/// Asks for files below one folder, and elsewhere.
pub(super) struct Asker {
    #[cfg(unix)]
    root: Option<OwnedFd>,
    /// The folder's path, with the separator behind it.
    prefix: String,
}

impl Asker {
    /// For files below this folder.
    pub(super) fn below(root: &Path) -> Self {
        #[cfg(unix)]
        use rustix::fs::{Mode, OFlags};
        Self {
            #[cfg(unix)]
            root: rustix::fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok(),
            prefix: root.to_str().map(|root| format!("{root}/")).unwrap_or_default(),
        }
    }

    /// One number for what a file or folder is and when it was written, as [`stamp`] gives it.
    #[cfg(unix)]
    pub(super) fn stamp(&self, path: &str) -> io::Result<u64> {
        use rustix::fs::{AtFlags, FileType, statat};
        let Some((root, below)) = self.root.as_ref().zip(path.strip_prefix(&self.prefix)) else {
            return std::fs::metadata(path).map(|metadata| stamp(&metadata));
        };
        let found = statat(root, below, AtFlags::empty())?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        let identity = FileIdentity::of_numbers(found.st_dev, found.st_ino);
        let nanos = i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec);
        Ok(number(identity, if is_file { found.st_size as u64 } else { 0 }, nanos as i64))
    }

    #[cfg(not(unix))]
    pub(super) fn stamp(&self, path: &str) -> io::Result<u64> {
        std::fs::metadata(path).map(|metadata| stamp(&metadata))
    }
}

/// One number for what a file or folder is and when it was written.
pub(super) fn stamp(metadata: &Metadata) -> u64 {
    let nanos = match metadata.modified().map(|time| time.duration_since(std::time::UNIX_EPOCH)) {
        Ok(Ok(since)) => since.as_nanos() as i64,
        Ok(Err(before)) => -(before.duration().as_nanos() as i64),
        Err(_) => 0,
    };
    number(FileIdentity::of(metadata), if metadata.is_file() { metadata.len() } else { 0 }, nanos)
}

fn number(identity: FileIdentity, bytes: u64, nanos: i64) -> u64 {
    mixed(mixed(identity.as_number() as u64, bytes), nanos as u64)
}

/// Two numbers as one, each bit of either in each bit of it: the halves of a product.
fn mixed(left: u64, right: u64) -> u64 {
    let product =
        u128::from(left ^ 0x9e37_79b9_7f4a_7c15) * u128::from(right.rotate_left(32) ^ 0xd1b5_4a32_d192_ed03);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, SystemTime};

    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn both_ways_of_asking_give_the_same_number() {
        let (folder, elsewhere) = (TempDir::new("asked"), TempDir::new("asked-elsewhere"));
        let asker = Asker::below(folder.path());
        let mut paths = vec![folder.path().to_path_buf(), folder.write("a/b.jsonl", "one\n")];
        paths.push(folder.path().join("a"));
        paths.push(elsewhere.write("c.jsonl", "two\n"));
        let old = folder.write("a/old", "");
        let before_1970 = SystemTime::UNIX_EPOCH - Duration::new(5, 7);
        std::fs::File::options().write(true).open(&old).unwrap().set_modified(before_1970).unwrap();
        paths.push(old);
        for path in &paths {
            let by_path = stamp(&std::fs::metadata(path).unwrap());
            assert_eq!(asker.stamp(path.to_str().unwrap()).unwrap(), by_path, "{}", path.display());
        }
        let missing = folder.path().join("a/none");
        assert_eq!(asker.stamp(missing.to_str().unwrap()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn neighbours_are_told_apart() {
        let numbers = (0..20_u64).flat_map(|left| (0..20_u64).map(move |right| mixed(left, right)));
        let times = (0..400_i64).map(|nanos| number(FileIdentity::of_numbers(1, 2), 3, nanos));
        assert_eq!(numbers.chain(times).collect::<HashSet<_>>().len(), 800);
    }
}
