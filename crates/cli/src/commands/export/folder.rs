//! The folder of an export: what is in it, what is ours, and what has to be written.
//!
//! Files wait under names that the next export knows; then they are noted; then they take their names. Whatever ends this
//! process, a file that has its name is whole and noted.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use annals_store::digest;
use annals_store::files::{create_folder, is_left_over, stage_file, swap_in, unstage};
use annals_store::read::open_file;

use super::document::Document;
use super::index_page;
use super::manifest::{Manifest, ManifestEntry, plain_bytes};
use super::names::file_name;
use crate::args::ExportArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::session::ResolvedSession;

/// The bytes at the end of a file that tell versions of one size and time apart.
const TAIL: u64 = 4096;

/// Files that wait until they are noted together.
const MAX_WAITING: usize = 50;

/// What became of a file.
pub(super) enum WriteOutcome {
    Written(String),
    /// It is up to date.
    Unchanged(String),
    /// Somebody else's file has the name.
    Foreign(String),
}

/// What is there under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    /// Nothing.
    Missing,
    /// What the last export wrote.
    Written,
    /// What the export before it wrote: the last was ended before the new file took its name.
    Older,
    /// Somebody else's file, or one that was changed.
    Foreign,
}

/// The folder that an export writes to.
pub(super) struct ExportFolder {
    path: PathBuf,
    manifest: Manifest,
    /// The names that this export has used, with their sources.
    used: Vec<(String, PathBuf)>,
    /// Files that have not taken their names yet.
    waiting: Vec<String>,
    _lock: Option<File>,
}

impl ExportFolder {
    /// Opens a folder that may not exist yet. The store is no place for exports.
    pub(super) fn open(args: &ExportArgs, context: &Context) -> Result<Self, Fault> {
        let path = args.to.clone();
        if path.exists() && !path.is_dir() {
            return Err(Fault::usage(format!("{}: not a folder", path.display()))
                .hint("--to names a folder, or - for standard output"));
        }
        let existing = path.ancestors().find_map(|folder| folder.canonicalize().ok());
        let store = context.store.config_dir().path().canonicalize();
        if let (Some(existing), Ok(store)) = (existing, store)
            && existing.starts_with(&store)
        {
            return Err(Fault::usage(format!(
                "{}: inside the store, where only sessions belong",
                path.display()
            ))
            .hint("name a folder outside it"));
        }
        create_folder(&path)?;
        let lock = lock(&path, context);
        remove_left_overs(&path);
        let manifest = Manifest::read(&path);
        Ok(Self { path, manifest, used: Vec::new(), waiting: Vec::new(), _lock: lock })
    }

    /// Exports a session, unless its file is up to date.
    pub(super) fn export(
        &mut self,
        args: &ExportArgs,
        target: &ResolvedSession,
        context: &Context,
    ) -> Result<WriteOutcome, Fault> {
        target.check_readable()?;
        let name = self.name(args, target);
        let fingerprint = fingerprint(args, target, context);
        let state = self.state(&name);
        let is_known = self.manifest.get(&name).is_some_and(|entry| entry.fingerprint == fingerprint);
        match state {
            _ if args.force => {}
            FileState::Foreign => return Ok(WriteOutcome::Foreign(name)),
            FileState::Written if is_known => return Ok(WriteOutcome::Unchanged(name)),
            _ => {}
        }
        let document = Document::of(args, target, context)?;
        let entry = ManifestEntry {
            file: name.clone(),
            source: target.display_path(&target.path).display().to_string(),
            fingerprint,
            row: document.row.clone(),
            ..ManifestEntry::default()
        };
        self.put(entry, state, &document.into_bytes())?;
        if self.waiting.len() >= MAX_WAITING {
            self.save()?;
        }
        Ok(WriteOutcome::Written(name))
    }

    /// Writes a file that waits for its name.
    fn put(&mut self, mut entry: ManifestEntry, state: FileState, bytes: &[u8]) -> Result<(), Fault> {
        stage_file(&self.path.join(&entry.file), bytes)?;
        let before = self.manifest.get(&entry.file);
        entry.older = match (state, before) {
            (FileState::Written, Some(before)) => before.digest.clone(),
            (FileState::Older, Some(before)) => before.older.clone(),
            _ => String::new(),
        };
        entry.digest = digest::sha256(bytes);
        self.waiting.push(entry.file.clone());
        self.manifest.put(entry);
        Ok(())
    }

