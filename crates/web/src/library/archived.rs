//! What the vault has of a store: which of its sessions, and those that the store has no more.

use std::collections::HashSet;
use std::path::Path;

use annals_store::{Discovery, Store};
use annals_transcript::title::display_title;
use annals_vault::{Vault, Version};

use super::Library;

/// A session that only the vault has.
#[derive(Clone, Debug)]
pub(crate) struct ArchivedSession {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) models: Vec<String>,
    pub(crate) tag: Option<String>,
    pub(crate) active: Option<i64>,
    /// When it was archived, in milliseconds since 1970.
    pub(crate) archived: i64,
    pub(crate) bytes: u64,
}

/// What the vault has of a store.
#[derive(Debug, Default)]
pub(super) struct ArchivedSessions {
    /// The ids of all its sessions.
    pub(super) ids: HashSet<String>,
    /// Those that are not in the store.
    pub(super) gone: Vec<ArchivedSession>,
}

impl Library {
    pub(super) fn archived_sessions(&self, store: &Store, discovery: &Discovery) -> ArchivedSessions {
        let mut found = ArchivedSessions::default();
        if !self.data.vault().is_dir() {
            return found;
        }
        let path = store.config_dir().path();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let there: HashSet<&Path> = discovery
            .sessions
            .iter()
            .filter_map(|session| session.path.strip_prefix(store.config_dir().path()).ok())
            .collect();
        let catalogue = Vault::new(&self.data).catalogue();
        let newest = catalogue.as_ref().map(|catalogue| catalogue.newest()).unwrap_or_default();
        for version in newest.into_values().filter(|version| version.store == path) {
            found.ids.insert(version.session.to_string());
            if !there.contains(Path::new(&version.file)) && !version.meta.is_warm_up {
                found.gone.push(archived(version));
            }
        }
        found
    }
}

fn archived(version: &Version) -> ArchivedSession {
    let meta = &version.meta;
    let title = display_title(meta.title.as_deref(), meta.first_prompt.as_deref(), None);
    ArchivedSession {
        id: version.session.to_string(),
        title: title.map(str::to_owned),
        project: meta.project.clone(),
        models: meta.models.clone(),
        tag: meta.tag.clone(),
        active: meta.active,
        archived: version.time,
        bytes: version.bytes(),
    }
}
