//! Reads whole files, and caches a brief of each until it changes.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use annals_index::cursor::FileStamp;
use annals_index::{FileSummary, SummaryCache, SummaryKind};
use annals_store::ConfigDir;
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
    let data = context.data_dir().ok().filter(|_| origin == UsageOrigin::Index);
    let configs: Vec<_> = context.store.all().iter().map(|store| store.config_dir().clone()).collect();
    let caches: Vec<_> = data
        .iter()
        .flat_map(|data| configs.iter().map(|config| SummaryCache::of(config, data, kind)))
        .collect();
    // The cache of its store, and its name there.
    let name = |file: &UsageFile| {
        let inside =
            |config: &ConfigDir| file.entry.path.strip_prefix(config.path()).ok().map(Path::to_path_buf);
        configs.iter().enumerate().find_map(|(at, config)| Some((at, inside(config)?)))
    };
    let made = Mutex::new(Vec::new());
    let read = reading(files, context, |advance| {
        StoreUsage::read_with(files, advance, |file| {
            let Some((at, name)) = name(file).filter(|_| !caches.is_empty()) else { return each(file) };
            // Before it is read, so that a change meanwhile is noticed the next time.
            let stamp = fs::metadata(&file.entry.path).ok().map(|metadata| FileStamp::at(&metadata));
            let kept = stamp.as_ref().and_then(|stamp| caches[at].get(&name, stamp));
            if let Some(brief) = kept.and_then(unpacked::<(FileUsage, T)>) {
                return Ok(brief);
            }
            let read = each(file)?;
            if let Some(stamp) = stamp {
                let brief = FileSummary { file: name, stamp, content: packed(&read) };
                made.lock().unwrap_or_else(PoisonError::into_inner).push((at, brief));
            }
            Ok(read)
        })
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (at, (cache, data)) in caches.iter().zip(data.iter().cycle()).enumerate() {
        let of_store: Vec<_> = made.extract_if(.., |(of, _)| *of == at).map(|(_, brief)| brief).collect();
        let there = files.iter().filter_map(name).filter(|(of, _)| *of == at).map(|(_, name)| name);
        // The answer is the same without the cache.
        let _ = cache.keep(&of_store, &there.collect::<Vec<_>>(), data, context.source.now());
    }
    read
}
