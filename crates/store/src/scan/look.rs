//! Looking at a store again: what is known is asked for by name, what has changed is listed.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Store;
use super::ask::{Asker, Near, stamp};
use super::sighting::{Changes, Folder, Known, Seen, Sighting};
use super::walk::{MOST_DEPTH, leads_back, modified_millis};
use crate::digest::sha256_bytes;

/// The folders beside the projects that count. Copies of edited files do not: they never change.
const SIDES: [&str; 3] = ["todos", "tasks", "plans"];
/// A folder that was written to less than this before the look may have been written to after it, at the same time on the clock.
const SETTLED_MILLIS: i64 = 2_000;
/// So many folders are one piece of the work.
const PIECE: usize = 32;

impl Store {
    /// Looks at the store, and at folders elsewhere that count as well, and compares it with what was known at `now`
    /// (milliseconds since 1970). No file is opened.
    pub fn look_again(&self, known: &Sighting, also: &[PathBuf], now: i64) -> Seen {
        let look = self.look(known, also, now);
        look.take_part();
        look.seen()
    }

    /// The same as work that several may take part in.
    pub fn look<'s>(&'s self, known: &'s Sighting, also: &[PathBuf], now: i64) -> Look<'s> {
        let config = self.config_dir.path();
        let mut roots = vec![self.config_dir.projects()];
        roots.extend(SIDES.iter().map(|name| config.join(name)));
        roots.extend(also.iter().cloned());
        roots.retain(|root| root.to_str().is_some_and(|root| known.folder(root).is_none()));
        let looker = Looker { store: self, known, now, asker: Asker::below(config) };
        Look { looker, roots, next: AtomicUsize::new(0), found: Mutex::default() }
    }
}

/// A look at a store, as work that is done piece by piece by whoever has time.
pub struct Look<'s> {
    looker: Looker<'s>,
    /// Those that were not known.
    roots: Vec<PathBuf>,
    next: AtomicUsize,
    found: Mutex<Found>,
}

impl Look<'_> {
    /// Does pieces of it until none is left to begin.
    pub fn take_part(&self) {
        let mut found = Found::default();
        let folders = self.looker.known.folder_count();
        loop {
            let from = self.next.fetch_add(PIECE, Ordering::Relaxed);
            if from == 0 {
                self.looker.history(&mut found);
                self.roots.iter().for_each(|root| self.looker.folder(root, None, &mut found));
            }
            if from >= folders {
                break;
            }
            for folder in self.looker.known.folders().skip(from).take(PIECE) {
                self.looker.folder(Path::new(folder.path()), Some(folder), &mut found);
            }
        }
        self.found.lock().unwrap_or_else(PoisonError::into_inner).join(found);
    }

    /// What was seen, when all who took part are done.
    pub fn seen(self) -> Seen {
        if self.looker.store.config_dir.path().to_str().is_none() {
            // What cannot be kept cannot be compared.
            return Seen { changes: Changes::More, folders: BTreeMap::new() };
        }
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let changes = match (found.is_more, found.changed.is_empty()) {
            (true, _) => Changes::More,
            (false, true) => Changes::Nothing,
            (false, false) => Changes::Files(found.changed),
        };
        Seen { changes, folders: found.folders }
    }
}

#[derive(Default)]
struct Found {
    /// Those that are not as they were; none for those that are gone.
    folders: BTreeMap<String, Option<Folder>>,
    changed: Vec<PathBuf>,
    is_more: bool,
    near: Near,
}

impl Found {
    /// A folder whose name is no text is not kept, and looked into each time.
    fn note(&mut self, path: &Path, folder: Option<Folder>) {
        if let Some(path) = path.to_str() {
            self.folders.insert(path.to_owned(), folder);
        }
    }

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
    asker: Asker,
}

