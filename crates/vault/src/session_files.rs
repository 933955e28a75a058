//! The files of a store that belong to each session: transcript, sub-agents, outputs, todos, tasks, file copies,
//! environment, images.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use annals_store::{Discovery, FileRole, SessionEntry, SessionKey};

/// The files of all sessions of a store.
#[derive(Debug, Default)]
pub(crate) struct SessionFiles {
    /// By the folder beside the session's file.
    in_folder: HashMap<PathBuf, Vec<PathBuf>>,
    /// By session id: files outside the projects, and sub-agents beside their session.
    by_session: HashMap<SessionKey, Vec<PathBuf>>,
}

impl SessionFiles {
    pub(crate) fn of(discovery: &Discovery) -> Self {
        let root = discovery.config_dir.path();
        let mut session_files = Self::default();
        for agent in &discovery.agents {
            let mut files = vec![agent.path.clone()];
            files.extend(agent.meta.clone());
            match (folder(root, &agent.path), &agent.session) {
                (Some(folder), _) => session_files.in_folder.entry(folder).or_default().extend(files),
                (None, Some(session)) => {
                    session_files.by_session.entry(session.clone()).or_default().extend(files);
                }
                (None, None) => {}
            }
        }
        for file in discovery.side_files.iter().filter(|file| file.role != FileRole::Lock) {
            if let Some(folder) = folder(root, &file.path) {
                session_files.in_folder.entry(folder).or_default().push(file.path.clone());
            } else if let Some(session) = owner(root, &file.path, &file.role) {
                session_files.by_session.entry(session).or_default().push(file.path.clone());
            }
        }
        session_files
    }

    /// All files of a session, its own first, without duplicates.
    pub(crate) fn files(&self, session: &SessionEntry) -> Vec<PathBuf> {
        let side = self.in_folder.get(&session.folder()).into_iter().chain(self.by_session.get(&session.key));
        let mut side: Vec<PathBuf> = side.flatten().cloned().collect();
        side.sort_unstable();
        side.dedup();
        side.retain(|path| *path != session.path);
        side.insert(0, session.path.clone());
        side
    }
}

fn parts(root: &Path, path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(root).unwrap_or(Path::new(""));
    let name = |part: Component<'_>| part.as_os_str().to_string_lossy().into_owned();
    inside.components().map(name).collect()
}

/// The `projects/<slug>/<session>` that a path is below.
fn folder(root: &Path, path: &Path) -> Option<PathBuf> {
    let parts = parts(root, path);
    let is_below = parts.len() > 3 && parts[0] == "projects";
    is_below.then(|| parts[..3].iter().fold(root.to_path_buf(), |path, part| path.join(part)))
}

/// The session of a file outside the projects, by its folder or file name.
fn owner(root: &Path, path: &Path, role: &FileRole) -> Option<SessionKey> {
    let parts = parts(root, path);
    match parts.first()?.as_str() {
        "tasks" | "file-history" | "session-env" | "image-cache" => parts.get(1).map(SessionKey::new),
        "todos" => role.session().cloned(),
        _ => None,
    }
}
