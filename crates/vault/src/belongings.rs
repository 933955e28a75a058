//! Which files of a store belong to a session: its own, its sub-agents', outputs, todos, tasks, copies, environment, images.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use annals_store::{Discovery, FileRole, SessionEntry, SessionKey};

/// The files of every session of a store, by whose they are.
#[derive(Debug, Default)]
pub(crate) struct Belongings {
    /// By the folder beside the session's file.
    in_folder: HashMap<PathBuf, Vec<PathBuf>>,
    /// By the session's id, for those outside the projects, and for sub-agents that stand beside their session.
    by_session: HashMap<SessionKey, Vec<PathBuf>>,
}

impl Belongings {
    /// Sorts what was found in a store.
    pub(crate) fn of(discovery: &Discovery) -> Self {
        let root = discovery.config_dir.path();
        let mut belongings = Self::default();
        for agent in &discovery.agents {
            let mut files = vec![agent.path.clone()];
            files.extend(agent.meta.clone());
            match (folder(root, &agent.path), &agent.session) {
                (Some(folder), _) => belongings.in_folder.entry(folder).or_default().extend(files),
                (None, Some(session)) => {
                    belongings.by_session.entry(session.clone()).or_default().extend(files);
                }
                (None, None) => {}
            }
        }
        for file in discovery.side_files.iter().filter(|file| file.role != FileRole::Lock) {
            if let Some(folder) = folder(root, &file.path) {
                belongings.in_folder.entry(folder).or_default().push(file.path.clone());
            } else if let Some(session) = owner(root, &file.path, &file.role) {
                belongings.by_session.entry(session).or_default().push(file.path.clone());
            }
        }
        belongings
    }

    /// All files of a session, its own first, each once.
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

/// `projects/<slug>/<session>` of a path below it.
fn folder(root: &Path, path: &Path) -> Option<PathBuf> {
    let parts = parts(root, path);
    let is_below = parts.len() > 3 && parts[0] == "projects";
    is_below.then(|| parts[..3].iter().fold(root.to_path_buf(), |path, part| path.join(part)))
}

/// The session that a file outside the projects names by its folder or its name.
fn owner(root: &Path, path: &Path, role: &FileRole) -> Option<SessionKey> {
    let parts = parts(root, path);
    match parts.first()?.as_str() {
        "tasks" | "file-history" | "session-env" | "image-cache" => parts.get(1).map(SessionKey::new),
        "todos" => role.session().cloned(),
        _ => None,
    }
}
