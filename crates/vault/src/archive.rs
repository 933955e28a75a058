//! Keeping sessions: what is new of each goes into a pack, and a version says how everything was.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::journal::Journal;
use annals_store::source::{Source, is_uuid};
use annals_store::{Discovery, SessionEntry, Summary};

use crate::belongings::Belongings;
use crate::error::VaultError;
use crate::id::{ChunkId, ContentId};
use crate::index::{Content, IndexFile, Places, Versions};
use crate::intake::{IntakeError, PieceSink, Standing, take_in};
use crate::keeper::Keeper;
use crate::pack::PackWriter;
use crate::shelves::Shelves;
use crate::version::{Card, CopyKind, FileCopy, Version, VersionId};
use crate::witness::Witness;

/// A pack that is longer is finished, and the next one begun: a crash loses no more than this.
pub(crate) const MOST_OF_A_PACK: u64 = 256 * 1024 * 1024;

/// What a run did.
#[derive(Debug, Default)]
pub struct Archived {
    /// The versions that are new.
    pub kept: Vec<Version>,
    /// How many sessions are as they were.
    pub unchanged: usize,
    /// Files that could not be read; their sessions were kept without them, or not at all.
    pub failed: Vec<Failed>,
    /// How many bytes the new versions have.
    pub bytes: u64,
    /// How many bytes the vault grew by.
    pub stored: u64,
}

/// A file that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// How a session stands beside the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// Nothing of it is kept.
    New,
    /// It has changed since it was kept.
    Changed,
    /// All of it is kept.
    Kept,
}

impl Keeper {
    /// Keeps sessions of a store that was looked through. Sessions that are kept already are not read again.
    ///
    /// When this returns `Ok`, all versions that it lists are on the disk; when it does not, those of packs that were finished
    /// are.
    pub fn archive(
        &mut self,
        sessions: &[&SessionEntry],
        discovery: &Discovery,
        source: &dyn Source,
        witness: &mut dyn Witness,
    ) -> Result<Archived, VaultError> {
        let mut done = Archived::default();
        let belongings = Belongings::of(discovery);
        let store = real(discovery.config_dir.path());
        let newest: HashMap<_, _> =
            self.catalogue.newest().into_iter().map(|(place, version)| (place, version.clone())).collect();
        let mut run = Run::new(Journal::new_id(source));
        for session in sessions {
            if let Err(error) = witness.goes_on() {
                run.pack.take().map(PackWriter::abandon).unwrap_or_default();
                return Err(error);
            }
            let Some(file) = relative(discovery.config_dir.path(), &session.path) else { continue };
            let before = newest.get(&(store.clone(), file.clone()));
            let files = belongings.files(session);
            if is_kept(&files, discovery.config_dir.path(), before, &self.shelves) {
                done.unchanged += 1;
                continue;
            }
            let mut intake = Intake { run: &mut run, keeper: self, before, failed: &mut done.failed };
            let copies = intake.copies(session, &files, discovery.config_dir.path(), witness)?;
            let Some(copies) = copies else { continue };
            if before.is_some_and(|before| says_the_same(&before.files, &copies) && self.holds(&before.files))
            {
                done.unchanged += 1;
                continue;
            }
            let version = Version {
                id: VersionId::known(""),
                session: session.key.clone(),
                store: store.clone(),
                file,
                time: source.now(),
                files: copies,
                card: card(session),
            };
            run.versions.push(named(version));
            if run.pack.as_ref().is_some_and(|pack| pack.written() > MOST_OF_A_PACK) {
                let next = Run::new(Journal::new_id(source));
                std::mem::replace(&mut run, next).publish(self, &mut done, witness)?;
            }
        }
        run.publish(self, &mut done, witness)?;
        Ok(done)
    }

