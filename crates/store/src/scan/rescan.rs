//! Scans a store for changes: known files are checked by name, changed folders are listed.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Store;
use super::snapshot::{FolderState, KnownFolder, ScanDiff, StoreChanges, StoreSnapshot};
use super::stat::{FolderCursor, StatReader, stamp};
use super::walk::{LinkTarget, MAX_DEPTH, RoleRules, link_target, modified_millis};
use crate::digest::sha256_bytes;

/// The watched folders outside `projects`. Copies of edited files are not watched: they never change.
const SIDE_FOLDERS: [&str; 4] = ["todos", "tasks", "plans", "paste-cache"];
/// A folder that was written to less than this before the look may have been written to after it, at the same time on the clock.
const SETTLED_MILLIS: i64 = 2_000;
/// How many folders one thread takes at a time.
const BATCH: usize = 32;

impl Store {
    /// Compares the store, and the folders in `also`, with a snapshot at `now`
    /// (milliseconds since 1970). No file is opened.
    pub fn rescan(&self, known: &StoreSnapshot, also: &[PathBuf], now: i64) -> ScanDiff {
        let scan = self.scan(known, also, now);
        scan.run();
        scan.diff()
    }

    /// Prepares the same as a scan that several threads can run.
    pub fn scan<'s>(&'s self, known: &'s StoreSnapshot, also: &[PathBuf], now: i64) -> Scan<'s> {
        let config = self.config_dir.path();
        let mut roots = vec![self.config_dir.projects()];
        roots.extend(SIDE_FOLDERS.iter().map(|name| config.join(name)).filter(|path| !path.is_symlink()));
        roots.extend(also.iter().cloned());
        roots.retain(|root| root.to_str().is_some_and(|root| known.folder(root).is_none()));
        let scanner = Scanner { store: self, known, now, stat_reader: StatReader::below(config) };
        Scan { scanner, roots, next: AtomicUsize::new(0), found: Mutex::default() }
    }
}

/// A scan of a store that several threads can work on.
pub struct Scan<'s> {
    scanner: Scanner<'s>,
    /// Those that were not known.
    roots: Vec<PathBuf>,
    next: AtomicUsize,
    found: Mutex<Findings>,
}

impl Scan<'_> {
    /// Works on the scan until no batch is left; any number of threads may call it.
    pub fn run(&self) {
        let mut found = Findings::default();
        let folders = self.scanner.known.folder_count();
        loop {
            let from = self.next.fetch_add(BATCH, Ordering::Relaxed);
            if from == 0 {
                self.scanner.history(&mut found);
                self.roots.iter().for_each(|root| self.scanner.folder(root, None, &mut found));
            }
            if from >= folders {
                break;
            }
            for folder in self.scanner.known.folders().skip(from).take(BATCH) {
                self.scanner.folder(Path::new(folder.path()), Some(folder), &mut found);
            }
        }
        self.found.lock().unwrap_or_else(PoisonError::into_inner).join(found);
    }

    /// Returns what has changed, once every `run` has returned.
    pub fn diff(self) -> ScanDiff {
        if self.scanner.store.config_dir.path().to_str().is_none() {
            // What cannot be kept cannot be compared.
            return ScanDiff { changes: StoreChanges::More, folders: BTreeMap::new() };
        }
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let changes = match (found.has_more, found.changed.is_empty()) {
            (true, _) => StoreChanges::More,
            (false, true) => StoreChanges::Nothing,
            (false, false) => StoreChanges::Files(found.changed),
        };
        ScanDiff { changes, folders: found.folders }
    }
}

#[derive(Default)]
struct Findings {
    /// Those that are not as they were; none for those that are gone.
    folders: BTreeMap<String, Option<FolderState>>,
    changed: Vec<PathBuf>,
    has_more: bool,
    near: FolderCursor,
}

impl Findings {
    /// A folder name that is not UTF-8 is not stored, and the folder is read each time.
    fn note(&mut self, path: &Path, folder: Option<FolderState>) {
        if let Some(path) = path.to_str() {
            self.folders.insert(path.to_owned(), folder);
        }
    }

    fn join(&mut self, other: Self) {
        self.folders.extend(other.folders);
        self.changed.extend(other.changed);
        self.has_more |= other.has_more;
    }
}

struct Scanner<'s> {
    store: &'s Store,
    known: &'s StoreSnapshot,
    now: i64,
    stat_reader: StatReader,
}