impl Looker<'_> {
    /// The one file of the config dir itself that counts; the folder changes with every whim of the client.
    fn history(&self, found: &mut Found) {
        let (folder, path) = (self.store.config_dir.path(), self.store.config_dir.history());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = folder.to_str().and_then(|folder| self.known.folder(folder));
        let before = known.and_then(|known| known.files().next()).map(|(_, stamp)| stamp);
        let now = fs::metadata(&path).ok().map(|metadata| stamp(&metadata));
        match (before, now) {
            (Some(before), Some(now)) if before != now => found.changed.push(path),
            (Some(_), None) | (None, Some(_)) => found.is_more = true,
            // The folder stands for the store itself: a sighting without it is none of this store.
            _ if known.is_some() => return,
            _ => {}
        }
        let files = now.map(|now| (name, now)).into_iter().collect();
        found.note(folder, Some(Folder { stamp: 0, is_settled: true, files, others: 0 }));
    }

    fn folder(&self, path: &Path, known: Option<Known<'_>>, found: &mut Found) {
        if path == self.store.config_dir.path() {
            return;
        }
        if let (Some(known), Some(path_text)) = (known, path.to_str())
            && self.asker.stamp(path_text, &mut found.near).is_ok_and(|stamp| known.is_same(stamp))
        {
            return self.known_names(path, known, found);
        }
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            // A folder that never was there is no news; one that cannot be asked for is asked for again.
            Err(error) => {
                found.is_more |= known.is_some();
                if known.is_some() && error.kind() == ErrorKind::NotFound {
                    found.note(path, None);
                }
                return;
            }
        };
        self.list(path, &metadata, known, found);
    }

    /// No name has come or gone: the files are asked for one by one.
    fn known_names(&self, path: &Path, known: Known<'_>, found: &mut Found) {
        let mut folder: Option<Folder> = None;
        let mut file = std::mem::take(&mut found.near.path);
        file.clear();
        file.push_str(known.path());
        file.push(MAIN_SEPARATOR);
        let names_from = file.len();
        for (at, (name, before)) in known.files().enumerate() {
            file.truncate(names_from);
            file.push_str(name);
            match self.asker.stamp(&file, &mut found.near) {
                Ok(now) if now == before => {}
                Ok(now) => {
                    folder.get_or_insert_with(|| known.to_folder()).files[at].1 = now;
                    found.changed.push(path.join(name));
                }
                Err(_) => found.is_more = true,
            }
        }
        found.near.path = file;
        if folder.is_some() {
            found.note(path, folder);
        }
    }

    fn list(&self, path: &Path, metadata: &Metadata, known: Option<Known<'_>>, found: &mut Found) {
        let modified = modified_millis(metadata).unwrap_or(self.now);
        let mut folder = Folder {
            stamp: stamp(metadata),
            is_settled: modified < self.now - SETTLED_MILLIS,
            files: Vec::new(),
            others: 0,
        };
        let Ok(list) = fs::read_dir(path) else {
            // It is tried again each time, and is news once: when it could be listed before, or was not known.
            found.is_more |= known.is_none_or(|known| known.files().next().is_some());
            folder.is_settled = false;
            return found.note(path, Some(folder));
        };
        let (mut inner, mut others) = (Vec::new(), Vec::new());
        for entry in list.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let target = || fs::metadata(entry.path()).ok();
            let metadata = if kind.is_symlink() { target() } else { None };
            // Where a link leads may come and go without a word to this folder, and a name that is no text cannot be kept.
            let is_lasting = !kind.is_symlink() || metadata.as_ref().is_some_and(Metadata::is_file);
            folder.is_settled &= is_lasting && !(kind.is_dir() && entry.file_name().to_str().is_none());
            if kind.is_dir() || metadata.as_ref().is_some_and(Metadata::is_dir) {
                inner.push((entry.path(), kind.is_symlink()));
            } else if let Some(name) = entry.file_name().to_str()
                && let Some(metadata) = metadata.or_else(|| entry.metadata().ok())
            {
                let files = if self.grows(path, name) { &mut folder.files } else { &mut others };
                files.push((name.to_owned(), stamp(&metadata)));
            }
        }
        folder.files.sort();
        folder.others = in_one_number(others);
        let names = folder.files.iter().map(|(name, _)| name.as_str());
        match known {
            Some(known)
                if known.others() == folder.others && known.files().map(|(name, _)| name).eq(names) =>
            {
                let pairs = folder.files.iter().zip(known.files());
                let changed = pairs.filter(|((_, now), (_, before))| now != before);
                found.changed.extend(changed.map(|((name, _), _)| path.join(name)));
            }
            _ => found.is_more = true,
        }
        found.note(path, Some(folder));
        for (inner, is_link) in inner {
            let is_known = inner.to_str().is_some_and(|inner| self.known.folder(inner).is_some());
            if !is_known && self.depth(&inner) <= MOST_DEPTH && !(is_link && leads_back(self.root(), &inner))
            {
                found.is_more = true;
                self.folder(&inner, None, found);
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

/// Files, by name, identity, size and time; nothing is 0.
fn in_one_number(mut files: Vec<(String, u64)>) -> u64 {
    files.sort();
    let text: String = files.iter().map(|(name, stamp)| format!("{stamp:016x} {name}\0")).collect();
    let digest = sha256_bytes(text.as_bytes());
    let first = digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
    if files.is_empty() { 0 } else { first }
}
