//! Sessions that only the vault has: unpacked, so that the versions of a file that they recorded can be read and restored.

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_store::layout::ConfigDir;
use annals_store::{SessionKey, Store};
use annals_surgery::Session;
use annals_surgery::file_versions::load_sessions;
use annals_vault::UnpackDir;

use crate::context::Context;
use crate::error::Fault;
use crate::vault;

/// Sessions of one store that the client has deleted.
pub(super) struct ArchivedSessions {
    pub(super) sessions: Vec<Session>,
    store: PathBuf,
    folder: UnpackDir,
}

impl ArchivedSessions {
    /// Unpacks the sessions of these ids, as far as the vault has them.
    pub(super) fn unpack(ids: &BTreeSet<&str>, context: &Context) -> Result<Vec<Self>, Fault> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let of_store = |context: &Context| {
            let mut versions = vault::deleted_versions(context);
            versions.retain(|version| ids.contains(version.session.as_str()));
            let Some(folder) = vault::unpack_all(&versions, context) else { return Ok(None) };
            let (sessions, _) = load_sessions(ids, &Store::open(folder.path()).discover())?;
            let store = context.store.config_dir().path().to_path_buf();
            Ok(Some(Self { sessions, store, folder }))
        };
        let unpacked: Result<Vec<_>, Fault> = context.each_store(of_store).into_iter().collect();
        Ok(unpacked?.into_iter().flatten().collect())
    }

    /// Gives sessions the place that they had in their store: what is restored belongs there, not to the copy.
    pub(super) fn put_back(&self, sessions: &mut [Session]) {
        let is_own = |key: &SessionKey| self.sessions.iter().any(|session| session.key == *key);
        for session in sessions.iter_mut().filter(|session| is_own(&session.key)) {
            if let Ok(inside) = session.path.strip_prefix(self.folder.path()) {
                session.path = self.store.join(inside);
                session.home = session.home.take().map(|(_, slug)| (ConfigDir::new(&self.store), slug));
            }
        }
    }
}