impl Scanner<'_> {
    /// The one file of the config dir itself that counts; the folder changes with every whim of the client.
    fn history(&self, found: &mut Findings) {
        let (folder, path) = (self.store.config_dir.path(), self.store.config_dir.history());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = folder.to_str().and_then(|folder| self.known.folder(folder));
        let before = known.and_then(|known| known.files().next()).map(|(_, stamp)| stamp);
        let now = fs::symlink_metadata(&path).ok().filter(Metadata::is_file).map(|metadata| stamp(&metadata));
        match (before, now) {
            (Some(before), Some(now)) if before != now => found.changed.push(path),
            (Some(_), None) | (None, Some(_)) => found.has_more = true,
            // The root folder represents the store: a snapshot without it is invalid.
            _ if known.is_some() => return,
            _ => {}
        }
        let files = now.map(|now| (name, now)).into_iter().collect();
        found.note(folder, Some(FolderState { stamp: 0, is_settled: true, files, others: 0 }));
    }

    fn folder(&self, path: &Path, known: Option<KnownFolder<'_>>, found: &mut Findings) {
        if path == self.store.config_dir.path() {
            return;
        }
        if let (Some(known), Some(path_text)) = (known, path.to_str())
            && self.stat_reader.stamp(path_text, &mut found.near).is_ok_and(|stamp| known.is_same(stamp))
        {
            return self.known_names(path, known, found);
        }
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            // A missing folder that was never there is not a change; an unreadable one is tried again.
            Err(error) => {
                found.has_more |= known.is_some();
                if known.is_some() && error.kind() == ErrorKind::NotFound {
                    found.note(path, None);
                }
                return;
            }
        };
        self.list(path, &metadata, known, found);
    }

    /// No name was added or removed: checks the files one by one.
    fn known_names(&self, path: &Path, known: KnownFolder<'_>, found: &mut Findings) {
        let mut folder: Option<FolderState> = None;
        let mut file = std::mem::take(&mut found.near.path);
        file.clear();
        file.push_str(known.path());
        file.push(MAIN_SEPARATOR);
        let names_from = file.len();
        for (at, (name, before)) in known.files().enumerate() {
            file.truncate(names_from);
            file.push_str(name);
            match self.stat_reader.stamp(&file, &mut found.near) {
                Ok(now) if now == before => {}
                Ok(now) => {
                    folder.get_or_insert_with(|| known.to_folder()).files[at].1 = now;
                    found.changed.push(path.join(name));
                }
                Err(_) => found.has_more = true,
            }
        }
        found.near.path = file;
        if folder.is_some() {
            found.note(path, folder);
        }
    }

    fn list(&self, path: &Path, metadata: &Metadata, known: Option<KnownFolder<'_>>, found: &mut Findings) {
        let modified = modified_millis(metadata).unwrap_or(self.now);
        let mut folder = FolderState {
            stamp: stamp(metadata),
            is_settled: modified < self.now - SETTLED_MILLIS,
            files: Vec::new(),
            others: 0,
        };
        let Ok(list) = fs::read_dir(path) else {
            // It is tried again each time, and is news once: when it could be listed before, or was not known.
            found.has_more |= known.is_none_or(|known| known.files().next().is_some());
            folder.is_settled = false;
            return found.note(path, Some(folder));
        };
        let (mut inner, mut others) = (Vec::new(), Vec::new());
        for entry in list.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let is_followed = || link_target(&self.roles(), &entry.path()) == LinkTarget::SameKind;
            let is_ignored = kind.is_symlink() && !is_followed();
            let metadata = if kind.is_symlink() { fs::metadata(entry.path()).ok() } else { None };
            // The target of a link can appear and vanish without a change of this folder, and a name that is not UTF-8
            // cannot be stored.
            let is_lasting = !kind.is_symlink() || metadata.as_ref().is_some_and(Metadata::is_file);
            let is_storable = !(kind.is_dir() && entry.file_name().to_str().is_none());
            folder.is_settled &= is_lasting && !is_ignored && is_storable;
            if is_ignored {
                continue;
            }
            if kind.is_dir() || metadata.as_ref().is_some_and(Metadata::is_dir) {
                inner.push(entry.path());
            } else if let Some(name) = entry.file_name().to_str()
                && let Some(metadata) = metadata.or_else(|| entry.metadata().ok())
            {
                let files = if self.grows(path, name) { &mut folder.files } else { &mut others };
                files.push((name.to_owned(), stamp(&metadata)));
            }
        }
        folder.files.sort();
        folder.others = combined_stamp(others);
        let names = folder.files.iter().map(|(name, _)| name.as_str());
        match known {
            Some(known)
                if known.others() == folder.others && known.files().map(|(name, _)| name).eq(names) =>
            {
                let pairs = folder.files.iter().zip(known.files());
                let changed = pairs.filter(|((_, now), (_, before))| now != before);
                found.changed.extend(changed.map(|((name, _), _)| path.join(name)));
            }
            _ => found.has_more = true,
        }
        found.note(path, Some(folder));
        for inner in inner {
            let is_known = inner.to_str().is_some_and(|inner| self.known.folder(inner).is_some());
            if !is_known && self.depth(&inner) <= MAX_DEPTH {
                found.has_more = true;
                self.folder(&inner, None, found);
            }
        }
    }

    /// Whether a file may grow without a change of its folder.
    fn grows(&self, folder: &Path, name: &str) -> bool {
        let is_memory = || folder.components().any(|part| part.as_os_str() == "memory");
        name.ends_with(".jsonl") || !folder.starts_with(self.store.config_dir.projects()) || is_memory()
    }

    fn root(&self) -> &Path {
        self.store.config_dir.path()
    }

    fn roles(&self) -> RoleRules<'_> {
        RoleRules::Config(&self.store.config_dir)
    }

    fn depth(&self, path: &Path) -> usize {
        path.strip_prefix(self.root()).map_or(0, |inside| inside.components().count())
    }
}

/// Files, by name, identity, size and time; nothing is 0.
fn combined_stamp(mut files: Vec<(String, u64)>) -> u64 {
    files.sort();
    let text: String = files.iter().map(|(name, stamp)| format!("{stamp:016x} {name}\0")).collect();
    let digest = sha256_bytes(text.as_bytes());
    let first = digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
    if files.is_empty() { 0 } else { first }
}
