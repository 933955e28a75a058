//! Archives sessions: writes new chunks into a pack and records a version of each session.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::journal::Journal;
use annals_store::source::{Source, is_uuid};
use annals_store::{Discovery, SessionEntry, Summary};

use crate::chunk_index::ChunkIndex;
use crate::error::VaultError;
use crate::id::{ChunkId, ContentId};
use crate::index::{IndexFile, Locations, PackVersions, StoredContent};
use crate::ingest::{ChunkSink, FileStat, IngestError, ingest};
use crate::pack::PackWriter;
use crate::progress::Progress;
use crate::session_files::SessionFiles;
use crate::version::{FileCopy, FileKind, FolderMode, SessionMeta, Version, VersionId};
use crate::writer::VaultWriter;

/// A pack that grows past this is finished and the next one begun, so that a crash loses no more.
pub(crate) const MAX_PACK_BYTES: u64 = 256 * 1024 * 1024;

/// What an archive run did.
#[derive(Debug, Default)]
pub struct ArchiveReport {
    /// The versions that were added.
    pub kept: Vec<Version>,
    /// How many sessions have not changed since they were archived.
    pub unchanged: usize,
    /// Files that could not be read; their sessions were archived without them, or not at all.
    pub failed: Vec<FailedFile>,
    /// How many bytes the files of the new versions have.
    pub bytes: u64,
    /// How many bytes the vault grew by.
    pub stored: u64,
}

/// A file that could not be archived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedFile {
    pub path: PathBuf,
    /// What went wrong.
    pub why: String,
}

/// How a session on disk compares with the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The vault has no version of it.
    New,
    /// It has changed since the newest version.
    Changed,
    /// The newest version is the session as it is.
    Archived,
}

impl VaultWriter {
    /// Archives sessions of a store. Sessions that have not changed are not read again.
    ///
    /// On `Ok`, all versions that it lists are on the disk; on an error, those of the packs that were finished are.
    pub fn archive(
        &mut self,
        sessions: &[&SessionEntry],
        discovery: &Discovery,
        source: &dyn Source,
        progress: &mut dyn Progress,
    ) -> Result<ArchiveReport, VaultError> {
        let mut done = ArchiveReport::default();
        let session_files = SessionFiles::of(discovery);
        let store = canonical(discovery.config_dir.path());
        let newest: HashMap<_, _> = self
            .catalogue
            .newest()
            .into_iter()
            .map(|(location, version)| (location, version.clone()))
            .collect();
        let mut builder = PackBuilder::new(Journal::new_id(source));
        for session in sessions {
            if let Err(error) = progress.check() {
                builder.pack.take().map(PackWriter::abandon).unwrap_or_default();
                return Err(error);
            }
            let Some(file) = relative(discovery.config_dir.path(), &session.path) else {
                let why = "its name is not UTF-8".to_owned();
                done.failed.push(FailedFile { path: session.path.clone(), why });
                continue;
            };
            let before = newest.get(&(store.clone(), file.clone()));
            let files = session_files.files(session);
            let folders = folder_modes(&files, discovery.config_dir.path());
            if is_archived(&files, discovery.config_dir.path(), before, &self.chunk_index) {
                done.unchanged += 1;
                continue;
            }
            let mut copier =
                SessionCopier { builder: &mut builder, writer: self, before, failed: &mut done.failed };
            let copies = copier.copies(session, &files, discovery.config_dir.path(), progress)?;
            let Some(copies) = copies else { continue };
            if before.is_some_and(|before| {
                has_same_files(&before.files, &copies)
                    && has_same_folders(before, &folders)
                    && self.has_all_chunks(&before.files)
            }) {
                done.unchanged += 1;
                continue;
            }
            let version = Version {
                id: VersionId::from_stored(""),
                session: session.key.clone(),
                store: store.clone(),
                file,
                time: source.now(),
                files: copies,
                folders,
                meta: meta(session),
            };
            builder.versions.push(version.with_id());
            if builder.pack.as_ref().is_some_and(|pack| pack.written() > MAX_PACK_BYTES) {
                let next = PackBuilder::new(Journal::new_id(source));
                std::mem::replace(&mut builder, next).publish(self, &mut done, progress)?;
            }
        }
        builder.publish(self, &mut done, progress)?;
        Ok(done)
    }