    /// How sessions stand, by a look at their files that reads none.
    pub fn outlook(&self, sessions: &[&SessionEntry], discovery: &Discovery) -> Vec<Outlook> {
        let belongings = Belongings::of(discovery);
        let store = real(discovery.config_dir.path());
        let newest = self.catalogue.newest();
        let outlook = |session: &&SessionEntry| {
            let file = relative(discovery.config_dir.path(), &session.path).unwrap_or_default();
            let before = newest.get(&(store.clone(), file)).copied();
            let files = belongings.files(session);
            match before {
                None => Outlook::New,
                Some(_) if is_kept(&files, discovery.config_dir.path(), before, &self.shelves) => {
                    Outlook::Kept
                }
                Some(_) => Outlook::Changed,
            }
        };
        sessions.iter().map(outlook).collect()
    }

    fn holds(&self, files: &[FileCopy]) -> bool {
        files.iter().filter_map(FileCopy::content).all(|content| self.shelves.is_whole(content))
    }
}

/// A version gets its name from all that it says.
fn named(version: Version) -> Version {
    let words = format!("{version:?}");
    Version { id: VersionId::of(&words), ..version }
}

/// Whether every file stands as it did, and all that was kept of it is there.
fn is_kept(files: &[PathBuf], root: &Path, before: Option<&Version>, shelves: &Shelves) -> bool {
    let Some(before) = before.filter(|before| before.files.len() == files.len()) else { return false };
    let known: HashMap<&str, &FileCopy> =
        before.files.iter().map(|copy| (copy.path.as_str(), copy)).collect();
    files.iter().all(|path| {
        let copy = relative(root, path).and_then(|relative| known.get(relative.as_str()).copied());
        let standing = fs::metadata(path).ok().map(|metadata| Standing::of(&metadata));
        matches!((copy, standing), (Some(copy), Some(standing)) if stands_as(copy, &standing, shelves))
    })
}

fn stands_as(copy: &FileCopy, standing: &Standing, shelves: &Shelves) -> bool {
    copy.bytes() == standing.bytes
        && copy.mode == standing.mode
        && copy.modified == standing.modified
        && copy.seen == standing.seen
        && copy.content().is_none_or(|content| shelves.is_whole(content))
}

/// Whether two lists name the same files with the same bytes and modes. Times alone make no version.
fn says_the_same(before: &[FileCopy], after: &[FileCopy]) -> bool {
    let fact = |copy: &FileCopy| (copy.path.clone(), copy.content(), copy.mode);
    let sorted = |copies: &[FileCopy]| {
        let mut facts: Vec<_> = copies.iter().map(fact).collect();
        facts.sort_unstable();
        facts
    };
    sorted(before) == sorted(after)
}

fn card(session: &SessionEntry) -> Card {
    let Ok(summary) = Summary::read(session) else { return Card::default() };
    Card {
        title: summary.title_text().map(str::to_owned),
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

/// A store is the same one under any of its names.
pub(crate) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A path below the store, as versions name it; none where it is no text, or elsewhere.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// A pack in the making, and what will be said of it.
struct Run {
    id: String,
    pack: Option<PackWriter>,
    contents: HashMap<ContentId, Content>,
    versions: Vec<Version>,
}

impl Run {
    fn new(id: String) -> Self {
        Self { id, pack: None, contents: HashMap::new(), versions: Vec::new() }
    }

    fn publish(
        self,
        keeper: &mut Keeper,
        done: &mut Archived,
        witness: &mut dyn Witness,
    ) -> Result<(), VaultError> {
        if self.versions.is_empty() {
            return Ok(());
        }
        if let Err(error) = witness.goes_on() {
            self.pack.map(PackWriter::abandon).unwrap_or_default();
            return Err(error);
        }
        let shape = self.pack.map(PackWriter::finish).transpose()?;
        let mut contents: Vec<Content> = self.contents.into_values().collect();
        contents.sort_by_key(|content| content.id);
        let versions = Versions { replaces: Vec::new(), versions: self.versions.clone() };
        let index = IndexFile { versions, places: Places { shape, contents } };
        done.stored += keeper.publish(self.id, index, witness)?;
        done.bytes += self.versions.iter().map(Version::bytes).sum::<u64>();
        done.kept.extend(self.versions);
        Ok(())
    }
}

/// One session, taken in.
struct Intake<'r> {
    run: &'r mut Run,
    keeper: &'r Keeper,
    before: Option<&'r Version>,
    failed: &'r mut Vec<Failed>,
}

/// Pieces that are nowhere yet go to the pack, which is begun for the first of them.
struct NewPieces<'r> {
    id: &'r str,
    pack: &'r mut Option<PackWriter>,
    keeper: &'r Keeper,
}

