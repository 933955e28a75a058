//! The files that sessions read and changed, in all stores, and the versions of one of them. What tools wrote is read from
//! transcripts; the files themselves are never opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use annals_index::{FileTouch, IndexError, TouchingCall};
use annals_store::digest::{hex, sha256_bytes};
use annals_store::read::ReadError;
use annals_surgery::file_versions::{FileHistory, FileVersion, VersionContent};

use super::{Library, Listing};

/// Digits of a digest that name a file in an address.
const ID_DIGITS: usize = 20;

/// What names a file in an address: a digest of its path, so that no path is ever part of an address.
pub(crate) fn file_id(path: &str) -> String {
    hex(&sha256_bytes(path.as_bytes())).chars().take(ID_DIGITS).collect()
}

impl Library {
    /// The calls that read or changed files, in all stores.
    pub(crate) fn touching_calls(&self) -> Result<Vec<TouchingCall>, IndexError> {
        self.refresh_indexes()?;
        let mut calls = Vec::new();
        for store in 0..self.stores.len() {
            if let Some(index) = self.index_as_it_is(store) {
                calls.extend(index.touching_calls()?);
            }
        }
        Ok(calls)
    }

    /// The versions of a file, by the sessions that changed it; without secrets, if that was asked for.
    pub(crate) fn file_history(
        &self,
        path: &str,
        calls: &[TouchingCall],
        listing: &Listing,
    ) -> Result<FileHistory, ReadError> {
        let changes = calls.iter().filter(|call| call.touch == FileTouch::Change && call.path == path);
        let ids: BTreeSet<&str> = changes.map(|call| call.session.as_str()).collect();
        let mut discoveries = listing.discoveries.iter();
        let Some(mut all) = discoveries.next().map(|first| (**first).clone()) else {
            let (path, gone) = (PathBuf::from(path), ids.len());
            return Ok(FileHistory { path, versions: Vec::new(), sessions: Vec::new(), gone });
        };
        discoveries.for_each(|discovery| all.extend((**discovery).clone()));
        let mut history = FileHistory::read(Path::new(path), &ids, &all)?;
        history.versions.iter_mut().for_each(|version| self.clean_version(version));
        Ok(history)
    }

    /// Secrets are replaced before versions are compared: in a diff, the lines of one may be apart.
    fn clean_version(&self, version: &mut FileVersion) {
        if self.redaction.is_none() {
            return;
        }
        if let VersionContent::Bytes(bytes) = &mut version.content
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            *bytes = self.clean(text).into_owned().into_bytes();
        }
        if let Some((old, new)) = &mut version.replaced {
            *old = self.clean(old).into_owned();
            *new = self.clean(new).into_owned();
        }
    }
}
