//! Verifies the whole vault: repairs damage, and reports what cannot be repaired with the sessions that it affects.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use annals_store::files::{WriteError, new_file, replace_file, sync_folder};
use annals_store::read::read_file;
use annals_store::source::Source;

use crate::blocks::BlockChecks;
use crate::chunk_index::PackEntry;
use crate::error::VaultError;
use crate::frame::skippable_head;
use crate::id::ContentId;
use crate::index::is_whole;
use crate::pack::PackReader;
use crate::progress::Progress;
use crate::reader::VaultReader;
use crate::repack::OnDamage;
use crate::vault::IndexCopy;
use crate::version::{FileCopy, Version};
use crate::writer::VaultWriter;

/// What a verification found.
#[derive(Debug, Default)]
pub struct VerifyReport {
    /// How many packs were read.
    pub packs: usize,
    /// How many versions were verified.
    pub versions: usize,
    /// Files of the vault that were damaged and have been repaired.
    pub healed: Vec<PathBuf>,
    /// Files of the vault that cannot be repaired, and what is damaged.
    pub damaged: Vec<(PathBuf, String)>,
    /// Versions that cannot be restored any more, and why.
    pub lost: Vec<(Version, String)>,
}

impl VerifyReport {
    /// Whether every version can be restored.
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.lost.is_empty()
    }
}

impl VaultWriter {
    /// Reads everything and repairs files where possible. Chunks that cannot be repaired are removed from the index: a
    /// session that still has them stores them again with the next run, which repairs the old versions that share them.
    pub fn verify(
        &mut self,
        source: &dyn Source,
        progress: &mut dyn Progress,
    ) -> Result<VerifyReport, VaultError> {
        let mut report = VerifyReport::default();
        for path in self.catalogue.unreadable.iter().chain(&self.chunk_index.unreadable) {
            report.damaged.push((path.clone(), "neither copy of the index can be read".to_owned()));
        }
        self.verify_indexes(&mut report)?;
        let broken = self.verify_packs(&mut report)?;
        for id in broken {
            self.rewrite(&[id], &HashSet::new(), OnDamage::Skip, source, progress)?;
        }
        self.verify_versions(&mut report, progress);
        Ok(report)
    }

    fn verify_indexes(&self, report: &mut VerifyReport) -> Result<(), VaultError> {
        for id in self.catalogue.pack_ids() {
            let paths = [self.vault().index(IndexCopy::First, id), self.vault().index(IndexCopy::Second, id)];
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

    /// Checks every block; returns the packs that cannot be repaired.
    fn verify_packs(&self, report: &mut VerifyReport) -> Result<Vec<String>, VaultError> {
        let mut broken = Vec::new();
        for entry in self.chunk_index.packs() {
            let Some(layout) = &entry.locations.layout else { continue };
            let path = self.vault().pack(&entry.id);
            report.packs += 1;
            let mut reader = match PackReader::open(&path, layout) {
                Ok(reader) => reader,
                // All that it held was stored again since, so nothing is lost.
                Err(_) if !entry.is_there && self.is_unneeded(entry) => {
                    broken.push(entry.id.clone());
                    continue;
                }
                Err(error) => {
                    report.damaged.push((path, error.to_string()));
                    continue;
                }
            };
            match reader.count_damage() {
                (0, 0) => {}
                (_, 0) => {
                    repair_pack(&mut reader, &layout.block_checks, &path, &self.vault().new_pack(&entry.id))?;
                    report.healed.push(path);
                }
                (_, lost) => {
                    report.damaged.push((
                        path,
                        format!("{lost} of {} blocks cannot be repaired", layout.block_checks.checks.len()),
                    ));
                    broken.push(entry.id.clone());
                }
            }
        }
        for path in self.vault().packs_without_index() {
            report.damaged.push((path, "the pack has no index, so its chunks cannot be used".to_owned()));
        }
        Ok(broken)
    }

    /// Whether every needed chunk of a pack is also in another one.
    fn is_unneeded(&self, entry: &PackEntry) -> bool {
        let versions = self.catalogue.versions();
        let contents = versions.iter().flat_map(|version| version.files.iter().filter_map(FileCopy::content));
        let (_, needed) = self.chunk_index.needed(contents);
        let mut pieces = entry.locations.layout.iter().flat_map(|layout| &layout.chunks);
        pieces.all(|chunk| !needed.contains(&chunk.id) || self.chunk_index.has_chunk(&chunk.id))
    }

    fn verify_versions(&self, report: &mut VerifyReport, progress: &mut dyn Progress) {
        let versions = self.catalogue.versions();
        let mut contents: Vec<ContentId> =
            versions.iter().flat_map(|version| version.files.iter().filter_map(FileCopy::content)).collect();
        // The longest first: reading a file that grew verifies all that it grew from.
        let length = |id: &ContentId| self.chunk_index.content(id).map_or(0, |content| content.bytes);
        contents.sort_by_cached_key(|id| (std::cmp::Reverse(length(id)), *id));
        contents.dedup();
        let mut reader = VaultReader::new(self.vault(), &self.chunk_index);
        let mut known: HashMap<ContentId, Option<String>> = HashMap::new();
        for id in contents {
            if known.contains_key(&id) {
                continue;
            }
            let read = reader.content(id, &mut |bytes| {
                progress.read(bytes.len() as u64);
                Ok(())
            });
            match read {
                Ok(()) => {
                    let chain = self.chunk_index.chain(id).into_iter().flatten();
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

/// Rewrites a pack from its readable and repaired blocks, and replaces it.
fn repair_pack(
    reader: &mut PackReader<'_>,
    block_checks: &BlockChecks,
    path: &Path,
    beside: &Path,
) -> Result<(), VaultError> {
    let _ = fs::remove_file(beside);
    let mut file = new_file(beside).map_err(VaultError::writing(beside))?;
    reader.healed(|bytes| file.write_all(bytes).map_err(VaultError::writing(beside)))?;
    let mut written = File::open(beside).map_err(VaultError::writing(beside))?;
    let (made, parity) = block_checks.recompute(&mut written).map_err(VaultError::writing(beside))?;
    if made != *block_checks {
        let _ = fs::remove_file(beside);
        return Err(VaultError::Damaged {
            path: path.to_path_buf(),
            what: "the repaired pack does not match its checksums",
        });
    }
    let done = file
        .write_all(&skippable_head(parity.len()))
        .and_then(|()| file.write_all(&parity))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(beside, path));
    done.map_err(|error| WriteError::new(path, error))?;
    Ok(sync_folder(path.parent().unwrap_or(Path::new("")))?)
}
