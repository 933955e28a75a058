//! What the editor asks of the world: commands, files, agents and resources to complete, and stored pastes.

use std::sync::Arc;

use super::prompt::Image;

/// A slash command that can be completed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandEntry {
    /// Its name without the slash.
    pub name: String,
    /// A hint about its arguments; empty if it takes none.
    pub hint: String,
    /// What it does, on one line.
    pub description: String,
}

/// What `@` can mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionEntry {
    /// What follows the `@`: a path relative to the folder, `agent-NAME`, or `SERVER:URI`.
    pub name: String,
    pub kind: MentionKind,
    /// What is said of it, on one line; empty for a file.
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKind {
    File,
    Folder,
    Agent,
    Resource,
}

/// Answers of the world, at once: whatever takes time is read beforehand and bounded.
pub trait Completions: Send {
    /// Returns the slash commands, built-in and custom.
    fn commands(&self) -> Vec<CommandEntry>;

    /// Returns what can be mentioned with this beginning, to be matched by the editor.
    fn mentions(&self, query: &str) -> Arc<[MentionEntry]>;

    /// Returns a paste of an earlier prompt that is stored under this name.
    fn stored_paste(&self, _name: &str) -> Option<String> {
        None
    }

    /// Returns the images if a pasted text is the paths of some, as terminals paste files that are dropped; none if it is
    /// anything else, and an error for people if an image cannot be used.
    fn images(&self, _pasted: &str) -> Result<Vec<Image>, String> {
        Ok(Vec::new())
    }
}

/// Completes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCompletions;

impl Completions for NoCompletions {
    fn commands(&self) -> Vec<CommandEntry> {
        Vec::new()
    }

    fn mentions(&self, _query: &str) -> Arc<[MentionEntry]> {
        Arc::from([])
    }
}
