//! Files of results: what is too large for the model, or nothing that it can read.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_store::files::{WriteError, create_file};

use crate::protocol::SubagentStorage;
use crate::tools::CallContext;

/// Where the results of a call are saved: `<session>/tool-results/`.
#[derive(Debug)]
pub(super) struct ResultFiles {
    folder: Option<PathBuf>,
    /// The server and the call, as a part of file names.
    stem: String,
    made: AtomicU64,
}

impl ResultFiles {
    /// Returns the place for a call. A conversation in memory has none.
    pub(super) fn of(call: &CallContext<'_>, server: &str) -> Self {
        let storage = call.parent.map(|parent| parent.subagent_storage);
        let folder = match storage {
            Some(SubagentStorage::Files(folder)) => Some(folder.tool_results()),
            _ => None,
        };
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_' || *letter == '-';
        let tool_use: String = call.tool_use.chars().filter(is_plain).take(100).collect();
        Self { folder, stem: format!("mcp-{server}-{tool_use}"), made: AtomicU64::new(0) }
    }

    /// Saves bytes. Returns where they are, in words.
    pub(super) fn save(&self, bytes: &[u8], ending: &str) -> String {
        let Some(folder) = &self.folder else { return "not saved: this session has no files".to_owned() };
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{number}.{ending}", self.stem));
        match create_file(&path, bytes) {
            Ok(()) | Err(WriteError::Exists { .. }) => format!("saved to {}", path.display()),
            Err(error) => format!("not saved: {error}"),
        }
    }

    /// Returns a place that keeps nothing.
    pub(super) fn none() -> Self {
        Self { folder: None, stem: String::new(), made: AtomicU64::new(0) }
    }
}

/// Returns the usual ending of files of a type.
pub(super) fn ending(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "text/plain" => "txt",
        _ => "bin",
    }
}
