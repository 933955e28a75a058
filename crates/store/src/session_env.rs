//! `session-env/<session>/`: a folder that the client makes for each session that runs commands, and leaves empty.

use std::path::PathBuf;

use crate::files::{PlainName, WriteError, create_folder};
use crate::key::SessionKey;
use crate::layout::ConfigDir;

/// Makes the folder, 0700. One that is there stays as it is.
pub fn make(config: &ConfigDir, session: &SessionKey) -> Result<PathBuf, WriteError> {
    PlainName::new(session.as_str(), "a session id")?;
    let path = config.session_env(session);
    create_folder(&path)?;
    Ok(path)
}