    /// Compares sessions with the vault by the metadata of their files; reads no file.
    pub fn status(&self, sessions: &[&SessionEntry], discovery: &Discovery) -> Vec<Status> {
        let session_files = SessionFiles::of(discovery);
        let store = canonical(discovery.config_dir.path());
        let newest = self.catalogue.newest();
        let status = |session: &&SessionEntry| {
            let file = relative(discovery.config_dir.path(), &session.path).unwrap_or_default();
            let before = newest.get(&(store.clone(), file)).copied();
            let files = session_files.files(session);
            match before {
                None => Status::New,
                Some(_) if is_archived(&files, discovery.config_dir.path(), before, &self.chunk_index) => {
                    Status::Archived
                }
                Some(_) => Status::Changed,
            }
        };
        sessions.iter().map(status).collect()
    }

    fn has_all_chunks(&self, files: &[FileCopy]) -> bool {
        files.iter().filter_map(FileCopy::content).all(|content| self.chunk_index.is_whole(content))
    }
}

/// Whether no file has changed since the version, and all chunks of the version are there.
fn is_archived(files: &[PathBuf], root: &Path, before: Option<&Version>, chunk_index: &ChunkIndex) -> bool {
    let Some(before) = before.filter(|before| before.files.len() == files.len()) else { return false };
    if !has_same_folders(before, &folder_modes(files, root)) {
        return false;
    }
    let known: HashMap<&str, &FileCopy> =
        before.files.iter().map(|copy| (copy.path.as_str(), copy)).collect();
    files.iter().all(|path| {
        let copy = relative(root, path).and_then(|relative| known.get(relative.as_str()).copied());
        let stat = fs::metadata(path).ok().map(|metadata| FileStat::of(&metadata));
        matches!((copy, stat), (Some(copy), Some(stat)) if is_unchanged(copy, &stat, chunk_index))
    })
}

fn is_unchanged(copy: &FileCopy, stat: &FileStat, chunk_index: &ChunkIndex) -> bool {
    copy.bytes() == stat.bytes
        && copy.mode == stat.mode
        && copy.modified == stat.modified
        && copy.stamp == stat.stamp
        && copy.content().is_none_or(|content| chunk_index.is_whole(content))
}

/// The modes of the folders that hold these files, below the root; the outermost first.
fn folder_modes(files: &[PathBuf], root: &Path) -> Vec<FolderMode> {
    let above = |path: &PathBuf| -> Vec<PathBuf> {
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != root);
        folders.map(Path::to_path_buf).collect()
    };
    let folders: BTreeSet<PathBuf> =
        files.iter().filter(|path| path.starts_with(root)).flat_map(above).collect();
    let mode = |folder: PathBuf| {
        let mode = FileStat::of(&fs::metadata(&folder).ok()?).mode;
        Some(FolderMode { path: relative(root, &folder)?, mode })
    };
    folders.into_iter().filter_map(mode).collect()
}

/// Whether the folders have the modes that they had. A version of an older release does not say; it is no reason for
/// another version.
fn has_same_folders(before: &Version, folders: &[FolderMode]) -> bool {
    before.folders.is_empty() || before.folders == folders
}

/// Whether two lists name the same files with the same bytes and modes. A changed time alone makes no version.
fn has_same_files(before: &[FileCopy], after: &[FileCopy]) -> bool {
    let fact = |copy: &FileCopy| (copy.path.clone(), copy.content(), copy.mode);
    let sorted = |copies: &[FileCopy]| {
        let mut facts: Vec<_> = copies.iter().map(fact).collect();
        facts.sort_unstable();
        facts
    };
    sorted(before) == sorted(after)
}

fn meta(session: &SessionEntry) -> SessionMeta {
    let Ok(summary) = Summary::read(session) else { return SessionMeta::default() };
    SessionMeta {
        title: summary.display_title().map(str::to_owned),
        first_prompt: summary.first_prompt,
        project: summary.project.map(|project| project.path),
        created: summary.created,
        active: summary.active_millis,
        tag: summary.tag,
        branch: summary.git_branch,
        models: summary.models,
        is_warm_up: summary.is_warm_up,
    }
}

/// Resolves links, so that a store is the same one under each of its paths.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A path relative to the store, as versions name it; `None` if it is not UTF-8 or lies outside.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// A pack that is being written, with the entries of its index.
struct PackBuilder {
    id: String,
    pack: Option<PackWriter>,
    contents: HashMap<ContentId, StoredContent>,
    versions: Vec<Version>,
}

impl PackBuilder {
    fn new(id: String) -> Self {
        Self { id, pack: None, contents: HashMap::new(), versions: Vec::new() }
    }

