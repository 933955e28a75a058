//! What was read, redacted and not acknowledged yet: numbered batches on the disk, within a bound.
//!
//! A batch is here, whole and synced, before it is sent for the first time, and it says how far the files are read with it:
//! this file is the one step by which lines are taken. From then on nothing that happens to the store, to the sink or to
//! this process changes what is sent under those names, or in what order. It leaves when the sink has it and the state says
//! so. Several stores may have batches here; each pass sends those of its own store only.

mod aside;

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use annals_store::files::{WriteError, is_left_over, replace_file};
use annals_store::read::{ReadError, read_file};

use crate::error::CollectError;
use crate::spooled_batch::{SpooledBatch, store_of_head};
use crate::state::UNKNOWN_STORE;

/// The ending of a batch: lines of JSON, compressed.
const ENDING: &str = ".ndjson.zst";

/// A low level of zstd: text compresses well anyway.
const ZSTD_LEVEL: i32 = 3;

/// What waits for a sink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Number of batches.
    pub batches: u64,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Whether the spool is full, so that reading stopped.
    pub is_full: bool,
}

/// What waits for a sink and is of no store that is there: no run sends it unless it is told to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclaimedBacklog {
    /// How much.
    pub backlog: Backlog,
    /// The path of the first of these stores, if it is known.
    pub store: Option<PathBuf>,
}

/// Whether a batch was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddOutcome {
    /// It is on the disk.
    Stored,
    /// The spool is full.
    Full,
}

/// One batch.
#[derive(Debug)]
struct SpoolEntry {
    sequence: u64,
    bytes: u64,
    /// The id of the store that it was read from; `None` if that cannot be read.
    store: Option<String>,
    /// The path of that store; `None` if it is not known.
    root: Option<PathBuf>,
    /// Whether it is sent whatever its store is.
    is_claimed: bool,
    /// Only where nothing may be written.
    in_memory: Option<Box<SpooledBatch>>,
}

/// Whether the disk may be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpoolMode {
    Disk,
    Memory,
}

/// The spool of one sink.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    mode: SpoolMode,
    /// The id of the store in use.
    store: String,
    kept: VecDeque<SpoolEntry>,
}

impl Spool {
    /// Looks at what waits, and clears away what a crash has left unfinished.
    pub(crate) fn open(folder: PathBuf) -> Result<Self, CollectError> {
        Self::list(folder, SpoolMode::Disk)
    }

    /// The same for a look: nothing is written or removed.
    pub(crate) fn look(folder: PathBuf) -> Result<Self, CollectError> {
        Self::list(folder, SpoolMode::Memory)
    }