impl PieceSink for NewPieces<'_> {
    fn take(&mut self, id: ChunkId, bytes: &[u8]) -> Result<(), VaultError> {
        if self.keeper.shelves.has_chunk(&id) || self.pack.as_ref().is_some_and(|pack| pack.has(&id)) {
            return Ok(());
        }
        let pack = match self.pack {
            Some(pack) => pack,
            None => self.pack.insert(PackWriter::begin(self.keeper.vault().new_pack(self.id))?),
        };
        pack.add(id, bytes)
    }
}

impl Intake<'_> {
    /// Copies of all files of a session; none where its own file cannot be read.
    fn copies(
        &mut self,
        session: &SessionEntry,
        files: &[PathBuf],
        root: &Path,
        witness: &mut dyn Witness,
    ) -> Result<Option<Vec<FileCopy>>, VaultError> {
        let mask = if is_uuid(session.key.as_str()) { session.key.as_str() } else { "" };
        let mut copies = Vec::with_capacity(files.len());
        for path in files {
            match self.copy(path, root, mask, witness) {
                Ok(copy) => copies.push(copy),
                Err(IntakeError::Vault(error)) => return Err(error),
                // A side file that went between the look and the read was never part of this version.
                Err(IntakeError::Read(_)) if *path != session.path && !path.exists() => {}
                Err(error) => {
                    let why = match error {
                        IntakeError::Read(error) => {
                            error.problem().problem.detail.unwrap_or_default().to_string()
                        }
                        _ => "it became shorter while it was read".to_owned(),
                    };
                    self.failed.push(Failed { path: path.clone(), why });
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
        witness: &mut dyn Witness,
    ) -> Result<FileCopy, IntakeError> {
        let fail = |error| IntakeError::Read(annals_store::read::ReadError::new(path, error));
        let relative =
            relative(root, path).ok_or_else(|| fail(std::io::ErrorKind::InvalidFilename.into()))?;
        let metadata = fs::metadata(path).map_err(fail)?;
        let standing = Standing::of(&metadata);
        let copy = |kind| FileCopy {
            path: relative.clone(),
            kind,
            mode: standing.mode,
            modified: standing.modified,
            seen: standing.seen,
        };
        if metadata.is_dir() {
            return Ok(copy(CopyKind::Folder));
        }
        let shelves = &self.keeper.shelves;
        let before = self.before.and_then(|before| before.files.iter().find(|copy| copy.path == relative));
        if let Some(before) = before.filter(|before| stands_as(before, &standing, shelves)) {
            return Ok(before.clone());
        }
        let known = before.and_then(FileCopy::content).filter(|content| shelves.is_whole(*content));
        let known = known.and_then(|content| shelves.content(&content)).cloned();
        let mut sink = NewPieces { id: &self.run.id, pack: &mut self.run.pack, keeper: self.keeper };
        let content = take_in(path, standing.bytes, mask, known.as_ref(), &mut sink, witness)?;
        let id = content.id;
        let is_nothing_new = known.is_some_and(|known| known.id == id);
        if !is_nothing_new && (shelves.content(&id).is_none() || !shelves.is_whole(id)) {
            self.run.contents.entry(id).or_insert(content);
        }
        Ok(copy(CopyKind::File { content: id, bytes: standing.bytes }))
    }
}