    /// Notes the files that wait, and gives them their names.
    pub(super) fn save(&mut self) -> Result<(), Fault> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut saved = self.manifest.write(&self.path);
        for name in std::mem::take(&mut self.waiting) {
            let path = self.path.join(name);
            match saved {
                Ok(()) => saved = swap_in(&path).map_err(Fault::from),
                Err(_) => unstage(&path),
            }
        }
        saved
    }

    /// Writes the list of all files of this format in the folder, if there are several.
    pub(super) fn finish(&mut self, args: &ExportArgs) -> Result<Option<WriteOutcome>, Fault> {
        let Some((name, bytes)) = index_page::of(args, &self.manifest) else { return Ok(None) };
        let path = self.path.join(&name);
        if plain_bytes(&path).is_some_and(|old| old == bytes) {
            return Ok(Some(WriteOutcome::Unchanged(name)));
        }
        let state = self.state(&name);
        if !args.force && state == FileState::Foreign {
            return Ok(Some(WriteOutcome::Foreign(name)));
        }
        self.put(ManifestEntry { file: name.clone(), ..ManifestEntry::default() }, state, &bytes)?;
        Ok(Some(WriteOutcome::Written(name)))
    }

    /// The name of a session's file. Sessions of two projects may have one id.
    fn name(&mut self, args: &ExportArgs, target: &ResolvedSession) -> String {
        let stem = file_name(target.key.as_str());
        let is_taken = |name: &str| {
            self.used.iter().any(|(used, path)| used.eq_ignore_ascii_case(name) && *path != target.path)
        };
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let names = std::iter::once(stem.clone())
            .chain(numbered)
            .map(|stem| format!("{stem}.{}", args.form.extension()));
        let name = names.into_iter().find(|name| !is_taken(name)).unwrap_or_default();
        self.used.push((name.clone(), target.path.clone()));
        name
    }

    fn state(&self, name: &str) -> FileState {
        let path = self.path.join(name);
        if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return FileState::Missing;
        }
        let (Some(entry), Some(bytes)) = (self.manifest.get(name), plain_bytes(&path)) else {
            return FileState::Foreign;
        };
        match digest::sha256(&bytes) {
            found if found == entry.digest => FileState::Written,
            found if found == entry.older => FileState::Older,
            _ => FileState::Foreign,
        }
    }
}

impl Drop for ExportFolder {
    /// What was not noted goes, such as when the disk is full.
    fn drop(&mut self) {
        self.waiting.iter().for_each(|name| unstage(&self.path.join(name)));
    }
}

/// Takes the lock of the folder, after another export to it if there is one: each would remove files of the other that wait for
/// their names. `None` where folders cannot be locked.
fn lock(folder: &Path, context: &Context) -> Option<File> {
    let file = File::open(folder).ok()?;
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) => {
            context.say(format!("{}: another annals exports to this folder; waiting", folder.display()));
            file.lock().ok().map(|()| file)
        }
        Err(TryLockError::Error(_)) => None,
    }
}

/// Removes files that waited for their names when an export was killed.
fn remove_left_overs(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().to_str().is_some_and(is_left_over) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Identifies the content of a session's files and everything that shapes the page.
fn fingerprint(args: &ExportArgs, target: &ResolvedSession, context: &Context) -> String {
    let mut parts = vec![
        env!("CARGO_PKG_VERSION").to_owned(),
        format!("{:?} {:?} {} {}", args.form, args.detail, args.redact, args.include_agents),
        format!("{:?}", context.zone.iana_name()),
        file_state(&target.path),
    ];
    if args.include_agents {
        parts.extend(target.agent_entries().iter().map(|entry| file_state(&entry.path)));
    }
    digest::sha256(parts.join("\n").as_bytes())
}

/// Size, time and end of a file.
fn file_state(path: &Path) -> String {
    use std::io::{Read, Seek, SeekFrom};
    let state = || -> std::io::Result<String> {
        let mut file = open_file(path)?;
        let metadata = file.metadata()?;
        let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        file.seek(SeekFrom::Start(metadata.len().saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let time = time.map_or(0, |time| time.as_nanos());
        Ok(format!("{} {} {time} {}", path.display(), metadata.len(), digest::sha256(&tail)))
    };
    state().unwrap_or_default()
}
