//! Reads whole files, and caches a brief of each until it changes.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use annals_index::cursor::FileStamp;
use annals_index::{FileSummary, SummaryCache, SummaryKind};
use annals_store::read::ReadError;
use annals_store::source::Clock as _;
use annals_store::usage::{FileUsage, StoreUsage, UsageFile};
use annals_transcript::pack::{Pack, packed, unpacked};

use super::items::{UsageOrigin, reading};
use crate::context::Context;

/// Reads the files with `each`; for an unchanged file, the cached brief is used.
pub(crate) fn read<T: Pack + Default + Send>(
    origin: UsageOrigin,
    kind: SummaryKind,
    files: &[UsageFile],
    context: &Context,
    each: impl Fn(&UsageFile) -> Result<(FileUsage, T), ReadError> + Sync,
) -> (StoreUsage, Vec<T>) {
    let config = context.store.config_dir();
    let data = context.data_dir().ok().filter(|_| origin == UsageOrigin::Index);
    let briefs = data.as_ref().map(|data| SummaryCache::of(config, data, kind));
    let name = |file: &UsageFile| file.entry.path.strip_prefix(config.path()).ok().map(Path::to_path_buf);
    let made = Mutex::new(Vec::new());
    let read = reading(files, context, |advance| {
        StoreUsage::read_with(files, advance, |file| {
            let Some((briefs, name)) = briefs.as_ref().zip(name(file)) else { return each(file) };
            // Before it is read, so that a change meanwhile is noticed the next time.
            let stamp = fs::metadata(&file.entry.path).ok().map(|metadata| FileStamp::at(&metadata));
            let kept = stamp.as_ref().and_then(|stamp| briefs.get(&name, stamp));
            if let Some(brief) = kept.and_then(unpacked::<(FileUsage, T)>) {
                return Ok(brief);
            }
            let read = each(file)?;
            if let Some(stamp) = stamp {
                let brief = FileSummary { file: name, stamp, content: packed(&read) };
                made.lock().unwrap_or_else(PoisonError::into_inner).push(brief);
            }
            Ok(read)
        })
    });
    if let Some((data, briefs)) = data.zip(briefs) {
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let there: Vec<_> = files.iter().filter_map(name).collect();
        // The answer is the same without the cache.
        let _ = briefs.keep(&made, &there, &data, context.source.now());
    }
    read
}
