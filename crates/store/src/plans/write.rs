//! Plans, written: the whole text at once.

use crate::files::{PlainName, WriteError};
use crate::layout::ConfigDir;
use crate::replaced_file::{ReplacedFile, replace};

/// Writes `plans/<name>.md`, atomically. The name has no ending.
pub fn write(config: &ConfigDir, name: &str, text: &str) -> Result<ReplacedFile, WriteError> {
    let name = PlainName::new(name, "the name of a plan")?;
    replace(&config.plan(name.as_str()), text.as_bytes())
}
