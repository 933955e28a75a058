//! Previews a plan in numbers: lines, bytes, and what clients send before and after.

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::edit::{FileEdit, LineEdit};
use crate::plan::Plan;

/// A file before and after a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePreview {
    pub path: PathBuf,
    /// Sizes in bytes before and after.
    pub bytes: (u64, u64),
    /// Records before and after.
    pub records: (usize, usize),
    /// How many lines are removed, changed and added.
    pub lines: (usize, usize, usize),
    /// What each client sends before and after.
    pub clients: Vec<ClientPreview>,
}

/// What a client sends before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientPreview {
    /// The client release.
    pub client: Client,
    /// How many messages; `None` if it refuses the file.
    pub messages: (Option<usize>, Option<usize>),
    /// The approximate number of tokens: a quarter of the bytes.
    pub tokens: (u64, u64),
}

/// Previews every edited file of a plan.
pub fn preview(plan: &Plan) -> Vec<FilePreview> {
    plan.edits.iter().map(of_edit).collect()
}

/// What each client sends of one file, given the preview of its plan; empty if the plan does not change the file. For a new
/// file there is nothing before.
pub fn preview_file(plan: &Plan, shown: &[FilePreview], path: &Path) -> Vec<ClientPreview> {
    if let Some(edited) = shown.iter().find(|file| file.path == path) {
        return edited.clients.clone();
    }
    let new = plan.changes.iter().find_map(|change| match change {
        Change::Create { path: made, bytes, .. } if made == path => Some(bytes),
        _ => None,
    });
    new.map(|bytes| clients(None, bytes)).unwrap_or_default()
}

fn clients(before: Option<&[u8]>, after: &[u8]) -> Vec<ClientPreview> {
    let (old, new) = (before.map(Transcript::parse), Transcript::parse(after));
    let of_client = |&client| {
        let (before, old_tokens) = old.as_ref().map_or((None, 0), |old| sent(old, client));
        let (now, new_tokens) = sent(&new, client);
        ClientPreview { client, messages: (before, now), tokens: (old_tokens, new_tokens) }
    };
    Client::ALL.iter().map(of_client).collect()
}

fn of_edit(edit: &FileEdit) -> FilePreview {
    let after = edit.result();
    let (old, new) = (Transcript::parse(edit.before()), Transcript::parse(&after));
    let removed =
        edit.line_edits().filter(|(_, line_edit)| matches!(line_edit, LineEdit::Removed { .. })).count();
    let changed = edit.line_edits().count() - removed;
    FilePreview {
        path: edit.path().to_path_buf(),
        bytes: (edit.before().len() as u64, after.len() as u64),
        records: (old.nodes().len(), new.nodes().len()),
        lines: (removed, changed, edit.insertions().count()),
        clients: clients(Some(edit.before()), &after),
    }
}

/// How many messages a client sends, and their approximate tokens.
fn sent(transcript: &Transcript<'_>, client: Client) -> (Option<usize>, u64) {
    let resumed = resume(transcript, client);
    let Ok(messages) = &resumed.outcome else { return (None, 0) };
    let bytes: usize = messages.iter().map(annals_transcript::resume::ApiMessage::json_len).sum();
    (Some(messages.len()), bytes as u64 / 4)
}