    fn publish(
        self,
        writer: &mut VaultWriter,
        done: &mut ArchiveReport,
        progress: &mut dyn Progress,
    ) -> Result<(), VaultError> {
        if self.versions.is_empty() {
            return Ok(());
        }
        if let Err(error) = progress.check() {
            self.pack.map(PackWriter::abandon).unwrap_or_default();
            return Err(error);
        }
        let layout = self.pack.map(PackWriter::finish).transpose()?;
        let mut contents: Vec<StoredContent> = self.contents.into_values().collect();
        contents.sort_by_key(|content| content.id);
        let versions = PackVersions { replaces: Vec::new(), versions: self.versions.clone() };
        let index = IndexFile { versions, locations: Locations { layout, contents } };
        done.stored += writer.publish(self.id, index, progress)?;
        done.bytes += self.versions.iter().map(Version::bytes).sum::<u64>();
        done.kept.extend(self.versions);
        Ok(())
    }
}

/// Copies the files of one session into the vault.
struct SessionCopier<'r> {
    builder: &'r mut PackBuilder,
    writer: &'r VaultWriter,
    before: Option<&'r Version>,
    failed: &'r mut Vec<FailedFile>,
}

/// Writes chunks that the vault does not have into the pack, and begins the pack with the first of them.
struct NewChunks<'r> {
    id: &'r str,
    pack: &'r mut Option<PackWriter>,
    writer: &'r VaultWriter,
}

impl ChunkSink for NewChunks<'_> {
    fn take(&mut self, id: ChunkId, bytes: &[u8]) -> Result<(), VaultError> {
        if self.writer.chunk_index.has_chunk(&id) || self.pack.as_ref().is_some_and(|pack| pack.has(&id)) {
            return Ok(());
        }
        let pack = match self.pack {
            Some(pack) => pack,
            None => self.pack.insert(PackWriter::begin(self.writer.vault().new_pack(self.id))?),
        };
        pack.add(id, bytes)
    }
}

impl SessionCopier<'_> {
    /// Copies all files of a session; `None` if the session's own file cannot be read.
    fn copies(
        &mut self,
        session: &SessionEntry,
        files: &[PathBuf],
        root: &Path,
        progress: &mut dyn Progress,
    ) -> Result<Option<Vec<FileCopy>>, VaultError> {
        let mask = if is_uuid(session.key.as_str()) { session.key.as_str() } else { "" };
        let mut copies = Vec::with_capacity(files.len());
        for path in files {
            match self.copy(path, root, mask, progress) {
                Ok(copy) => copies.push(copy),
                Err(IngestError::Vault(error)) => return Err(error),
                // A side file that was removed between listing and reading is not part of this version.
                Err(IngestError::Read(_)) if *path != session.path && !path.exists() => {}
                Err(error) => {
                    let why = match error {
                        IngestError::Read(error) => {
                            error.problem().problem.detail.unwrap_or_default().to_string()
                        }
                        _ => "the file was truncated while it was read".to_owned(),
                    };
                    self.failed.push(FailedFile { path: path.clone(), why });
                    if *path == session.path {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(copies))
    }

    fn copy(
        &mut self,
        path: &Path,
        root: &Path,
        mask: &str,
        progress: &mut dyn Progress,
    ) -> Result<FileCopy, IngestError> {
        let fail = |error| IngestError::Read(annals_store::read::ReadError::new(path, error));
        let relative =
            relative(root, path).ok_or_else(|| fail(std::io::ErrorKind::InvalidFilename.into()))?;
        let metadata = fs::metadata(path).map_err(fail)?;
        let stat = FileStat::of(&metadata);
        let copy = |kind| FileCopy {
            path: relative.clone(),
            kind,
            mode: stat.mode,
            modified: stat.modified,
            stamp: stat.stamp,
        };
        if metadata.is_dir() {
            return Ok(copy(FileKind::Folder));
        }
        let chunk_index = &self.writer.chunk_index;
        let before = self.before.and_then(|before| before.files.iter().find(|copy| copy.path == relative));
        if let Some(before) = before.filter(|before| is_unchanged(before, &stat, chunk_index)) {
            return Ok(before.clone());
        }
        let known = before.and_then(FileCopy::content).filter(|content| chunk_index.is_whole(*content));
        let known = known.and_then(|content| chunk_index.content(&content)).cloned();
        let mut sink = NewChunks { id: &self.builder.id, pack: &mut self.builder.pack, writer: self.writer };
        let content = ingest(path, stat.bytes, mask, known.as_ref(), &mut sink, progress)?;
        let id = content.id;
        let is_nothing_new = known.is_some_and(|known| known.id == id);
        if !is_nothing_new && (chunk_index.content(&id).is_none() || !chunk_index.is_whole(id)) {
            self.builder.contents.entry(id).or_insert(content);
        }
        Ok(copy(FileKind::File { content: id, bytes: stat.bytes }))
    }
}
