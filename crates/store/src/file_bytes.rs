//! The bytes of a file, shared by all that need them: a session may be one line of hundreds of megabytes.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The bytes of a file. A clone takes no memory.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FileBytes(Arc<Vec<u8>>);

impl FileBytes {
    /// Returns the bytes, which are copied only if they are shared.
    pub fn into_vec(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.0)
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FileBytes({} bytes)", self.len())
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl From<&FileBytes> for FileBytes {
    fn from(bytes: &FileBytes) -> Self {
        bytes.clone()
    }
}

/// Copies them.
impl From<&[u8]> for FileBytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

/// Copies them.
impl From<&Vec<u8>> for FileBytes {
    fn from(bytes: &Vec<u8>) -> Self {
        bytes.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_bytes() {
        let bytes = FileBytes::from(b"abc".to_vec());
        let clone = FileBytes::from(&bytes);
        assert!(std::ptr::eq(&*bytes, &*clone));
        assert_eq!(format!("{clone:?}"), "FileBytes(3 bytes)");
        drop(clone);
        let address = bytes.as_ptr();
        assert!(std::ptr::eq(bytes.into_vec().as_ptr(), address), "nothing is copied that is not shared");
    }
}
