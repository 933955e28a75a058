//! The name of this machine: random, and kept in our data folder, so that it tells nothing of its owner.

use std::path::Path;

use annals_store::files::replace_file;
use annals_store::read::read_file_if_there;
use annals_store::source::{Source, is_uuid, new_uuid};

use crate::error::CollectError;

/// The name that is kept there; where there is none, a new one is.
pub(crate) fn machine(path: &Path, source: &dyn Source) -> Result<String, CollectError> {
    if let Some(known) = known_machine(path)? {
        return Ok(known);
    }
    let new = new_uuid(source);
    replace_file(path, format!("{new}\n").as_bytes())?;
    Ok(new)
}

/// The name that is kept there.
pub(crate) fn known_machine(path: &Path) -> Result<Option<String>, CollectError> {
    let bytes = read_file_if_there(path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(is_uuid(&text).then_some(text))
}