    fn list(folder: PathBuf, mode: SpoolMode) -> Result<Self, CollectError> {
        let at = |error| CollectError::Read(ReadError::new(&folder, error));
        let mut kept = Vec::new();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries.collect::<io::Result<Vec<_>>>().map_err(at)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(at(error)),
        };
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(sequence) = name.strip_suffix(ENDING).and_then(|digits| digits.parse().ok()) {
                let bytes = entry.metadata().map_err(at)?.len();
                // One that cannot be read is met, and reported, when its turn comes.
                let of = head(&entry.path()).ok().and_then(|head| store_of_head(&head));
                let (store, root) = of.unzip();
                let root = root.map(PathBuf::from).filter(|root| !root.as_os_str().is_empty());
                kept.push(SpoolEntry { sequence, bytes, store, root, is_claimed: false, in_memory: None });
            } else if mode == SpoolMode::Disk && is_left_over(&name) {
                // It never took its name, so it was never sent: what it holds is read again.
                let _ = fs::remove_file(entry.path());
            }
        }
        kept.sort_by_key(|kept| kept.sequence);
        Ok(Self { folder, mode, store: String::new(), kept: kept.into() })
    }

    /// Sets the id of the store in use.
    pub(crate) fn choose_store(&mut self, store: &str) {
        store.clone_into(&mut self.store);
    }

    /// Whether a batch is to be sent for the store in use.
    fn is_ours(&self, kept: &SpoolEntry) -> bool {
        let is_of_store = |store: &String| *store == self.store || store == UNKNOWN_STORE;
        kept.is_claimed || kept.store.as_ref().is_none_or(is_of_store)
    }

    fn path(&self, sequence: u64) -> PathBuf {
        self.folder.join(format!("{sequence:012}{ENDING}"))
    }

    /// How much of the store in use waits.
    pub(crate) fn waiting(&self) -> Backlog {
        let bytes = self.ours().map(|kept| kept.bytes).sum();
        Backlog { batches: self.ours().count() as u64, bytes, is_full: false }
    }

    /// What waits of stores that are gone, or that are not known.
    pub(crate) fn unclaimed(&self) -> Option<UnclaimedBacklog> {
        let is_gone =
            |kept: &&SpoolEntry| !self.is_ours(kept) && !kept.root.as_ref().is_some_and(|root| root.is_dir());
        let gone: Vec<&SpoolEntry> = self.kept.iter().filter(is_gone).collect();
        let store = gone.first()?.root.clone();
        let bytes = gone.iter().map(|kept| kept.bytes).sum();
        Some(UnclaimedBacklog {
            backlog: Backlog { batches: gone.len() as u64, bytes, is_full: false },
            store,
        })
    }

    /// Takes the batches of all stores for those of the store in use.
    pub(crate) fn claim_all(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.is_claimed = true);
    }

    fn ours(&self) -> impl Iterator<Item = &SpoolEntry> {
        self.kept.iter().filter(|kept| self.is_ours(kept))
    }

    /// The numbers of all batches, in their order; also those of other stores.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.kept.iter().map(|kept| kept.sequence)
    }

    /// Appends a batch; it is on the disk when this returns. An empty spool takes a batch of any size, because it must be
    /// stored while it is sent; further batches must fit into `most` bytes.
    pub(crate) fn add(&mut self, spooled: &SpooledBatch, most: u64) -> Result<AddOutcome, CollectError> {
        let sequence = spooled.batch.sequence;
        let store = Some(spooled.store.clone());
        let entry = SpoolEntry { sequence, bytes: 0, store, root: None, is_claimed: false, in_memory: None };
        if self.mode == SpoolMode::Memory {
            self.kept.push_back(SpoolEntry { in_memory: Some(Box::new(spooled.clone())), ..entry });
            return Ok(AddOutcome::Stored);
        }
        let path = self.path(sequence);
        let packed = pack(|file| spooled.write(file)).map_err(WriteError::at(&path))?;
        let bytes = packed.len() as u64;
        if self.ours().next().is_some() && self.waiting().bytes.saturating_add(bytes) > most {
            return Ok(AddOutcome::Full);
        }
        replace_file(&path, &packed)?;
        self.kept.push_back(SpoolEntry { bytes, ..entry });
        Ok(AddOutcome::Stored)
    }

    /// Reads a batch.
    pub(crate) fn read(&self, sequence: u64) -> Result<SpooledBatch, CollectError> {
        let in_memory = self.kept.iter().find(|kept| kept.sequence == sequence);
        if let Some(spooled) = in_memory.and_then(|kept| kept.in_memory.as_deref()) {
            return Ok(spooled.clone());
        }
        let path = self.path(sequence);
        let packed = read_file(&path)?;
        let file = zstd::Decoder::with_buffer(&packed[..]);
        let file = file.map_err(|_| CollectError::DamagedBatch { path: path.clone() })?;
        SpooledBatch::read(&path, BufReader::new(file))
    }

    /// The number of the batch that is to be sent next.
    pub(crate) fn first_number(&self) -> Option<u64> {
        self.ours().next().map(|kept| kept.sequence)
    }

    /// The batch that is to be sent next.
    pub(crate) fn first(&self) -> Result<Option<SpooledBatch>, CollectError> {
        self.ours().next().map(|kept| self.read(kept.sequence)).transpose()
    }

    /// Lets go of it. Should its name come back after a loss of power, it is sent again under the same names.
    pub(crate) fn remove_first(&mut self) -> Result<(), CollectError> {
        let Some(at) = self.kept.iter().position(|kept| self.is_ours(kept)) else { return Ok(()) };
        let Some(first) = self.kept.remove(at) else { return Ok(()) };
        if self.mode == SpoolMode::Disk {
            let path = self.path(first.sequence);
            fs::remove_file(&path).map_err(WriteError::at(&path))?;
        }
        Ok(())
    }
}

/// The line about a batch, without its items.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    BufReader::new(zstd::Decoder::new(fs::File::open(path)?)?).read_until(b'\n', &mut head)?;
    Ok(head)
}

/// With a checksum, so that damage shows.
fn pack(write: impl FnOnce(&mut zstd::Encoder<'_, Vec<u8>>) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
    encoder.include_checksum(true)?;
    write(&mut encoder)?;
    encoder.finish()
}
