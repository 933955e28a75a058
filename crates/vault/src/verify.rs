//! The whole vault, read and compared with what was written; what is damaged is healed, or named with the sessions it hits.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use annals_store::files::{WriteError, new_file, replace_file, sync_folder};
use annals_store::read::read_file;
use annals_store::source::Source;

use crate::blocks::Guard;
use crate::error::VaultError;
use crate::frame::skipped_head;
use crate::id::ContentId;
use crate::index::is_whole;
use crate::keeper::Keeper;
use crate::pack::PackReader;
use crate::reader::Reader;
use crate::repack::Damage;
use crate::shelves::Shelf;
use crate::vault::Copy;
use crate::version::{FileCopy, Version};
use crate::witness::Witness;

/// What a look at everything found.
#[derive(Debug, Default)]
pub struct Verified {
    /// How many packs were read.
    pub packs: usize,
    /// How many versions were compared.
    pub versions: usize,
    /// Files of the vault that were damaged and are whole again.
    pub healed: Vec<PathBuf>,
    /// Files of the vault that are damaged for good, and how.
    pub damaged: Vec<(PathBuf, String)>,
    /// Versions that do not come back any more, and why.
    pub lost: Vec<(Version, String)>,
}

impl Verified {
    /// Whether everything comes back.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.lost.is_empty()
    }
}

impl Keeper {
    /// Reads everything. What can be healed is healed on the disk. Pieces that are beyond help are taken off the lists: a
    /// session that still has them brings them again with the next run, and heals the old versions that share them.
    pub fn verify(&mut self, source: &dyn Source, witness: &mut dyn Witness) -> Result<Verified, VaultError> {
        let mut report = Verified::default();
        for path in self.catalogue.unreadable.iter().chain(&self.shelves.unreadable) {
            report.damaged.push((path.clone(), "neither copy of the index can be read".to_owned()));
        }
        self.verify_indexes(&mut report)?;
        let broken = self.verify_packs(&mut report)?;
        for id in broken {
            self.rewrite(&[id], &HashSet::new(), Damage::LeaveBehind, source, witness)?;
        }
        self.verify_versions(&mut report, witness);
        Ok(report)
    }

    fn verify_indexes(&self, report: &mut Verified) -> Result<(), VaultError> {
        for id in self.catalogue.pack_ids() {
            let paths = [self.vault().index(Copy::First, id), self.vault().index(Copy::Second, id)];
            let bytes = paths.each_ref().map(|path| read_file(path).unwrap_or_default());
            let sound = [is_whole(&bytes[0], &paths[0]).is_ok(), is_whole(&bytes[1], &paths[1]).is_ok()];
            let (bad, good) = match sound {
                [false, true] => (0, 1),
                [true, false] => (1, 0),
                _ => continue,
            };
            replace_file(&paths[bad], &bytes[good])?;
            report.healed.push(paths[bad].clone());
        }
        Ok(())
    }

    /// Looks at every block; gives the packs that are beyond help.
    fn verify_packs(&self, report: &mut Verified) -> Result<Vec<String>, VaultError> {
        let mut broken = Vec::new();
        for shelf in self.shelves.packs() {
            let Some(shape) = &shelf.places.shape else { continue };
            let path = self.vault().pack(&shelf.id);
            report.packs += 1;
            let mut reader = match PackReader::open(&path, shape) {
                Ok(reader) => reader,
                // All that it held was brought again since: it is missed by nobody.
                Err(_) if !shelf.is_there && self.needs_nothing_of(shelf) => {
                    broken.push(shelf.id.clone());
                    continue;
                }
                Err(error) => {
                    report.damaged.push((path, error.to_string()));
                    continue;
                }
            };
            match reader.survey() {
                (0, 0) => {}
                (_, 0) => {
                    heal(&mut reader, &shape.guard, &path, &self.vault().new_pack(&shelf.id))?;
                    report.healed.push(path);
                }
                (_, lost) => {
                    report.damaged.push((
                        path,
                        format!("{lost} blocks of {} are beyond help", shape.guard.checks.len()),
                    ));
                    broken.push(shelf.id.clone());
                }
            }
        }
        for path in self.vault().packs_without_index() {
            report.damaged.push((path, "it has no index, so nobody knows whose pieces it holds".to_owned()));
        }
        Ok(broken)
    }

    /// Whether every piece of a pack that is needed is also elsewhere.
    fn needs_nothing_of(&self, shelf: &Shelf) -> bool {
        let versions = self.catalogue.versions();
        let contents = versions.iter().flat_map(|version| version.files.iter().filter_map(FileCopy::content));
        let (_, needed) = self.shelves.needed(contents);
        let mut pieces = shelf.places.shape.iter().flat_map(|shape| &shape.chunks);
        pieces.all(|piece| !needed.contains(&piece.id) || self.shelves.has_chunk(&piece.id))
    }

    fn verify_versions(&self, report: &mut Verified, witness: &mut dyn Witness) {
        let versions = self.catalogue.versions();
        let mut contents: Vec<ContentId> =
            versions.iter().flat_map(|version| version.files.iter().filter_map(FileCopy::content)).collect();
        // The longest first: reading a file that grew checks all that it grew from.
        let length = |id: &ContentId| self.shelves.content(id).map_or(0, |content| content.bytes);
        contents.sort_by_cached_key(|id| (std::cmp::Reverse(length(id)), *id));
        contents.dedup();
        let mut reader = Reader::new(self.vault(), &self.shelves);
        let mut known: HashMap<ContentId, Option<String>> = HashMap::new();
        for id in contents {
            if known.contains_key(&id) {
                continue;
            }
            let read = reader.content(id, &mut |bytes| {
                witness.read(bytes.len() as u64);
                Ok(())
            });
            match read {
                Ok(()) => {
                    let chain = self.shelves.chain(id).into_iter().flatten();
                    known.extend(chain.map(|content| (content.id, None)));
                }
                Err(error) => drop(known.insert(id, Some(error.to_string()))),
            }
        }
        report.versions = versions.len();
        for version in versions {
            let fault = version.files.iter().find_map(|copy| known.get(&copy.content()?)?.clone());
            report.lost.extend(fault.map(|fault| (version.clone(), fault)));
        }
    }
}

/// Writes a pack again from what is left of it, and lets that take its place.
fn heal(reader: &mut PackReader<'_>, guard: &Guard, path: &Path, beside: &Path) -> Result<(), VaultError> {
    let _ = fs::remove_file(beside);
    let mut file = new_file(beside).map_err(VaultError::writing(beside))?;
    reader.healed(|bytes| file.write_all(bytes).map_err(VaultError::writing(beside)))?;
    let mut written = File::open(beside).map_err(VaultError::writing(beside))?;
    let (made, parity) = guard.again(&mut written).map_err(VaultError::writing(beside))?;
    if made != *guard {
        let _ = fs::remove_file(beside);
        return Err(VaultError::Damaged { path: path.to_path_buf(), what: "it does not heal" });
    }
    let done = file
        .write_all(&skipped_head(parity.len()))
        .and_then(|()| file.write_all(&parity))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(beside, path));
    done.map_err(|error| WriteError::new(path, error))?;
    Ok(sync_folder(path.parent().unwrap_or(Path::new("")))?)
}
