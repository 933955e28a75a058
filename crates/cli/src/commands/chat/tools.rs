//! The tools of a conversation in the terminal.

use annals_agent::tools::Tool;

/// All of them.
pub(super) fn tools() -> Vec<Box<dyn Tool>> {
    Vec::new()
}
