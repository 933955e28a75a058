//! What differs between systems: permission bits.

use std::fs::OpenOptions;

/// A file that is made by these options is 0600.
#[cfg(unix)]
pub(crate) fn owner_only(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// Files in a user's folder are private.
#[cfg(not(unix))]
pub(crate) fn owner_only(_: &mut OpenOptions) {}
