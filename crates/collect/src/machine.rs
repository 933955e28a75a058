//! The id of this machine: random, stored in our data folder, and thus without any trace of its owner.

use std::path::Path;

use annals_store::files::replace_file;
use annals_store::read::read_file_if_there;
use annals_store::source::{Source, is_uuid, new_uuid};

use crate::error::CollectError;

/// Reads the id, or makes and stores one.
pub(crate) fn machine(path: &Path, source: &dyn Source) -> Result<String, CollectError> {
    if let Some(known) = stored_machine(path)? {
        return Ok(known);
    }
    let new = new_uuid(source);
    replace_file(path, format!("{new}\n").as_bytes())?;
    Ok(new)
}

/// Reads the id, if there is one.
pub(crate) fn stored_machine(path: &Path) -> Result<Option<String>, CollectError> {
    let bytes = read_file_if_there(path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(is_uuid(&text).then_some(text))
}
