//! A store and a vault for tests, and shared steps.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

use annals_store::source::{Clock, Source};
use annals_store::{DataDir, Store};
use annals_testkit::temp::TempDir;
use annals_testkit::tree;
use annals_vault::{
    ArchiveReport, FileSelection, NoProgress, Progress, Vault, VaultError, VaultReader, Version,
};

/// A clock that advances by itself, with deterministic randomness.
#[derive(Debug)]
pub(crate) struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> i64 {
        self.0.fetch_add(1000, Ordering::Relaxed)
    }

    fn pause(&self, _: u64) {}
}

impl Source for Ticking {
    fn random(&self) -> [u8; 16] {
        let digest = annals_store::digest::sha256_bytes(&self.now().to_le_bytes());
        std::array::from_fn(|at| digest[at])
    }
}

/// Pseudo-random numbers, the same in every run.
#[derive(Debug)]
pub(crate) struct Dice(Cell<u64>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    /// A number below this one.
    pub(crate) fn below(&self, most: usize) -> usize {
        let mut state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((state ^ (state >> 31)) % most.max(1) as u64) as usize
    }

    /// A line of a session: an id, some words, some digits.
    pub(crate) fn line(&self, session: &str) -> String {
        const WORDS: [&str; 8] = ["lock", "index", "vault", "retry", "window", "schedule", "the", "of"];
        let text: Vec<&str> = (0..self.below(60)).map(|_| WORDS[self.below(WORDS.len())]).collect();
        let number = self.below(usize::MAX);
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{number:032x}\",\"sessionId\":\"{session}\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
            text.join(" ")
        )
    }
}

/// A store with a vault.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) vault: Vault,
    pub(crate) source: Ticking,
}

pub(crate) const SLUG: &str = "-home-mira-work";

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new("vault");
        let vault = Vault::new(&DataDir::new(folder.path().join("data")));
        fs::create_dir_all(folder.path().join("config")).unwrap();
        Self { folder, vault, source: Ticking(AtomicI64::new(1_790_000_000_000)) }
    }

    /// A copy with the same files.
    pub(crate) fn copied(&self) -> Self {
        let other = Self::new();
        tree::copy(self.folder.path(), other.folder.path());
        other.source.0.store(self.source.now(), Ordering::Relaxed);
        other
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    pub(crate) fn data(&self) -> DataDir {
        DataDir::new(self.folder.path().join("data"))
    }

    /// A session id.
    pub(crate) fn id(number: usize) -> String {
        format!("{number:08x}-0000-4000-8000-000000000000")
    }

    pub(crate) fn session(&self, id: &str) -> PathBuf {
        self.config().join("projects").join(SLUG).join(format!("{id}.jsonl"))
    }

    pub(crate) fn write(&self, relative: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.folder.write(Path::new("config").join(relative), bytes)
    }

    pub(crate) fn write_session(&self, id: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.write(&format!("projects/{SLUG}/{id}.jsonl"), bytes)
    }

    pub(crate) fn archive(&self) -> ArchiveReport {
        self.try_archive(&mut NoProgress).unwrap()
    }

    pub(crate) fn try_archive(&self, progress: &mut dyn Progress) -> Result<ArchiveReport, VaultError> {
        let discovery = Store::open(self.config()).discover();
        let sessions: Vec<_> = discovery.sessions.iter().collect();
        let mut writer = self.vault.writer()?;
        let done = writer.archive(&sessions, &discovery, &self.source, progress)?;
        writer.merge(&self.source, progress)?;
        Ok(done)
    }

    /// Unpacks a version: its files by path.
    pub(crate) fn unpack(&self, version: &Version) -> Result<BTreeMap<String, Vec<u8>>, VaultError> {
        let catalogue = self.vault.catalogue()?;
        let chunk_index = self.vault.chunk_index(&catalogue)?;
        let mut reader = VaultReader::new(&self.vault, &chunk_index);
        unpacked(&mut reader, &self.vault, version, &self.source)
    }

    /// All versions, oldest first.
    pub(crate) fn versions(&self) -> Vec<Version> {
        self.vault.catalogue().unwrap().versions().into_iter().cloned().collect()
    }

    pub(crate) fn vault_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(self.vault.path(), &mut found);
        found
    }
}

pub(crate) fn unpacked(
    reader: &mut VaultReader<'_>,
    vault: &Vault,
    version: &Version,
    source: &dyn Source,
) -> Result<BTreeMap<String, Vec<u8>>, VaultError> {
    let dir = vault.unpack_dir(source)?;
    reader.unpack(version, dir.path(), FileSelection::Everything)?;
    Ok(tree(dir.path()))
}

/// All files below a folder, by their relative path.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let relative = |path: &Path| path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
    annals_testkit::tree::tree(folder).into_iter().map(|(path, bytes)| (relative(&path), bytes)).collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}
