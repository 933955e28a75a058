//! The identity of a file independent of its name: distinguishes a file that grew from one that was replaced.

use std::fs::Metadata;

/// The identity of a file on this machine. It is valid only while the file is open or exists: afterwards a new file may get
/// the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity(u64, u64);

impl FileIdentity {
    /// Device and inode.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(metadata.dev(), metadata.ino())
    }

    /// The identity that these two numbers are.
    #[cfg(unix)]
    pub(crate) fn of_numbers(device: u64, inode: u64) -> Self {
        Self(device, inode)
    }

    /// The creation time, the best available without opening the file.
    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        use std::time::UNIX_EPOCH;
        let made = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        made.map_or(Self(0, 0), |made| Self(made.as_secs(), u64::from(made.subsec_nanos())))
    }

    /// One number for it, to be kept and compared.
    pub fn as_number(self) -> i64 {
        // An odd factor keeps inodes of one device distinct.
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.1) as i64
    }
}
