//! The identity of a file independent of its name: distinguishes a file that grew from one that was replaced.

use std::fs::Metadata;

use crate::platform::file_numbers;

/// The identity of a file on this machine. It is valid only while the file is open or exists: afterwards a new file may get
/// the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity(u64, u64);

impl FileIdentity {
    /// Of a file or folder.
    pub fn of(metadata: &Metadata) -> Self {
        Self::of_numbers(file_numbers(metadata))
    }

    /// The identity that these two numbers are.
    pub(crate) fn of_numbers((first, second): (u64, u64)) -> Self {
        Self(first, second)
    }

    /// One number for it, to be kept and compared.
    pub fn as_number(self) -> i64 {
        // An odd factor keeps inodes of one device distinct.
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.1) as i64
    }
}
