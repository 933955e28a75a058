//! Rewrites packs: merges small ones, and drops what no version needs.

use std::collections::HashSet;

use annals_store::journal::Journal;
use annals_store::source::Source;

use crate::archive::MAX_PACK_BYTES;
use crate::chunk_index::PackEntry;
use crate::error::VaultError;
use crate::index::{IndexFile, Locations, PackVersions, StoredContent};
use crate::pack::PackWriter;
use crate::progress::Progress;
use crate::reader::VaultReader;
use crate::version::{FileCopy, Version, VersionId};
use crate::writer::VaultWriter;

/// How many packs of about the same size are merged.
const MIN_MERGED_PACKS: usize = 8;
/// Packs up to this size are in the smallest class; each further class is eight times as large.
const SMALLEST_CLASS_BYTES: u64 = 64 * 1024;

/// What to do with chunks that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnDamage {
    /// Fail, and leave the packs as they are.
    Refuse,
    /// Drop them; a session that still has them stores them again with the next run.
    Skip,
}

impl VaultWriter {
    /// Merges packs if there are many of about the same size. Each byte is rewritten at most once for every eightfold
    /// growth of its pack, and the vault has few small files however often it is added to.
    pub fn merge(&mut self, source: &dyn Source, progress: &mut dyn Progress) -> Result<usize, VaultError> {
        let mut merged = 0;
        while let Some(packs) = self.packs_to_merge() {
            match self.rewrite(&packs, &HashSet::new(), OnDamage::Refuse, source, progress) {
                // A damaged pack is left for `verify`, which reports it.
                Err(error) if error.is_damage() => break,
                done => done?,
            }
            merged += packs.len();
        }
        Ok(merged)
    }

    fn packs_to_merge(&self) -> Option<Vec<String>> {
        let size = |entry: &PackEntry| {
            entry.locations.layout.as_ref().map_or(0, |layout| layout.block_checks.length)
        };
        let class = |size: u64| {
            (size / SMALLEST_CLASS_BYTES).checked_ilog(MIN_MERGED_PACKS as u64).map_or(0, |class| class + 1)
        };
        let small: Vec<_> = self
            .chunk_index
            .packs()
            .iter()
            .filter(|entry| entry.is_there && size(entry) < MAX_PACK_BYTES)
            .collect();
        let classes: HashSet<u32> = small.iter().map(|entry| class(size(entry))).collect();
        let mut classes: Vec<u32> = classes.into_iter().collect();
        classes.sort_unstable();
        let members = |wanted: u32| {
            let of_class = small.iter().filter(|entry| class(size(entry)) == wanted);
            of_class.map(|entry| entry.id.clone()).collect::<Vec<_>>()
        };
        classes.into_iter().map(members).find(|members| members.len() >= MIN_MERGED_PACKS)
    }

    /// Deletes versions and every chunk that only they needed. This cannot be undone.
    pub fn forget(
        &mut self,
        forgotten: &HashSet<VersionId>,
        source: &dyn Source,
        progress: &mut dyn Progress,
    ) -> Result<(), VaultError> {
        let lists = |writer: &Self, id: &str| {
            writer.catalogue.versions_of(id).iter().any(|version| forgotten.contains(&version.id))
        };
        let packs: Vec<String> = self.catalogue.pack_ids().cloned().collect();
        // Packs that list the versions go first: after a crash no version is listed whose chunks are gone.
        for id in packs.iter().filter(|id| lists(self, id)).cloned().collect::<Vec<_>>() {
            self.rewrite(&[id], forgotten, OnDamage::Skip, source, progress)?;
        }
        let (contents, chunks) =
            self.chunk_index.needed(needed_contents(&self.catalogue.versions(), forgotten));
        let has_waste = |entry: &&PackEntry| {
            let layout = entry.locations.layout.as_ref().filter(|_| entry.is_there);
            layout.is_some_and(|layout| layout.chunks.iter().any(|chunk| !chunks.contains(&chunk.id)))
                || entry.locations.contents.iter().any(|content| !contents.contains(&content.id))
        };
        let wasteful: Vec<String> =
            self.chunk_index.packs().iter().filter(has_waste).map(|entry| entry.id.clone()).collect();
        for id in wasteful {
            self.rewrite(&[id], forgotten, OnDamage::Skip, source, progress)?;
        }
        Ok(())
    }

    /// Rewrites packs as one, with what is still needed of them and without the forgotten versions.
    pub(crate) fn rewrite(
        &mut self,
        packs: &[String],
        forgotten: &HashSet<VersionId>,
        on_damage: OnDamage,
        source: &dyn Source,
        progress: &mut dyn Progress,
    ) -> Result<(), VaultError> {
        let (contents, chunks) =
            self.chunk_index.needed(needed_contents(&self.catalogue.versions(), forgotten));
        let id = Journal::new_id(source);
        let mut pack: Option<PackWriter> = None;
        let mut reader = VaultReader::new(self.vault(), &self.chunk_index);
        let entries = || self.chunk_index.packs().iter().filter(|entry| packs.contains(&entry.id));
        for entry in entries().filter(|entry| entry.is_there) {
            let stored = entry.locations.layout.iter().flat_map(|layout| &layout.chunks);
            for chunk in stored.filter(|chunk| chunks.contains(&chunk.id)) {
                if pack.is_none() {
                    pack = Some(PackWriter::begin(self.vault().new_pack(&id))?);
                }
                let Some(pack) = &mut pack else { continue };
                let added = reader.chunk(&chunk.id, &mut |bytes| pack.add(chunk.id, bytes));
                progress.read(u64::from(chunk.length));
                match added {
                    Err(error) if on_damage == OnDamage::Skip && error.is_damage() => {}
                    added => added?,
                }
            }
        }
        let described = entries().flat_map(|entry| &entry.locations.contents);
        let needed = |content: &&StoredContent| {
            // If a content is described twice, the description in use is kept.
            contents.contains(&content.id) && self.chunk_index.content(&content.id) == Some(*content)
        };
        let mut described: Vec<StoredContent> = described.filter(needed).cloned().collect();
        described.sort_by_key(|content| content.id);
        described.dedup_by_key(|content| content.id);
        let listed = packs.iter().flat_map(|id| self.catalogue.versions_of(id));
        let listed = listed.filter(|version| !forgotten.contains(&version.id)).cloned().collect();
        if let Err(error) = progress.check() {
            pack.map(PackWriter::abandon).unwrap_or_default();
            return Err(error);
        }
        let layout = pack.map(PackWriter::finish).transpose()?;
        let index = IndexFile {
            versions: PackVersions { replaces: packs.to_vec(), versions: listed },
            locations: Locations { layout, contents: described },
        };
        self.vault().publish(&id, &index, progress)?;
        self.vault().remove_packs(packs, progress)?;
        self.reload()
    }
}

fn needed_contents<'v>(
    versions: &'v [&Version],
    forgotten: &'v HashSet<VersionId>,
) -> impl Iterator<Item = crate::id::ContentId> + 'v {
    let wanted = versions.iter().filter(|version| !forgotten.contains(&version.id));
    wanted.flat_map(|version| version.files.iter().filter_map(FileCopy::content))
}
