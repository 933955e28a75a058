//! Packs written anew: small ones become one, and what is no longer wanted stays behind.

use std::collections::HashSet;

use annals_store::journal::Journal;
use annals_store::source::Source;

use crate::archive::MOST_OF_A_PACK;
use crate::error::VaultError;
use crate::index::{Content, IndexFile, Places, Versions};
use crate::keeper::Keeper;
use crate::pack::PackWriter;
use crate::reader::Reader;
use crate::shelves::Shelf;
use crate::version::{FileCopy, Version, VersionId};
use crate::witness::Witness;

/// So many packs of about the same size become one.
const MERGED: usize = 8;
/// Packs up to this size are about the same; from there on, each class is eight times as large.
const SMALLEST: u64 = 64 * 1024;

/// What to do with pieces that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// Nothing is written anew.
    Refuse,
    /// They stay behind, so that whoever still has them can bring them again.
    LeaveBehind,
}

impl Keeper {
    /// Merges packs where there are many of about the same size. Each byte is written anew at most once for every eightfold
    /// growth of its pack, and a vault has few small files however often it is added to.
    pub fn merge(&mut self, source: &dyn Source, witness: &mut dyn Witness) -> Result<usize, VaultError> {
        let mut merged = 0;
        while let Some(packs) = self.due() {
            match self.rewrite(&packs, &HashSet::new(), Damage::Refuse, source, witness) {
                // A damaged pack is left for `verify`, which says so.
                Err(error) if error.is_damage() => break,
                done => done?,
            }
            merged += packs.len();
        }
        Ok(merged)
    }

    fn due(&self) -> Option<Vec<String>> {
        let size = |shelf: &Shelf| shelf.places.shape.as_ref().map_or(0, |shape| shape.guard.length);
        let class = |size: u64| (size / SMALLEST).checked_ilog(MERGED as u64).map_or(0, |class| class + 1);
        let small: Vec<_> = self
            .shelves
            .packs()
            .iter()
            .filter(|shelf| shelf.is_there && size(shelf) < MOST_OF_A_PACK)
            .collect();
        let classes: HashSet<u32> = small.iter().map(|shelf| class(size(shelf))).collect();
        let mut classes: Vec<u32> = classes.into_iter().collect();
        classes.sort_unstable();
        let members = |wanted: u32| {
            let of_class = small.iter().filter(|shelf| class(size(shelf)) == wanted);
            of_class.map(|shelf| shelf.id.clone()).collect::<Vec<_>>()
        };
        classes.into_iter().map(members).find(|members| members.len() >= MERGED)
    }

    /// Forgets versions, and every piece that only they needed. There is no way back.
    pub fn forget(
        &mut self,
        doomed: &HashSet<VersionId>,
        source: &dyn Source,
        witness: &mut dyn Witness,
    ) -> Result<(), VaultError> {
        let lists = |keeper: &Self, id: &str| {
            keeper.catalogue.versions_of(id).iter().any(|version| doomed.contains(&version.id))
        };
        let packs: Vec<String> = self.catalogue.pack_ids().cloned().collect();
        // Those that list the versions go first: after a crash nothing is listed whose pieces are gone.
        for id in packs.iter().filter(|id| lists(self, id)).cloned().collect::<Vec<_>>() {
            self.rewrite(&[id], doomed, Damage::LeaveBehind, source, witness)?;
        }
        let (contents, chunks) = self.shelves.needed(wanted_contents(&self.catalogue.versions(), doomed));
        let has_waste = |shelf: &&Shelf| {
            let shape = shelf.places.shape.as_ref().filter(|_| shelf.is_there);
            shape.is_some_and(|shape| shape.chunks.iter().any(|chunk| !chunks.contains(&chunk.id)))
                || shelf.places.contents.iter().any(|content| !contents.contains(&content.id))
        };
        let wasteful: Vec<String> =
            self.shelves.packs().iter().filter(has_waste).map(|shelf| shelf.id.clone()).collect();
        for id in wasteful {
            self.rewrite(&[id], doomed, Damage::LeaveBehind, source, witness)?;
        }
        Ok(())
    }

    /// Writes packs anew as one, with what is still needed of them and without the versions that are doomed.
    pub(crate) fn rewrite(
        &mut self,
        packs: &[String],
        doomed: &HashSet<VersionId>,
        damage: Damage,
        source: &dyn Source,
        witness: &mut dyn Witness,
    ) -> Result<(), VaultError> {
        let (contents, chunks) = self.shelves.needed(wanted_contents(&self.catalogue.versions(), doomed));
        let id = Journal::new_id(source);
        let mut pack: Option<PackWriter> = None;
        let mut reader = Reader::new(self.vault(), &self.shelves);
        let shelves = || self.shelves.packs().iter().filter(|shelf| packs.contains(&shelf.id));
        for shelf in shelves().filter(|shelf| shelf.is_there) {
            let pieces = shelf.places.shape.iter().flat_map(|shape| &shape.chunks);
            for piece in pieces.filter(|piece| chunks.contains(&piece.id)) {
                if pack.is_none() {
                    pack = Some(PackWriter::begin(self.vault().new_pack(&id))?);
                }
                let Some(pack) = &mut pack else { continue };
                let added = reader.piece(&piece.id, &mut |bytes| pack.add(piece.id, bytes));
                witness.read(u64::from(piece.length));
                match added {
                    Err(error) if damage == Damage::LeaveBehind && error.is_damage() => {}
                    added => added?,
                }
            }
        }
        let described = shelves().flat_map(|shelf| &shelf.places.contents);
        let needed = |content: &&Content| {
            // Of contents that are described twice, the description that counts is kept.
            contents.contains(&content.id) && self.shelves.content(&content.id) == Some(*content)
        };
        let mut described: Vec<Content> = described.filter(needed).cloned().collect();
        described.sort_by_key(|content| content.id);
        described.dedup_by_key(|content| content.id);
        let listed = packs.iter().flat_map(|id| self.catalogue.versions_of(id));
        let listed = listed.filter(|version| !doomed.contains(&version.id)).cloned().collect();
        if let Err(error) = witness.goes_on() {
            pack.map(PackWriter::abandon).unwrap_or_default();
            return Err(error);
        }
        let shape = pack.map(PackWriter::finish).transpose()?;
        let index = IndexFile {
            versions: Versions { replaces: packs.to_vec(), versions: listed },
            places: Places { shape, contents: described },
        };
        self.vault().publish(&id, &index, witness)?;
        self.vault().retire(packs, witness)?;
        self.reload()
    }
}

fn wanted_contents<'v>(
    versions: &'v [&Version],
    doomed: &'v HashSet<VersionId>,
) -> impl Iterator<Item = crate::id::ContentId> + 'v {
    let wanted = versions.iter().filter(|version| !doomed.contains(&version.id));
    wanted.flat_map(|version| version.files.iter().filter_map(FileCopy::content))
}
