//! The items that a sink refused: kept beside the spool, one file a batch, so that they can be listed and sent again.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use annals_json::{ObjectWriter, Value};
use annals_store::files::{WriteError, create_folder, is_left_over, replace_file};
use annals_store::read::{ReadError, read_file};

use super::{ENDING, Spool, SpoolMode, pack};
use crate::error::CollectError;
use crate::item::{Batch, SentItem};
use crate::report::RefusedItem;
use crate::sink::ItemRefusal;
use crate::state::integer;

/// The folder of what no attempt can deliver.
const FOLDER: &str = "aside";

/// Why an item of an earlier release is here.
const TOO_LARGE: &str = "too large";

/// A refused item as it is kept.
struct KeptItem {
    reason: String,
    time: Option<i64>,
    sent: SentItem,
}

impl Spool {
    /// Stores the items of a batch that the sink refused; they are on the disk when this returns. The same batch always has the
    /// same file.
    pub(crate) fn set_aside(
        &self,
        batch: &Batch,
        refused: &[ItemRefusal],
        time: i64,
    ) -> Result<Vec<RefusedItem>, CollectError> {
        let path = self.folder.join(FOLDER).join(format!("{:012}{ENDING}", batch.sequence));
        let refused: Vec<_> =
            refused.iter().filter_map(|it| Some((it, batch.items.get(it.index)?))).collect();
        if self.mode == SpoolMode::Disk && !refused.is_empty() {
            let packed = pack(|file| {
                for (refusal, item) in &refused {
                    let mut head = Vec::new();
                    let mut object = ObjectWriter::begin(&mut head);
                    object.string("reason", &refusal.reason).number("time", time).key("item");
                    file.write_all(&head)?;
                    file.write_all(batch.with_items(vec![(*item).clone()]).ndjson().trim_ascii_end())?;
                    file.write_all(b"}\n")?;
                }
                Ok(())
            });
            create_folder(&self.folder.join(FOLDER))?;
            replace_file(&path, &packed.map_err(WriteError::at(&path))?)?;
        }
        let report = |(refusal, item): (&ItemRefusal, &crate::item::Item)| RefusedItem {
            file: item.file.clone(),
            line: item.number,
            bytes: item.length,
            reason: refusal.reason.clone(),
            time: Some(time),
            path: path.clone(),
        };
        Ok(refused.into_iter().map(report).collect())
    }

    /// Lists the items that were refused, in the order of their batches.
    pub(crate) fn refused(&self) -> Result<Vec<RefusedItem>, CollectError> {
        let mut all = Vec::new();
        for path in self.refused_files()? {
            all.extend(read(&path)?.into_iter().map(|kept| RefusedItem {
                file: kept.sent.item.file,
                line: kept.sent.item.number,
                bytes: kept.sent.item.length,
                reason: kept.reason,
                time: kept.time,
                path: path.clone(),
            }));
        }
        Ok(all)
    }

    /// Reads the items that were refused as batches, by the files that hold them.
    pub(crate) fn refused_batches(&self) -> Result<Vec<(PathBuf, Vec<Batch>)>, CollectError> {
        let mut all = Vec::new();
        for path in self.refused_files()? {
            let mut batches: BTreeMap<(String, String), Batch> = BTreeMap::new();
            for KeptItem { sent, .. } in read(&path)? {
                let SentItem { machine, store, batch: sequence, item } = sent;
                let batch = batches.entry((machine.clone(), store.clone())).or_insert_with(|| Batch {
                    machine,
                    store,
                    sequence,
                    rules: String::new(),
                    items: Vec::new(),
                });
                batch.items.push(item);
            }
            all.push((path, batches.into_values().collect()));
        }
        Ok(all)
    }

    /// Removes a file of refused items.
    pub(crate) fn remove_refused(&self, path: &Path) -> Result<(), CollectError> {
        match self.mode {
            SpoolMode::Disk => Ok(fs::remove_file(path).map_err(WriteError::at(path))?),
            SpoolMode::Memory => Ok(()),
        }
    }

    fn refused_files(&self) -> Result<Vec<PathBuf>, CollectError> {
        let folder = self.folder.join(FOLDER);
        let at = |error| CollectError::Read(ReadError::new(&folder, error));
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries.collect::<io::Result<Vec<_>>>().map_err(at)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(at(error)),
        };
        let is_batch = |name: &str| name.ends_with(ENDING) && !is_left_over(name);
        let mut paths: Vec<PathBuf> = entries
            .into_iter()
            .filter(|entry| is_batch(&entry.file_name().to_string_lossy()))
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        Ok(paths)
    }
}

fn read(path: &Path) -> Result<Vec<KeptItem>, CollectError> {
    let damaged = || CollectError::DamagedBatch { path: path.to_path_buf() };
    let text = zstd::decode_all(&read_file(path)?[..]).map_err(|_| damaged())?;
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.map(|line| kept_item(line).ok_or_else(damaged)).collect()
}

fn kept_item(line: &[u8]) -> Option<KeptItem> {
    let value = Value::parse(line).ok()?;
    // An earlier release kept the item alone, and only if it was too large.
    let Some(item) = value.get("item") else {
        let sent = SentItem::parse(line).ok()?;
        return Some(KeptItem { reason: TOO_LARGE.to_owned(), time: None, sent });
    };
    Some(KeptItem {
        reason: value.get("reason")?.text()?.decode().into_owned(),
        time: value.get("time").and_then(integer),
        sent: SentItem::parse(item.raw()).ok()?,
    })
}
