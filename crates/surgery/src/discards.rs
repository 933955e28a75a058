//! Turns files to remove into moves to the trash: a folder that would be empty is moved as a whole.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::{Discovery, FileRole};

/// The moves, in order: files, and those of the folders that hold nothing else. Locks go with their folder.
pub(crate) fn discards(files: &[PathBuf], folders: &[PathBuf], discovery: &Discovery) -> Vec<Change> {
    let going: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let stays = |path: &Path, role: &FileRole| *role != FileRole::Lock && !going.contains(path);
    let is_whole = |folder: &&PathBuf| {
        let sides = || discovery.side_files.iter().map(|file| (&file.path, file.role.clone()));
        let agents = || discovery.agents.iter().map(|agent| (&agent.path, FileRole::Unknown));
        let sessions = || discovery.sessions.iter().map(|session| (&session.path, FileRole::Unknown));
        let mut inside = sides().chain(agents()).chain(sessions());
        folder.is_dir() && !inside.any(|(path, role)| path.starts_with(folder) && stays(path, &role))
    };
    let mut whole: Vec<&PathBuf> = folders.iter().filter(is_whole).collect();
    whole.sort();
    whole.dedup();
    let under_whole = |path: &Path| whole.iter().any(|folder| path.starts_with(folder));
    let mut single: Vec<&PathBuf> = files.iter().filter(|path| !under_whole(path)).collect();
    single.sort();
    single.dedup();
    let paths = single.into_iter().chain(whole.iter().copied());
    paths.map(|path| Change::Discard { path: path.clone() }).collect()
}
