//! A store and a vault of a test's own, and the small steps that the tests share.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

use annals_store::source::{Clock, Source};
use annals_store::{DataDir, Store};
use annals_testkit::temp::TempDir;
use annals_testkit::tree;
use annals_vault::{Archived, Nobody, Reader, Vault, VaultError, Version, Wanted, Witness};

/// Time that goes on by itself, and chance that is none.
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

/// Numbers that look like chance and are the same every time.
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

    /// A line of a session: an id, a text of words, some digits.
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

/// A store with a vault beside it.
#[derive(Debug)]
pub(crate) struct Shop {
    pub(crate) folder: TempDir,
    pub(crate) vault: Vault,
    pub(crate) source: Ticking,
}

pub(crate) const SLUG: &str = "-home-mira-work";

impl Shop {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new("vault");
        let vault = Vault::new(&DataDir::new(folder.path().join("data")));
        fs::create_dir_all(folder.path().join("config")).unwrap();
        Self { folder, vault, source: Ticking(AtomicI64::new(1_790_000_000_000)) }
    }

    /// Another one with the same files.
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

    /// An id that looks like those of sessions.
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

    pub(crate) fn archive(&self) -> Archived {
        self.try_archive(&mut Nobody).unwrap()
    }

    pub(crate) fn try_archive(&self, witness: &mut dyn Witness) -> Result<Archived, VaultError> {
        let discovery = Store::open(self.config()).discover();
        let sessions: Vec<_> = discovery.sessions.iter().collect();
        let mut keeper = self.vault.keeper()?;
        let done = keeper.archive(&sessions, &discovery, &self.source, witness)?;
        keeper.merge(&self.source, witness)?;
        Ok(done)
    }

    /// Every version, unpacked: its files by path. What does not come back is an error.
    pub(crate) fn unpack(&self, version: &Version) -> Result<BTreeMap<String, Vec<u8>>, VaultError> {
        let catalogue = self.vault.catalogue()?;
        let shelves = self.vault.shelves(&catalogue)?;
        let mut reader = Reader::new(&self.vault, &shelves);
        unpacked(&mut reader, &self.vault, version, &self.source)
    }

    /// All versions, the oldest first.
    pub(crate) fn versions(&self) -> Vec<Version> {
        self.vault.catalogue().unwrap().versions().into_iter().cloned().collect()
    }

    /// The files of the vault.
    pub(crate) fn vault_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(self.vault.path(), &mut found);
        found
    }
}

pub(crate) fn unpacked(
    reader: &mut Reader<'_>,
    vault: &Vault,
    version: &Version,
    source: &dyn Source,
) -> Result<BTreeMap<String, Vec<u8>>, VaultError> {
    let bench = vault.workbench(source)?;
    reader.unpack(version, bench.path(), Wanted::Everything)?;
    Ok(tree(bench.path()))
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
