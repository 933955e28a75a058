//! Looking at a store again: what is known is asked for by name, what has changed is listed.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::Store;
use super::sighting::{Changes, Folder, Seen, Sighting, stamp};
use super::walk::{MOST_DEPTH, leads_back, modified_millis};
use crate::parallel;

/// The folders beside the projects that count. Copies of edited files do not: they never change.
const SIDES: [&str; 3] = ["todos", "tasks", "plans"];
/// A folder that was written to less than this before the look may have been written to after it, at the same time on the clock.
const SETTLED_MILLIS: i64 = 2_000;
/// So many folders are one piece of work.
const PIECE: usize = 32;

impl Store {
    /// Looks at the store, and at folders elsewhere that count as well, and compares it with what was known at `now`
    /// (milliseconds since 1970). No file is opened.
    pub fn look_again(&self, known: &Sighting, also: &[PathBuf], now: i64) -> Seen {
        let config = self.config_dir.path();
        let mut roots = vec![self.config_dir.projects()];
        roots.extend(SIDES.iter().map(|name| config.join(name)));
        roots.extend(also.iter().cloned());
        let looker = Looker { store: self, known, now };
        let mut folders: Vec<&Path> = known.folders.keys().map(PathBuf::as_path).collect();
        folders.extend(roots.iter().map(PathBuf::as_path).filter(|root| !known.folders.contains_key(*root)));
        let pieces: Vec<&[&Path]> = folders.chunks(PIECE).collect();
        let looks = parallel::map(&pieces, |piece| {
            let mut found = Found::default();
            piece.iter().for_each(|folder| looker.folder(folder, &mut found));
            found
        });
        let mut all = Found::default();
        looker.history(&mut all);
        looks.into_iter().for_each(|found| all.join(found));
        let changes = match (all.is_more, all.changed.is_empty()) {
            (true, _) => Changes::More,
            (false, true) => Changes::Nothing,
            (false, false) => Changes::Files(all.changed),
        };
        Seen { sighting: Sighting { folders: all.folders }, changes }
    }
}

#[derive(Default)]
struct Found {
    folders: BTreeMap<PathBuf, Folder>,
    changed: Vec<PathBuf>,
    is_more: bool,
}

impl Found {
    fn join(&mut self, other: Self) {
        self.folders.extend(other.folders);
        self.changed.extend(other.changed);
        self.is_more |= other.is_more;
    }
}

struct Looker<'s> {
    store: &'s Store,
    known: &'s Sighting,
    now: i64,
}

impl Looker<'_> {
    /// The one file of the config dir itself that counts; the folder changes with every whim of the client.
    fn history(&self, found: &mut Found) {
        let (folder, path) = (self.store.config_dir.path(), self.store.config_dir.history());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = self.known.folders.get(folder).and_then(|known| known.files.get(&name).copied());
        let now = fs::metadata(&path).ok().map(|metadata| stamp(&metadata));
        match (known, now) {
            (Some(known), Some(now)) if known != now => found.changed.push(path),
            (Some(_), None) | (None, Some(_)) => found.is_more = true,
            _ => {}
        }
        let files = now.map(|now| (name, now)).into_iter().collect();
        found.folders.insert(folder.to_path_buf(), Folder { stamp: 0, is_settled: true, files });
    }

    fn folder(&self, path: &Path, found: &mut Found) {
        if path == self.store.config_dir.path() {
            return;
        }
        let known = self.known.folders.get(path);
        let Ok(metadata) = fs::metadata(path) else {
            // A folder that never was there is no news.
            found.is_more |= known.is_some();
            return;
        };
        match known.filter(|known| known.is_settled && known.stamp == stamp(&metadata)) {
            Some(known) => self.known_names(path, known, found),
            None => self.list(path, &metadata, known, found),
        }
    }

    /// No name has come or gone: the files are asked for one by one.
    fn known_names(&self, path: &Path, known: &Folder, found: &mut Found) {
        let mut folder = known.clone();
        for (name, before) in &mut folder.files {
            let file = path.join(name);
            match fs::metadata(&file) {
                Ok(metadata) if stamp(&metadata) == *before => {}
                Ok(metadata) => {
                    *before = stamp(&metadata);
                    found.changed.push(file);
                }
                Err(_) => found.is_more = true,
            }
        }
        found.folders.insert(path.to_path_buf(), folder);
    }

    fn list(&self, path: &Path, metadata: &Metadata, known: Option<&Folder>, found: &mut Found) {
        let modified = modified_millis(metadata).unwrap_or(self.now);
        let mut folder = Folder {
            stamp: stamp(metadata),
            is_settled: modified < self.now - SETTLED_MILLIS,
            files: BTreeMap::new(),
        };
        // A folder that cannot be listed is tried again each time.
        let Ok(list) = fs::read_dir(path) else { return found.is_more = true };
        let mut inner = Vec::new();
        for entry in list.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let target = || fs::metadata(entry.path()).ok();
            let metadata = if kind.is_symlink() { target() } else { None };
            if kind.is_dir() || metadata.as_ref().is_some_and(Metadata::is_dir) {
                inner.push((entry.path(), kind.is_symlink()));
            } else if let Some(name) = entry.file_name().to_str().filter(|name| self.grows(path, name)) {
                if let Some(metadata) = metadata.or_else(|| entry.metadata().ok()) {
                    folder.files.insert(name.to_owned(), stamp(&metadata));
                }
            }
        }
        match known {
            Some(known) if known.files.keys().eq(folder.files.keys()) => {
                let changed =
                    folder.files.iter().filter(|(name, stamp)| known.files.get(*name) != Some(stamp));
                found.changed.extend(changed.map(|(name, _)| path.join(name)));
            }
            _ => found.is_more = true,
        }
        found.folders.insert(path.to_path_buf(), folder);
        for (inner, is_link) in inner {
            let is_known = self.known.folders.contains_key(&inner);
            if !is_known && self.depth(&inner) <= MOST_DEPTH && !(is_link && leads_back(self.root(), &inner))
            {
                found.is_more = true;
                self.folder(&inner, found);
            }
        }
    }

    /// Whether a file may change without its folder noticing, and somebody cares.
    fn grows(&self, folder: &Path, name: &str) -> bool {
        name.ends_with(".jsonl") || !folder.starts_with(self.store.config_dir.projects())
    }

    fn root(&self) -> &Path {
        self.store.config_dir.path()
    }

    fn depth(&self, path: &Path) -> usize {
        path.strip_prefix(self.root()).map_or(0, |inside| inside.components().count())
    }
}
