//! Todo lists, written: the file is replaced as a whole.

use super::TodoItem;
use crate::files::{PlainName, WriteError};
use crate::indent;
use crate::key::{AgentKey, SessionKey};
use crate::layout::ConfigDir;
use crate::replaced_file::{ReplacedFile, replace};

/// Formats a list like the client.
pub fn list_bytes(items: &[TodoItem]) -> Vec<u8> {
    indent::list(items.iter().map(|item| indent::object(&item.fields(), 1)), 0)
}

/// Writes `todos/<session>-agent-<agent>.json`, atomically. The main agent has the session's name.
pub fn write(
    config: &ConfigDir,
    session: &SessionKey,
    agent: &AgentKey,
    items: &[TodoItem],
) -> Result<ReplacedFile, WriteError> {
    PlainName::new(session.as_str(), "a session id")?;
    PlainName::new(agent.as_str(), "the id of an agent")?;
    replace(&config.todo(session, agent), &list_bytes(items))
}
